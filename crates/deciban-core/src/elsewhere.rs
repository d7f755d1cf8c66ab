//! What changes in sums over all terms when a document leaves, for models that weigh what terms amount to elsewhere.
//!
//! Term j has, for label r, the mass
//!
//! ```text
//! factor[j] elsewhere[j, r] + floor
//! ```
//!
//! and when the document of a row leaves, the mass of the term of its entry e becomes
//!
//! ```text
//! left[e] (elsewhere[j, r] - amount[e]) + floor
//! ```
//!
//! or, for the label that it leaves, the same without the amount; or nothing, where no other document has the term. As in
//! `left_out`, masses are multiplied, and logarithms taken of few products.

use std::ops::Range;

use crate::Invalid;
use crate::parts;
use crate::scores::check_postings;
use crate::wide;

/// Numbers for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 16;
/// Products stay between this and its inverse; times a tame number, `MOST_TIMES` times, they still are numbers.
const LARGE: f64 = 1e100;
const TAME: f64 = 1e25;
/// A logarithm is worth this many products.
const MOST_TIMES: i64 = 4;
/// What is said of each row and label.
const NUMBERS: usize = 3;

/// The masses of all terms for all labels.
#[derive(Debug, Clone, Copy)]
pub struct Masses<'a> {
    /// What each term (row) amounts to under all labels but one (column).
    pub elsewhere: &'a [f64],
    /// What multiplies it, by term.
    pub factor: &'a [f64],
    /// What is added to it.
    pub floor: f64,
    /// How many labels there are.
    pub labels: usize,
}

/// Rows of known terms, whose documents leave.
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// Places in the lexicon.
    pub term: &'a [u32],
    /// How often each counts; 0 where no other document has the term.
    pub count: &'a [i64],
    /// By entry: what leaves.
    pub amount: &'a [f64],
    /// By entry: what multiplies what is left.
    pub left: &'a [f64],
    /// The label of each row.
    pub own: &'a [u32],
}

/// A sum of logarithms for each label, most of them in a product.
#[derive(Debug)]
struct LogSums {
    sums: Vec<f64>,
    products: Vec<f64>,
}

impl LogSums {
    fn new(labels: usize) -> Self {
        LogSums { sums: vec![0.0; labels], products: vec![1.0; labels] }
    }

    /// Adds so many times the logarithm of each label's number. Loops are without branches, for many labels at once.
    #[inline(always)]
    fn add(&mut self, times: i64, numbers: &[f64]) {
        if times > MOST_TIMES || !all_within(numbers, TAME) {
            self.sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += times as f64 * number.ln());
            return;
        }
        for _ in 0..times {
            self.products.iter_mut().zip(numbers).for_each(|(product, number)| *product *= number);
        }
        if !all_within(&self.products, LARGE) {
            self.settle();
        }
    }

    fn settle(&mut self) {
        self.sums.iter_mut().zip(&self.products).for_each(|(sum, product)| *sum += product.ln());
        self.products.fill(1.0);
    }

    /// Appends the sums, and begins anew.
    fn move_to(&mut self, all: &mut Vec<f64>) {
        self.settle();
        all.extend_from_slice(&self.sums);
        self.sums.fill(0.0);
    }
}

/// Whether all numbers are between a large one and its inverse.
#[inline(always)]
fn all_within(numbers: &[f64], large: f64) -> bool {
    numbers.iter().fold(true, |all, &number| all & (number > 1.0 / large) & (number < large))
}

/// What changes for each label as one row's document leaves; and of one term the masses after it, by those before.
#[derive(Debug)]
struct Changes {
    mass: Vec<f64>,
    logs: LogSums,
    counted: LogSums,
    after: Vec<f64>,
    ratio: Vec<f64>,
}

/// For each row: by label, by how much the sum of all masses grows and that of their logarithms; and the sum of the
/// logarithms of the row's own terms that are left, as often as they count.
pub fn changes(masses: Masses<'_>, leaving: Leaving<'_>, threads: usize) -> Result<Vec<f64>, Invalid> {
    check(&masses, &leaving)?;
    let rows = leaving.own.len();
    let parts = parts::count(threads, leaving.term.len() * masses.labels / WORTH_A_THREAD);
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let jobs =
        bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| move || wide::run(|| of_part(masses, leaving, part)));
    Ok(parts::run(jobs.collect()).concat())
}

