//! Any settings of what is seen of a text.

use std::ops::RangeInclusive;

use deciban_core::accents::Accents;
use deciban_core::properties::Properties;
use deciban_core::terms::Terms;
use deciban_core::tokens::Tokens;

#[derive(Debug, arbitrary::Arbitrary)]
pub struct Settings {
    tokens: u8,
    words: u8,
    edges: bool,
    chars: u8,
    chars_across: u8,
    cased: bool,
    accents: u8,
    properties: u32,
    hash_bits: u8,
}

impl Settings {
    fn properties(&self) -> Properties {
        let asked = PROPERTIES.iter().enumerate().filter(|(bit, _)| self.properties >> bit & 1 == 1);
        let accents = [Accents::Keep, Accents::Fold, Accents::Ascii][self.accents as usize % 3];
        Properties::new(asked.map(|(_, (name, list))| (*name, list.to_vec())), accents).expect("all are known")
    }

    pub fn terms(&self) -> Terms {
        Terms {
            tokens: [Tokens::Word, Tokens::Run, Tokens::Unicode, Tokens::Whitespace][self.tokens as usize % 4],
            words: lengths(self.words),
            edges: self.edges,
            chars: lengths(self.chars),
            chars_across: lengths(self.chars_across),
            lowercase: !self.cased,
            accents: [Accents::Keep, Accents::Fold, Accents::Ascii][self.accents as usize % 3],
            properties: self.properties(),
            hash_bits: (self.hash_bits % 64 < 32).then_some(u32::from(self.hash_bits % 32).max(1)),
            ..Terms::default()
        }
    }
}

/// Every property that there is, and lists for those that need one.
const PROPERTIES: [(&str, &[&str]); 19] = [
    ("caps", &[]),
    ("capitalised", &[]),
    ("repeats", &[]),
    ("numbers", &[]),
    ("currency", &[]),
    ("urls", &[]),
    ("emails", &[]),
    ("emoji", &[]),
    ("long", &[]),
    ("lookalikes", &[]),
    ("length", &[]),
    ("negation", &[]),
    ("pairs", &[]),
    ("title", &[]),
    ("headers", &[]),
    ("headers:subject", &[]),
    ("misspelling", &["abba", "free", "caf\u{e9}"]),
    ("trigger:ab", &["ab", "a b", "a b c"]),
    ("trigger:none", &[""]),
];

/// No lengths, or from 1 to 5 characters or words and up to two more.
fn lengths(given: u8) -> Option<RangeInclusive<usize>> {
    let (low, more) = (usize::from(given % 6), usize::from(given / 6 % 3));
    (low > 0).then_some(low..=low + more)
}
