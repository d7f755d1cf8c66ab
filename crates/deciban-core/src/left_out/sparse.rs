//! For many labels: one posting after the other.

use std::ops::Range;

use super::{Formula, Gone, Left, MOST_TIMES};
use crate::four::Four;

/// Products stay between this and its inverse; one factor more, to the power of at most `MOST_TIMES`, overflows none.
const LARGE: f64 = 1e100;

/// Adds to the scores of some rows what their terms weigh.
pub(super) fn add(formula: &Formula<'_>, left: &Left<'_>, rows: Range<usize>, scores: &mut [f64]) {
    let (labels, words) = (formula.labels, formula.words());
    let (mut products, mut shown) = (vec![1.0; labels], vec![0; labels]);
    for (row, sums) in rows.zip(scores.chunks_exact_mut(labels.max(1))) {
        let gone = left.gone(row, words);
        let mut of_row = Row { formula, left, row, gone, sums, products: &mut products, shown: &mut shown };
        let entries = left.indptr[row] as usize..left.indptr[row + 1] as usize;
        let distinct = entries.map(|entry| of_row.add(entry)).filter(|is_left| *is_left).count();
        for ((sum, product), shown) in sums.iter_mut().zip(&mut products).zip(&mut shown) {
            if formula.strict && *shown < distinct {
                *sum = f64::NEG_INFINITY;
            } else if *product != 1.0 {
                *sum += product.ln();
            }
            (*product, *shown) = (1.0, 0);
        }
    }
}

struct Row<'a> {
    formula: &'a Formula<'a>,
    left: &'a Left<'a>,
    row: usize,
    gone: Gone,
    sums: &'a mut [f64],
    products: &'a mut [f64],
    shown: &'a mut [usize],
}

impl Row<'_> {
    /// Adds the logarithms of one entry's factors, and says whether another document has its term.
    fn add(&mut self, entry: usize) -> bool {
        let (formula, term, times) = (self.formula, self.left.term[entry] as usize, self.left.count[entry]);
        let all = formula.all[term] - times as f64;
        if all <= 0.0 {
            return false;
        }
        let postings = formula.indptr[term] as usize..formula.indptr[term + 1] as usize;
        let worth = self.worth(entry, postings.clone(), all);
        for posting in postings {
            let (floor, amount) = self.at(entry, posting);
            if amount > 0.0 || !formula.floor.is_empty() {
                self.add_posting(formula.label[posting] as usize, floor, amount - formula.discount, all, times, worth);
            }
        }
        true
    }

    /// The floor and the amount of a posting, as they are without the row's document.
    fn at(&self, entry: usize, posting: usize) -> (f64, f64) {
        let (formula, left) = (self.formula, self.left);
        let floor = formula.floor.get(posting).copied().unwrap_or(formula.default_floor());
        let amount = formula.amount[posting];
        if formula.label[posting] != left.own[self.row] {
            return (floor, amount);
        }
        left.of_own(entry).unwrap_or((floor, amount - left.count[entry] as f64))
    }

    fn worth(&self, entry: usize, postings: Range<usize>, all: f64) -> f64 {
        let formula = self.formula;
        if formula.seen.is_empty() {
            return 1.0;
        }
        let told = |posting| formula.told(self.at(entry, posting).1, formula.label[posting] as usize, &self.gone);
        formula.worth(formula.g(Four::all(postings.map(told).sum()), Four::all(all))).0[0]
    }

    #[inline]
    fn add_posting(&mut self, label: usize, floor: f64, amount: f64, all: f64, times: i64, worth: f64) {
        let (formula, row) = (self.formula, self.row);
        let near = if formula.by_collection { 1.0 / all } else { 1.0 };
        let greater = floor + amount * formula.of_row(formula.gain, row)[label] * near;
        let smaller = match formula.of_row(formula.rest, row).get(label) {
            Some(rest) => {
                let whole = formula.of_row(formula.whole, row).get(label).unwrap_or(&all);
                (whole + rest) / (whole - amount + rest)
            }
            None => 1.0,
        };
        self.shown[label] += 1;
        if !formula.is_product() || times > MOST_TIMES as i64 {
            let logarithm = greater.ln() + if smaller == 1.0 { 0.0 } else { formula.power * smaller.ln() };
            self.sums[label] += times as f64 * worth * logarithm;
            return;
        }
        let factor = greater * smaller;
        let product = self.products[label] * (0..times).fold(1.0, |power, _| power * factor);
        if product > 1.0 / LARGE && product < LARGE {
            self.products[label] = product;
        } else {
            self.sums[label] += product.ln();
            self.products[label] = 1.0;
        }
    }
}
