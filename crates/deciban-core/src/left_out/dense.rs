//! For few labels: all labels of an entry side by side.

use std::ops::Range;

use super::{Formula, LARGE, Left, MOST_TIMES};
use crate::ln::ln_all;
use crate::wide;

/// Up to this many labels, and this many numbers, amounts are laid out for all labels.
const LABELS: usize = 64;
const NUMBERS: usize = 1 << 25;

/// The amounts of every term and label, zeros too; and the floors, where postings have them. Numbers that are as good in
/// four bytes, as counts are, are kept so: the fewer bytes, the shorter the way to them.
#[derive(Debug)]
pub(super) enum Table {
    Short(Numbers<f32>),
    Long(Numbers<f64>),
}

#[derive(Debug)]
pub(super) struct Numbers<N> {
    amount: Vec<N>,
    floor: Vec<f32>,
}

impl Table {
    /// The table of a formula, if it can be and is worth it for so many entries.
    pub(super) fn new(formula: &Formula<'_>, entries: usize) -> Option<Self> {
        let (terms, labels) = (formula.indptr.len() - 1, formula.labels);
        let fits = labels <= LABELS && terms.saturating_mul(labels) <= NUMBERS;
        let is_short = |numbers: &[f64]| numbers.iter().all(|&number| f64::from(number as f32) == number);
        if !fits || entries < terms / 8 || !is_short(formula.floor) {
            return None;
        }
        let floor = match formula.floor {
            [] => Vec::new(),
            floor => laid_out(formula, floor, 1.0, |floor| floor as f32),
        };
        Some(if is_short(formula.amount) {
            Table::Short(Numbers { amount: laid_out(formula, formula.amount, 0.0, |amount| amount as f32), floor })
        } else {
            Table::Long(Numbers { amount: laid_out(formula, formula.amount, 0.0, |amount| amount), floor })
        })
    }
}

/// The numbers of postings by term and label.
fn laid_out<N: Copy>(formula: &Formula<'_>, numbers: &[f64], otherwise: N, as_n: impl Fn(f64) -> N) -> Vec<N> {
    let mut all = vec![otherwise; (formula.indptr.len() - 1) * formula.labels];
    for (row, postings) in all.chunks_exact_mut(formula.labels.max(1)).zip(formula.indptr.windows(2)) {
        for posting in postings[0] as usize..postings[1] as usize {
            row[formula.label[posting] as usize] = as_n(numbers[posting]);
        }
    }
    all
}

/// Adds to the scores of some rows what their terms weigh.
pub(super) fn add(formula: &Formula<'_>, left: &Left<'_>, table: &Table, rows: Range<usize>, scores: &mut [f64]) {
    wide::run(|| match table {
        Table::Short(numbers) => add_rows(Row::new(formula, left, numbers), rows, scores),
        Table::Long(numbers) => add_rows(Row::new(formula, left, numbers), rows, scores),
    });
}

#[inline(always)]
fn add_rows<N: Copy + Into<f64>>(mut of_row: Row<'_, N>, rows: Range<usize>, scores: &mut [f64]) {
    let (formula, left) = (of_row.formula, of_row.left);
    for (row, sums) in rows.zip(scores.chunks_exact_mut(formula.labels.max(1))) {
        of_row.begin(row);
        for entry in left.indptr[row] as usize..left.indptr[row + 1] as usize {
            of_row.add(entry, sums);
        }
        of_row.end(sums);
    }
}

/// One row at a time: its numbers by label, and room for those of an entry.
struct Row<'a, N> {
    formula: &'a Formula<'a>,
    left: &'a Left<'a>,
    numbers: &'a Numbers<N>,
    own: usize,
    gain: &'a [f64],
    whole: &'a [f64],
    rest: &'a [f64],
    /// 1/q of each label; 0 of those that have shown nothing.
    likelier: Vec<f64>,
    amounts: Vec<f64>,
    floors: Vec<f64>,
    factors: Vec<f64>,
    smaller: Vec<f64>,
    products: Vec<f64>,
}

impl<'a, N: Copy + Into<f64>> Row<'a, N> {
    #[inline(always)]
    fn new(formula: &'a Formula<'a>, left: &'a Left<'a>, numbers: &'a Numbers<N>) -> Self {
        let (none, ones) = (&[][..], vec![1.0; formula.labels]);
        Row {
            formula,
            left,
            numbers,
            own: 0,
            gain: none,
            whole: none,
            rest: none,
            likelier: ones.clone(),
            amounts: ones.clone(),
            floors: vec![formula.default_floor(); formula.labels],
            factors: ones.clone(),
            smaller: ones.clone(),
            products: ones,
        }
    }

    #[inline(always)]
    fn begin(&mut self, row: usize) {
        let formula = self.formula;
        self.own = self.left.own[row] as usize;
        self.gain = formula.of_row(formula.gain, row);
        self.whole = formula.of_row(formula.whole, row);
        self.rest = formula.of_row(formula.rest, row);
        for (likelier, &q) in self.likelier.iter_mut().zip(formula.of_row(formula.share, row)) {
            *likelier = if q > 0.0 { 1.0 / q } else { 0.0 };
        }
    }

