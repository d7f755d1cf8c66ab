//! The multinomial model and the ratio model side by side: leave-one-out of both, in one walk over rows of terms that count
//! once.
//!
//! As a document leaves, most of what its terms weigh for other labels stays: of the multinomial model all, and of the
//! ratio model what does not ask how many terms there are. With c of the n documents of a term of label r, L of nu terms
//! leaving, and e = L/nu, a term of the document weighs
//!
//! ```text
//! g^eta (log(1 + (1 - e) x) + beta log((n - 1 + t) / (n - 1 - c + t)))        x = o nu/nu_r c/(n - 1)
//! ```
//!
//! and log(1 + (1 - e) x) = log(1 + x) - e p - e^2/2 p^2 - ... with p = x/(1 + x): numbers of the term and label, which
//! are made once. Of a document that is no more than `SMALL` of all, `POWERS` powers are enough, and `FEWER` of one that is
//! no more than `SMALLER`: the next is below 1e-13. What the own label has left is weighed anew.

use std::ops::Range;

use super::presences::{self, Labelled};
use super::worth::{FEWER, POWERS, SMALL, Told};
use super::{Formula, Gone};
use crate::four::Four;
use crate::frequent;
use crate::ln::ln;
use crate::near::prefetch;
use crate::scores::check_postings;
use crate::{Invalid, parts, wide};

/// Entries for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 16;
/// Up to so many terms and labels stand side by side.
const NUMBERS: usize = 1 << 22;
/// See above.
const SMALLER: f64 = 7e-4;
/// The beta that takes no logarithm of its own.
const CUBE: f64 = 3.0;
/// So many counts are multiplied before there is a logarithm: each is below `MOST`.
const AT_ONCE: usize = 32;
const MOST: usize = 1 << 24;

/// The numbers of the ratio model; `odds` are those of a label's own words, (1 - lambda)/lambda.
#[derive(Debug, Clone, Copy)]
pub struct Ratio {
    /// o
    pub odds: f64,
    /// beta
    pub power: f64,
    /// t
    pub rest: f64,
    /// How many documents must speak before they are believed.
    pub doubt: f64,
    /// How much it weighs what a term tells.
    pub eta: f64,
}

impl Ratio {
    /// The logarithms of four numbers, and beta times those of four more.
    #[inline(always)]
    fn weight(&self, x: Four, y: Four) -> Four {
        if self.power == CUBE { (x * y * (y * y)).map(ln) } else { x.map(ln) + Four::all(self.power) * y.map(ln) }
    }
}

/// Scores by the multinomial model, and by the ratio model but for what labels weigh before any term is seen: one row a
/// row, one column a label.
pub type Both = (Vec<f64>, Vec<f64>);

/// Both scores of each row by all others. `indptr` and `label` are the postings of the terms of these rows. Nothing, where
/// a document is too large a part of all, or terms and labels are too many.
pub fn scores(
    of: Labelled<'_>,
    indptr: &[i64],
    label: &[u32],
    presences: &[i64],
    ratio: Ratio,
    threads: usize,
) -> Result<Option<Both>, Invalid> {
    presences::check(&of)?;
    check_postings(indptr, label, of.terms, of.labels)?;
    if presences.len() != label.len() || presences.iter().any(|&count| !(0..=of.own.len() as i64).contains(&count)) {
        return Err(Invalid("the counts do not fit the postings and the rows"));
    }
    let (k, entries) = (of.labels, of.term.len());
    let longest = of.indptr.windows(2).map(|row| row[1] - row[0]).max().unwrap_or(0);
    if longest as f64 > SMALL * entries as f64 || of.own.len() >= MOST {
        return Ok(None);
    }
    let amount: Vec<_> = presences.iter().map(|&count| count as f64).collect();
    let mut seen = vec![0.0; k];
    label.iter().zip(&amount).for_each(|(&label, amount)| seen[label as usize] += amount);
    let all: Vec<f64> = indptr.windows(2).map(|at| amount[at[0] as usize..at[1] as usize].iter().sum()).collect();
    let formula = Formula {
        indptr,
        label,
        amount: &amount,
        discount: 0.0,
        floor: &[],
        all: &all,
        gain: &[],
        by_collection: true,
        whole: &[],
        rest: &[],
        power: ratio.power,
        seen: &seen,
        doubt: ratio.doubt,
        eta: ratio.eta,
        labels: k,
        strict: false,
    };
    let shared = all.iter().filter(|&&n| n > 1.0).count();
    if shared.saturating_mul(k.next_multiple_of(4)) > NUMBERS {
        return Ok(None);
    }
    let model = Model::new(of, &formula, ratio, shared);
    let (rows, parts) = (of.own.len(), parts::count(threads, entries / WORTH_A_THREAD));
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let jobs = bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| || model.scores(part));
    let found = parts::run(jobs.collect());
    let (first, second): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    Ok(Some((parts::joined(first), parts::joined(second))))
}

