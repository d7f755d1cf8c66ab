//! Very many labels: the greatest scores of a text, and their probabilities, without a number for every label.
//!
//! A label that has none of a text's terms scores `bias + n absent`, where n is how many known terms there are: which of
//! them score most, and the sum of all, are functions of n alone, and kept. Only labels that share a term with the text
//! are to be corrected. Frequent terms are shared by nearly all labels; so where only the greatest score is asked for, not
//! even all of those are looked at (`threshold`). All scores are the same sums, in the same order, as those of
//! [`Scorer::scores`](crate::scores::Scorer::scores).

mod met;
mod threshold;

use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use self::met::{Greatest, Met};
use self::threshold::{List, Threshold};
use crate::calibration::Calibration;
use crate::decision::sum;
use crate::scores::{Scorecard, falling};

/// For so many numbers of known terms, what labels score that have none of them is kept.
const KEPT: usize = 1024;
/// For fewer known terms than this, it is kept of every label.
const SHARED: f64 = 16.0;
/// How many of those labels are kept in order.
const FIRST: usize = 64;
/// Of parts that cancel, a sum is as exact as it need be where they are at most so many times as much.
const HARMLESS: f64 = 16.0;

/// A label, and its score or log probability.
pub type Scored = (u32, f64);

/// What makes a scorecard of very many labels quick to ask; made as it is needed.
#[derive(Debug)]
pub(crate) struct Many {
    bases: Vec<OnceLock<Base>>,
    threshold: Threshold,
    /// What threads work with, while none does.
    idle: Mutex<Vec<Scratch>>,
}

/// The scores of labels that have none of a text's terms: the first in falling order, the log of the sum of all, and the
/// share of each in it.
#[derive(Debug)]
struct Base {
    first: Vec<u32>,
    log_sum: f64,
    shares: Option<Vec<f64>>,
}

/// What is needed for one text after another.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    lists: Vec<List>,
    met: Met,
    greatest: Greatest,
}

/// A text: its known terms, each once and in order, with how often it stands there; how many that makes; and what its
/// scores are multiplied with before they are probabilities, which follows from that.
struct Row<'a> {
    card: &'a Scorecard,
    terms: &'a [(u32, i64)],
    known: f64,
    factor: f64,
}

impl<'a> Row<'a> {
    fn new(card: &'a Scorecard, calibration: Option<&Calibration>, terms: &'a [(u32, i64)]) -> Self {
        let known = terms.iter().map(|&(_, count)| times(card, count)).sum();
        let factor = calibration.and_then(|calibration| calibration.factor_of_length(known)).unwrap_or(1.0);
        Row { card, terms, known, factor }
    }

    fn labels(&self) -> u32 {
        self.card.bias.len() as u32
    }

    /// What a label scores that has none of the terms.
    #[inline]
    fn base(&self, label: u32) -> f64 {
        self.card.bias[label as usize] + self.known * self.card.absent[label as usize]
    }

    /// The scores of all labels that have one of the terms; of all that there are, where that is less work.
    fn add(&self, met: &mut Met) {
        let Scorecard { bias, absent, .. } = self.card;
        met.clear(bias.len());
        let postings: usize = self.terms.iter().map(|&(term, _)| postings(self.card, term).len()).sum();
        if postings >= bias.len() {
            met.add_all(bias);
            self.each_posting(|label, weight| met.scores[label as usize] += weight);
        } else {
            self.each_posting(|label, weight| {
                let before = if met.add(label) { bias[label as usize] } else { met.scores[label as usize] };
                met.scores[label as usize] = before + weight;
            });
        }
        for r in met.labels.iter().map(|&label| label as usize) {
            met.scores[r] += self.known * absent[r];
        }
    }

    #[inline]
    fn each_posting(&self, mut emit: impl FnMut(u32, f64)) {
        for &(term, count) in self.terms {
            let (postings, times) = (postings(self.card, term), times(self.card, count));
            let weights = self.card.weight[postings.clone()].iter();
            self.card.label[postings].iter().zip(weights).for_each(|(&label, weight)| emit(label, times * weight));
        }
    }
}

fn postings(card: &Scorecard, term: u32) -> Range<usize> {
    card.indptr[term as usize] as usize..card.indptr[term as usize + 1] as usize
}

fn times(card: &Scorecard, count: i64) -> f64 {
    if card.binary { 1.0 } else { count as f64 }
}

impl Many {
    pub(crate) fn new(card: &Scorecard) -> Self {
        Many {
            bases: (0..KEPT).map(|_| OnceLock::new()).collect(),
            threshold: Threshold::new(card),
            idle: Mutex::default(),
        }
    }

