//! The label of the greatest score by whole numbers, where those are enough to tell.
//!
//! For five to 64 labels: what a term adds to each, beyond the middle of what it adds to all of them, which is the same for
//! each and changes no order. That is counted in steps of which the widest term of the model takes 32,767 to either side,
//! so that 32 labels are one line of the cache. Where the two greatest sums are nearer to each other than rounding can
//! have brought them, there is no answer, and the scores themselves have to be asked.

use super::layout::dense_rows;
use super::{DENSE_LABELS, SIDE_BY_SIDE, Scorecard};
use crate::lexicon::Lexicon;
use crate::near::{bring_texts, prefetch, room};
use crate::read::Scratch;
use crate::wide;

/// Labels that stand on one line of the cache.
const ON_A_LINE: usize = 32;
/// How many steps a term may be from the middle, and how many terms a text may have so that no sum is too large.
const STEPS: f64 = i16::MAX as f64;
pub(super) const MOST_TERMS: usize = (i32::MAX / i16::MAX as i32) as usize;
/// So many terms ahead memory is asked for a row, and so many rows are laid out at once.
const AHEAD: usize = 8;
const AT_ONCE: u32 = 1 << 10;
/// By how much of the greatest number each of so many additions may round, and then some.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line([i16; ON_A_LINE]);

type Sums = [[i32; ON_A_LINE]; DENSE_LABELS / ON_A_LINE];

/// Rows of W in steps.
#[derive(Debug)]
pub(super) struct Coarse {
    lines: Vec<Line>,
    bias: Vec<f64>,
    is_binary: bool,
    /// How much a step is, and the greatest number of the scorecard.
    step: f64,
    greatest: f64,
}

impl Coarse {
    /// Of a scorecard of at most 64 labels, each of which may have every term.
    pub(super) fn new(card: &Scorecard) -> Self {
        let (labels, terms) = (card.bias.len(), card.indptr.len() as u32 - 1);
        let greatest = |numbers: &[f64]| numbers.iter().fold(0.0, |greatest: f64, number| greatest.max(number.abs()));
        let (mut widest, mut greatest) = (0.0_f64, greatest(&card.bias));
        each_term(card, terms, |weights| {
            let (low, high) = ends(weights);
            widest = widest.max(0.5 * (high - low));
            greatest = greatest.max(high.max(-low));
        });
        let step = (widest / STEPS).max(f64::MIN_POSITIVE);
        let steps = step.recip();
        let mut lines = room(terms as usize * labels.div_ceil(ON_A_LINE));
        each_term(card, terms, |weights| {
            let (low, high) = ends(weights);
            // Truncated, numbers above 0 are rounded if a half is added: `round` takes a call.
            let (middle, up) = (low + 0.5 * (high - low), STEPS + 1.5);
            lines.extend(weights.chunks(ON_A_LINE).map(|weights| {
                let mut line = Line([0; ON_A_LINE]);
                line.0.iter_mut().zip(weights).for_each(|(to, weight)| {
                    *to = (((weight - middle) * steps + up) as i32 - (STEPS as i32 + 1)) as i16
                });
                line
            }));
        });
        Coarse { lines, bias: card.bias.clone(), is_binary: card.binary, step, greatest }
    }

    /// The label of each text, `otherwise` where it cannot be told so.
    pub(super) fn labels<T: AsRef<str>>(
        &self,
        lexicon: &Lexicon,
        texts: &[T],
        otherwise: impl Fn(&T) -> u32,
    ) -> Vec<u32> {
        let (mut labels, mut scratch, mut found) = (Vec::with_capacity(texts.len()), Scratch::default(), Vec::new());
        for (place, text) in texts.iter().enumerate() {
            bring_texts(place, texts.len(), |later| texts[later].as_ref());
            found.clear();
            lexicon.find(text.as_ref(), &mut scratch, |place| found.push(place));
            if self.is_binary {
                found.sort_unstable();
                found.dedup();
            }
            labels.push(self.label(&found).unwrap_or_else(|| otherwise(text)));
        }
        labels
    }

    /// The label of some terms, if it is clear.
    fn label(&self, found: &[u32]) -> Option<u32> {
        if found.len() > MOST_TERMS {
            return None;
        }
        let width = self.bias.len().div_ceil(ON_A_LINE);
        let sums = wide::run(
            #[inline(always)]
            || if width == 1 { self.sums::<1>(found) } else { self.sums::<2>(found) },
        );
        let (mut best, mut greatest, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (label, (bias, &sum)) in (0..).zip(self.bias.iter().zip(sums.as_flattened())) {
            let score = bias + self.step * f64::from(sum);
            second = second.max(score.min(greatest));
            if score > greatest {
                (best, greatest) = (label, score);
            }
        }
        let additions = found.len() as f64 + 2.0;
        (greatest - second > additions * (self.step + additions * self.greatest * ROUNDING)).then_some(best)
    }

    /// The sums of the steps of some terms, whose rows have so many lines.
    #[inline(always)]
    fn sums<const WIDTH: usize>(&self, found: &[u32]) -> Sums {
        let mut sums = Sums::default();
        let of = |term: u32| self.lines[term as usize * WIDTH..].first_chunk::<WIDTH>();
        for (at, &term) in found.iter().enumerate() {
            found.get(at + AHEAD).and_then(|&next| of(next)).into_iter().flatten().for_each(prefetch);
            for (sums, Line(steps)) in sums.iter_mut().zip(of(term).into_iter().flatten()) {
                sums.iter_mut().zip(steps).for_each(|(sum, &step)| *sum += i32::from(step));
            }
        }
        sums
    }
}

/// The least and the greatest of some weights.
fn ends(weights: &[f64]) -> (f64, f64) {
    weights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &weight| (low.min(weight), high.max(weight)))
}

/// Calls `show` with what each term adds to all labels.
fn each_term(card: &Scorecard, terms: u32, mut show: impl FnMut(&[f64])) {
    let labels = card.bias.len();
    for first in (0..terms).step_by(AT_ONCE as usize) {
        let rows = dense_rows(card, first..terms.min(first + AT_ONCE));
        for row in rows.chunks_exact(labels.div_ceil(SIDE_BY_SIDE)) {
            let mut weights = [0.0; DENSE_LABELS];
            weights.as_chunks_mut().0.iter_mut().zip(row).for_each(|(to, four)| *to = four.0);
            show(&weights[..labels]);
        }
    }
}
