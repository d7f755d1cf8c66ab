//! Bytes of a mail -> words: runs of letters, digits and what may stand in or before or after them.
//!
//! Where words begin and end is found for 64 bytes at once, as bits of a number: to ask of each byte what it is would
//! guess wrong at every word.

use crate::characters::SPACE;
#[cfg(target_arch = "x86_64")]
use crate::scan::register::Registers;
use crate::scan::{Blocks, Loops, is_inside_word_of_mail, is_word_of_mail};
use crate::tokens::{each_character, flags};
use crate::wide;

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
    /// A word, in lower case, which stands from `start` to `end` of bytes that go on for [`ROOM`] after its start; or, as
    /// nobody can foresee which runs of bytes are too short or too long for one, nothing, if it `is_word` not.
    fn word(&mut self, bytes: &[u8], start: usize, end: usize, is_word: bool);
}

/// What cuts bytes into words, with room that is used again.
#[derive(Default)]
pub(super) struct Cutter {
    lower: Vec<u8>,
    edges: Vec<usize>,
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
        let Cutter { lower, edges, odd, .. } = self;
        let found = mark(bytes, lower, edges);
        for &[start, end] in edges[..found].as_chunks().0 {
            let (start, end) = trimmed(lower, start, end);
            let is_word = (2..=LONGEST).contains(&(end - start));
            if is_ascii || lower[start..end].is_ascii() {
                sink.word(lower, start, end, is_word);
            } else if is_word {
                show_odd(&lower[start..end], odd, sink);
            }
        }
    }
}

/// Writes bytes in lower case, with room after them, and where runs begin and end that may stand in a word; says how many
/// such edges there are.
fn mark(bytes: &[u8], lower: &mut Vec<u8>, edges: &mut Vec<usize>) -> usize {
    lower.clear();
    lower.extend_from_slice(bytes);
    lower.resize((bytes.len() + ROOM).next_multiple_of(BLOCK), 0);
    #[cfg(target_arch = "x86_64")]
    if let Some(registers) = Registers::new() {
        // SAFETY: the processor has just been asked whether it can do what the function is compiled for.
        #[allow(unsafe_code)]
        return unsafe { mark_in_registers(lower, edges, registers) };
    }
    wide::run(|| mark_by(lower, edges, Loops))
}

/// A block in a register: a mail took 12.1 µs of a core, and takes 10.4, which is what the exception from `unsafe_code` is
/// for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,popcnt")]
fn mark_in_registers(lower: &mut [u8], edges: &mut Vec<usize>, registers: Registers) -> usize {
    mark_by(lower, edges, registers)
}

#[inline(always)]
fn mark_by(lower: &mut [u8], edges: &mut Vec<usize>, by: impl Blocks) -> usize {
    let (mut found, mut before) = (0, 0);
    for (block, bytes) in lower.as_chunks_mut().0.iter_mut().enumerate() {
        let inside = by.mail(bytes);
        found = by.push_edges(inside ^ (inside << 1 | before), block * BLOCK, edges, found);
        before = inside >> (BLOCK - 1);
    }
    found
}

/// Whether a word begins with a byte, and whether it ends with it.
const EDGES: [(bool, bool); 256] = {
    let mut edges = [(false, false); 256];
    let mut byte = 0;
    while byte < 256 {
        edges[byte] = (is_word_of_mail(byte as u8), !is_inside_word_of_mail(byte as u8));
        byte += 1;
    }
    edges
};

/// The word of a run of bytes that may stand in one, without what stands in words only.
#[inline(always)]
fn trimmed(lower: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    // One byte less at each end is all that most runs need: that takes no guess.
    start += usize::from(!EDGES[lower[start] as usize].0);
    end = start.max(end - usize::from(!EDGES[lower[end - 1] as usize].1));
    while start < end && !EDGES[lower[start] as usize].0 {
        start += 1;
    }
    while start < end && !EDGES[lower[end - 1] as usize].1 {
        end -= 1;
    }
    (start, end)
}

/// Shows what is more than ASCII: in lower case, and cut at blanks that are no ASCII.
#[cold]
fn show_odd(word: &[u8], odd: &mut Vec<u8>, sink: &mut impl Sink) {
    let mut end = |odd: &mut Vec<u8>| {
        let length = odd.len();
        odd.resize((length + ROOM).next_multiple_of(ROOM), 0);
        if length > 0 {
            sink.word(odd, 0, length, true);
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

    fn word(&mut self, bytes: &[u8], start: usize, end: usize, is_word: bool) {
        if is_word {
            self.text.extend_from_slice(&self.before);
            self.text.extend_from_slice(&bytes[start..end]);
            self.text.push(b' ');
        }
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
