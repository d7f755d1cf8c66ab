//! Text -> tokens: lower-cased words, as byte ranges of a lower-cased copy.
//!
//! [`Tokens::Word`] gives exactly what `re.findall(r"(?u)\b\w\w+\b", text.lower())` gives in Python.

use unicode_segmentation::UnicodeSegmentation;

use crate::characters::{BLOCK, CASED, FLAG_STAGE, FLAGS, IGNORABLE, LOWER, LOWER_STAGE, SPACE, SYMBOL, WORD};
use crate::scan::Scan;

/// How a text is cut into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// Runs of two or more word characters.
    Word,
    /// Runs of one or more word characters.
    Run,
    /// Segments of UAX #29 that hold a word character or a symbol: one-letter words, apostrophes, CJK, emoji.
    Unicode,
    /// Segments of UAX #29 that hold anything but white space: punctuation too, one mark a token.
    Marks,
    /// Whatever stands between white space.
    Whitespace,
}

impl Tokens {
    /// Appends the byte range of each token of a text, which was scanned for them, to `found`.
    pub(crate) fn ranges(self, scan: &Scan, found: &mut Vec<(usize, usize)>) {
        match self {
            Tokens::Word | Tokens::Run | Tokens::Whitespace => found.extend(scan.tokens()),
            Tokens::Unicode | Tokens::Marks => {
                let is_enough = |c: char| match self {
                    Tokens::Marks => flags(c) & SPACE == 0,
                    _ => flags(c) & (WORD | SYMBOL) != 0,
                };
                for (start, segment) in scan.lowered().split_word_bound_indices() {
                    if segment.chars().any(is_enough) {
                        // A mark that extends what stands before it may have extended a blank, which no token holds.
                        let blank = segment.len() - segment.trim_start_matches(|c| flags(c) & SPACE != 0).len();
                        found.push((start + blank, start + segment.len()));
                    }
                }
            }
        }
    }
}

/// Calls `emit` with each character of a text, or of `text.lower()`, and where in the text it comes from.
pub(crate) fn each_character(text: &str, lowercase: bool, mut emit: impl FnMut(usize, char)) {
    for (at, c) in text.char_indices() {
        if lowercase {
            lower_into(text, at, c, |c| emit(at, c));
        } else {
            emit(at, c);
        }
    }
}

/// Calls `emit` with what the character `c`, which stands at `at` in `text`, is lower-cased to.
pub(crate) fn lower_into(text: &str, at: usize, c: char, mut emit: impl FnMut(char)) {
    match c {
        'İ' => {
            emit('i');
            emit('\u{307}');
        }
        'Σ' if ends_a_word(text, at) => emit('ς'),
        _ => emit(lower_character(c)),
    }
}

fn ends_a_word(text: &str, sigma: usize) -> bool {
    let cased = |c: Option<char>| c.is_some_and(|c| flags(c) & CASED != 0);
    let ignorable = |c: &char| flags(*c) & IGNORABLE != 0;
    let before = text[..sigma].chars().rev().find(|c| !ignorable(c));
    let after = text[sigma..].chars().skip(1).find(|c| !ignorable(c));
    cased(before) && !cased(after)
}

pub(crate) fn lower_character(c: char) -> char {
    let code = c as usize;
    let distance = LOWER[LOWER_STAGE[code / BLOCK] as usize * BLOCK + code % BLOCK];
    u32::try_from(c as i32 + distance).ok().and_then(char::from_u32).unwrap_or(c)
}

/// What Python says of a character.
pub(crate) fn flags(c: char) -> u8 {
    let code = c as usize;
    FLAGS[FLAG_STAGE[code / BLOCK] as usize * BLOCK + code % BLOCK]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(kind: Tokens, text: &str) -> Vec<String> {
        let (mut scan, mut found) = (Scan::default(), Vec::new());
        scan.read(text, kind);
        kind.ranges(&scan, &mut found);
        found.into_iter().map(|(start, end)| scan.lowered()[start..end].to_string()).collect()
    }

    #[test]
    fn words_have_two_characters_or_more() {
        assert_eq!(tokens(Tokens::Word, "A cat, I_x x2 über!"), ["cat", "i_x", "x2", "über"]);
        assert_eq!(tokens(Tokens::Word, ""), [""; 0]);
        assert_eq!(tokens(Tokens::Run, "A cat, I_x é!"), ["a", "cat", "i_x", "é"]);
    }

    #[test]
    fn lower_casing_is_pythons() {
        assert_eq!(tokens(Tokens::Word, "ΟΔΥΣΣΕΥΣ ΣΑΣ"), ["οδυσσευς", "σας"]);
        assert_eq!(tokens(Tokens::Word, "İSTANBUL"), ["stanbul"]);
        assert_eq!(tokens(Tokens::Whitespace, "İ\u{1680}Ǆ"), ["i\u{307}", "ǆ"]);
    }

    #[test]
    fn unicode_segments_keep_letters_apostrophes_ideographs_and_emoji() {
        assert_eq!(tokens(Tokens::Unicode, "I don't 👍🏽 東京, ไทย."), ["i", "don't", "👍🏽", "東", "京", "ไ", "ท", "ย"]);
    }

    #[test]
    fn no_token_holds_white_space() {
        assert_eq!(tokens(Tokens::Marks, "I don't!? 5.5€\n"), ["i", "don't", "!", "?", "5.5", "€"]);
        assert_eq!(tokens(Tokens::Unicode, "a \t\u{ff9e}b  \u{200d}❤"), ["a", "\u{ff9e}", "b", "\u{200d}❤"]);
    }

    #[test]
    fn characters_tell_where_they_come_from() {
        let mut found = Vec::new();
        each_character("aİB", true, |at, c| found.push((at, c)));
        assert_eq!(found, [(0, 'a'), (1, 'i'), (1, '\u{307}'), (3, 'b')]);
        found.clear();
        each_character("İB", false, |at, c| found.push((at, c)));
        assert_eq!(found, [(0, 'İ'), (2, 'B')]);
    }
}