    /// Does some work with what is kept for it from call to call.
    pub(crate) fn with_scratch<R>(&self, work: impl FnOnce(&mut Scratch) -> R) -> R {
        let mut scratch = self.idle.lock().ok().and_then(|mut idle| idle.pop()).unwrap_or_default();
        let done = work(&mut scratch);
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(scratch);
        }
        done
    }

    /// The label of the greatest score; of equal ones the first.
    pub(crate) fn best(&self, card: &Scorecard, terms: &[(u32, i64)], scratch: &mut Scratch) -> u32 {
        let row = Row::new(card, None, terms);
        if !self.threshold.search(&row, scratch) {
            self.by_adding(&row, 1, scratch);
        }
        scratch.greatest.found.first().map_or(0, |best| best.0)
    }

    /// Calls `emit` with the labels of the greatest scores, in falling order, and their log probabilities.
    pub(crate) fn top(
        &self,
        card: &Scorecard,
        calibration: Option<&Calibration>,
        terms: &[(u32, i64)],
        most: usize,
        scratch: &mut Scratch,
        emit: impl FnMut(Scored),
    ) {
        let row = Row::new(card, calibration, terms);
        self.by_adding(&row, most, scratch);
        let Scratch { met, greatest, .. } = scratch;
        let log_sum = greatest.found.first().map_or(0.0, |best| self.log_sum(&row, met, best.1));
        greatest.found.iter().map(|&(label, score)| (label, row.factor * score - log_sum)).for_each(emit);
    }

    /// Finds the greatest scores by adding up those of all labels that have one of the terms.
    fn by_adding(&self, row: &Row<'_>, most: usize, scratch: &mut Scratch) {
        let Scratch { met, greatest, .. } = scratch;
        row.add(met);
        greatest.clear(most);
        for &label in &met.labels {
            greatest.offer(label, met.scores[label as usize]);
        }
        self.offer_others(row, met, greatest);
    }

    /// Offers labels that were not met, as far as they can be among the greatest.
    fn offer_others(&self, row: &Row<'_>, met: &Met, greatest: &mut Greatest) {
        self.with_base(row, |base| {
            let others = base.first.iter().copied().filter(|&label| !met.has(label)).take(greatest.most);
            let is_beaten = base.first.last().is_some_and(|&last| row.base(last) < greatest.least());
            if is_beaten || base.first.len() == row.card.bias.len() || others.clone().count() == greatest.most {
                others.for_each(|label| greatest.offer(label, row.base(label)));
            } else {
                let others = (0..row.labels()).filter(|&label| !met.has(label));
                others.for_each(|label| greatest.offer(label, row.base(label)));
            }
        });
    }

    /// Hands over what depends on the number of known terms alone.
    fn with_base<R>(&self, row: &Row<'_>, work: impl FnOnce(&Base) -> R) -> R {
        match self.bases.get(row.known as usize) {
            Some(kept) => work(kept.get_or_init(|| Base::new(row))),
            None => work(&Base::new(row)),
        }
    }

    /// The log of the sum of all labels' exponentiated scores, each times the row's factor; the greatest is given.
    fn log_sum(&self, row: &Row<'_>, met: &Met, greatest: f64) -> f64 {
        let score = |label: u32| if met.has(label) { met.scores[label as usize] } else { row.base(label) };
        let greatest = row.factor * greatest;
        // What is so much less than the greatest is lost in rounding, all labels of it together.
        let least = greatest - 40.0 - f64::from(row.labels()).ln();
        let exp = |score: f64| {
            let score = row.factor * score;
            if score < least { 0.0 } else { (score - greatest).exp() }
        };
        if let Some(all) = self.with_base(row, |base| base.corrected(row, met, greatest, exp)) {
            return greatest + all.ln();
        }
        greatest + sum((0..row.labels()).map(|label| exp(score(label)))).ln()
    }
}

impl Base {
    /// The sum of all labels' exponentiated scores, from that of those that have none of the terms; unless making it
    /// of all labels anew takes less, or parts of the sum cancel.
    fn corrected(&self, row: &Row<'_>, met: &Met, greatest: f64, exp: impl Fn(f64) -> f64) -> Option<f64> {
        if met.labels.len() == row.card.bias.len() {
            return None;
        }
        let (whole, labels) = ((self.log_sum - greatest).exp(), met.labels.iter());
        let part = match &self.shares {
            Some(shares) => whole * sum(labels.map(|&label| shares[label as usize])),
            None if 2 * met.labels.len() < row.card.bias.len() => sum(labels.map(|&label| exp(row.base(label)))),
            None => return None,
        };
        let all = (whole - part).max(0.0) + sum(met.labels.iter().map(|&label| exp(met.scores[label as usize])));
        (whole <= all * HARMLESS).then_some(all)
    }

