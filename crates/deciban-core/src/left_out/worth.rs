//! How much terms tell of labels once a document has left, with few logarithms for each.
//!
//! g (`Formula::worth`) is made of the sum over labels of n_r log x_r, where x_r = (n_r - 1)+ nu/nu_r + a. As L of all nu
//! words leave a label, nu/nu_r becomes (1 + e) nu/nu_r for every other one, with e = -L/nu, and log x_r becomes
//! log x_r + log(1 + e p_r), with p_r = 1 - a/x_r. So the sum becomes
//!
//! ```text
//! S + e M_1 - e^2/2 M_2 + e^3/3 M_3 - ...        S = sum_r n_r log x_r        M_k = sum_r n_r p_r^k
//! ```
//!
//! of numbers that are the term's alone; and only what it has of the own label is taken away and added anew. Of a
//! document that is no more than `SMALL` of all, `POWERS` powers are enough, and `FEWER` of one that is no more than
//! `SMALLER`: the next is below 2e-15 n.

use super::{Formula, Gone};
use crate::four::Four;
use crate::frequent;
use crate::ln::ln;

pub(super) const POWERS: usize = 6;
pub(super) const SMALL: f64 = 1e-2;
pub(super) const FEWER: usize = 3;
const SMALLER: f64 = 2.9e-4;

/// S and the M_k of each term, by the place that it has; and nu.
#[derive(Debug)]
pub(super) struct Told {
    sums: Vec<Sums>,
    pub(super) words: f64,
}

/// One term's, in one line of memory.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
struct Sums {
    s: f64,
    m: [f64; POWERS],
}

/// What of it changes with a row, for all its terms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    powers: [f64; POWERS],
    /// Whether so few of them are enough.
    are_few: bool,
    /// What multiplies the occurrences of the own label, before and after.
    before: f64,
    after: f64,
}

impl Told {
    pub(super) fn new(formula: &Formula<'_>, places: &[u32]) -> Self {
        let nu = formula.words();
        let of_term = |postings: &[i64]| {
            let mut sums = Sums::default();
            for posting in postings[0] as usize..postings[1] as usize {
                let n = formula.amount[posting];
                let x = (n - 1.0).max(0.0) * nu / formula.seen[formula.label[posting] as usize] + formula.doubt;
                let (p, mut power) = (1.0 - formula.doubt / x, n);
                sums.s += n * ln(x);
                for sum in &mut sums.m {
                    power *= p;
                    *sum += power;
                }
            }
            sums
        };
        let mut sums = vec![Sums::default(); places.len()];
        places.iter().zip(formula.indptr.windows(2)).for_each(|(&place, of)| sums[place as usize] = of_term(of));
        Told { sums, words: nu }
    }

    /// Asks memory for what is known of some terms.
    #[inline(always)]
    pub(super) fn prefetch(&self, places: &[u32]) {
        frequent::prefetch_rows(&self.sums, 1, places);
    }

    /// What changes as so many words leave a label; nothing is known of it where they are too many.
    pub(super) fn change(&self, formula: &Formula<'_>, gone: &Gone) -> Option<Change> {
        let e = -gone.length / self.words;
        let powers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k: f64| -(-e).powi(k as i32) / k);
        let (before, after) = (gone.stay / formula.seen[gone.own], formula.likelier(gone.own, gone));
        (gone.length <= SMALL * self.words).then_some(Change { powers, are_few: -e <= SMALLER, before, after })
    }

    /// The sum of a term, but for what the own label adds.
    #[inline(always)]
    pub(super) fn others(&self, change: &Change, place: usize) -> f64 {
        let Sums { s, m } = &self.sums[place];
        let of = |powers: &[f64]| m.iter().zip(powers).fold(0.0, |sum, (m, power)| sum + m * power);
        s + if change.are_few { of(&change.powers[..FEWER]) } else { of(&change.powers) }
    }
}

impl Change {
    /// What the own label adds to the sums of four terms, by what is left of its amounts and what has left them.
    #[inline(always)]
    pub(super) fn own(&self, doubt: f64, amount: Four, count: Four) -> Four {
        let before = (amount + count - Four::ONE).map(|n| n.max(0.0) * self.before + doubt).map(ln);
        let after = (amount - Four::ONE).map(|n| n.max(0.0) * self.after + doubt).map(ln);
        amount * after - (amount + count) * before
    }
}
