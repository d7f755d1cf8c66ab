//! What stands between words: the same mark several times, signs of currencies, emoji, characters that nobody sees.

use std::ops::Range;

use super::pieces::{Item, Kind, Pieces};
use super::words::script;
use super::{Asked, Plain, Tell, tell_of};
use crate::characters::{CURRENCY, SPACE};
use crate::tokens::flags;

const FLAGS: Range<u32> = 0x1F1E6..0x1F200;
const TONES: Range<u32> = 0x1F3FB..0x1F400;
const JOINER: char = '\u{200D}';
const INVISIBLE: [char; 6] = ['\u{AD}', '\u{200B}', '\u{200C}', JOINER, '\u{2060}', '\u{FEFF}'];

pub(super) fn each(asked: Asked, text: &str, pieces: &Pieces, tell: &mut impl Tell) {
    let mut start = 0;
    let ends = pieces.items().iter().map(|item| (item.start, item.end));
    for (end, after) in ends.chain([(text.len(), text.len())]) {
        if start < end {
            let gap = Gap { text, start, end };
            if asked.has(Plain::Repeats) {
                gap.repeated(tell);
            }
            if asked.has(Plain::Currency) {
                gap.currency(tell);
            }
            if asked.has(Plain::Emoji) {
                gap.emoji(tell);
            }
        }
        start = after;
    }
    if asked.has(Plain::Lookalikes) {
        pieces.items().windows(2).for_each(|pair| invisible(text, pair[0], pair[1], tell));
    }
}

/// A piece of a text that has no words.
#[derive(Clone, Copy)]
struct Gap<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Gap<'a> {
    fn characters(self) -> impl Iterator<Item = (usize, char)> + Clone + use<'a> {
        self.text[self.start..self.end].char_indices().map(move |(at, c)| (self.start + at, c))
    }

    /// The same mark twice, or three times and more.
    fn repeated(self, tell: &mut impl Tell) {
        let mut rest = self.characters().peekable();
        while let Some((start, mark)) = rest.next() {
            let mut times = 1;
            while rest.next_if(|&(_, c)| c == mark).is_some() {
                times += 1;
            }
            if times > 1 && flags(mark) & SPACE == 0 {
                let span = start..start + times * mark.len_utf8();
                tell_of("repeats", &mark.to_string().repeat(times.min(3)), span, tell);
            }
        }
    }

    fn currency(self, tell: &mut impl Tell) {
        for (at, c) in self.characters().filter(|&(_, c)| flags(c) & CURRENCY != 0) {
            tell_of("currency", c.encode_utf8(&mut [0; 4]), at..at + c.len_utf8(), tell);
        }
    }

    /// Emoji, each by its first character, without what says its skin or how it is drawn; flags by both.
    fn emoji(self, tell: &mut impl Tell) {
        let mut rest = self.characters().peekable();
        while let Some((start, first)) = rest.next() {
            if !is_emoji(first) {
                continue;
            }
            let (mut name, mut end) = (first.to_string(), start + first.len_utf8());
            let is_flag = FLAGS.contains(&(first as u32));
            if let Some((at, second)) = rest.next_if(|&(_, c)| is_flag && FLAGS.contains(&(c as u32))) {
                name.push(second);
                end = at + second.len_utf8();
            }
            let mut is_joined = false;
            while let Some((at, c)) = rest.next_if(|&(_, c)| changes(c) || c == JOINER || is_joined && is_emoji(c)) {
                is_joined = c == JOINER;
                end = at + c.len_utf8();
            }
            tell_of("emoji", &name, start..end, tell);
        }
    }
}

/// Whether a character is an emoji, for us: the blocks in which they stand.
fn is_emoji(c: char) -> bool {
    matches!(c as u32,
        0x231A..=0x231B | 0x23E9..=0x23F3 | 0x25FD..=0x25FE | 0x2600..=0x27BF | 0x2B05..=0x2B07 | 0x2B1B..=0x2B1C
        | 0x2B50 | 0x2B55 | 0x1F000..=0x1FAFF)
}

/// Whether a character only changes how the emoji before it looks.
fn changes(c: char) -> bool {
    matches!(c, '\u{FE0E}' | '\u{FE0F}' | '\u{20E3}' | '\u{E0020}'..='\u{E007F}') || TONES.contains(&(c as u32))
}

/// Characters that nobody sees between two letters of the same alphabet.
fn invisible(text: &str, one: Item, other: Item, tell: &mut impl Tell) {
    let gap = &text[one.end..other.start];
    let are_words = one.kind == Kind::Word && other.kind == Kind::Word && !gap.is_empty();
    if are_words && gap.chars().all(|c| INVISIBLE.contains(&c)) {
        let last = text[one.start..one.end].chars().next_back().and_then(script);
        if last.is_some() && last == text[other.start..].chars().next().and_then(script) {
            tell_of("lookalikes", "invisible", one.end..other.start, tell);
        }
    }
}
