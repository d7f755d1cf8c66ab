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
//! left[j] (elsewhere[j, r] - amount[e]) + floor
//! ```
//!
//! or, for the label that it leaves, the same without the amount; or nothing, where no other document has the term. As in
//! `left_out`, masses are multiplied, and logarithms taken of few products.

use std::ops::Range;

use crate::Invalid;
use crate::four::Four;
use crate::frequent;
use crate::ln::{Product, ln};
use crate::parts;
use crate::scores::check_postings;
use crate::wide;

/// Numbers for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 16;
/// A logarithm is worth this many products.
const MOST_TIMES: usize = 4;
/// What is said of each row and label.
const NUMBERS: usize = 3;

/// The masses of all terms for all labels.
#[derive(Debug, Clone, Copy)]
pub struct Masses<'a> {
    /// Where the postings of each term begin, and where the last end.
    pub indptr: &'a [i64],
    /// The label of each posting.
    pub label: &'a [u32],
    /// What each posting amounts to: `elsewhere` is what those of a term amount to under all labels but one.
    pub amount: &'a [i64],
    /// What multiplies it, by term.
    pub factor: &'a [f64],
    /// What multiplies what is left of it when a document leaves, by term; negative where no other document has the term.
    pub left: &'a [f64],
    /// What is added to it.
    pub floor: f64,
    /// How many labels there are.
    pub labels: usize,
}

/// What terms amount to elsewhere, and what multiplies it now and then, by the places that they are given; labels in
/// fours.
#[derive(Debug)]
struct Table {
    fours: usize,
    places: Vec<u32>,
    elsewhere: Vec<Four>,
    factors: Vec<(f64, f64)>,
}

impl Table {
    fn new(masses: &Masses<'_>) -> Self {
        let runs = || masses.indptr.windows(2).map(|pair| pair[0] as usize..pair[1] as usize);
        let all: Vec<f64> = runs().map(|run| masses.amount[run].iter().map(|&amount| amount as f64).sum()).collect();
        let (fours, places) = (masses.labels.div_ceil(4), frequent::places(&all));
        let mut elsewhere = vec![Four::ZERO; all.len() * fours];
        let mut factors = vec![(0.0, 0.0); all.len()];
        for (term, (&place, run)) in places.iter().zip(runs()).enumerate() {
            let row = &mut elsewhere[place as usize * fours..][..fours];
            row.fill(Four::all(all[term]));
            run.for_each(|p| {
                row[masses.label[p] as usize / 4].0[masses.label[p] as usize % 4] -= masses.amount[p] as f64
            });
            factors[place as usize] = (masses.factor[term], masses.left[term]);
        }
        Table { fours, places, elsewhere, factors }
    }
}

/// Rows of known terms, whose documents leave.
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// Places in the lexicon.
    pub term: &'a [u32],
    /// How often each counts.
    pub count: &'a [i64],
    /// By entry: what leaves.
    pub amount: &'a [i64],
    /// The label of each row.
    pub own: &'a [u32],
}

/// By label the sum of all masses, and then that of their logarithms. And for each row: by label, by how much these sums
/// grow; and the sum of the logarithms of the row's own terms that are left, as often as they count.
pub fn changes(masses: Masses<'_>, leaving: Leaving<'_>, threads: usize) -> Result<(Vec<f64>, Vec<f64>), Invalid> {
    check(&masses, &leaving)?;
    let (rows, table) = (leaving.own.len(), &Table::new(&masses));
    let parts = parts::count(threads, leaving.term.len() * masses.labels / WORTH_A_THREAD);
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let of_part = |rows| {
        wide::run(
            #[inline(always)]
            || of_part(&masses, table, &leaving, rows),
        )
    };
    let jobs = bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| move || of_part(part));
    let changes = parts::joined(parts::run(jobs.collect()));
    let sums = wide::run(
        #[inline(always)]
        || sums(&masses, table),
    );
    Ok((sums, changes))
}

