//! W and b as flat buffers, checked.

use crate::Invalid;
use crate::held::Held;
use crate::order::by_radix;

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
    pub indptr: Held<i64>,
    /// The label of each posting.
    pub label: Held<u32>,
    /// What each posting adds to its label.
    pub weight: Held<f64>,
    /// Whether a term counts once a text, however often it occurs.
    pub binary: bool,
}

impl Scorecard {
    pub(super) fn is_strict(&self) -> bool {
        !self.absent.is_empty() && self.absent.iter().all(|&weight| weight == f64::NEG_INFINITY)
    }

    /// Terms by the greatest weight of each, roughly, from the greatest down: in naive Bayes frequent terms weigh most.
    pub(super) fn by_weight(&self) -> Vec<u32> {
        let of_posting = |p: usize| self.weight[p] + self.absent[self.label[p] as usize].max(-GREATEST);
        let greatest = |postings: &[i64]| {
            (postings[0] as usize..postings[1] as usize).map(of_posting).fold(f64::NEG_INFINITY, f64::max) as f32
        };
        let falling = |number: f32| {
            let bits = number.to_bits();
            let rising = if number.is_sign_negative() { !bits } else { bits | 1 << 31 };
            u64::from(!rising >> 16)
        };
        let mut keyed = self.indptr.windows(2).map(|postings| falling(greatest(postings))).zip(0..).collect();
        by_radix(&mut keyed, &mut Vec::new());
        keyed.into_iter().map(|(_, term)| term).collect()
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
        if !run.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1]))
            || run.last().is_some_and(|&last| last as usize >= labels)
        {
            return Err(Invalid("the postings do not fit the labels"));
        }
    }
    Ok(())
}

/// Whether a model can have such weights.
pub(super) fn possible(weights: &[f64]) -> bool {
    weights.iter().all(|weight| weight.abs() <= GREATEST)
}
