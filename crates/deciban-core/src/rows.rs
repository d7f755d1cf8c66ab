//! One sparse row per text: which terms of a lexicon stand in it, and how often.

use crate::Invalid;
use crate::lexicon::Lexicon;
use crate::parts;
use crate::read::Scratch;
use crate::scores::check_postings;

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
        if self.indptr.len() == 1 {
            *self = more; // which are many as a rule: they are not copied
            return;
        }
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
    sort(found);
    for run in found.chunk_by(|a, b| a == b) {
        emit(run[0], run.len() as i64);
    }
}

/// Sorts numbers: as many as most texts have words digit by digit, which is faster than comparing them.
fn sort(numbers: &mut [u32]) {
    const BITS: usize = 9;
    const MOST: usize = 1024;
    if !(64..=MOST).contains(&numbers.len()) {
        return numbers.sort_unstable();
    }
    let greatest = numbers.iter().copied().max().unwrap_or(0);
    let mut space = [0; MOST];
    let (mut from, mut to) = (numbers, &mut space[..]);
    let mut is_elsewhere = false;
    for shift in (0..u32::BITS).step_by(BITS).take_while(|&shift| greatest >> shift > 0) {
        let digit = |number: u32| (number >> shift) as usize % (1 << BITS);
        let mut places = [0_u16; 1 << BITS];
        from.iter().for_each(|&number| places[digit(number)] += 1);
        let mut sum = 0;
        places.iter_mut().for_each(|place| (*place, sum) = (sum, sum + *place));
        for &number in from.iter() {
            let place = &mut places[digit(number)];
            to[*place as usize] = number;
            *place += 1;
        }
        let length = from.len();
        (from, to) = (&mut to[..length], from);
        is_elsewhere = !is_elsewhere;
    }
    if is_elsewhere {
        to.copy_from_slice(from);
    }
}

/// By row: how many words it has, how many of them are of terms that no other row has, and how many such terms.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Lengths {
    /// All words.
    pub words: Vec<i64>,
    /// Words that leave the lexicon with the row.
    pub gone_words: Vec<i64>,
    /// Terms that leave it.
    pub gone: Vec<i64>,
}

/// What leaves with each row, by which terms are of one row only.
pub fn lengths(indptr: &[i64], term: &[u32], count: &[i64], is_gone: &[bool]) -> Result<Lengths, Invalid> {
    check_postings(indptr, term, indptr.len().saturating_sub(1), is_gone.len())?;
    if count.len() != term.len() {
        return Err(Invalid("the rows' buffers differ in length"));
    }
    let mut lengths = Lengths::default();
    for pair in indptr.windows(2) {
        let row = pair[0] as usize..pair[1] as usize;
        let (mut words, mut gone_words, mut gone) = (0_i64, 0_i64, 0);
        for (&term, &count) in term[row.clone()].iter().zip(&count[row]) {
            let is_gone = i64::from(is_gone[term as usize]);
            words = words.wrapping_add(count);
            gone_words = gone_words.wrapping_add(count.wrapping_mul(is_gone));
            gone += is_gone;
        }
        lengths.words.push(words);
        lengths.gone_words.push(gone_words);
        lengths.gone.push(gone);
    }
    Ok(lengths)
}

/// The same rows with their terms increasing, where they stood in another order.
pub fn sorted(mut rows: Rows) -> Result<Rows, Invalid> {
    let ends = (rows.indptr.first().copied(), rows.indptr.last().copied());
    let length = rows.term.len();
    if ends != (Some(0), i64::try_from(length).ok()) || !rows.indptr.is_sorted() || rows.count.len() != length {
        return Err(Invalid("the rows' buffers differ in length"));
    }
    let mut entries = Vec::new();
    for pair in rows.indptr.windows(2) {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        let (term, count) = (&mut rows.term[start..end], &mut rows.count[start..end]);
        entries.clear();
        entries.extend(term.iter().copied().zip(count.iter().copied()));
        entries.sort_unstable_by_key(|&(term, _)| term);
        term.iter_mut().zip(count).zip(&entries).for_each(|((term, count), &entry)| (*term, *count) = entry);
    }
    Ok(rows)
}

/// What each number is of the length of its row, which is the root of the sum of their squares, in units of 1/`one`.
pub fn parts_of_length(indptr: &[i64], numbers: &[f64], one: f64) -> Result<Vec<i64>, Invalid> {
    let ends = (indptr.first().copied(), indptr.last().copied());
    if ends != (Some(0), i64::try_from(numbers.len()).ok()) || !indptr.is_sorted() {
        return Err(Invalid("the rows' buffers differ in length"));
    }
    let mut parts = Vec::with_capacity(numbers.len());
    for pair in indptr.windows(2) {
        let row = &numbers[pair[0] as usize..pair[1] as usize];
        let length = row.iter().fold(0.0, |sum, number| sum + number * number).sqrt();
        parts.extend(row.iter().map(|number| (number / length * one).round_ties_even() as i64));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_sorted(mut numbers in prop::collection::vec(any::<u32>(), 0..1100), shift in 0..32_u32) {
            numbers.iter_mut().for_each(|number| *number >>= shift);
            let mut expected = numbers.clone();
            expected.sort_unstable();
            sort(&mut numbers);
            prop_assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn what_leaves_with_a_row_is_counted() {
        let found = lengths(&[0, 2, 2, 3], &[0, 2, 1], &[3, 4, 5], &[true, false, false]).unwrap();
        assert_eq!((found.words, found.gone_words, found.gone), (vec![7, 0, 5], vec![3, 0, 0], vec![1, 0, 0]));
        assert!(lengths(&[0, 1], &[1], &[1], &[true]).is_err());
        assert!(lengths(&[0, 1], &[0], &[], &[true]).is_err());
    }

    #[test]
    fn terms_of_rows_are_sorted_with_their_counts() {
        let rows =
            |term: &[u32], count: &[i64]| Rows { indptr: vec![0, 3, 3, 5], term: term.to_vec(), count: count.to_vec() };
        let found = sorted(rows(&[4, 0, 2, 1, 0], &[1, 2, 3, 4, 5])).unwrap();
        assert_eq!(found, rows(&[0, 2, 4, 0, 1], &[2, 3, 1, 5, 4]));
        assert!(sorted(rows(&[0, 1, 2, 3], &[1; 4])).is_err());
        assert!(sorted(rows(&[0, 1, 2, 3, 4], &[1; 4])).is_err());
    }

    #[test]
    fn parts_are_of_the_length_of_their_row() {
        let found = parts_of_length(&[0, 2, 2, 3], &[3.0, 4.0, 7.0], 1000.0).unwrap();
        assert_eq!(found, [600, 800, 1000]);
        assert!(parts_of_length(&[0, 2], &[3.0, 4.0, 7.0], 1.0).is_err());
        assert!(parts_of_length(&[0, 2, 1, 3], &[3.0, 4.0, 7.0], 1.0).is_err());
    }
}
