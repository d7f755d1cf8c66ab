//! What terms weigh once a document has left: the scores of leave-one-out, without one weighing for each document.
//!
//! A term j that label r has shown weighs more than one that it has not by the logarithm of
//!
//! ```text
//! (floor + a gain[r] near[e]) ((whole + rest[r]) / (whole - a + rest[r]))^power
//! ```
//!
//! times `worth[e]`, for the amount a of its posting and the entry e of a row; `whole` is by label or by entry. What a
//! formula of smoothing makes of counts is of this form; `gain`, `whole` and `rest` may be other ones for each row, because
//! totals change as its document leaves. Amounts and wholes are whole numbers as a rule, so that nothing is lost where
//! one is subtracted from the other. Where it can be done, the factors of a label are multiplied, and a logarithm is taken
//! only before they would overflow: a logarithm for each posting would take most of the time.

use std::ops::Range;

use crate::Invalid;
use crate::parts;
use crate::scores::check_postings;

/// Entries for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 14;
/// Products stay between this and its inverse; one factor more, to the power of at most `MOST_TIMES`, overflows none.
const LARGE: f64 = 1e100;
const MOST_TIMES: i64 = 4;
/// What a term tells that is no more than this is what rounding has left of nothing.
const NOTHING: f64 = 1e-9;
/// Up to this many labels, and this many numbers, amounts are laid out for all labels.
const DENSE_LABELS: usize = 64;
const DENSE_NUMBERS: usize = 1 << 25;

/// A formula's numbers. `gain`, `whole` and `rest` have one number a label, or one a row and label; `floor`, `whole` and
/// `rest` may be empty.
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
    /// Of what an amount is a part; empty where entries say it.
    pub whole: &'a [f64],
    /// What stays of the whole without the amount; empty where a term weighs nothing for being a part.
    pub rest: &'a [f64],
    /// How much that weighs.
    pub power: f64,
    /// How many labels there are.
    pub labels: usize,
    /// Whether a label that has not shown a term cannot have it at all: its score is minus infinity.
    pub strict: bool,
}

/// Rows of known terms, and the label to leave out of each row. `near`, `whole` and `worth` may be empty: ones, what the
/// formula says, ones.
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
    /// By entry: of what amounts are a part.
    pub whole: &'a [f64],
    /// By entry: what its weights are multiplied with.
    pub worth: &'a [f64],
    /// The label of each row, whose column stays zero.
    pub own: &'a [u32],
}

/// The sums of the logarithms: one row a row, one column a label.
pub fn beyond(formula: Formula<'_>, left: Left<'_>, threads: usize) -> Result<Vec<f64>, Invalid> {
    check(&formula, &left)?;
    let dense = dense(&formula, &left);
    Ok(in_parts(&left, threads, |rows| of_part(formula, left, dense.as_deref(), rows)))
}

/// What `of` makes of all rows, in order, on some threads.
fn in_parts(left: &Left<'_>, threads: usize, of: impl Fn(Range<usize>) -> Vec<f64> + Sync) -> Vec<f64> {
    let (rows, of) = (left.own.len(), &of);
    let parts = parts::count(threads, left.term.len() / WORTH_A_THREAD);
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let jobs = bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| move || of(part));
    parts::run(jobs.collect()).concat()
}

/// The amounts of every term and label, zeros too, where there are few labels and factors can be multiplied: then all
/// labels of an entry are multiplied side by side.
fn dense(formula: &Formula<'_>, left: &Left<'_>) -> Option<Vec<f64>> {
    let terms = formula.indptr.len() - 1;
    let fits = formula.labels <= DENSE_LABELS && terms.saturating_mul(formula.labels) <= DENSE_NUMBERS;
    let is_product = left.worth.is_empty() && formula.power == 1.0 && formula.floor.is_empty();
    if !fits || !is_product || left.term.len() < terms / 8 {
        return None;
    }
    let mut dense = vec![0.0; terms * formula.labels];
    for (row, postings) in dense.chunks_exact_mut(formula.labels.max(1)).zip(formula.indptr.windows(2)) {
        for posting in postings[0] as usize..postings[1] as usize {
            row[formula.label[posting] as usize] = formula.amount[posting];
        }
    }
    Some(dense)
}

fn check(formula: &Formula<'_>, left: &Left<'_>) -> Result<(), Invalid> {
    let (rows, terms) = (left.own.len(), formula.indptr.len().saturating_sub(1));
    check_postings(formula.indptr, formula.label, terms, formula.labels)?;
    check_postings(left.indptr, left.term, rows, terms)?;
    let fits = |numbers: &[f64], of: usize| numbers.len() == of;
    let by_label = |numbers: &[f64]| fits(numbers, formula.labels) || fits(numbers, formula.labels * rows);
    let by_entry = |numbers: &[f64]| numbers.is_empty() || fits(numbers, left.term.len());
    let has_whole = by_label(formula.whole) || (formula.whole.is_empty() && fits(left.whole, left.term.len()));
    let fitting = fits(formula.amount, formula.label.len())
        && (formula.floor.is_empty() || fits(formula.floor, formula.label.len()))
        && by_label(formula.gain)
        && (formula.rest.is_empty() || (by_label(formula.rest) && has_whole))
        && left.count.len() == left.term.len()
        && left.own.iter().all(|&label| (label as usize) < formula.labels)
        && [left.near, left.whole, left.worth].into_iter().all(by_entry);
    if fitting { Ok(()) } else { Err(Invalid("the buffers of leave-one-out differ in length")) }
}

