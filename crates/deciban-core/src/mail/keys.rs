//! Words of mails -> keys: numbers of 64 bits, which no two words have in common but by a chance that never comes.
//!
//! ```text
//! key = fold((w0 ^ s0 ^ f) (w1 ^ s1)) ^ fold((w2 ^ s2) (w3 ^ s3))          fold(x) = its lower half ^ its upper half
//! ```
//!
//! where w are the bytes of a word, eight in each, s are numbers by lot and f is the key of the field's name, or 0. So
//! nobody who does not know the numbers can make words that have the key of others.

use super::runs::ROOM;
use super::tokens::{NAME_ROOM, Sink};

/// Set in keys of words of fields.
pub(super) const OF_FIELD: u64 = 1;
/// Set in all keys: none is zero.
const ALWAYS: u64 = 2;

/// How many numbers make keys.
pub const SEEDS: usize = 4;

/// The first so many bytes of [`ROOM`], as numbers.
const FIRST: [[u64; SEEDS]; ROOM + 1] = {
    let mut masks = [[0; SEEDS]; ROOM + 1];
    let mut length = 0;
    while length <= ROOM {
        let mut byte = 0;
        while byte < length {
            masks[length][byte / 8] |= 0xff << (8 * (byte % 8));
            byte += 1;
        }
        length += 1;
    }
    masks
};

/// The numbers by lot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seeds(pub(super) [u64; SEEDS]);

impl Seeds {
    /// The key of a name as a model has it: `word`, `field:` or `field:word`.
    pub(super) fn of_name(self, name: &[u8]) -> u64 {
        match memchr::memchr(b':', name) {
            Some(colon) => key(self.any(self.any(0, &name[..colon]), &name[colon + 1..]), OF_FIELD),
            None => key(self.any(0, name), 0),
        }
    }

    /// The number of a word of any length.
    pub(super) fn any(self, before: u64, word: &[u8]) -> u64 {
        let mut number = before;
        let mut rest = word;
        loop {
            let (first, after) = rest.split_at(rest.len().min(ROOM));
            let mut block = [0; ROOM];
            block[..first.len()].copy_from_slice(first);
            number = self.block(number, &block, first.len());
            rest = after;
            if rest.is_empty() {
                return number;
            }
        }
    }

    /// The number of the first so many bytes, at most [`ROOM`], of some.
    #[inline]
    fn block(self, before: u64, bytes: &[u8; ROOM], length: usize) -> u64 {
        let (words, _) = bytes.as_chunks();
        let w = |i: usize| (u64::from_le_bytes(words[i]) & FIRST[length][i]) ^ self.0[i];
        // Of a short word the second half is always the same: to ask whether there is one takes longer, as it comes and goes.
        folded(w(0) ^ before, w(1)) ^ folded(w(2), w(3))
    }
}

#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn key(number: u64, kind: u64) -> u64 {
    number & !(OF_FIELD | ALWAYS) | ALWAYS | kind
}

/// The keys of the words of a mail, in order: the first `many` of some numbers.
pub(super) struct Keys<'a> {
    seeds: Seeds,
    before: u64,
    kind: u64,
    found: &'a mut Vec<u64>,
    pub(super) many: usize,
}

impl<'a> Keys<'a> {
    /// Keys are written over what was found before.
    pub(super) fn new(seeds: Seeds, found: &'a mut Vec<u64>) -> Self {
        Keys { seeds, before: 0, kind: 0, found, many: 0 }
    }

    #[inline(always)]
    fn push(&mut self, number: u64, is_one: bool) {
        if self.many == self.found.len() {
            self.found.resize(2 * self.many + ROOM, 0);
        }
        self.found[self.many] = key(number, self.kind);
        self.many += usize::from(is_one);
    }
}

impl Sink for Keys<'_> {
    fn field(&mut self, name: &[u8; NAME_ROOM], length: usize) {
        let number = match name.first_chunk() {
            Some(block) if length <= ROOM => self.seeds.block(0, block, length),
            _ => self.seeds.any(0, &name[..length]),
        };
        (self.before, self.kind) = (number, OF_FIELD);
        self.push(self.seeds.block(number, &[0; ROOM], 0), true);
    }

    fn text(&mut self) {
        (self.before, self.kind) = (0, 0);
    }

    #[inline(always)]
    fn word(&mut self, bytes: &[u8], start: usize, end: usize, is_word: bool) {
        let number = match bytes[start..].first_chunk() {
            Some(block) if end - start <= ROOM || !is_word => {
                self.seeds.block(self.before, block, (end - start).min(ROOM))
            }
            _ => self.seeds.any(self.before, &bytes[start..end]),
        };
        self.push(number, is_word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::{Scratch, show, words};

    #[test]
    fn keys_are_those_of_the_words_that_are_seen() {
        let seeds = Seeds([0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0xD6E8_FEB8_6659_FD93]);
        let mail = "Subject: Free caf\u{c9} money\nX-A-Very-Long-Name-Of-A-Field-That-Is-Longer-Than-A-Word: 12 x\n\n\
            one two twenty-characters-long and-one-of-thirty-bytes-length \u{130}\u{130}\u{130}\u{130}\u{130}\u{130}\
            \u{130}\u{130}\u{130}\u{130}\u{130}\u{130}\u{130}\u{130}\u{130}\n";
        let mut found = Vec::new();
        let mut keys = Keys::new(seeds, &mut found);
        show(mail.as_bytes(), &mut Scratch::default(), &mut keys);
        let many = keys.many;
        found.truncate(many);
        let named: Vec<u64> =
            words(mail.as_bytes()).split_whitespace().map(|name| seeds.of_name(name.as_bytes())).collect();
        assert_eq!(found, named);
        assert_eq!(found.len(), 11);
    }
}
