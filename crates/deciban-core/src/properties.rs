//! Word properties: terms that are told beside the words, of how a text is written.
//!
//! A text comes in as it was given, neither lower-cased nor folded; names go out, each with the bytes that it stands for.
//! A text is cut once, into words (runs of letters, digits and underscores), addresses and what stands between them
//! ([`Pieces`]); whatever stands inside an address is seen as that address alone. Names begin with [`PROPERTY`], the
//! property's name and, for most, a colon and a detail; told again, it is told by powers of two: `caps`, `caps×2`, `caps×4`. Negated words with [`NEGATED`], pairs of words with
//! [`PAIR`], words of titles with [`TITLE`], those of mail headers with [`FIELD`] and the field's name. `docs/properties.md` says of each what it sees exactly.

mod encoded;
mod headers;
mod marks;
mod negation;
mod pairs;
mod pieces;
mod spelling;
mod title;
mod triggers;
mod words;

use std::ops::Range;

use hashbrown::HashMap;

use crate::Invalid;
use crate::accents::Accents;

pub(crate) use pieces::Pieces;
use pieces::{Kind, label_of};
use spelling::Spelling;
use triggers::Trigger;

/// How the name of a property begins.
pub const PROPERTY: &str = "\tp";
/// How the name of a negated word begins.
pub const NEGATED: &str = "\tn";
/// How the name of a pair of words begins.
pub const PAIR: &str = "\ts";
/// How the name of a word of a title, or of two that stand next to each other there, begins.
pub const TITLE: &str = "\tl";
/// How the name of a word of a header field begins.
pub const FIELD: &str = "\tf";

/// The properties that need nothing beside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plain {
    Caps,
    Capitalised,
    Repeats,
    Numbers,
    Currency,
    Urls,
    Emails,
    Emoji,
    Long,
    Lookalikes,
    Length,
    Negation,
    Pairs,
    Title,
}

const NAMES: [(&str, Plain); 14] = [
    ("caps", Plain::Caps),
    ("capitalised", Plain::Capitalised),
    ("repeats", Plain::Repeats),
    ("numbers", Plain::Numbers),
    ("currency", Plain::Currency),
    ("urls", Plain::Urls),
    ("emails", Plain::Emails),
    ("emoji", Plain::Emoji),
    ("long", Plain::Long),
    ("lookalikes", Plain::Lookalikes),
    ("length", Plain::Length),
    ("negation", Plain::Negation),
    ("pairs", Plain::Pairs),
    ("title", Plain::Title),
];
const TRIGGER: &str = "trigger:";
const HEADERS: &str = "headers:";

/// Which properties are told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    asked: Asked,
    triggers: Vec<Trigger>,
    spelling: Option<Spelling>,
    /// All header fields, or those that are named.
    headers: Option<Vec<String>>,
    accents: Accents,
}

/// The plain properties, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Asked(u32);

impl Asked {
    fn has(self, one: Plain) -> bool {
        self.0 >> one as u32 & 1 == 1
    }
}

/// Where what is told goes: how a name begins, its rest, and the bytes of the text that it stands for.
pub(crate) trait Tell: FnMut(&'static str, &[u8], Range<usize>) {}
impl<F: FnMut(&'static str, &[u8], Range<usize>)> Tell for F {}

impl Properties {
    /// Properties by their names, each with its list: of trigger words, or of words that are spelt right. Trigger words of
    /// one name are one list.
    ///
    /// ```
    /// # use deciban_core::{accents::Accents, properties::Properties, terms::Terms};
    /// let properties = Properties::new([("caps", vec![]), ("trigger:money", vec!["win cash"])], Accents::Keep);
    /// let terms = Terms { properties: properties.unwrap(), ..Terms::default() };
    /// let names: Vec<_> = terms.seen("WIN cash").into_iter().map(|s| s.name).collect();
    /// assert_eq!(names, ["win", "cash", "\tpcaps", "\tptrigger:money"]);
    /// ```
    pub fn new<'a>(
        given: impl IntoIterator<Item = (&'a str, Vec<&'a str>)>,
        accents: Accents,
    ) -> Result<Self, Invalid> {
        let mut all = Properties { accents, ..Properties::default() };
        for (name, list) in given {
            if let Some(&(_, plain)) = NAMES.iter().find(|(known, _)| *known == name) {
                all.asked.0 |= 1 << plain as u32;
            } else if let Some(of) = name.strip_prefix(TRIGGER) {
                Trigger::named(of, &mut all.triggers).add(&list, accents);
            } else if let Some(field) = name.strip_prefix(HEADERS) {
                all.headers.get_or_insert_default().push(field.to_string());
            } else {
                match name {
                    "misspelling" => all.spelling = Some(Spelling::new(&list, accents)),
                    "headers" => all.headers = Some(Vec::new()),
                    _ => return Err(Invalid("a property is not known")),
                }
            }
        }
        Ok(all)
    }

    /// Whether there are none.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.asked.0 == 0 && self.headers.is_none() && !self.has_forms()
    }

    /// How many terms of them may begin at one byte of a text.
    pub(crate) fn most_at_once(&self) -> usize {
        if self.is_empty() { 0 } else { 4 * NAMES.len() + 4 + self.triggers.len() }
    }

    /// Whether words are looked at in the form in which they are counted.
    fn has_forms(&self) -> bool {
        let plain = [Plain::Negation, Plain::Pairs, Plain::Title];
        plain.into_iter().any(|one| self.asked.has(one)) || self.spelling.is_some() || !self.triggers.is_empty()
    }

    /// Tells all properties of a text.
    pub(crate) fn each(&self, text: &str, pieces: &mut Pieces, tell: impl Tell) {
        if self.is_empty() {
            return;
        }
        let mut times = std::mem::take(&mut pieces.times);
        times.clear();
        pieces.cut(text);
        self.each_of(text, pieces, levelled(&mut times, tell));
        pieces.times = times;
    }

    fn each_of(&self, text: &str, pieces: &mut Pieces, mut tell: impl Tell) {
        if self.has_forms() {
            pieces.write_forms(text, self.accents);
        }
        if let Some(wanted) = &self.headers {
            headers::each(text, pieces, wanted, self.accents, &mut tell);
        }
        if self.asked.has(Plain::Length) {
            length(text, pieces.runs(), &mut tell);
        }
        addresses(self.asked, text, pieces, &mut tell);
        marks::each(self.asked, text, pieces, &mut tell);
        words::each(self.asked, text, pieces, &mut tell);
        for trigger in &self.triggers {
            trigger.each(pieces, &mut tell);
        }
        if let Some(spelling) = &self.spelling {
            spelling.each(text, pieces, &mut tell);
        }
        if self.asked.has(Plain::Negation) {
            negation::each(text, pieces, &mut tell);
        }
        if self.asked.has(Plain::Pairs) {
            pairs::each(pieces, &mut tell);
        }
        if self.asked.has(Plain::Title) {
            title::each(text, pieces, &mut tell);
        }
    }
}

