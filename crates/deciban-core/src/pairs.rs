//! Pairs of terms: what a label's score gains where both stand in a text, beyond what each adds by itself.

use crate::Invalid;

/// Pairs as flat buffers, in order: what terms `first[p]` and `second[p]` add, when both are there, to each of so many
/// labels stands in the p-th row of `weight`. A term may be paired with itself: it then adds that by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// One term of each pair, in order.
    pub first: Vec<u32>,
    /// The other, in order among those of the same first.
    pub second: Vec<u32>,
    /// One row a pair, one column a label.
    pub weight: Vec<f64>,
}

impl Pairs {
    /// Refuses pairs that are not in order, or are not of so many terms and labels.
    pub(crate) fn check(&self, terms: usize, labels: usize) -> Result<(), Invalid> {
        let pairs = self.first.len();
        if self.second.len() != pairs || self.weight.len() != pairs.saturating_mul(labels) {
            return Err(Invalid("the pairs' buffers differ in length"));
        }
        let known = |term: &u32| (*term as usize) < terms;
        let in_order = (1..pairs).all(|p| (self.first[p - 1], self.second[p - 1]) < (self.first[p], self.second[p]));
        if !in_order || !self.first.iter().chain(&self.second).all(known) {
            return Err(Invalid("the pairs do not fit the lexicon"));
        }
        Ok(())
    }

    /// Adds the weights of all pairs among some terms, which are distinct and in order.
    pub(crate) fn add(&self, scores: &mut [f64], found: &[u32]) {
        if self.first.is_empty() {
            return; // most scorecards have none
        }
        for &term in found {
            let start = self.first.partition_point(|&first| first < term);
            for p in (start..self.first.len()).take_while(|&p| self.first[p] == term) {
                if found.binary_search(&self.second[p]).is_ok() {
                    let row = &self.weight[p * scores.len()..];
                    scores.iter_mut().zip(row).for_each(|(score, weight)| *score += weight);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_adds_where_both_are_there() {
        let pairs = Pairs { first: vec![0, 2, 2], second: vec![3, 1, 2], weight: vec![1.0, 2.0, 4.0, 8.0, 16.0, 32.0] };
        assert!(pairs.check(4, 2).is_ok());
        for (found, expected) in [
            (vec![0, 1, 3], [1.0, 2.0]),
            (vec![0, 1, 2], [20.0, 40.0]),
            (vec![0, 2, 3], [17.0, 34.0]),
            (vec![1, 3], [0.0, 0.0]),
            (vec![], [0.0, 0.0]),
        ] {
            let mut scores = [0.0, 0.0];
            pairs.add(&mut scores, &found);
            assert_eq!(scores, expected);
        }
    }

    #[test]
    fn pairs_that_fit_nothing_are_refused() {
        let of = |first: &[u32], second: &[u32], weights| Pairs {
            first: first.to_vec(),
            second: second.to_vec(),
            weight: vec![0.0; weights],
        };
        assert!(of(&[0, 1], &[1, 0], 4).check(2, 2).is_ok());
        assert!(of(&[1, 0], &[1, 0], 4).check(2, 2).is_err());
        assert!(of(&[0, 0], &[1, 1], 4).check(2, 2).is_err());
        assert!(of(&[0, 1], &[1, 2], 4).check(2, 2).is_err());
        assert!(of(&[0, 1], &[1], 4).check(2, 2).is_err());
        assert!(of(&[0, 1], &[1, 0], 3).check(2, 2).is_err());
    }
}