/// What a term that a label has shown weighs, of four labels; zeros, where they have not.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Weights {
    /// What it weighs as long as all documents are there, and p.
    weight: Four,
    p: Four,
}

/// Numbers of a term alone: the other documents that have it, and the logarithm that g takes from its sum.
#[derive(Debug, Clone, Copy, Default)]
struct Of {
    others: f64,
    log: f64,
}

struct Model<'a> {
    of: Labelled<'a>,
    formula: &'a Formula<'a>,
    ratio: Ratio,
    /// The place of each term: those that two documents have come first, and alone have any numbers here.
    places: Vec<u32>,
    terms: Vec<Of>,
    told: Told,
    /// By place, and then in fours of labels.
    fours: usize,
    weights: Vec<Weights>,
    /// One more than each count.
    count: Vec<[f32; 4]>,
    /// Logarithms of whole numbers.
    log: Vec<f64>,
    totals: presences::Totals,
}

impl<'a> Model<'a> {
    fn new(of: Labelled<'a>, formula: &'a Formula<'a>, ratio: Ratio, shared: usize) -> Self {
        let places = frequent::places(formula.all);
        let fours = of.labels.div_ceil(4);
        let mut terms = vec![Of::default(); shared];
        let (mut weights, mut count) = (vec![Weights::default(); shared * fours], vec![[1.0_f32; 4]; shared * fours]);
        let nu = formula.words();
        let gain: Vec<_> = formula.seen.iter().map(|nu_r| ratio.odds * nu / nu_r).collect();
        for ((&place, &n), at) in places.iter().zip(formula.all).zip(formula.indptr.windows(2)) {
            let place = place as usize;
            if n <= 1.0 {
                continue;
            }
            let others = n - 1.0;
            terms[place] = Of { others, log: ln((others - 1.0).max(0.0) + ratio.doubt) };
            for posting in at[0] as usize..at[1] as usize {
                let (label, c) = (formula.label[posting] as usize, formula.amount[posting]);
                let (four, i) = (place * fours + label / 4, label % 4);
                let x = gain[label] * c / others;
                // Of a term that one label alone has, all others are that label's: its document is one of them.
                let left = (others - c).max(0.0) + ratio.rest;
                let y = (others + ratio.rest) / left;
                weights[four].weight.0[i] = ratio.weight(Four::all(1.0 + x), Four::all(y)).0[0];
                weights[four].p.0[i] = x / (1.0 + x);
                count[four][i] = c as f32 + 1.0;
            }
        }
        let most = formula.all.iter().copied().fold(0.0, f64::max) as usize;
        let log = (0..=most + 1).map(|number| (number as f64).ln()).collect();
        let told = Told::new(formula, &places);
        let known = formula.all.iter().filter(|&&n| n > 0.0).count();
        let totals = presences::Totals::new(&of, known);
        Model { of, formula, ratio, places, terms, told, fours, weights, count, log, totals }
    }

    fn scores(&self, rows: Range<usize>) -> Both {
        let k = self.of.labels;
        let (mut first, mut second) = (vec![0.0; rows.len() * k], vec![0.0; rows.len() * k]);
        wide::run(
            #[inline(always)]
            || {
                let (mut places, mut worth) = (Vec::new(), Vec::new());
                let both = first.chunks_exact_mut(k.max(1)).zip(second.chunks_exact_mut(k.max(1)));
                for (row, (first, second)) in rows.zip(both) {
                    self.add(row, (&mut places, &mut worth), first, second);
                }
            },
        );
        (first, second)
    }

