//! Counting: texts come in, in any chunks and on any number of threads; counts in canonical form come out.

use std::hash::BuildHasher;
use std::mem;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::counts::Counts;
use crate::rows::each_distinct;
use crate::terms::{Scratch, Terms};
use crate::trie::{Node, Trie};
use crate::{Invalid, parts};

#[derive(Debug, Clone, Copy)]
struct Posting {
    node: Node,
    label: u32,
    occurrences: i64,
    presences: i64,
}

/// Counts under way on one thread.
#[derive(Debug, Default)]
struct Part {
    trie: Trie,
    documents: Vec<i64>,
    hash: RandomState,
    places: HashTable<u32>,
    postings: Vec<Posting>,
    scratch: Scratch,
    found: Vec<Node>,
}

impl Part {
    fn add(&mut self, terms: &Terms, text: &str, label: u32) -> Result<(), Invalid> {
        let Part { trie, documents, hash, places, postings, scratch, found } = self;
        if documents.len() <= label as usize {
            documents.resize(label as usize + 1, 0);
        }
        documents[label as usize] += 1;
        trie.insert_terms(terms, text, scratch, found);
        each_distinct(found, |node, count| {
            let key = hash.hash_one(u64::from(node) << 32 | u64::from(label));
            let same = |&p: &u32| postings[p as usize].node == node && postings[p as usize].label == label;
            if let Some(&p) = places.find(key, same) {
                postings[p as usize].occurrences += count;
                postings[p as usize].presences += 1;
            } else {
                let rehash = |&p: &u32| {
                    let Posting { node, label, .. } = postings[p as usize];
                    hash.hash_one(u64::from(node) << 32 | u64::from(label))
                };
                places.insert_unique(key, postings.len() as u32, rehash);
                postings.push(Posting { node, label, occurrences: count, presences: 1 });
            }
        });
        if trie.is_full() || u32::try_from(postings.len()).is_err() {
            return Err(Invalid("there are more than four billion distinct terms; use shorter n-grams"));
        }
        Ok(())
    }

    fn counts(self, numbers: &[u32]) -> Counts {
        let Part { trie, documents, mut postings, .. } = self;
        let mut counts = Counts::empty(numbers.len());
        for (&number, n) in numbers.iter().zip(documents) {
            counts.documents[number as usize] = n;
        }
        postings.iter_mut().for_each(|p| p.label = numbers[p.label as usize]);
        let order = in_order_of_name(&trie, &postings);
        postings.sort_unstable_by_key(|p| (order.rank[p.node as usize], p.label));
        for run in postings.chunk_by(|p, q| p.node == q.node) {
            counts.names.push(order.name(run[0].node));
            run.iter().for_each(|p| counts.push_posting(p.label, p.occurrences, p.presences));
            counts.indptr.push(counts.label.len() as i64);
        }
        counts
    }
}

struct Order {
    rank: Vec<u32>,
    span: Vec<(usize, usize)>,
    names: String,
}

impl Order {
    fn name(&self, node: Node) -> &str {
        let (start, end) = self.span[node as usize];
        &self.names[start..end]
    }
}

fn in_order_of_name(trie: &Trie, postings: &[Posting]) -> Order {
    let mut order = Order { rank: vec![0; trie.len()], span: vec![(0, 0); trie.len()], names: String::new() };
    let mut nodes: Vec<Node> = postings.iter().map(|p| p.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    for &node in &nodes {
        let start = order.names.len();
        trie.write_name(node, &mut order.names);
        order.span[node as usize] = (start, order.names.len());
    }
    nodes.sort_unstable_by(|&a, &b| order.name(a).cmp(order.name(b)));
    for (rank, &node) in nodes.iter().enumerate() {
        order.rank[node as usize] = rank as u32;
    }
    order
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

    /// Counts some texts, each under the label of that number.
    pub fn add<T: AsRef<str> + Sync>(&mut self, texts: &[T], labels: &[u32]) -> Result<(), Invalid> {
        if texts.len() != labels.len() {
            return Err(Invalid("texts and labels differ in number"));
        }
        let most = labels.iter().copied().max().map_or(0, |label| label as usize + 1);
        self.labels = self.labels.max(most);
        let cuts = parts::cut(texts, self.threads);
        self.parts.resize_with(self.parts.len().max(cuts.len()), Part::default);
        let terms = &self.terms;
        let mut rest = labels;
        let mut jobs = Vec::with_capacity(cuts.len());
        for (part, texts) in self.parts.iter_mut().zip(cuts) {
            let (labels, after) = rest.split_at(texts.len());
            rest = after;
            jobs.push(move || {
                texts.iter().zip(labels).try_for_each(|(text, &label)| part.add(terms, text.as_ref(), label))
            });
        }
        parts::run(jobs).into_iter().collect()
    }

    /// The counts of all texts so far, label i under the number `numbers[i]`; the tally is empty after it.
    pub fn take(&mut self, numbers: &[u32]) -> Result<Counts, Invalid> {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable();
        if numbers.len() != self.labels || !(0..).zip(&sorted).all(|(i, &number)| i == number) {
            return Err(Invalid("the labels' new numbers do not fit the tally"));
        }
        self.labels = 0;
        let jobs = mem::take(&mut self.parts).into_iter().map(|part| move || part.counts(numbers)).collect();
        let mut parts = parts::run(jobs).into_iter();
        let first = parts.next().unwrap_or_else(|| Counts::empty(numbers.len()));
        parts.try_fold(first, |sum, part| sum.plus(&part)).map_err(|_| Invalid("the counts are too large to add up"))
    }
}
