//! Runs of characters: inside words, and across them.

use std::ops::RangeInclusive;

use crate::read::Scratch;
use crate::scan::Scan;
use crate::terms::Terms;
use crate::tokens::Tokens;

/// A run of characters: `bytes[from..to]`, with room for a key after it.
pub(crate) struct Run<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Its place in the text as it was scanned.
    pub(crate) place: (usize, usize),
}

/// A text written anew, with room for a key after it, and the places of its characters.
#[derive(Debug, Default)]
pub(crate) struct Written {
    bytes: Vec<u8>,
    /// Where each character begins, and where the last ends.
    boundaries: Vec<usize>,
    /// The same in the text that was scanned.
    places: Vec<usize>,
}

/// Scans a text for what stands between white space, if runs of characters are wanted.
pub(crate) fn scan(terms: &Terms, text: &str, scratch: &mut Scratch) {
    if terms.chars.is_some() || terms.chars_across.is_some() {
        let Scratch { spaces, words, folded, .. } = scratch;
        terms.scan(text, Tokens::Whitespace, spaces, folded);
        words.clear();
        Tokens::Whitespace.ranges(spaces, words);
    }
}

/// Calls `emit` with each run of characters inside a word.
///
/// As scikit-learn's `char_wb`: each word has a blank on both sides, and one shorter than n gives itself, once.
#[inline(always)]
pub(crate) fn each_inside(
    lengths: &RangeInclusive<usize>,
    spaces: &Scan,
    words: &[(usize, usize)],
    written: &mut Written,
    mut emit: impl FnMut(Run<'_>),
) {
    for &(start, end) in words {
        written.pad(&spaces.padded()[start..end]);
        let Written { bytes, boundaries, .. } = &*written;
        let last = boundaries.len() - 1;
        for length in lengths.clone() {
            for first in 0..=last.saturating_sub(length) {
                let after = (first + length).min(last);
                // The blanks stand for no byte of the text: a run's place begins and ends inside the word.
                let (from, to) = (boundaries[first.clamp(1, last - 2)], boundaries[after.clamp(2, last - 1)]);
                let place = (start + from - 1, start + to - 1);
                emit(Run { bytes, from: boundaries[first], to: boundaries[after], place });
            }
            if length >= last {
                break;
            }
        }
    }
}

/// Calls `emit` with each run of characters of a whole text, in which two or more white spaces became one blank.
#[inline(always)]
pub(crate) fn each_across(
    lengths: &RangeInclusive<usize>,
    spaces: &Scan,
    words: &[(usize, usize)],
    written: &mut Written,
    mut emit: impl FnMut(Run<'_>),
) {
    written.collapse(spaces.lowered().as_bytes(), words);
    let Written { bytes, boundaries, places } = &*written;
    for length in lengths.clone().take_while(|&length| length < boundaries.len()) {
        for first in 0..boundaries.len() - length {
            let (from, to) = (boundaries[first], boundaries[first + length]);
            emit(Run { bytes, from, to, place: (places[first], places[first + length]) });
        }
    }
}

fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

impl Written {
    /// Writes a word with a space on both sides.
    fn pad(&mut self, word: &[u8]) {
        let Written { bytes, boundaries, .. } = self;
        bytes.clear();
        bytes.push(b' ');
        bytes.extend_from_slice(word);
        bytes.push(b' ');
        boundaries.clear();
        boundaries.extend((0..bytes.len()).filter(|&at| begins(bytes[at])));
        boundaries.push(bytes.len());
        bytes.extend_from_slice(&[0; 16]);
    }

    /// Writes a text, one blank for two or more white spaces between its words.
    fn collapse(&mut self, text: &[u8], words: &[(usize, usize)]) {
        let Written { bytes, boundaries, places } = self;
        bytes.clear();
        boundaries.clear();
        places.clear();
        let mut write = |piece: &[u8], place: usize| {
            let start = bytes.len();
            bytes.extend_from_slice(piece);
            boundaries.extend((start..bytes.len()).filter(|&at| begins(bytes[at])));
            places.extend(boundaries[places.len()..].iter().map(|at| at - start + place));
        };
        let mut after = 0;
        for &(start, end) in words.iter().chain(&[(text.len(), text.len())]) {
            let gap = &text[after..start];
            write(if gap.iter().filter(|byte| begins(**byte)).count() > 1 { b" " } else { gap }, after);
            write(&text[start..end], start);
            after = end;
        }
        boundaries.push(bytes.len());
        places.push(text.len());
        bytes.extend_from_slice(&[0; 16]);
    }
}
