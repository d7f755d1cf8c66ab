//! What a margin costs, and what solvers need to know of that.
//!
//! A margin is m = y (w . x), y = 1 or -1; a row that counts c times costs c l(m). The dual variable of a row is alpha,
//! and `conjugate` is c l*(-alpha / c): for any alpha, `c l(m) + conjugate(alpha) + alpha m` is at least 0, and the sum
//! over all rows is the duality gap.

use super::USUAL_SHARE;
use crate::exp::exp;
use crate::ln::ln;

/// The dual variable that is best, all others as they are, and its hint; and about what its row added to the gap before.
pub(super) struct Visit {
    pub alpha: f64,
    pub hint: f64,
    pub gap: f64,
}

/// A loss of margins. All numbers of a row that counts `c` times.
pub(super) trait Loss: Copy + Sync {
    /// Whether conjugates take logarithms: those of many rows are then computed side by side, not one a visit.
    const HAS_LOGARITHMS: bool = false;
    /// What a margin costs.
    fn cost(margin: f64, c: f64) -> f64;
    /// What a dual variable costs.
    fn conjugate(alpha: f64, c: f64) -> f64;
    /// About what a row adds to the gap.
    #[inline]
    fn gap(alpha: f64, margin: f64, c: f64) -> f64 {
        Self::cost(margin, c) + Self::conjugate(alpha, c) + alpha * margin
    }
    /// Where `visit` begins to look for the dual variable that is best, by the one that there is.
    #[inline]
    fn hint(_: f64, _: f64) -> f64 {
        0.0
    }
    /// What a visit finds of a row whose dual variable has a `hint`; `norm` is x . x.
    #[inline]
    fn visit(alpha: f64, _: f64, margin: f64, norm: f64, c: f64) -> Visit {
        Visit { alpha: Self::best(alpha, margin, norm, c), hint: 0.0, gap: Self::gap(alpha, margin, c) }
    }
    /// About what share of the gap is left at an epoch's end, where rows were seen in its course, and all of them added
    /// this share of what they had added in the one before.
    #[inline]
    fn share_left(_: f64) -> f64 {
        USUAL_SHARE
    }
    /// The dual variable that is best, all others as they are.
    fn best(alpha: f64, margin: f64, norm: f64, c: f64) -> f64;
    /// How steeply the dual falls or rises, where it can be at a bound.
    fn slope(alpha: f64, margin: f64, c: f64) -> f64;
    /// The least and the greatest dual variable, where one is reached and may stay.
    fn bounds(c: f64) -> (f64, f64);
    /// The dual variable that belongs to a margin where all is solved: -c l'(m).
    fn seed(margin: f64, c: f64) -> f64;
    /// c l''(m), or what stands for it where there is none.
    fn curvature(margin: f64, c: f64) -> f64;
}

/// max(0, 1 - m).
#[derive(Clone, Copy)]
pub(super) struct Hinge;

impl Loss for Hinge {
    #[inline(always)]
    fn cost(margin: f64, c: f64) -> f64 {
        c * (1.0 - margin).max(0.0)
    }

    #[inline(always)]
    fn conjugate(alpha: f64, _: f64) -> f64 {
        -alpha
    }

    fn best(alpha: f64, margin: f64, norm: f64, c: f64) -> f64 {
        (alpha - (margin - 1.0) / norm).max(0.0).min(c)
    }

    fn slope(_: f64, margin: f64, _: f64) -> f64 {
        margin - 1.0
    }

    fn bounds(c: f64) -> (f64, f64) {
        (0.0, c)
    }

    fn seed(margin: f64, c: f64) -> f64 {
        if margin < 1.0 { c } else { 0.0 }
    }

    fn curvature(_: f64, _: f64) -> f64 {
        0.0
    }
}

/// max(0, 1 - m)^2.
#[derive(Clone, Copy)]
pub(super) struct SquaredHinge;

impl Loss for SquaredHinge {
    #[inline(always)]
    fn cost(margin: f64, c: f64) -> f64 {
        let short = (1.0 - margin).max(0.0);
        c * short * short
    }

    #[inline(always)]
    fn conjugate(alpha: f64, c: f64) -> f64 {
        alpha * (alpha / (4.0 * c) - 1.0)
    }

