//! Names -> buckets: a term that is known by the number of its bucket alone, so that there are no more terms than buckets.
//!
//! The number is MurmurHash3 (x86, 32 bits, seed 0) of the term's whole name, modulo two to the power of so many bits: the
//! same on every machine and for ever. What stands in a lexicon is [`HASHED`] and that number, as eight hexadecimal
//! digits. Names themselves are kept nowhere.

use crate::names::each_name;
use crate::read::{Scratch, Visit};
use crate::table::Short;
use crate::terms::Terms;

/// How the name of a hashed term begins.
pub const HASHED: &str = "\th";

/// Shows the bucket of every term of a text to `visit`.
pub(crate) fn read_hashed(terms: &Terms, bits: u32, text: &str, scratch: &mut Scratch, visit: &mut impl Visit) {
    let mut whole = Vec::new();
    let mut show = |kind: &str, rest: &[u8]| {
        let mut name = rest;
        if !kind.is_empty() {
            whole.clear();
            whole.extend_from_slice(kind.as_bytes());
            whole.extend_from_slice(rest);
            name = &whole;
        }
        let key = Short::after(HASHED.as_bytes(), digits(bucket(name, bits)), 8);
        visit.short(key, visit.trie().short.hash(key), true);
    };
    each_name(terms, text, scratch, |kind, rest, _| show(kind, rest));
    terms.properties.each(text, &mut scratch.pieces, |kind, rest, _| show(kind, rest));
}

/// The name of the bucket of a term of this name.
pub(crate) fn bucket_name(name: &str, bits: u32) -> String {
    format!("{HASHED}{:08x}", bucket(name.as_bytes(), bits))
}

fn bucket(name: &[u8], bits: u32) -> u32 {
    murmur3(name) & (u32::MAX >> (32 - bits.clamp(1, 32)))
}

/// A number as eight hexadecimal digits, and room after them.
fn digits(number: u32) -> [u8; 16] {
    let mut digits = [0; 16];
    for (i, digit) in digits.iter_mut().take(8).enumerate() {
        *digit = b"0123456789abcdef"[(number >> (28 - 4 * i)) as usize & 15];
    }
    digits
}

/// MurmurHash3_x86_32 with seed 0.
#[inline]
pub(crate) fn murmur3(bytes: &[u8]) -> u32 {
    let mixed = |word: u32| word.wrapping_mul(0xCC9E_2D51).rotate_left(15).wrapping_mul(0x1B87_3593);
    let (words, tail) = bytes.as_chunks();
    let mut hash = 0_u32;
    for word in words {
        hash = (hash ^ mixed(u32::from_le_bytes(*word))).rotate_left(13).wrapping_mul(5).wrapping_add(0xE654_6B64);
    }
    hash ^= mixed(tail.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)));
    hash ^= bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ hash >> 13).wrapping_mul(0xC2B2_AE35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;

    #[test]
    fn hashes_are_the_reference_implementations() {
        // From the tests of scikit-learn and of Appleby's MurmurHash3.
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"foo") as i32, -156_908_512);
        assert_eq!(murmur3(b"hello, world"), 0x149B_BB7F);
        assert_eq!(murmur3(b"The quick brown fox jumps over the lazy dog"), 0x2E4F_F723);
    }

    #[test]
    fn what_is_counted_are_the_buckets_of_what_is_seen() {
        for bits in [1, 5, 31] {
            let (words, chars) = (Some(1..=2), Some(3..=16));
            let terms = Terms { words, edges: true, chars, hash_bits: Some(bits), ..Terms::default() };
            let text = "So far, so good: incomprehensibilities";
            let mut seen: Vec<String> = terms.seen(text).iter().map(|seen| terms.known_as(&seen.name)).collect();
            let mut tally = Tally::new(terms, 1);
            tally.add(&[text], &[0], || false).unwrap();
            let counts = tally.take(&[0]).unwrap().0;
            assert_eq!(counts.occurrences.iter().sum::<i64>(), seen.len() as i64);
            seen.sort_unstable();
            seen.dedup();
            assert!(counts.names.iter().eq(seen));
            assert!(counts.names.len() <= 1 << bits);
        }
    }
}
