//! Open-addressing tables from names to nodes, with a value in the same cache line.
//!
//! A name of up to 15 bytes is its own key: its bytes and its length in two words, compared exactly, nowhere else to look.
//! An n-gram of words is a pair of nodes, an exact key of one word. Only longer names are compared in an arena.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::near::{prefetch, room};

/// The number of a name, in order of first sight.
pub type Node = u32;

/// What a slot is found by; the default stands for none.
pub(crate) trait Key: Copy + Eq + Default {
    fn mixed(self, seed: u64) -> u64;
}

/// A name of at most 15 bytes, and one more than its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Short(u64, u64);

/// For n bytes: which bits of two words they are, and what else stands in the second word.
const LOWEST: [(u64, u64, u64); 16] = {
    let mut masks = [(0, 0, 1 << 56); 16];
    let mut n = 1;
    while n < 16 {
        let (low, high) = if n <= 8 { (u64::MAX >> (64 - 8 * n), 0) } else { (u64::MAX, u64::MAX >> (128 - 8 * n)) };
        masks[n] = (low, high, (n as u64 + 1) << 56);
        n += 1;
    }
    masks
};

/// The last byte of what is no key, but a place.
const PLACE: u64 = 0xFF << 56;

impl Short {
    /// The most bytes that fit.
    pub(crate) const LONGEST: usize = 15;

    /// The first `length` bytes of sixteen.
    #[inline(always)]
    pub(crate) fn of(bytes: [u8; 16], length: usize) -> Self {
        Self::of_word(u128::from_le_bytes(bytes), length)
    }

    /// A prefix, and the first `length` bytes of sixteen after it.
    #[inline(always)]
    pub(crate) fn after(prefix: &[u8], bytes: [u8; 16], length: usize) -> Self {
        let start = prefix.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte));
        Self::of_word(u128::from_le_bytes(bytes) << (8 * prefix.len()) | start, prefix.len() + length)
    }

    #[inline(always)]
    fn of_word(word: u128, length: usize) -> Self {
        let (low, high, rest) = LOWEST[length & 15];
        Short(word as u64 & low, (word >> 64) as u64 & high | rest)
    }

    /// Where a name stands that does not fit; equal to no key.
    #[inline(always)]
    pub(crate) fn place(start: usize, end: usize) -> Self {
        Short(start as u64, end as u64 | PLACE)
    }

    #[inline(always)]
    pub(crate) fn as_place(self) -> Option<(usize, usize)> {
        (self.1 >= PLACE).then_some((self.0 as usize, (self.1 ^ PLACE) as usize))
    }

    /// Two numbers that order names as their bytes do; longer names come after all that they begin with.
    pub(crate) fn ordinal(self) -> (u64, u64) {
        (self.0.swap_bytes(), self.1.swap_bytes())
    }

    /// The same of a name that is too long for a key: equal for those that begin alike.
    pub(crate) fn ordinal_of_longer(name: &[u8]) -> (u64, u64) {
        let start = name.first_chunk::<16>().map_or(0, |bytes| u128::from_be_bytes(*bytes));
        ((start >> 64) as u64, start as u64 | 0xFF)
    }

    /// Its bytes, and how many of them count.
    pub(crate) fn bytes(self) -> ([u8; 16], usize) {
        let word = u128::from(self.1) << 64 | u128::from(self.0);
        (word.to_le_bytes(), ((self.1 >> 56) as usize).wrapping_sub(1) & 15)
    }
}

impl Key for Short {
    #[inline(always)]
    fn mixed(self, seed: u64) -> u64 {
        folded(self.0 ^ seed, self.1 ^ seed.rotate_left(32))
    }
}

impl Key for u64 {
    #[inline(always)]
    fn mixed(self, seed: u64) -> u64 {
        folded(self ^ seed, 0x9E37_79B9_7F4A_7C15)
    }
}

#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Slot<K, V> {
    key: K,
    node: Node,
    pub(crate) value: V,
}

impl<K: Key, V: Copy + Default> Slot<K, V> {
    #[inline(always)]
    fn with<W: Default>(&self, make: impl Fn(Node, V) -> W) -> Slot<K, W> {
        let &Slot { key, node, value } = self;
        let value = if key == K::default() { W::default() } else { make(node, value) };
        Slot { key, node, value }
    }
}

/// A table of fewer slots grows to four times as many at once: it is moved fewer times, and leaves less memory behind.
const FEW_SLOTS: usize = 1 << 14;

/// What makes hashes differ from process to process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed(u64);

impl Seed {
    /// A new one: so that no text can be made to collide. The order of slots never shows outside.
    pub(crate) fn new() -> Self {
        Seed(RandomState::default().hash_one(0) | 1)
    }

    #[inline(always)]
    pub(crate) fn hash<K: Key>(self, key: K) -> u64 {
        key.mixed(self.0)
    }
}

/// Keys to nodes, by linear probing; half of the slots stay empty.
#[derive(Debug)]
pub(crate) struct Table<K, V> {
    seed: Seed,
    slots: Vec<Slot<K, V>>,
    used: usize,
}

impl<K: Key, V: Copy + Default> Table<K, V> {
    pub(crate) fn new() -> Self {
        Self::with_seed(Seed::new())
    }

    pub(crate) fn with_seed(seed: Seed) -> Self {
        Table { seed, slots: Self::empty_slots(64), used: 0 }
    }

