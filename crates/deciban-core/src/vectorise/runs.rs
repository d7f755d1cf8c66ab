//! Runs of two words, in buckets by a hash of both: rows of them, written while the words are counted.
//!
//! Which bucket a run is in depends on its words alone, so that threads do not show. A run of one text tells nothing of any
//! other: rows keep the buckets that two texts have.

use crate::hash::murmur3;
use crate::near::{full, room};
use crate::table::Node;
use crate::wide;

/// There are two to the power of so many buckets.
const BITS: u32 = 22;
/// 2^64 by the golden ratio: the first bits of a product with it depend on all bits of the other factor.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
/// The bucket of an empty slot.
const NONE: u32 = u32::MAX;

/// One thread's runs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The hash of each word's name, by its node.
    hash: Vec<u32>,
    /// The buckets of the text that is being read, and a table of those that were written down.
    met: Vec<u32>,
    seen: Vec<u32>,
    rows: Buckets,
}

/// The buckets of some texts, each once a text; those of text i end before `ends[i]`.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    bucket: Vec<u32>,
    ends: Vec<usize>,
}

/// Rows of the buckets that two texts have, by numbers that rise with the buckets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Where each row begins, and where the last ends.
    pub indptr: Vec<i64>,
    /// The number of each bucket.
    pub term: Vec<u32>,
    /// How many buckets there are.
    pub terms: usize,
}

impl Runs {
    /// Makes room for about so many runs, after the last were taken.
    pub(super) fn reserve(&mut self, runs: usize) {
        self.rows.bucket = room(runs);
    }

    /// The word of the next node.
    pub(super) fn know(&mut self, name: &[u8]) {
        self.hash.push(murmur3(name));
    }

    /// A run in the text that is being read.
    #[inline(always)]
    pub(super) fn meet(&mut self, first: Node, word: Node) {
        let hash = |node: Node| u64::from(self.hash.get(node as usize).copied().unwrap_or_default());
        let bucket = (hash(first) << 32 | hash(word)).wrapping_mul(GOLDEN) >> (u64::BITS - BITS);
        self.met.push(bucket as u32);
    }

    /// Writes down whatever was met, once.
    pub(super) fn end_text(&mut self) {
        let last = (4 * self.met.len()).clamp(1, 2 << BITS).next_power_of_two() - 1;
        self.seen.clear();
        self.seen.resize(last + 1, NONE);
        let kept = self.rows.bucket.len();
        self.rows.bucket.resize(kept + self.met.len(), NONE);
        let (out, mut length) = (&mut self.rows.bucket[kept..], 0);
        for &bucket in &self.met {
            let mut slot = bucket as usize & last;
            while self.seen[slot] != NONE && self.seen[slot] != bucket {
                slot = (slot + 1) & last;
            }
            // One that was met before is written over by the next: whether it is cannot be foreseen.
            out[length] = bucket;
            length += usize::from(self.seen[slot] == NONE);
            self.seen[slot] = bucket;
        }
        self.met.clear();
        self.rows.bucket.truncate(kept + length);
        self.rows.ends.push(self.rows.bucket.len());
    }

    pub(super) fn take(&mut self) -> Buckets {
        std::mem::take(&mut self.rows)
    }
}

/// Buckets that two texts have, in words of as many buckets as those have bits.
struct Shared(Vec<Word>);

/// One bit a bucket: whether two texts have it. And how many of the words before are so, for which, while texts are still
/// looked at, stands whether one text has it.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    shared: u64,
    before: u64,
}

impl Shared {
    #[inline(always)]
    fn new(chunks: &[Buckets]) -> Self {
        let mut words = vec![Word::default(); 1 << BITS >> u64::BITS.ilog2()];
        for chunk in chunks {
            for &bucket in &chunk.bucket {
                let (word, bit) = at(bucket);
                let Word { shared, before } = &mut words[word];
                *shared |= *before & bit;
                *before |= bit;
            }
        }
        let mut sum = 0;
        for Word { shared, before } in &mut words {
            *before = sum;
            sum += u64::from(shared.count_ones());
        }
        Shared(words)
    }

    fn len(&self) -> usize {
        self.0.last().map_or(0, |last| last.before as usize + last.shared.count_ones() as usize)
    }

    /// The number of a bucket among all that two texts have, and whether it is one of them.
    #[inline(always)]
    fn number(&self, bucket: u32) -> (u32, bool) {
        let (word, bit) = at(bucket);
        let Word { shared, before } = self.0[word];
        (before as u32 + (shared & (bit - 1)).count_ones(), shared & bit != 0)
    }
}

/// The word and the bit of a bucket.
#[inline(always)]
fn at(bucket: u32) -> (usize, u64) {
    ((bucket / u64::BITS) as usize, 1 << (bucket % u64::BITS))
}

/// The rows of all texts.
pub(super) fn rows(chunks: &[Buckets]) -> Rows {
    wide::run(
        #[inline(always)]
        || rows_of(chunks),
    )
}

#[inline(always)]
fn rows_of(chunks: &[Buckets]) -> Rows {
    let shared = Shared::new(chunks);
    let mut term = full(chunks.iter().map(|chunk| chunk.bucket.len()).sum::<usize>() + 1, 0);
    let (mut indptr, mut length) = (vec![0], 0);
    for Buckets { bucket, ends } in chunks {
        let mut start = 0;
        for &end in ends {
            for &bucket in &bucket[start..end] {
                // As above: those of one text are written over.
                let (number, is_shared) = shared.number(bucket);
                term[length] = number;
                length += usize::from(is_shared);
            }
            indptr.push(length as i64);
            start = end;
        }
    }
    term.truncate(length);
    Rows { indptr, term, terms: shared.len() }
}

#[cfg(test)]
mod tests {
    use crate::terms::Terms;
    use crate::vectorise::Vectoriser;

    fn found(texts: &[String], threads: usize) -> super::Rows {
        let mut vectoriser = Vectoriser::with_runs(Terms::default(), threads);
        texts.chunks(3).for_each(|chunk| vectoriser.add(chunk).unwrap());
        let runs = vectoriser.runs();
        assert_eq!(vectoriser.take().unwrap().matrix::<i64>().indptr.len(), runs.indptr.len());
        runs
    }

    #[test]
    fn runs_of_two_texts_are_kept_once_a_text() {
        let texts = ["so far so far, good", "so far", "", "far good", "good day", "long-winded incomprehensibilities"];
        let runs = found(&texts.map(str::to_string), 1);
        assert_eq!((runs.indptr, runs.terms), (vec![0, 2, 3, 3, 4, 4, 4], 2));
        assert_eq!((runs.term[0], runs.term[1]), (runs.term[2], runs.term[3]));
    }

    #[test]
    fn threads_do_not_show() {
        let texts: Vec<String> = (0..9_u32).map(|i| format!("b{} a{} c{i} ", i % 2, i % 3).repeat(9999)).collect();
        let one = found(&texts, 1);
        assert_eq!(found(&texts, 4), one);
        assert!(one.terms > 2);
    }
}
