//! What terms weigh once a document has left: the scores of leave-one-out, without one weighing for each document.
//!
//! A term j that label r has shown weighs more than one that it has not by the logarithm of
//!
//! ```text
//! (floor + a gain[r] near) ((whole + rest[r]) / (whole - a + rest[r]))^power          a = amount - discount, or 0
//! ```
//!
//! times `g^eta`, for the amount of its posting; `near` and `whole` are of the label or, with `all`, of the term. What a
//! formula of smoothing makes of counts is of this form. The document of a row has left its own label: there, amounts are
//! less by what it had; `gain`, `whole` and `rest` may be other ones for each row, because totals change too. Amounts and
//! wholes are whole numbers as a rule, so that nothing is lost where one is subtracted from the other. Where it can be
//! done, the factors of a label are multiplied, and a logarithm is taken only before they would overflow: a logarithm for
//! each posting would take most of the time.

mod dense;
pub mod presences;
pub mod side;
mod sparse;
mod worth;

use std::ops::Range;

use crate::Invalid;
use crate::four::Four;
use crate::ln::ln;
use crate::parts;
use crate::scores::check_postings;

/// Entries for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 14;
/// A logarithm is worth this many products.
const MOST_TIMES: usize = 4;
/// What a term tells that is no more than this is what rounding has left of nothing.
const NOTHING: f64 = 1e-9;

/// A formula's numbers. `gain`, `whole` and `rest` have one number a label, or one a row and label.
#[derive(Debug, Clone, Copy)]
pub struct Formula<'a> {
    /// Where the postings of each term begin, and where the last end.
    pub indptr: &'a [i64],
    /// The label of each posting.
    pub label: &'a [u32],
    /// What each posting amounts to.
    pub amount: &'a [f64],
    /// What is taken from any amount.
    pub discount: f64,
    /// What each posting's factor begins with; empty for ones.
    pub floor: &'a [f64],
    /// How often each term occurs, under any label.
    pub all: &'a [f64],
    /// What an amount makes greater.
    pub gain: &'a [f64],
    /// Whether `near` is one divided by what is left of `all`, rather than one.
    pub by_collection: bool,
    /// Of what an amount is a part; empty where that is what is left of `all`.
    pub whole: &'a [f64],
    /// What stays of the whole without the amount; empty where a term weighs nothing for being a part.
    pub rest: &'a [f64],
    /// How much that weighs.
    pub power: f64,
    /// How many occurrences each label has, before a document has left; empty where eta is 0.
    pub seen: &'a [f64],
    /// How many occurrences of a term must speak before they are believed: its a.
    pub doubt: f64,
    /// How much it weighs what a term tells.
    pub eta: f64,
    /// How many labels there are.
    pub labels: usize,
    /// Whether a label that has not shown a term cannot have it at all: its score is minus infinity.
    pub strict: bool,
}

/// Rows of known terms, and the label that each row's document leaves.
#[derive(Debug, Clone, Copy)]
pub struct Left<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// Places in the lexicon. Terms that no other document has are passed over.
    pub term: &'a [u32],
    /// How often each counts.
    pub count: &'a [i64],
    /// The label of each row.
    pub own: &'a [u32],
    /// By entry: the floor of the own label, and what is left of its amount; empty where that is less by the count.
    pub own_floor: &'a [f64],
    /// See `own_floor`.
    pub own_amount: &'a [f64],
}

impl Left<'_> {
    /// The floor of an entry's own label, and what is left of its amount, where that is said.
    #[inline(always)]
    fn of_own(&self, entry: usize) -> Option<(f64, f64)> {
        Some((*self.own_floor.get(entry)?, *self.own_amount.get(entry)?))
    }

    /// What leaves with the document of a row, of so many words in all.
    fn gone(&self, row: usize, words: f64) -> Gone {
        let counts = &self.count[self.indptr[row] as usize..self.indptr[row + 1] as usize];
        let length = counts.iter().map(|&count| count as f64).sum();
        Gone { own: self.own[row] as usize, length, stay: words - length }
    }
}

/// What leaves with the document of a row: so many words of its own label. So many stay, of all labels.
#[derive(Debug, Clone, Copy)]
struct Gone {
    own: usize,
    length: f64,
    stay: f64,
}

