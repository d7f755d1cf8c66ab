//! Counts, written in canonical order: nodes as a walk meets them, and after each the longest n-grams that begin with it.

use crate::counts::Counts;
use crate::grams::{Sorted, Total};
use crate::lexicon::Names;
use crate::order::Nodes;
use crate::table::Node;
use crate::tally::postings::Posting;

/// How many n-grams before it is written a word is brought near.
const AHEAD: usize = 16;

/// Counts that are being written, in canonical order.
pub(super) struct Writing<'a> {
    nodes: &'a Nodes,
    /// What is left to write of the postings of nodes, each with its place in the walk.
    postings: &'a [Posting],
    counts: Counts,
    text: Vec<u8>,
    offsets: Vec<i64>,
}

impl<'a> Writing<'a> {
    pub(super) fn new(nodes: &'a Nodes, postings: &'a [Posting], counts: Counts) -> Self {
        let mut offsets = Vec::with_capacity(nodes.len() + 1);
        offsets.push(0);
        Writing { nodes, postings, counts, text: Vec::new(), offsets }
    }

    /// The counts of all terms, and for each node, its place among the terms, plus one; 0 for those that are none.
    pub(super) fn all(mut self, walk: &[Node], mut longest: Sorted) -> (Counts, Vec<u32>) {
        let mut terms = vec![0; walk.len()];
        let (has_longest, postings) = (longest.len() > 0, longest.len() + self.postings.len());
        self.counts.label.reserve(postings);
        self.counts.occurrences.reserve(postings);
        self.counts.presences.reserve(postings);
        for (place, &node) in (0..).zip(walk) {
            if self.node(place, node) {
                terms[node as usize] = self.offsets.len() as u32 - 1;
            }
            if has_longest {
                self.after(node, longest.after(place));
            }
        }
        self.counts.names = Names::of_sorted(self.text, self.offsets);
        (self.counts, terms)
    }

    /// Writes a node, if it is a term.
    fn node(&mut self, place: u32, node: Node) -> bool {
        let here = self.postings.iter().take_while(|posting| posting.node == place).count();
        let (postings, rest) = self.postings.split_at(here);
        self.postings = rest;
        for same in postings.chunk_by(|p, q| p.label == q.label) {
            let (mut occurrences, mut presences) = (0, 0);
            for posting in same {
                occurrences += i64::from(posting.occurrences);
                presences += i64::from(posting.presences);
            }
            self.counts.push_posting(same[0].label, occurrences, presences);
        }
        if here > 0 {
            match self.nodes.is_flat() {
                true => self.nodes.write_word_of_rank(place, &mut self.text),
                false => self.nodes.write(node, &mut self.text),
            }
            self.end_term();
        }
        here > 0
    }

    /// Writes the longest n-grams that begin with a node.
    fn after(&mut self, node: Node, totals: &[Total]) {
        let mut prefix = Vec::new();
        if !totals.is_empty() {
            self.nodes.write(node, &mut prefix);
            prefix.push(b' ');
        }
        totals.iter().take(AHEAD).for_each(|total| self.nodes.prefetch(total.word));
        let (mut ahead, words) = (totals.iter().skip(AHEAD), totals.chunk_by(|a, b| a.word == b.word));
        for same in words {
            ahead.by_ref().take(same.len()).for_each(|total| self.nodes.prefetch(total.word));
            self.text.extend_from_slice(&prefix);
            self.nodes.write_word_of_rank(same[0].word, &mut self.text);
            for total in same {
                self.counts.push_posting(total.label, total.occurrences, total.presences);
            }
            self.end_term();
        }
    }

    fn end_term(&mut self) {
        self.offsets.push(self.text.len() as i64);
        self.counts.indptr.push(self.counts.label.len() as i64);
    }
}
