//! How words are written: capitals, repeated letters, digits, very many characters, letters that look like others.

use std::ops::Range;

use super::pieces::{Item, Pieces};
use super::{Asked, PROPERTY, Plain, Tell, tell_of};
use crate::characters::{CASED, DIGIT, LETTER};
use crate::tokens::{flags, lower_character};

/// What ends a sentence, beside an empty line.
const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];
/// From how many characters on a word is long, and very long.
const LONG: usize = 16;
const VERY_LONG: usize = 32;
/// So many digits and more are one kind of number.
const MANY_DIGITS: usize = 10;

pub(super) fn each(asked: Asked, text: &str, pieces: &Pieces, tell: &mut impl Tell) {
    pieces.each_word(|_, Item { start, end, .. }, before| {
        let (word, span) = (&text[start..end], start..end);
        if asked.has(Plain::Caps) && is_all_capitals(word) {
            tell(PROPERTY, b"caps", span.clone());
        }
        let is_inside = || before.is_some_and(|gap| !ends_sentence(&text[gap]));
        if asked.has(Plain::Capitalised) && is_capitalised(word) && is_inside() {
            tell(PROPERTY, b"capitalised", span.clone());
        }
        if asked.has(Plain::Repeats) {
            repeated(word, start, tell);
        }
        if asked.has(Plain::Numbers) {
            number(word, span.clone(), tell);
        }
        if asked.has(Plain::Long) {
            match word.chars().count() {
                VERY_LONG.. => tell_of("long", "32", span.clone(), tell),
                LONG.. => tell_of("long", "16", span.clone(), tell),
                _ => {}
            }
        }
        if asked.has(Plain::Lookalikes) {
            alike(word, span, tell);
        }
    });
}

/// A letter that lower-casing changes.
fn is_capital(c: char) -> bool {
    c == 'İ' || lower_character(c) != c
}

fn is_small(c: char) -> bool {
    flags(c) & CASED != 0 && !is_capital(c)
}

/// Two capitals or more, and no small letter.
fn is_all_capitals(word: &str) -> bool {
    word.chars().filter(|&c| is_capital(c)).count() > 1 && !word.chars().any(is_small)
}

/// A capital, then no other, but a small letter.
fn is_capitalised(word: &str) -> bool {
    let mut rest = word.chars();
    rest.next().is_some_and(is_capital) && !rest.clone().any(is_capital) && rest.any(is_small)
}

fn ends_sentence(gap: &str) -> bool {
    gap.contains(ENDS) || gap.bytes().filter(|&byte| byte == b'\n').count() > 1
}

/// The same letter three times and more, and underscores as other marks.
fn repeated(word: &str, start: usize, tell: &mut impl Tell) {
    let mut rest = word.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let (mut times, mut end) = (1, at + c.len_utf8());
        while let Some((at, same)) = rest.next_if(|&(_, next)| lower_character(next) == lower_character(c)) {
            (times, end) = (times + 1, at + same.len_utf8());
        }
        let span = start + at..start + end;
        if times > 2 && flags(c) & LETTER != 0 {
            tell_of("repeats", "letters", span, tell);
        } else if times > 1 && c == '_' {
            tell_of("repeats", &"___"[..times.min(3)], span, tell);
        }
    }
}

/// Digits alone, by their number; or beside letters.
fn number(word: &str, span: Range<usize>, tell: &mut impl Tell) {
    let all = word.chars().count();
    let digits = word.chars().filter(|&c| flags(c) & DIGIT != 0).count();
    if digits == all && digits >= MANY_DIGITS {
        tell_of("numbers", "10+", span, tell);
    } else if digits == all {
        tell_of("numbers", &digits.to_string(), span, tell);
    } else if digits > 0 && word.chars().any(|c| flags(c) & LETTER != 0) {
        tell_of("numbers", "mixed", span, tell);
    }
}

/// Letters of several alphabets in one word, wide letters, letters of formulas.
fn alike(word: &str, span: Range<usize>, tell: &mut impl Tell) {
    if word.is_ascii() {
        return;
    }
    let mut scripts = word.chars().filter_map(script);
    let first = scripts.next();
    if scripts.any(|other| Some(other) != first) {
        tell_of("lookalikes", "mixed", span.clone(), tell);
    }
    if word.chars().any(|c| matches!(c, 'Ａ'..='Ｚ' | 'ａ'..='ｚ')) {
        tell_of("lookalikes", "fullwidth", span.clone(), tell);
    }
    if word.chars().any(|c| matches!(c, '\u{1D400}'..='\u{1D7FF}')) {
        tell_of("lookalikes", "styled", span, tell);
    }
}

/// The alphabet of a letter, of those whose letters look alike.
pub(super) fn script(c: char) -> Option<u8> {
    if flags(c) & LETTER == 0 {
        return None;
    }
    match c as u32 {
        0x41..=0x5A | 0x61..=0x7A | 0xC0..=0x24F | 0x1E00..=0x1EFF => Some(0),
        0x370..=0x3FF | 0x1F00..=0x1FFF => Some(1),
        0x400..=0x52F | 0x1C80..=0x1C8F | 0x2DE0..=0x2DFF | 0xA640..=0xA69F => Some(2),
        0x531..=0x587 => Some(3),
        0x13A0..=0x13FF | 0xAB70..=0xABBF => Some(4),
        _ => None,
    }
}
