//! Texts -> a matrix whose columns are hashes of terms: scikit-learn's, MurmurHash3 (x86, 32 bits) with seed 0.

use crate::names::each_name;
use crate::terms::Terms;
use crate::vectorise::vocabulary::{Finds, One};

/// Which column a term goes to, and with which sign.
#[derive(Debug, Clone)]
pub struct Hashing {
    /// What is seen of a text.
    pub terms: Terms,
    /// How many columns there are, below two billion.
    pub columns: u32,
    /// Whether a term counts as minus one where its hash is negative.
    pub signed: bool,
}

impl Hashing {
    /// Counts the terms of some texts into rows; `threads` as in [`crate::parts::cut`].
    pub fn count<T: AsRef<str> + Sync>(&self, texts: &[T], threads: usize, rows: &mut Finds) {
        let columns = self.columns.clamp(1, i32::MAX as u32);
        rows.add(texts, threads, |text, scratch, found| {
            each_name(&self.terms, text, scratch, |_, name, _| {
                let hash = murmur3(name) as i32;
                found.push(One::new(hash.unsigned_abs() % columns, self.signed && hash < 0));
            });
        });
    }
}

/// MurmurHash3_x86_32 with seed 0.
#[inline]
fn murmur3(bytes: &[u8]) -> u32 {
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

    #[test]
    fn hashes_are_the_reference_implementations() {
        // From the tests of scikit-learn and of Appleby's MurmurHash3.
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"foo") as i32, -156_908_512);
        assert_eq!(murmur3(b"hello, world"), 0x149B_BB7F);
        assert_eq!(murmur3(b"The quick brown fox jumps over the lazy dog"), 0x2E4F_F723);
    }
}
