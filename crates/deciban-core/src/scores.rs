//! Texts -> scores: the sum of the weights of what is seen.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Invalid;
use crate::calibration::Calibration;
use crate::decision::log_posterior;
use crate::lexicon::Lexicon;
use crate::many::{Many, Scored};
use crate::pairs::Pairs;
use crate::parts;
use crate::read::{Finding, Scratch, read};
use crate::rows::each_distinct;
use crate::scaled::{Scaled, Scaling};
use crate::trie::Trie;

/// Labels that stand side by side, and are added at once.
const SIDE_BY_SIDE: usize = 4;
/// Up to this many labels, and this many numbers, all weights of a term are kept in one dense row.
const DENSE_LABELS: usize = 64;
const DENSE_NUMBERS: usize = 1 << 26;
/// Up to this many terms, and four labels, a term's weights are kept where it is found.
const FOUND_TERMS: usize = 1 << 20;
/// No weight is greater: no sum of weights is then more than a number can be, however long a text.
const GREATEST: f64 = 1e100;

/// A scorecard as flat buffers. The weight of term j for label r is `absent[r]`, plus `weight[p]` where a posting p in
/// `indptr[j]..indptr[j + 1]` names r. Where all of `absent` is minus infinity, a label cannot have a term that it has
/// not shown, and `weight[p]` is all that one that it has shown adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorecard {
    /// The score of each label before any term is seen.
    pub bias: Vec<f64>,
    /// What any known term adds to each label.
    pub absent: Vec<f64>,
    /// Where the postings of each term begin, and where the last end.
    pub indptr: Vec<i64>,
    /// The label of each posting.
    pub label: Vec<u32>,
    /// What each posting adds to its label.
    pub weight: Vec<f64>,
    /// Whether a term counts once a text, however often it occurs.
    pub binary: bool,
}

impl Scorecard {
    fn is_strict(&self) -> bool {
        !self.absent.is_empty() && self.absent.iter().all(|&weight| weight == f64::NEG_INFINITY)
    }
}

/// Refuses postings that are not in order or name a label that is none.
pub(crate) fn check_postings(indptr: &[i64], label: &[u32], terms: usize, labels: usize) -> Result<(), Invalid> {
    let ends = (indptr.first().copied(), indptr.last().copied());
    if indptr.len() != terms + 1 || ends != (Some(0), i64::try_from(label.len()).ok()) || !indptr.is_sorted() {
        return Err(Invalid("the postings do not fit the lexicon"));
    }
    let runs = indptr.windows(2).map(|pair| &label[pair[0] as usize..pair[1] as usize]);
    for run in runs {
        if !run.windows(2).all(|pair| pair[0] < pair[1]) || run.last().is_some_and(|&last| last as usize >= labels) {
            return Err(Invalid("the postings do not fit the labels"));
        }
    }
    Ok(())
}

/// Whether a model can have such weights.
fn possible(weights: &[f64]) -> bool {
    weights.iter().all(|weight| weight.abs() <= GREATEST)
}

/// Four labels' numbers, in one half of a cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
struct Four([f64; SIDE_BY_SIDE]);

impl Four {
    #[inline]
    fn add(&mut self, other: Four) {
        for (sum, number) in self.0.iter_mut().zip(other.0) {
            *sum += number;
        }
    }
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
    many: OnceLock<Many>,
}

