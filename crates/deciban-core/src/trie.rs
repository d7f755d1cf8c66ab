//! Terms -> nodes: every name gets a number, an n-gram of words as a pair of numbers; each node carries a value.

use std::hint::black_box;
use std::ops::RangeInclusive;

use crate::scan::Scan;
use crate::table::{Long, Node, Short, Table};
use crate::terms::{CHARS, Terms};
use crate::tokens::Tokens;

/// Nodes of names, each with a value.
#[derive(Debug)]
pub(crate) struct Trie<V> {
    pub(crate) short: Table<Short, V>,
    pub(crate) long: Long,
    pub(crate) long_values: Vec<V>,
    pub(crate) pairs: Table<u64, V>,
    nodes: usize,
}

/// What a node stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Name {
    Short(Short),
    Long(usize),
    Pair(Node, Node),
}

/// A name as it stands in a text: its key and that key's hash, or its place where it is too long for one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found {
    Short(Short, u64),
    Long(usize, usize),
}

/// Buffers that are used again for every text.
#[derive(Debug, Default)]
pub struct Scratch {
    scan: Scan,
    spaces: Scan,
    words: Vec<(usize, usize)>,
    found: Vec<Found>,
    nodes: Vec<Option<Node>>,
    padded: Vec<u8>,
    gram: Vec<u8>,
    boundaries: Vec<usize>,
}

/// What is done with each term of a text.
pub(crate) trait Visit {
    /// The hash of a key.
    fn hash(&self, key: Short) -> u64;
    /// A look at the slot where a name with this hash will be looked for.
    fn glance(&self, hash: u64) -> Node;
    /// Says that the pairs of these neighbours will be visited next.
    fn expect_pairs(&self, nodes: &[Option<Node>]);
    /// A name that is no n-gram of words; `is_term` says whether it is one of the terms, or only begins some.
    fn name(&mut self, found: Found, bytes: &[u8], is_term: bool) -> Option<Node>;
    /// An n-gram of words.
    fn pair(&mut self, first: Node, word: Node, is_term: bool) -> Option<Node>;
}

/// Sixteen bytes from `start` on; there is padding after the last.
#[inline(always)]
fn sixteen(bytes: &[u8], start: usize) -> [u8; 16] {
    bytes[start..].first_chunk().copied().unwrap_or_default()
}

/// The pairs of neighbours that are both known.
#[inline(always)]
pub(crate) fn neighbours(nodes: &[Option<Node>]) -> impl Iterator<Item = u64> {
    nodes.windows(2).filter_map(|pair| Some(pair_key(pair[0]?, pair[1]?)))
}

#[inline(always)]
pub(crate) fn found(visit: &impl Visit, bytes: &[u8], start: usize, end: usize) -> Found {
    if end - start > Short::LONGEST {
        return Found::Long(start, end);
    }
    let key = Short::of(sixteen(bytes, start), end - start);
    Found::Short(key, visit.hash(key))
}

/// Shows every term of a text to `visit`.
pub(crate) fn read(terms: &Terms, text: &str, scratch: &mut Scratch, visit: &mut impl Visit) {
    let Scratch { scan, spaces, words, found: names, nodes, padded, gram, boundaries } = scratch;
    if let Some(lengths) = &terms.words {
        scan.read(text, terms.tokens);
        if terms.tokens == Tokens::Word {
            // The usual tokens go straight from the scan to their keys.
            word_grams(scan.padded(), scan.words(), lengths, names, nodes, visit);
        } else {
            words.clear();
            terms.tokens.ranges(scan, words);
            word_grams(scan.padded(), words.iter().copied(), lengths, names, nodes, visit);
        }
    }
    if let Some(lengths) = &terms.chars {
        spaces.read(text, Tokens::Whitespace);
        words.clear();
        Tokens::Whitespace.ranges(spaces, words);
        for &(start, end) in words.iter() {
            pad(&spaces.padded()[start..end], padded, boundaries);
            char_grams(boundaries.len() - 1, lengths, |first, last| {
                char_gram(padded, boundaries[first], boundaries[last], gram, visit);
            });
        }
    }
}

