//! Counting: texts come in, in any chunks and on any number of threads; counts in canonical form come out.
//!
//! Documents of one label are counted together, so that a count is one number in the slot where its term was found. When
//! the label is done, what was touched is written down as postings and the slots begin anew.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::counts::Counts;
use crate::lexicon::Index;
use crate::near::prefetch;
use crate::order::order;
use crate::read::{Scratch, Visit, read};
use crate::table::{Node, Short};
use crate::terms::Terms;
use crate::trie::Trie;
use crate::{Invalid, parts};

/// How often a term occurred since its label began, in how many documents, and which was the last.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    occurrences: u32,
    presences: u32,
    document: u32,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    node: Node,
    label: u32,
    occurrences: u32,
    presences: u32,
}

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
    short: Touched,
    long: Vec<usize>,
    pairs: Touched,
    documents: Vec<i64>,
    postings: Vec<Posting>,
    compact: usize,
}

impl Count {
    /// Counts one more; tells whether it is the first since the label began.
    #[inline(always)]
    fn add(&mut self, document: u32) -> bool {
        self.occurrences += 1;
        self.presences += u32::from(self.document != document);
        self.document = document;
        self.occurrences == 1
    }
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
}

impl Part {
    fn new() -> Self {
        Part {
            trie: Trie::new(),
            document: 0,
            short: Touched::default(),
            long: Vec::new(),
            pairs: Touched::default(),
            documents: Vec::new(),
            postings: Vec::new(),
            compact: 1 << 23,
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
        let mut scratch = Scratch::default();
        let mut bytes = 0;
        let order = by_label(labels);
        for group in order.chunk_by(|&i, &j| labels[i as usize] == labels[j as usize]) {
            let label = labels[group[0] as usize];
            for (place, &i) in group.iter().enumerate() {
                let i = i as usize;
                self.document =
                    self.document.checked_add(1).ok_or(Invalid("there are more than four billion texts"))?;
                if let Some(&next) = group.get(place + 1) {
                    ask_for(texts[next as usize].as_ref());
                }
                read(terms, texts[i].as_ref(), &mut scratch, self);
                bytes += texts[i].as_ref().len();
                if bytes >> 20 > 0 {
                    bytes = 0;
                    if stop() {
                        return Err(Invalid("interrupted"));
                    }
                }
            }
            self.end_label(label, group.len());
            if self.trie.is_full() {
                return Err(Invalid("there are more than four billion distinct terms; use shorter n-grams"));
            }
        }
        Ok(())
    }

    fn end_label(&mut self, label: u32, documents: usize) {
        if self.documents.len() <= label as usize {
            self.documents.resize(label as usize + 1, 0);
        }
        self.documents[label as usize] += documents as i64;
        let Part { trie, short, long, pairs, postings, .. } = self;
        let mut write = |node: Node, count: &mut Count| {
            let Count { occurrences, presences, .. } = mem::take(&mut *count);
            if occurrences > 0 {
                postings.push(Posting { node, label, occurrences, presences });
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
        if self.postings.len() > self.compact {
            self.postings = merged(mem::take(&mut self.postings));
            self.compact = 2 * self.postings.len().max(1 << 22);
        }
    }

    fn counts(mut self, numbers: &[u32]) -> (Counts, Index) {
        let mut counts = Counts::empty(numbers.len());
        for (&number, n) in numbers.iter().zip(&self.documents) {
            counts.documents[number as usize] = *n;
        }
        let mut is_term = vec![false; self.trie.len()];
        self.postings.iter().for_each(|posting| is_term[posting.node as usize] = true);
        let order = order(&self.trie, &is_term);
        for posting in &mut self.postings {
            posting.node = order.place[posting.node as usize];
            posting.label = numbers[posting.label as usize];
        }
        let mut place = 0;
        for same in by_term_and_label(&self.postings).chunk_by(|p, q| (p.node, p.label) == (q.node, q.label)) {
            if same[0].node > place {
                counts.indptr.push(counts.label.len() as i64);
                place = same[0].node;
            }
            let occurrences = same.iter().map(|p| i64::from(p.occurrences)).sum();
            counts.push_posting(same[0].label, occurrences, same.iter().map(|p| i64::from(p.presences)).sum());
        }
        if !order.names.is_empty() {
            counts.indptr.push(counts.label.len() as i64);
        }
        counts.names = order.names;
        (counts, Index::new(self.trie, &order.place, &is_term))
    }
}

/// Postings sorted by term, then by label: as they come in runs of one label, runs are sorted, then dealt out to terms.
fn by_term_and_label(postings: &[Posting]) -> Vec<Posting> {
    let mut runs: Vec<&[Posting]> = postings.chunk_by(|p, q| p.label == q.label).collect();
    runs.sort_by_key(|run| run[0].label);
    let most = postings.iter().map(|p| p.node as usize + 1).max().unwrap_or(0);
    let mut starts = vec![0_usize; most + 1];
    postings.iter().for_each(|p| starts[p.node as usize + 1] += 1);
    for term in 0..most {
        starts[term + 1] += starts[term];
    }
    let mut dealt = postings.to_vec();
    for posting in runs.into_iter().flatten() {
        let at = &mut starts[posting.node as usize];
        dealt[*at] = *posting;
        *at += 1;
    }
    dealt
}

/// Brings the first bytes of a text near: texts of one label lie scattered.
#[inline(always)]
fn ask_for(text: &str) {
    text.as_bytes().iter().take(512).step_by(64).for_each(prefetch);
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
    fn taken(&mut self, size: usize) -> Vec<usize> {
        let at = mem::take(&mut self.at);
        if mem::replace(&mut self.size, size) == size { at } else { (0..size).collect() }
    }
}

/// Postings of the same term and label as one, where the sum fits.
fn merged(mut postings: Vec<Posting>) -> Vec<Posting> {
    postings.sort_unstable_by_key(|p| (p.label, p.node));
    postings.dedup_by(|next, kept| {
        if (next.node, next.label) != (kept.node, kept.label) {
            return false;
        }
        let sums = (kept.occurrences.checked_add(next.occurrences), kept.presences.checked_add(next.presences));
        let (Some(occurrences), Some(presences)) = sums else { return false };
        *kept = Posting { occurrences, presences, ..*kept };
        true
    });
    postings
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

    /// The counts of all texts so far, label i under the number `numbers[i]`, and, where one thread counted them all,
    /// the index of their terms; the tally is empty after it.
    pub fn take(&mut self, numbers: &[u32]) -> Result<(Counts, Option<Index>), Invalid> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        if numbers.len() != self.labels || !(0..).zip(&sorted).all(|(i, &number)| i == number) {
            return Err(Invalid("the labels' new numbers do not fit the tally"));
        }
        self.labels = 0;
        let jobs = mem::take(&mut self.parts).into_iter().map(|part| move || part.counts(numbers)).collect();
        let mut parts = parts::run(jobs).into_iter();
        let Some((mut sum, index)) = parts.next() else { return Ok((Counts::empty(numbers.len()), None)) };
        let mut index = Some(index);
        for (part, _) in parts {
            sum = sum.plus(&part).map_err(|_| Invalid("the counts are too large to add up"))?;
            index = None;
        }
        Ok((sum, index))
    }
}
