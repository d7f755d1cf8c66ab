//! e^x of many numbers at once: without a branch or a table, so that they are done side by side.
//!
//! x is k ln 2 + r with r from -ln(2)/2 to ln(2)/2, and e^x = 2^k e^r, e^r by its series, whose rest is below 2e-17.

const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_588e-10;
/// 1.5 x 2^52: what is added to it is rounded, and stands in the last bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// 1 / n!, from n = 13 down to 0.
const SERIES: [f64; 14] = [
    1.605_904_383_682_161_3e-10,
    2.087_675_698_786_81e-9,
    2.505_210_838_544_172e-8,
    2.755_731_922_398_589_3e-7,
    2.755_731_922_398_589e-6,
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    1.666_666_666_666_666_6e-1,
    0.5,
    1.0,
    1.0,
];

/// e^x for x from -700 to 700; beyond, as if it were there.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let x = x.clamp(-700.0, 700.0);
    let k = x * std::f64::consts::LOG2_E + ROUNDING;
    let r = (x - (k - ROUNDING) * LN_2_HIGH) - (k - ROUNDING) * LN_2_LOW;
    let series = SERIES.iter().fold(0.0, |sum, term| sum * r + term);
    series * f64::from_bits(k.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_power_of_e(x in -700.0..700.0f64, near in -1e-3..1e-3f64) {
            for x in [x, near] {
                prop_assert!((exp(x) - x.exp()).abs() <= 4.0 * f64::EPSILON * x.exp(), "{x}");
            }
        }
    }

    #[test]
    fn of_nothing_and_of_much() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-1e9), exp(-700.0));
        assert!(exp(f64::INFINITY).is_finite());
    }
}
