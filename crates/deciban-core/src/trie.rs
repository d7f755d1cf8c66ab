//! Names of terms -> small numbers.
//!
//! A word, or any name that is not made of words, is interned by its bytes. An n-gram of words is a pair: the node of
//! its first words and the word that follows, an exact 64-bit key that needs no comparing of strings.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::terms::{CHARS, Scratch, Terms};
use crate::tokens;

/// The number of a name.
pub type Node = u32;

#[derive(Debug, Clone, Copy)]
enum Name {
    Bytes { start: usize, length: usize },
    Pair { first: Node, word: Node },
}

/// Numbers for names, in order of first sight.
#[derive(Debug, Default)]
pub struct Trie {
    names: Vec<Name>,
    arena: String,
    // Seeded anew in each process, so that no text can be made to collide; the order of nodes never shows outside.
    hash: RandomState,
    strings: HashTable<Node>,
    pairs: HashTable<Node>,
}

impl Trie {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether nothing was ever inserted.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether there are more names than numbers.
    pub fn is_full(&self) -> bool {
        self.names.len() > Node::MAX as usize
    }

    /// The node of a string that is not split into words.
    pub fn find(&self, string: &str) -> Option<Node> {
        let hash = self.hash.hash_one(string.as_bytes());
        self.strings.find(hash, |&node| self.string(node) == string).copied()
    }

    /// The node of a string that is not split into words, made if need be.
    pub fn insert(&mut self, string: &str) -> Node {
        if let Some(node) = self.find(string) {
            return node;
        }
        let start = self.arena.len();
        self.arena.push_str(string);
        let node = self.push(Name::Bytes { start, length: string.len() });
        let Self { names, arena, hash, strings, .. } = self;
        let hash_of = |&node: &Node| match names[node as usize] {
            Name::Bytes { start, length } => hash.hash_one(&arena.as_bytes()[start..start + length]),
            Name::Pair { .. } => 0,
        };
        strings.insert_unique(hash_of(&node), node, hash_of);
        node
    }

    /// The node of the n-gram that is `first` followed by `word`.
    pub fn find_pair(&self, first: Node, word: Node) -> Option<Node> {
        let hash = self.hash.hash_one(key(first, word));
        self.pairs.find(hash, |&node| self.pair(node) == Some((first, word))).copied()
    }

    /// The node of the n-gram that is `first` followed by `word`, made if need be.
    pub fn insert_pair(&mut self, first: Node, word: Node) -> Node {
        if let Some(node) = self.find_pair(first, word) {
            return node;
        }
        let node = self.push(Name::Pair { first, word });
        let Self { names, hash, pairs, .. } = self;
        let hash_of = |&node: &Node| match names[node as usize] {
            Name::Pair { first, word } => hash.hash_one(key(first, word)),
            Name::Bytes { .. } => 0,
        };
        pairs.insert_unique(hash_of(&node), node, hash_of);
        node
    }

    /// The node of a term by its name, made if need be.
    pub fn insert_name(&mut self, name: &str) -> Node {
        if name.starts_with('\t') {
            return self.insert(name);
        }
        let mut words = name.split(' ');
        let first = self.insert(words.next().unwrap_or_default());
        words.fold(first, |node, word| {
            let word = self.insert(word);
            self.insert_pair(node, word)
        })
    }

    /// Appends the name of a node to `name`.
    pub fn write_name(&self, node: Node, name: &mut String) {
        match self.names[node as usize] {
            Name::Bytes { .. } => name.push_str(self.string(node)),
            Name::Pair { first, word } => {
                self.write_name(first, name);
                name.push(' ');
                name.push_str(self.string(word));
            }
        }
    }

    /// Writes the nodes of all terms of `text` over `nodes`, making those that are new.
    pub fn insert_terms(&mut self, terms: &Terms, text: &str, scratch: &mut Scratch, nodes: &mut Vec<Node>) {
        read(terms, text, scratch, nodes, &mut Inserting(self));
    }

    /// Writes the nodes of the terms of `text` that are known over `nodes`.
    pub fn find_terms(&self, terms: &Terms, text: &str, scratch: &mut Scratch, nodes: &mut Vec<Node>) {
        read(terms, text, scratch, nodes, &mut Finding(self));
    }

    fn push(&mut self, name: Name) -> Node {
        // Past four billion names the last number is shared; who counts looks at `is_full` and gives up.
        let node = Node::try_from(self.names.len()).unwrap_or(Node::MAX);
        self.names.push(name);
        node
    }

    fn string(&self, node: Node) -> &str {
        match self.names[node as usize] {
            Name::Bytes { start, length } => &self.arena[start..start + length],
            Name::Pair { .. } => "",
        }
    }

    fn pair(&self, node: Node) -> Option<(Node, Node)> {
        match self.names[node as usize] {
            Name::Pair { first, word } => Some((first, word)),
            Name::Bytes { .. } => None,
        }
    }
}

fn key(first: Node, word: Node) -> u64 {
    u64::from(first) << 32 | u64::from(word)
}

/// How names become nodes: made when counting, only looked up when scoring.
trait Numbering {
    fn string(&mut self, string: &str) -> Option<Node>;
    fn pair(&mut self, first: Node, word: Node) -> Option<Node>;
}

struct Inserting<'a>(&'a mut Trie);

impl Numbering for Inserting<'_> {
    fn string(&mut self, string: &str) -> Option<Node> {
        Some(self.0.insert(string))
    }
    fn pair(&mut self, first: Node, word: Node) -> Option<Node> {
        Some(self.0.insert_pair(first, word))
    }
}

struct Finding<'a>(&'a Trie);

impl Numbering for Finding<'_> {
    fn string(&mut self, string: &str) -> Option<Node> {
        self.0.find(string)
    }
    fn pair(&mut self, first: Node, word: Node) -> Option<Node> {
        self.0.find_pair(first, word)
    }
}

fn read(terms: &Terms, text: &str, scratch: &mut Scratch, nodes: &mut Vec<Node>, by: &mut impl Numbering) {
    nodes.clear();
    tokens::lower(text, &mut scratch.lowered);
    if let Some(lengths) = &terms.words {
        scratch.words.clear();
        terms.tokens.cut(&scratch.lowered, &mut scratch.words);
        scratch.numbers.clear();
        let lowered = &scratch.lowered;
        scratch.numbers.extend(scratch.words.iter().map(|word| by.string(&lowered[word.clone()])));
        for first in 0..scratch.numbers.len() {
            let mut node = None;
            for (length, &word) in scratch.numbers[first..].iter().take(*lengths.end()).enumerate() {
                let Some(word) = word else { break };
                node = match node {
                    None => Some(word),
                    Some(node) => by.pair(node, word),
                };
                match node {
                    Some(node) if length + 1 >= *lengths.start() => nodes.push(node),
                    Some(_) => {}
                    None => break,
                }
            }
        }
    }
    terms.each_char_gram(scratch, |name, _| {
        debug_assert!(name.starts_with(CHARS));
        nodes.extend(by.string(name));
    });
}
