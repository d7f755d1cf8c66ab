//! For few labels: four labels side by side, with all that a row has of them.

use std::mem::take;
use std::ops::Range;

use super::worth::Told;
use super::{Formula, Gone, Left, MOST_TIMES};
use crate::four::Four;
use crate::frequent;
use crate::ln::{Product, ln};
use crate::wide;

/// Up to this many labels, and this many numbers, amounts are laid out for all labels.
const LABELS: usize = 64;
const NUMBERS: usize = 1 << 25;

/// The amounts of every term and label, zeros too; and the floors, where postings have them. By the place that a term is
/// given, and then in fours by label.
#[derive(Debug)]
pub(super) struct Table {
    fours: usize,
    places: Vec<u32>,
    all: Vec<f64>,
    amount: Amounts,
    floor: Vec<[f32; 4]>,
    told: Option<Told>,
}

/// Numbers that are as good in four bytes, as counts are, are kept so: the fewer bytes, the shorter the way to them.
#[derive(Debug)]
enum Amounts {
    Short(Vec<[f32; 4]>),
    Long(Vec<[f64; 4]>),
}

impl Table {
    /// The table of a formula, if it can be and is worth it for so many entries.
    pub(super) fn new(formula: &Formula<'_>, entries: usize) -> Option<Self> {
        let (terms, fours) = (formula.indptr.len() - 1, formula.labels.div_ceil(4));
        let fits = formula.labels <= LABELS && terms.saturating_mul(formula.labels) <= NUMBERS;
        let is_short = |numbers: &[f64]| numbers.iter().all(|&number| f64::from(number as f32) == number);
        if !fits || entries < terms / 8 || !is_short(formula.floor) {
            return None;
        }
        let places = frequent::places(formula.all);
        let amount = if is_short(formula.amount) {
            Amounts::Short(laid_out(formula, &places, formula.amount, 0.0, |amount| amount as f32))
        } else {
            Amounts::Long(laid_out(formula, &places, formula.amount, 0.0, |amount| amount))
        };
        let floor = match formula.floor {
            [] => Vec::new(),
            floor => laid_out(formula, &places, floor, 1.0, |floor| floor as f32),
        };
        let told = (!formula.seen.is_empty()).then(|| Told::new(formula, &places));
        let mut all = vec![0.0; terms];
        places.iter().zip(formula.all).for_each(|(&place, &number)| all[place as usize] = number);
        Some(Table { fours, places, all, amount, floor, told })
    }
}

/// The numbers of postings by the places of terms, and by label.
fn laid_out<N: Copy>(
    formula: &Formula<'_>,
    places: &[u32],
    numbers: &[f64],
    otherwise: N,
    as_n: impl Fn(f64) -> N,
) -> Vec<[N; 4]> {
    let fours = formula.labels.div_ceil(4);
    let mut all = vec![[otherwise; 4]; places.len() * fours];
    for (&place, postings) in places.iter().zip(formula.indptr.windows(2)) {
        let postings = postings[0] as usize..postings[1] as usize;
        for (&label, &number) in formula.label[postings.clone()].iter().zip(&numbers[postings]) {
            all[place as usize * fours + label as usize / 4][label as usize % 4] = as_n(number);
        }
    }
    all
}

/// Copies the numbers of some terms.
#[inline(always)]
fn copy<N: Copy + Into<f64>>(from: &[[N; 4]], fours: usize, places: &[u32], to: &mut Vec<Four>) {
    to.resize(to.len().max(places.len() * fours), Four::ZERO);
    frequent::prefetch_rows(from, fours, places);
    for (to, &place) in to.chunks_exact_mut(fours.max(1)).zip(places) {
        let from = &from[place as usize * fours..][..fours];
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = Four::from(from));
    }
}

/// Adds to the scores of some rows what their terms weigh.
pub(super) fn add(formula: &Formula<'_>, left: &Left<'_>, table: &Table, rows: Range<usize>, scores: &mut [f64]) {
    wide::run(
        #[inline(always)]
        || add_rows(Row::new(formula, left, table), rows, scores),
    );
}

#[inline(always)]
fn add_rows(mut of_row: Row<'_>, rows: Range<usize>, scores: &mut [f64]) {
    for (row, sums) in rows.zip(scores.chunks_exact_mut(of_row.formula.labels.max(1))) {
        of_row.begin(row);
        for (four, sums) in sums.chunks_mut(4).enumerate() {
            let found = match (of_row.floors.is_empty(), of_row.formula.rest.is_empty()) {
                (true, true) => of_row.sums::<false, false>(four),
                (true, false) => of_row.sums::<false, true>(four),
                (false, true) => of_row.sums::<true, false>(four),
                (false, false) => of_row.sums::<true, true>(four),
            };
            sums.copy_from_slice(&found.0[..sums.len()]);
        }
    }
}