/// The sums of the logarithms: one row a row, one column a label.
pub fn beyond(formula: Formula<'_>, left: Left<'_>, threads: usize) -> Result<Vec<f64>, Invalid> {
    check(&formula, &left)?;
    let rows = left.own.len();
    let table = dense::Table::new(&formula, left.term.len());
    let of_part = |rows: Range<usize>| {
        let mut all = vec![0.0; rows.len() * formula.labels];
        match &table {
            Some(table) => dense::add(&formula, &left, table, rows, &mut all),
            None => sparse::add(&formula, &left, rows, &mut all),
        }
        all
    };
    let parts = parts::count(threads, left.term.len() / WORTH_A_THREAD);
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let jobs = bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| || of_part(part));
    Ok(parts::joined(parts::run(jobs.collect())))
}

fn check(formula: &Formula<'_>, left: &Left<'_>) -> Result<(), Invalid> {
    let (rows, terms) = (left.own.len(), formula.indptr.len().saturating_sub(1));
    check_postings(formula.indptr, formula.label, terms, formula.labels)?;
    check_postings(left.indptr, left.term, rows, terms)?;
    let by_label = |of: &[f64]| of.len() == formula.labels || of.len() == formula.labels * rows;
    let none_or = |of: &[f64], length: usize| of.is_empty() || of.len() == length;
    let fitting = formula.amount.len() == formula.label.len()
        && none_or(formula.floor, formula.label.len())
        && formula.all.len() == terms
        && by_label(formula.gain)
        && [formula.whole, formula.rest].into_iter().all(|of| of.is_empty() || by_label(of))
        && none_or(formula.seen, formula.labels)
        && left.count.len() == left.term.len()
        && left.own.iter().all(|&label| (label as usize) < formula.labels)
        && none_or(left.own_floor, left.term.len())
        && left.own_floor.len() == left.own_amount.len()
        && (left.own_floor.is_empty() || !formula.floor.is_empty());
    if fitting { Ok(()) } else { Err(Invalid("the buffers of leave-one-out differ in length")) }
}

impl<'a> Formula<'a> {
    /// What a factor begins with, if a posting does not say it.
    fn default_floor(&self) -> f64 {
        if self.strict { 0.0 } else { 1.0 }
    }

    /// Whether factors can be multiplied.
    fn is_product(&self) -> bool {
        self.seen.is_empty() && (self.rest.is_empty() || self.power == 1.0)
    }

