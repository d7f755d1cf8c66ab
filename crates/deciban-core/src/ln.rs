//! Natural logarithms of many numbers at once: without a branch or a table, so that they are done side by side; and of
//! products of many numbers, which take few.
//!
//! A number is 2^k m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh(s) = s (2 + R(s^2)) for s = (m - 1) / (m + 1).
//! R is that of the C library of FreeBSD (`e_log.c`). That splits ln 2 in two, and sums up so that less than one unit of the
//! last place is wrong; for two of them, a quarter of the steps can be left out.

use std::f64::consts::LN_2;

use crate::four::Four;

const R: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];
/// The bits of 1 and of sqrt(1/2), and those that a mantissa has.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
/// 2^52, whose last bits count ones.
const COUNTING: u64 = 0x4330_0000_0000_0000;

/// Products stay between 2^-512 and 2^512: then this, taken from their bits, leaves the first two unset.
const SMALLEST: u64 = (1023 - 512) << 52;

/// A product of many numbers for each of four labels, whose logarithm is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product {
    /// Logarithms of what is no part of the product any more, so that it does not overflow.
    logs: Four,
    product: Four,
}

impl Product {
    pub(crate) const ONE: Product = Product { logs: Four::ZERO, product: Four::ONE };

    #[inline(always)]
    pub(crate) fn multiply(&mut self, factors: Four) {
        let product = self.product * factors;
        // What is zero stays so.
        let kept = product.with(self.product, |after, before| if before == 0.0 { 1.0 } else { after });
        if kept.0.iter().fold(0, |all, number| all | number.to_bits().wrapping_sub(SMALLEST)) >> 62 != 0 {
            self.settle(factors);
        } else {
            self.product = product;
        }
    }

    #[inline(always)]
    fn settle(&mut self, factors: Four) {
        let logs = self.product.map(ln) + factors.map(ln);
        self.product = logs.map(|log| if log == f64::NEG_INFINITY { 0.0 } else { 1.0 });
        self.logs += logs.map(|log| if log == f64::NEG_INFINITY { 0.0 } else { log });
    }

    #[inline(always)]
    pub(crate) fn ln(self) -> Four {
        self.logs + self.product.map(ln)
    }
}

/// The logarithm of zero, which is minus infinity, or of a normal positive number.
#[inline(always)]
pub(crate) fn ln(number: f64) -> f64 {
    let bits = number.to_bits().wrapping_add(ONE - ROOT);
    let k = f64::from_bits(COUNTING | bits >> 52) - (f64::from_bits(COUNTING) + 1023.0);
    let m = f64::from_bits((bits & MANTISSA) + ROOT);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let w = z * z;
    let odd = R[0] + w * (R[2] + w * (R[4] + w * R[6]));
    let even = R[1] + w * (R[3] + w * R[5]);
    let logarithm = k * LN_2 + s * (2.0 + z * (odd + z * even));
    if number == 0.0 { f64::NEG_INFINITY } else { logarithm }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_logarithm(number in prop::num::f64::POSITIVE | prop::num::f64::NORMAL, near in -1e-3..1e-3f64) {
            for number in [number.abs(), 1.0 + near] {
                let difference = (ln(number) - number.ln()).abs();
                prop_assert!(difference <= 4.0 * f64::EPSILON * number.ln().abs(), "{number}: {difference}");
            }
        }
    }

    #[test]
    fn of_nothing_and_of_one() {
        let numbers = Four([0.0, 1.0, f64::MIN_POSITIVE, f64::MAX]).map(ln);
        assert_eq!(numbers.0, [f64::NEG_INFINITY, 0.0, f64::MIN_POSITIVE.ln(), f64::MAX.ln()]);
    }

    #[test]
    fn products_neither_overflow_nor_vanish() {
        let mut product = Product::ONE;
        for factors in [[1e200, 1e-300, 2.0, 0.0], [1e300, 1e-300, 3.0, 1e-300], [1e-5, 1e10, 0.5, 1e300]] {
            product.multiply(Four(factors));
        }
        for (log, expected) in product.ln().0.into_iter().zip([495.0 * 10f64.ln(), -590.0 * 10f64.ln(), 3f64.ln()]) {
            assert!((log - expected).abs() < 1e-12 * expected.abs(), "{log} {expected}");
        }
        assert_eq!(product.ln().0[3], f64::NEG_INFINITY);
    }
}
