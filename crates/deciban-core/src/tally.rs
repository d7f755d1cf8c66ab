//! Counting: texts come in, in any chunks and on any number of threads; counts in canonical form come out.
//!
//! Documents of one label are counted together, so that a count is one number in the slot where its term was found. When
//! the label is done, what was touched is written down as postings and the slots begin anew.

mod postings;
mod writing;

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::counts::Counts;
use crate::grams::{Count, Grams, Places, Sum};
use crate::lexicon::Index;
use crate::near::bring_texts;
use crate::order::Nodes;
use crate::read::{Scratch, Visit, read};
use crate::table::{Node, Short};
use crate::terms::Terms;
use crate::trie::{Name, Trie};
use crate::{Invalid, parts};

use postings::{Posting, Postings};
use writing::Writing;

/// So many names before it is looked for one is brought near.
const AHEAD: usize = 8;
const TOO_MANY_TERMS: Invalid = Invalid("there are more than two billion distinct terms; use shorter n-grams");

/// Slots that were touched since a label began; those of a table that has grown since are found by looking at all.
#[derive(Debug, Default)]
struct Touched {
    size: usize,
    at: Vec<usize>,
}

/// Counts under way on one thread.
#[derive(Debug)]
struct Part {
    trie: Trie<Count>,
    document: u32,
    /// The label that is being counted, its texts since it began, and how many terms they may have.
    label: u32,
    texts: i64,
    terms: u32,
    short: Touched,
    long: Vec<usize>,
    pairs: Touched,
    longest: Grams,
    documents: Vec<i64>,
    postings: Postings,
}

impl Visit for Part {
    type Value = Count;

    #[inline(always)]
    fn trie(&self) -> &Trie<Count> {
        &self.trie
    }

    #[inline(always)]
    fn short(&mut self, key: Short, hash: u64, is_term: bool) -> Option<Node> {
        let at = self.trie.insert_short(key, hash);
        let (node, count) = self.trie.short.slot(at);
        if is_term && count.add(self.document) {
            self.short.at.push(at);
        }
        Some(node)
    }

    fn long(&mut self, name: &[u8], is_term: bool) -> Option<Node> {
        let at = self.trie.insert_long(name);
        if is_term && self.trie.long_values[at].add(self.document) {
            self.long.push(at);
        }
        Some(self.trie.long.node(at))
    }

    #[inline(always)]
    fn pair(&mut self, first: Node, word: Node, is_term: bool) -> Option<Node> {
        let at = self.trie.insert_pair(first, word);
        let (node, count) = self.trie.pairs.slot(at);
        if is_term && count.add(self.document) {
            self.pairs.at.push(at);
        }
        Some(node)
    }

    #[inline(always)]
    fn longest(&mut self, first: Node, word: Node) {
        self.longest.meet(first, word);
    }
}

impl Part {
    fn new() -> Self {
        Part {
            trie: Trie::new(),
            document: 0,
            label: 0,
            texts: 0,
            terms: 0,
            short: Touched::default(),
            long: Vec::new(),
            pairs: Touched::default(),
            longest: Grams::default(),
            documents: Vec::new(),
            postings: Postings::default(),
        }
    }

    /// Counts texts, label by label, until `stop` says so.
    fn add<T: AsRef<str>>(
        &mut self,
        terms: &Terms,
        texts: &[T],
        labels: &[u32],
        stop: impl Fn() -> bool,
    ) -> Result<(), Invalid> {
        let (mut scratch, mut bytes, terms_a_byte) = (Scratch::default(), 0, terms.lengths());
        let order = by_label(labels);
        let mut to_come = if self.document == 0 { parts::bytes(texts) >> 20 } else { 0 };
        for group in order.chunk_by(|&i, &j| labels[i as usize] == labels[j as usize]) {
            self.label = labels[group[0] as usize];
            for (place, &i) in group.iter().enumerate() {
                let text = texts[i as usize].as_ref();
                bring_texts(place, group.len(), |later| texts[group[later] as usize].as_ref());
                self.begin_document(text, terms_a_byte)?;
                read(terms, text, &mut scratch, self);
                self.longest.end_document(self.label);
                bytes += text.len();
                if bytes >> 20 > 0 {
                    bytes = 0;
                    self.expect(mem::take(&mut to_come));
                    if stop() {
                        return Err(Invalid("interrupted"));
                    }
                }
            }
            self.end_label();
            if self.trie.is_full() {
                return Err(TOO_MANY_TERMS);
            }
        }
        Ok(())
    }