    fn best(alpha: f64, margin: f64, norm: f64, c: f64) -> f64 {
        Squared::best(alpha, margin, norm, c).max(0.0)
    }

    fn slope(alpha: f64, margin: f64, c: f64) -> f64 {
        margin - 1.0 + alpha / (2.0 * c)
    }

    fn bounds(_: f64) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn seed(margin: f64, c: f64) -> f64 {
        2.0 * c * (1.0 - margin).max(0.0)
    }

    fn curvature(margin: f64, c: f64) -> f64 {
        if margin < 1.0 { 2.0 * c } else { 0.0 }
    }
}

/// (1 - m)^2 = (y - w . x)^2: linear regression on 1 and -1 (Aggarwal 5.10).
#[derive(Clone, Copy)]
pub(super) struct Squared;

impl Loss for Squared {
    #[inline(always)]
    fn cost(margin: f64, c: f64) -> f64 {
        c * (1.0 - margin) * (1.0 - margin)
    }

    #[inline(always)]
    fn conjugate(alpha: f64, c: f64) -> f64 {
        SquaredHinge::conjugate(alpha, c)
    }

    fn best(alpha: f64, margin: f64, norm: f64, c: f64) -> f64 {
        let half = 0.5 / c;
        alpha - (margin - 1.0 + alpha * half) / (norm + half)
    }

    fn slope(alpha: f64, margin: f64, c: f64) -> f64 {
        SquaredHinge::slope(alpha, margin, c)
    }

    fn bounds(_: f64) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    fn seed(margin: f64, c: f64) -> f64 {
        2.0 * c * (1.0 - margin)
    }

    fn curvature(_: f64, c: f64) -> f64 {
        2.0 * c
    }
}

/// log(1 + e^-m).
#[derive(Clone, Copy)]
pub(super) struct Logistic;

/// What is not divided by.
pub(super) const TINY: f64 = 1e-100;
/// Newton's steps for one row at most, and how small the last one is: what is missing then is about its square.
pub(super) const STEPS: usize = 50;
pub(super) const SMALL: f64 = 1e-4;
/// So much more of the gap is left at the end of an epoch than it fell by since the one before, at most, as a rule.
const MORE: f64 = 1.3;
/// The same of a row that is visited again and again, each time from nearer.
const SMALL_ENOUGH: f64 = 0.03;

impl Loss for Logistic {
    const HAS_LOGARITHMS: bool = true;

    #[inline(always)]
    fn cost(margin: f64, c: f64) -> f64 {
        c * (ln(1.0 + exp(-margin.abs())) - margin.min(0.0))
    }

    #[inline(always)]
    fn conjugate(alpha: f64, c: f64) -> f64 {
        let p = alpha / c;
        c * (entropy(p) + entropy(1.0 - p))
    }

    /// Half of chi^2 for the Kullback-Leibler divergence that it is: the same near the solution, without logarithms.
    fn gap(alpha: f64, margin: f64, c: f64) -> f64 {
        let (p, best) = (alpha / c, sigmoid(-margin));
        0.5 * c * (p - best) * (p - best) / (best * (1.0 - best)).max(TINY)
    }

    fn best(alpha: f64, margin: f64, norm: f64, c: f64) -> f64 {
        c * log_odds(norm * c, norm * alpha - margin, -margin, SMALL).1
    }

    fn hint(alpha: f64, c: f64) -> f64 {
        (alpha / (c - alpha)).ln()
    }

    /// It is smooth, so that the gap goes on to fall as it fell.
    fn share_left(fell: f64) -> f64 {
        USUAL_SHARE.min(MORE * fell)
    }

    /// From the log-odds of the last visit on, where there are some: s is straight between them and the new ones, nearly.
    /// So is what is between the old log-odds and -m, at which the row would add nothing: half of a rectangle.
    fn visit(alpha: f64, hint: f64, margin: f64, norm: f64, c: f64) -> Visit {
        let (q, old) = (norm * c, alpha / c);
        let bend = q * old * (1.0 - old);
        let is_known = hint.is_finite();
        let guess = if is_known { (bend * hint - margin) / (1.0 + bend) } else { -margin };
        let (u, p) = log_odds(q, norm * alpha - margin, guess, SMALL_ENOUGH);
        let gap = if is_known {
            0.5 * c * ((p - old).abs() * (1.0 + q * p * (1.0 - p))).min(1.0) * (margin + hint).abs()
        } else {
            Self::gap(alpha, margin, c)
        };
        Visit { alpha: c * p, hint: u, gap }
    }