    /// What some numbers by label, or by row and label, are for a row; none, where there are none.
    fn of_row(&self, numbers: &'a [f64], row: usize) -> &'a [f64] {
        let start = if numbers.len() > self.labels { row * self.labels } else { 0 };
        &numbers[start..][..if numbers.is_empty() { 0 } else { self.labels }]
    }

    /// How many words there are, of all labels: asked once, because there may be very many.
    fn words(&self) -> f64 {
        self.seen.iter().sum()
    }

    /// 1/q_r of a label, once some words have left their own; 0 of one that has none left.
    #[inline(always)]
    fn likelier(&self, label: usize, gone: &Gone) -> f64 {
        let left = self.seen[label] - if label == gone.own { gone.length } else { 0.0 };
        if left > 0.0 { gone.stay / left } else { 0.0 }
    }

    /// What a label adds to the sum that `worth` asks for, by how often it shows the term.
    fn told(&self, n: f64, label: usize, gone: &Gone) -> f64 {
        n.max(0.0) * ((n - 1.0).max(0.0) * self.likelier(label, gone) + self.doubt).ln()
    }

    /// How much each of four terms tells of labels,
    ///
    /// ```text
    /// g = sum_r n_r/n log((max(n_r - 1, 0) + a q_r) / ((max(n - 1, 0) + a) q_r))        n = sum_r n_r   q_r = nu_r/nu
    /// ```
    ///
    /// It is the mean, over the occurrences of the term, of the logarithm of how much more probable the others make the
    /// label of one. `sum` is that of all n_r log(max(n_r - 1, 0) / q_r + a).
    #[inline(always)]
    fn g(&self, sum: Four, n: Four) -> Four {
        sum / n - n.map(|n| (n - 1.0).max(0.0) + self.doubt).map(ln)
    }

    /// Four g to the power of eta; or 0 where g is negative, or so small that it is only what rounding has left.
    #[inline(always)]
    fn worth(&self, g: Four) -> Four {
        let worth = if self.eta == 0.5 { g.map(f64::sqrt) } else { g.map(|g| g.powf(self.eta)) };
        g.with(worth, |g, worth| if g <= NOTHING { 0.0 } else { worth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMULA: Formula<'_> = Formula {
        indptr: &[0, 2, 3],
        label: &[0, 2, 1],
        amount: &[3.0, 1e90, 7.0],
        discount: 0.0,
        floor: &[],
        all: &[2e90, 9.0],
        gain: &[1.0, 0.5, 2.0],
        by_collection: false,
        whole: &[],
        rest: &[],
        power: 1.0,
        seen: &[],
        doubt: 1.0,
        eta: 1.0,
        labels: 3,
        strict: false,
    };

    fn left<'a>(count: &'a [i64], own: &'a [u32]) -> Left<'a> {
        Left { indptr: &[0, 2], term: &[0, 1], count, own, own_floor: &[], own_amount: &[] }
    }

    /// Both ways to do it: with all labels side by side, and by postings.
    fn both(formula: Formula<'_>, left: Left<'_>) -> Vec<f64> {
        let found = beyond(formula, left, 1).unwrap();
        let mut by_postings = vec![0.0; found.len()];
        sparse::add(&formula, &left, 0..left.own.len(), &mut by_postings);
        for (one, other) in found.iter().zip(by_postings) {
            assert!(*one == other || (one - other).abs() <= 1e-12 * one.abs().max(1.0), "{one} {other}");
        }
        found
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        for (sum, expected) in found.iter().zip(expected) {
            assert!((sum - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found:?}");
        }
    }

    #[test]
    fn logarithms_of_factors_are_added_and_the_own_label_has_less() {
        let found = both(FORMULA, left(&[2, 6], &[0]));
        assert_near(&found, &[2.0 * 2f64.ln(), 6.0 * 4.5f64.ln(), 2.0 * (1.0 + 2e90f64).ln()]);
        let found = both(Formula { discount: 0.5, ..FORMULA }, left(&[2, 7], &[1]));
        assert_near(&found, &[2.0 * 3.5f64.ln(), 0.0, 2.0 * (1.0 + 2e90f64).ln()]);
    }

    #[test]
    fn a_term_that_no_other_document_has_is_passed_over() {
        assert_eq!(both(FORMULA, left(&[0, 9], &[1]))[1], 0.0);
    }

    #[test]
    fn a_label_that_has_not_shown_a_term_cannot_have_it_where_that_is_so() {
        let strict = Formula { strict: true, ..FORMULA };
        assert_eq!(both(strict, left(&[1, 1], &[0])), [f64::NEG_INFINITY; 3]);
        let first = Left { indptr: &[0, 1], term: &[0], count: &[1], ..left(&[], &[1]) };
        assert_near(&both(strict, first)[..1], &[3f64.ln()]);
        assert_eq!(both(strict, Left { count: &[3], own: &[0], ..first })[0], f64::NEG_INFINITY);
    }

    #[test]
    fn a_part_of_a_whole_weighs_as_much_as_is_said() {
        let parts =
            Formula { gain: &[0.0; 3], amount: &[3.0, 4.0, 2.0], all: &[6.0, 10.0], rest: &[0.5; 3], ..FORMULA };
        let found = both(Formula { power: 2.0, ..parts }, left(&[1, 1], &[1]));
        assert_near(&found, &[2.0 * (5.5f64 / 2.5).ln(), 2.0 * (9.5f64 / 8.5).ln(), 2.0 * (5.5f64 / 1.5).ln()]);
        let found = both(Formula { whole: &[7.0, 8.0, 9.0], ..parts }, left(&[1, 1], &[1]));
        assert_near(&found, &[(7.5f64 / 4.5).ln(), (8.5f64 / 7.5).ln(), (9.5f64 / 5.5).ln()]);
    }

    #[test]
    fn a_term_tells_nothing_of_labels_that_all_show_it_alike() {
        let formula = Formula {
            label: &[0, 1, 1],
            amount: &[50.0, 50.0, 9.0],
            all: &[100.0, 9.0],
            seen: &[60.0, 61.0, 0.0],
            ..FORMULA
        };
        let found = both(formula, left(&[0, 1], &[1]));
        assert_near(&found, &[0.0, (15f64 / 8.0).ln() * 5f64.ln(), 0.0]);
    }

    #[test]
    fn how_much_a_term_tells_changes_little_with_a_small_part_of_all_words() {
        let seen = Formula { amount: &[30.0, 70.0, 7.0], all: &[100.0, 7.0], seen: &[200.0, 300.0, 500.0], ..FORMULA };
        for (own, count) in [(0, [1, 0]), (1, [0, 4]), (2, [3, 0]), (2, [9, 0]), (0, [11, 0])] {
            both(seen, left(&count, &[own]));
            both(Formula { eta: 0.5, doubt: 10.0, ..seen }, left(&count, &[own]));
        }
    }

    /// g of a term as it is written, with a = 1: by what its labels show and how many words they have.
    fn g(amounts: &[f64], seen: &[f64]) -> f64 {
        let (n, words) = (amounts.iter().sum::<f64>(), seen.iter().sum::<f64>());
        let told = |(&n_r, nu_r): (&f64, &f64)| {
            let q = nu_r / words;
            n_r / n * (((n_r - 1.0).max(0.0) + q) / (n * q)).ln()
        };
        amounts.iter().zip(seen).map(told).sum()
    }

    #[test]
    fn of_very_many_labels_each_row_is_told_by_the_words_that_stay_without_it() {
        const K: usize = 1000;
        let amounts: Vec<_> = (0..K).map(|label| if label % 10 == 0 { 40.0 } else { 0.0 }).collect();
        let seen: Vec<_> = (0..K).map(|label| amounts[label] + 4.0 + (label % 13) as f64).collect();
        let (label, gain): (Vec<_>, _) = ((0..K as u32).collect(), [0.5; K]);
        let all = [amounts.iter().sum()];
        let many = Formula { indptr: &[0, K as i64], label: &label, amount: &amounts, all: &all, ..FORMULA };
        let many = Formula { gain: &gain, seen: &seen, labels: K, ..many };
        let (own, count) = ([30, 990, 40], [2, 1, 6]);
        let found = beyond(many, Left { indptr: &[0, 1, 2, 3], term: &[0; 3], ..left(&count, &own) }, 1).unwrap();
        for (found, (own, count)) in found.chunks(K).zip(own.into_iter().zip(count)) {
            let (mut left, mut stay, times) = (amounts.clone(), seen.clone(), count as f64);
            left[own as usize] -= times;
            stay[own as usize] -= times;
            let worth = times * g(&left, &stay);
            let expected: Vec<_> = left.iter().map(|amount| worth * (1.0 + 0.5 * amount).ln()).collect();
            assert!(worth > 0.01);
            assert_near(found, &expected);
        }
    }

    #[test]
    fn what_the_own_label_has_left_can_be_said_by_entry() {
        let floor = Formula { floor: &[0.5, 1.0, 0.25], ..FORMULA };
        let first = Left { indptr: &[0, 1], term: &[0], count: &[1], ..left(&[], &[0]) };
        let found = both(floor, Left { own_floor: &[0.125], own_amount: &[4.0], ..first });
        assert_near(&found, &[4.125f64.ln(), 0.0, (1.0 + 2e90f64).ln()]);
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(beyond(Formula { gain: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(Formula { amount: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(Formula { all: &[1.0], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(Formula { seen: &[0.5], ..FORMULA }, left(&[1, 1], &[0]), 1).is_err());
        assert!(beyond(FORMULA, left(&[1], &[0]), 1).is_err());
        assert!(beyond(FORMULA, left(&[1, 1], &[3]), 1).is_err());
        assert!(beyond(FORMULA, Left { own_floor: &[1.0; 2], ..left(&[1, 1], &[0]) }, 1).is_err());
        assert!(beyond(FORMULA, Left { term: &[0, 2], ..left(&[1, 1], &[0]) }, 1).is_err());
    }
}
