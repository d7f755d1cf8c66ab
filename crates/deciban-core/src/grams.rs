//! The longest n-grams of words on their way from texts to counts.
//!
//! They begin no other n-gram, so they need no number of their own: each is a pair of nodes, what it begins with and its
//! last word. There are more of them than of all other terms, and a table of them all would miss the cache at every
//! look. So what is met is dealt out to buckets by what it begins with; when there is enough of it, bucket after bucket
//! is summed up in a small table. At the end each bucket is sorted by itself: the n-grams that follow a node in
//! canonical order are all in one bucket.

use crate::order::by_radix;
use crate::parts;
use crate::table::{Node, Seed, Short, Table};

const BUCKETS: usize = 512;
/// How many meetings are kept before they are summed up.
const ENOUGH: usize = 1 << 21;
/// Below this many sums a thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 16;
/// How many sums a bucket has before it is looked through for those of the same n-gram and label.
const MANY_SUMS: usize = 1 << 16;

/// How often a term occurred, in how many documents, and which was the last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    pub(crate) occurrences: u32,
    pub(crate) presences: u32,
    document: u32,
}

impl Count {
    /// Counts one more; tells whether it is the first.
    #[inline(always)]
    pub(crate) fn add(&mut self, document: u32) -> bool {
        self.occurrences += 1;
        self.presences += u32::from(self.document != document);
        self.document = document;
        self.occurrences == 1
    }
}

/// An n-gram in a document: what it begins with, and its last word.
#[derive(Debug, Clone, Copy)]
struct Met {
    first: Node,
    word: Node,
    label: u32,
    document: u32,
}

/// An n-gram under a label, and what was counted of it; what exceeds the numbers stands in another sum.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) label: u32,
    pub(crate) occurrences: u16,
    pub(crate) presences: u16,
}

/// Sums, each with its n-gram: two nodes in one number; or, when sorted, two places.
type Sums = Vec<(u64, Sum)>;

#[derive(Debug, Default)]
struct Bucket {
    met: Vec<Met>,
    /// In pieces that are never moved: what grows step by step, in many buckets, leaves holes behind.
    sums: Vec<Sums>,
    compacted: usize,
}

/// The longest n-grams so far.
#[derive(Debug)]
pub(crate) struct Grams {
    seed: Seed,
    buckets: Vec<Bucket>,
    met: usize,
}

impl Grams {
    pub(crate) fn new() -> Self {
        let mut buckets = Vec::with_capacity(BUCKETS);
        buckets.resize_with(BUCKETS, Bucket::default);
        Grams { seed: Seed::new(), buckets, met: 0 }
    }

    /// One n-gram more.
    #[inline(always)]
    pub(crate) fn meet(&mut self, first: Node, word: Node, label: u32, document: u32) {
        let bucket = bucket_of(self.seed, first);
        self.buckets[bucket].met.push(Met { first, word, label, document });
        self.met += 1;
    }

    /// To be called between documents: sums up if there is enough.
    #[inline(always)]
    pub(crate) fn end_document(&mut self) {
        if self.met > ENOUGH {
            self.sum_up();
        }
    }

    fn sum_up(&mut self) {
        let mut table = Table::with_seed(self.seed);
        self.buckets.iter_mut().for_each(|bucket| bucket.sum_up(&mut table));
        self.met = 0;
    }

    /// Takes over what others have counted, whose nodes are `ours` here.
    pub(crate) fn absorb(&mut self, other: Grams, ours: &[Node]) {
        let mut moved = vec![Sums::new(); BUCKETS];
        for (first, word, sum) in other.unsorted() {
            let (first, word) = (ours[first as usize], ours[word as usize]);
            moved[bucket_of(self.seed, first)].push((pair(first, word), sum));
        }
        self.buckets.iter_mut().zip(moved).for_each(|(bucket, sums)| bucket.sums.push(sums));
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.met == 0 && self.buckets.iter().all(|bucket| bucket.sums.iter().all(Vec::is_empty))
    }

    /// All n-grams, by their nodes, and what was counted of them; some more than once.
    pub(crate) fn unsorted(mut self) -> impl Iterator<Item = (Node, Node, Sum)> {
        self.sum_up();
        let sums = self.buckets.into_iter().flat_map(|bucket| bucket.sums).flatten();
        sums.map(|(key, sum)| ((key >> 32) as Node, key as Node, sum))
    }