    fn slope(_: f64, _: f64, _: f64) -> f64 {
        0.0
    }

    /// None is ever reached.
    fn bounds(_: f64) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }

    fn seed(margin: f64, c: f64) -> f64 {
        c * sigmoid(-margin)
    }

    fn curvature(margin: f64, c: f64) -> f64 {
        let p = sigmoid(margin);
        c * p * (1.0 - p)
    }
}

/// The root of u + q s(u) = z, where s is the logistic function, and p = s(u). With q = norm c and z = norm alpha - m,
/// alpha becomes c p: the dual of Yu, Huang and Lin (2011) in the log-odds u, which needs no care near the bounds. Where z
/// is above q / 2 the root is above 0, and -u is the root of the same equation for q - z.
#[inline]
fn log_odds(q: f64, z: f64, guess: f64, small: f64) -> (f64, f64) {
    let is_above = z > 0.5 * q;
    let (u, p) = if is_above { root(q, q - z, -guess, small) } else { root(q, z, guess, small) };
    if is_above { (-u, 1.0 - p) } else { (u, p) }
}

/// The root of u + q s(u) = z, at most 0, and s(u), by Newton's method from near a guess on, until a step is small. The
/// function is convex there: from the second step on roots are approached from above, and none is missed.
fn root(q: f64, z: f64, guess: f64, small: f64) -> (f64, f64) {
    let most = z.min(0.0);
    let mut u = guess.clamp(z - 0.5 * q, most);
    for _ in 0..STEPS {
        let p = sigmoid(u);
        let bend = p * (1.0 - p);
        let step = (u - (u + q * p - z) / (1.0 + q * bend)).min(most) - u;
        u += step;
        if step.abs() <= small {
            return (u, p + bend * step);
        }
    }
    (u, sigmoid(u))
}

/// 1 / (1 + e^-u).
#[inline]
pub(super) fn sigmoid(u: f64) -> f64 {
    1.0 / (1.0 + (-u).exp())
}

/// p log p, 0 for 0.
#[inline(always)]
pub(super) fn entropy(p: f64) -> f64 {
    if p > TINY { p * ln(p) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The best dual variable is no worse than its neighbours, and no gap is below 0.
    fn check<L: Loss>(alpha: f64, margin: f64, norm: f64, c: f64, (low, high): (f64, f64)) {
        let alpha = L::best(alpha, 0.0, 1.0, c);
        let best = L::best(alpha, margin, norm, c);
        let dual = |a: f64| L::conjugate(a, c) + a * margin + 0.5 * norm * (a - alpha) * (a - alpha);
        for near in [0.999 * best, 1.001 * best, best + 1e-4 * c, best - 1e-4 * c] {
            let near = near.clamp(low, high);
            assert!(dual(best) <= dual(near) + 1e-7 * (1.0 + dual(near).abs()), "{best} {near}");
        }
        let found = L::visit(alpha, L::hint(alpha, c), margin, norm, c);
        assert!((found.alpha - best).abs() <= 1e-3 * c && found.gap >= -1e-9 * (1.0 + c + best.abs() * margin.abs()));
        let gap = |a: f64| L::cost(margin, c) + L::conjugate(a, c) + a * margin;
        assert!(gap(best) >= -1e-9 * (1.0 + c + best.abs() * margin.abs()));
        let seed = L::seed(margin, c);
        assert!(gap(seed).abs() <= 1e-9 * (1.0 + c + seed.abs() * (margin.abs() + 1.0) + seed * seed / c));
        assert!(L::curvature(margin, c) >= 0.0);
    }

    proptest! {
        #[test]
        fn dual_steps_are_best(alpha in 0.0..1.0_f64, margin in -50.0..50.0_f64, norm in 0.1..2000.0_f64, c in 0.01..20.0_f64) {
            check::<Hinge>(alpha, margin, norm, c, Hinge::bounds(c));
            check::<SquaredHinge>(alpha, margin, norm, c, SquaredHinge::bounds(c));
            check::<Squared>(alpha, margin, norm, c, Squared::bounds(c));
            check::<Logistic>(alpha * c, margin, norm, c, (0.0, c));
        }
    }
}