/// One row at a time.
struct Row<'a> {
    formula: &'a Formula<'a>,
    left: &'a Left<'a>,
    table: &'a Table,
    row: usize,
    own: usize,
    /// The power of a formula that is taken by few products.
    few_powers: Option<usize>,
    /// By entry: the place of its term, and how often that occurs.
    places: Vec<u32>,
    all: Vec<f64>,
    /// In fours by entry and label: what is left without the row's document.
    amounts: Vec<Four>,
    floors: Vec<Four>,
    /// Entries that count 1 to `MOST_TIMES` times, each in a group, and all others first.
    groups: [Vec<Entry>; MOST_TIMES + 1],
}

/// An entry whose term is left.
#[derive(Clone, Copy)]
struct Entry {
    place: usize,
    /// Where its amounts and floors begin.
    at: usize,
    /// How often it counts; and how much, if not all terms tell as much.
    count: f64,
    times: f64,
    /// How often the term occurs elsewhere, and what that makes an amount.
    all: f64,
    near: f64,
    /// A sum for its worth.
    told: f64,
}

/// Numbers of a row, of four labels.
struct OfRow {
    floor: Four,
    gain: Four,
    whole: Option<Four>,
    rest: Four,
}

impl<'a> Row<'a> {
    #[inline(always)]
    fn new(formula: &'a Formula<'a>, left: &'a Left<'a>, table: &'a Table) -> Self {
        let power = formula.power;
        let is_few = power.fract() == 0.0 && (0.0..=MOST_TIMES as f64).contains(&power);
        let few_powers = is_few.then_some(power as usize);
        let (places, all, amounts, floors, groups) = Default::default();
        Row { formula, left, table, row: 0, own: 0, few_powers, places, all, amounts, floors, groups }
    }

    #[inline(always)]
    fn begin(&mut self, row: usize) {
        let (formula, left, fours) = (self.formula, self.left, self.table.fours);
        (self.row, self.own) = (row, left.own[row] as usize);
        let entries = left.indptr[row] as usize..left.indptr[row + 1] as usize;
        self.copy(&left.term[entries.clone()]);
        self.groups.iter_mut().for_each(Vec::clear);
        for (i, entry) in entries.enumerate() {
            let (at, place, times) = (i * fours, self.places[i] as usize, left.count[entry]);
            let (count, all) = (times as f64, self.all[i] - times as f64);
            if all > 0.0 && times > 0 {
                self.leave(entry, at);
                let near = if formula.by_collection { 1.0 / all } else { 1.0 };
                let group = if formula.is_product() && times <= MOST_TIMES as i64 { times as usize } else { 0 };
                self.groups[group].push(Entry { place, at, count, times: count, all, near, told: 0.0 });
            }
        }
        if let Some(told) = &self.table.told {
            self.heed_worth(told);
        }
        if formula.discount != 0.0 {
            let all = &mut self.amounts[..self.places.len() * fours];
            all.iter_mut().for_each(|four| *four = four.map(|amount| (amount - formula.discount).max(0.0)));
        }
    }

    #[inline(always)]
    fn copy(&mut self, terms: &[u32]) {
        let (table, places) = (self.table, &mut self.places);
        places.clear();
        places.extend(terms.iter().map(|&term| table.places[term as usize]));
        self.all.clear();
        self.all.extend(places.iter().map(|&place| table.all[place as usize]));
        match &table.amount {
            Amounts::Short(amounts) => copy(amounts, table.fours, places, &mut self.amounts),
            Amounts::Long(amounts) => copy(amounts, table.fours, places, &mut self.amounts),
        }
        if !table.floor.is_empty() {
            copy(&table.floor, table.fours, places, &mut self.floors);
        }
        if let Some(told) = &table.told {
            told.prefetch(places);
        }
    }

    /// An entry leaves its own label.
    #[inline(always)]
    fn leave(&mut self, entry: usize, at: usize) {
        let (four, i) = (at + self.own / 4, self.own % 4);
        let amount = &mut self.amounts[four].0[i];
        match self.left.of_own(entry) {
            Some((floor, left)) => {
                *amount = left;
                self.floors[four].0[i] = floor;
            }
            None => *amount = (*amount - self.left.count[entry] as f64).max(0.0),
        }
    }

