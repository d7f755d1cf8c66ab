//! A text -> its terms, one after the other, as nodes of a trie.

use std::ops::RangeInclusive;

use crate::chars::{self, Run, Written, each_across, each_inside};
use crate::edges::edged_grams;
use crate::four::Four;
use crate::hash::read_hashed;
use crate::names::Joined;
use crate::properties::Pieces;
use crate::scan::Scan;
use crate::table::{Node, Seed, Short, Table};
use crate::terms::{ACROSS, CHARS, Terms};
use crate::tokens::Tokens;
use crate::trie::{Trie, pair_key};

/// A name as it stands in a text: its key and that key's hash, or its place where it is too long for one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    key: Short,
    hash: u64,
}

/// Buffers that are used again for every text.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) folded: String,
    pub(crate) scan: Scan,
    pub(crate) spaces: Scan,
    pub(crate) words: Vec<(usize, usize)>,
    found: Vec<Found>,
    nodes: Vec<Option<Node>>,
    pub(crate) joined: Vec<Joined>,
    pub(crate) written: Written,
    pub(crate) gram: Vec<u8>,
    pub(crate) pieces: Pieces,
}

/// What is done with each term of a text.
pub(crate) trait Visit {
    /// What the nodes carry.
    type Value: Copy + Default;
    /// Where names are looked for.
    fn trie(&self) -> &Trie<Self::Value>;
    /// A name that is no n-gram of words; `is_term` says whether it is one of the terms, or only begins some.
    fn short(&mut self, key: Short, hash: u64, is_term: bool) -> Option<Node>;
    /// The same of a name that is too long for a key.
    fn long(&mut self, name: &[u8], is_term: bool) -> Option<Node>;
    /// An n-gram of words.
    fn pair(&mut self, first: Node, word: Node, is_term: bool) -> Option<Node>;
    /// Words of a text that stand in some bytes, all of them terms and no more than that.
    #[inline(always)]
    fn words(&mut self, bytes: &[u8], words: &[Found])
    where
        Self: Sized,
    {
        for word in words {
            word.show(bytes, true, self);
        }
    }
    /// An n-gram of words that begins no other.
    #[inline(always)]
    fn longest(&mut self, first: Node, word: Node) {
        self.pair(first, word, true);
    }
}

/// Sixteen bytes from `start` on; there is padding after the last.
#[inline(always)]
fn sixteen(bytes: &[u8], start: usize) -> [u8; 16] {
    bytes[start..].first_chunk().copied().unwrap_or_default()
}

/// The pairs of neighbours that are both known.
#[inline(always)]
fn neighbours(nodes: &[Option<Node>]) -> impl Iterator<Item = u64> {
    nodes.windows(2).filter_map(|pair| Some(pair_key(pair[0]?, pair[1]?)))
}

impl Found {
    #[inline(always)]
    pub(crate) fn new(seed: Seed, bytes: &[u8], start: usize, end: usize) -> Self {
        let key = if end - start > Short::LONGEST {
            Short::place(start, end)
        } else {
            Short::of(sixteen(bytes, start), end - start)
        };
        Found { key, hash: seed.hash(key) }
    }

    #[inline(always)]
    pub(crate) fn show(self, bytes: &[u8], is_term: bool, visit: &mut impl Visit) -> Option<Node> {
        match self.key.as_place() {
            Some((start, end)) => visit.long(&bytes[start..end], is_term),
            None => visit.short(self.key, self.hash, is_term),
        }
    }
}

