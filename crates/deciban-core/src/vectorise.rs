//! Texts -> a matrix of counts, one row a text, one column a term: what scikit-learn's vectorisers make.
//!
//! [`Vectoriser`] learns the columns in the one pass that counts: a term is numbered when it is first seen, a row is
//! written in those numbers, and at the end numbers become places in canonical order. Each thread numbers for itself.
//! What comes out is [`counted`], and [`runs`] of two words beside it, where they are asked for;
//! [`labelled`] makes of rows what each label has. [`vocabulary`] counts terms that are known, [`hashing`] counts in columns that are hashes.

pub mod counted;
pub mod hashing;
pub mod labelled;
pub mod matrix;
pub mod runs;
pub mod vocabulary;

use crate::lexicon::Names;
use crate::order::order;
use crate::read::{Scratch, Visit, read};
use crate::table::{Node, Short};
use crate::terms::{ACROSS, CHARS, Terms};
use crate::trie::Trie;
use crate::{Invalid, parts};

use counted::Counted;
use matrix::Chunk;
use runs::{Buckets, Runs};

/// A name without the beginning that tells its kind: where one kind alone is seen, it has no need of it.
pub fn bare(name: &str) -> &str {
    name.strip_prefix(CHARS).or_else(|| name.strip_prefix(ACROSS)).unwrap_or(name)
}

/// There is room for the rows of words of so many bytes before they are read; what is not used is never touched.
const BYTES_A_WORD: usize = 6;

/// The last text in which a term was seen, and where in that text's row it stands.
#[derive(Debug, Clone, Copy, Default)]
struct Last {
    text: u32,
    at: u32,
}

/// One thread's numbers of terms, and the rows that it is writing.
#[derive(Debug)]
struct Part {
    trie: Trie<Last>,
    is_term: Vec<bool>,
    text: u32,
    row: usize,
    chunk: Chunk,
    runs: Option<Runs>,
}

/// Counting under way: texts come in, in any chunks; their matrix comes out once.
#[derive(Debug)]
pub struct Vectoriser {
    terms: Terms,
    threads: usize,
    parts: Vec<Part>,
    chunks: Vec<(usize, Chunk)>,
    with_runs: bool,
    runs: Vec<Buckets>,
}

impl Vectoriser {
    /// A vectoriser that has seen nothing yet; `threads` as in [`parts::cut`].
    pub fn new(terms: Terms, threads: usize) -> Self {
        Vectoriser { terms, threads, parts: Vec::new(), chunks: Vec::new(), with_runs: false, runs: Vec::new() }
    }

    /// The same for words, with rows of runs of two of them beside.
    pub fn with_runs(terms: Terms, threads: usize) -> Self {
        Vectoriser { with_runs: true, ..Self::new(Terms { words: Some(1..=2), ..terms }, threads) }
    }

    /// Counts the terms of some texts.
    pub fn add<T: AsRef<str> + Sync>(&mut self, texts: &[T]) -> Result<(), Invalid> {
        let cuts = parts::cut(texts, self.threads);
        let with_runs = self.with_runs;
        self.parts.resize_with(self.parts.len().max(cuts.len()), || Part::new(with_runs));
        let terms = &self.terms;
        let jobs = cuts.into_iter().zip(&mut self.parts).map(|(texts, part)| move || part.add(terms, texts));
        let used = parts::run(jobs.collect()).into_iter().collect::<Result<Vec<_>, _>>()?.len();
        // The rows of one part alone stay with it: those of the next texts come after them.
        if used > 1 {
            self.end_chunks();
        }
        self.runs.extend(self.parts[..used].iter_mut().filter_map(|part| part.runs.as_mut()).map(Runs::take));
        Ok(())
    }

    fn end_chunks(&mut self) {
        let chunks = self.parts.iter_mut().map(|part| std::mem::take(&mut part.chunk)).enumerate();
        self.chunks.extend(chunks.filter(|(_, chunk)| !chunk.ends.is_empty()));
    }

    /// The runs of two words of all texts.
    pub fn runs(&mut self) -> runs::Rows {
        runs::rows(&std::mem::take(&mut self.runs))
    }