/// For few labels: the whole row of W of each term.
#[derive(Debug)]
enum Layout {
    /// For up to four labels of not too many terms, where a term is found: it takes one look into memory, not two.
    Found(Trie<Four>),
    /// In fours, by the terms' places.
    Rows(Vec<Four>),
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
        parts::run(parts::cut(texts, threads).into_iter().map(|part| || rows(part)).collect()).concat()
    }

    /// The label of the greatest score of each text; of equal ones the first.
    pub fn best<T: AsRef<str> + Sync>(&self, lexicon: &Lexicon, texts: &[T], threads: usize) -> Vec<u32> {
        let labels = |part: &[T]| {
            let mut all = Vec::with_capacity(part.len());
            let mattering = self.calibration.as_ref().filter(|calibration| !calibration.keeps_order());
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
        parts::run(parts::cut(texts, threads).into_iter().map(|part| || labels(part)).collect()).concat()
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
        parts::run(parts::cut(texts, threads).into_iter().map(|part| || labels(part)).collect()).concat()
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

    /// How many known terms a row has, as often as they count.
    fn known(&self, row: impl Iterator<Item = (u32, i64)>) -> f64 {
        row.map(|(_, count)| if self.card.binary { 1.0 } else { count as f64 }).sum()
    }

    /// Calls `emit` with the scores of each text, calibrated where it is asked for.
    fn each<T: AsRef<str>>(
        &self,
        lexicon: &Lexicon,
        texts: &[T],
        calibration: Option<&Calibration>,
        mut emit: impl FnMut(&[f64]),
    ) {
        self.each_raw(lexicon, texts, |scores, known| {
            if let Some(calibration) = calibration {
                calibration.apply(scores, known);
            }
            emit(scores);
        });
    }

    /// Calls `emit` with the scores of each text, in a place that may be written over, and how many known terms it has.
    fn each_raw<T: AsRef<str>>(&self, lexicon: &Lexicon, texts: &[T], mut emit: impl FnMut(&mut [f64], f64)) {
        if let Some(scaled) = &self.scaled {
            let (mut sums, mut scores) = (scaled.sums(self.labels()), self.card.bias.clone());
            each_row(lexicon, texts, |row| {
                scaled.score(&self.card, row.iter().copied(), &mut sums, &mut scores);
                emit(&mut scores, self.known(row.iter().copied()));
            });
            return;
        }
        match self.layout(lexicon, parts::bytes(texts)) {
            Some(Layout::Found(trie)) => self.each_found(lexicon, trie, texts, emit),
            Some(Layout::Rows(rows)) => self.each_by_place(lexicon, Some(rows), texts, emit),
            None => self.each_by_place(lexicon, None, texts, emit),
        }
    }

    /// The layout, if there can be one and so many bytes more make it worth it: as many as there are terms.
    fn layout(&self, lexicon: &Lexicon, bytes: usize) -> Option<&Layout> {
        let terms = self.card.indptr.len() - 1;
        let has_index = lexicon.expect(bytes);
        let is_worth_it = self.scored.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) >= terms;
        (self.is_dense && has_index && is_worth_it).then(|| {
            self.layout.get_or_init(|| {
                let rows = dense_rows(&self.card, 0..terms as u32);
                let is_small = self.labels() <= SIDE_BY_SIDE && terms <= FOUND_TERMS && !self.card.binary;
                match is_small.then(|| lexicon.mapped(|place| rows[place as usize])).flatten() {
                    Some(trie) => Layout::Found(trie),
                    None => Layout::Rows(rows),
                }
            })
        })
    }

    fn each_found<T: AsRef<str>>(
        &self,
        lexicon: &Lexicon,
        trie: &Trie<Four>,
        texts: &[T],
        mut emit: impl FnMut(&mut [f64], f64),
    ) {
        let (mut scratch, mut scores) = (Scratch::default(), self.card.bias.clone());
        for text in texts {
            let (mut sum, mut known) = (Four::default(), 0u64);
            let add = |row| {
                sum.add(row);
                known += 1;
            };
            read(lexicon.terms(), text.as_ref(), &mut scratch, &mut Finding { trie, emit: add });
            for ((score, bias), sum) in scores.iter_mut().zip(&self.card.bias).zip(sum.0) {
                *score = bias + sum;
            }
            emit(&mut scores, known as f64);
        }
    }

    fn each_by_place<T: AsRef<str>>(
        &self,
        lexicon: &Lexicon,
        rows: Option<&Vec<Four>>,
        texts: &[T],
        mut emit: impl FnMut(&mut [f64], f64),
    ) {
        let (mut scratch, mut found, mut distinct) = (Scratch::default(), Vec::new(), Vec::new());
        let width = self.labels().div_ceil(SIDE_BY_SIDE);
        let (mut sums, mut scores) = (vec![Four::default(); width], self.card.bias.clone());
        for text in texts {
            found.clear();
            lexicon.find(text.as_ref(), &mut scratch, |place| found.push(place));
            if self.card.binary {
                found.sort_unstable();
                found.dedup();
            }
            let known = found.len() as f64;
            scores.copy_from_slice(&self.card.bias);
            if self.is_dense {
                match rows {
                    Some(rows) => add_rows(rows, &found, &mut sums),
                    None => self.add_few(&found, &mut sums),
                }
                for (score, sum) in scores.iter_mut().zip(sums.iter().flat_map(|four| four.0)) {
                    *score += sum;
                }
            } else {
                distinct.clear();
                each_distinct(&mut found, |term, count| distinct.push((term, count)));
                self.add_postings(&mut scores, distinct.iter().copied());
            }
            self.pairs.add(&mut scores, &found); // which are in order and distinct: whoever has pairs is binary
            emit(&mut scores, known);
        }
    }

    /// As [`add_rows`], of rows that are laid out for this text only: the same numbers in the same order.
    #[cold]
    #[inline(never)]
    fn add_few(&self, found: &[u32], sums: &mut [Four]) {
        let in_order: Vec<_> = (0..found.len() as u32).collect();
        add_rows(&dense_rows(&self.card, found.iter().copied()), &in_order, sums);
    }

    fn add_postings(&self, scores: &mut [f64], row: impl Iterator<Item = (u32, i64)>) {
        let card = &self.card;
        if card.is_strict() {
            return self.add_strictly(scores, row);
        }
        let mut known = 0.0;
        for (term, count) in row {
            let times = if card.binary { 1.0 } else { count as f64 };
            known += times;
            let postings = card.indptr[term as usize] as usize..card.indptr[term as usize + 1] as usize;
            for (&label, weight) in card.label[postings.clone()].iter().zip(&card.weight[postings]) {
                scores[label as usize] += times * weight;
            }
        }
        for (score, absent) in scores.iter_mut().zip(&card.absent) {
            *score += known * absent;
        }
    }

    /// As [`Self::add_postings`], where a label that has not shown a term cannot have it.
    fn add_strictly(&self, scores: &mut [f64], row: impl Iterator<Item = (u32, i64)>) {
        let card = &self.card;
        let (mut known, mut shown) = (0, vec![0; scores.len()]);
        for (term, count) in row {
            known += 1;
            for p in card.indptr[term as usize] as usize..card.indptr[term as usize + 1] as usize {
                let label = card.label[p] as usize;
                scores[label] += if card.binary { 1.0 } else { count as f64 } * card.weight[p];
                shown[label] += 1;
            }
        }
        for (score, shown) in scores.iter_mut().zip(shown) {
            if shown < known {
                *score = f64::NEG_INFINITY;
            }
        }
    }
}