/// Tells a property when it is met the first, second, fourth, eighth, ... time in a text, under a name of its own for each:
/// what matters is whether there is any of it, and how much; and a text of a thousand numbers is no thousand times surer.
fn levelled(times: &mut HashMap<Vec<u8>, u32>, mut tell: impl Tell) -> impl Tell {
    move |kind, rest: &[u8], span| {
        if kind != PROPERTY {
            return tell(kind, rest, span);
        }
        let met = times.entry_ref(rest).or_insert(0);
        *met += 1;
        match *met {
            1 => tell(kind, rest, span),
            n if n.is_power_of_two() => tell(kind, &[rest, format!("×{n}").as_bytes()].concat(), span),
            _ => {}
        }
    }
}

/// Tells a name that is put together.
fn tell_of(name: &str, detail: &str, span: Range<usize>, tell: &mut impl Tell) {
    tell(PROPERTY, format!("{name}:{detail}").as_bytes(), span);
}

/// The number of words, by powers of two.
fn length(text: &str, words: usize, tell: &mut impl Tell) {
    if words > 0 {
        let low = 1 << words.ilog2();
        let range = if low == 1 { "1".to_string() } else { format!("{low}-{}", 2 * low - 1) };
        tell_of("length", &range, 0..text.len(), tell);
    }
}

/// Addresses, by where they lead.
fn addresses(asked: Asked, text: &str, pieces: &Pieces, tell: &mut impl Tell) {
    for item in pieces.items() {
        let (name, plain) = match item.kind {
            Kind::Url => ("urls", Plain::Urls),
            Kind::Email => ("emails", Plain::Emails),
            Kind::Word => continue,
        };
        if asked.has(plain) {
            tell_of(name, &label_of(&text[item.host..item.end]), item.start..item.end, tell);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::terms::Terms;

    /// All properties, with lists for those that need one.
    pub(crate) fn all() -> Properties {
        let plain = NAMES.iter().map(|&(name, _)| (name, Vec::new()));
        let listed = [("misspelling", vec!["abba", "café"]), ("trigger:a", vec!["a", "a b"]), ("headers", vec![])];
        Properties::new(plain.chain(listed), Accents::Keep).unwrap()
    }

    fn told(names: &[(&str, Vec<&str>)], text: &str) -> Vec<(String, String)> {
        let properties = Properties::new(names.iter().cloned(), Accents::Keep).unwrap();
        let terms = Terms { words: None, properties, ..Terms::default() };
        terms.seen(text).into_iter().map(|seen| (seen.name, text[seen.span].to_string())).collect()
    }

    #[test]
    fn what_is_told_again_is_told_by_powers_of_two() {
        let names = ["\tpcaps", "\tpcaps×2", "\tpcaps×4"].map(str::to_string);
        let words = ["AA", "BB", "DD"].map(str::to_string);
        assert_eq!(told(&[("caps", vec![])], "AA BB CC DD EE"), names.into_iter().zip(words).collect::<Vec<_>>());
    }

    #[test]
    fn trigger_words_of_one_name_are_one_list() {
        let found = told(&[("trigger:a", vec!["g"]), ("trigger:b", vec![]), ("trigger:a", vec!["g", "g h"])], "g h");
        assert_eq!(found, [("\tptrigger:a".to_string(), "g h".to_string())]);
    }

    #[test]
    fn an_unknown_name_is_refused() {
        assert!(Properties::new([("capitals", vec![])], Accents::Keep).is_err());
    }

    #[test]
    fn encoded_words_are_read_together() {
        let found = told(&[("headers:a", vec![])], "B: no\nA: =?utf-8?B?ZnI=?=\n =?UTF-8?q?ee_x?= y2\n\nA: no");
        let words: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(words, ["\tfa:", "\tfa:free", "\tfa:y2"]);
        assert_eq!(found[1].1, "=?utf-8?B?ZnI=?=\n =?UTF-8?q?ee_x?=");
    }
}
