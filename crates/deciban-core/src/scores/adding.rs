//! The loops: what each text or row has is added to the scores of all labels.

use super::layout::{Layout, add_rows, dense_rows};
use super::{SIDE_BY_SIDE, Scorer, greatest};
use crate::calibration::Calibration;
use crate::four::Four;
use crate::lexicon::Lexicon;
use crate::near::bring_texts;
use crate::parts;
use crate::read::{Scratch, Summing, read};
use crate::rows::each_distinct;
use crate::trie::Trie;

impl Scorer {
    /// How many known terms a row has, as often as they count.
    pub(super) fn known(&self, row: impl Iterator<Item = (u32, i64)>) -> f64 {
        row.map(|(_, count)| if self.card.binary { 1.0 } else { count as f64 }).sum()
    }

    /// Calls `emit` with the scores of each text, calibrated where it is asked for.
    pub(super) fn each<T: AsRef<str>>(
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

    /// The label of the greatest score of one text, of whose scores nothing is laid out: the same, to the last bit.
    #[cold]
    #[inline(never)]
    pub(super) fn best_of_one<T: AsRef<str>>(&self, lexicon: &Lexicon, text: &T) -> u32 {
        let mut best = 0;
        self.each_by_place(lexicon, None, std::slice::from_ref(text), |scores, _| best = greatest(scores));
        best
    }

    fn each_found<T: AsRef<str>>(
        &self,
        lexicon: &Lexicon,
        trie: &Trie<Four>,
        texts: &[T],
        mut emit: impl FnMut(&mut [f64], f64),
    ) {
        let (mut scratch, mut scores) = (Scratch::default(), self.card.bias.clone());
        for (place, text) in texts.iter().enumerate() {
            bring_texts(place, texts.len(), |later| texts[later].as_ref());
            let mut found = Summing { trie, sum: Four::ZERO, known: 0 };
            read(lexicon.terms(), text.as_ref(), &mut scratch, &mut found);
            for ((score, bias), sum) in scores.iter_mut().zip(&self.card.bias).zip(found.sum.0) {
                *score = bias + sum;
            }
            emit(&mut scores, found.known as f64);
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
        let (mut sums, mut scores) = (vec![Four::ZERO; width], self.card.bias.clone());
        for (place, text) in texts.iter().enumerate() {
            bring_texts(place, texts.len(), |later| texts[later].as_ref());
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

    pub(super) fn add_postings(&self, scores: &mut [f64], row: impl Iterator<Item = (u32, i64)>) {
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

/// Calls `emit` with the known terms of each text, each once and in order, and how often each stands there.
pub(crate) fn each_row<T: AsRef<str>>(lexicon: &Lexicon, texts: &[T], mut emit: impl FnMut(&[(u32, i64)])) {
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
