//! Rows that were counted on several threads -> one compressed sparse matrix.

use std::hint::black_box;

use crate::{parts, wide};

/// Of a row of no more entries it is counted how many come before each: many are counted side by side, and no step depends on
/// the one before, so it takes less time than to sort it.
const FEW: usize = 256;
const LANES: usize = 16;

/// Some rows, no number twice in any, and how often each was counted; row i ends before `ends[i]`.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) numbers: Vec<u32>,
    pub(crate) counts: Vec<i32>,
    pub(crate) ends: Vec<usize>,
}

impl Chunk {
    /// Makes room for so many more entries.
    pub(crate) fn reserve(&mut self, entries: usize) {
        self.numbers.reserve(entries);
        self.counts.reserve(entries);
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, number: u32, count: i32) {
        self.numbers.push(number);
        self.counts.push(count);
    }

    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.numbers.len());
    }

    /// Without the entries for whose numbers `is_kept` says no.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        let (mut start, mut length) = (0, 0);
        for end in &mut self.ends {
            for at in start..*end {
                if is_kept(self.numbers[at]) {
                    (self.numbers[length], self.counts[length]) = (self.numbers[at], self.counts[at]);
                    length += 1;
                }
            }
            start = std::mem::replace(end, length);
        }
        self.numbers.truncate(length);
        self.counts.truncate(length);
    }
}

/// What a matrix holds: integers or floats.
pub trait Count: Copy + Default + Send {
    /// The same number.
    fn of(count: i32) -> Self;
}

impl Count for i32 {
    #[inline(always)]
    fn of(count: i32) -> Self {
        count
    }
}

impl Count for i64 {
    #[inline(always)]
    fn of(count: i32) -> Self {
        count.into()
    }
}

impl Count for f64 {
    #[inline(always)]
    fn of(count: i32) -> Self {
        count.into()
    }
}

/// Compressed sparse rows: row i has the columns and counts of `indptr[i]..indptr[i + 1]`, columns increasing, unless said
/// otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<C> {
    /// Where each row begins, and where the last ends.
    pub indptr: Vec<i64>,
    /// Columns.
    pub indices: Vec<i32>,
    /// Counts.
    pub data: Vec<C>,
}

/// A chunk, and where in the matrix it goes.
struct Job<'a, C> {
    chunk: Chunk,
    indices: &'a mut [i32],
    data: &'a mut [C],
}

impl<C: Count> Matrix<C> {
    /// The rows of all chunks, each of which has a part's numbers; `column` says which columns they are. Of rows that are
    /// not sorted, columns stand as they were counted first.
    pub(crate) fn of(chunks: Vec<(usize, Chunk)>, is_sorted: bool, column: impl Fn(usize, u32) -> u32 + Sync) -> Self {
        let mut indptr = vec![0];
        let (mut before, parts) = (0, chunks.iter().map(|(part, _)| part + 1).max().unwrap_or(0));
        for (_, chunk) in &chunks {
            indptr.extend(chunk.ends.iter().map(|&end| (before + end) as i64));
            before += chunk.numbers.len();
        }
        // The columns of a single chunk are written where its numbers stand.
        let is_single = chunks.len() == 1;
        let (mut indices, mut data) = (vec![0; if is_single { 0 } else { before }], vec![C::default(); before]);
        let (mut rest, mut jobs) = ((&mut indices[..], &mut data[..]), Vec::with_capacity(parts));
        jobs.resize_with(parts, Vec::new);
        for (part, chunk) in chunks {
            let first = rest.0.split_at_mut(if is_single { 0 } else { chunk.numbers.len() });
            let second = rest.1.split_at_mut(chunk.numbers.len());
            jobs[part].push(Job { chunk, indices: first.0, data: second.0 });
            rest = (first.1, second.1);
        }
        let column = &column;
        let run = |part, jobs: Vec<Job<C>>| {
            let columns = jobs.into_iter().map(|job| job.run(is_sorted, |number| column(part, number)));
            columns.last().unwrap_or_default()
        };
        let mut columns =
            parts::run(jobs.into_iter().enumerate().map(|(part, jobs)| move || run(part, jobs)).collect());
        if is_single {
            indices = columns.pop().unwrap_or_default().into_iter().map(|column| column as i32).collect();
        }
        Matrix { indptr, indices, data }
    }
}