/// Shows every term of a text to `visit`.
pub(crate) fn read(terms: &Terms, text: &str, scratch: &mut Scratch, visit: &mut impl Visit) {
    if let Some(bits) = terms.hash_bits {
        return read_hashed(terms, bits, text, scratch, visit);
    }
    if let Some(lengths) = &terms.words {
        let Scratch { scan, words, found, nodes, folded, .. } = scratch;
        terms.scan(text, terms.tokens, scan, folded);
        let found = if matches!(terms.tokens, Tokens::Unicode | Tokens::Marks) || !terms.stop.is_empty() {
            terms.cut(scan, words);
            let seed = visit.trie().short.seed();
            found.clear();
            found.extend(words.iter().map(|&(start, end)| Found::new(seed, scan.padded(), start, end)));
            found
        } else {
            find(scan, &visit.trie().short, found)
        };
        if terms.edges && *lengths.end() > 1 {
            edged_grams(scan.padded(), found, lengths, nodes, visit);
        } else {
            word_grams(scan.padded(), found, lengths, nodes, visit);
        }
    }
    chars::scan(terms, text, scratch);
    let Scratch { spaces, words, written, gram, .. } = scratch;
    if let Some(lengths) = &terms.chars {
        each_inside(lengths, spaces, words, written, |run| char_gram(CHARS, run, gram, visit));
    }
    if let Some(lengths) = &terms.chars_across {
        each_across(lengths, spaces, words, written, |run| char_gram(ACROSS, run, gram, visit));
    }
    if !terms.properties.is_empty() {
        properties(terms, text, scratch, visit);
    }
}

/// Shows what is told of how a text is written.
#[cold]
#[inline(never)]
fn properties(terms: &Terms, text: &str, scratch: &mut Scratch, visit: &mut impl Visit) {
    let Scratch { gram, pieces, .. } = scratch;
    terms.properties.each(text, pieces, |kind, rest, _| {
        gram.clear();
        gram.extend_from_slice(kind.as_bytes());
        gram.extend_from_slice(rest);
        if gram.len() > Short::LONGEST {
            visit.long(gram, true);
        } else {
            let length = gram.len();
            gram.resize(16, 0);
            let key = Short::of(sixteen(gram, 0), length);
            visit.short(key, visit.trie().short.hash(key), true);
        }
    });
}

/// All tokens of a scan, in `room`: the usual ones go straight to their keys.
#[inline(never)]
fn find<'a, V: Copy + Default>(scan: &Scan, table: &Table<Short, V>, room: &'a mut Vec<Found>) -> &'a [Found] {
    let seed = table.seed();
    let (bytes, runs, shortest) = (scan.padded(), scan.runs(), scan.shortest());
    if room.len() < runs.len() {
        room.resize(runs.len(), Found::default());
    }
    let (out, mut length) = (&mut room[..runs.len()], 0);
    for &[start, end] in runs {
        // Runs that are too short are written over by the next: whether there is one cannot be foreseen.
        let token = Found::new(seed, bytes, start, end);
        table.prefetch(token.hash);
        out[length] = token;
        length += usize::from(end - start >= shortest);
    }
    &room[..length]
}

/// Shows the n-grams of the words that stand in some bytes.
#[inline(always)]
fn word_grams(
    bytes: &[u8],
    words: &[Found],
    lengths: &RangeInclusive<usize>,
    nodes: &mut Vec<Option<Node>>,
    visit: &mut impl Visit,
) {
    let (low, high) = (*lengths.start(), *lengths.end());
    if high == 1 {
        each_word(bytes, words, visit);
    } else {
        nodes.clear();
        nodes.extend(words.iter().map(|word| word.show(bytes, low == 1, visit)));
        each_gram(nodes, low, high, visit);
    }
}

#[inline(never)]
fn each_word(bytes: &[u8], words: &[Found], visit: &mut impl Visit) {
    visit.words(bytes, words);
}

/// Shows a run of characters, which is of this kind.
#[inline(always)]
fn char_gram(kind: &str, run: Run<'_>, gram: &mut Vec<u8>, visit: &mut impl Visit) {
    let Run { bytes, from, to, .. } = run;
    if to - from + kind.len() <= Short::LONGEST {
        let key = Short::after(kind.as_bytes(), sixteen(bytes, from), to - from);
        visit.short(key, visit.trie().short.hash(key), true);
    } else {
        gram.clear();
        gram.extend_from_slice(kind.as_bytes());
        gram.extend_from_slice(&bytes[from..to]);
        visit.long(gram, true);
    }
}

