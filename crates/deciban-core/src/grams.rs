//! The longest n-grams of words on their way from texts to counts.
//!
//! They begin no other n-gram, so they need no number of their own: each is a pair of nodes, what it begins with and its
//! last word. There are more of them than of all other terms, and a table of them all would miss the cache at every
//! look. So what is met is only written down, and sorted once when all of it is there ([`sorted`]): equal ones are
//! neighbours then. Where it is very much, it is sorted and summed up a part at a time.

mod sorted;

pub(crate) use self::sorted::{Places, Sorted, Total};
use crate::table::Node;

/// How many words are kept before they are summed up: of so many, a part that was counted has seen most that there is.
const ENOUGH: usize = 1 << 25;
/// How many sums there are before they are looked through for those of the same n-gram and label.
const MANY_SUMS: usize = 1 << 22;

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

/// An n-gram: what it begins with, and its last word.
type Gram = (Node, Node);

/// What was counted of an n-gram under a label; what exceeds the numbers stands in another sum.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) gram: Gram,
    pub(crate) label: u32,
    pub(crate) occurrences: u32,
    pub(crate) presences: u32,
}

/// What was met, document by document.
///
/// Of an n-gram, only its last word is written down where that of the one before is what it begins with; otherwise what
/// it begins with stands before it, and is marked. So of two words each, one number is written for each word of a text.
#[derive(Debug, Default)]
struct Met {
    words: Vec<Node>,
    /// Where each document ends, and its label.
    documents: Vec<(usize, u32)>,
    /// How many n-grams there are.
    grams: usize,
    /// One more than the last word, 0 where a document begins.
    last: Node,
}

/// What marks a node that an n-gram begins with: no node has as high a number.
const MARK: Node = 1 << (Node::BITS - 1);

impl Met {
    #[inline(always)]
    fn push(&mut self, first: Node, word: Node) {
        if first + 1 != self.last {
            self.words.push(first | MARK);
        }
        self.words.push(word);
        self.last = word + 1;
        self.grams += 1;
    }

    /// The n-grams of a document, or of several, which are written down in some words.
    #[inline(always)]
    fn each(words: &[Node], mut emit: impl FnMut(Node, Node)) {
        let mut first = 0;
        for &word in words {
            if word & MARK == 0 {
                emit(first, word);
            }
            first = word & !MARK;
        }
    }
}

/// The longest n-grams so far.
#[derive(Debug, Default)]
pub(crate) struct Grams {
    met: Met,
    sums: Vec<Sum>,
    compacted: usize,
}

impl Grams {
    /// One n-gram more of the document that is being read.
    #[inline(always)]
    pub(crate) fn meet(&mut self, first: Node, word: Node) {
        self.met.push(first, word);
    }

    /// To be called after each document, with its label: sums up if there is enough.
    #[inline(always)]
    pub(crate) fn end_document(&mut self, label: u32) {
        self.met.last = 0;
        let end = self.met.words.len();
        if end > self.met.documents.last().map_or(0, |last| last.0) {
            self.met.documents.push((end, label));
            if end > ENOUGH {
                self.sum_up();
            }
        }
    }

    /// Makes sums of what was met; and, now and then, one sum of all those of the same n-gram and label.
    #[cold]
    fn sum_up(&mut self) {
        let is_much = self.sums.len() > 2 * self.compacted.max(MANY_SUMS);
        let before = if is_much { std::mem::take(&mut self.sums) } else { Vec::new() };
        let met = std::mem::take(&mut self.met);
        let nodes =
            met.words.iter().map(|word| word & !MARK).chain(before.iter().map(|sum| sum.gram.0.max(sum.gram.1))).max();
        let Some(nodes) = nodes.map(|highest| highest as usize + 1) else { return };
        let labels = met.documents.iter().map(|of| of.1).chain(before.iter().map(|sum| sum.label)).max().unwrap_or(0);
        let (same, numbers) = ((0..nodes as u32).collect::<Vec<_>>(), (0..=labels).collect::<Vec<_>>());
        let places = Places { place: &same, rank: &same, number: &numbers };
        let mut sorted = Sorted::new(met, before, places, 1);
        for first in 0..nodes as u32 {
            sorted.after(first).iter().for_each(|total| push_sums(first, *total, &mut self.sums));
        }
        if is_much {
            self.compacted = self.sums.len();
        }
    }

    /// Takes over what others have counted, whose nodes are `ours` here.
    pub(crate) fn absorb(&mut self, other: Grams, ours: &[Node]) {
        let our = |(first, word): Gram| (ours[first as usize], ours[word as usize]);
        let before = self.met.words.len();
        self.met.words.extend(other.met.words.into_iter().map(|word| ours[(word & !MARK) as usize] | (word & MARK)));
        self.met.grams += other.met.grams;
        self.met.documents.extend(other.met.documents.into_iter().map(|(end, label)| (before + end, label)));
        self.sums.extend(other.sums.into_iter().map(|sum| Sum { gram: our(sum.gram), ..sum }));
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.met.words.is_empty() && self.sums.is_empty()
    }

