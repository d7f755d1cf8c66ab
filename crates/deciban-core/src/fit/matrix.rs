//! Rows of numbers as solvers want them: eight bytes an entry, what is frequent close together.
//!
//! A solver visits rows in random order and looks up a weight for each entry, and waits for memory while it does. So
//! terms get places by falling frequency: the weights that are asked for most share few cache lines. And the weight of a
//! term that a single row has is known from that row's dual variable alone (`w_j = alpha_i y_i x_ij`): such terms, most
//! of all where there are n-grams, are kept apart, and only their squared sum takes part.

mod sorted;

use std::sync::OnceLock;

use crate::Invalid;
use crate::near::{full, room};
use crate::scores::check_postings;
use sorted::{Sorted, ahead};

/// The place of a term that one row alone has.
const ALONE: u32 = u32::MAX;

/// A number of a row: where its weight stands, and the value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Entry {
    pub place: u32,
    pub value: f32,
}

/// Rows, checked. The last column is the constant of the bias, where there is one.
#[derive(Debug)]
pub struct Matrix {
    terms: usize,
    bias: f32,
    /// Entries of terms that several rows have, by place.
    starts: Vec<usize>,
    pub(super) entries: Vec<Entry>,
    /// Entries of terms that one row has, by column.
    own_starts: Vec<usize>,
    own: Vec<Entry>,
    /// The column of each place.
    columns: Vec<u32>,
    /// The sum of squares of each row, and the part of it of terms that only this row has.
    norms: Vec<(f64, f64)>,
    by_column: OnceLock<Columns>,
}

/// The same entries by column; the place of one is its row.
#[derive(Debug)]
pub(super) struct Columns {
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

impl Columns {
    /// The entries of a column.
    pub fn of(&self, column: usize) -> &[Entry] {
        &self.entries[self.starts[column]..self.starts[column + 1]]
    }
}

impl Matrix {
    /// Rows of a lexicon of so many terms. A `bias` other than 0 is the value of a constant that every row has.
    pub fn new(indptr: &[i64], term: &[u32], value: &[f32], terms: usize, bias: f32) -> Result<Self, Invalid> {
        let rows = indptr.len().saturating_sub(1);
        check_postings(indptr, term, rows, terms)?;
        if value.len() != term.len() || terms >= u32::MAX as usize || rows >= u32::MAX as usize {
            return Err(Invalid("the rows' buffers differ in length"));
        }
        if !bias.is_finite() || !value.iter().fold(true, |all, value| all & value.is_finite()) {
            return Err(Invalid("the rows' values are not all finite"));
        }
        let mut known = frequencies(term, terms, if bias == 0.0 { 0 } else { rows as u32 });
        let alone = known.iter().filter(|&&rows| rows == 1).count();
        let columns = by_frequency(&mut known, rows);
        let places = known;
        let (mut entries, mut own) = (room(term.len() + rows - alone), Vec::with_capacity(alone));
        let (mut starts, mut own_starts, mut norms) = (vec![0], vec![0], Vec::with_capacity(rows));
        let mut row = Sorted::new(indptr);
        for at in indptr.windows(2).map(|pair| pair[0] as usize..pair[1] as usize) {
            for at in at {
                ahead(term, at, &places);
                row.push(places[term[at] as usize], term[at], value[at]);
            }
            if bias != 0.0 {
                row.push(places[terms], terms as u32, bias);
            }
            let (of_several, of_one) = row.taken();
            norms.push(norm(of_several, of_one));
            entries.extend_from_slice(of_several);
            own.extend_from_slice(of_one);
            starts.push(entries.len());
            own_starts.push(own.len());
        }
        Ok(Matrix { terms, bias, starts, entries, own_starts, own, columns, norms, by_column: OnceLock::new() })
    }

