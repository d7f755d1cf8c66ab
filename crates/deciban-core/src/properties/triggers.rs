//! Trigger words: whole words and phrases of a list that has a name.

use hashbrown::HashMap;

use super::pieces::{Pieces, write_form};
use super::{Tell, tell_of};
use crate::accents::Accents;
use crate::scan::Scan;
use crate::tokens::Tokens;

/// A list of phrases, by their first words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trigger {
    name: String,
    /// What follows the first word, the longest first.
    phrases: HashMap<String, Vec<Vec<String>>>,
}

impl Trigger {
    /// The list of that name among those that there are, or a new one.
    pub(super) fn named<'a>(name: &str, all: &'a mut Vec<Trigger>) -> &'a mut Self {
        let place = all.iter().position(|trigger| trigger.name == name).unwrap_or(all.len());
        if place == all.len() {
            all.push(Trigger { name: name.to_string(), phrases: HashMap::new() });
        }
        &mut all[place]
    }

    pub(super) fn add(&mut self, phrases: &[&str], accents: Accents) {
        for mut phrase in phrases.iter().map(|phrase| forms(phrase, accents)).filter(|phrase| !phrase.is_empty()) {
            let rest = phrase.split_off(1);
            let rests = self.phrases.entry(phrase.concat()).or_default();
            rests.insert(rests.partition_point(|other| other.len() >= rest.len()), rest);
        }
    }

    /// Tells, at each word where phrases begin, the longest of them.
    pub(super) fn each(&self, pieces: &Pieces, tell: &mut impl Tell) {
        let words: Vec<_> = words_of(pieces).collect();
        for (place, &(at, start)) in words.iter().enumerate() {
            let Some(rests) = self.phrases.get(pieces.form(at)) else { continue };
            let stands = |rest: &&Vec<String>| {
                let after = words[place + 1..].iter().map(|&(at, _)| pieces.form(at));
                rest.len() < words.len() - place && after.zip(*rest).all(|(form, word)| form == word)
            };
            if let Some(rest) = rests.iter().find(stands) {
                let end = pieces.items()[words[place + rest.len()].0].end;
                tell_of("trigger", &self.name, start..end, tell);
            }
        }
    }
}

/// The number of each word among all items, and where it begins.
fn words_of(pieces: &Pieces) -> impl Iterator<Item = (usize, usize)> {
    let numbered = pieces.items().iter().enumerate();
    numbered.filter(|(_, item)| item.kind == super::Kind::Word).map(|(at, item)| (at, item.start))
}

/// The words of a text, as they are counted.
fn forms(text: &str, accents: Accents) -> Vec<String> {
    let (mut scan, mut runs) = (Scan::default(), Vec::new());
    scan.read_cased(text, Tokens::Run);
    Tokens::Run.ranges(&scan, &mut runs);
    let form = |(start, end)| {
        let mut form = String::new();
        write_form(&text[start..end], accents, &mut form);
        form
    };
    runs.into_iter().map(form).collect()
}