impl<C: Count> Job<'_, C> {
    /// Writes the counts, and the columns if there is room for them; returns the columns.
    fn run(self, is_sorted: bool, column: impl Fn(u32) -> u32) -> Vec<u32> {
        wide::run(
            #[inline(always)]
            || self.rows(is_sorted, column),
        )
    }

    #[inline(always)]
    fn rows(self, is_sorted: bool, column: impl Fn(u32) -> u32) -> Vec<u32> {
        let (mut chunk, mut start, mut ranks, mut pairs) = (self.chunk, 0, Ranks::new(), Vec::new());
        for &end in &chunk.ends {
            let (numbers, counts) = (&mut chunk.numbers[start..end], &chunk.counts[start..end]);
            let data = &mut self.data[start..end];
            numbers.iter_mut().for_each(|number| *number = column(*number));
            if !is_sorted {
                data.iter_mut().zip(counts).for_each(|(to, &count)| *to = C::of(count));
            } else if numbers.len() <= FEW {
                ranks.put(numbers, counts, data);
            } else {
                pairs.clear();
                pairs.extend(numbers.iter().copied().zip(counts.iter().copied()));
                pairs.sort_unstable();
                for ((number, to), &(column, count)) in numbers.iter_mut().zip(data).zip(&pairs) {
                    (*number, *to) = (column, C::of(count));
                }
            }
            start = end;
        }
        self.indices.iter_mut().zip(&chunk.numbers).for_each(|(to, &column)| *to = column as i32);
        chunk.numbers
    }
}

/// Columns of a row, none twice, and how many of them come before each.
struct Ranks {
    columns: [[i32; LANES]; FEW / LANES],
    before: [[i32; LANES]; FEW / LANES],
}

impl Ranks {
    fn new() -> Self {
        Ranks { columns: [[0; LANES]; FEW / LANES], before: [[0; LANES]; FEW / LANES] }
    }

    /// Puts the columns of a row in order, and writes their counts in that order.
    #[inline(always)]
    fn put<C: Count>(&mut self, row: &mut [u32], counts: &[i32], data: &mut [C]) {
        self.columns.as_flattened_mut().iter_mut().zip(row.iter()).for_each(|(to, &column)| *to = column as i32);
        for (columns, before) in self.columns[..row.len().div_ceil(LANES)].iter().zip(&mut self.before) {
            let mut sums = [0; LANES];
            for &other in row.iter() {
                // Nothing is known of it, or compilers count side by side for many others, and not for many columns.
                let other = black_box(other as i32);
                for (sum, &column) in sums.iter_mut().zip(columns) {
                    *sum += i32::from(other < column);
                }
            }
            *before = sums;
        }
        let (columns, before) = (self.columns.as_flattened(), self.before.as_flattened());
        for ((&column, &at), &count) in columns.iter().zip(before).zip(counts) {
            (row[at as usize], data[at as usize]) = (column as u32, C::of(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_length_are_sorted() {
        for length in [0, 1, 15, 16, 17, 255, 256, 257, 1000] {
            let places: Vec<u32> = (0..length).map(|i| i * 7919 % 10_007).collect();
            let counts = places.iter().map(|&place| place as i32 + 1).collect();
            let chunk = Chunk { ends: vec![0, places.len()], numbers: places.clone(), counts };
            let matrix = Matrix::<i64>::of(vec![(0, chunk)], true, |_, number| 10_006 - number);
            let mut expected: Vec<i32> = places.iter().map(|&place| 10_006 - place as i32).collect();
            expected.sort_unstable();
            assert_eq!(matrix.indices, expected);
            assert!(matrix.indices.iter().zip(&matrix.data).all(|(index, count)| 10_007 - i64::from(*index) == *count));
        }
    }
}
