//! The whole row of W of each term, laid out for adding.

use std::sync::atomic::Ordering;

use super::{SIDE_BY_SIDE, Scorecard, Scorer};
use crate::four::Four;
use crate::lexicon::Lexicon;
use crate::near::{prefetch, room};
use crate::trie::Trie;

/// Up to this many terms, and four labels, a term's weights are kept where it is found.
const FOUND_TERMS: usize = 1 << 20;

/// So many terms ahead memory is asked for a row.
const AHEAD: usize = 8;

/// For few labels: the whole row of W of each term.
#[derive(Debug)]
pub(super) enum Layout {
    /// For up to four labels of not too many terms, where a term is found: it takes one look into memory, not two.
    Found(Trie<Four>),
    /// In fours, by the terms' places.
    Rows(Vec<Four>),
}

impl Scorer {
    /// The layout, if there can be one and so many bytes more make it worth it: as many as there are terms.
    pub(super) fn layout(&self, lexicon: &Lexicon, bytes: usize) -> Option<&Layout> {
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
}

/// The whole rows of W of some terms.
pub(super) fn dense_rows(card: &Scorecard, terms: impl ExactSizeIterator<Item = u32>) -> Vec<Four> {
    let (width, is_strict) = (card.bias.len().div_ceil(SIDE_BY_SIDE), card.is_strict());
    let mut absent = vec![Four::ZERO; width];
    for (r, &weight) in card.absent.iter().enumerate() {
        absent[r / SIDE_BY_SIDE].0[r % SIDE_BY_SIDE] = weight;
    }
    let mut rows = room(terms.len() * width);
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
pub(super) fn add_rows(rows: &[Four], terms: &[u32], sums: &mut [Four]) {
    sums.fill(Four::ZERO);
    if let [sum] = sums {
        let mut local = Four::ZERO;
        for &term in terms {
            local += rows[term as usize];
        }
        *sum = local;
        return;
    }
    let width = sums.len();
    let of = |term: u32| &rows[term as usize * width..][..width];
    for (at, &term) in terms.iter().enumerate() {
        if let Some(&next) = terms.get(at + AHEAD) {
            of(next).iter().step_by(2).for_each(prefetch); // two are a line of the cache
        }
        sums.iter_mut().zip(of(term)).for_each(|(sum, &number)| *sum += number);
    }
}
