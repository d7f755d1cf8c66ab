//! Nodes -> their places in canonical order: by the bytes of their names.
//!
//! An n-gram's name is its words with spaces between. No word holds a byte up to a space, so names compare as the
//! sequences of their words do: words are sorted as strings, n-grams as pairs of ranks, and the order of all is the
//! order in which a tree of them is walked. White-space tokens may hold control characters; then names are compared whole.

use crate::lexicon::Names;
use crate::table::Node;
use crate::trie::{Name, Trie};

/// The place of each node that is a term, and the terms' names in order.
pub(crate) struct Order {
    pub(crate) place: Vec<u32>,
    pub(crate) names: Names,
}

/// The order of the nodes for which `is_term` says so.
pub(crate) fn order<V: Copy + Default>(trie: &Trie<V>, is_term: &[bool]) -> Order {
    let nodes = Nodes::new(trie);
    let (words, mut grams): (Vec<Node>, Vec<Node>) =
        (0..nodes.names.len() as Node).partition(|&node| !matches!(nodes.names[node as usize], Name::Pair(..)));
    let words = nodes.sorted(words);
    let mut at = if words.iter().any(|&node| nodes.is_odd(node)) {
        let mut all = words;
        all.append(&mut grams);
        all.retain(|&node| is_term[node as usize]);
        nodes.sorted(all)
    } else {
        nodes.walked(&words, &grams, is_term)
    };
    at.retain(|&node| is_term[node as usize]);
    let mut found = Order { place: vec![0; nodes.names.len()], names: Names::default() };
    let mut name = Vec::new();
    for (place, &node) in (0..).zip(&at) {
        found.place[node as usize] = place;
        name.clear();
        nodes.write(node, &mut name);
        found.names.push(std::str::from_utf8(&name).unwrap_or_default());
    }
    found
}

struct Nodes<'a, V> {
    trie: &'a Trie<V>,
    names: Vec<Name>,
}

impl<'a, V: Copy + Default> Nodes<'a, V> {
    fn new(trie: &'a Trie<V>) -> Self {
        Nodes { trie, names: trie.names() }
    }

    fn write(&self, node: Node, name: &mut Vec<u8>) {
        match self.names[node as usize] {
            Name::Short(key) => {
                let (bytes, length) = key.bytes();
                name.extend_from_slice(&bytes[..length]);
            }
            Name::Long(at) => name.extend_from_slice(self.trie.long.name(at)),
            Name::Pair(first, word) => {
                self.write(first, name);
                name.push(b' ');
                self.write(word, name);
            }
        }
    }

    /// Whether a word holds a byte that does not come after a space.
    fn is_odd(&self, node: Node) -> bool {
        let mut name = Vec::new();
        self.write(node, &mut name);
        name.first() != Some(&b'\t') && name.iter().any(|&byte| byte <= b' ')
    }

    fn sorted(&self, mut nodes: Vec<Node>) -> Vec<Node> {
        let (mut names, mut ends) = (Vec::new(), Vec::with_capacity(nodes.len()));
        for &node in &nodes {
            let start = names.len();
            self.write(node, &mut names);
            ends.push((start, names.len()));
        }
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_unstable_by(|&a, &b| names[ends[a].0..ends[a].1].cmp(&names[ends[b].0..ends[b].1]));
        let before = nodes.clone();
        nodes.iter_mut().zip(order).for_each(|(node, from)| *node = before[from]);
        nodes
    }

    /// All nodes in the order of a walk, parents before children.
    fn walked(&self, words: &[Node], grams: &[Node], is_term: &[bool]) -> Vec<Node> {
        let mut rank = vec![0_u32; self.names.len()];
        (0..).zip(words).for_each(|(i, &node)| rank[node as usize] = i);
        // Children are made after their parents: by node, each level of n-grams is complete before the next is ranked.
        let mut depth = vec![1_u8; self.names.len()];
        let mut levels: Vec<Vec<(u64, Node)>> = Vec::new();
        for &node in grams {
            if let Name::Pair(first, _) = self.names[node as usize] {
                let level = depth[first as usize];
                depth[node as usize] = level.saturating_add(1);
                levels.resize(levels.len().max(level as usize), Vec::new());
                levels[level as usize - 1].push((0, node));
            }
        }
        let word_rank = rank.clone();
        for level in &mut levels {
            for (key, node) in level.iter_mut() {
                if let Name::Pair(first, word) = self.names[*node as usize] {
                    *key = u64::from(rank[first as usize]) << 32 | u64::from(word_rank[word as usize]);
                }
            }
            level.sort_unstable();
            (0..).zip(level.iter()).for_each(|(i, &(_, node))| rank[node as usize] = i);
        }
        self.placed(words, &levels, is_term)
    }

    /// The walk itself: each node goes right after its parent and the families of its elder siblings.
    fn placed(&self, words: &[Node], levels: &[Vec<(u64, Node)>], is_term: &[bool]) -> Vec<Node> {
        let first_of = |node: Node| match self.names[node as usize] {
            Name::Pair(first, _) => first as usize,
            _ => node as usize,
        };
        let mut family: Vec<u32> = is_term.iter().map(|&is| u32::from(is)).collect();
        for level in levels.iter().rev() {
            for &(_, node) in level {
                family[first_of(node)] += family[node as usize];
            }
        }
        let mut free = vec![0_u32; self.names.len()];
        let mut all = 0;
        let place = |node: Node, start: u32, walk: &mut Vec<Node>| {
            if is_term[node as usize] {
                walk[start as usize] = node;
            }
            start + u32::from(is_term[node as usize])
        };
        let total: u32 = words.iter().map(|&node| family[node as usize]).sum();
        let mut walk = vec![0; total as usize];
        for &node in words {
            free[node as usize] = place(node, all, &mut walk);
            all += family[node as usize];
        }
        for level in levels {
            for &(_, node) in level {
                let start = free[first_of(node)];
                free[first_of(node)] += family[node as usize];
                free[node as usize] = place(node, start, &mut walk);
            }
        }
        walk
    }
}
