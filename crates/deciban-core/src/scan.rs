//! Text -> lower-cased bytes, and which of them belong to tokens: 64 bytes at a time while they are ASCII.
//!
//! The result is a copy of the text and a bit mask over its bytes; a token is a run of set bits. Blocks of ASCII are
//! classified by loops without branches, which the compiler turns into vector instructions, or in one [`register`] where
//! the processor has such; other characters go through the tables of [`crate::tokens`], one by one.

#[cfg(target_arch = "x86_64")]
pub(crate) mod register;

use crate::characters::{SPACE, WORD};
use crate::tokens::{Tokens, flags, lower_into};

/// Bytes that may be read, as zeros or leftovers, after the last byte of a text.
pub(crate) const PADDING: usize = 64;
/// Room for edges that are written for nothing, or at the end.
const SPARE: usize = 64 + 8;

/// A text, lower-cased and cut. Its buffers are used again for the next.
#[derive(Debug, Default)]
pub struct Scan {
    bytes: Vec<u8>,
    length: usize,
    mask: Vec<u64>,
    edges: Vec<usize>,
    runs: usize,
    shortest: usize,
}

/// How blocks of 64 bytes are read.
pub(crate) trait Blocks: Copy {
    /// The block's bytes go to `out`, in lower case if `LOWER`; its bit mask is returned, or none if it is not all ASCII.
    fn block<const LOWER: bool, const WORDS: bool>(self, input: &[u8; 64], out: &mut [u8; 64]) -> Option<u64>;
    /// Writes down where the bits of a block at `at` are set, after what was `found` before; returns how many there are now.
    fn push_edges(self, changes: u64, at: usize, edges: &mut Vec<usize>, found: usize) -> usize;
    /// Makes bytes lower case; returns which of them may stand in a word of a mail (`mail::tokens`), and which may begin
    /// one: a bit for each.
    fn mail(self, bytes: &mut [u8; 64]) -> (u64, u64);
}

/// By loops, which are compiled for whatever the function is that they are inlined into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Loops;

impl Blocks for Loops {
    #[inline(always)]
    fn block<const LOWER: bool, const WORDS: bool>(self, input: &[u8; 64], out: &mut [u8; 64]) -> Option<u64> {
        block::<LOWER, WORDS>(input, out)
    }

    #[inline(always)]
    fn push_edges(self, changes: u64, at: usize, edges: &mut Vec<usize>, found: usize) -> usize {
        push_edges(changes, at, edges, found)
    }

    #[inline(always)]
    fn mail(self, bytes: &mut [u8; 64]) -> (u64, u64) {
        bytes.make_ascii_lowercase();
        let others = bytes.map(|byte| u8::from(is_inside_word_of_mail(byte) | (byte == b'!')));
        let begins = packed(&bytes.map(|byte| u8::from(is_word_of_mail(byte))));
        (packed(&others) | begins, begins)
    }
}

/// A letter or a digit, in lower case, or part of one; or a mark that is one for whoever sells.
#[inline(always)]
pub(crate) const fn is_word_of_mail(byte: u8) -> bool {
    (byte.wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte >= 0x80) | (byte == b'$') | (byte == b'%')
}

/// What stands in a word of a mail only, neither before nor after it. An exclamation mark may stand after it.
#[inline(always)]
pub(crate) const fn is_inside_word_of_mail(byte: u8) -> bool {
    (byte == b'.') | (byte == b'-') | (byte == b'\'') | (byte == b'_')
}

/// As [`Blocks::block`].
#[inline(always)]
fn block<const LOWER: bool, const WORDS: bool>(input: &[u8; 64], out: &mut [u8; 64]) -> Option<u64> {
    let (mut inside, mut seen) = ([0_u8; 64], 0);
    for i in 0..64 {
        let byte = input[i];
        let lowered = byte | (u8::from(byte.wrapping_sub(b'A') < 26) << 5);
        out[i] = if LOWER { lowered } else { byte };
        inside[i] = u8::from(if WORDS { is_word(lowered) } else { is_no_space(byte) });
        seen |= byte;
    }
    (seen < 128).then(|| packed(&inside))
}

