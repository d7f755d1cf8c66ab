//! What terms weigh once a document has left: the scores of leave-one-out, without one weighing for each document.
//!
//! A term j that label r has shown weighs more than one that it has not by the logarithm of
//!
//! ```text
//! (floor + amount[p] gain[r] near[e]) / (1 - amount[p] loss[r] far[e])
//! ```
//!
//! for its posting p and the entry e of a row. What a formula of smoothing makes of counts is of this form; `gain` and
//! `loss` may be other ones for each row, because totals change as its document leaves, and `near` and `far` are other
//! ones for each entry. The factors of a label are multiplied, and a logarithm is taken only before they would overflow:
//! a logarithm for each posting would take most of the time.

use std::ops::Range;

use crate::Invalid;
use crate::parts;
use crate::scores::check_postings;

/// Entries for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 14;
/// Products stay between this and its inverse; one factor more, to the power of at most `MOST_TIMES`, overflows none.
const LARGE: f64 = 1e100;
const MOST_TIMES: i64 = 4;

/// A formula's numbers. `gain` and `loss` have one number a label, or one a row and label; `loss`, `near` and `far` may be
/// empty: no loss, and ones.
#[derive(Debug, Clone, Copy)]
pub struct Formula<'a> {
    /// Where the postings of each term begin, and where the last end.
    pub indptr: &'a [i64],
    /// The label of each posting.
    pub label: &'a [u32],
    /// What each posting amounts to.
    pub amount: &'a [f64],
    /// What each posting's factor begins with; empty for ones.
    pub floor: &'a [f64],
    /// What an amount makes greater.
    pub gain: &'a [f64],
    /// What an amount makes smaller.
    pub loss: &'a [f64],
    /// How many labels there are.
    pub labels: usize,
    /// Whether a label that has not shown a term cannot have it at all: its score is minus infinity.
    pub strict: bool,
}

/// Rows of known terms, each entry with what divides its amounts, and the label to leave out of each row.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// Places in the lexicon.
    pub term: &'a [u32],
    /// How often each counts.
    pub count: &'a [i64],
    /// By entry: what gains are multiplied with.
    pub near: &'a [f64],
    /// By entry: what losses are multiplied with.
    pub far: &'a [f64],
    /// The label of each row, whose column stays zero.
    pub own: &'a [u32],
}

/// The sums of the logarithms: one row a row, one column a label.
pub fn beyond(formula: Formula<'_>, left: Left<'_>, threads: usize) -> Result<Vec<f64>, Invalid> {
    check(&formula, &left)?;
    let rows = left.own.len();
    let parts = parts::count(threads, left.term.len() / WORTH_A_THREAD);
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let jobs = bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| move || of_part(formula, left, part));
    Ok(parts::run(jobs.collect()).concat())
}

fn check(formula: &Formula<'_>, left: &Left<'_>) -> Result<(), Invalid> {
    let (rows, terms) = (left.own.len(), formula.indptr.len().saturating_sub(1));
    check_postings(formula.indptr, formula.label, terms, formula.labels)?;
    check_postings(left.indptr, left.term, rows, terms)?;
    let fits = |numbers: &[f64], of: usize| numbers.len() == of;
    let by_row = |numbers: &[f64]| fits(numbers, formula.labels) || fits(numbers, formula.labels * rows);
    let fitting = fits(formula.amount, formula.label.len())
        && (formula.floor.is_empty() || fits(formula.floor, formula.label.len()))
        && by_row(formula.gain)
        && (formula.loss.is_empty() || by_row(formula.loss))
        && left.count.len() == left.term.len()
        && (left.near.is_empty() || fits(left.near, left.term.len()))
        && (left.far.is_empty() || fits(left.far, left.term.len()));
    if fitting { Ok(()) } else { Err(Invalid("the buffers of leave-one-out differ in length")) }
}

