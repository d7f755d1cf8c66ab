//! Orders that look random and are the same for the same seed.

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    /// A sequence of its own for each seed and number.
    pub fn new(seed: u64, number: usize) -> Self {
        let mut first = Random(seed);
        Random(first.next() ^ number as u64)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Puts some numbers into another order.
    pub fn shuffle(&mut self, numbers: &mut [u32]) {
        for at in (1..numbers.len()).rev() {
            let other = (u128::from(self.next()) * (at as u128 + 1)) >> 64;
            numbers.swap(at, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_all_numbers_and_follow_from_the_seed() {
        let order = |seed, number| {
            let mut numbers: Vec<u32> = (0..50).collect();
            Random::new(seed, number).shuffle(&mut numbers);
            numbers
        };
        assert_eq!(order(1, 2), order(1, 2));
        assert_ne!(order(1, 2), order(1, 3));
        assert_ne!(order(1, 2), order(2, 2));
        let mut sorted = order(7, 0);
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..50));
    }
}