    /// Makes room for the words of so many times as much text as there was: so the table moves once, not again and again.
    fn expect(&mut self, times: usize) {
        let table = &mut self.trie.short;
        // About as the root of how much text there is, the words that are in it get more (Heaps' law).
        table.reserve(table.len().saturating_mul(times.min(1 << 10).isqrt()) / 3 * 2);
    }

    /// Begins a document, in which so many terms may begin at each byte. Before there might be more terms under the label
    /// than a slot can count, the label begins anew.
    #[inline]
    fn begin_document(&mut self, text: &str, terms_a_byte: usize) -> Result<(), Invalid> {
        let terms = u32::try_from(text.len().saturating_mul(terms_a_byte));
        let terms = terms.map_err(|_| Invalid("a text may have more than four billion terms; cut it into several"))?;
        self.document = self.document.checked_add(1).ok_or(Invalid("there are more than four billion texts"))?;
        if self.terms.checked_add(terms).is_none() {
            self.end_label();
        }
        self.terms += terms;
        self.texts += 1;
        Ok(())
    }

    fn end_label(&mut self) {
        let label = self.label;
        if self.documents.len() <= label as usize {
            self.documents.resize(label as usize + 1, 0);
        }
        self.documents[label as usize] += mem::take(&mut self.texts);
        self.terms = 0;
        let Part { trie, short, long, pairs, .. } = self;
        let mut run = Vec::with_capacity(short.at.len() + long.len() + pairs.at.len());
        let mut write = |node: Node, count: &mut Count| {
            let Count { occurrences, presences, .. } = mem::take(&mut *count);
            if occurrences > 0 {
                run.push(Posting { node, label, occurrences, presences });
            }
        };
        for at in short.taken(trie.short.size()) {
            write(trie.short.node(at), trie.short.value(at));
        }
        for at in pairs.taken(trie.pairs.size()) {
            write(trie.pairs.node(at), trie.pairs.value(at));
        }
        for at in mem::take(long) {
            write(trie.long.node(at), &mut trie.long_values[at]);
        }
        self.postings.push(run);
    }

    /// Takes over what another part has counted; its nodes become ours.
    fn absorb(&mut self, other: Part) {
        let mut ours: Vec<Node> = Vec::with_capacity(other.trie.len());
        let names = other.trie.names();
        for (at, &name) in names.iter().enumerate() {
            if let Some(&Name::Short(key)) = names.get(at + AHEAD) {
                self.trie.short.prefetch(self.trie.short.hash(key));
            }
            // By number, parents come before their children.
            ours.push(match name {
                Name::Short(key) => self.trie.node_of_short(key),
                Name::Long(at) => self.trie.node_of(other.trie.long.name(at)),
                Name::Pair(first, word) => self.trie.node_of_pair(ours[first as usize], ours[word as usize]),
            });
        }
        self.postings.absorb(other.postings, &ours);
        self.longest.absorb(other.longest, &ours);
        self.documents.resize(self.documents.len().max(other.documents.len()), 0);
        self.documents.iter_mut().zip(other.documents).for_each(|(n, more)| *n += more);
    }

    /// The counts of all texts, and the index of their terms, unless there are n-grams that have no number.
    fn counts(mut self, numbers: &[u32], threads: usize) -> (Counts, Option<Index>) {
        let mut nodes = Nodes::new(&self.trie);
        if nodes.has_odd_word() && !self.longest.is_empty() {
            self.number_longest();
            nodes = Nodes::new(&self.trie);
        }
        let has_all = self.longest.is_empty();
        let mut counts = Counts::empty(numbers.len());
        for (&number, n) in numbers.iter().zip(&self.documents) {
            counts.documents[number as usize] = *n;
        }
        let walk = nodes.sorted(&vec![true; nodes.len()]);
        let place = nodes.places(&walk);
        let postings = self.postings.by_place_and_number(&place, numbers);
        let places = Places { place: &place, rank: nodes.ranks(), number: numbers };
        let longest = self.longest.sorted(places, threads);
        let (counts, terms) = Writing::new(&nodes, &postings, counts).all(&walk, longest);
        drop((nodes, postings, walk, place));
        let index = has_all.then(|| Index::new(self.trie, &terms));
        (counts, index)
    }

