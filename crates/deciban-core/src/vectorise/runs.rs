//! Runs of two words, in buckets by a hash of both: rows of them, written while the words are counted.
//!
//! Which bucket a run is in depends on its words alone, so that threads do not show. A run of one text tells nothing of any
//! other: rows keep the buckets that two texts have.

use crate::hash::murmur3;
use crate::near::prefetch;
use crate::table::Node;

/// There are two to the power of so many buckets.
const BITS: u32 = 22;
/// 2^64 by the golden ratio: the first bits of a product with it depend on all bits of the other factor.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// So many buckets are asked for before they are counted.
const AT_ONCE: usize = 64;
/// The number of a bucket that has none.
const NONE: u32 = u32::MAX;

/// One thread's runs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The hash of each word's name, by its node.
    hash: Vec<u32>,
    /// The buckets of the text that is being read.
    met: Vec<u32>,
    rows: Buckets,
}

/// The buckets of some texts, each once a text and rising; those of text i end before `ends[i]`.
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

    /// Whatever was met is in the text once: sorted, which asks for no memory but the text's own.
    pub(super) fn end_text(&mut self) {
        self.met.sort_unstable();
        self.met.dedup();
        self.rows.bucket.append(&mut self.met);
        self.rows.ends.push(self.rows.bucket.len());
    }

    pub(super) fn take(&mut self) -> Buckets {
        std::mem::take(&mut self.rows)
    }
}

/// The rows of all texts.
pub(super) fn rows(chunks: &[Buckets]) -> Rows {
    let (number, terms) = numbers(chunks);
    let mut found = Rows { indptr: vec![0], term: Vec::new(), terms };
    for Buckets { bucket, ends } in chunks {
        let mut start = 0;
        for &end in ends {
            let row = &bucket[start..end];
            row.iter().for_each(|&bucket| prefetch(&number[bucket as usize]));
            found.term.extend(row.iter().map(|&bucket| number[bucket as usize]).filter(|&number| number != NONE));
            found.indptr.push(found.term.len() as i64);
            start = end;
        }
    }
    found
}

/// The number of each bucket, or none where it is not in two texts; and how many numbers there are.
fn numbers(chunks: &[Buckets]) -> (Vec<u32>, usize) {
    let mut texts = vec![0_u8; 1 << BITS];
    for some in chunks.iter().flat_map(|chunk| chunk.bucket.chunks(AT_ONCE)) {
        some.iter().for_each(|&bucket| prefetch(&texts[bucket as usize]));
        some.iter().for_each(|&bucket| texts[bucket as usize] = texts[bucket as usize].saturating_add(1));
    }
    let mut terms = 0;
    let number = |texts| {
        terms += u32::from(texts > 1);
        if texts > 1 { terms - 1 } else { NONE }
    };
    (texts.into_iter().map(number).collect(), terms as usize)
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
