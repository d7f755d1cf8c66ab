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
//! document that is no more than `SMALL` of all, `POWERS` powers are enough: the next is below 2e-15 n.

use super::Formula;
use crate::four::Four;
use crate::frequent;
use crate::ln::ln;

const POWERS: usize = 6;
const SMALL: f64 = 1e-2;

/// S and the M_k of each term, by the place that it has.
#[derive(Debug)]
pub(super) struct Told(Vec<Sums>);

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
    /// What multiplies the occurrences of the own label, before and after.
    before: f64,
    after: f64,
}

impl Told {
    pub(super) fn new(formula: &Formula<'_>, places: &[u32]) -> Self {
        let nu: f64 = formula.seen.iter().sum();
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
        let mut told = vec![Sums::default(); places.len()];
        places.iter().zip(formula.indptr.windows(2)).for_each(|(&place, of)| told[place as usize] = of_term(of));
        Told(told)
    }

    /// Asks memory for what is known of some terms.
    #[inline(always)]
    pub(super) fn prefetch(&self, places: &[u32]) {
        frequent::prefetch_rows(&self.0, 1, places);
    }

    /// What changes as so many words leave a label; nothing is known of it where they are too many.
    pub(super) fn change(&self, formula: &Formula<'_>, own: usize, length: f64) -> Option<Change> {
        let nu: f64 = formula.seen.iter().sum();
        let e = -length / nu;
        let powers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k: f64| -(-e).powi(k as i32) / k);
        let of_own = formula.likelier(own, own, length);
        (length <= SMALL * nu).then(|| Change { powers, before: (nu - length) / formula.seen[own], after: of_own })
    }

    /// The sum of a term, but for what the own label adds.
    #[inline(always)]
    pub(super) fn others(&self, change: &Change, place: usize) -> f64 {
        let Sums { s, m } = &self.0[place];
        s + m.iter().zip(&change.powers).fold(0.0, |sum, (m, power)| sum + m * power)
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
