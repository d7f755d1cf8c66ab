//! Scores -> probabilities -> a label.

use crate::scores::greatest;

/// So many numbers are added up apart.
const ADDED_APART: usize = 256;

/// Scores of one text -> log probabilities, in place, by Bayes' rule in log space:
/// `log p(y|x) = z_y - M - log sum exp(z - M)`, with M the greatest, so that nothing overflows. Where no label can have
/// the text, all scores minus infinity, nothing is known of it: all are as probable.
pub fn log_posterior(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        let alike = -(scores.len() as f64).ln();
        return scores.fill(alike);
    }
    let log_sum = sum(scores.iter().map(|score| (score - most).exp())).ln();
    scores.iter_mut().for_each(|score| *score = *score - most - log_sum);
}

/// The sum of numbers that may be very many and all alike: what is lost in adding one after another would add up.
pub(crate) fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut all, mut part, mut left) = (0.0, 0.0, ADDED_APART);
    for number in numbers {
        part += number;
        left -= 1;
        if left == 0 {
            (all, part, left) = (all + part, 0.0, ADDED_APART);
        }
    }
    all + part
}

/// A label, and how probable each label is.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The most probable label; of equal ones the first.
    pub label: u32,
    /// The probability of every label.
    pub probabilities: Vec<f64>,
}

/// The answers to some texts: their scores, one row a text, come in.
pub fn answers(scores: &[f64], labels: usize) -> impl Iterator<Item = Answer> {
    scores.chunks_exact(labels.max(1)).map(|row| {
        let mut probabilities = row.to_vec();
        log_posterior(&mut probabilities);
        probabilities.iter_mut().for_each(|p| *p = p.exp());
        Answer { label: greatest(row), probabilities }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_however_small_the_scores() {
        let found: Vec<_> = answers(&[-1000.0, -1000.0, 0.0, f64::NEG_INFINITY, 1.0, 1e100], 2).collect();
        assert_eq!(found[0], Answer { label: 0, probabilities: vec![0.5, 0.5] });
        assert_eq!(found[1], Answer { label: 0, probabilities: vec![1.0, 0.0] });
        assert_eq!(found[2], Answer { label: 1, probabilities: vec![0.0, 1.0] });
        assert_eq!(answers(&[], 0).count(), 0);
        assert_eq!(answers(&[f64::NEG_INFINITY; 2], 2).next().unwrap().probabilities, [0.5, 0.5]);
    }
}