/// The lowest bits of 64 bytes.
#[inline(always)]
fn packed(bytes: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= bits << (8 * i);
    }
    mask
}

#[inline(always)]
fn is_word(lowered: u8) -> bool {
    (lowered.wrapping_sub(b'a') < 26) | (lowered.wrapping_sub(b'0') < 10) | (lowered == b'_')
}

#[inline(always)]
fn is_no_space(byte: u8) -> bool {
    !((byte == b' ') | (byte.wrapping_sub(9) < 5) | (byte.wrapping_sub(28) < 4))
}

/// As [`Blocks::push_edges`].
#[inline(always)]
fn push_edges(mut changes: u64, at: usize, edges: &mut Vec<usize>, found: usize) -> usize {
    if edges.len() < found + SPARE {
        edges.resize(2 * found + SPARE, 0);
    }
    let count = changes.count_ones() as usize;
    // Eight at a time, some of them for nothing: how often a loop ends is then easier to foresee.
    for eight in edges[found..].as_chunks_mut::<8>().0.iter_mut().take(8) {
        if changes == 0 {
            break;
        }
        for edge in eight {
            *edge = at + changes.trailing_zeros() as usize;
            changes &= changes.wrapping_sub(1);
        }
    }
    found + count
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
            Tokens::Word | Tokens::Run => self.read_with::<LOWER, true>(text),
            Tokens::Whitespace | Tokens::Unicode | Tokens::Marks => self.read_with::<LOWER, false>(text),
        }
        self.shortest = 1;
        if tokens == Tokens::Word {
            if self.mask.is_empty() {
                self.shortest = 2;
            } else {
                self.drop_singles();
            }
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

    /// Where tokens begin and end, but for those below [`Scan::shortest`].
    #[inline]
    pub(crate) fn runs(&self) -> &[[usize; 2]] {
        &self.edges.as_chunks().0[..self.runs]
    }

    /// How many bytes a run has at least that is a token.
    #[inline]
    pub(crate) fn shortest(&self) -> usize {
        self.shortest
    }

    /// Where the tokens begin and end.
    #[inline]
    pub(crate) fn tokens(&self) -> impl Iterator<Item = (usize, usize)> {
        let is_token = move |&&[start, end]: &&[usize; 2]| end - start >= self.shortest;
        self.runs().iter().filter(is_token).map(|&[start, end]| (start, end))
    }

    /// Reads a text that is all ASCII; stops, and says so, where it is not.
    fn read_ascii<const LOWER: bool, const WORDS: bool>(&mut self, text: &[u8]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if let Some(registers) = register::Registers::new() {
            // SAFETY: the processor has just been asked whether it can do what the function is compiled for.
            #[allow(unsafe_code)]
            return unsafe { self.read_ascii_in_registers::<LOWER, WORDS>(text, registers) };
        } else if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
        {
            // SAFETY: as above.
            #[allow(unsafe_code)]
            return unsafe { self.read_ascii_with_avx2::<LOWER, WORDS>(text) };
        }
        self.read_ascii_by::<LOWER, WORDS>(text, Loops)
    }

    /// The same code, compiled for processors since 2013: two thirds of the instructions (callgrind: 28 a word, 42 without),
    /// and in six rounds side by side 5 % more words a second, which is what the exception from `unsafe_code` is for.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn read_ascii_with_avx2<const LOWER: bool, const WORDS: bool>(&mut self, text: &[u8]) -> bool {
        self.read_ascii_by::<LOWER, WORDS>(text, Loops)
    }

    /// The same, a block in a register.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,popcnt")]
    fn read_ascii_in_registers<const LOWER: bool, const WORDS: bool>(
        &mut self,
        text: &[u8],
        registers: register::Registers,
    ) -> bool {
        self.read_ascii_by::<LOWER, WORDS>(text, registers)
    }

    /// The same, by how blocks are read.
    #[inline(always)]
    fn read_ascii_by<const LOWER: bool, const WORDS: bool>(&mut self, text: &[u8], by: impl Blocks) -> bool {
        let (blocks, rest) = text.as_chunks::<64>();
        let (mut at, mut found, mut carry) = (0, 0, 0);
        for (input, out) in blocks.iter().zip(self.bytes.as_chunks_mut().0) {
            let Some(mask) = by.block::<LOWER, WORDS>(input, out) else { return false };
            found = by.push_edges(mask ^ (mask << 1 | carry), at, &mut self.edges, found);
            carry = mask >> 63;
            at += 64;
        }
        let Some(mask) = self.read_tail::<LOWER, WORDS>(text, rest, by) else { return false };
        found = by.push_edges(mask ^ (mask << 1 | carry), at, &mut self.edges, found);
        self.length = text.len();
        self.runs = found / 2;
        true
    }

    /// The bit mask of what is left of a text after its last whole block.
    #[inline(always)]
    fn read_tail<const LOWER: bool, const WORDS: bool>(
        &mut self,
        text: &[u8],
        rest: &[u8],
        by: impl Blocks,
    ) -> Option<u64> {
        if let (false, Some(last)) = (rest.is_empty(), text.last_chunk()) {
            // The last 64 bytes, most of them for the second time: no copy of a length that is never the same.
            let out = self.bytes[text.len() - 64..].first_chunk_mut()?;
            return by.block::<LOWER, WORDS>(last, out).map(|mask| mask >> (64 - rest.len()));
        }
        let mut tail = [0; 64];
        tail[..rest.len()].copy_from_slice(rest);
        let out = self.bytes[text.len() - rest.len()..].first_chunk_mut()?;
        by.block::<LOWER, WORDS>(&tail, out).map(|mask| mask & ((1 << rest.len()) - 1))
    }

    fn find_edges(&mut self) {
        let (mut found, mut carry) = (0, 0);
        for (i, &mask) in self.mask.iter().enumerate() {
            found = push_edges(mask ^ (mask << 1 | carry), i * 64, &mut self.edges, found);
            carry = mask >> 63;
        }
        self.runs = found / 2;
    }

    /// Forgets runs of one character.
    fn drop_singles(&mut self) {
        let (bytes, mut kept) = (&self.bytes, 0);
        let runs = self.edges.as_chunks_mut::<2>().0;
        for i in 0..self.runs {
            let [start, end] = runs[i];
            runs[kept] = [start, end];
            kept += usize::from(end - start > width(bytes[start]));
        }
        self.runs = kept;
    }

    fn read_with<const LOWER: bool, const WORDS: bool>(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.reserve(bytes.len());
        self.mask.clear();
        if self.read_ascii::<LOWER, WORDS>(bytes) {
            return;
        }
        // A lower-case letter may be longer than its capital, by half at the most.
        self.reserve(2 * bytes.len());
        self.mask.resize(2 * bytes.len() / 64 + 2, 0);
        self.length = 0;
        let mut at = 0;
        while at < bytes.len() {
            let out = self.bytes[self.length..].first_chunk_mut();
            let mask = bytes[at..].first_chunk().zip(out).and_then(|(input, out)| block::<LOWER, WORDS>(input, out));
            if let Some(mask) = mask {
                self.mark(mask);
                self.length += 64;
                at += 64;
            } else {
                at = self.read_slowly::<LOWER, WORDS>(text, at);
            }
        }
        self.mask.truncate(self.length / 64 + 1);
        self.find_edges();
    }

    /// Reads some characters one by one; returns where the next begins.
    fn read_slowly<const LOWER: bool, const WORDS: bool>(&mut self, text: &str, from: usize) -> usize {
        let (flag, unless) = if WORDS { (WORD, 0) } else { (SPACE, SPACE) };
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