    /// What was counted of all n-grams; of some more than once.
    pub(crate) fn unsorted(mut self) -> Vec<Sum> {
        self.sum_up();
        self.sums
    }

    /// All n-grams in canonical order.
    pub(crate) fn sorted(self, places: Places<'_>, threads: usize) -> Sorted {
        Sorted::new(self.met, self.sums, places, threads)
    }
}

/// Writes down a total, in as many sums as it takes.
fn push_sums(first: Node, total: Total, sums: &mut Vec<Sum>) {
    let Total { word, label, mut occurrences, mut presences } = total;
    while occurrences > 0 {
        let (some, of_them) = (occurrences.min(u32::MAX.into()), presences.min(u32::MAX.into()));
        let gram = (first, word);
        sums.push(Sum { gram, label, occurrences: some as u32, presences: of_them as u32 });
        (occurrences, presences) = (occurrences - some, presences - of_them);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Totals = BTreeMap<(Node, Node, u32), (i64, i64)>;

    /// What was counted, by plain sums; every document has one n-gram, some number of times.
    fn expected(met: &[(Node, Node, u32)]) -> Totals {
        let mut totals = Totals::new();
        for (document, &(first, word, times)) in met.iter().enumerate() {
            let total = totals.entry((first, word, document as u32 % 2)).or_default();
            *total = (total.0 + i64::from(times), total.1 + i64::from(times.min(1)));
        }
        totals.retain(|_, total| total.0 > 0);
        totals
    }

    fn counted(met: &[(Node, Node, u32)], mut between: impl FnMut(usize, &mut Grams)) -> Grams {
        let mut grams = Grams::default();
        for (document, &(first, word, times)) in met.iter().enumerate() {
            (0..times).for_each(|_| grams.meet(first, word));
            grams.end_document(document as u32 % 2);
            between(document, &mut grams);
        }
        grams
    }

    fn totals(sums: impl Iterator<Item = (Node, Total)>) -> Totals {
        let mut totals = Totals::new();
        for (first, sum) in sums {
            let total = totals.entry((first, sum.word, sum.label)).or_default();
            *total = (total.0 + sum.occurrences, total.1 + sum.presences);
        }
        totals
    }

    fn of_sum(sum: Sum) -> (Node, Total) {
        let (occurrences, presences) = (sum.occurrences.into(), sum.presences.into());
        (sum.gram.0, Total { word: sum.gram.1, label: sum.label, occurrences, presences })
    }

    proptest! {
        #[test]
        fn nothing_is_lost_however_often_it_is_summed_up(
            met in prop::collection::vec((0..9_u32, 0..9_u32, 0..4_u32), 0..60),
            pauses in prop::collection::vec(any::<bool>(), 60),
        ) {
            let grams = counted(&met, |document, grams| if pauses[document] { grams.sum_up() });
            prop_assert_eq!(grams.is_empty(), expected(&met).is_empty());
            prop_assert_eq!(totals(grams.unsorted().into_iter().map(of_sum)), expected(&met));
        }

        #[test]
        fn sorted_by_places_and_ranks_and_numbers_of_labels(
            met in prop::collection::vec((0..9_u32, 0..9_u32, 1..3_u32), 0..60),
            pauses in prop::collection::vec(any::<bool>(), 60),
            threads in 1..3_usize,
        ) {
            let (place, rank) = ([3, 1, 4, 0, 5, 8, 2, 6, 7], [8, 7, 6, 5, 4, 3, 2, 1, 0]);
            let places = Places { place: &place, rank: &rank, number: &[1, 0] };
            let grams = counted(&met, |document, grams| if pauses[document] { grams.sum_up() });
            let mut sorted = grams.sorted(places, threads);
            let mut found = Vec::new();
            for at in 0..9 {
                let first = place.iter().position(|&place| place == at).map_or(0, |node| node as Node);
                let sums = sorted.after(at);
                prop_assert!(sums.is_sorted_by(|a, b| (a.word, a.label) < (b.word, b.label)));
                found.extend(sums.iter().map(|of| (first, Total { word: 8 - of.word, label: 1 - of.label, ..*of })));
            }
            prop_assert_eq!(totals(found.into_iter()), expected(&met));
        }
    }

    #[test]
    fn totals_may_exceed_what_one_sum_holds() {
        let (most, mut sums) = (i64::from(u32::MAX), Vec::new());
        push_sums(1, Total { word: 2, label: 0, occurrences: 2 * most + 3, presences: most + 1 }, &mut sums);
        let grams = Grams { sums, ..Grams::default() };
        let places = Places { place: &[0, 1, 2], rank: &[0, 1, 2], number: &[0] };
        let mut sorted = grams.sorted(places, 1);
        assert!(sorted.after(0).is_empty());
        assert_eq!(sorted.after(1), [Total { word: 2, label: 0, occurrences: 2 * most + 3, presences: most + 1 }]);
    }
}