/// Shows the n-grams of the words that stand at these places in some bytes.
#[inline(always)]
pub(crate) fn word_grams(
    bytes: &[u8],
    words: impl Iterator<Item = (usize, usize)>,
    lengths: &RangeInclusive<usize>,
    names: &mut Vec<Found>,
    nodes: &mut Vec<Option<Node>>,
    visit: &mut impl Visit,
) {
    names.clear();
    // A look at each slot brings it near: these loads overlap, where one look-up after the other would wait for each.
    let mut near = 0;
    for (start, end) in words {
        let name = found(visit, bytes, start, end);
        if let Found::Short(_, hash) = name {
            near ^= visit.glance(hash);
        }
        names.push(name);
    }
    black_box(near);
    let (low, high) = (*lengths.start(), *lengths.end());
    if high == 1 {
        for &name in names.iter() {
            visit.name(name, bytes, true);
        }
    } else {
        nodes.clear();
        nodes.extend(names.iter().map(|&name| visit.name(name, bytes, low == 1)));
        each_gram(nodes, low, high, visit);
    }
}

/// Shows one n-gram of characters: the bytes from `from` to `to`, with room for a key after them.
#[inline(always)]
pub(crate) fn char_gram(bytes: &[u8], from: usize, to: usize, gram: &mut Vec<u8>, visit: &mut impl Visit) {
    if to - from + CHARS.len() <= Short::LONGEST {
        let key = Short::after(CHARS.as_bytes(), sixteen(bytes, from), to - from);
        visit.name(Found::Short(key, visit.hash(key)), bytes, true);
    } else {
        gram.clear();
        gram.extend_from_slice(CHARS.as_bytes());
        gram.extend_from_slice(&bytes[from..to]);
        visit.name(Found::Long(0, gram.len()), gram, true);
    }
}

/// Calls `emit` with the first character of each n-gram of a padded word, and the one after its last.
///
/// As scikit-learn's `char_wb`: a word shorter than n gives itself, once.
pub(crate) fn char_grams(characters: usize, lengths: &RangeInclusive<usize>, mut emit: impl FnMut(usize, usize)) {
    for length in lengths.clone() {
        for first in 0..=characters.saturating_sub(length) {
            emit(first, (first + length).min(characters));
        }
        if length >= characters {
            break;
        }
    }
}

/// Writes a word with a space on both sides over `padded`, with room for a key after it, and where its characters
/// begin, and the last ends, over `boundaries`.
pub(crate) fn pad(word: &[u8], padded: &mut Vec<u8>, boundaries: &mut Vec<usize>) {
    padded.clear();
    padded.push(b' ');
    padded.extend_from_slice(word);
    padded.push(b' ');
    boundaries.clear();
    boundaries.extend((0..padded.len()).filter(|&at| padded[at] & 0xC0 != 0x80));
    boundaries.push(padded.len());
    padded.extend_from_slice(&[0; 16]);
}

fn each_gram(nodes: &[Option<Node>], low: usize, high: usize, visit: &mut impl Visit) {
    visit.expect_pairs(nodes);
    for first in 0..nodes.len() {
        let Some(mut node) = nodes[first] else { continue };
        for length in 2..=high.min(nodes.len() - first) {
            let next = nodes[first + length - 1].and_then(|word| visit.pair(node, word, length >= low));
            let Some(next) = next else { break };
            node = next;
        }
    }
}

impl<V: Copy + Default> Trie<V> {
    pub(crate) fn new() -> Self {
        Trie { short: Table::new(), long: Long::default(), long_values: Vec::new(), pairs: Table::new(), nodes: 0 }
    }

    /// The same nodes with other values.
    pub(crate) fn mapped<W: Copy + Default>(self, value: impl Fn(Node) -> W) -> Trie<W> {
        let Trie { short, long, pairs, nodes, .. } = self;
        let long_values = (0..long.len()).map(|at| value(long.node(at))).collect();
        Trie { short: short.mapped(&value), long, long_values, pairs: pairs.mapped(&value), nodes }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes
    }

