//! Any corpora: leaving one out, side by side or by postings, is what the formula says; of very many labels the first are
//! those of the greatest scores; what unlabelled texts are expected to hold adds up to what they hold.
#![no_main]

use deciban_core::counts::Counts;
use deciban_core::left_out::{self, Formula, Left};
use deciban_core::lexicon::Lexicon;
use deciban_core::mixture::Unlabelled;
use deciban_core::rows::{Rows, rows};
use deciban_core::scores::{Scorecard, Scorer};
use deciban_core::tally::Tally;
use deciban_core::terms::Terms;
use libfuzzer_sys::fuzz_target;

/// Labels of which some are never met: as many as are laid out side by side, and as are asked by their postings.
const FEW: usize = 5;
const MANY: usize = 150;

#[derive(Debug, arbitrary::Arbitrary)]
struct Given {
    corpus: Vec<(Vec<u8>, u8)>,
    unlabelled: Vec<Vec<u8>>,
    by_collection: bool,
    has_rest: bool,
    has_worth: bool,
    strict: bool,
    discount: bool,
    power: u8,
    binary: bool,
}

/// Words as they are counted: where postings begin, whose they are, how often each term occurs, and each label has any.
struct Model {
    counts: Counts,
    amount: Vec<f64>,
    all: Vec<f64>,
    seen: Vec<f64>,
    rows: Rows,
    own: Vec<u32>,
    lexicon: Lexicon,
}

/// A text of few words, so that texts share them.
fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("word{} ", byte % 12)).collect()
}

fn model(corpus: &[(Vec<u8>, u8)], labels: usize) -> Model {
    let texts: Vec<_> = corpus.iter().map(|(bytes, _)| text(bytes)).collect();
    let own: Vec<_> = corpus.iter().map(|&(_, label)| u32::from(label) % labels as u32).collect();
    let mut tally = Tally::new(Terms::default(), 1);
    tally.add(&texts, &own, || false).expect("few texts are never too many");
    let met: Vec<_> = (0..own.iter().max().map_or(0, |&most| most + 1)).collect();
    let (counts, _) = tally.take(&met).expect("the numbers are those of the labels");
    let lexicon = Lexicon::new(Terms::default(), counts.names.clone()).expect("few terms");
    let amount: Vec<_> = counts.occurrences.iter().map(|&n| n as f64).collect();
    let of_term = |pair: &[i64]| amount[pair[0] as usize..pair[1] as usize].iter().sum();
    let all = counts.indptr.windows(2).map(of_term).collect();
    let mut seen = vec![0.0; labels];
    counts.label.iter().zip(&amount).for_each(|(&label, n)| seen[label as usize] += n);
    let rows = rows(&lexicon, &texts, 1);
    Model { counts, amount, all, seen, rows, own, lexicon }
}

impl Model {
    fn left(&self) -> Left<'_> {
        let Rows { indptr, term, count } = &self.rows;
        Left { indptr, term, count, own: &self.own, own_floor: &[], own_amount: &[] }
    }

    /// How often labels show a term, without a document.
    fn amounts(&self, term: usize, row: usize, times: f64, labels: usize) -> Vec<f64> {
        let mut amounts = vec![0.0; labels];
        for posting in self.counts.indptr[term] as usize..self.counts.indptr[term + 1] as usize {
            amounts[self.counts.label[posting] as usize] = self.amount[posting];
        }
        amounts[self.own[row] as usize] -= times;
        amounts
    }

    /// The sums as the formula has them, one logarithm after the other.
    fn plain(&self, formula: &Formula<'_>) -> Vec<f64> {
        let mut sums = vec![0.0; self.own.len() * formula.labels];
        for row in 0..self.own.len() {
            let entries = self.rows.indptr[row] as usize..self.rows.indptr[row + 1] as usize;
            let length: f64 = self.rows.count[entries.clone()].iter().map(|&count| count as f64).sum();
            for entry in entries {
                let (term, times) = (self.rows.term[entry] as usize, self.rows.count[entry] as f64);
                let all = self.all[term] - times;
                if all <= 0.0 {
                    continue;
                }
                let amounts = self.amounts(term, row, times, formula.labels);
                let worth = self.worth(formula, &amounts, all, self.own[row] as usize, length);
                for (label, &amount) in amounts.iter().enumerate() {
                    let a = if amount > 0.0 { amount - formula.discount } else { 0.0 };
                    let near = if formula.by_collection { 1.0 / all } else { 1.0 };
                    let floor = if formula.strict { 0.0 } else { 1.0 };
                    let rest = formula.rest.get(label).map_or(0.0, |t| ((all + t) / (all - a + t)).ln());
                    let added = (floor + a * formula.gain[label] * near).ln() + formula.power * rest;
                    if worth > 0.0 {
                        sums[row * formula.labels + label] += times * worth * added;
                    }
                }
            }
        }
        sums
    }

    fn worth(&self, formula: &Formula<'_>, amounts: &[f64], all: f64, own: usize, length: f64) -> f64 {
        if formula.seen.is_empty() {
            return 1.0;
        }
        let words = self.seen.iter().sum::<f64>() - length;
        let told = |(label, &n): (usize, &f64)| {
            let q = (self.seen[label] - if label == own { length } else { 0.0 }) / words;
            if n > 0.0 { n * ((n - 1.0) / q + formula.doubt).ln() } else { 0.0 }
        };
        let sum: f64 = amounts.iter().enumerate().map(told).sum();
        (sum / all - ((all - 1.0).max(0.0) + formula.doubt).ln()).max(0.0)
    }
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (one, other) in found.iter().zip(expected) {
        assert!(one == other || (one - other).abs() <= 1e-7 * one.abs().max(1.0), "{one} {other}");
    }
}

