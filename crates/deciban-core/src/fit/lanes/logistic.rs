//! The logistic loss of `loss`, for all lanes at once: the same steps, taken as often as the last lane needs them.
//!
//! A lane whose row counts nothing (c = 0) stays at nothing.

use super::{Of, each};
use crate::exp::exp;
use crate::fit::loss::{SMALL, STEPS, TINY, entropy};
use crate::ln::ln;

/// What a dual variable costs.
#[inline(always)]
pub(super) fn conjugate(alpha: f64, c: f64) -> f64 {
    let p = (alpha / c.max(TINY)).clamp(0.0, 1.0);
    c * (entropy(p) + entropy(1.0 - p))
}

/// About what a row adds to the gaps.
#[inline(always)]
pub(super) fn gap<const K: usize>(alpha: &Of<f64, K>, margin: &Of<f64, K>, c: &Of<f64, K>) -> Of<f64, K> {
    each(|k| {
        let best = 1.0 / (1.0 + exp(margin[k]));
        let off = alpha[k] / c[k].max(TINY) - best;
        0.5 * c[k] * off * off / (best * (1.0 - best)).max(TINY)
    })
}

/// The dual variables that are best, and their conjugates.
#[inline(always)]
pub(super) fn best<const K: usize>(
    alpha: &Of<f64, K>,
    margin: &Of<f64, K>,
    norm: &Of<f64, K>,
    c: &Of<f64, K>,
) -> (Of<f64, K>, Of<f64, K>) {
    let q: Of<f64, K> = each(|k| norm[k] * c[k]);
    let z: Of<f64, K> = each(|k| norm[k] * alpha[k] - margin[k]);
    let is_above: Of<bool, K> = each(|k| z[k] > 0.5 * q[k]);
    let z: Of<f64, K> = each(|k| if is_above[k] { q[k] - z[k] } else { z[k] });
    let guess: Of<f64, K> = each(|k| if is_above[k] { margin[k] } else { -margin[k] });
    let most: Of<f64, K> = each(|k| z[k].min(0.0));
    let mut u: Of<f64, K> = each(|k| guess[k].max(z[k] - 0.5 * q[k]).min(most[k]));
    let mut p = [0.0; K];
    for _ in 0..STEPS {
        let now: Of<f64, K> = each(|k| 1.0 / (1.0 + exp(-u[k])));
        let bend: Of<f64, K> = each(|k| now[k] * (1.0 - now[k]));
        let next: Of<f64, K> = each(|k| (u[k] - (u[k] + q[k] * now[k] - z[k]) / (1.0 + q[k] * bend[k])).min(most[k]));
        let step: Of<f64, K> = each(|k| next[k] - u[k]);
        (u, p) = (next, each(|k| now[k] + bend[k] * step[k]));
        if step.iter().all(|step| step.abs() <= SMALL) {
            break;
        }
    }
    let alpha = each(|k| c[k] * if is_above[k] { 1.0 - p[k] } else { p[k] });
    (alpha, each(|k| c[k] * (p[k] * u[k] + ln(1.0 - p[k]))))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fit::loss::{Logistic, Loss};

    proptest! {
        #[test]
        fn lanes_are_as_one(
            share in 0.0..1.0_f64, margin in -50.0..50.0_f64, norm in 0.1..2000.0_f64, c in 0.01..20.0_f64,
        ) {
            let (alpha, other) = (share * c, 0.5 * margin);
            let of = |margin: f64| {
                let best = Logistic::best(alpha, margin, norm, c);
                (best, Logistic::conjugate(best, c))
            };
            let (best, costs) = best(&[alpha, alpha, 0.0], &[margin, other, margin], &[norm; 3], &[c, c, 0.0]);
            for (k, (expected, cost)) in [of(margin), of(other), (0.0, 0.0)].into_iter().enumerate() {
                prop_assert!((best[k] - expected).abs() <= 1e-6 * c, "{k}: {} {expected}", best[k]);
                prop_assert!((costs[k] - cost).abs() <= 1e-4 * c, "{k}: {} {cost}", costs[k]);
            }
            prop_assert!((conjugate(alpha, c) - Logistic::conjugate(alpha, c)).abs() <= 1e-12 * c);
        }
    }
}