pub(crate) fn each_gram(nodes: &[Option<Node>], low: usize, high: usize, visit: &mut impl Visit) {
    let pairs = &visit.trie().pairs;
    if !pairs.is_empty() {
        neighbours(nodes).for_each(|key| pairs.prefetch(pairs.hash(key)));
    }
    for first in 0..nodes.len() {
        let Some(mut node) = nodes[first] else { continue };
        for length in 2..=high.min(nodes.len() - first) {
            let Some(word) = nodes[first + length - 1] else { break };
            if length == high {
                visit.longest(node, word);
                break;
            }
            let Some(next) = visit.pair(node, word, length >= low) else { break };
            node = next;
        }
    }
}

/// A visitor that looks for what is known.
pub(crate) struct Finding<'a, V, F> {
    pub(crate) trie: &'a Trie<V>,
    pub(crate) emit: F,
}

impl<V: Copy + Default, F: FnMut(V)> Visit for Finding<'_, V, F> {
    type Value = V;

    #[inline(always)]
    fn trie(&self) -> &Trie<V> {
        self.trie
    }

    #[inline(always)]
    fn short(&mut self, key: Short, hash: u64, is_term: bool) -> Option<Node> {
        let (node, value) = self.trie.short.find(key, hash)?;
        if is_term {
            (self.emit)(value);
        }
        Some(node)
    }

    fn long(&mut self, name: &[u8], is_term: bool) -> Option<Node> {
        let at = self.trie.long.find(name)?;
        if is_term {
            (self.emit)(self.trie.long_values[at]);
        }
        Some(self.trie.long.node(at))
    }

    #[inline(always)]
    fn pair(&mut self, first: Node, word: Node, is_term: bool) -> Option<Node> {
        let key = pair_key(first, word);
        let (node, value) = self.trie.pairs.find(key, self.trie.pairs.hash(key))?;
        if is_term {
            (self.emit)(value);
        }
        Some(node)
    }
}

/// A visitor that adds up the values of what is known.
pub(crate) struct Summing<'a, V> {
    pub(crate) trie: &'a Trie<V>,
    pub(crate) sum: Four,
    pub(crate) known: u64,
}

impl<V: Copy + Default + Into<Four>> Summing<'_, V> {
    /// The value of a word, if it is known.
    #[inline(always)]
    fn value(&self, word: Found, bytes: &[u8]) -> Option<V> {
        let Trie { short, long, long_values, .. } = self.trie;
        match word.key.as_place() {
            None => short.find(word.key, word.hash).map(|(_, value)| value),
            Some((start, end)) => long.find(&bytes[start..end]).map(|at| long_values[at]),
        }
    }

    #[inline(always)]
    fn finding(&mut self) -> Finding<'_, V, impl FnMut(V)> {
        let Summing { trie, sum, known } = self;
        let emit = |value: V| {
            *sum += value.into();
            *known += 1;
        };
        Finding { trie, emit }
    }
}

impl<V: Copy + Default + Into<Four>> Visit for Summing<'_, V> {
    type Value = V;

    #[inline(always)]
    fn trie(&self) -> &Trie<V> {
        self.trie
    }

    #[inline(always)]
    fn words(&mut self, bytes: &[u8], words: &[Found]) {
        // In registers, not where it stands, the sum waits for no memory.
        let (mut sum, mut known) = (self.sum, self.known);
        for &word in words {
            if let Some(value) = self.value(word, bytes) {
                sum += value.into();
                known += 1;
            }
        }
        (self.sum, self.known) = (sum, known);
    }

    #[inline(always)]
    fn short(&mut self, key: Short, hash: u64, is_term: bool) -> Option<Node> {
        self.finding().short(key, hash, is_term)
    }

    fn long(&mut self, name: &[u8], is_term: bool) -> Option<Node> {
        self.finding().long(name, is_term)
    }

    #[inline(always)]
    fn pair(&mut self, first: Node, word: Node, is_term: bool) -> Option<Node> {
        self.finding().pair(first, word, is_term)
    }
}
