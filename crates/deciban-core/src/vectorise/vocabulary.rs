//! Texts -> a matrix of the counts of known terms, in columns that their owner chose.

use crate::read::{Finding, Scratch, read};
use crate::terms::{ACROSS, CHARS, Terms};
use crate::trie::Trie;
use crate::vectorise::matrix::{Chunk, Count, Matrix};
use crate::{Invalid, parts};

/// Names of terms, each with its column.
#[derive(Debug)]
pub struct Vocabulary {
    terms: Terms,
    columns: Trie<Column>,
}

/// A column, plus one; none for words that are no terms, but begin some.
type Column = u32;

impl Vocabulary {
    /// The terms of these names in these columns.
    pub fn new<T: AsRef<str>>(terms: Terms, names: &[T], columns: &[u32]) -> Result<Self, Invalid> {
        if names.len() != columns.len() || columns.iter().any(|&column| column as usize >= names.len()) {
            return Err(Invalid("the columns are not as many as the terms"));
        }
        i32::try_from(names.len()).map_err(|_| Invalid("there are more than two billion terms"))?;
        let prefix = match terms {
            Terms { words: Some(_), .. } => "",
            Terms { chars: Some(_), .. } => CHARS,
            _ => ACROSS,
        };
        let mut trie = Trie::new();
        for (name, column) in names.iter().zip(columns) {
            trie.set(&format!("{prefix}{}", name.as_ref()), column + 1);
        }
        Ok(Vocabulary { terms, columns: trie })
    }

    /// What is seen of a text.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Counts the known terms of some texts into rows; `threads` as in [`parts::cut`].
    pub fn count<T: AsRef<str> + Sync>(&self, texts: &[T], threads: usize, rows: &mut Finds) {
        rows.add(texts, threads, |text, scratch, found| {
            let emit = |column: Column| {
                if column > 0 {
                    found.push(One::new(column - 1, false));
                }
            };
            read(&self.terms, text, scratch, &mut Finding { trie: &self.columns, emit });
        });
    }
}

/// One term in a column, which is below two billion, and whether it counts as minus one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct One(u32);

impl One {
    #[inline(always)]
    pub(crate) fn new(column: u32, is_minus: bool) -> Self {
        One(column << 1 | u32::from(is_minus))
    }

    #[inline(always)]
    fn column(self) -> u32 {
        self.0 >> 1
    }

    #[inline(always)]
    fn sign(self) -> i32 {
        1 - 2 * (self.0 & 1) as i32
    }
}

/// Rows of what was found in texts, in columns already.
#[derive(Debug, Default)]
pub struct Finds(Vec<(usize, Chunk)>);

impl Finds {
    /// Appends one row a text, of what `find` finds in it.
    pub(crate) fn add<T: AsRef<str> + Sync>(
        &mut self,
        texts: &[T],
        threads: usize,
        find: impl Fn(&str, &mut Scratch, &mut Vec<One>) + Sync,
    ) {
        let find = &find;
        let job = |texts| move || chunk(texts, find);
        let chunks = parts::run(parts::cut(texts, threads).into_iter().map(job).collect());
        self.0.extend(chunks.into_iter().enumerate());
    }

    /// The matrix of all rows.
    pub fn matrix<C: Count>(self) -> Matrix<C> {
        Matrix::of(self.0, false, |_, column| column)
    }
}

fn chunk<T: AsRef<str>>(texts: &[T], find: impl Fn(&str, &mut Scratch, &mut Vec<One>)) -> Chunk {
    let (mut scratch, mut found, mut chunk) = (Scratch::default(), Vec::new(), Chunk::default());
    for text in texts {
        found.clear();
        find(text.as_ref(), &mut scratch, &mut found);
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a.column() == b.column()) {
            chunk.push(same[0].column(), same.iter().map(|one| one.sign()).sum());
        }
        chunk.end_row();
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(terms: Terms, names: &[&str], columns: &[u32], texts: &[&str]) -> Result<Matrix<i64>, Invalid> {
        let mut rows = Finds::default();
        Vocabulary::new(terms, names, columns)?.count(texts, 1, &mut rows);
        Ok(rows.matrix())
    }

    #[test]
    fn terms_are_counted_in_their_columns() {
        let names = ["so far", "good", "", "a  b", "\ttab"];
        let words = || Terms { words: Some(1..=2), ..Terms::default() };
        let matrix = counted(words(), &names, &[1, 0, 2, 3, 4], &["So far so far, good", "", "far"]).unwrap();
        assert_eq!((matrix.indptr, matrix.indices, matrix.data), (vec![0, 2, 2, 2], vec![0, 1], vec![1, 2]));
        assert!(counted(words(), &["a"], &[1], &[]).is_err());
        assert!(counted(words(), &["a"], &[], &[]).is_err());
    }

    #[test]
    fn characters_have_no_prefix_here() {
        let across = Terms { words: None, chars_across: Some(1..=2), ..Terms::default() };
        let matrix = counted(across, &["a", " b"], &[0, 1], &["a\u{a0} ba"]).unwrap();
        assert_eq!((matrix.indices, matrix.data), (vec![0, 1], vec![2, 1]));
    }
}