fn of_part(formula: Formula<'_>, left: Left<'_>, dense: Option<&[f64]>, rows: Range<usize>) -> Vec<f64> {
    let labels = formula.labels;
    let mut all = vec![0.0; rows.len() * labels];
    let (mut products, mut factors, mut shown) = (vec![1.0; labels], vec![1.0; labels], vec![0; labels]);
    for (row, sums) in rows.zip(all.chunks_exact_mut(labels.max(1))) {
        let entries = left.indptr[row] as usize..left.indptr[row + 1] as usize;
        let distinct = entries.len();
        if let Some(dense) = dense {
            multiply_row(&formula, &left, dense, row, entries, sums, &mut products, &mut factors);
            products[left.own[row] as usize] = 1.0;
            sums[left.own[row] as usize] = 0.0;
        } else {
            add_row(&formula, &left, row, entries, sums, &mut products, &mut shown);
        }
        for (label, (sum, product)) in sums.iter_mut().zip(&mut products).enumerate() {
            if dense.is_none() && formula.strict && shown[label] < distinct && label != left.own[row] as usize {
                *sum = f64::NEG_INFINITY;
            } else if *product != 1.0 {
                *sum += product.ln();
            }
            (*product, shown[label]) = (1.0, 0);
        }
    }
    all
}

