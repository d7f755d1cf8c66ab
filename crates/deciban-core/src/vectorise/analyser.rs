//! What scikit-learn's analysers see of a text: runs of words, of characters, or of characters inside words.
//!
//! Words are cut as [`Tokens`] says, and stop words leave before runs are made. Characters are taken from the whole
//! text, in which two or more white spaces became one blank; or from each word with a blank on both sides.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::read::{Finding, Found, Visit, char_gram, char_grams, pad, word_grams};
use crate::scan::Scan;
use crate::table::Node;
use crate::tokens::Tokens;
use crate::trie::Trie;

/// What is seen of a text.
#[derive(Debug, Clone)]
pub struct Analyser {
    /// Runs of what.
    pub grams: Grams,
    /// Their lengths.
    pub lengths: RangeInclusive<usize>,
    /// Whether texts are lower-cased first.
    pub lowercase: bool,
}

/// Runs of what are seen.
#[derive(Debug, Clone)]
pub enum Grams {
    /// Words, but for some.
    Words(Tokens, Stop),
    /// Characters of the whole text.
    Chars,
    /// Characters inside words.
    CharsInWords,
}

/// Words that are not seen.
#[derive(Debug, Clone, Default)]
pub struct Stop(Option<Arc<Trie<()>>>);

impl<'a> FromIterator<&'a str> for Stop {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Self {
        let mut trie = Trie::new();
        words.into_iter().filter(|word| !word.contains(' ')).for_each(|word| trie.set(word, ()));
        Stop((trie.len() > 0).then(|| Arc::new(trie)))
    }
}

/// Buffers that are used again for every text.
#[derive(Debug, Default)]
pub struct Scratch {
    scan: Scan,
    words: Vec<(usize, usize)>,
    names: Vec<Found>,
    nodes: Vec<Option<Node>>,
    text: Vec<u8>,
    boundaries: Vec<usize>,
    gram: Vec<u8>,
}

impl Analyser {
    /// Shows every term of a text to `visit`.
    #[inline]
    pub(crate) fn read(&self, text: &str, scratch: &mut Scratch, visit: &mut impl Visit) {
        if let Grams::Words(tokens, stop) = &self.grams {
            self.cut(text, *tokens, stop, scratch);
            let Scratch { scan, words, names, nodes, .. } = scratch;
            names.clear();
            let seed = visit.trie().short.seed();
            names.extend(words.iter().map(|&(start, end)| Found::new(seed, scan.padded(), start, end)));
            word_grams(scan.padded(), names, &self.lengths, nodes, visit);
        } else {
            self.each_of_chars(text, scratch, |bytes, from, to, gram| char_gram(bytes, from, to, gram, visit));
        }
    }

    /// Calls `emit` with the name of every term of a text.
    #[inline]
    pub(crate) fn each(&self, text: &str, scratch: &mut Scratch, mut emit: impl FnMut(&[u8])) {
        let Grams::Words(tokens, stop) = &self.grams else {
            return self.each_of_chars(text, scratch, |bytes, from, to, _| emit(&bytes[from..to]));
        };
        self.cut(text, *tokens, stop, scratch);
        let Scratch { scan, words, text, .. } = scratch;
        if *self.lengths.end() == 1 {
            return words.iter().for_each(|&(start, end)| emit(&scan.padded()[start..end]));
        }
        text.clear();
        for place in words.iter_mut() {
            let start = text.len();
            text.extend_from_slice(&scan.padded()[place.0..place.1]);
            *place = (start, text.len());
            text.push(b' ');
        }
        for length in self.lengths.clone().take_while(|&length| length <= words.len()) {
            for run in words.windows(length) {
                emit(&text[run[0].0..run[length - 1].1]);
            }
        }
    }

    #[inline]
    fn scan(&self, text: &str, tokens: Tokens, scratch: &mut Scratch) {
        let Scratch { scan, words, .. } = scratch;
        if self.lowercase {
            scan.read(text, tokens)
        } else {
            scan.read_cased(text, tokens)
        }
        words.clear();
        tokens.ranges(scan, words);
    }