    /// Each entry counts as much more as its term tells; those of terms that tell nothing go.
    #[inline(always)]
    fn heed_worth(&mut self, told: &Told) {
        let (formula, mut entries) = (self.formula, take(&mut self.groups[0]));
        let gone = self.left.gone(self.row, told.words);
        let change = told.change(formula, &gone);
        for entry in &mut entries {
            entry.told = match &change {
                Some(change) => told.others(change, entry.place),
                None => self.sum_of_told(entry, &gone),
            };
        }
        for four in entries.chunks_mut(4) {
            let [mut sum, mut amount, mut count, mut all] = [Four::ONE; 4];
            for (i, entry) in four.iter().enumerate() {
                (sum.0[i], amount.0[i], count.0[i], all.0[i]) =
                    (entry.told, self.amount(entry, self.own), entry.count, entry.all);
            }
            if let Some(change) = &change {
                sum += change.own(formula.doubt, amount, count);
            }
            let worth = formula.worth(formula.g(sum, all));
            four.iter_mut().zip(worth.0).for_each(|(entry, worth)| entry.times *= worth);
        }
        entries.retain(|entry| entry.times > 0.0);
        self.groups[0] = entries;
    }

    /// The sum that `worth` asks for, label by label.
    fn sum_of_told(&self, entry: &Entry, gone: &Gone) -> f64 {
        let told = |label| self.formula.told(self.amount(entry, label), label, gone);
        (0..self.formula.labels).map(told).sum()
    }

    #[inline(always)]
    fn amount(&self, entry: &Entry, label: usize) -> f64 {
        self.amounts[entry.at + label / 4].0[label % 4]
    }

    /// What all entries add to the scores of four labels; with floors of their own, and a rest, or without.
    #[inline(always)]
    fn sums<const FLOORS: bool, const REST: bool>(&self, four: usize) -> Four {
        let of_row = self.of_row(four);
        let [others, groups @ ..] = &self.groups;
        let mut sums = Four::ZERO;
        // First all numbers and then all logarithms: both are long, and a processor looks ahead only so far. Ones, of
        // terms that none of the four labels has shown, are written over by the next.
        const AT_ONCE: usize = 32;
        let mut numbers = [(Four::ONE, 0.0); AT_ONCE];
        for some in others.chunks(AT_ONCE) {
            let mut kept = 0;
            for entry in some {
                let number = self.raised::<FLOORS, REST>(entry, four, &of_row, &mut sums);
                numbers[kept % AT_ONCE] = (number, entry.times);
                kept += usize::from(number != Four::ONE);
            }
            for (number, times) in &numbers[..kept] {
                sums += Four::all(*times) * number.map(ln);
            }
        }
        for (group, times) in groups.iter().zip(1..) {
            let mut product = Product::ONE;
            for entry in group {
                let (factors, smaller) = self.factors::<FLOORS, REST>(entry, four, &of_row);
                product.multiply(factors * smaller);
            }
            sums += Four::all(f64::from(times)) * product.ln();
        }
        sums
    }

    #[inline(always)]
    fn of_row(&self, four: usize) -> OfRow {
        let formula = self.formula;
        let [gain, whole, rest] = [formula.gain, formula.whole, formula.rest].map(|of| formula.of_row(of, self.row));
        let some = |numbers: &[f64]| (!numbers.is_empty()).then(|| Four::of(&numbers[4 * four..]));
        OfRow {
            floor: Four::all(formula.default_floor()),
            gain: Four::of(&gain[4 * four..]),
            whole: some(whole),
            rest: some(rest).unwrap_or(Four::ONE),
        }
    }

    /// floor + a gain near, and (whole + rest) / (whole - a + rest), of a label or of the term.
    #[inline(always)]
    fn factors<const FLOORS: bool, const REST: bool>(&self, entry: &Entry, four: usize, of: &OfRow) -> (Four, Four) {
        let (a, all) = (self.amounts[entry.at + four], Four::all(entry.all));
        let floors = if FLOORS { self.floors[entry.at + four] } else { of.floor };
        let factors = floors + a * of.gain * Four::all(entry.near);
        if !REST {
            return (factors, Four::ONE);
        }
        let whole = of.whole.unwrap_or(all);
        (factors, (whole + of.rest) / (whole - a + of.rest))
    }

    /// The factors with `smaller` to its power; or its logarithm in the sums, where that takes more than few products.
    #[inline(always)]
    fn raised<const FLOORS: bool, const REST: bool>(
        &self,
        entry: &Entry,
        four: usize,
        of: &OfRow,
        sums: &mut Four,
    ) -> Four {
        let (factors, smaller) = self.factors::<FLOORS, REST>(entry, four, of);
        match self.few_powers {
            _ if !REST => factors,
            Some(3) => factors * smaller * (smaller * smaller), // as by default: without a loop
            Some(power) => (0..power).fold(factors, |product, _| product * smaller),
            None => {
                *sums += Four::all(entry.times * self.formula.power) * smaller.map(ln);
                factors
            }
        }
    }
}
