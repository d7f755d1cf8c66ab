//! Text -> tokens: lower-cased words, as byte ranges of a lower-cased copy.
//!
//! [`Tokens::Word`] gives exactly what `re.findall(r"(?u)\b\w\w+\b", text.lower())` gives in Python.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::characters::{BLOCK, CASED, FLAG_STAGE, FLAGS, IGNORABLE, LOWER, LOWER_STAGE, SPACE, SYMBOL, WORD};

/// How a text is cut into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tokens {
    /// Runs of two or more word characters.
    Word,
    /// Segments of UAX #29 that hold a word character or a symbol: one-letter words, apostrophes, CJK, emoji.
    Unicode,
    /// Whatever stands between white space.
    Whitespace,
}

impl Tokens {
    /// Appends the byte range of each token of `lowered` to `found`, in order.
    pub fn cut(self, lowered: &str, found: &mut Vec<Range<usize>>) {
        match self {
            Tokens::Word => runs(lowered, WORD, |run, characters| {
                if characters > 1 {
                    found.push(run);
                }
            }),
            Tokens::Whitespace => between_spaces(lowered, |run| found.push(run)),
            Tokens::Unicode => {
                for (start, segment) in lowered.split_word_bound_indices() {
                    if segment.chars().any(|c| flags(c) & (WORD | SYMBOL) != 0) {
                        found.push(start..start + segment.len());
                    }
                }
            }
        }
    }
}

/// Calls `emit` with every run of characters between white space, as Python's `str.split()` finds them.
pub fn between_spaces(text: &str, mut emit: impl FnMut(Range<usize>)) {
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (start, flags(c) & SPACE != 0) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                emit(from..at);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        emit(from..text.len());
    }
}

/// Calls `emit` with every run of characters that have `flag`, and its number of characters.
fn runs(text: &str, flag: u8, mut emit: impl FnMut(Range<usize>, usize)) {
    let bytes = text.as_bytes();
    let (mut start, mut characters, mut at) = (0, 0, 0);
    while at < bytes.len() {
        let (has, width) = match bytes[at] {
            byte if byte < 128 => (FLAGS[byte as usize] & flag != 0, 1),
            _ => text[at..].chars().next().map_or((false, 1), |c| (flags(c) & flag != 0, c.len_utf8())),
        };
        if has {
            if characters == 0 {
                start = at;
            }
            characters += 1;
        } else if characters > 0 {
            emit(start..at, characters);
            characters = 0;
        }
        at += width;
    }
    if characters > 0 {
        emit(start..at, characters);
    }
}

/// Writes `text.lower()`, as Python has it, over `lowered`.
pub fn lower(text: &str, lowered: &mut String) {
    lowered.clear();
    if text.is_ascii() {
        lowered.push_str(text);
        lowered.make_ascii_lowercase();
    } else {
        lower_each(text, |_, c| lowered.push(c));
    }
}

/// Writes `text.lower()` over `lowered` and, for each of its bytes, where in `text` its character begins over `origin`.
pub fn lower_with_origin(text: &str, lowered: &mut String, origin: &mut Vec<usize>) {
    lowered.clear();
    origin.clear();
    lower_each(text, |at, c| {
        lowered.push(c);
        origin.resize(lowered.len(), at);
    });
}

fn lower_each(text: &str, mut emit: impl FnMut(usize, char)) {
    for (at, c) in text.char_indices() {
        match c {
            'İ' => {
                emit(at, 'i');
                emit(at, '\u{307}');
            }
            'Σ' if ends_a_word(text, at) => emit(at, 'ς'),
            _ => emit(at, lower_character(c)),
        }
    }
}

fn ends_a_word(text: &str, sigma: usize) -> bool {
    let cased = |c: Option<char>| c.is_some_and(|c| flags(c) & CASED != 0);
    let ignorable = |c: &char| flags(*c) & IGNORABLE != 0;
    let before = text[..sigma].chars().rev().find(|c| !ignorable(c));
    let after = text[sigma..].chars().skip(1).find(|c| !ignorable(c));
    cased(before) && !cased(after)
}

fn lower_character(c: char) -> char {
    let code = c as usize;
    let distance = LOWER[LOWER_STAGE[code / BLOCK] as usize * BLOCK + code % BLOCK];
    u32::try_from(c as i32 + distance).ok().and_then(char::from_u32).unwrap_or(c)
}

fn flags(c: char) -> u8 {
    let code = c as usize;
    FLAGS[FLAG_STAGE[code / BLOCK] as usize * BLOCK + code % BLOCK]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(kind: Tokens, text: &str) -> Vec<String> {
        let (mut lowered, mut found) = (String::new(), Vec::new());
        lower(text, &mut lowered);
        kind.cut(&lowered, &mut found);
        found.into_iter().map(|r| lowered[r].to_string()).collect()
    }

    #[test]
    fn words_have_two_characters_or_more() {
        assert_eq!(tokens(Tokens::Word, "A cat, I_x x2 über!"), ["cat", "i_x", "x2", "über"]);
        assert_eq!(tokens(Tokens::Word, ""), [""; 0]);
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
    fn origin_points_at_the_character_that_was_lowered() {
        let (mut lowered, mut origin) = (String::new(), Vec::new());
        lower_with_origin("aİb", &mut lowered, &mut origin);
        assert_eq!((lowered.as_str(), origin), ("ai\u{307}b", vec![0, 1, 1, 1, 3]));
    }
}