    /// All n-grams, sorted: those that begin with a node follow it in the canonical order of nodes that is `walk`, by
    /// the ranks of their last words.
    pub(crate) fn sorted(mut self, walk: &[Node], ranks: &[u32], threads: usize) -> Sorted {
        self.sum_up();
        let (mut turn, mut turns) = (vec![0_u32; walk.len()], vec![0; BUCKETS]);
        for &node in walk {
            let next = &mut turns[bucket_of(self.seed, node)];
            turn[node as usize] = *next;
            *next += 1;
        }
        let bits = u64::BITS - (walk.len() as u64).leading_zeros();
        let place = |key: u64| u64::from(turn[(key >> 32) as usize]) << bits | u64::from(ranks[key as u32 as usize]);
        let sums: usize = self.buckets.iter().flat_map(|bucket| &bucket.sums).map(Vec::len).sum();
        let size = BUCKETS.div_ceil(parts::count(threads, (sums / WORTH_A_THREAD).min(BUCKETS)));
        let jobs = self.buckets.chunks_mut(size).map(|buckets| || sort(buckets, place)).collect();
        parts::run(jobs);
        let buckets = self.buckets.into_iter().map(|bucket| (bucket.all(), 0)).collect();
        Sorted { seed: self.seed, bits, buckets, turns: vec![0; BUCKETS] }
    }
}

fn sort(buckets: &mut [Bucket], place: impl Fn(u64) -> u64) {
    let mut spare = Vec::new();
    for bucket in buckets {
        let mut sums = std::mem::take(bucket).all();
        sums.iter_mut().for_each(|(key, _)| *key = place(*key));
        by_radix(&mut sums, &mut spare);
        bucket.sums.push(sums);
    }
}

#[inline(always)]
fn pair(first: Node, word: Node) -> u64 {
    u64::from(first) << 32 | u64::from(word)
}

#[inline(always)]
fn bucket_of(seed: Seed, first: Node) -> usize {
    seed.hash(u64::from(first)) as usize >> (usize::BITS - BUCKETS.ilog2())
}

impl Bucket {
    fn sum_up(&mut self, table: &mut Table<Short, Count>) {
        table.clear(self.met.len());
        for &Met { first, word, label, document } in &self.met {
            let key = Short::of_numbers(first, word, label);
            let at = table.insert(key, table.hash(key), || 0);
            table.value(at).add(document);
        }
        self.met.clear();
        self.sums.push(sums_of(table));
        if self.sums.iter().map(Vec::len).sum::<usize>() > 2 * self.compacted.max(MANY_SUMS) {
            self.compact(table);
        }
    }

    /// All sums.
    fn all(mut self) -> Sums {
        if self.sums.len() == 1 { self.sums.remove(0) } else { self.sums.concat() }
    }

    /// Makes one sum of those of the same n-gram and label.
    fn compact(&mut self, table: &mut Table<Short, Count>) {
        let all = std::mem::take(self).all();
        let mut kept = Sums::new();
        table.clear(all.len());
        for (key, sum) in all {
            let with_label = Short::of_numbers((key >> 32) as Node, key as Node, sum.label);
            let at = table.insert(with_label, table.hash(with_label), || 0);
            let count = table.value(at);
            match count.occurrences.checked_add(u32::from(sum.occurrences)) {
                Some(occurrences) => {
                    *count = Count { occurrences, presences: count.presences + u32::from(sum.presences), document: 0 };
                }
                None => kept.push((key, sum)),
            }
        }
        self.sums = vec![kept, sums_of(table)];
        self.compacted = self.sums.iter().map(Vec::len).sum();
    }
}

/// The sums of a table.
fn sums_of(table: &Table<Short, Count>) -> Sums {
    const MOST: u32 = u16::MAX as u32;
    let mut sums = Sums::with_capacity(table.len());
    for (key, Count { mut occurrences, mut presences, .. }) in table.entries() {
        let (first, word, label) = key.numbers();
        while occurrences > 0 {
            let (some, of_them) = (occurrences.min(MOST), presences.min(MOST));
            let sum = Sum { label, occurrences: some as u16, presences: of_them as u16 };
            sums.push((pair(first, word), sum));
            (occurrences, presences) = (occurrences - some, presences - of_them);
        }
    }
    sums
}

