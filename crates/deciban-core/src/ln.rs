//! Natural logarithms of many numbers at once: without a branch or a table, so that they are done side by side.
//!
//! A number is 2^k m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh(s) = f - (f^2/2 - s (f^2/2 + R(s^2))) for
//! f = m - 1, s = f / (2 + f). R and the split of ln 2 are those of the C library of FreeBSD (`e_log.c`), whose error is
//! below one unit of the last place.

const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_588e-10;
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

/// Replaces each number by its logarithm. They are zero, of which it is minus infinity, or normal positive numbers.
#[inline(always)]
pub(crate) fn ln_all(numbers: &mut [f64]) {
    numbers.iter_mut().for_each(|number| *number = ln(*number));
}

/// The logarithm of one such number.
#[inline(always)]
pub(crate) fn ln(number: f64) -> f64 {
    let bits = number.to_bits().wrapping_add(ONE - ROOT);
    let k = f64::from_bits(COUNTING | bits >> 52) - (f64::from_bits(COUNTING) + 1023.0);
    let f = f64::from_bits((bits & MANTISSA) + ROOT) - 1.0;
    let s = f / (2.0 + f);
    let (z, half) = (s * s, 0.5 * f * f);
    let w = z * z;
    let odd = z * (R[0] + w * (R[2] + w * (R[4] + w * R[6])));
    let even = w * (R[1] + w * (R[3] + w * R[5]));
    let logarithm = k * LN_2_HIGH - ((half - (s * (half + (odd + even)) + k * LN_2_LOW)) - f);
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
        let mut numbers = [0.0, 1.0, f64::MIN_POSITIVE, f64::MAX];
        ln_all(&mut numbers);
        assert_eq!(numbers, [f64::NEG_INFINITY, 0.0, f64::MIN_POSITIVE.ln(), f64::MAX.ln()]);
    }
}