fn of_part(formula: Formula<'_>, left: Left<'_>, rows: Range<usize>) -> Vec<f64> {
    let labels = formula.labels;
    let mut all = vec![0.0; rows.len() * labels];
    let (mut products, mut shown) = (vec![1.0; labels], vec![0; labels]);
    for (row, sums) in rows.zip(all.chunks_exact_mut(labels.max(1))) {
        let entries = left.indptr[row] as usize..left.indptr[row + 1] as usize;
        let distinct = entries.len();
        add_row(&formula, &left, row, entries, sums, &mut products, &mut shown);
        for (label, (sum, product)) in sums.iter_mut().zip(&mut products).enumerate() {
            if formula.strict && shown[label] < distinct && label != left.own[row] as usize {
                *sum = f64::NEG_INFINITY;
            } else if *product != 1.0 {
                *sum += product.ln();
            }
            (*product, shown[label]) = (1.0, 0);
        }
    }
    all
}

/// Multiplies the factors of one row's entries; what becomes too large or too small goes into `sums`.
#[inline]
fn add_row(
    formula: &Formula<'_>,
    left: &Left<'_>,
    row: usize,
    entries: Range<usize>,
    sums: &mut [f64],
    products: &mut [f64],
    shown: &mut [usize],
) {
    let of_row = |numbers: &[f64]| if numbers.len() > formula.labels { row * formula.labels } else { 0 };
    let (gain, loss) = (&formula.gain[of_row(formula.gain)..], &formula.loss[of_row(formula.loss)..]);
    let own = left.own[row];
    let default_floor = if formula.strict { 0.0 } else { 1.0 };
    for entry in entries {
        let (near, far) = (at(left.near, entry, 1.0), at(left.far, entry, 1.0));
        let times = left.count[entry];
        let term = left.term[entry] as usize;
        for posting in formula.indptr[term] as usize..formula.indptr[term + 1] as usize {
            let (label, amount) = (formula.label[posting] as usize, formula.amount[posting]);
            if label as u32 == own {
                continue;
            }
            let mut factor = at(formula.floor, posting, default_floor) + amount * gain[label] * near;
            if !loss.is_empty() {
                factor /= 1.0 - amount * loss[label] * far;
            }
            shown[label] += 1;
            if times > MOST_TIMES {
                sums[label] += times as f64 * factor.ln();
                continue;
            }
            let product = products[label] * (0..times).fold(1.0, |power, _| power * factor);
            if product > 1.0 / LARGE && product < LARGE {
                products[label] = product;
            } else {
                sums[label] += product.ln();
                products[label] = 1.0;
            }
        }
    }
}

#[inline]
fn at(numbers: &[f64], place: usize, otherwise: f64) -> f64 {
    numbers.get(place).copied().unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMULA: Formula<'_> = Formula {
        indptr: &[0, 2, 3],
        label: &[0, 2, 1],
        amount: &[3.0, 1e90, 2.0],
        floor: &[],
        gain: &[1.0, 0.5, 2.0],
        loss: &[],
        labels: 3,
        strict: false,
    };

    fn left<'a>(count: &'a [i64], own: &'a [u32]) -> Left<'a> {
        Left { indptr: &[0, 2], term: &[0, 1], count, near: &[], far: &[], own }
    }

    #[test]
    fn logarithms_of_factors_are_added_but_for_the_own_label() {
        let found = beyond(FORMULA, left(&[2, 7], &[0]), 1).unwrap();
        let expected = [0.0, 7.0 * 2f64.ln(), 2.0 * (1.0 + 2e90f64).ln()];
        for (sum, expected) in found.iter().zip(expected) {
            assert!((sum - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found:?}");
        }
    }

    #[test]
    fn a_label_that_has_not_shown_a_term_cannot_have_it_where_that_is_so() {
        let strict = Formula { strict: true, ..FORMULA };
        assert_eq!(beyond(strict, left(&[1, 1], &[0]), 1).unwrap(), [0.0, f64::NEG_INFINITY, f64::NEG_INFINITY]);
        let first = Left { indptr: &[0, 1], term: &[0], count: &[1], near: &[], far: &[], own: &[1] };
        assert_eq!(beyond(strict, first, 1).unwrap()[0], 3f64.ln());
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(beyond(Formula { gain: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(Formula { amount: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(FORMULA, left(&[1], &[0]), 1).is_err());
        assert!(beyond(FORMULA, Left { term: &[0, 2], ..left(&[1, 1], &[0]) }, 1).is_err());
    }
}