    /// The same rows, each column multiplied with a factor; the last one is the bias.
    pub(super) fn scaled(&self, factors: &[f64]) -> Self {
        let times =
            |entry: &Entry, column: usize| Entry { value: (f64::from(entry.value) * factors[column]) as f32, ..*entry };
        let entries: Vec<_> = self.entries.iter().map(|e| times(e, self.columns[e.place as usize] as usize)).collect();
        let own: Vec<_> = self.own.iter().map(|e| times(e, e.place as usize)).collect();
        let norms = norms(&self.starts, &entries, &self.own_starts, &own);
        let (starts, own_starts, columns) = (self.starts.clone(), self.own_starts.clone(), self.columns.clone());
        let by_column = OnceLock::new();
        Matrix { terms: self.terms, bias: self.bias, starts, entries, own_starts, own, columns, norms, by_column }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many terms there are.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// The value of the constant, 0 where there is none.
    pub(super) fn bias(&self) -> f64 {
        f64::from(self.bias)
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.columns.len()
    }

    /// Whether a place is that of the constant.
    pub(super) fn is_bias(&self, place: usize) -> bool {
        self.columns[place] as usize == self.terms
    }

    /// The sum of squares of a row, and the part of it of terms that only this row has.
    pub(super) fn norm(&self, row: usize) -> (f64, f64) {
        self.norms[row]
    }

    /// Where a row's shared entries begin and end.
    pub(super) fn range(&self, row: usize) -> (usize, usize) {
        (self.starts[row], self.starts[row + 1])
    }

    /// A row's entries of terms that other rows have too.
    pub(super) fn shared(&self, row: usize) -> &[Entry] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// A row's entries of terms that no other row has, by column.
    pub(super) fn own(&self, row: usize) -> &[Entry] {
        &self.own[self.own_starts[row]..self.own_starts[row + 1]]
    }

    /// All entries of a row, by column.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = Entry> {
        let column = |entry: &Entry| Entry { place: self.columns[entry.place as usize], ..*entry };
        self.shared(row).iter().map(column).chain(self.own(row).iter().copied())
    }

    /// The scores of some rows by weights, one a column.
    pub(super) fn scores(&self, weights: &[f64], rows: &[u32]) -> Vec<f64> {
        let score = |&row: &u32| self.row(row as usize).map(|e| f64::from(e.value) * weights[e.place as usize]).sum();
        rows.iter().map(score).collect()
    }

    /// The same entries by column, laid out when first asked for.
    pub(super) fn columns(&self) -> &Columns {
        self.by_column.get_or_init(|| {
            let mut starts = vec![0; self.terms + 2];
            (0..self.rows()).flat_map(|row| self.row(row)).for_each(|entry| starts[entry.place as usize + 1] += 1);
            (0..=self.terms).for_each(|column| starts[column + 1] += starts[column]);
            let mut free = starts.clone();
            let mut entries = vec![Entry { place: 0, value: 0.0 }; self.entries.len() + self.own.len()];
            for row in 0..self.rows() {
                for entry in self.row(row) {
                    let at = &mut free[entry.place as usize];
                    entries[*at] = Entry { place: row as u32, ..entry };
                    *at += 1;
                }
            }
            Columns { starts, entries }
        })
    }

