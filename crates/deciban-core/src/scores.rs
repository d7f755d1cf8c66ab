//! Texts -> scores: the sum of the weights of what is seen.

mod adding;
mod brief;
mod card;
mod coarse;
mod layout;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use self::adding::each_row;
use self::brief::Brief;
pub use self::card::Scorecard;
pub(crate) use self::card::check_postings;
use self::card::possible;
use self::coarse::Coarse;
use self::layout::Layout;
use crate::Invalid;
use crate::calibration::Calibration;
use crate::decision::log_posterior;
use crate::lexicon::Lexicon;
use crate::many::{Many, Scored};
use crate::pairs::Pairs;
use crate::parts;
use crate::scaled::{Scaled, Scaling};

/// Labels that stand side by side, and are added at once.
const SIDE_BY_SIDE: usize = 4;
/// Up to this many labels, and this many numbers, all weights of a term are kept in one dense row.
const DENSE_LABELS: usize = 64;
const DENSE_NUMBERS: usize = 1 << 26;

/// What tells labels without their scores, in most texts.
#[derive(Debug)]
enum Teller {
    Brief(Brief),
    Coarse(Coarse),
}

/// A scorecard that has been checked, and is laid out for adding once there is much to add.
#[derive(Debug)]
pub struct Scorer {
    card: Scorecard,
    pairs: Pairs,
    scaled: Option<Scaled>,
    calibration: Option<Calibration>,
    is_dense: bool,
    scored: AtomicUsize,
    layout: OnceLock<Layout>,
    told: AtomicUsize,
    teller: OnceLock<Option<Teller>>,
    many: OnceLock<Many>,
}

impl Scorer {
    /// Checks a scorecard of `terms` terms.
    pub fn new(card: Scorecard, terms: usize) -> Result<Self, Invalid> {
        let labels = card.bias.len();
        let is_dense = (1..=DENSE_LABELS).contains(&labels) && terms.saturating_mul(labels) <= DENSE_NUMBERS;
        Ok(Scorer { is_dense, ..Scorer::with_groups(card, terms, 1)? })
    }

    /// Checks a scorecard whose rows are scaled: its postings are of groups and labels.
    pub fn scaled(card: Scorecard, scaling: Scaling, lexicon: &Lexicon) -> Result<Self, Invalid> {
        let scaled = Scaled::new(scaling, lexicon)?;
        let scorer = Scorer::with_groups(card, lexicon.names().len(), scaled.groups())?;
        if scorer.card.absent.iter().any(|&weight| weight != 0.0) {
            return Err(Invalid("a term that has no weight adds nothing to rows that are scaled"));
        }
        Ok(Scorer { scaled: Some(scaled), ..scorer })
    }

    fn with_groups(card: Scorecard, terms: usize, groups: usize) -> Result<Self, Invalid> {
        let columns = card.bias.len().checked_mul(groups).ok_or(Invalid("the scorecard has too many groups"))?;
        check_postings(&card.indptr, &card.label, terms, columns)?;
        if card.absent.len() != card.bias.len() || card.weight.len() != card.label.len() {
            return Err(Invalid("the scorecard's buffers differ in length"));
        }
        if !possible(&card.bias) || !(possible(&card.absent) || card.is_strict()) || !possible(&card.weight) {
            return Err(Invalid("the scorecard holds a weight that no model has"));
        }
        Ok(Scorer {
            card,
            pairs: Pairs::default(),
            scaled: None,
            calibration: None,
            is_dense: false,
            scored: AtomicUsize::new(0),
            layout: OnceLock::new(),
            told: AtomicUsize::new(0),
            teller: OnceLock::new(),
            many: OnceLock::new(),
        })
    }