#[allow(clippy::too_many_arguments)]
/// As [`add_row`], with the amounts of all labels side by side; the own label's are as good as any, and not used.
fn multiply_row(
    formula: &Formula<'_>,
    left: &Left<'_>,
    dense: &[f64],
    row: usize,
    entries: Range<usize>,
    sums: &mut [f64],
    products: &mut [f64],
    factors: &mut [f64],
) {
    let labels = formula.labels;
    let of_row = |numbers: &[f64]| if numbers.len() > labels { row * labels } else { 0 };
    let gain = &formula.gain[of_row(formula.gain)..][..labels];
    let floor = if formula.strict { 0.0 } else { 1.0 };
    for entry in entries {
        let near = at(left.near, entry, 1.0);
        let amounts = &dense[left.term[entry] as usize * labels..][..labels];
        for ((factor, amount), gain) in factors.iter_mut().zip(amounts).zip(gain) {
            *factor = floor + amount * gain * near;
        }
        if !formula.rest.is_empty() {
            let rest = &formula.rest[of_row(formula.rest)..][..labels];
            match left.whole.get(entry) {
                Some(&whole) => {
                    for ((factor, amount), rest) in factors.iter_mut().zip(amounts).zip(rest) {
                        *factor *= (whole + rest) / (whole - amount + rest);
                    }
                }
                None => {
                    let whole = &formula.whole[of_row(formula.whole)..][..labels];
                    for (((factor, amount), rest), whole) in factors.iter_mut().zip(amounts).zip(rest).zip(whole) {
                        *factor *= (whole + rest) / (whole - amount + rest);
                    }
                }
            }
        }
        let times = left.count[entry];
        if times > MOST_TIMES {
            for (sum, factor) in sums.iter_mut().zip(&*factors).filter(|(_, factor)| **factor != 1.0) {
                *sum += times as f64 * factor.ln();
            }
            continue;
        }
        for _ in 0..times {
            products.iter_mut().zip(&*factors).for_each(|(product, factor)| *product *= factor);
        }
        // No early end, and no minimum: both would be done one label after the other.
        if products.iter().fold(false, |any, &p| any | !(1.0 / LARGE..=LARGE).contains(&p)) {
            for (sum, product) in sums.iter_mut().zip(products.iter_mut()) {
                *sum += product.ln();
                *product = 1.0;
            }
        }
    }
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
    let gain = &formula.gain[of_row(formula.gain)..];
    let (whole, rest) = (&formula.whole[of_row(formula.whole)..], &formula.rest[of_row(formula.rest)..]);
    let is_product = left.worth.is_empty() && formula.power == 1.0;
    let own = left.own[row];
    let default_floor = if formula.strict { 0.0 } else { 1.0 };
    for entry in entries {
        let near = at(left.near, entry, 1.0);
        let times = left.count[entry];
        let term = left.term[entry] as usize;
        for posting in formula.indptr[term] as usize..formula.indptr[term + 1] as usize {
            let (label, amount) = (formula.label[posting] as usize, formula.amount[posting]);
            if label as u32 == own {
                continue;
            }
            let greater = at(formula.floor, posting, default_floor) + amount * gain[label] * near;
            let smaller = match rest.get(label) {
                Some(rest) => {
                    let whole = left.whole.get(entry).unwrap_or_else(|| &whole[label]);
                    (whole + rest) / (whole - amount + rest)
                }
                None => 1.0,
            };
            shown[label] += 1;
            if !is_product || times > MOST_TIMES {
                let logarithm = greater.ln() + if rest.is_empty() { 0.0 } else { formula.power * smaller.ln() };
                sums[label] += times as f64 * at(left.worth, entry, 1.0) * logarithm;
                continue;
            }
            let factor = greater * smaller;
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

/// How much each entry's term tells of labels: the mean, over the occurrences that are left of it, of the logarithm of
/// how much more probable the others make the label of one,
///
/// ```text
/// sum_r n_r/n log((max(n_r - 1, 0) + a q[r]) / ((max(n - 1, 0) + a) q[r]))        n = sum_r n_r
/// ```
///
/// or 0 if that is negative, or so small that it is only what rounding has left. `amount` has the n_r of each posting;
/// an entry's own label has lost its count. `share` has the q of each label, or of each row and label.
pub fn worth(
    formula: Formula<'_>,
    left: Left<'_>,
    share: &[f64],
    strength: f64,
    threads: usize,
) -> Result<Vec<f64>, Invalid> {
    check(&formula, &left)?;
    let rows = left.own.len();
    if share.len() != formula.labels && share.len() != formula.labels * rows {
        return Err(Invalid("the buffers of leave-one-out differ in length"));
    }
    Ok(in_parts(&left, threads, |rows| {
        let of_row = |row| &share[if share.len() > formula.labels { row * formula.labels } else { 0 }..];
        let entries = |row: usize| (left.indptr[row] as usize..left.indptr[row + 1] as usize).map(move |e| (row, e));
        rows.flat_map(entries)
            .map(|(row, entry)| worth_of(&formula, &left, row, entry, of_row(row), strength))
            .collect()
    }))
}

fn worth_of(formula: &Formula<'_>, left: &Left<'_>, row: usize, entry: usize, share: &[f64], strength: f64) -> f64 {
    let term = left.term[entry] as usize;
    let (mut sum, mut all) = (0.0, 0.0);
    for posting in formula.indptr[term] as usize..formula.indptr[term + 1] as usize {
        let (label, mut amount) = (formula.label[posting], formula.amount[posting]);
        if label == left.own[row] {
            amount -= left.count[entry] as f64;
        }
        if amount > 0.0 {
            let q = share[label as usize];
            sum += amount * (((amount - 1.0).max(0.0) + strength * q) / q).ln();
            all += amount;
        }
    }
    let worth = if all > 0.0 { sum / all - ((all - 1.0).max(0.0) + strength).ln() } else { 0.0 };
    if worth > NOTHING { worth } else { 0.0 }
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
        whole: &[],
        rest: &[],
        power: 1.0,
        labels: 3,
        strict: false,
    };

    fn left<'a>(count: &'a [i64], own: &'a [u32]) -> Left<'a> {
        Left { indptr: &[0, 2], term: &[0, 1], count, near: &[], whole: &[], worth: &[], own }
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
        let first = Left { indptr: &[0, 1], term: &[0], count: &[1], near: &[], whole: &[], worth: &[], own: &[1] };
        assert_eq!(beyond(strict, first, 1).unwrap()[0], 3f64.ln());
    }

    #[test]
    fn a_part_of_a_whole_weighs_as_much_as_is_said() {
        let formula = Formula { gain: &[0.0; 3], amount: &[3.0, 4.0, 2.0], rest: &[0.5; 3], power: 2.0, ..FORMULA };
        let entries = Left { whole: &[5.0, 9.0], worth: &[10.0, 1.0], ..left(&[1, 1], &[1]) };
        let found = beyond(formula, entries, 1).unwrap();
        let expected = [10.0 * 2.0 * (5.5f64 / 2.5).ln(), 0.0, 10.0 * 2.0 * (5.5f64 / 1.5).ln()];
        assert!(found.iter().zip(expected).all(|(sum, expected)| (sum - expected).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn a_term_tells_nothing_of_labels_that_all_show_it_alike() {
        let formula = Formula { label: &[0, 1, 1], amount: &[50.0, 50.0, 9.0], ..FORMULA };
        let found = worth(formula, left(&[0, 2], &[0]), &[0.5, 0.5, 1e-9], 1.0, 1).unwrap();
        assert_eq!(found[0], 0.0);
        let only = (8.5f64 / 0.5).ln() - 9f64.ln();
        assert!((found[1] - only).abs() < 1e-12, "{found:?}");
        assert!(worth(formula, left(&[0, 2], &[0]), &[0.5], 1.0, 1).is_err());
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(beyond(Formula { gain: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(Formula { amount: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(FORMULA, left(&[1], &[0]), 1).is_err());
        assert!(beyond(FORMULA, left(&[1, 1], &[3]), 1).is_err());
        assert!(beyond(FORMULA, Left { term: &[0, 2], ..left(&[1, 1], &[0]) }, 1).is_err());
    }
}
