//! One sparse row per text: which terms of a lexicon stand in it, and how often.

use crate::lexicon::Lexicon;
use crate::parts;
use crate::read::Scratch;

/// Compressed sparse rows: row i has the terms and counts of `indptr[i]..indptr[i + 1]`, terms increasing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Where each row begins, and where the last ends.
    pub indptr: Vec<i64>,
    /// Places in the lexicon.
    pub term: Vec<u32>,
    /// How often each occurs in its text.
    pub count: Vec<i64>,
}

/// The rows of some texts.
pub fn rows<T: AsRef<str> + Sync>(lexicon: &Lexicon, texts: &[T], threads: usize) -> Rows {
    let jobs = parts::cut(texts, threads).into_iter().map(|part| || rows_of_part(lexicon, part)).collect();
    let mut parts = parts::run(jobs).into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.for_each(|part| all.append(part));
    all
}

impl Default for Rows {
    fn default() -> Self {
        Rows { indptr: vec![0], term: Vec::new(), count: Vec::new() }
    }
}

impl Rows {
    /// More rows, after these.
    pub fn append(&mut self, more: Rows) {
        let before = self.term.len() as i64;
        self.indptr.extend(more.indptr[1..].iter().map(|at| at + before));
        self.term.extend(more.term);
        self.count.extend(more.count);
    }
}

fn rows_of_part<T: AsRef<str>>(lexicon: &Lexicon, texts: &[T]) -> Rows {
    let mut rows = Rows::default();
    let (mut scratch, mut found) = (Scratch::default(), Vec::new());
    lexicon.expect(parts::bytes(texts));
    for text in texts {
        found.clear();
        lexicon.find(text.as_ref(), &mut scratch, |place| found.push(place));
        each_distinct(&mut found, |term, count| {
            rows.term.push(term);
            rows.count.push(count);
        });
        rows.indptr.push(rows.term.len() as i64);
    }
    rows
}

/// Sorts `found` and calls `emit` with each number in it once, and how often it stands there.
pub(crate) fn each_distinct(found: &mut [u32], mut emit: impl FnMut(u32, i64)) {
    found.sort_unstable();
    for run in found.chunk_by(|a, b| a == b) {
        emit(run[0], run.len() as i64);
    }
}
