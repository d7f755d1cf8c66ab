//! Terms and rows that have been counted: which terms are frequent, which are kept, and the matrix of those.

use crate::Invalid;
use crate::lexicon::Names;
use crate::vectorise::matrix::{Chunk, Count, Matrix};

/// What was counted, in the numbers of the threads that did, and the columns that these numbers are.
#[derive(Debug, Default)]
pub struct Counted {
    pub(super) names: Names,
    pub(super) columns: Vec<Vec<u32>>,
    pub(super) chunks: Vec<(usize, Chunk)>,
}

impl Counted {
    /// The names of the columns.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// In how many texts each term occurs, and how often in all.
    pub fn frequencies(&self) -> (Vec<i64>, Vec<i64>) {
        let mut sums = (vec![0; self.names.len()], vec![0; self.names.len()]);
        for (part, chunk) in &self.chunks {
            for (&number, &count) in chunk.numbers.iter().zip(&chunk.counts) {
                let column = self.columns[*part][number as usize] as usize;
                sums.0[column] += 1;
                sums.1[column] += i64::from(count);
            }
        }
        sums
    }

    /// Without the terms for which `kept` does not say that they stay.
    pub fn keep(&mut self, kept: &[bool]) -> Result<(), Invalid> {
        if kept.len() != self.names.len() {
            return Err(Invalid("there are not as many terms to keep or drop as there are terms"));
        }
        let Counted { names, columns, chunks } = self;
        for (part, chunk) in chunks {
            chunk.retain(|number| kept[columns[*part][number as usize] as usize]);
        }
        let mut left = Names::default();
        let mut moved = Vec::with_capacity(kept.len());
        for (name, &is_kept) in names.iter().zip(kept) {
            moved.push(left.len() as u32);
            if is_kept {
                left.push(name);
            }
        }
        columns.iter_mut().flatten().for_each(|column| *column = moved.get(*column as usize).copied().unwrap_or(0));
        *names = left;
        Ok(())
    }

    /// The matrix.
    pub fn matrix<C: Count>(self) -> Matrix<C> {
        self.rows(true)
    }

    /// The matrix, but that the columns of each row stand in the order in which its text shows them: whoever adds up over
    /// rows has no need of another.
    pub fn as_shown<C: Count>(self) -> Matrix<C> {
        self.rows(false)
    }

    fn rows<C: Count>(self, is_sorted: bool) -> Matrix<C> {
        let columns = self.columns;
        Matrix::of(self.chunks, is_sorted, |part, number| columns[part][number as usize])
    }
}

#[cfg(test)]
mod tests {
    use crate::terms::Terms;
    use crate::tokens::Tokens;
    use crate::vectorise::Vectoriser;

    #[test]
    fn terms_that_are_not_kept_leave_all_rows() {
        let mut vectoriser = Vectoriser::new(Terms { tokens: Tokens::Run, ..Terms::default() }, 2);
        vectoriser.add(&["b a b c", "c", "a"]).unwrap();
        let mut counted = vectoriser.take().unwrap();
        assert_eq!(counted.frequencies(), (vec![2, 1, 2], vec![2, 2, 2]));
        assert!(counted.keep(&[true]).is_err());
        counted.keep(&[false, true, true]).unwrap();
        assert_eq!(counted.names().iter().collect::<Vec<_>>(), ["b", "c"]);
        let matrix = counted.matrix::<f64>();
        assert_eq!((matrix.indptr, matrix.indices), (vec![0, 2, 3, 3], vec![0, 1, 1]));
        assert_eq!(matrix.data, [2.0, 1.0, 1.0]);
    }
}