    /// Gives the longest n-grams numbers after all, where only their whole names can be sorted.
    fn number_longest(&mut self) {
        let Part { trie, longest, postings, .. } = self;
        let sums = mem::take(longest).unsorted().into_iter();
        let mut all: Vec<_> = sums
            .map(|Sum { gram, label, occurrences, presences }| {
                let node = trie.node_of_pair(gram.0, gram.1);
                Posting { node, label, occurrences, presences }
            })
            .collect();
        all.sort_by_key(|posting| posting.label);
        all.chunk_by(|p, q| p.label == q.label).for_each(|run| postings.push(run.to_vec()));
    }
}

/// The numbers of some documents, those of one label together.
fn by_label(labels: &[u32]) -> Vec<u32> {
    let most = labels.iter().max().map_or(0, |&label| label as usize + 1);
    let mut starts = vec![0_u32; most + 1];
    labels.iter().for_each(|&label| starts[label as usize + 1] += 1);
    for label in 0..most {
        starts[label + 1] += starts[label];
    }
    let mut order = vec![0; labels.len()];
    for (i, &label) in (0..).zip(labels) {
        let at = &mut starts[label as usize];
        order[*at as usize] = i;
        *at += 1;
    }
    order
}

impl Touched {
    /// The slots to look at in a table of this size; nothing is touched after it.
    fn taken(&mut self, size: usize) -> impl Iterator<Item = usize> + use<> {
        let (at, is_same) = (mem::take(&mut self.at), mem::replace(&mut self.size, size) == size);
        let (some, all) = if is_same { (at, 0..0) } else { (Vec::new(), 0..size) };
        some.into_iter().chain(all)
    }
}

/// Counts under way: texts come in, in any chunks; the counts come out once.
#[derive(Debug)]
pub struct Tally {
    terms: Terms,
    threads: usize,
    labels: usize,
    parts: Vec<Part>,
}

impl Tally {
    /// A tally of nothing yet; `threads` as in [`parts::cut`].
    pub fn new(terms: Terms, threads: usize) -> Self {
        Tally { terms, threads, labels: 0, parts: Vec::new() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.labels = 0;
        self.parts.clear();
    }

    /// What is seen of a text.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Counts some texts, each under the label of that number, unless `stop`, which is asked now and then on the calling
    /// thread, says to.
    pub fn add<T: AsRef<str> + Sync>(
        &mut self,
        texts: &[T],
        labels: &[u32],
        stop: impl Fn() -> bool + Sync,
    ) -> Result<(), Invalid> {
        if texts.len() != labels.len() {
            return Err(Invalid("texts and labels differ in number"));
        }
        let most = labels.iter().copied().max().map_or(0, |label| label as usize + 1);
        self.labels = self.labels.max(most);
        let cuts = parts::cut(texts, self.threads);
        self.parts.resize_with(self.parts.len().max(cuts.len()), Part::new);
        let (terms, stopped, last) = (&self.terms, &AtomicBool::new(false), cuts.len() - 1);
        let mut rest = labels;
        let mut jobs = Vec::with_capacity(cuts.len());
        for ((i, texts), part) in cuts.into_iter().enumerate().zip(&mut self.parts) {
            let (labels, after) = rest.split_at(texts.len());
            rest = after;
            let stop = &stop;
            let is_stopped = move || {
                if i == last && stop() {
                    stopped.store(true, Ordering::Relaxed);
                }
                stopped.load(Ordering::Relaxed)
            };
            jobs.push(move || part.add(terms, texts, labels, is_stopped));
        }
        parts::run(jobs).into_iter().collect()
    }

    /// The counts of all texts so far, label i under the number `numbers[i]`, and the index of their terms, if each has a
    /// number of its own; the tally is empty after it.
    pub fn take(&mut self, numbers: &[u32]) -> Result<(Counts, Option<Index>), Invalid> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        if numbers.len() != self.labels || !(0..).zip(&sorted).all(|(i, &number)| i == number) {
            return Err(Invalid("the labels' new numbers do not fit the tally"));
        }
        self.labels = 0;
        let mut parts = mem::take(&mut self.parts).into_iter();
        let Some(mut all) = parts.next() else { return Ok((Counts::empty(numbers.len()), None)) };
        parts.for_each(|part| all.absorb(part));
        if all.trie.is_full() {
            return Err(TOO_MANY_TERMS);
        }
        Ok(all.counts(numbers, self.threads))
    }
}