    #[inline(always)]
    fn add(&mut self, entry: usize, sums: &mut [f64]) {
        let (formula, times) = (self.formula, self.left.count[entry]);
        let term = self.left.term[entry] as usize;
        let all = formula.all[term] - times as f64;
        if all <= 0.0 {
            return;
        }
        self.lay_out(term, entry);
        let worth = self.worth(all);
        if worth == 0.0 {
            return;
        }
        let near = if formula.by_collection { 1.0 / all } else { 1.0 };
        let numbers = self.amounts.iter_mut().zip(self.gain).zip(&self.floors);
        for (factor, ((amount, gain), floor)) in self.factors.iter_mut().zip(numbers) {
            *amount = (*amount - formula.discount).max(0.0);
            *factor = floor + *amount * gain * near;
        }
        if !formula.is_product() {
            return self.add_logarithms(all, times as f64 * worth, sums);
        }
        if !self.rest.is_empty() {
            self.find_smaller(all);
            self.factors.iter_mut().zip(&self.smaller).for_each(|(factor, smaller)| *factor *= smaller);
        }
        self.multiply(times, sums);
    }

    /// The amounts and floors of a term, as they are without the row's document.
    #[inline(always)]
    fn lay_out(&mut self, term: usize, entry: usize) {
        let labels = self.formula.labels;
        lay(&mut self.amounts, &self.numbers.amount[term * labels..][..labels]);
        if !self.numbers.floor.is_empty() {
            lay(&mut self.floors, &self.numbers.floor[term * labels..][..labels]);
        }
        if let (Some(&amount), Some(&floor)) = (self.left.own_amount.get(entry), self.left.own_floor.get(entry)) {
            (self.amounts[self.own], self.floors[self.own]) = (amount, floor);
        } else {
            self.amounts[self.own] = (self.amounts[self.own] - self.left.count[entry] as f64).max(0.0);
        }
    }

    /// What a term's weights are multiplied with.
    #[inline(always)]
    fn worth(&mut self, all: f64) -> f64 {
        if self.formula.share.is_empty() {
            return 1.0;
        }
        for (number, (amount, likelier)) in self.smaller.iter_mut().zip(self.amounts.iter().zip(&self.likelier)) {
            *number = (amount - 1.0).max(0.0) * likelier + self.formula.doubt;
        }
        ln_all(&mut self.smaller);
        let sum = self.smaller.iter().zip(&self.amounts).fold(0.0, |sum, (log, amount)| sum + log * amount);
        self.formula.worth(sum, all)
    }

    /// (whole + rest) / (whole - a + rest), of a label or of the term.
    #[inline(always)]
    fn find_smaller(&mut self, all: f64) {
        let numbers = self.smaller.iter_mut().zip(&self.amounts).zip(self.rest);
        if self.whole.is_empty() {
            for ((smaller, amount), rest) in numbers {
                *smaller = (all + rest) / (all - amount + rest);
            }
        } else {
            for (((smaller, amount), rest), whole) in numbers.zip(self.whole) {
                *smaller = (whole + rest) / (whole - amount + rest);
            }
        }
    }

    #[inline(always)]
    fn add_logarithms(&mut self, all: f64, times: f64, sums: &mut [f64]) {
        if !self.rest.is_empty() {
            self.find_smaller(all);
            self.raise_smaller(times, sums);
        }
        ln_all(&mut self.factors);
        sums.iter_mut().zip(&self.factors).for_each(|(sum, log)| *sum += times * log);
    }

    /// Multiplies the factors with `smaller` to its power; or adds its logarithm, where that takes more than few products.
    #[inline(always)]
    fn raise_smaller(&mut self, times: f64, sums: &mut [f64]) {
        let power = self.formula.power;
        if power.fract() == 0.0 && (0.0..=MOST_TIMES as f64).contains(&power) {
            for _ in 0..power as usize {
                self.factors.iter_mut().zip(&self.smaller).for_each(|(factor, smaller)| *factor *= smaller);
            }
        } else {
            ln_all(&mut self.smaller);
            sums.iter_mut().zip(&self.smaller).for_each(|(sum, log)| *sum += times * power * log);
        }
    }

    #[inline(always)]
    fn multiply(&mut self, times: i64, sums: &mut [f64]) {
        if times > MOST_TIMES {
            ln_all(&mut self.factors);
            sums.iter_mut().zip(&self.factors).for_each(|(sum, log)| *sum += times as f64 * log);
            return;
        }
        for _ in 0..times {
            self.products.iter_mut().zip(&self.factors).for_each(|(product, factor)| *product *= factor);
        }
        // No early end, and no minimum: both would be done one label after the other. Zero stays what it is.
        let is_out = |p: f64| (p > LARGE) | ((p < 1.0 / LARGE) & (p != 0.0));
        if self.products.iter().fold(false, |any, &product| any | is_out(product)) {
            for (sum, product) in sums.iter_mut().zip(self.products.iter_mut()).filter(|(_, product)| **product != 0.0)
            {
                *sum += product.ln();
                *product = 1.0;
            }
        }
    }

    #[inline(always)]
    fn end(&mut self, sums: &mut [f64]) {
        for (sum, product) in sums.iter_mut().zip(&mut self.products).filter(|(_, product)| **product != 1.0) {
            *sum += product.ln();
            *product = 1.0;
        }
    }
}

#[inline(always)]
fn lay<N: Copy + Into<f64>>(to: &mut [f64], numbers: &[N]) {
    to.iter_mut().zip(numbers).for_each(|(to, &number)| *to = number.into());
}