    /// Adds what the terms of a row weigh; `places` and `worth` are room for its terms.
    #[inline(always)]
    fn add(&self, row: usize, room: (&mut Vec<u32>, &mut Vec<f64>), first: &mut [f64], second: &mut [f64]) {
        let (places, worth) = room;
        let (of, own, shared) = (&self.of, self.of.own[row] as usize, self.terms.len());
        let terms = &of.term[of.indptr[row] as usize..of.indptr[row + 1] as usize];
        places.clear();
        for &term in terms {
            let place = self.places[term as usize];
            if (place as usize) < shared {
                places.push(place);
            }
        }
        self.ask_for(places);
        let words = self.told.words;
        let gone = Gone { own, length: terms.len() as f64, stay: words - terms.len() as f64 };
        let (own_first, own_second) = self.own(&gone, places, worth);
        let e = gone.length / words;
        for (four, (first, second)) in first.chunks_mut(4).zip(second.chunks_mut(4)).enumerate() {
            let (counts, weights) = if e <= SMALLER {
                self.sums::<FEWER>(four, e, places, worth)
            } else {
                self.sums::<POWERS>(four, e, places, worth)
            };
            first.copy_from_slice(&counts.0[..first.len()]);
            second.copy_from_slice(&weights.0[..second.len()]);
        }
        first[own] += own_first;
        second[own] = own_second;
        self.totals.add(own, (terms.len() as f64, places.len() as f64), first);
    }

    /// Brings near what is known of some terms.
    #[inline(always)]
    fn ask_for(&self, places: &[u32]) {
        self.told.prefetch(places);
        for &place in places {
            let at = place as usize * self.fours;
            prefetch(&self.terms[place as usize]);
            for four in &self.weights[at..at + self.fours] {
                prefetch(four);
            }
            prefetch(&self.count[at]);
            prefetch(&self.count[at + self.fours - 1]);
        }
    }

    /// How much more the own label's counts weigh, and all that it weighs by ratios; and how much each term is worth.
    #[inline(always)]
    fn own(&self, gone: &Gone, places: &[u32], worth: &mut Vec<f64>) -> (f64, f64) {
        let (formula, rest) = (self.formula, Four::all(self.ratio.rest));
        let left = formula.seen[gone.own] - gone.length;
        let gain = if left > 0.0 { self.ratio.odds * gone.stay / left } else { 0.0 };
        let change = self.told.change(formula, gone);
        let (mut counts, mut weights) = (0.0, Four::ZERO);
        worth.clear();
        for some in places.chunks(4) {
            let [mut sum, mut amount, mut others] = [Four::ZERO, Four::ZERO, Four::ONE];
            let mut log = Four::ZERO;
            for (i, &place) in some.iter().enumerate() {
                let place = place as usize;
                let c = self.count[place * self.fours + gone.own / 4][gone.own % 4];
                let Of { others: n, log: log_n } = self.terms[place];
                (amount.0[i], others.0[i], log.0[i]) = (f64::from(c) - 2.0, n, log_n);
                sum.0[i] = change.as_ref().map_or(0.0, |change| self.told.others(change, place));
                counts += self.log[c as usize - 1] - self.log[c as usize];
            }
            if let Some(change) = &change {
                sum += change.own(formula.doubt, amount, Four::ONE);
            }
            let mut times = formula.worth(sum / others - log);
            times.0[some.len()..].fill(0.0);
            let x = Four::ONE + amount * Four::all(gain) / others;
            let y = (others + rest) / (others - amount + rest);
            weights += times * self.ratio.weight(x, y);
            worth.extend_from_slice(&times.0[..some.len()]);
        }
        (counts, weights.0.iter().sum())
    }

