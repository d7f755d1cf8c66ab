//! Scores -> scores whose posterior probabilities come true as often as they say.
//!
//! ```text
//! c_r = z_r - origin_r - mean               the evidence of a text, of mean zero over its labels
//! f   = exp(t - a ln n - g ln max(c))       one number a text: the less, the longer it is and the more it seems to tell
//! z_r <- f z_r                              a temperature
//! z_r <- f (slope_r c_r + sum_q M_qr c_q) + shift_r
//! z_r <- exp(u - h ln max(z - mean)) z_r    then, where labels have numbers of their own: how steep what they make is
//! ```
//!
//! n is how many known terms the text has. One that has none keeps its scores: they are the prior's. After a temperature,
//! log probabilities may be bent along `knots`, the same way for every label.

use crate::Invalid;
use crate::decision::log_posterior;

/// No number is greater than this; so that no product of them overflows.
const GREATEST: f64 = 1e9;
/// The exponent of a factor stays within this.
const STEEPEST: f64 = 50.0;
/// Evidence that is less is taken for this much.
const LEAST: f64 = 1e-3;

/// A map of scores. The first three numbers make the factor; what it has none of is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibration {
    /// t, a and g.
    pub temper: [f64; 3],
    /// u and h, of scores that labels' own numbers have made.
    pub steepness: [f64; 2],
    /// What scores are before a text says anything; by label, as slopes and shifts are.
    pub origin: Vec<f64>,
    /// What evidence for a label is multiplied with.
    pub slope: Vec<f64>,
    /// What is added to each label.
    pub shift: Vec<f64>,
    /// What evidence for one label (row) adds to another (column).
    pub matrix: Vec<f64>,
    /// Log probabilities, rising, and then as many that they are bent to, rising too.
    pub knots: Vec<f64>,
}

impl Calibration {
    /// Refuses what is no map of the scores of so many labels.
    pub fn check(&self, labels: usize) -> Result<(), Invalid> {
        let by_label = [self.origin.len(), self.slope.len(), self.shift.len()];
        let fits = by_label == [0; 3] || by_label == [labels; 3];
        let has_room = !self.slope.is_empty() && labels.checked_mul(labels) == Some(self.matrix.len());
        if !fits || !(self.matrix.is_empty() || has_room) || (!self.knots.is_empty() && !self.slope.is_empty()) {
            return Err(Invalid("the calibration does not fit the labels"));
        }
        let tempers = self.temper.iter().chain(&self.steepness);
        let numbers = [&self.origin, &self.slope, &self.shift, &self.matrix, &self.knots];
        if !numbers.into_iter().flatten().chain(tempers).all(|number| number.abs() <= GREATEST) {
            return Err(Invalid("the calibration holds a number that none has"));
        }
        let (from, to) = self.knots.split_at(self.knots.len() / 2);
        let rises = |knots: &[f64]| knots.windows(2).all(|pair| pair[0] < pair[1]);
        if from.len() != to.len() || !rises(from) || !rises(to) {
            return Err(Invalid("the calibration's knots do not rise"));
        }
        Ok(())
    }

    /// Whether labels keep their order, whatever the text.
    pub fn keeps_order(&self) -> bool {
        self.slope.is_empty()
    }

    /// The factor of a text that has so many known terms, where it follows from them alone.
    pub(crate) fn factor_of_length(&self, known: f64) -> Option<f64> {
        (self.temper[2] == 0.0 && self.knots.is_empty() && self.keeps_order()).then(|| self.factor(known, 1.0))
    }

    /// The factor of a text that has so many known terms, and the greatest score of which is so far from the mean.
    pub(crate) fn factor(&self, known: f64, spread: f64) -> f64 {
        if known == 0.0 {
            return 1.0;
        }
        let [t, a, g] = self.temper;
        (t - a * known.ln() - g * spread.max(LEAST).ln()).clamp(-STEEPEST, STEEPEST).exp()
    }

    /// Maps the scores of a text that has so many known terms, in place.
    pub fn apply(&self, scores: &mut [f64], known: f64) {
        if known == 0.0 {
            return;
        }
        if !self.slope.is_empty() {
            return self.shift_evidence(scores, known);
        }
        let factor = self.factor(known, if self.temper[2] == 0.0 { 1.0 } else { spread(scores) });
        scores.iter_mut().for_each(|score| *score *= factor);
        if !self.knots.is_empty() {
            log_posterior(scores);
            scores.iter_mut().for_each(|log_p| *log_p = self.bent(*log_p));
        }
    }

    /// The same where labels have numbers of their own.
    fn shift_evidence(&self, scores: &mut [f64], known: f64) {
        scores.iter_mut().zip(&self.origin).for_each(|(score, origin)| *score -= origin);
        let mean = mean(scores);
        scores.iter_mut().for_each(|score| *score -= mean);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let factor = self.factor(known, most);
        scores.iter_mut().for_each(|evidence| *evidence *= factor);
        let across = self.across(scores);
        for ((score, slope), shift) in scores.iter_mut().zip(&self.slope).zip(&self.shift) {
            *score = *score * slope + shift;
        }
        scores.iter_mut().zip(across).for_each(|(score, across)| *score += across);
        self.steepen(scores);
    }

