//! Misspelling: words that a list does not hold, and how they differ from one that it holds.
//!
//! *doubled*: a listed word in which some letters stand oftener in a row; *dropped*: one that lacks a letter; *unknown*:
//! neither. Only words of letters are looked at, of 3 to 32 of them.

use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::pieces::{Pieces, write_form};
use super::{Tell, tell_of};
use crate::accents::Accents;
use crate::characters::LETTER;
use crate::tokens::flags;

const LETTERS: std::ops::RangeInclusive<usize> = 3..=32;

/// Words that are spelt right.
#[derive(Debug, Clone)]
pub(super) struct Spelling {
    words: Arc<Vec<String>>,
    index: Arc<OnceLock<Index>>,
}

/// Ways to words of a list, by their numbers.
#[derive(Debug)]
struct Index {
    state: RandomState,
    whole: HashTable<u32>,
    /// By the word with one letter for each that stands several times in a row.
    collapsed: HashTable<u32>,
    /// By the word without the letter that begins at this byte.
    without: HashTable<(u32, u32)>,
}

impl PartialEq for Spelling {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for Spelling {}

impl Spelling {
    pub(super) fn new(words: &[&str], accents: Accents) -> Self {
        let form = |word: &&str| {
            let mut form = String::new();
            write_form(word, accents, &mut form);
            form
        };
        let words = words.iter().map(form).collect();
        Spelling { words: Arc::new(words), index: Arc::default() }
    }

    /// Tells of each word that the list does not hold. An empty list tells nothing.
    pub(super) fn each(&self, text: &str, pieces: &Pieces, tell: &mut impl Tell) {
        if self.words.is_empty() {
            return;
        }
        let index = self.index.get_or_init(|| Index::new(&self.words));
        pieces.each_word(|at, item, _| {
            let is_letter = |c: char| flags(c) & LETTER != 0;
            let word = &text[item.start..item.end];
            let is_looked_at = LETTERS.contains(&word.chars().count()) && word.chars().all(is_letter);
            if let Some(how) = is_looked_at.then(|| index.wrong(&self.words, pieces.form(at))).flatten() {
                tell_of("misspelling", how, item.start..item.end, tell);
            }
        });
    }
}

impl Index {
    fn new(words: &[String]) -> Self {
        let mut index = Index {
            state: RandomState::default(),
            whole: HashTable::with_capacity(words.len()),
            collapsed: HashTable::with_capacity(words.len()),
            without: HashTable::with_capacity(words.iter().map(|word| word.chars().count()).sum()),
        };
        for (number, word) in (0..).zip(words) {
            index.add(words, number, word);
        }
        index
    }

    fn add(&mut self, words: &[String], number: u32, word: &str) {
        let Index { state, whole, collapsed, without } = self;
        whole.insert_unique(state.hash_one(word.as_bytes()), number, |&n| state.hash_one(of(words, n).as_bytes()));
        let hash_collapsed = |n: &u32| state.hash_one(collapse(of(words, *n)).as_bytes());
        collapsed.insert_unique(hash_collapsed(&number), number, hash_collapsed);
        let hash_without = |place: &(u32, u32)| state.hash_one(lacking(of(words, place.0), place.1).as_bytes());
        for (at, _) in word.char_indices() {
            let place = (number, at as u32);
            without.insert_unique(hash_without(&place), place, hash_without);
        }
    }

    /// How a word is wrong, if it is.
    fn wrong(&self, words: &[String], form: &str) -> Option<&'static str> {
        let hash = |name: &str| self.state.hash_one(name.as_bytes());
        if self.whole.find(hash(form), |&n| of(words, n) == form).is_some() {
            return None;
        }
        let collapsed = collapse(form);
        let is_longer = |&n: &u32| collapse(of(words, n)) == collapsed && is_stretched(of(words, n), form);
        if self.collapsed.find(hash(&collapsed), is_longer).is_some() {
            return Some("doubled");
        }
        let is_dropped = |&(n, at): &(u32, u32)| lacking(of(words, n), at) == form;
        Some(if self.without.find(hash(form), is_dropped).is_some() { "dropped" } else { "unknown" })
    }
}

fn of(words: &[String], number: u32) -> &str {
    words.get(number as usize).map_or("", String::as_str)
}

/// A word with one letter for each that stands several times in a row.
fn collapse(word: &str) -> String {
    let mut collapsed = String::with_capacity(word.len());
    for c in word.chars() {
        if !collapsed.ends_with(c) {
            collapsed.push(c);
        }
    }
    collapsed
}

/// A word without the letter that begins at a byte.
fn lacking(word: &str, at: u32) -> String {
    let at = at as usize;
    let letter = word[at..].chars().next().map_or(0, char::len_utf8);
    [&word[..at], &word[at + letter..]].concat()
}

/// Whether a word is another in which letters stand oftener in a row; both collapse to the same.
fn is_stretched(word: &str, longer: &str) -> bool {
    let runs =
        |word: &str| word.chars().collect::<Vec<_>>().chunk_by(|a, b| a == b).map(<[char]>::len).collect::<Vec<_>>();
    runs(word).iter().zip(runs(longer)).all(|(n, m)| *n <= m)
}
