//! Nodes -> their places in canonical order: by the bytes of their names.
//!
//! An n-gram's name is its words with spaces between. Where no word holds a byte up to a space, names compare as the
//! sequences of their words do: words are sorted as strings, n-grams as pairs of ranks, and the order of all is that in
//! which a tree of them is walked. White-space tokens may hold control characters; then names are compared whole.

use crate::lexicon::Names;
use crate::near::prefetch;
use crate::table::{Node, Short};
use crate::trie::{Name, Trie};

/// The place of each node that is a term, and the terms' names in order.
pub(crate) struct Order {
    pub(crate) place: Vec<u32>,
    pub(crate) names: Names,
}

/// The order of the nodes for which `is_term` says so.
pub(crate) fn order<V: Copy + Default>(trie: &Trie<V>, is_term: &[bool]) -> Order {
    let nodes = Nodes::new(trie);
    let walk = nodes.sorted(is_term);
    Order { place: nodes.places(&walk), names: nodes.written(&walk) }
}

/// What all nodes stand for.
pub(crate) struct Nodes {
    /// What each stands for; empty where none is an n-gram of words.
    names: Vec<Name>,
    /// Nodes that are no n-grams of words, in the order of their names.
    words: Vec<Node>,
    /// The names of those, end to end, and where each of them ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The same once more, each by itself: up to 15 bytes, and how many there are; [`TOO_LONG`] if there are more.
    short: Vec<[u8; 16]>,
    /// The rank of each of those among them; of an n-gram, among n-grams of its length.
    rank: Vec<u32>,
}

impl Nodes {
    pub(crate) fn new<V: Copy + Default>(trie: &Trie<V>) -> Self {
        let names = trie.names();
        let words = sorted_words(trie, &names);
        let (mut text, mut ends, mut rank) = (Vec::new(), Vec::with_capacity(words.len()), vec![0; names.len()]);
        let mut short = Vec::with_capacity(words.len());
        for (i, &node) in (0..).zip(&words) {
            let start = text.len();
            write_word(trie, names[node as usize], &mut text);
            ends.push(text.len());
            short.push(in_sixteen(&text[start..]));
            rank[node as usize] = i;
        }
        let names = if words.len() == names.len() { Vec::new() } else { names };
        Nodes { names, words, text, ends, short, rank }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rank.len()
    }

    /// Whether none is an n-gram of words: their canonical order is then that of their ranks.
    pub(crate) fn is_flat(&self) -> bool {
        self.names.is_empty()
    }

    /// The rank of each word among all words.
    pub(crate) fn ranks(&self) -> &[u32] {
        &self.rank
    }

    /// The nodes for which `is_wanted` says so, in canonical order.
    pub(crate) fn sorted(&self, is_wanted: &[bool]) -> Vec<Node> {
        if self.is_flat() {
            return self.words.iter().copied().filter(|&node| is_wanted[node as usize]).collect();
        }
        if self.has_odd_word() { self.compared(is_wanted) } else { self.walked(is_wanted) }
    }

    /// For each node, where it stands in a walk; 0 for those that do not.
    pub(crate) fn places(&self, walk: &[Node]) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        (0..).zip(walk).for_each(|(i, &node)| places[node as usize] = i);
        places
    }

    fn word(&self, node: Node) -> &[u8] {
        let (start, end) = self.range(self.rank[node as usize]);
        &self.text[start..end]
    }

    fn range(&self, rank: u32) -> (usize, usize) {
        let rank = rank as usize;
        (if rank == 0 { 0 } else { self.ends[rank - 1] }, self.ends[rank])
    }

    /// Appends the word of a rank to a name.
    #[inline(always)]
    pub(crate) fn write_word_of_rank(&self, rank: u32, name: &mut Vec<u8>) {
        let sixteen = &self.short[rank as usize];
        if sixteen[15] == TOO_LONG {
            let (start, end) = self.range(rank);
            name.extend_from_slice(&self.text[start..end]);
        } else {
            // A copy of a fixed length takes no call.
            name.extend_from_slice(sixteen);
            name.truncate(name.len() - 16 + usize::from(sixteen[15]));
        }
    }

    /// Brings the word of a rank near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, rank: u32) {
        prefetch(&self.short[rank as usize]);
    }

    pub(crate) fn has_odd_word(&self) -> bool {
        let is_odd = |word: &[u8]| word.first() != Some(&b'\t') && word.iter().any(|&byte| byte <= b' ');
        self.words.iter().any(|&node| is_odd(self.word(node)))
    }

    /// Appends what a node stands for to a name.
    pub(crate) fn write(&self, node: Node, name: &mut Vec<u8>) {
        if let Some(&Name::Pair(first, word)) = self.names.get(node as usize) {
            self.write(first, name);
            name.push(b' ');
            name.extend_from_slice(self.word(word));
        } else {
            name.extend_from_slice(self.word(node));
        }
    }

    /// The names of some nodes, in that order.
    fn written(&self, nodes: &[Node]) -> Names {
        let (mut text, mut offsets) = (Vec::new(), Vec::with_capacity(nodes.len() + 1));
        offsets.push(0);
        for &node in nodes {
            self.write(node, &mut text);
            offsets.push(text.len() as i64);
        }
        Names::of_sorted(text, offsets)
    }

    /// All terms, sorted by their whole names.
    fn compared(&self, is_term: &[bool]) -> Vec<Node> {
        let mut named: Vec<(Vec<u8>, Node)> = (0..self.len() as Node)
            .filter(|&node| is_term[node as usize])
            .map(|node| {
                let mut name = Vec::new();
                self.write(node, &mut name);
                (name, node)
            })
            .collect();
        named.sort_unstable();
        named.into_iter().map(|(_, node)| node).collect()
    }

    /// All terms in the order of a walk: a node, then its children by the word that they add.
    fn walked(&self, is_term: &[bool]) -> Vec<Node> {
        let levels = self.levels();
        let mut family: Vec<u32> = is_term.iter().map(|&is| u32::from(is)).collect();
        for &(first, node) in levels.iter().rev().flatten() {
            family[first as usize] += family[node as usize];
        }
        let total: u32 = self.words.iter().map(|&node| family[node as usize]).sum();
        let (mut walk, mut free, mut next) = (vec![0; total as usize], vec![0; self.len()], 0);
        let mut put = |node: Node, at: u32, free: &mut [u32]| {
            if is_term[node as usize] {
                walk[at as usize] = node;
            }
            free[node as usize] = at + u32::from(is_term[node as usize]);
            family[node as usize]
        };
        for &node in &self.words {
            next += put(node, next, &mut free);
        }
        for &(first, node) in levels.iter().flatten() {
            let at = free[first as usize];
            free[first as usize] += put(node, at, &mut free);
        }
        walk
    }

    /// The n-grams of words, level by level: (the n-gram without its last word, the n-gram), sorted by their ranks.
    fn levels(&self) -> Vec<Vec<(Node, Node)>> {
        // A child is made after its parent, so that by number parents come first.
        let mut depth = vec![0_u8; self.len()];
        let mut levels: Vec<Vec<(Node, Node)>> = Vec::new();
        for (node, name) in (0..).zip(&self.names) {
            if let &Name::Pair(first, _) = name {
                let level = depth[first as usize] as usize;
                depth[node as usize] = (level + 1).min(255) as u8;
                levels.resize(levels.len().max(level + 1), Vec::new());
                levels[level].push((first, node));
            }
        }
        let mut rank = self.rank.clone();
        for level in &mut levels {
            let key = |&(first, node): &(Node, Node)| match self.names[node as usize] {
                Name::Pair(_, word) => u64::from(rank[first as usize]) << 32 | u64::from(self.rank[word as usize]),
                _ => 0,
            };
            let mut keyed = level.iter().map(|pair| (key(pair), *pair)).collect();
            by_radix(&mut keyed, &mut Vec::new());
            *level = keyed.into_iter().map(|(_, pair)| pair).collect();
            (0..).zip(level.iter()).for_each(|(i, &(_, node))| rank[node as usize] = i);
        }
        levels
    }
}