    /// The terms of all texts in canonical order, and their counts.
    ///
    /// ```
    /// # use deciban_core::{terms::Terms, vectorise::Vectoriser};
    /// let mut vectoriser = Vectoriser::new(Terms::default(), 1);
    /// vectoriser.add(&["so far so good", "far"]).unwrap();
    /// let counted = vectoriser.take().unwrap();
    /// assert_eq!(counted.names().iter().collect::<Vec<_>>(), ["far", "good", "so"]);
    /// let matrix = counted.matrix::<i64>();
    /// assert_eq!((matrix.indices, matrix.data), (vec![0, 1, 2, 0], vec![1, 1, 2, 1]));
    /// ```
    pub fn take(mut self) -> Result<Counted, Invalid> {
        self.end_chunks();
        let jobs = self.parts.iter().map(|part| || order(&part.trie, &part.is_term)).collect();
        let orders = parts::run(jobs);
        drop(self.parts);
        let mut names = Names::default();
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for found in orders {
            let (all, ours, theirs) = union(&names, &found.names);
            columns.iter_mut().flatten().for_each(|column| *column = ours.get(*column as usize).copied().unwrap_or(0));
            columns.push(found.place.into_iter().map(|at| theirs.get(at as usize).copied().unwrap_or(0)).collect());
            names = all;
        }
        i32::try_from(names.len())
            .map_err(|_| Invalid("there are more than two billion terms; use shorter n-grams"))?;
        Ok(Counted { names, columns, chunks: self.chunks })
    }
}

/// All names of two lists, and where in it those of each stand.
fn union(a: &Names, b: &Names) -> (Names, Vec<u32>, Vec<u32>) {
    let (mut all, mut places) = (Names::default(), (Vec::with_capacity(a.len()), Vec::with_capacity(b.len())));
    let (mut next_a, mut next_b) = (a.iter().peekable(), b.iter().peekable());
    for place in 0.. {
        let least = match (next_a.peek(), next_b.peek()) {
            (None, None) => break,
            (Some(&name), None) | (None, Some(&name)) => name,
            (Some(&a), Some(&b)) => a.min(b),
        };
        if next_a.next_if_eq(&least).is_some() {
            places.0.push(place);
        }
        if next_b.next_if_eq(&least).is_some() {
            places.1.push(place);
        }
        all.push(least);
    }
    (all, places.0, places.1)
}

impl Part {
    fn new(with_runs: bool) -> Self {
        let runs = with_runs.then(Runs::default);
        Part { trie: Trie::new(), is_term: Vec::new(), text: 0, row: 0, chunk: Chunk::default(), runs }
    }

    fn add<T: AsRef<str>>(&mut self, terms: &Terms, texts: &[T]) -> Result<(), Invalid> {
        let (mut scratch, words) = (Scratch::default(), parts::bytes(texts) / BYTES_A_WORD);
        self.chunk.reserve(words);
        if let Some(runs) = &mut self.runs {
            runs.reserve(words);
        }
        for text in texts {
            self.text = self.text.checked_add(1).ok_or(Invalid("there are more than four billion texts"))?;
            self.row = self.chunk.numbers.len();
            read(terms, text.as_ref(), &mut scratch, self);
            self.chunk.end_row();
            if let Some(runs) = &mut self.runs {
                runs.end_text();
            }
        }
        if self.trie.is_full() {
            return Err(Invalid("there are more than two billion distinct terms; use shorter n-grams"));
        }
        Ok(())
    }

    /// Counts a node once more in the row that is being written.
    #[inline(always)]
    fn count(last: &mut Last, text: u32, node: Node, row: usize, chunk: &mut Chunk) {
        if last.text == text {
            let count = &mut chunk.counts[row + last.at as usize];
            *count = count.wrapping_add(1);
        } else {
            *last = Last { text, at: (chunk.numbers.len() - row) as u32 };
            chunk.push(node, 1);
        }
    }

    /// Whether each node is a term, or only begins some: said once, when the node is new; whether it is.
    #[inline(always)]
    fn mark(&mut self, node: Node, is_term: bool) -> bool {
        let is_new = node as usize >= self.is_term.len();
        if is_new {
            self.is_term.resize(node as usize + 1, is_term);
        }
        is_new
    }
}

