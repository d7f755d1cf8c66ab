//! The label of the greatest score by half of the bytes, where that is enough to tell.
//!
//! For up to four labels: what a term adds to a label beyond what it adds to the first, rounded to 24 bits, so that a term
//! stands with its weights in half a line of the cache. Where the two greatest sums are nearer to each other than rounding
//! can have brought them, there is no answer, and the scores themselves have to be asked.

use super::layout::dense_rows;
use super::{SIDE_BY_SIDE, Scorecard};
use crate::four::Four;
use crate::lexicon::Lexicon;
use crate::near::bring_texts;
use crate::read::{Scratch, Summing, read};
use crate::trie::Trie;

/// Up to this many terms.
const MOST_TERMS: usize = 1 << 20;
/// Up to this weight: greater ones are nothing in 32 bits.
const GREATEST: f64 = 1e30;
/// By how much of the greatest weight rounding can move two sums towards each other with each term, and then some.
const ROUNDING: f64 = 1.0 / (1 << 21) as f64;

/// What a term adds to each label beyond what it adds to the first.
#[derive(Debug, Clone, Copy, Default)]
struct Differences([f32; SIDE_BY_SIDE - 1]);

impl From<Differences> for Four {
    #[inline(always)]
    fn from(Differences([a, b, c]): Differences) -> Four {
        Four::from([0.0, a, b, c])
    }
}

/// Differences of weights.
#[derive(Debug)]
pub(super) struct Brief {
    trie: Trie<Differences>,
    /// The differences of the biases; there is no label where it is minus infinity.
    bias: Four,
    /// How far two sums must be from each other, for each term.
    margin: f64,
}

impl Brief {
    /// Of a scorecard of at most four labels, each of which may have every term; nothing, if it has too many of them, or too
    /// great weights.
    pub(super) fn new(card: &Scorecard, lexicon: &Lexicon) -> Option<Self> {
        let terms = card.indptr.len() - 1;
        if terms > MOST_TERMS || card.binary {
            return None;
        }
        let rows = dense_rows(card, 0..terms as u32);
        let numbers = rows.iter().flat_map(|row| row.0).chain(card.bias.iter().copied());
        let greatest = numbers.fold(0.0, |greatest: f64, number| greatest.max(number.abs()));
        let differences = |place: u32| {
            let Four([first, a, b, c]) = rows[place as usize];
            Differences([a, b, c].map(|weight| (weight - first) as f32))
        };
        let mut bias = [f64::NEG_INFINITY; SIDE_BY_SIDE];
        bias.iter_mut().zip(&card.bias).for_each(|(to, bias)| *to = bias - card.bias[0]);
        if greatest >= GREATEST {
            return None;
        }
        let (mut trie, names, order) = (Trie::new(), lexicon.names(), card.by_weight());
        trie.set_all(names, order.iter().filter_map(|&place| Some((names.get(place as usize)?, differences(place)))));
        Some(Brief { trie, bias: Four(bias), margin: greatest * ROUNDING })
    }

    /// The label of each text, `otherwise` where it cannot be told so.
    pub(super) fn labels<T: AsRef<str>>(
        &self,
        lexicon: &Lexicon,
        texts: &[T],
        otherwise: impl Fn(&T) -> u32,
    ) -> Vec<u32> {
        let (mut labels, mut scratch) = (Vec::with_capacity(texts.len()), Scratch::default());
        for (place, text) in texts.iter().enumerate() {
            bring_texts(place, texts.len(), |later| texts[later].as_ref());
            let mut found = Summing { trie: &self.trie, sum: self.bias, known: 1 };
            read(lexicon.terms(), text.as_ref(), &mut scratch, &mut found);
            labels.push(clear(found.sum, self.margin * found.known as f64).unwrap_or_else(|| otherwise(text)));
        }
        labels
    }
}

/// Which of four numbers is the greatest, if no other is so near to it.
#[inline(always)]
fn clear(Four(sums): Four, margin: f64) -> Option<u32> {
    let (mut best, mut greatest, mut second) = (0, sums[0], f64::NEG_INFINITY);
    for (label, &sum) in (1..).zip(&sums[1..]) {
        second = second.max(sum.min(greatest));
        if sum > greatest {
            (best, greatest) = (label, sum);
        }
    }
    (greatest - second > margin).then_some(best)
}
