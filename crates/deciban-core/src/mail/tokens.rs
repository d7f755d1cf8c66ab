//! Bytes of a mail -> words: runs of letters, digits and what may stand in or before or after them.

use super::runs::{Laid, Marked, ROOM};
use crate::characters::SPACE;
use crate::scan::is_inside_word_of_mail;
use crate::tokens::{each_character, flags};

/// Longer words are no words: they are random, or encoded, and no two mails have the same.
const LONGEST: usize = 30;
/// Names of fields stand in so many bytes, with zeros after them.
pub(super) const NAME_ROOM: usize = 64;

/// Who takes the words of a mail.
pub(super) trait Sink {
    /// The words that follow are of a field of the name that so many bytes are, in lower case, which is a word itself.
    fn field(&mut self, name: &[u8; NAME_ROOM], length: usize);
    /// The words that follow are of the text.
    fn text(&mut self);
    /// A word, in lower case, which stands from `start` to `end` of bytes that go on for [`ROOM`] after its start; or, as
    /// nobody can foresee which runs of bytes are too short or too long for one, nothing, if it `is_word` not.
    fn word(&mut self, bytes: &[u8], start: usize, end: usize, is_word: bool);
}

/// What cuts bytes into words, with room that is used again.
#[derive(Default)]
pub(super) struct Cutter {
    laid: Laid,
    marked: Marked,
    latin: String,
    odd: Vec<u8>,
}

impl Cutter {
    /// Finds the runs of bytes that pieces will be cut from, as long as they stay where they are.
    pub(super) fn lay(&mut self, bytes: &[u8]) {
        self.laid.lay(bytes);
    }

    /// Shows the words of some bytes, of UTF-8 or Latin-1.
    pub(super) fn cut(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        if let Some(runs) = self.laid.runs(bytes) {
            return show_all(&self.laid.marked.lower, &self.laid.marked.runs()[runs], sink);
        }
        if bytes.is_ascii() {
            self.marked.mark(bytes);
            return show_all(&self.marked.lower, self.marked.runs(), sink);
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => self.cut_utf8(bytes, sink),
            // A character that is cut at the end, after others that are whole.
            Err(error) if error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii() => {
                self.cut_utf8(&bytes[..error.valid_up_to()], sink);
            }
            Err(_) => {
                let mut latin = std::mem::take(&mut self.latin);
                latin.clear();
                latin.extend(bytes.iter().map(|&byte| char::from(byte)));
                self.cut_utf8(latin.as_bytes(), sink);
                self.latin = latin;
            }
        }
    }

    fn cut_utf8(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let Cutter { marked, odd, .. } = self;
        marked.mark(bytes);
        for &run in marked.runs() {
            let (start, end) = trimmed(&marked.lower, run);
            let is_word = is_word(start, end);
            if is_ascii(&marked.lower, start, end) {
                sink.word(&marked.lower, start, end, is_word);
            } else if is_word {
                show_odd(&marked.lower[start..end], odd, sink);
            }
        }
    }
}

/// Shows the words of runs of bytes that are all ASCII.
fn show_all(lower: &[u8], runs: &[[usize; 2]], sink: &mut impl Sink) {
    for &run in runs {
        let (start, end) = trimmed(lower, run);
        sink.word(lower, start, end, is_word(start, end));
    }
}

/// Whether a word is ASCII; mostly all that stands near it is, which takes one look.
#[inline(always)]
fn is_ascii(lower: &[u8], start: usize, end: usize) -> bool {
    let is_near = |near: &[u8; ROOM]| near.iter().fold(0, |all, byte| all | byte) < 128;
    end - start <= ROOM && lower[start..].first_chunk().is_some_and(is_near) || lower[start..end].is_ascii()
}

#[inline(always)]
fn is_word(start: usize, end: usize) -> bool {
    (2..=LONGEST).contains(&(end - start))
}

/// Whether a word ends with a byte, of a run.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = !is_inside_word_of_mail(byte as u8);
        byte += 1;
    }
    ends
};

/// The word that a run begins with: without what stands in words only, at its end. Its first byte begins a word.
#[inline(always)]
fn trimmed(lower: &[u8], [start, mut end]: [usize; 2]) -> (usize, usize) {
    // One byte less is all that most runs need: that takes no guess.
    end -= usize::from(!ENDS[lower[end - 1] as usize]);
    while !ENDS[lower[end - 1] as usize] {
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
    fn field(&mut self, name: &[u8; NAME_ROOM], length: usize) {
        self.before.clear();
        self.before.extend_from_slice(&name[..length]);
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