fn check(masses: &Masses<'_>, leaving: &Leaving<'_>) -> Result<(), Invalid> {
    let terms = masses.factor.len();
    check_postings(leaving.indptr, leaving.term, leaving.own.len(), terms)?;
    let entries = [leaving.count.len(), leaving.amount.len(), leaving.left.len()];
    if leaving.own.iter().any(|&own| own as usize >= masses.labels) {
        return Err(Invalid("the labels of leave-one-out are not those of the masses"));
    }
    if Some(masses.elsewhere.len()) != terms.checked_mul(masses.labels) || entries != [leaving.term.len(); 3] {
        return Err(Invalid("the buffers of leave-one-out differ in length"));
    }
    Ok(())
}

#[inline(always)]
fn of_part(masses: Masses<'_>, leaving: Leaving<'_>, rows: Range<usize>) -> Vec<f64> {
    let labels = masses.labels;
    let mut all = Vec::with_capacity(rows.len() * NUMBERS * labels);
    let (logs, counted) = (LogSums::new(labels), LogSums::new(labels));
    let [mass, after, ratio] = [(); 3].map(|()| vec![0.0; labels]);
    let mut changes = Changes { mass, logs, counted, after, ratio };
    for row in rows {
        for entry in leaving.indptr[row] as usize..leaving.indptr[row + 1] as usize {
            add_entry(&masses, &leaving, entry, leaving.own[row] as usize, &mut changes);
        }
        all.extend_from_slice(&changes.mass);
        changes.mass.fill(0.0);
        changes.logs.move_to(&mut all);
        changes.counted.move_to(&mut all);
    }
    all
}

#[inline(always)]
fn add_entry(masses: &Masses<'_>, leaving: &Leaving<'_>, entry: usize, own: usize, changes: &mut Changes) {
    let (term, floor) = (leaving.term[entry] as usize, masses.floor);
    let (count, amount) = (leaving.count[entry], leaving.amount[entry]);
    let (factor, left) = (masses.factor[term], leaving.left[entry]);
    let elsewhere = &masses.elsewhere[term * masses.labels..][..masses.labels];
    for (after, elsewhere) in changes.after.iter_mut().zip(elsewhere) {
        *after = left * (elsewhere - amount) + floor;
    }
    changes.after[own] = left * elsewhere[own] + floor;
    let is_gone = count == 0;
    let sums = changes.mass.iter_mut().zip(&mut changes.ratio);
    for ((mass, ratio), (after, elsewhere)) in sums.zip(changes.after.iter().zip(elsewhere)) {
        let before = factor * elsewhere + floor;
        *mass += if is_gone { 0.0 } else { *after } - before;
        *ratio = if is_gone { 1.0 } else { *after } / before;
    }
    changes.logs.add(1, &changes.ratio);
    changes.counted.add(count, &changes.after);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASSES: Masses<'_> =
        Masses { elsewhere: &[4.0, 1.0, 0.0, 2.0, 3.0, 1.0], factor: &[1.0, 0.5, 2.0], floor: 0.5, labels: 2 };
    const LEAVING: Leaving<'_> =
        Leaving { indptr: &[0, 2], term: &[0, 2], count: &[7, 0], amount: &[1.0, 1.0], left: &[2.0, 9.0], own: &[1] };

    #[test]
    fn masses_change_for_the_terms_of_the_row() {
        let found = changes(MASSES, LEAVING, 1).unwrap();
        let (before, after): ([f64; 2], [f64; 2]) = ([4.5, 1.5], [6.5, 2.5]); // of the first term; the last is gone
        let gone: [f64; 2] = [6.5, 2.5];
        for label in 0..2 {
            let mass = after[label] - before[label] - gone[label];
            let logs = after[label].ln() - before[label].ln() - gone[label].ln();
            for (sum, expected) in found[label..].iter().step_by(2).zip([mass, logs, 7.0 * after[label].ln()]) {
                assert!((sum - expected).abs() < 1e-12, "{found:?}");
            }
        }
    }

    #[test]
    fn no_product_is_too_small() {
        let tiny = Masses { floor: 1e-300, elsewhere: &[0.0; 6], ..MASSES };
        let found = changes(tiny, Leaving { amount: &[0.0; 2], count: &[3, 2], ..LEAVING }, 1).unwrap();
        assert!((found[4] - 5.0 * 1e-300_f64.ln()).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(changes(Masses { factor: &[1.0], ..MASSES }, LEAVING, 1).is_err());
        assert!(changes(Masses { labels: 3, ..MASSES }, LEAVING, 1).is_err());
        assert!(changes(MASSES, Leaving { left: &[1.0], ..LEAVING }, 1).is_err());
        assert!(changes(MASSES, Leaving { own: &[2], ..LEAVING }, 1).is_err());
        assert!(changes(MASSES, Leaving { term: &[0, 3], ..LEAVING }, 1).is_err());
    }
}