    /// Forgets everything, and makes room for so many keys.
    pub(crate) fn clear(&mut self, keys: usize) {
        self.slots = Self::empty_slots((2 * keys + 64).next_power_of_two());
        self.used = 0;
    }

    fn empty_slots(size: usize) -> Vec<Slot<K, V>> {
        let mut slots = room(size);
        slots.resize(size, Slot { key: K::default(), node: 0, value: V::default() });
        slots
    }

    #[inline(always)]
    pub(crate) fn hash(&self, key: K) -> u64 {
        self.seed.hash(key)
    }

    #[inline(always)]
    pub(crate) fn seed(&self) -> Seed {
        self.seed
    }

    /// The slot of a key, or else the empty one where it would go.
    #[inline(always)]
    fn probe(&self, key: K, hash: u64) -> Result<usize, usize> {
        let last = self.slots.len() - 1;
        let mut at = hash as usize & last;
        loop {
            let found = self.slots[at].key;
            if found == key {
                return Ok(at);
            }
            if found == K::default() {
                return Err(at);
            }
            at = (at + 1) & last;
        }
    }

    /// Brings the slot of a hash near.
    #[inline(always)]
    pub(crate) fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(hash as usize & (self.slots.len() - 1)) {
            prefetch(slot);
        }
    }

    /// The node and the value of a key.
    #[inline(always)]
    pub(crate) fn find(&self, key: K, hash: u64) -> Option<(Node, V)> {
        let slot = &self.slots[self.probe(key, hash).ok()?];
        Some((slot.node, slot.value))
    }

    /// Where the key's slot is; if it is new, its node is taken from `next`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, key: K, hash: u64, next: impl FnOnce() -> Node) -> usize {
        match self.probe(key, hash) {
            Ok(at) => at,
            Err(at) => self.fill(at, key, hash, next),
        }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, at: usize, key: K, hash: u64, next: impl FnOnce() -> Node) -> usize {
        self.slots[at] = Slot { key, node: next(), value: V::default() };
        self.used += 1;
        if self.used * 2 < self.slots.len() {
            return at;
        }
        self.grow();
        self.probe(key, hash).unwrap_or_else(|at| at)
    }

    #[cold]
    fn grow(&mut self) {
        let by = if self.slots.len() < FEW_SLOTS { 4 } else { 2 };
        self.grow_to(self.slots.len() * by);
    }

    /// Makes room for so many keys in all, if there is less.
    pub(crate) fn reserve(&mut self, keys: usize) {
        let size = (2 * keys + 64).next_power_of_two();
        if size > self.slots.len() {
            self.grow_to(size);
        }
    }

    fn grow_to(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.slots, Self::empty_slots(size));
        for slot in old.into_iter().filter(|slot| slot.key != K::default()) {
            let at = self.probe(slot.key, self.hash(slot.key)).unwrap_or_else(|at| at);
            self.slots[at] = slot;
        }
    }

    /// The same keys and nodes with other values, made of each node and its value.
    pub(crate) fn with<W: Copy + Default>(&self, make: impl Fn(Node, V) -> W) -> Table<K, W> {
        let mut slots = room(self.slots.len());
        slots.extend(self.slots.iter().map(|slot| slot.with(&make)));
        Table { seed: self.seed, slots, used: self.used }
    }

    /// The same, where the table stands if values are of one size.
    pub(crate) fn mapped<W: Copy + Default>(self, make: impl Fn(Node, V) -> W) -> Table<K, W> {
        if size_of::<Slot<K, V>>() != size_of::<Slot<K, W>>() {
            return self.with(make);
        }
        let slots = self.slots.into_iter().map(|slot| slot.with(&make)).collect();
        Table { seed: self.seed, slots, used: self.used }
    }

    /// A slot's node and value.
    #[inline(always)]
    pub(crate) fn slot(&mut self, at: usize) -> (Node, &mut V) {
        let slot = &mut self.slots[at];
        (slot.node, &mut slot.value)
    }

    #[inline(always)]
    pub(crate) fn node(&self, at: usize) -> Node {
        self.slots[at].node
    }

    #[inline(always)]
    pub(crate) fn value(&mut self, at: usize) -> &mut V {
        &mut self.slots[at].value
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// How many slots there are: it changes when they are moved.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = (K, Node)> {
        self.slots.iter().filter(|slot| slot.key != K::default()).map(|slot| (slot.key, slot.node))
    }
}

/// Names longer than a [`Short`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Long {
    hash: RandomState,
    table: HashTable<usize>,
    arena: Vec<u8>,
    names: Vec<(usize, usize, Node)>,
}

impl Long {
    pub(crate) fn find(&self, name: &[u8]) -> Option<usize> {
        self.table.find(self.hash.hash_one(name), |&at| self.name(at) == name).copied()
    }

    pub(crate) fn insert(&mut self, name: &[u8], next: impl FnOnce() -> Node) -> usize {
        if let Some(at) = self.find(name) {
            return at;
        }
        let start = self.arena.len();
        self.arena.extend_from_slice(name);
        self.names.push((start, self.arena.len(), next()));
        let Self { hash, table, arena, names } = self;
        let hash_of = |&at: &usize| hash.hash_one(&arena[names[at].0..names[at].1]);
        table.insert_unique(hash.hash_one(name), names.len() - 1, hash_of);
        names.len() - 1
    }

    pub(crate) fn name(&self, at: usize) -> &[u8] {
        &self.arena[self.names[at].0..self.names[at].1]
    }

    pub(crate) fn node(&self, at: usize) -> Node {
        self.names[at].2
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}