    /// Weights by place, so many numbers each, as weights by column; what is at no place is 0.
    pub(super) fn spread(&self, weights: &[f64], width: usize) -> Vec<f64> {
        let mut spread = full((self.terms + 1) * width, 0.0);
        for (&column, weights) in self.columns.iter().zip(weights.chunks_exact(width)) {
            spread[column as usize * width..][..width].copy_from_slice(weights);
        }
        spread
    }
}

/// In how many rows each column is; the last is the constant.
fn frequencies(term: &[u32], terms: usize, constant: u32) -> Vec<u32> {
    let mut frequency = full(terms + 1, 0);
    for (at, &column) in term.iter().enumerate() {
        ahead(term, at, &frequency);
        frequency[column as usize] += 1;
    }
    frequency[terms] = constant;
    frequency
}

/// Columns that several rows have, the most frequent first. What is known of a column is in how many rows it is, and
/// then its place.
fn by_frequency(known: &mut [u32], rows: usize) -> Vec<u32> {
    let mut starts = vec![0; rows + 2];
    known.iter().for_each(|&rows| starts[rows as usize] += 1);
    let mut shared = 0;
    for start in starts[2..].iter_mut().rev() {
        (*start, shared) = (shared, shared + *start);
    }
    let mut columns = vec![0; shared];
    for (column, known) in known.iter_mut().enumerate() {
        let start = &mut starts[*known as usize];
        *known = if *known > 1 { *start as u32 } else { ALONE };
        if *known != ALONE {
            columns[*known as usize] = column as u32;
            *start += 1;
        }
    }
    columns
}

/// The sum of squares of each row, and the part of it of terms that only this row has.
fn norms(starts: &[usize], entries: &[Entry], own_starts: &[usize], own: &[Entry]) -> Vec<(f64, f64)> {
    let of = |row: usize| norm(&entries[starts[row]..starts[row + 1]], &own[own_starts[row]..own_starts[row + 1]]);
    (0..starts.len() - 1).map(of).collect()
}

/// The same of one row.
fn norm(shared: &[Entry], own: &[Entry]) -> (f64, f64) {
    let of_own = squares(own);
    (of_own + squares(shared), of_own)
}

/// The sum of squares; from 0 on, since the sum of nothing is -0.
fn squares(row: &[Entry]) -> f64 {
    let (fours, rest) = row.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sum, entry)| *sum += f64::from(entry.value) * f64::from(entry.value));
    }
    rest.iter().fold(sums.iter().sum(), |sum: f64, entry| sum + f64::from(entry.value) * f64::from(entry.value))
}

/// Weights times a row: four sums side by side, since one would wait for each addition.
#[inline]
pub(super) fn dot(weights: &[f64], row: &[Entry]) -> f64 {
    let (fours, rest) = row.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        for (sum, entry) in sums.iter_mut().zip(four) {
            *sum += weights[entry.place as usize] * f64::from(entry.value);
        }
    }
    let rest: f64 = rest.iter().map(|entry| weights[entry.place as usize] * f64::from(entry.value)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Adds so many times a row to weights.
#[inline]
pub(super) fn add(weights: &mut [f64], row: &[Entry], times: f64) {
    for entry in row {
        weights[entry.place as usize] += times * f64::from(entry.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_terms_come_first_and_own_terms_stand_apart() {
        let matrix = Matrix::new(&[0, 2, 4, 5], &[0, 2, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0], 3, 0.5).unwrap();
        assert_eq!(matrix.columns, [2, 3]);
        assert_eq!(matrix.shared(1), [Entry { place: 0, value: 4.0 }, Entry { place: 1, value: 0.5 }]);
        assert_eq!(matrix.own(1), [Entry { place: 1, value: 3.0 }]);
        assert_eq!(matrix.row(0).map(|entry| entry.place).collect::<Vec<_>>(), [2, 3, 0]);
        assert_eq!(dot(&[2.0, 4.0], matrix.shared(1)), 10.0);
        assert_eq!(squares(matrix.shared(1)), 16.25);
        assert_eq!(matrix.spread(&[7.0, 8.0], 1), [0.0, 0.0, 7.0, 8.0]);
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        assert!(Matrix::new(&[0, 1], &[0], &[f32::NAN], 1, 0.0).is_err());
        assert!(Matrix::new(&[0, 1], &[0], &[1.0], 1, f32::INFINITY).is_err());
        assert!(Matrix::new(&[0, 1], &[1], &[1.0], 1, 0.0).is_err());
        assert!(Matrix::new(&[0, 1], &[0], &[], 1, 0.0).is_err());
        assert!(Matrix::new(&[0, 2], &[0, 0], &[1.0, 1.0], 1, 0.0).is_err());
        assert!(Matrix::new(&[], &[], &[], 0, 0.0).is_err());
        assert_eq!(Matrix::new(&[0], &[], &[], 0, 1.0).unwrap().rows(), 0);
    }
}