#[inline(always)]
fn sums(masses: &Masses<'_>, table: &Table) -> Vec<f64> {
    let mut sums = vec![(Four::ZERO, Product::ONE); table.fours];
    for (elsewhere, &(factor, _)) in table.elsewhere.chunks_exact(table.fours.max(1)).zip(&table.factors) {
        for (&elsewhere, (mass, logs)) in elsewhere.iter().zip(&mut sums) {
            let before = Four::all(factor) * elsewhere + Four::all(masses.floor);
            *mass += before;
            logs.multiply(before);
        }
    }
    let by_label = |fours: Vec<Four>| fours.into_iter().flat_map(|four| four.0).take(masses.labels);
    let (mass, logs) = sums.into_iter().map(|(mass, logs)| (mass, logs.ln())).unzip();
    by_label(mass).chain(by_label(logs)).collect()
}

fn check(masses: &Masses<'_>, leaving: &Leaving<'_>) -> Result<(), Invalid> {
    let terms = masses.factor.len();
    check_postings(masses.indptr, masses.label, terms, masses.labels)?;
    check_postings(leaving.indptr, leaving.term, leaving.own.len(), terms)?;
    if leaving.own.iter().any(|&own| own as usize >= masses.labels) {
        return Err(Invalid("the labels of leave-one-out are not those of the masses"));
    }
    let of_masses = masses.left.len() == terms && masses.amount.len() == masses.label.len();
    if !of_masses || [leaving.count.len(), leaving.amount.len()] != [leaving.term.len(); 2] {
        return Err(Invalid("the buffers of leave-one-out differ in length"));
    }
    Ok(())
}

/// An entry, with the numbers of its term.
struct Entry {
    /// Where what it amounts to elsewhere begins, in fours by label.
    at: usize,
    count: f64,
    amount: f64,
    factor: f64,
    left: f64,
}

/// The entries of a row, and what their terms amount to elsewhere: of terms that go; of those that stay, which count 1 to `MOST_TIMES` times, each in a group; and
/// the others first.
#[derive(Default)]
struct Entries {
    places: Vec<u32>,
    factors: Vec<(f64, f64)>,
    elsewhere: Vec<Four>,
    gone: Vec<Entry>,
    groups: [Vec<Entry>; MOST_TIMES + 1],
}

impl Entries {
    #[inline(always)]
    fn fill(&mut self, table: &Table, leaving: &Leaving<'_>, row: usize) {
        let entries = leaving.indptr[row] as usize..leaving.indptr[row + 1] as usize;
        self.copy(table, &leaving.term[entries.clone()]);
        self.gone.clear();
        self.groups.iter_mut().for_each(Vec::clear);
        for (i, entry) in entries.enumerate() {
            let (at, times) = (i * table.fours, usize::try_from(leaving.count[entry]).unwrap_or(0));
            let (count, amount) = (times as f64, leaving.amount[entry] as f64);
            let (factor, left) = self.factors[i];
            let group = match times {
                _ if left < 0.0 => &mut self.gone,
                1..=MOST_TIMES => &mut self.groups[times],
                _ => &mut self.groups[0],
            };
            group.push(Entry { at, count, amount, factor, left });
        }
    }

    /// Copies what terms amount to elsewhere.
    #[inline(always)]
    fn copy(&mut self, table: &Table, terms: &[u32]) {
        let fours = table.fours;
        self.places.clear();
        self.places.extend(terms.iter().map(|&term| table.places[term as usize]));
        self.factors.clear();
        self.factors.extend(self.places.iter().map(|&place| table.factors[place as usize]));
        self.elsewhere.resize(self.elsewhere.len().max(terms.len() * fours), Four::ZERO);
        frequent::prefetch_rows(&table.elsewhere, fours, &self.places);
        for (to, &place) in self.elsewhere.chunks_exact_mut(fours.max(1)).zip(&self.places) {
            to.copy_from_slice(&table.elsewhere[place as usize * fours..][..fours]);
        }
    }
}

#[inline(always)]
fn of_part(masses: &Masses<'_>, table: &Table, leaving: &Leaving<'_>, rows: Range<usize>) -> Vec<f64> {
    let labels = masses.labels;
    let mut all = vec![0.0; rows.len() * NUMBERS * labels];
    let mut entries = Entries::default();
    for (row, all) in rows.zip(all.chunks_exact_mut((NUMBERS * labels).max(1))) {
        entries.fill(table, leaving, row);
        for (four, start) in (0..labels).step_by(4).enumerate() {
            let mut others = Four::ONE;
            if let Some(own) = (leaving.own[row] as usize).checked_sub(start).and_then(|own| others.0.get_mut(own)) {
                *own = 0.0;
            }
            let found = changes_of(masses.floor, &entries, four, others);
            for (all, four) in all.chunks_exact_mut(labels).zip(found) {
                all[start..].iter_mut().zip(four.0).for_each(|(all, number)| *all = number);
            }
        }
    }
    all
}

