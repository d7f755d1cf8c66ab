//! Text -> lower-cased bytes, and which of them belong to tokens: 64 bytes at a time while they are ASCII.
//!
//! The result is a copy of the text and a bit mask over its bytes; a token is a run of set bits. Blocks of ASCII are
//! classified by loops without branches, which the compiler turns into vector instructions; other characters go
//! through the tables of [`crate::tokens`], one by one.

use crate::characters::{SPACE, WORD};
use crate::tokens::{Tokens, flags, lower_into};

/// Bytes that may be read, as zeros or leftovers, after the last byte of a text.
pub(crate) const PADDING: usize = 64;

/// A text, lower-cased and cut. Its buffers are used again for the next.
#[derive(Debug, Default)]
pub struct Scan {
    bytes: Vec<u8>,
    length: usize,
    mask: Vec<u64>,
    edges: Vec<usize>,
}

/// The block's bytes go to `out`, in lower case if `LOWER`; its bit mask is returned, or none if it is not all ASCII.
#[inline]
fn block<const LOWER: bool>(input: &[u8; 64], out: &mut [u8; 64], is_inside: impl Fn(u8) -> bool) -> Option<u64> {
    let (mut inside, mut seen) = ([0_u8; 64], 0);
    for i in 0..64 {
        let byte = input[i];
        let lowered = byte | (u8::from(byte.wrapping_sub(b'A') < 26) << 5);
        out[i] = if LOWER { lowered } else { byte };
        inside[i] = u8::from(is_inside(lowered));
        seen |= byte;
    }
    (seen < 128).then(|| packed(&inside))
}

/// The lowest bits of 64 bytes.
#[inline]
fn packed(bytes: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * i);
    }
    mask
}

#[inline]
fn is_word(lowered: u8) -> bool {
    (lowered.wrapping_sub(b'a') < 26) | (lowered.wrapping_sub(b'0') < 10) | (lowered == b'_')
}

#[inline]
fn is_no_space(byte: u8) -> bool {
    !((byte == b' ') | (byte.wrapping_sub(9) < 5) | (byte.wrapping_sub(28) < 4))
}

/// How many bytes the character has that begins with this one.
#[inline]
fn width(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

impl Scan {
    /// Lower-cases a text and marks what belongs to its tokens.
    pub fn read(&mut self, text: &str, tokens: Tokens) {
        self.read_as::<true>(text, tokens);
    }

    /// Marks what belongs to a text's tokens, and leaves its capitals as they are.
    pub(crate) fn read_cased(&mut self, text: &str, tokens: Tokens) {
        self.read_as::<false>(text, tokens);
    }

    fn read_as<const LOWER: bool>(&mut self, text: &str, tokens: Tokens) {
        match tokens {
            Tokens::Word | Tokens::Run => self.read_with::<LOWER>(text, WORD, 0, is_word),
            Tokens::Whitespace | Tokens::Unicode => self.read_with::<LOWER>(text, SPACE, SPACE, is_no_space),
        }
    }

    /// The lower-cased text.
    pub fn lowered(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }

    /// The lower-cased bytes, and [`PADDING`] more.
    #[inline]
    pub(crate) fn padded(&self) -> &[u8] {
        &self.bytes
    }

    /// Where runs of marked bytes begin and end, in turn.
    #[inline]
    pub(crate) fn edges(&self) -> &[usize] {
        &self.edges
    }

    /// Runs of at least two marked characters.
    #[inline(always)]
    pub(crate) fn words(&self) -> impl Iterator<Item = (usize, usize)> {
        let runs = self.edges.as_chunks().0.iter();
        let is_one = |start: usize, length: usize| length == 1 || (length < 5 && length == width(self.bytes[start]));
        runs.filter_map(move |&[start, end]| (!is_one(start, end - start)).then_some((start, end)))
    }

    fn find_edges(&mut self) {
        self.edges.clear();
        let mut carry = 0;
        for (i, &mask) in self.mask.iter().enumerate() {
            let mut changes = mask ^ (mask << 1 | carry);
            carry = mask >> 63;
            while changes != 0 {
                self.edges.push(i * 64 + changes.trailing_zeros() as usize);
                changes &= changes - 1;
            }
        }
    }

    fn read_with<const LOWER: bool>(
        &mut self,
        text: &str,
        flag: u8,
        unless: u8,
        is_inside: impl Fn(u8) -> bool + Copy,
    ) {
        let bytes = text.as_bytes();
        self.reserve(bytes.len());
        self.mask.clear();
        self.mask.resize(bytes.len() / 64 + 2, 0);
        self.length = 0;
        let mut at = 0;
        while at < bytes.len() {
            let width = (bytes.len() - at).min(64);
            let mut tail = [0; 64];
            let input = bytes[at..].first_chunk().unwrap_or_else(|| {
                tail[..width].copy_from_slice(&bytes[at..]);
                &tail
            });
            let Some(out) = self.bytes[self.length..].first_chunk_mut() else { return };
            if let Some(mask) = block::<LOWER>(input, out, is_inside) {
                self.mark(mask & (u64::MAX >> (64 - width)));
                self.length += width;
                at += width;
            } else {
                // A lower-case letter may be longer than its capital, by half at the most.
                self.reserve(self.length + 2 * (bytes.len() - at));
                self.mask.resize((self.length + 2 * (bytes.len() - at)) / 64 + 2, 0);
                at = self.read_slowly::<LOWER>(text, at, flag, unless);
            }
        }
        self.mask.truncate(self.length / 64 + 1);
        self.find_edges();
    }

    /// Reads some characters one by one; returns where the next begins.
    fn read_slowly<const LOWER: bool>(&mut self, text: &str, from: usize, flag: u8, unless: u8) -> usize {
        for (at, c) in text[from..].char_indices() {
            if at >= 64 {
                return from + at;
            }
            let mut write = |c: char| {
                let width = c.encode_utf8(&mut self.bytes[self.length..]).len();
                if flags(c) & flag != unless {
                    self.mark(u64::MAX >> (64 - width));
                }
                self.length += width;
            };
            if LOWER { lower_into(text, from + at, c, write) } else { write(c) }
        }
        text.len()
    }

    #[inline]
    fn mark(&mut self, bits: u64) {
        let (word, shift) = (self.length / 64, self.length % 64);
        self.mask[word] |= bits << shift;
        if shift > 0 {
            self.mask[word + 1] |= bits >> (64 - shift);
        }
    }

    fn reserve(&mut self, length: usize) {
        if self.bytes.len() < length + 2 * PADDING {
            self.bytes.resize(length + 2 * PADDING, 0);
        }
    }
}