    /// The same, with pairs of terms that add to the scores too.
    pub fn with_pairs(self, pairs: Pairs) -> Result<Self, Invalid> {
        pairs.check(self.card.indptr.len() - 1, self.labels())?;
        if !self.card.binary {
            return Err(Invalid("pairs are of a scorecard whose terms count once a text"));
        }
        if !possible(&pairs.weight) {
            return Err(Invalid("the scorecard holds a weight that no model has"));
        }
        Ok(Scorer { pairs, ..self })
    }

    /// The same, with scores that are calibrated.
    pub fn calibrated(self, calibration: Calibration) -> Result<Self, Invalid> {
        calibration.check(self.labels())?;
        Ok(Scorer { calibration: Some(calibration), ..self })
    }

    /// How many labels there are.
    pub fn labels(&self) -> usize {
        self.card.bias.len()
    }

    /// The scores of some texts: one row a text, one column a label.
    pub fn scores<T: AsRef<str> + Sync>(&self, lexicon: &Lexicon, texts: &[T], threads: usize) -> Vec<f64> {
        let rows = |part: &[T]| {
            let mut all = Vec::with_capacity(part.len() * self.labels());
            self.each(lexicon, part, self.calibration.as_ref(), |scores| all.extend_from_slice(scores));
            all
        };
        parts::joined(parts::run(parts::cut(texts, threads).into_iter().map(|part| || rows(part)).collect()))
    }

    /// The label of the greatest score of each text; of equal ones the first.
    pub fn best<T: AsRef<str> + Sync>(&self, lexicon: &Lexicon, texts: &[T], threads: usize) -> Vec<u32> {
        let labels = |part: &[T]| {
            let mattering = self.mattering();
            if mattering.is_none()
                && let Some(teller) = self.teller(lexicon, parts::bytes(part))
            {
                let otherwise = |text: &T| {
                    lexicon.expect(text.as_ref().len());
                    self.best_of_one(lexicon, text)
                };
                return match teller {
                    Teller::Brief(brief) => brief.labels(lexicon, part, otherwise),
                    Teller::Coarse(coarse) => coarse.labels(lexicon, part, otherwise),
                };
            }
            let mut all = Vec::with_capacity(part.len());
            if mattering.is_some() || !self.is_sparse() {
                self.each(lexicon, part, mattering, |scores| all.push(greatest(scores)));
            } else {
                let many = self.many();
                many.with_scratch(|scratch| {
                    each_row(lexicon, part, |row| all.push(many.best(&self.card, row, scratch)));
                });
            }
            all
        };
        parts::joined(parts::run(parts::cut(texts, threads).into_iter().map(|part| || labels(part)).collect()))
    }

    /// The labels of the greatest scores of each text, `most` of them or all that there are, in falling order, and their
    /// log probabilities; of equal ones the first.
    pub fn top<T: AsRef<str> + Sync>(
        &self,
        lexicon: &Lexicon,
        texts: &[T],
        most: usize,
        threads: usize,
    ) -> Vec<Scored> {
        let most = most.min(self.labels());
        let labels = |part: &[T]| {
            let mut all = Vec::with_capacity(part.len() * most);
            if !self.is_sparse() || !self.is_of_length() {
                self.each(lexicon, part, self.calibration.as_ref(), |scores| all.extend(first(scores, most)));
            } else {
                let (many, card, calibration) = (self.many(), &self.card, self.calibration.as_ref());
                many.with_scratch(|scratch| {
                    let mut top = |row: &[_]| many.top(card, calibration, row, most, scratch, |label| all.push(label));
                    each_row(lexicon, part, &mut top);
                });
            }
            all
        };
        parts::joined(parts::run(parts::cut(texts, threads).into_iter().map(|part| || labels(part)).collect()))
    }

    /// Makes ready for labels of so many more bytes of text.
    pub fn expect(&self, lexicon: &Lexicon, bytes: usize) {
        if self.mattering().is_some() || self.teller(lexicon, bytes).is_none() {
            lexicon.expect(bytes);
        }
    }