    #[inline]
    fn cut(&self, text: &str, tokens: Tokens, stop: &Stop, scratch: &mut Scratch) {
        self.scan(text, tokens, scratch);
        if let Some(trie) = &stop.0 {
            let (bytes, mut known) = (scratch.scan.padded(), Finding { trie: &**trie, emit: |()| () });
            scratch.words.retain(|&(start, end)| {
                Found::new(trie.short.seed(), bytes, start, end).show(bytes, false, &mut known).is_none()
            });
        }
    }

    /// Calls `emit` with the bytes in which each run of characters stands, its place in them, and a buffer.
    #[inline]
    fn each_of_chars(
        &self,
        text: &str,
        scratch: &mut Scratch,
        mut emit: impl FnMut(&[u8], usize, usize, &mut Vec<u8>),
    ) {
        self.scan(text, Tokens::Whitespace, scratch);
        let Scratch { scan, words, text, boundaries, gram, .. } = scratch;
        if matches!(self.grams, Grams::CharsInWords) {
            for &(start, end) in words.iter() {
                pad(&scan.padded()[start..end], text, boundaries);
                char_grams(boundaries.len() - 1, &self.lengths, |first, last| {
                    emit(text, boundaries[first], boundaries[last], gram);
                });
            }
            return;
        }
        collapse(scan.lowered().as_bytes(), words, text, boundaries);
        for length in self.lengths.clone().take_while(|&length| length < boundaries.len()) {
            for (from, to) in boundaries.iter().zip(&boundaries[length..]) {
                emit(text, *from, *to, gram);
            }
        }
    }
}

/// Writes a text over `out`, one blank for two or more white spaces, with room for a key after it, and where its
/// characters begin, and the last ends, over `boundaries`.
fn collapse(text: &[u8], words: &[(usize, usize)], out: &mut Vec<u8>, boundaries: &mut Vec<usize>) {
    let begins = |byte: &&u8| **byte & 0xC0 != 0x80;
    out.clear();
    let mut after = 0;
    for &(start, end) in words.iter().chain(&[(text.len(), text.len())]) {
        let gap = &text[after..start];
        out.extend_from_slice(if gap.iter().filter(begins).count() > 1 { b" " } else { gap });
        out.extend_from_slice(&text[start..end]);
        after = end;
    }
    boundaries.clear();
    boundaries.extend((0..out.len()).filter(|&at| begins(&&out[at])));
    boundaries.push(out.len());
    out.extend_from_slice(&[0; 16]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(grams: Grams, lengths: RangeInclusive<usize>, lowercase: bool, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let analyser = Analyser { grams, lengths, lowercase };
        analyser.each(text, &mut Scratch::default(), |name| found.push(String::from_utf8(name.to_vec()).unwrap()));
        found
    }

    #[test]
    fn stop_words_leave_before_runs_are_made() {
        let grams = Grams::Words(Tokens::Word, ["the", "of"].into_iter().collect());
        assert_eq!(names(grams, 1..=2, true, "The end of THE day"), ["end", "day", "end day"]);
    }

    #[test]
    fn capitals_stay_where_they_are_asked_to() {
        let grams = Grams::Words(Tokens::Run, ["the"].into_iter().collect());
        assert_eq!(names(grams, 1..=1, false, "The É of the Day"), ["The", "É", "of", "Day"]);
    }

    #[test]
    fn characters_run_across_words_and_one_blank() {
        assert_eq!(names(Grams::Chars, 2..=2, true, "A\tÉ \u{3000}b"), ["a\t", "\té", "é ", " b"]);
        assert_eq!(names(Grams::Chars, 1..=9, true, " \n"), [" "]);
        assert_eq!(names(Grams::Chars, 1..=2, true, ""), [""; 0]);
        assert_eq!(names(Grams::CharsInWords, 3..=3, true, "ab c"), [" ab", "ab ", " c "]);
    }
}