/// The whole rows of W of some terms.
fn dense_rows(card: &Scorecard, terms: impl ExactSizeIterator<Item = u32>) -> Vec<Four> {
    let (width, is_strict) = (card.bias.len().div_ceil(SIDE_BY_SIDE), card.is_strict());
    let mut absent = vec![Four::default(); width];
    for (r, &weight) in card.absent.iter().enumerate() {
        absent[r / SIDE_BY_SIDE].0[r % SIDE_BY_SIDE] = weight;
    }
    let mut rows = Vec::with_capacity(terms.len() * width);
    for term in terms.map(|term| term as usize) {
        let start = rows.len();
        rows.extend_from_slice(&absent);
        for p in card.indptr[term] as usize..card.indptr[term + 1] as usize {
            let label = card.label[p] as usize;
            let weight = &mut rows[start + label / SIDE_BY_SIDE].0[label % SIDE_BY_SIDE];
            *weight = if is_strict { card.weight[p] } else { *weight + card.weight[p] };
        }
    }
    rows
}

/// Writes the sum of some rows over `sums`.
#[inline]
fn add_rows(rows: &[Four], terms: &[u32], sums: &mut [Four]) {
    sums.fill(Four::default());
    if let [sum] = sums {
        let mut local = Four::default();
        for &term in terms {
            local.add(rows[term as usize]);
        }
        *sum = local;
        return;
    }
    for &term in terms {
        let row = term as usize * sums.len();
        for (sum, &number) in sums.iter_mut().zip(&rows[row..]) {
            sum.add(number);
        }
    }
}