    /// Whether there are more nodes than numbers for them.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes >= Node::MAX as usize
    }

    /// The node of the n-gram that is `first` followed by `word`: where its slot is.
    #[inline(always)]
    pub(crate) fn insert_pair(&mut self, first: Node, word: Node) -> usize {
        let key = pair_key(first, word);
        let Self { pairs, nodes, .. } = self;
        pairs.insert(key, pairs.hash(key), || next(nodes))
    }

    #[inline(always)]
    pub(crate) fn insert_short(&mut self, key: Short, hash: u64) -> usize {
        let Self { short, nodes, .. } = self;
        short.insert(key, hash, || next(nodes))
    }

    pub(crate) fn insert_long(&mut self, name: &[u8]) -> usize {
        let Self { long, long_values, nodes, .. } = self;
        let at = long.insert(name, || next(nodes));
        long_values.resize(long.len(), V::default());
        at
    }

    /// Gives a term, by its name, a value.
    pub(crate) fn set(&mut self, name: &str, value: V) {
        if name.starts_with('\t') || !name.contains(' ') {
            *self.value_of(name.as_bytes()) = value;
            return;
        }
        let mut words = name.split(' ').map(str::as_bytes);
        let mut node = words.next().map_or(0, |word| self.node_of(word));
        let mut at = 0;
        for word in words {
            let word = self.node_of(word);
            at = self.insert_pair(node, word);
            node = self.pairs.node(at);
        }
        *self.pairs.value(at) = value;
    }

    fn node_of(&mut self, name: &[u8]) -> Node {
        if name.len() > Short::LONGEST {
            let at = self.insert_long(name);
            return self.long.node(at);
        }
        let at = self.insert_bytes(name);
        self.short.node(at)
    }

    fn value_of(&mut self, name: &[u8]) -> &mut V {
        if name.len() > Short::LONGEST {
            let at = self.insert_long(name);
            return &mut self.long_values[at];
        }
        let at = self.insert_bytes(name);
        self.short.value(at)
    }

    fn insert_bytes(&mut self, name: &[u8]) -> usize {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name);
        let key = Short::of(bytes, name.len());
        self.insert_short(key, self.short.hash(key))
    }

    /// What each node stands for.
    pub(crate) fn names(&self) -> Vec<Name> {
        let mut names = vec![Name::Long(0); self.nodes];
        for (key, node) in self.short.keys() {
            names[node as usize] = Name::Short(key);
        }
        for at in 0..self.long.len() {
            names[self.long.node(at) as usize] = Name::Long(at);
        }
        for (key, node) in self.pairs.keys() {
            names[node as usize] = Name::Pair((key >> 32) as Node, key as Node);
        }
        names
    }
}

fn next(nodes: &mut usize) -> Node {
    // Past four billion nodes the last number is shared; who counts looks at `is_full` and gives up.
    let node = Node::try_from(*nodes).unwrap_or(Node::MAX - 1).min(Node::MAX - 1);
    *nodes += 1;
    node
}

#[inline(always)]
pub(crate) fn pair_key(first: Node, word: Node) -> u64 {
    u64::from(first) << 32 | u64::from(word)
}

/// A visitor that looks for what is known.
pub(crate) struct Finding<'a, V, F> {
    pub(crate) trie: &'a Trie<V>,
    pub(crate) emit: F,
}

impl<V: Copy + Default, F: FnMut(V)> Visit for Finding<'_, V, F> {
    #[inline(always)]
    fn hash(&self, key: Short) -> u64 {
        self.trie.short.hash(key)
    }

    #[inline(always)]
    fn glance(&self, hash: u64) -> Node {
        self.trie.short.glance(hash)
    }

    #[inline(always)]
    fn expect_pairs(&self, nodes: &[Option<Node>]) {
        self.trie.pairs.touch(neighbours(nodes).map(|key| self.trie.pairs.hash(key)));
    }

    #[inline(always)]
    fn name(&mut self, found: Found, bytes: &[u8], is_term: bool) -> Option<Node> {
        let (node, value) = match found {
            Found::Short(key, hash) => self.trie.short.find(key, hash)?,
            Found::Long(start, end) => {
                let at = self.trie.long.find(&bytes[start..end])?;
                (self.trie.long.node(at), self.trie.long_values[at])
            }
        };
        if is_term {
            (self.emit)(value);
        }
        Some(node)
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