/// Sorted n-grams, to be asked for node by node, in canonical order.
#[derive(Debug)]
pub(crate) struct Sorted {
    seed: Seed,
    bits: u32,
    buckets: Vec<(Sums, usize)>,
    turns: Vec<u64>,
}

impl Sorted {
    /// How many sums there are.
    pub(crate) fn len(&self) -> usize {
        self.buckets.iter().map(|(sums, _)| sums.len()).sum()
    }

    /// The n-grams that begin with the next node: sums, each with the rank of its last word in the lowest bits.
    #[inline]
    pub(crate) fn after(&mut self, node: Node) -> (&mut [(u64, Sum)], u64) {
        let bucket = bucket_of(self.seed, node);
        let ((sums, start), turn) = (&mut self.buckets[bucket], &mut self.turns[bucket]);
        let rest = &mut sums[*start..];
        let length = rest.iter().take_while(|(key, _)| key >> self.bits == *turn).count();
        *turn += 1;
        *start += length;
        (&mut rest[..length], (1 << self.bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Totals = BTreeMap<(Node, Node, u32), (u64, u64)>;

    /// What was counted, by plain sums; documents are numbered from one.
    fn expected(met: &[(Node, Node, u32)]) -> Totals {
        let mut totals = Totals::new();
        for (document, &(first, word, times)) in met.iter().enumerate() {
            let total = totals.entry((first, word, document as u32 % 2)).or_default();
            *total = (total.0 + u64::from(times), total.1 + u64::from(times.min(1)));
        }
        totals.retain(|_, total| total.0 > 0);
        totals
    }

    fn counted(met: &[(Node, Node, u32)], mut between: impl FnMut(usize, &mut Grams)) -> Grams {
        let mut grams = Grams::new();
        for (document, &(first, word, times)) in met.iter().enumerate() {
            (0..times).for_each(|_| grams.meet(first, word, document as u32 % 2, document as u32 + 1));
            between(document, &mut grams);
        }
        grams
    }

    fn totals(sums: impl Iterator<Item = (Node, Node, Sum)>) -> Totals {
        let mut totals = Totals::new();
        for (first, word, sum) in sums {
            let total = totals.entry((first, word, sum.label)).or_default();
            *total = (total.0 + u64::from(sum.occurrences), total.1 + u64::from(sum.presences));
        }
        totals
    }

    proptest! {
        #[test]
        fn nothing_is_lost_however_often_it_is_summed_up(
            met in prop::collection::vec((0..9_u32, 0..9_u32, 0..4_u32), 0..60),
            pauses in prop::collection::vec(0..3_u8, 60),
        ) {
            let grams = counted(&met, |document, grams| {
                if pauses[document] > 0 {
                    grams.sum_up();
                }
                if pauses[document] > 1 {
                    let mut table = Table::with_seed(grams.seed);
                    grams.buckets.iter_mut().for_each(|bucket| bucket.compact(&mut table));
                }
            });
            prop_assert_eq!(grams.is_empty(), expected(&met).is_empty());
            prop_assert_eq!(totals(grams.unsorted()), expected(&met));
        }

        #[test]
        fn sorted_by_the_walk_and_by_rank(met in prop::collection::vec((0..9_u32, 0..9_u32, 1..2_u32), 0..60)) {
            let (walk, ranks) = ([3, 1, 4, 0, 5, 8, 2, 6, 7], [8, 7, 6, 5, 4, 3, 2, 1, 0]);
            let mut sorted = counted(&met, |_, _| ()).sorted(&walk, &ranks, 2);
            let mut found = Vec::new();
            for node in walk {
                let (sums, rank) = sorted.after(node);
                prop_assert!(sums.is_sorted_by_key(|(key, _)| *key));
                found.extend(sums.iter().map(|(key, sum)| (node, 8 - (key & rank) as Node, *sum)));
            }
            prop_assert_eq!(totals(found.into_iter()), expected(&met));
        }
    }

    #[test]
    fn counts_may_exceed_what_one_sum_holds() {
        let met = [(1, 2, 70_000), (1, 2, 140_000), (1, 2, 3)];
        assert_eq!(totals(counted(&met, |_, grams| grams.sum_up()).unsorted()), expected(&met));
    }
}