/// Calls `emit` with the known terms of each text, each once and in order, and how often each stands there.
fn each_row<T: AsRef<str>>(lexicon: &Lexicon, texts: &[T], mut emit: impl FnMut(&[(u32, i64)])) {
    let (mut scratch, mut found, mut row) = (Scratch::default(), Vec::new(), Vec::new());
    lexicon.expect(parts::bytes(texts));
    for text in texts {
        found.clear();
        row.clear();
        lexicon.find(text.as_ref(), &mut scratch, |place| found.push(place));
        each_distinct(&mut found, |term, count| row.push((term, count)));
        emit(&row);
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
mod tests {
    use super::*;
    use crate::lexicon::Names;
    use crate::scaled::{Counting, Group};
    use crate::terms::Terms;

    /// Each of some terms has one posting, the first of weight `first`.
    fn scorer(terms: u32, first: f64, binary: bool) -> Result<Scorer, Invalid> {
        let card = Scorecard {
            bias: vec![0.1, 0.2, 0.3],
            absent: vec![-0.7, -1.1, -1.3],
            indptr: (0..=i64::from(terms)).collect(),
            label: (0..terms).map(|term| term % 3).collect(),
            weight: (0..terms).map(|term| if term == 0 { first } else { f64::from(term).sqrt() }).collect(),
            binary,
        };
        Scorer::new(card, terms as usize)
    }

    #[test]
    fn scores_are_the_same_to_the_last_bit_with_an_index_and_without() {
        let terms = Terms::default();
        let names: String = (100..400).map(|name| name.to_string()).collect();
        let names = Names::new(names.into_bytes(), (0..=300).map(|at| 3 * at).collect()).unwrap();
        let texts = ["399 101 250 101 333 187 no 100 222 399", "171 399 111 123"];
        for binary in [false, true] {
            let lexicon = Lexicon::new(terms.clone(), names.clone()).unwrap();
            let scorer = scorer(300, 0.1, binary).unwrap();
            let without = scorer.scores(&lexicon, &texts, 1);
            assert!(!lexicon.expect(0) && scorer.layout.get().is_none());
            assert!(lexicon.expect(300) && scorer.layout(&lexicon, 300).is_some());
            assert_eq!(scorer.scores(&lexicon, &texts, 1), without);
            assert_eq!(binary, matches!(scorer.layout.get(), Some(Layout::Rows(_))));
        }
    }

    #[test]
    fn rows_are_scaled_by_the_length_of_their_kinds() {
        let names = Names::new(b"\t<s> aa\tcabaabb".to_vec(), vec![0, 7, 11, 13, 15]).unwrap();
        let lexicon = Lexicon::new(Terms { chars: Some(2..=2), ..Terms::default() }, names).unwrap();
        let card = Scorecard {
            bias: vec![0.5, 0.0],
            absent: vec![0.0; 2],
            indptr: vec![0, 0, 1, 3, 4],
            label: vec![1, 0, 3, 3],
            weight: vec![1.0, 2.0, 4.0, 8.0],
            binary: false,
        };
        let length = vec![0.0, 1.0, 3.0, 4.0];
        let scaling = |groups: [(Counting, u32); 2]| Scaling {
            length: length.clone(),
            groups: groups.map(|(counting, kinds)| Group { counting, kinds }).to_vec(),
        };
        let scored = |groups| {
            let scorer = Scorer::scaled(card.clone(), scaling(groups), &lexicon).unwrap();
            let rows = scorer.scores_of_rows(&[0, 3], &[1, 2, 3], &[1, 1, 2]).unwrap();
            assert_eq!(scorer.scores(&lexicon, &["ab aa bb bb"], 1), rows); // one of "ab", inside a word
            rows
        };
        let (once, each, log) = (Counting::Once, Counting::Each, Counting::Log);
        assert_eq!(scored([(each, 0), (once, 4)]), [0.5 + 2.0, 1.0 + 12.0 * (1.0 / 5.0)]);
        assert_eq!(scored([(once, 2), (each, 0)]), [0.5 + 2.0, 1.0 + 20.0]);
        assert_eq!(scored([(log, 0), (log, 0)])[1], 1.0 + (4.0 + 8.0 * (1.0 + 2f64.ln())));
        let refused = |scaling| Scorer::scaled(card.clone(), scaling, &lexicon).is_err();
        let good = scaling([(once, 0), (once, 0)]);
        assert!(refused(Scaling { length: vec![1.0], ..good.clone() }));
        assert!(refused(Scaling { length: vec![f64::NAN; 4], ..good.clone() }));
        assert!(refused(Scaling { groups: good.groups[..1].to_vec(), ..good }));
        assert!(refused(scaling([(once, 0), (once, 8)])));
    }

    #[test]
    fn a_label_that_has_not_shown_a_term_cannot_have_it_where_that_is_so() {
        let names = Names::new(b"aabbcc".to_vec(), vec![0, 2, 4, 6]).unwrap();
        let lexicon = Lexicon::new(Terms::default(), names).unwrap();
        let card = scorer(3, 0.5, false).unwrap().card;
        let strict = Scorer::new(Scorecard { absent: vec![f64::NEG_INFINITY; 3], ..card }, 3).unwrap();
        let expected = [0.1 + 0.5 + 0.5, f64::NEG_INFINITY, f64::NEG_INFINITY];
        assert_eq!(strict.scores(&lexicon, &["aa zz aa"], 1), expected);
        assert_eq!(strict.scores_of_rows(&[0, 1], &[0], &[2]).unwrap(), expected);
        assert!(strict.scores(&lexicon, &["aa bb"], 1).iter().all(|&score| score == f64::NEG_INFINITY));
    }

    #[test]
    fn pairs_add_to_texts_and_rows_alike() {
        let names = Names::new(b"aabbcc".to_vec(), vec![0, 2, 4, 6]).unwrap();
        let lexicon = Lexicon::new(Terms::default(), names).unwrap();
        let pairs = |weight| Pairs { first: vec![0], second: vec![2], weight: vec![weight, 0.0, -weight] };
        assert!(scorer(3, 0.1, false).unwrap().with_pairs(pairs(1.0)).is_err());
        assert!(scorer(3, 0.1, true).unwrap().with_pairs(pairs(f64::NAN)).is_err());
        let (plain, paired) =
            (scorer(3, 0.1, true).unwrap(), scorer(3, 0.1, true).unwrap().with_pairs(pairs(8.0)).unwrap());
        let texts = ["cc bb aa cc", "aa bb"];
        let difference = |a: Vec<f64>, b: Vec<f64>| a.iter().zip(b).map(|(a, b)| (a - b).round()).collect::<Vec<_>>();
        let expected = vec![8.0, 0.0, -8.0, 0.0, 0.0, 0.0];
        assert_eq!(difference(paired.scores(&lexicon, &texts, 1), plain.scores(&lexicon, &texts, 1)), expected);
        let rows = (&[0, 3, 5], &[0, 1, 2, 0, 1], &[1, 1, 2, 1, 1]);
        let by_row = |scorer: Scorer| scorer.scores_of_rows(rows.0, rows.1, rows.2).unwrap();
        assert_eq!(difference(by_row(paired), by_row(plain)), expected);
    }

    #[test]
    fn a_weight_that_is_no_number_is_refused() {
        for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101] {
            assert!(scorer(3, weight, false).is_err());
        }
        assert!(scorer(3, -1e100, false).is_ok());
    }
}
