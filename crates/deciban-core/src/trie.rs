//! Names -> nodes: every name gets a number, an n-gram of words as a pair of numbers; each node carries a value.

use crate::edges::START;
use crate::lexicon::Names;
use crate::table::{Long, Node, Short, Table};

/// So many nodes may have numbers: the highest bit of a number is for marks.
const MOST: usize = 1 << (Node::BITS - 1);

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

impl<V: Copy + Default> Trie<V> {
    pub(crate) fn new() -> Self {
        Trie { short: Table::new(), long: Long::default(), long_values: Vec::new(), pairs: Table::new(), nodes: 0 }
    }

    /// The same nodes with other values, made of each node and its value.
    pub(crate) fn with<W: Copy + Default>(&self, make: impl Fn(Node, V) -> W) -> Trie<W> {
        let long_values = self.long_values_made(&make);
        let (short, pairs) = (self.short.with(&make), self.pairs.with(&make));
        Trie { short, long: self.long.clone(), long_values, pairs, nodes: self.nodes }
    }

    /// The same, where the tables stand if values are of one size.
    pub(crate) fn mapped<W: Copy + Default>(self, make: impl Fn(Node, V) -> W) -> Trie<W> {
        let long_values = self.long_values_made(&make);
        let (short, pairs) = (self.short.mapped(&make), self.pairs.mapped(&make));
        Trie { short, long: self.long, long_values, pairs, nodes: self.nodes }
    }

    fn long_values_made<W>(&self, make: impl Fn(Node, V) -> W) -> Vec<W> {
        (0..).zip(&self.long_values).map(|(at, &value)| make(self.long.node(at), value)).collect()
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes
    }

    /// Whether there are more nodes than numbers for them.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes >= MOST
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

    /// Gives some names their values, in the order in which they are to be found soonest; `of` are all of them.
    pub(crate) fn set_all<'a>(&mut self, of: &Names, named: impl Iterator<Item = (&'a str, V)>) {
        let runs = if of.have_spaces() { of.iter().filter(|name| is_run(name)).count() } else { 0 };
        self.short.clear(of.len() - runs);
        self.pairs.clear(runs);
        let (mut named, mut last, mut words, mut some_runs) = (named, None, Vec::new(), Vec::new());
        loop {
            // Their places are asked for before they are needed, some at a time.
            let mut is_last = true;
            for (name, value) in named.by_ref().take(64) {
                is_last = false;
                if runs > 0 && is_run(name) {
                    let word = name.rsplit(' ').next().unwrap_or(name);
                    if word.len() <= Short::LONGEST {
                        self.short.prefetch(self.short.hash(short(word.as_bytes())));
                    }
                    some_runs.push((name, value));
                } else if name.len() <= Short::LONGEST {
                    let key = short(name.as_bytes());
                    let hash = self.short.hash(key);
                    self.short.prefetch(hash);
                    words.push((key, hash, value));
                } else {
                    *self.value_of(name.as_bytes()) = value;
                }
            }
            if is_last {
                break;
            }
            for (key, hash, value) in words.drain(..) {
                let at = self.insert_short(key, hash);
                *self.short.value(at) = value;
            }
            self.set_runs(&some_runs, &mut last);
            some_runs.clear();
        }
    }

    /// Gives a term, by its name, a value.
    pub(crate) fn set(&mut self, name: &str, value: V) {
        if is_run(name) {
            self.set_runs(&[(name, value)], &mut None);
        } else {
            *self.value_of(name.as_bytes()) = value;
        }
    }

    /// The same of n-grams of several words; `last` is what the one before begins with, and its node.
    fn set_runs<'a>(&mut self, runs: &[(&'a str, V)], last: &mut Option<(&'a str, Node)>) {
        let mut pairs = Vec::with_capacity(runs.len());
        for &(name, value) in runs {
            let (first, word) = name.rsplit_once(' ').unwrap_or((name, ""));
            let node = match *last {
                Some((same, node)) if same == first => node,
                _ => self.node_of_words(first),
            };
            *last = Some((first, node));
            let key = pair_key(node, self.node_of(word.as_bytes()));
            self.pairs.prefetch(self.pairs.hash(key));
            pairs.push((key, value));
        }
        for (key, value) in pairs {
            let Self { pairs, nodes, .. } = self;
            let at = pairs.insert(key, pairs.hash(key), || next(nodes));
            *self.pairs.value(at) = value;
        }
    }

    /// The node of a word, or of several with a space between.
    fn node_of_words(&mut self, name: &str) -> Node {
        let mut words = name.split(' ').map(str::as_bytes);
        let first = words.next().map_or(0, |word| self.node_of(word));
        words.fold(first, |node, word| {
            let word = self.node_of(word);
            self.node_of_pair(node, word)
        })
    }

    pub(crate) fn node_of_short(&mut self, key: Short) -> Node {
        let at = self.insert_short(key, self.short.hash(key));
        self.short.node(at)
    }

    pub(crate) fn node_of_pair(&mut self, first: Node, word: Node) -> Node {
        let at = self.insert_pair(first, word);
        self.pairs.node(at)
    }

    pub(crate) fn node_of(&mut self, name: &[u8]) -> Node {
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
        let key = short(name);
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
            names[node as usize] = Name::Pair((key >> 32) as Node, key as Node - 1);
        }
        names
    }
}

/// Whether a term of this name is an n-gram of several words.
fn is_run(name: &str) -> bool {
    (!name.starts_with('\t') || name.starts_with(START)) && name.contains(' ')
}

/// The key of a name that is not too long for one.
fn short(name: &[u8]) -> Short {
    let mut bytes = [0; 16];
    bytes[..name.len()].copy_from_slice(name);
    Short::of(bytes, name.len())
}

fn next(nodes: &mut usize) -> Node {
    // Past two billion nodes the last number is shared; who counts looks at `is_full` and gives up.
    let node = (*nodes).min(MOST - 1) as Node;
    *nodes += 1;
    node
}

/// Both nodes in one word that is never zero.
#[inline(always)]
pub(crate) fn pair_key(first: Node, word: Node) -> u64 {
    u64::from(first) << 32 | (u64::from(word) + 1)
}
