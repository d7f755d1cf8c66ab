//! Tokens -> terms: what is seen of a text.
//!
//! A word n-gram is named by its tokens with a space between them. Every other kind of term has a name that begins with
//! a tab, which no token can hold, and a letter for its kind: [`CHARS`] for character n-grams inside words.

use std::ops::{Range, RangeInclusive};

use crate::read::char_grams;
use crate::scan::Scan;
use crate::tokens::{self, Tokens};

/// How the name of a character n-gram begins.
pub const CHARS: &str = "\tc";

/// Which terms are seen: how texts are cut, and the lengths of word and character n-grams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// How a text is cut into words.
    pub tokens: Tokens,
    /// Lengths of word n-grams, if any are wanted.
    pub words: Option<RangeInclusive<usize>>,
    /// Lengths of character n-grams inside words, if any are wanted.
    pub chars: Option<RangeInclusive<usize>>,
}

/// A term of a text and the bytes of the text that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The term's name.
    pub name: String,
    /// Its byte range in the text as given.
    pub span: Range<usize>,
}

impl Terms {
    /// All terms of a text in order, each with its span: the readable path, for explanations.
    ///
    /// ```
    /// # use deciban_core::{terms::Terms, tokens::Tokens};
    /// let terms = Terms { tokens: Tokens::Word, words: Some(1..=2), chars: None };
    /// let names: Vec<_> = terms.seen("No refund!").into_iter().map(|s| s.name).collect();
    /// assert_eq!(names, ["no", "no refund", "refund"]);
    /// ```
    pub fn seen(&self, text: &str) -> Vec<Seen> {
        let (mut lowered, mut origin) = (String::new(), Vec::new());
        tokens::lower_with_origin(text, &mut lowered, &mut origin);
        let given = |start: usize, end: usize| {
            let last = origin[end - 1];
            let width = text[last..].chars().next().map_or(0, char::len_utf8);
            origin[start]..last + width
        };
        let mut found = Vec::new();
        if let Some(lengths) = &self.words {
            let words = cut(text, self.tokens);
            for first in 0..words.len() {
                for gram in lengths.clone().map_while(|length| words.get(first..first + length)) {
                    let name = gram.iter().map(|&(start, end)| &lowered[start..end]).collect::<Vec<_>>().join(" ");
                    found.push(Seen { name, span: given(gram[0].0, gram[gram.len() - 1].1) });
                }
            }
        }
        if let Some(lengths) = &self.chars {
            for (start, end) in cut(text, Tokens::Whitespace) {
                let padded = format!(" {} ", &lowered[start..end]);
                let mut at: Vec<_> = padded.char_indices().map(|(at, _)| at).collect();
                at.push(padded.len());
                let last = at.len() - 1;
                char_grams(last, lengths, |from, to| {
                    let name = format!("{CHARS}{}", &padded[at[from]..at[to]]);
                    // The spaces stand for no byte of the text: a gram's span begins and ends inside the word.
                    let (from, to) = (at[from.clamp(1, last - 2)], at[to.clamp(2, last - 1)]);
                    found.push(Seen { name, span: given(start + from - 1, start + to - 1) });
                });
            }
        }
        found
    }
}

fn cut(text: &str, tokens: Tokens) -> Vec<(usize, usize)> {
    let (mut scan, mut words) = (Scan::default(), Vec::new());
    scan.read(text, tokens);
    tokens.ranges(&scan, &mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_span_is_a_piece_of_the_text(text in "\\PC{0,30}|[aİΣ é\u{0}\t]{0,20}", low in 1..4_usize, more in 0..4_usize) {
            for tokens in [Tokens::Word, Tokens::Unicode, Tokens::Whitespace] {
                let lengths = Some(low..=low + more);
                for seen in (Terms { tokens, words: lengths.clone(), chars: lengths }).seen(&text) {
                    prop_assert!(text.get(seen.span).is_some_and(|piece| !piece.is_empty()));
                }
            }
        }
    }

    fn names(terms: &Terms, text: &str) -> Vec<String> {
        terms.seen(text).into_iter().map(|seen| seen.name).collect()
    }

    #[test]
    fn word_grams_of_given_lengths_only() {
        let terms = Terms { tokens: Tokens::Word, words: Some(2..=3), chars: None };
        assert_eq!(names(&terms, "to be or not"), ["to be", "to be or", "be or", "be or not", "or not"]);
        assert_eq!(names(&terms, "be"), [""; 0]);
    }

    #[test]
    fn char_grams_stay_inside_words() {
        let terms = Terms { tokens: Tokens::Word, words: None, chars: Some(3..=4) };
        assert_eq!(names(&terms, "AB c"), ["\tc ab", "\tcab ", "\tc ab ", "\tc c "]);
    }

    #[test]
    fn spans_are_of_the_text_as_given() {
        let terms = Terms { tokens: Tokens::Word, words: Some(2..=2), chars: Some(4..=4) };
        let text = "Ünder İXY";
        let spans: Vec<_> = terms.seen(text).into_iter().map(|s| (s.name, &text[s.span])).collect();
        assert_eq!(spans[0], ("ünder xy".to_string(), "Ünder İXY"));
        assert_eq!(spans[1], ("\tc ünd".to_string(), "Ünd"));
        assert_eq!(spans[5].1, "İX");
    }
}
