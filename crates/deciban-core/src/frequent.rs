//! Where terms stand so that frequent ones are together: few of all terms are most of what texts ask for, and what stands
//! together is found faster.

use crate::near::prefetch;

/// So many bits of a number say nearly how great it is.
const BITS: u32 = 14;

/// A place for each term, by how often it occurs: nearly in that order, the most frequent first.
pub(crate) fn places(all: &[f64]) -> Vec<u32> {
    let group = |number: &f64| (!number.to_bits() >> (u64::BITS - BITS)) as usize;
    let mut next = vec![0; (1 << BITS) + 1];
    all.iter().for_each(|number| next[group(number) + 1] += 1);
    (1..next.len()).for_each(|group| next[group] += next[group - 1]);
    let place = |number| {
        let next = &mut next[group(number)];
        *next += 1;
        *next - 1
    };
    all.iter().map(place).collect()
}

/// Asks memory for the rows of some places, of so many numbers each.
#[inline(always)]
pub(crate) fn prefetch_rows<T>(rows: &[T], width: usize, places: &[u32]) {
    for &place in places {
        let row = &rows[place as usize * width..][..width];
        if let [first, ..] = row {
            prefetch(first);
        }
        if let [_, .., last] = row {
            prefetch(&row[width / 2]);
            prefetch(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_are_first() {
        assert_eq!(places(&[1.0, 700.0, 2.0, 1.0, 9e9]), [3, 1, 2, 4, 0]);
        assert_eq!(places(&[]), []);
    }
}