    /// Makes scores that the labels' numbers have made more or less sure, by how sure they are.
    fn steepen(&self, scores: &mut [f64]) {
        if self.steepness != [0.0, 0.0] {
            let factor = self.steeper(spread(scores));
            scores.iter_mut().for_each(|score| *score *= factor);
        }
    }

    /// The factor by which scores are made steeper, the greatest of which is so far from the mean.
    pub(crate) fn steeper(&self, spread: f64) -> f64 {
        let [u, h] = self.steepness;
        (u - h * spread.max(LEAST).ln()).clamp(-STEEPEST, STEEPEST).exp()
    }

    /// What evidence for other labels adds to each; nothing, where there is no matrix.
    fn across(&self, evidence: &[f64]) -> Vec<f64> {
        let mut across = vec![0.0; if self.matrix.is_empty() { 0 } else { evidence.len() }];
        for (row, evidence) in self.matrix.chunks_exact(evidence.len().max(1)).zip(evidence) {
            across.iter_mut().zip(row).for_each(|(sum, weight)| *sum += evidence * weight);
        }
        across
    }

    /// A log probability along the knots; below the first as far below what that is bent to.
    fn bent(&self, log_p: f64) -> f64 {
        let (from, to) = self.knots.split_at(self.knots.len() / 2);
        let next = from.partition_point(|&knot| knot < log_p);
        match (next.checked_sub(1), from.get(next)) {
            (None, Some(first)) => to[0] + (log_p - first),
            (Some(last), Some(end)) => {
                to[last] + (to[next] - to[last]) * ((log_p - from[last]) / (end - from[last])).clamp(0.0, 1.0)
            }
            (Some(last), None) => to[last],
            (None, None) => log_p,
        }
    }
}

/// The mean of the scores that labels can have.
fn mean(scores: &[f64]) -> f64 {
    let (sum, many) = scores.iter().filter(|score| score.is_finite()).fold((0.0, 0.0), |(s, n), z| (s + z, n + 1.0));
    if many == 0.0 { 0.0 } else { sum / many }
}

/// How far the greatest score is from the mean.
fn spread(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(f64::NEG_INFINITY, f64::max) - mean(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(calibration: &Calibration, scores: &[f64], known: f64) -> Vec<f64> {
        let mut scores = scores.to_vec();
        calibration.check(scores.len()).unwrap();
        calibration.apply(&mut scores, known);
        scores
    }

    #[test]
    fn a_temperature_is_one_factor_a_text() {
        let half = Calibration { temper: [0.0, 0.5, 0.0], ..Calibration::default() };
        assert_eq!(applied(&half, &[-8.0, f64::NEG_INFINITY], 16.0), [-2.0, f64::NEG_INFINITY]);
        assert_eq!(applied(&half, &[-8.0, -4.0], 0.0), [-8.0, -4.0]);
        let by_spread = Calibration { temper: [0.0, 0.0, 1.0], ..Calibration::default() };
        assert_eq!(applied(&by_spread, &[-8.0, -4.0], 3.0), [-4.0, -2.0]);
    }

    #[test]
    fn labels_may_have_numbers_of_their_own() {
        let shifted = Calibration {
            origin: vec![-1.0, -1.0],
            slope: vec![1.0, 2.0],
            shift: vec![0.5, -0.5],
            matrix: vec![0.0, 1.0, 0.0, 0.0],
            ..Calibration::default()
        };
        assert_eq!(applied(&shifted, &[-3.0, -5.0], 2.0), [1.5, -1.5]);
        let steeper = Calibration { steepness: [2f64.ln(), 1.0], ..shifted.clone() };
        assert!(applied(&steeper, &[-3.0, -5.0], 2.0).iter().zip([2.0, -2.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(applied(&steeper, &[-3.0, -5.0], 0.0), [-3.0, -5.0]);
        assert!(Calibration { steepness: [f64::NAN, 0.0], ..shifted.clone() }.check(2).is_err());
        assert!(Calibration { matrix: vec![0.0; 3], ..shifted.clone() }.check(2).is_err());
        assert!(Calibration { slope: vec![f64::NAN, 1.0], ..shifted.clone() }.check(2).is_err());
        assert!(shifted.check(3).is_err());
    }

    #[test]
    fn knots_bend_log_probabilities() {
        let bent = Calibration { knots: vec![-2.0, -1.0, -3.0, -0.5], ..Calibration::default() };
        let found = applied(&bent, &[(0.3f64).ln(), (0.7f64).ln()], 1.0);
        assert!((found[0] - (-3.0 + 2.5 * (2.0 + (0.3f64).ln()))).abs() < 1e-12);
        assert_eq!(found[1], -0.5);
        assert_eq!(bent.bent(-7.0), -8.0);
        assert!(Calibration { knots: vec![-1.0, -2.0, -3.0, -0.5], ..bent }.check(2).is_err());
    }
}
