//! Losses of all labels' scores: multinomial logistic regression, and the multiclass hinge of Crammer and Singer.
//!
//! With scores s, a row costs c (max over p of p . (s + delta) + H(p)) - c s_y, where p is a point of the simplex, H is the
//! entropy and delta 0 (softmax), or H is 0 and delta 1 for all labels but the row's own (Crammer and Singer; Keerthi et
//! al. 2008). The best p, all other rows as they are, is where log p + q p = s + q p_old - lambda for softmax, and for the
//! hinge the point of the simplex next to p_old + (s + delta) / q, with q = c |x|^2.

use super::loss::entropy;

/// Newton's steps at most, and how small the last one is: what is missing then is about its square.
const STEPS: usize = 50;
const SMALL: f64 = 1e-4;

/// What stands for a row without numbers.
const NOTHING: f64 = 1e-100;

/// A loss of all labels' scores; numbers of a row that counts once.
pub(super) trait JointLoss {
    /// What scores cost where `y` is right.
    fn cost(scores: &[f64], y: usize) -> f64;
    /// What a point of the simplex costs.
    fn conjugate(p: &[f64], y: usize) -> f64;
    /// Brings p to its best.
    fn improve(p: &mut [f64], scores: &[f64], y: usize, q: f64);
    /// The p that belongs to scores where all is solved, in their place.
    fn seed(scores: &mut [f64], y: usize);
}

/// Multinomial logistic regression.
pub(super) struct Softmax;

impl JointLoss for Softmax {
    fn cost(scores: &[f64], y: usize) -> f64 {
        log_sum(scores) - scores[y]
    }

    fn conjugate(p: &[f64], _: usize) -> f64 {
        p.iter().map(|&p| entropy(p)).sum()
    }

    /// Newton's method for lambda. The sum of p falls with it and is convex, and is at least 1 where one p is 1: from there
    /// on, or from the second step on, lambda is approached from below.
    fn improve(p: &mut [f64], scores: &[f64], _: usize, q: f64) {
        let log_sum = log_sum(scores);
        let z: Vec<f64> = p.iter().zip(scores).map(|(p, score)| score - log_sum + q * p).collect();
        let least = z.iter().copied().fold(f64::NEG_INFINITY, f64::max) - q;
        let mut u: Vec<f64> = scores.iter().map(|score| score - log_sum).collect();
        let mut lambda = least.max(0.0);
        for _ in 0..STEPS {
            let (mut sum, mut slope) = (0.0, 0.0);
            for ((p, u), &z) in p.iter_mut().zip(&mut u).zip(&z) {
                (*u, *p) = log_root(q, z - lambda, *u);
                sum += *p;
                slope += *p / (1.0 + q * *p);
            }
            if (sum - 1.0).abs() <= SMALL * SMALL {
                break;
            }
            lambda = (lambda + (sum - 1.0) / slope).max(least);
        }
        let sum: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= sum);
    }

    fn seed(scores: &mut [f64], _: usize) {
        let log_sum = log_sum(scores);
        scores.iter_mut().for_each(|score| *score = (*score - log_sum).exp());
    }
}

/// max over r of s_r + [r is not y] - s_y.
pub(super) struct Multiclass;

impl JointLoss for Multiclass {
    fn cost(scores: &[f64], y: usize) -> f64 {
        scores.iter().enumerate().map(|(r, score)| score + f64::from(r != y)).fold(f64::NEG_INFINITY, f64::max)
            - scores[y]
    }

    fn conjugate(p: &[f64], y: usize) -> f64 {
        p[y] - p.iter().sum::<f64>()
    }

    fn improve(p: &mut [f64], scores: &[f64], y: usize, q: f64) {
        let q = q.max(NOTHING);
        p.iter_mut().zip(scores).enumerate().for_each(|(r, (p, score))| *p += (score + f64::from(r != y)) / q);
        to_simplex(p);
    }

    fn seed(scores: &mut [f64], y: usize) {
        let worth = |r: usize| scores[r] + f64::from(r != y);
        let most = (0..scores.len()).max_by(|&a, &b| worth(a).total_cmp(&worth(b))).unwrap_or(y);
        scores.iter_mut().enumerate().for_each(|(r, score)| *score = f64::from(r == most));
    }
}

/// u, at most 0, for which u + q e^u = t, and e^u; by Newton's method from near a guess on. The function is convex:
/// from the second step on the root is approached from above.
fn log_root(q: f64, t: f64, guess: f64) -> (f64, f64) {
    let most = t.min(0.0);
    let mut u = guess.min(most);
    for _ in 0..STEPS {
        let p = q * u.exp();
        let next = (u - (u + p - t) / (1.0 + p)).min(most);
        let is_done = (next - u).abs() <= SMALL;
        u = next;
        if is_done {
            break;
        }
    }
    (u, u.exp())
}

/// log of the sum of e^s.
fn log_sum(scores: &[f64]) -> f64 {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + scores.iter().map(|score| (score - most).exp()).sum::<f64>().ln()
}

/// The nearest point of the simplex: what is above a threshold, above it. The threshold is the mean of what is above, less
/// one of them; it grows as those below it leave (Michelot 1986).
fn to_simplex(v: &mut [f64]) {
    let most = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    v.iter_mut().for_each(|v| *v -= most);
    let mut threshold = -1.0;
    for _ in 0..v.len() {
        let (sum, count) = v.iter().filter(|&&v| v > threshold).fold((0.0, 0.0), |(sum, n), v| (sum + v, n + 1.0));
        let next = (sum - 1.0) / count;
        if next <= threshold {
            break;
        }
        threshold = next;
    }
    v.iter_mut().for_each(|v| *v = (*v - threshold).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The best point is no worse than those near it, and no gap is below 0.
    fn check<L: JointLoss>(scores: &[f64], y: usize, q: f64) {
        let mut old = scores.iter().rev().map(|score| 0.7 * score).collect::<Vec<_>>();
        L::seed(&mut old, y);
        let mut best = old.clone();
        L::improve(&mut best, scores, y, q);
        assert!((best.iter().sum::<f64>() - 1.0).abs() < 1e-9 && best.iter().all(|&p| p >= 0.0));
        let product = |p: &[f64]| p.iter().zip(scores).map(|(p, score)| p * score).sum::<f64>();
        let dual = |p: &[f64]| {
            let far: f64 = p.iter().zip(&old).map(|(p, old)| (p - old) * (p - old)).sum();
            L::conjugate(p, y) - product(p) + 0.5 * q * far
        };
        for r in 0..scores.len() {
            let near: Vec<f64> = best.iter().enumerate().map(|(s, p)| 0.999 * p + 0.001 * f64::from(r == s)).collect();
            assert!(dual(&best) <= dual(&near) + 1e-6 * (1.0 + dual(&near).abs()), "{best:?} {near:?}");
        }
        let gap = |p: &[f64]| L::cost(scores, y) + L::conjugate(p, y) + scores[y] - product(p);
        assert!(gap(&best) >= -1e-9 * (1.0 + q));
        let mut seed = scores.to_vec();
        L::seed(&mut seed, y);
        assert!(gap(&seed).abs() <= 1e-9);
    }

    proptest! {
        #[test]
        fn dual_steps_are_best(scores in prop::collection::vec(-30.0..30.0_f64, 2..6), y in 0..2_usize, q in 0.01..2000.0_f64) {
            check::<Softmax>(&scores, y, q);
            check::<Multiclass>(&scores, y, q);
            check::<Multiclass>(&scores, y, 0.0);
        }
    }
}
