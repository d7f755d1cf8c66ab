//! Any properties, with any lists, of any text, and of texts made of what they look for: each is told of a piece of the
//! text, by itself as beside the others, by powers of two, and counted as it is told.
#![no_main]

use std::collections::BTreeMap;

use deciban_core::accents::Accents;
use deciban_core::properties::{PROPERTY, Properties};
use deciban_core::tally::Tally;
use deciban_core::terms::{Seen, Terms};
use libfuzzer_sys::fuzz_target;

#[rustfmt::skip]
const PLAIN: [&str; 15] = [
    "caps", "capitalised", "repeats", "numbers", "currency", "urls", "emails", "emoji", "long", "lookalikes", "length",
    "negation", "pairs", "title", "headers",
];

/// What properties look for, and what ends or joins it.
#[rustfmt::skip]
const PIECES: [&str; 48] = [
    " ", "\n", "\n\n", "\r\n", "\t", ".", ",", "!", "!!!", "?", "…", "-", "_", "@", ":", "://", "http", "WWW.", ".com", "<",
    "a", "B", "win", "FREE", "sooo", "not", "n't", "'", "4u", "85222", "£", "€", "👍", "🏽", "\u{200d}", "🇩", "🇪", "\u{ad}",
    "а", "ＦＲ", "𝐀", "é", "İ", "ß", "Subject: ", "From: a\n b", "=?utf-8?Q?=C3=A9_x?=", "=?UTF-8?b?ZnI=?=",
];

#[derive(Debug, arbitrary::Arbitrary)]
enum Piece<'a> {
    Known(u8, u8),
    Any(&'a str),
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Asked<'a> {
    plain: u16,
    triggers: Vec<(&'a str, Vec<&'a str>)>,
    words: Option<Vec<&'a str>>,
    fields: Vec<&'a str>,
    accents: u8,
    hash_bits: Option<u8>,
}

impl Asked<'_> {
    fn accents(&self) -> Accents {
        [Accents::Keep, Accents::Fold, Accents::Ascii][usize::from(self.accents % 3)]
    }

    /// Names with their lists. Python lets no list be called by what tells how often it was met.
    fn each(&self) -> Vec<(String, Vec<&str>)> {
        let plain = PLAIN.iter().enumerate().filter(|(bit, _)| self.plain >> bit & 1 == 1);
        let plain = plain.map(|(_, name)| (name.to_string(), Vec::new()));
        let triggers =
            self.triggers.iter().map(|(name, list)| (format!("trigger:{}", name.replace('×', "")), list.clone()));
        let words = self.words.iter().map(|list| ("misspelling".to_string(), list.clone()));
        let fields = self.fields.iter().map(|field| (format!("headers:{field}"), Vec::new()));
        plain.chain(triggers).chain(words).chain(fields).collect()
    }

    fn terms(&self, names: &[(String, Vec<&str>)]) -> Terms {
        let given = names.iter().map(|(name, list)| (name.as_str(), list.clone()));
        let properties = Properties::new(given, self.accents()).expect("all are known");
        Terms { words: None, properties, accents: self.accents(), ..Terms::default() }
    }
}

fuzz_target!(|input: (Asked, Vec<Piece>)| {
    let (asked, pieces) = input;
    let text = made_of(&pieces);
    let names = asked.each();
    let terms = asked.terms(&names);
    let seen = terms.seen(&text);
    check_told(&seen, &text);
    check_apart(&asked, &names, &seen, &text);
    let hash_bits = asked.hash_bits.map(|bits| u32::from(bits % 31) + 1);
    check_counted(Terms { hash_bits, ..terms }, &seen, &text);
});

fn made_of(pieces: &[Piece]) -> String {
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Known(which, times) => PIECES[usize::from(*which) % PIECES.len()].repeat(usize::from(*times % 9)),
        Piece::Any(text) => (*text).to_string(),
    });
    parts.collect()
}

/// Each stands for a piece of the text (a span that cuts a character panics), and once under a name that begins as those
/// of properties do; one that is told for the 2n-th time was told for the n-th, by another piece.
fn check_told(seen: &[Seen], text: &str) {
    let mut met = BTreeMap::new();
    for term in seen {
        assert!(!text[term.span.clone()].is_empty());
        if term.name.starts_with(PROPERTY) {
            assert!(met.insert(term.name.as_str(), &term.span).is_none(), "{:?} was told twice", term.name);
        }
    }
    if text.contains('×') {
        return; // the name of a host may end so by itself
    }
    for (name, span) in &met {
        if let Some((first, times)) = name.rsplit_once('×').and_then(|(f, n)| Some((f, n.parse::<u32>().ok()?))) {
            let before = if times == 2 { first.to_string() } else { format!("{first}×{}", times / 2) };
            assert!(met.get(before.as_str()).is_some_and(|earlier| earlier != span), "{name:?} without {before:?}");
        }
    }
}

/// What properties tell together is what each tells alone. Fields that are named are one property; so are triggers of one
/// name.
fn check_apart(asked: &Asked, names: &[(String, Vec<&str>)], seen: &[Seen], text: &str) {
    let mut distinct: Vec<_> = names.iter().map(|(name, _)| name).collect();
    distinct.sort();
    distinct.dedup();
    if distinct.len() < names.len() {
        return;
    }
    let (fields, others): (Vec<_>, Vec<_>) = names.iter().cloned().partition(|(name, _)| name.starts_with("headers"));
    let groups = others.into_iter().map(|one| vec![one]).chain((!fields.is_empty()).then_some(fields));
    let mut apart: Vec<_> = groups.flat_map(|group| asked.terms(&group).seen(text)).map(key).collect();
    let mut together: Vec<_> = seen.iter().cloned().map(key).collect();
    apart.sort();
    together.sort();
    assert_eq!(apart, together);
}

fn key(term: Seen) -> (String, usize, usize) {
    (term.name, term.span.start, term.span.end)
}

/// What is counted is what is seen, under the names of buckets too.
fn check_counted(terms: Terms, seen: &[Seen], text: &str) {
    let mut told = BTreeMap::new();
    for term in seen {
        *told.entry(terms.known_as(&term.name)).or_insert(0_i64) += 1;
    }
    let mut tally = Tally::new(terms, 1);
    tally.add(&[text], &[0], || false).expect("one text is never too many");
    let (counts, _) = tally.take(&[0]).expect("one label has the number 0");
    let counted = counts.names.iter().map(str::to_string).zip(counts.occurrences.iter().copied());
    assert!(told.into_iter().eq(counted));
}
