//! The log-count ratios of each lane (`ratios`).

use super::{Of, each};
use crate::fit::matrix::{Entry, Matrix};
use crate::fit::ratios::Ratios;
use crate::ln::ln;
use crate::wide;

/// The ratios of the terms, by place; of the bias it is 1.
pub(super) struct Multiplied<const K: usize> {
    ratio: Vec<Of<f32, K>>,
    /// Of terms that a single row has: a row of the others, and one of the label.
    own: [Of<f32, K>; 2],
    /// How many terms there are in the rows that are learnt from.
    pub known: Of<usize, K>,
    pub beta: f64,
}

impl<const K: usize> Multiplied<K> {
    /// `signs` says of each row in which lanes it is of the label (1), of the others (-1), or not learnt from (0).
    pub fn new(ratios: Ratios, matrix: &Matrix, signs: impl Fn(usize) -> Of<i8, K>) -> Self {
        let mut counts = vec![[[0_u32; K]; 2]; matrix.places()];
        let (mut known, mut totals) = ([0; K], [[0.0; K]; 2]);
        for row in 0..matrix.rows() {
            let sign = signs(row);
            let is: [Of<u32, K>; 2] = [-1, 1].map(|side| each(|k| u32::from(sign[k] == side)));
            for entry in matrix.shared(row) {
                let of_term = &mut counts[entry.place as usize];
                (0..2).for_each(|side| (0..K).for_each(|k| of_term[side][k] += is[side][k]));
            }
            let own = matrix.own(row).len();
            for k in (0..K).filter(|&k| sign[k] != 0) {
                known[k] += own;
                totals[usize::from(sign[k] > 0)][k] += own as f64;
            }
        }
        for (of_term, _) in counts.iter().zip(0..).filter(|&(_, place)| !matrix.is_bias(place)) {
            for k in 0..K {
                known[k] += usize::from(of_term[0][k] + of_term[1][k] > 0);
                (0..2).for_each(|side| totals[side][k] += f64::from(of_term[side][k]));
            }
        }
        let alpha = ratios.alpha;
        let whole: [Of<f64, K>; 2] = totals.map(|of| each(|k| of[k] + alpha * known[k] as f64));
        let start: Of<f64, K> = each(|k| if known[k] > 0 { (whole[0][k] / whole[1][k]).ln() } else { 0.0 });
        let ratio = |(place, [others, label]): (usize, &[Of<u32, K>; 2])| {
            each(|k| match others[k] + label[k] {
                _ if matrix.is_bias(place) => 1.0,
                0 => 0.0,
                _ => (start[k] + ln((f64::from(label[k]) + alpha) / (f64::from(others[k]) + alpha))) as f32,
            })
        };
        let of_one = ((1.0 + alpha) / alpha).ln();
        let own = [-of_one, of_one].map(|of_one| each(|k| (start[k] + of_one) as f32));
        Multiplied {
            ratio: wide::run(
                #[inline(always)]
                || counts.iter().enumerate().map(ratio).collect(),
            ),
            own,
            known,
            beta: ratios.beta,
        }
    }

    /// The ratio of terms that a single row has, whose sign it is.
    pub fn of_own(&self, sign: i8, k: usize) -> f64 {
        if sign == 0 { 0.0 } else { f64::from(self.own[usize::from(sign > 0)][k]) }
    }

    /// The sum of squares of a multiplied row, and the part of it of terms that only this row has.
    pub fn norm(&self, matrix: &Matrix, row: usize, sign: &Of<i8, K>) -> (Of<f64, K>, Of<f64, K>) {
        let own: Of<f64, K> = each(|k| matrix.norm(row).1 * self.of_own(sign[k], k) * self.of_own(sign[k], k));
        let mut norm = own;
        for entry in matrix.shared(row) {
            let (ratio, square) = (&self.ratio[entry.place as usize], f64::from(entry.value) * f64::from(entry.value));
            (0..K).for_each(|k| norm[k] += square * f64::from(ratio[k]) * f64::from(ratio[k]));
        }
        (norm, own)
    }

    /// Adds so many times a multiplied row to weights that are multiplied, too.
    #[inline(always)]
    pub fn add(&self, weights: &mut [Of<f64, K>], row: &[Entry], times: &Of<f64, K>) {
        for entry in row {
            let (w, ratio) = (&mut weights[entry.place as usize], &self.ratio[entry.place as usize]);
            for k in 0..K {
                let ratio = f64::from(ratio[k]);
                w[k] += times[k] * f64::from(entry.value) * (ratio * ratio);
            }
        }
    }

    /// What weights are that are not multiplied.
    fn divided<'a>(&'a self, weights: &'a [Of<f64, K>]) -> impl Iterator<Item = Of<f64, K>> + 'a {
        let divided = |v: f64, ratio: f32| if ratio == 0.0 { 0.0 } else { v / f64::from(ratio) };
        weights.iter().zip(&self.ratio).map(move |(v, ratio)| each(|k| divided(v[k], ratio[k])))
    }

    /// |w|^2.
    pub fn squared(&self, weights: &[Of<f64, K>]) -> Of<f64, K> {
        self.divided(weights).fold([0.0; K], |sum, w| each(|k| sum[k] + w[k] * w[k]))
    }

    /// The sum of |w_j| of all terms.
    pub fn sizes(&self, matrix: &Matrix, weights: &[Of<f64, K>]) -> Of<f64, K> {
        let of_terms = self.divided(weights).enumerate().filter(|&(place, _)| !matrix.is_bias(place));
        of_terms.fold([0.0; K], |sum, (_, w)| each(|k| sum[k] + w[k].abs()))
    }

    /// What becomes of the weight of a term, from that of the multiplied row.
    pub fn weight(&self, ratio: f64, fitted: f64, size: f64) -> f64 {
        ratio * ((1.0 - self.beta) * size + self.beta * ratio * fitted)
    }

    /// What becomes of multiplied weights, by place.
    pub fn interpolated(&self, matrix: &Matrix, weights: &[Of<f64, K>], sizes: &Of<f64, K>) -> Vec<Of<f64, K>> {
        let beta = self.beta;
        let of_term = |(place, (v, ratio)): (usize, (&Of<f64, K>, &Of<f32, K>))| {
            if matrix.is_bias(place) {
                return *v;
            }
            each(|k| (1.0 - beta) * sizes[k] * f64::from(ratio[k]) + beta * v[k])
        };
        weights.iter().zip(&self.ratio).enumerate().map(of_term).collect()
    }
}
