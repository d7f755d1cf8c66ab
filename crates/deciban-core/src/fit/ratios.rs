//! Rows multiplied with log-count ratios before a model is fit to them, and its weights after (Wang and Manning 2012).
//!
//! ```text
//! r_j = log((P_j + alpha) / |P + alpha|) - log((Q_j + alpha) / |Q + alpha|)         W_j = r_j ((1 - beta) mean |w| + beta w_j)
//! ```
//!
//! P_j of the rows of a label that are learnt from have term j, Q_j of all others. A term that none of them has says
//! nothing.

use super::matrix::Matrix;

/// How ratios are smoothed, and how much a fit counts beside them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratios {
    /// What is added to every count.
    pub alpha: f64,
    /// How much of the weights is the fit's, from 0 to 1: the rest is the mean of their sizes.
    pub beta: f64,
}

/// The rows of one job, multiplied.
pub(super) struct Multiplied {
    pub matrix: Matrix,
    /// By column; 1 for the bias.
    ratio: Vec<f64>,
    known: usize,
    beta: f64,
}

impl Multiplied {
    /// `side` says of each row that is learnt from whether it is of the label.
    pub fn new(ratios: Ratios, matrix: &Matrix, side: impl Fn(usize) -> Option<bool>) -> Self {
        let (terms, alpha) = (matrix.terms(), ratios.alpha);
        let mut counts = vec![[0.0_f64; 2]; terms + 1];
        for row in 0..matrix.rows() {
            if let Some(is_of_label) = side(row) {
                matrix.row(row).for_each(|entry| counts[entry.place as usize][usize::from(is_of_label)] += 1.0);
            }
        }
        counts.truncate(terms);
        let is_known = |counts: &[f64; 2]| counts[0] + counts[1] > 0.0;
        let known = counts.iter().filter(|counts| is_known(counts)).count();
        let totals = [0, 1].map(|side: usize| {
            counts.iter().filter(|counts| is_known(counts)).fold(0.0, |sum, counts| sum + counts[side] + alpha)
        });
        let log = |counts: &[f64; 2], side: usize| ((counts[side] + alpha) / totals[side]).ln();
        let ratio = |counts: &[f64; 2]| if is_known(counts) { log(counts, 1) - log(counts, 0) } else { 0.0 };
        let ratio: Vec<f64> = counts.iter().map(ratio).chain([1.0]).collect();
        Multiplied { matrix: matrix.scaled(&ratio), ratio, known, beta: ratios.beta }
    }

    /// The weights of rows as they are, from those of the multiplied ones; by column.
    pub fn weights(&self, mut fitted: Vec<f64>) -> Vec<f64> {
        let terms = self.ratio.len() - 1;
        let size = fitted[..terms].iter().fold(0.0, |sum, w| sum + w.abs()) / self.known.max(1) as f64;
        for (w, ratio) in fitted[..terms].iter_mut().zip(&self.ratio) {
            *w = ratio * ((1.0 - self.beta) * size + self.beta * *w);
        }
        fitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_weights_are_multiplied_with_the_ratios_of_what_is_learnt() {
        let matrix = Matrix::new(&[0, 2, 3, 5], &[0, 1, 1, 0, 2], &[1.0, 2.0, 3.0, 4.0, 5.0], 3, 1.0).unwrap();
        let side = |row: usize| (row < 2).then_some(row == 0);
        let multiplied = Multiplied::new(Ratios { alpha: 1.0, beta: 0.25 }, &matrix, side);
        let expected =
            [(2.0_f64 / 4.0).ln() - (1.0_f64 / 3.0).ln(), (2.0_f64 / 4.0).ln() - (2.0_f64 / 3.0).ln(), 0.0, 1.0];
        assert!(multiplied.ratio.iter().zip(expected).all(|(ratio, expected)| (ratio - expected).abs() < 1e-12));
        let row: Vec<_> = multiplied.matrix.row(2).map(|entry| (entry.place, entry.value)).collect();
        assert_eq!(row.len(), 3);
        assert!(row.contains(&(0, (4.0 * expected[0]) as f32)) && row.contains(&(2, 0.0)) && row.contains(&(3, 1.0)));
        let weights = multiplied.weights(vec![2.0, -4.0, 0.0, 7.0]);
        assert_eq!(weights[3], 7.0);
        assert!((weights[1] - expected[1] * (0.75 * 3.0 - 0.25 * 4.0)).abs() < 1e-12);
    }
}