    fn new(row: &Row<'_>) -> Self {
        let mut first: Vec<u32> = (0..row.labels()).collect();
        let order = |a: &u32, b: &u32| falling(row.base(*a), row.base(*b)).then(a.cmp(b));
        if first.len() > FIRST {
            first.select_nth_unstable_by(FIRST, order);
            first.truncate(FIRST);
        }
        first.sort_unstable_by(order);
        let greatest = first.first().map_or(0.0, |&label| row.base(label));
        let exp = |label| (row.factor * (row.base(label) - greatest)).exp();
        let all = sum((0..row.labels()).map(exp));
        let share = |label| exp(label) / all;
        let shares = (row.known < SHARED).then(|| (0..row.labels()).map(share).collect());
        Base { first, log_sum: row.factor * greatest + all.ln(), shares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::log_posterior;
    use crate::lexicon::{Lexicon, Names};
    use crate::scores::Scorer;
    use crate::terms::Terms;

    const NUMBERS: u64 = 0x9E37_79B9_7F4A_7C15;

    /// Numbers that look random: one after another, below a limit.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_add(NUMBERS);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            ((mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33) % limit
        }

        /// A few different ones, so that scores are often equal.
        fn weight(&mut self, least: f64) -> f64 {
            least + self.below(9) as f64 / 4.0
        }
    }

    /// 40 terms of which each next one has fewer labels, the first nearly all.
    fn card(numbers: &mut Numbers, labels: u32, least: f64, binary: bool) -> Scorecard {
        let (mut indptr, mut label) = (vec![0], Vec::new());
        for term in 0..40 {
            label.extend((0..labels).filter(|_| numbers.below(10 + 10 * term) < 9));
            indptr.push(label.len() as i64);
        }
        let weight = label.iter().map(|_| numbers.weight(least)).collect();
        let mut of_labels = || (0..labels).map(|_| numbers.weight(-4.0)).collect();
        Scorecard { bias: of_labels(), absent: of_labels(), indptr: indptr.into(), label: label.into(), weight, binary }
    }

    /// All that is asked of many labels, beside the scores of all.
    fn check(numbers: &mut Numbers, labels: u32, least: f64, binary: bool) {
        let names = Names::new(
            (10..50).map(|name| name.to_string()).collect::<String>().into(),
            (0..=40).map(|at| 2 * at).collect(),
        );
        let lexicon = Lexicon::new(Terms::default(), names.unwrap()).unwrap();
        let scorer = Scorer::new(card(numbers, labels, least, binary), 40).unwrap();
        let text =
            |numbers: &mut Numbers| (0..numbers.below(6)).map(|_| format!("{} ", 10 + numbers.below(45))).collect();
        let texts: Vec<String> = (0..60).map(|_| text(numbers)).collect();
        let (best, top) = (scorer.best(&lexicon, &texts, 1), scorer.top(&lexicon, &texts, 70, 1));
        let scores = scorer.scores(&lexicon, &texts, 1);
        for ((row, best), top) in scores.chunks(labels as usize).zip(best).zip(top.chunks(70)) {
            let mut order: Vec<u32> = (0..labels).collect();
            order.sort_by(|&a, &b| falling(row[a as usize], row[b as usize]));
            assert_eq!(best, order[0]);
            assert_eq!(top.iter().map(|found| found.0).collect::<Vec<_>>(), order[..70]);
            let mut log_p = row.to_vec();
            log_posterior(&mut log_p);
            assert!(top.iter().all(|&(label, found)| (found - log_p[label as usize]).abs() < 1e-12));
        }
    }

    #[test]
    fn the_greatest_are_those_of_all_labels() {
        let mut numbers = Numbers(7);
        for labels in [70, 300, 2000] {
            for (least, binary) in [(0.0, false), (0.0, true), (-1.0, false), (-9.0, false)] {
                check(&mut numbers, labels, least, binary);
            }
        }
    }

    #[test]
    fn few_labels_are_tried_where_one_stands_out() {
        let labels = 5000;
        let weight = (0..labels).map(|label| if label == 1234 { 9.0 } else { f64::from(label % 7) / 7.0 });
        let card = Scorecard {
            bias: vec![-1.0; labels as usize],
            absent: vec![-2.0; labels as usize],
            indptr: vec![0, i64::from(labels), 2 * i64::from(labels)].into(),
            label: (0..labels).chain(0..labels).collect(),
            weight: weight.clone().chain(weight).collect(),
            binary: false,
        };
        let (many, mut scratch) = (Many::new(&card), Scratch::default());
        assert_eq!(many.best(&card, &[(0, 1), (1, 3)], &mut scratch), 1234);
        assert!(scratch.met.labels.len() < 5);
    }
}