impl Visit for Part {
    type Value = Last;

    #[inline(always)]
    fn trie(&self) -> &Trie<Last> {
        &self.trie
    }

    #[inline(always)]
    fn short(&mut self, key: Short, hash: u64, is_term: bool) -> Option<Node> {
        let at = self.trie.insert_short(key, hash);
        let (node, last) = self.trie.short.slot(at);
        if is_term {
            Part::count(last, self.text, node, self.row, &mut self.chunk);
        }
        if self.mark(node, is_term)
            && let Some(runs) = &mut self.runs
        {
            let (bytes, length) = key.bytes();
            runs.know(&bytes[..length]);
        }
        Some(node)
    }

    fn long(&mut self, name: &[u8], is_term: bool) -> Option<Node> {
        let at = self.trie.insert_long(name);
        let node = self.trie.long.node(at);
        if is_term {
            Part::count(&mut self.trie.long_values[at], self.text, node, self.row, &mut self.chunk);
        }
        if self.mark(node, is_term)
            && let Some(runs) = &mut self.runs
        {
            runs.know(name);
        }
        Some(node)
    }

    #[inline(always)]
    fn pair(&mut self, first: Node, word: Node, is_term: bool) -> Option<Node> {
        let at = self.trie.insert_pair(first, word);
        let node = self.trie.pairs.node(at);
        if is_term {
            Part::count(self.trie.pairs.value(at), self.text, node, self.row, &mut self.chunk);
        }
        self.mark(node, is_term);
        Some(node)
    }

    #[inline(always)]
    fn longest(&mut self, first: Node, word: Node) {
        match &mut self.runs {
            Some(runs) => runs.meet(first, word),
            None => _ = self.pair(first, word, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matrix::Matrix;
    use super::*;
    use crate::tokens::Tokens;
    use proptest::prelude::*;

    fn vectorised(texts: &[String], lengths: std::ops::RangeInclusive<usize>, threads: usize) -> (Names, Matrix<i64>) {
        let terms = Terms { tokens: Tokens::Run, words: Some(lengths), ..Terms::default() };
        let mut vectoriser = Vectoriser::new(terms, threads);
        texts.chunks(3).for_each(|chunk| vectoriser.add(chunk).unwrap());
        let counted = vectoriser.take().unwrap();
        (counted.names().clone(), counted.matrix())
    }

    #[test]
    fn threads_and_chunks_do_not_show() {
        let texts: Vec<String> = (0..9_u32).map(|i| format!("b{} a{} B{i} ", i % 4, i % 3).repeat(9999)).collect();
        let one = vectorised(&texts, 1..=2, 1);
        assert_eq!(vectorised(&texts, 1..=2, 4), one);
        assert_eq!(one.0.len(), one.0.iter().filter(|name| name.contains('b')).count() + 3);
    }

    #[test]
    fn only_terms_have_columns() {
        let (names, matrix) = vectorised(&["a b".to_string(), String::new(), "b a b".to_string()], 2..=2, 1);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a b", "b a"]);
        assert_eq!((matrix.indptr, matrix.indices), (vec![0, 1, 1, 3], vec![0, 0, 1]));
    }

    proptest! {
        #[test]
        fn a_union_has_all_names_once(a in "[a-d]{0,9}", b in "[b-f]{0,9}") {
            let names = |text: &str| {
                let mut letters: Vec<char> = text.chars().collect();
                letters.sort_unstable();
                letters.dedup();
                let mut names = Names::default();
                letters.iter().for_each(|c| names.push(&c.to_string()));
                names
            };
            let (x, y) = (names(&a), names(&b));
            let (all, ours, theirs) = union(&x, &y);
            prop_assert_eq!(&all, &names(&(a + &b)));
            prop_assert!(x.iter().zip(ours).all(|(name, at)| all.get(at as usize) == Some(name)));
            prop_assert!(y.iter().zip(theirs).all(|(name, at)| all.get(at as usize) == Some(name)));
        }
    }
}