fn leaves_one_out(given: &Given, labels: usize) {
    let model = model(&given.corpus, labels);
    let has_worth = given.has_worth && !given.strict;
    let gain: Vec<_> = (0..labels).map(|label| 0.5 + label as f64).collect();
    let formula = Formula {
        indptr: &model.counts.indptr,
        label: &model.counts.label,
        amount: &model.amount,
        discount: if given.discount { 0.5 } else { 0.0 },
        floor: &[],
        all: &model.all,
        gain: &gain,
        by_collection: given.by_collection,
        whole: &[],
        rest: if given.has_rest { &gain } else { &[] },
        power: f64::from(given.power % 9) / 2.0,
        seen: if has_worth { &model.seen } else { &[] },
        doubt: 10.0,
        eta: 1.0,
        labels,
        strict: given.strict,
    };
    let found = left_out::beyond(formula, model.left(), 2).expect("rows of this lexicon");
    assert_near(&found, &model.plain(&formula));
}

fn finds_the_first_of_many(given: &Given) {
    let Model { counts, amount, lexicon, .. } = model(&given.corpus, MANY);
    let card = Scorecard {
        bias: (0..MANY).map(|label| -((label % 7) as f64)).collect(),
        absent: (0..MANY).map(|label| -((label % 3) as f64)).collect(),
        indptr: counts.indptr.into(),
        label: counts.label.into(),
        weight: amount.into(),
        binary: given.binary,
    };
    let scorer = Scorer::new(card, counts.names.len()).expect("a scorecard of these very counts");
    let texts: Vec<_> = given.unlabelled.iter().map(|bytes| text(bytes)).collect();
    let scores = scorer.scores(&lexicon, &texts, 1);
    let (best, top) = (scorer.best(&lexicon, &texts, 1), scorer.top(&lexicon, &texts, 3, 1));
    for ((scores, &best), top) in scores.chunks_exact(MANY).zip(&best).zip(top.chunks_exact(3)) {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        assert_eq!((scores[best as usize], top[0].0), (most, best));
        for &(label, log_p) in top {
            assert_near(&[log_p], &[scores[label as usize] - most - sum.ln()]);
        }
    }
}

fn shares_out_what_there_is(given: &Given) {
    let model = model(&given.corpus, FEW);
    let found = rows(&model.lexicon, &given.unlabelled.iter().map(|bytes| text(bytes)).collect::<Vec<_>>(), 1);
    let terms = model.all.len();
    let texts = Unlabelled::new(found.clone(), terms, given.binary).expect("rows of this lexicon");
    let weights: Vec<_> = (0..terms * FEW).map(|place| -((place % 11) as f64)).collect();
    let (p, evidence) = texts.posteriors(&weights, &[-1.0; FEW], 1).expect("weights of this lexicon");
    assert!(evidence.iter().all(|evidence| evidence.is_finite()));
    p.chunks_exact(FEW).for_each(|p| assert_near(&[p.iter().sum()], &[1.0]));
    let expected = texts.expected(&p, FEW, 1).expect("posteriors of these texts");
    let all: f64 = found.count.iter().map(|&count| if given.binary { 1.0 } else { count as f64 }).sum();
    assert_near(&[expected.iter().sum()], &[all]);
}

fuzz_target!(|given: Given| {
    leaves_one_out(&given, FEW);
    leaves_one_out(&given, MANY);
    finds_the_first_of_many(&given);
    shares_out_what_there_is(&given);
});
