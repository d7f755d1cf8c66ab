//! Rows that were counted on several threads -> one compressed sparse matrix.

use crate::parts;

/// A number and how often it was counted, in one word: entries sort by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry(u64);

impl Entry {
    #[inline(always)]
    pub(crate) fn new(number: u32, count: i32) -> Self {
        Entry(u64::from(number) << 32 | u64::from(count as u32))
    }

    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    pub(crate) fn count(self) -> i32 {
        self.0 as u32 as i32
    }

    #[inline(always)]
    pub(crate) fn add_one(&mut self) {
        *self = Entry::new(self.number(), self.count().wrapping_add(1));
    }

    #[inline(always)]
    fn moved(self, to: u32) -> Self {
        Entry(u64::from(to) << 32 | self.0 & 0xFFFF_FFFF)
    }
}

/// Some rows, no number twice in any; row i ends before `ends[i]`.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) entries: Vec<Entry>,
    pub(crate) ends: Vec<usize>,
}

impl Chunk {
    /// Without the entries for whose numbers `is_kept` says no.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        let (mut start, mut length) = (0, 0);
        for end in &mut self.ends {
            for at in start..*end {
                if is_kept(self.entries[at].number()) {
                    self.entries[length] = self.entries[at];
                    length += 1;
                }
            }
            start = std::mem::replace(end, length);
        }
        self.entries.truncate(length);
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
    is_sorted: bool,
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
            before += chunk.entries.len();
        }
        let (mut indices, mut data) = (vec![0; before], vec![C::default(); before]);
        let (mut rest, mut jobs) = ((&mut indices[..], &mut data[..]), Vec::with_capacity(parts));
        jobs.resize_with(parts, Vec::new);
        for (part, chunk) in chunks {
            let first = rest.0.split_at_mut(chunk.entries.len());
            let second = rest.1.split_at_mut(chunk.entries.len());
            jobs[part].push(Job { chunk, is_sorted, indices: first.0, data: second.0 });
            rest = (first.1, second.1);
        }
        let column = &column;
        let run = |part, jobs: Vec<Job<C>>| jobs.into_iter().for_each(|job| job.run(|number| column(part, number)));
        parts::run(jobs.into_iter().enumerate().map(|(part, jobs)| move || run(part, jobs)).collect());
        Matrix { indptr, indices, data }
    }
}

impl<C: Count> Job<'_, C> {
    fn run(mut self, column: impl Fn(u32) -> u32) {
        let mut start = 0;
        for &end in &self.chunk.ends {
            let row = &mut self.chunk.entries[start..end];
            row.iter_mut().for_each(|entry| *entry = entry.moved(column(entry.number())));
            if self.is_sorted {
                row.sort_unstable();
            }
            let to = self.indices[start..end].iter_mut().zip(&mut self.data[start..end]);
            for ((index, count), entry) in to.zip(row) {
                (*index, *count) = (entry.number() as i32, C::of(entry.count()));
            }
            start = end;
        }
    }
}