/// What changes for four labels; `others` is 0 for the own label, and 1 for any other.
#[inline(always)]
fn changes_of(floor: f64, entries: &Entries, four: usize, others: Four) -> [Four; NUMBERS] {
    let floor = Four::all(floor);
    let elsewhere = |entry: &Entry| entries.elsewhere[entry.at + four];
    let (mut mass, mut logs, mut counted, mut all_before) = (Four::ZERO, Four::ZERO, Four::ZERO, Product::ONE);
    for entry in &entries.gone {
        let before = Four::all(entry.factor) * elsewhere(entry) + floor;
        mass = mass - before;
        all_before.multiply(before);
    }
    let mut after = |entry: &Entry| {
        let elsewhere = elsewhere(entry);
        let before = Four::all(entry.factor) * elsewhere + floor;
        let after = Four::all(entry.left) * (elsewhere - Four::all(entry.amount) * others) + floor;
        mass += after - before;
        all_before.multiply(before);
        after
    };
    let [rest, groups @ ..] = &entries.groups;
    for entry in rest {
        let log = after(entry).map(ln);
        logs += log;
        counted += Four::all(entry.count) * log;
    }
    for (group, times) in groups.iter().zip(1..) {
        let mut product = Product::ONE;
        group.iter().for_each(|entry| product.multiply(after(entry)));
        logs += product.ln();
        counted += Four::all(f64::from(times)) * product.ln();
    }
    [mass, logs - all_before.ln(), counted]
}

#[cfg(test)]
mod tests {
    use super::*;

    // Elsewhere: 4 and 1, 0 and 2, 3 and 1.
    const MASSES: Masses<'_> = Masses {
        indptr: &[0, 2, 3, 5],
        label: &[0, 1, 0, 0, 1],
        amount: &[1, 4, 2, 1, 3],
        factor: &[1.0, 0.5, 2.0],
        left: &[2.0, 1.0, -1.0],
        floor: 0.5,
        labels: 2,
    };
    const LEAVING: Leaving<'_> = Leaving { indptr: &[0, 2], term: &[0, 2], count: &[7, 1], amount: &[1, 1], own: &[1] };

    #[test]
    fn masses_change_for_the_terms_of_the_row() {
        let found = changes(MASSES, LEAVING, 1).unwrap().1;
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
    fn masses_and_their_logarithms_are_summed() {
        let found = changes(MASSES, LEAVING, 1).unwrap().0;
        let logs: [f64; 2] = [4.5f64.ln() + 0.5f64.ln() + 6.5f64.ln(), 1.5f64.ln() + 1.5f64.ln() + 2.5f64.ln()];
        assert_eq!(found[..2], [11.5, 5.5]);
        assert!(found[2..].iter().zip(logs).all(|(sum, log)| (sum - log).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn no_product_is_too_small() {
        let tiny = Masses { floor: 1e-300, amount: &[0; 5], left: &[1.0; 3], ..MASSES };
        let found = changes(tiny, Leaving { amount: &[0; 2], count: &[3, 2], ..LEAVING }, 1).unwrap().1;
        assert!((found[4] - 5.0 * 1e-300_f64.ln()).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(changes(Masses { factor: &[1.0], ..MASSES }, LEAVING, 1).is_err());
        assert!(changes(Masses { labels: 1, ..MASSES }, LEAVING, 1).is_err());
        assert!(changes(Masses { left: &[1.0], ..MASSES }, LEAVING, 1).is_err());
        assert!(changes(MASSES, Leaving { amount: &[1], ..LEAVING }, 1).is_err());
        assert!(changes(MASSES, Leaving { own: &[2], ..LEAVING }, 1).is_err());
        assert!(changes(MASSES, Leaving { term: &[0, 3], ..LEAVING }, 1).is_err());
    }
}