    /// The logarithms of the counts of four labels, and what they weigh by ratios, as if none were the own label.
    #[inline(always)]
    fn sums<const N: usize>(&self, four: usize, e: f64, places: &[u32], worth: &[f64]) -> (Four, Four) {
        let mut powers = [Four::ZERO; N];
        for (of, k) in powers.iter_mut().zip(1..) {
            *of = Four::all(e.powi(k) / f64::from(k));
        }
        let (mut logs, mut weights) = (Four::ZERO, Four::ZERO);
        for (places, worth) in places.chunks(AT_ONCE).zip(worth.chunks(AT_ONCE)) {
            let mut product = Four::ONE;
            for (&place, &worth) in places.iter().zip(worth) {
                let at = place as usize * self.fours + four;
                let Weights { weight, p } = self.weights[at];
                let mut gone = Four::ZERO;
                for of in powers.iter().rev() {
                    gone = (gone + *of) * p;
                }
                weights += Four::all(worth) * (weight - gone);
                product = product * Four::from(self.count[at]);
            }
            logs += product.map(ln);
        }
        (logs, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Left, beyond};
    use super::*;

    const RATIO: Ratio = Ratio { odds: 1.0, power: 3.0, rest: 1.0, doubt: 10.0, eta: 0.5 };

    /// Rows of two terms: one that all have, and one of the label; and the postings of those terms.
    fn found(rows: u32, labels: usize, threads: usize) -> Result<Option<Both>, Invalid> {
        let own: Vec<_> = (0..rows).map(|row| row % 2).collect();
        let indptr: Vec<_> = (0..=i64::from(rows)).map(|row| 2 * row).collect();
        let term: Vec<_> = own.iter().flat_map(|label| [0, 1 + label]).collect();
        let half = i64::from(rows / 2);
        let of = Labelled { indptr: &indptr, term: &term, own: &own, terms: 3, labels };
        scores(of, &[0, 2, 3, 4], &[0, 1, 0, 1], &[half; 4], RATIO, threads)
    }

    #[test]
    fn a_row_is_scored_by_the_others() {
        let (first, second) = found(1000, 2, 1).unwrap().unwrap();
        // Of the own label one less has each of both terms; three terms stay.
        let own = (499.0_f64 / 999.0).ln() + 2.0 * (500.0_f64 / 1001.0).ln();
        let other = (500.0_f64 / 999.0).ln() + (501.0_f64 / 1003.0).ln() - 1003.0_f64.ln();
        assert!((first[0] - own).abs() < 1e-12 && (first[1] - other).abs() < 1e-12, "{first:?}");
        // The second term tells of the one label that has it.
        let q = 998.0_f64 / 1998.0;
        let g = (498.0 / q + 10.0).ln() - 508.0_f64.ln();
        let of_second = g.sqrt() * ((1.0 + 1.0 / q).ln() + 3.0 * 500.0_f64.ln());
        assert!((second[0] - second[1] - of_second).abs() < 0.1, "{second:?} {of_second}");
        assert_eq!((first[2], second[3]), (first[1], second[0]));
    }

    #[test]
    fn ratios_are_those_that_are_found_one_by_one() {
        let rows = 1000;
        let second = found(rows, 2, 1).unwrap().unwrap().1;
        let half = f64::from(rows / 2);
        let row = |label: u32| -> Vec<f64> {
            let gain = [0, 1].map(|of| 1998.0 / (1000.0 - f64::from(u8::from(of == label)) * 2.0));
            let formula = Formula {
                indptr: &[0, 2, 3, 4],
                label: &[0, 1, 0, 1],
                amount: &[half; 4],
                discount: 0.0,
                floor: &[],
                all: &[2.0 * half, half, half],
                gain: &gain,
                by_collection: true,
                whole: &[],
                rest: &[1.0; 2],
                power: 3.0,
                seen: &[1000.0; 2],
                doubt: 10.0,
                eta: 0.5,
                labels: 2,
                strict: false,
            };
            let (term, own) = ([0, 1 + label], [label]);
            let left =
                Left { indptr: &[0, 2], term: &term, count: &[1; 2], own: &own, own_floor: &[], own_amount: &[] };
            beyond(formula, left, 1).unwrap()
        };
        for (found, expected) in second.iter().zip([row(0), row(1)].concat()) {
            assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} {expected}");
        }
    }

    #[test]
    fn threads_and_labels_of_no_row_do_not_show() {
        let one = found(100_000, 2, 1).unwrap().unwrap();
        assert_eq!(found(100_000, 2, 3).unwrap().unwrap(), one);
        let many = found(100_000, 6, 1).unwrap().unwrap();
        for (many, two) in [(many.0, one.0), (many.1, one.1)] {
            assert!(many.chunks(6).zip(two.chunks(2)).all(|(many, two)| many[..2] == *two));
        }
    }

    #[test]
    fn few_rows_are_not_suited_and_what_does_not_fit_is_refused() {
        assert_eq!(found(10, 2, 1), Ok(None));
        assert!(found(1000, 1, 1).is_err());
        let of = Labelled { indptr: &[0], term: &[], own: &[], terms: 1, labels: 2 };
        assert!(scores(of, &[0, 1], &[0], &[], RATIO, 1).is_err());
        assert!(scores(of, &[0, 1], &[0], &[1], RATIO, 1).is_err());
        assert!(scores(of, &[0, 1], &[0], &[-1], RATIO, 1).is_err());
        assert_eq!(scores(of, &[0, 0], &[], &[], RATIO, 1), Ok(Some((vec![], vec![]))));
    }
}