    /// What tells labels, if there can be such and so many bytes more make it worth it: as many as there are terms.
    fn teller(&self, lexicon: &Lexicon, bytes: usize) -> Option<&Teller> {
        let told = self.told.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if told < self.card.indptr.len() - 1 {
            return None;
        }
        let new = || {
            let (labels, card) = (self.labels(), &self.card);
            let is_plain = self.is_dense && self.pairs.first.is_empty() && !card.is_strict();
            match labels {
                _ if !is_plain => None,
                0..=SIDE_BY_SIDE => Brief::new(card, lexicon).map(Teller::Brief),
                _ => Some(Teller::Coarse(Coarse::new(card))),
            }
        };
        match self.teller.get_or_init(new) {
            Some(Teller::Coarse(_)) if !lexicon.expect_in(bytes, || self.card.by_weight()) => None,
            teller => teller.as_ref(),
        }
    }

    /// The calibration, if it may change which score is the greatest.
    fn mattering(&self) -> Option<&Calibration> {
        self.calibration.as_ref().filter(|calibration| !calibration.keeps_order())
    }

    /// Whether labels are asked by their postings.
    fn is_sparse(&self) -> bool {
        !self.is_dense && !self.card.is_strict() && self.pairs.first.is_empty() && self.scaled.is_none()
    }

    /// Whether all that makes scores honest follows from how long a text is.
    fn is_of_length(&self) -> bool {
        self.calibration.as_ref().is_none_or(|calibration| calibration.factor_of_length(1.0).is_some())
    }

    fn many(&self) -> &Many {
        self.many.get_or_init(|| Many::new(&self.card))
    }

    /// The scores of some rows: one row a text, one column a label.
    pub fn scores_of_rows(&self, indptr: &[i64], term: &[u32], count: &[i64]) -> Result<Vec<f64>, Invalid> {
        check_postings(indptr, term, indptr.len().saturating_sub(1), self.card.indptr.len() - 1)?;
        if count.len() != term.len() {
            return Err(Invalid("the rows' buffers differ in length"));
        }
        let mut all = Vec::with_capacity((indptr.len() - 1) * self.labels());
        let mut sums = self.scaled.as_ref().map(|scaled| scaled.sums(self.labels()));
        for pair in indptr.windows(2) {
            let row = pair[0] as usize..pair[1] as usize;
            let start = all.len();
            all.extend_from_slice(&self.card.bias);
            let counted = term[row.clone()].iter().zip(&count[row.clone()]).map(|(&j, &n)| (j, n));
            let known = self.known(counted.clone());
            if let (Some(scaled), Some(sums)) = (&self.scaled, &mut sums) {
                scaled.score(&self.card, counted, sums, &mut all[start..]);
            } else {
                self.add_postings(&mut all[start..], counted);
                self.pairs.add(&mut all[start..], &term[row]);
            }
            if let Some(calibration) = &self.calibration {
                calibration.apply(&mut all[start..], known);
            }
        }
        Ok(all)
    }
}

/// The labels of the greatest of a few scores, and their log probabilities.
fn first(scores: &[f64], most: usize) -> impl Iterator<Item = Scored> {
    let (mut labels, mut log_p) = ((0..scores.len() as u32).collect::<Vec<_>>(), scores.to_vec());
    labels.sort_by(|&a, &b| falling(scores[a as usize], scores[b as usize]));
    log_posterior(&mut log_p);
    labels.into_iter().take(most).map(move |label| (label, log_p[label as usize]))
}

/// The greater one first; 0 and -0 are equal.
pub(crate) fn falling(a: f64, b: f64) -> std::cmp::Ordering {
    b.partial_cmp(&a).unwrap_or(std::cmp::Ordering::Equal)
}

pub(crate) fn greatest(scores: &[f64]) -> u32 {
    let mut best = 0;
    for (label, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = label;
        }
    }
    best as u32
}

#[cfg(test)]
mod tests;
