//! Bytes of a mail -> words: runs of letters, digits and what may stand in or before or after them.
//!
//! Where words begin and end is found for 64 bytes at once, as bits of a number: to ask of each byte what it is would
//! guess wrong at every word.

use crate::characters::SPACE;
use crate::tokens::{each_character, flags};

/// Longer words are no words: they are random, or encoded, and no two mails have the same.
const LONGEST: usize = 30;
/// So many bytes can be read after where a word begins.
pub(super) const ROOM: usize = 32;
const BLOCK: usize = 64;

/// Who takes the words of a mail.
pub(super) trait Sink {
    /// The words that follow are of a field of this name, in lower case, which is a word itself.
    fn field(&mut self, name: &[u8]);
    /// The words that follow are of the text.
    fn text(&mut self);
    /// A word, in lower case, which stands from `start` to `end` of bytes that go on for [`ROOM`] after its start.
    fn word(&mut self, bytes: &[u8], start: usize, end: usize);
}

/// What cuts bytes into words, with room that is used again.
#[derive(Default)]
pub(super) struct Cutter {
    lower: Vec<u8>,
    ends: Vec<u64>,
    latin: String,
    odd: Vec<u8>,
}

impl Cutter {
    /// Shows the words of some bytes, of UTF-8 or Latin-1.
    pub(super) fn cut(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        if bytes.is_ascii() {
            return self.cut_utf8(bytes, true, sink);
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => self.cut_utf8(bytes, false, sink),
            // A character that is cut at the end, after others that are whole.
            Err(error) if error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii() => {
                self.cut_utf8(&bytes[..error.valid_up_to()], false, sink);
            }
            Err(_) => {
                let mut latin = std::mem::take(&mut self.latin);
                latin.clear();
                latin.extend(bytes.iter().map(|&byte| char::from(byte)));
                self.cut_utf8(latin.as_bytes(), false, sink);
                self.latin = latin;
            }
        }
    }

    fn cut_utf8(&mut self, bytes: &[u8], is_ascii: bool, sink: &mut impl Sink) {
        self.lower.clear();
        self.lower.extend_from_slice(bytes);
        self.lower.make_ascii_lowercase();
        self.lower.resize((bytes.len() + ROOM).next_multiple_of(BLOCK), 0);
        self.ends.clear();
        self.ends.extend(self.lower.as_chunks().0.iter().map(in_words));
        let (mut before, mut start, mut is_inside) = (0, 0, false);
        for (block, &inside) in self.ends.iter().enumerate() {
            let mut changes = inside ^ (inside << 1 | before);
            before = inside >> (BLOCK - 1);
            while changes != 0 {
                let at = block * BLOCK + changes.trailing_zeros() as usize;
                changes &= changes - 1;
                if is_inside {
                    show(&self.lower, start, at, is_ascii, &mut self.odd, sink);
                }
                (start, is_inside) = (at, !is_inside);
            }
        }
    }
}

/// Which of some bytes, in lower case, may stand in a word: a bit for each.
#[inline]
fn in_words(bytes: &[u8; BLOCK]) -> u64 {
    let mut ones = [0; BLOCK];
    for (one, &byte) in ones.iter_mut().zip(bytes) {
        *one = u8::from(is_word(byte) | is_inside(byte) | (byte == b'!'));
    }
    // Eight bytes that are 0 or 1 become eight bits: the product brings each to its place in the highest byte.
    let bits = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    ones.as_chunks().0.iter().rev().fold(0, |all, eight| all << 8 | bits(eight))
}

/// A letter or a digit, or part of one; or a mark that is one for whoever sells.
#[inline]
const fn is_word(byte: u8) -> bool {
    (byte.wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte >= 0x80) | (byte == b'$') | (byte == b'%')
}

/// What stands in a word only, neither before nor after it. An exclamation mark may stand after it.
#[inline]
const fn is_inside(byte: u8) -> bool {
    (byte == b'.') | (byte == b'-') | (byte == b'\'') | (byte == b'_')
}

/// Whether a word begins with a byte, and whether it ends with it.
const EDGES: [(bool, bool); 256] = {
    let mut edges = [(false, false); 256];
    let mut byte = 0;
    while byte < 256 {
        edges[byte] = (is_word(byte as u8), !is_inside(byte as u8));
        byte += 1;
    }
    edges
};

/// Shows the word of a run of bytes that may stand in one, if there is one.
#[inline]
fn show(lower: &[u8], mut start: usize, mut end: usize, is_ascii: bool, odd: &mut Vec<u8>, sink: &mut impl Sink) {
    while start < end && !EDGES[lower[start] as usize].0 {
        start += 1;
    }
    while start < end && !EDGES[lower[end - 1] as usize].1 {
        end -= 1;
    }
    if !(2..=LONGEST).contains(&(end - start)) {
        return;
    }
    if is_ascii || lower[start..end].is_ascii() {
        sink.word(lower, start, end);
    } else {
        show_odd(&lower[start..end], odd, sink);
    }
}

/// Shows what is more than ASCII: in lower case, and cut at blanks that are no ASCII.
#[cold]
fn show_odd(word: &[u8], odd: &mut Vec<u8>, sink: &mut impl Sink) {
    let mut end = |odd: &mut Vec<u8>| {
        let length = odd.len();
        odd.resize((length + ROOM).next_multiple_of(ROOM), 0);
        if length > 0 {
            sink.word(odd, 0, length);
        }
        odd.clear();
    };
    odd.clear();
    each_character(&String::from_utf8_lossy(word), true, |_, c| {
        if flags(c) & SPACE != 0 {
            end(odd);
        } else {
            odd.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    });
    end(odd);
}

/// Words as one text: each with its field's name before it and a blank after it.
#[derive(Default)]
pub(super) struct Seen {
    before: Vec<u8>,
    pub(super) text: Vec<u8>,
}

impl Sink for Seen {
    fn field(&mut self, name: &[u8]) {
        self.before.clear();
        self.before.extend_from_slice(name);
        self.before.push(b':');
        self.text.extend_from_slice(&self.before);
        self.text.push(b' ');
    }

    fn text(&mut self) {
        self.before.clear();
    }

    fn word(&mut self, bytes: &[u8], start: usize, end: usize) {
        self.text.extend_from_slice(&self.before);
        self.text.extend_from_slice(&bytes[start..end]);
        self.text.push(b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bytes: &[u8]) -> String {
        let mut seen = Seen::default();
        Cutter::default().cut(bytes, &mut seen);
        String::from_utf8(seen.text).unwrap()
    }

    #[test]
    fn words_keep_what_stands_in_them() {
        assert_eq!(
            seen(b"Don't -- wait: $9.99 (100%)... www.a-b.com/x FREE!!! a"),
            "don't wait $9.99 100% www.a-b.com free!!! "
        );
        assert_eq!(seen("CAF\u{c9}".as_bytes()), "café ");
        assert_eq!(seen(b"Caf\xe9"), "café ");
        assert_eq!(seen(&"éé".as_bytes()[..3]), "é ");
        assert_eq!(seen(&[b'x'; 31]), "");
        assert_eq!(seen("one\u{a0}two \u{a0} -!-".as_bytes()), "one two ");
    }

    #[test]
    fn words_end_and_begin_at_any_byte_of_a_block() {
        for before in 0..150 {
            let text = format!("{}cat dog", " ".repeat(before));
            assert_eq!(seen(text.as_bytes()), "cat dog ");
        }
    }
}
