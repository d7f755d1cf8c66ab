//! A text -> the names of its terms, one after the other: for hashes of them, and for explanations.

use std::ops::RangeInclusive;

use crate::chars::{self, each_across, each_inside};
use crate::edges::{END, START};
use crate::read::Scratch;
use crate::terms::{ACROSS, CHARS, Terms};

/// A word of an n-gram: where it stands among the words joined by blanks, and in the text as it was scanned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joined {
    from: usize,
    to: usize,
    place: (usize, usize),
}

/// Calls `emit` with how the name of each term of a text begins, its rest, and its place in the text as it was scanned.
#[inline]
pub(crate) fn each_name(
    terms: &Terms,
    text: &str,
    scratch: &mut Scratch,
    mut emit: impl FnMut(&'static str, &[u8], (usize, usize)),
) {
    if let Some(lengths) = &terms.words {
        terms.scan(text, terms.tokens, &mut scratch.scan, &mut scratch.folded);
        terms.cut(&scratch.scan, &mut scratch.words);
        each_of_words(lengths, terms.edges, scratch, |name, place| emit("", name, place));
    }
    chars::scan(terms, text, scratch);
    let Scratch { spaces, words, written, .. } = scratch;
    if let Some(lengths) = &terms.chars {
        each_inside(lengths, spaces, words, written, |run| emit(CHARS, &run.bytes[run.from..run.to], run.place));
    }
    if let Some(lengths) = &terms.chars_across {
        each_across(lengths, spaces, words, written, |run| emit(ACROSS, &run.bytes[run.from..run.to], run.place));
    }
}

fn each_of_words(
    lengths: &RangeInclusive<usize>,
    edges: bool,
    scratch: &mut Scratch,
    mut emit: impl FnMut(&[u8], (usize, usize)),
) {
    let Scratch { scan, words, joined, gram, .. } = scratch;
    if *lengths.end() == 1 {
        return words.iter().for_each(|&(start, end)| emit(&scan.padded()[start..end], (start, end)));
    }
    gram.clear();
    joined.clear();
    let mut join = |word: &[u8], place: (usize, usize)| {
        let from = gram.len();
        gram.extend_from_slice(word);
        joined.push(Joined { from, to: gram.len(), place });
        gram.push(b' ');
    };
    // An edge takes nothing of the text: its place is empty.
    if let (true, Some(first)) = (edges, words.first()) {
        join(START.as_bytes(), (first.0, first.0));
    }
    words.iter().for_each(|&(start, end)| join(&scan.padded()[start..end], (start, end)));
    if let (true, Some(last)) = (edges, words.last()) {
        join(END.as_bytes(), (last.1, last.1));
    }
    for (first, word) in joined.iter().enumerate() {
        for last in lengths.clone().map_while(|length| joined.get(first + length - 1)) {
            let place = (word.place.0, last.place.1);
            if place.0 < place.1 {
                emit(&gram[word.from..last.to], place);
            }
        }
    }
}