/// The nodes that are no n-grams of words, sorted by their names.
fn sorted_words<V: Copy + Default>(trie: &Trie<V>, names: &[Name]) -> Vec<Node> {
    // The first fifteen bytes and the length, as two numbers, decide unless both names are longer.
    let mut keyed: Vec<(u64, (u64, Node))> = (0..)
        .zip(names)
        .filter_map(|(node, name)| {
            let (first, second) = match *name {
                Name::Short(key) => key.ordinal(),
                Name::Long(at) => Short::ordinal_of_longer(trie.long.name(at)),
                Name::Pair(..) => return None,
            };
            Some((first, (second, node)))
        })
        .collect();
    by_radix(&mut keyed, &mut Vec::new());
    let whole = |node: Node| match names[node as usize] {
        Name::Long(at) => trie.long.name(at),
        _ => &[],
    };
    for alike in keyed.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        alike.sort_unstable_by(|(_, a), (_, b)| a.0.cmp(&b.0).then_with(|| whole(a.1).cmp(whole(b.1))));
    }
    keyed.into_iter().map(|(_, (_, node))| node).collect()
}

/// The last of sixteen bytes, where a name has more than fifteen.
const TOO_LONG: u8 = u8::MAX;

fn in_sixteen(name: &[u8]) -> [u8; 16] {
    let mut sixteen = [TOO_LONG; 16];
    if name.len() < 16 {
        sixteen[..name.len()].copy_from_slice(name);
        sixteen[15] = name.len() as u8;
    }
    sixteen
}

fn write_word<V: Copy + Default>(trie: &Trie<V>, name: Name, text: &mut Vec<u8>) {
    match name {
        Name::Short(key) => {
            let (bytes, length) = key.bytes();
            text.extend_from_slice(&bytes[..length]);
        }
        Name::Long(at) => text.extend_from_slice(trie.long.name(at)),
        Name::Pair(..) => {}
    }
}

const RADIX: u32 = 11;

/// Sorts items by their keys, digit by digit from the lowest; digits that are all zero are passed over. `other` is room.
pub(crate) fn by_radix<T: Copy + Default>(items: &mut Vec<(u64, T)>, other: &mut Vec<(u64, T)>) {
    if items.len() < 1 << RADIX {
        items.sort_by_key(|&(key, _)| key);
        return;
    }
    let digits = items.iter().fold(0, |digits, (key, _)| digits | key);
    other.clear();
    other.resize(items.len(), (0, T::default()));
    for shift in (0..u64::BITS).step_by(RADIX as usize) {
        let digit = |key: u64| (key >> shift) as usize & ((1 << RADIX) - 1);
        if digit(digits) == 0 {
            continue;
        }
        let mut starts = [0_usize; 1 << RADIX];
        items.iter().for_each(|&(key, _)| starts[digit(key)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        for &item in items.iter() {
            let at = &mut starts[digit(item.0)];
            other[*at] = item;
            *at += 1;
        }
        std::mem::swap(items, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn radix_sorts_as_any_other(keys in prop::collection::vec(any::<u64>(), 0..6000), shift in 0..60_u32) {
            let mut items: Vec<(u64, u32)> = keys.iter().zip(0..).map(|(&key, i)| (key >> shift, i)).collect();
            let mut expected = items.clone();
            expected.sort();
            by_radix(&mut items, &mut Vec::new());
            prop_assert_eq!(items, expected);
        }
    }
}
