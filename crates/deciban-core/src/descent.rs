//! From the root of a tree of labels down: a decision at each inner node, among its children.
//!
//! A scorecard has a column for each node. At inner node v, child c scores `bias + n absent + weights` of the text's terms
//! that have a posting among v's children; n is how often these stand there. That times a factor,
//! `exp(t - a log n)`, is made a log probability among the children, and a label is as probable as the product of the
//! decisions on its way. No probability grows on the way down. So whoever always goes on from the most probable node that
//! is not yet decided meets labels in falling order of their probability, and few nodes beside their ways.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::Invalid;
use crate::decision::log_posterior;
use crate::lexicon::Lexicon;
use crate::many::Scored;
use crate::parts;
use crate::scores::{Scorecard, Scorer, check_postings, each_row};

/// No factor is more than e to this.
const STEEPEST: f64 = 50.0;

/// A tree of labels. Node 0 is the root; the children of node v stand from `first[v]` to `first[v + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Where the children of each node begin, and where the last end.
    pub first: Vec<u32>,
    /// The label of each node that has no children; of others, the first label below it.
    pub label: Vec<u32>,
}

impl Tree {
    fn children(&self, node: usize) -> Range<usize> {
        self.first[node] as usize..self.first[node + 1] as usize
    }

    fn nodes(&self) -> usize {
        self.label.len()
    }

    /// How many labels there are; refuses what is no tree.
    fn check(&self) -> Result<usize, Invalid> {
        let (n, first) = (self.nodes(), &self.first);
        let is_whole =
            first.len() == n + 1 && first.first() == Some(&1) && first.last().copied() == u32::try_from(n).ok();
        if !is_whole || !first.is_sorted() || !(0..n).all(|v| self.children(v).is_empty() || first[v] as usize > v) {
            return Err(Invalid("the nodes are not those of a tree"));
        }
        let mut labels: Vec<_> = (0..n).filter(|&v| self.children(v).is_empty()).map(|v| self.label[v]).collect();
        labels.sort_unstable();
        if !labels.iter().enumerate().all(|(r, &label)| r == label as usize) {
            return Err(Invalid("the labels are not those of a tree"));
        }
        Ok(labels.len())
    }
}

/// A scorecard of the nodes of a tree, checked.
#[derive(Debug)]
pub struct Descent {
    card: Scorecard,
    tree: Tree,
    labels: usize,
    temper: [f64; 2],
}

/// A node, and the log probability of what is below it.
#[derive(Debug, PartialEq)]
struct Reached {
    log_p: f64,
    label: u32,
    node: usize,
}

impl Eq for Reached {}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        self.log_p.total_cmp(&other.log_p).then(other.label.cmp(&self.label)).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Descent {
    /// Checks a scorecard of `terms` terms and the nodes of a tree; the factor's t and a come last.
    pub fn new(card: Scorecard, tree: Tree, terms: usize, temper: [f64; 2]) -> Result<Self, Invalid> {
        let labels = tree.check()?;
        if card.bias.len() != tree.nodes() || card.absent.iter().any(|weight| !weight.is_finite()) {
            return Err(Invalid("the scorecard does not fit the tree"));
        }
        if !temper.iter().all(|number| number.abs() <= STEEPEST) {
            return Err(Invalid("the factor of a decision is none that a model has"));
        }
        Scorer::new(card.clone(), terms)?; // making it checks the card
        Ok(Descent { card, tree, labels, temper })
    }

    /// How many labels there are.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The log probabilities of all labels, one row a text.
    pub fn scores<T: AsRef<str> + Sync>(&self, lexicon: &Lexicon, texts: &[T], threads: usize) -> Vec<f64> {
        let rows = |part: &[T]| {
            let (mut all, mut log_p) = (Vec::with_capacity(part.len() * self.labels), vec![0.0; self.tree.nodes()]);
            each_row(lexicon, part, |row| {
                self.decide_all(row, &mut log_p);
                self.add_down(&mut log_p);
                let start = all.len();
                all.resize(start + self.labels, 0.0);
                for v in (0..self.tree.nodes()).filter(|&v| self.tree.children(v).is_empty()) {
                    all[start + self.tree.label[v] as usize] = log_p[v];
                }
            });
            all
        };
        parts::joined(parts::run(parts::cut(texts, threads).into_iter().map(|part| || rows(part)).collect()))
    }

    /// The most probable labels of each text, `most` of them or all that there are, in falling order, with their log
    /// probabilities; of equal ones the first.
    pub fn top<T: AsRef<str> + Sync>(
        &self,
        lexicon: &Lexicon,
        texts: &[T],
        most: usize,
        threads: usize,
    ) -> Vec<Scored> {
        let labels = |part: &[T]| {
            let (mut all, mut heap, mut scores) =
                (Vec::with_capacity(part.len() * most), BinaryHeap::new(), Vec::new());
            each_row(lexicon, part, |row| self.walk(row, most, &mut heap, &mut scores, &mut all));
            all
        };
        parts::joined(parts::run(parts::cut(texts, threads).into_iter().map(|part| || labels(part)).collect()))
    }

    /// Goes on from the most probable node, until so many labels are met.
    fn walk(
        &self,
        row: &[(u32, i64)],
        most: usize,
        heap: &mut BinaryHeap<Reached>,
        scores: &mut Vec<f64>,
        found: &mut Vec<Scored>,
    ) {
        let end = found.len() + most.min(self.labels);
        heap.clear();
        heap.push(Reached { log_p: 0.0, label: 0, node: 0 });
        while let Some(Reached { log_p, label, node }) = heap.pop() {
            let children = self.tree.children(node);
            if children.is_empty() {
                found.push((label, log_p));
                if found.len() == end {
                    return;
                }
                continue;
            }
            scores.clear();
            scores.resize(children.len(), 0.0);
            self.decide(row, children.clone(), scores);
            heap.extend(children.zip(scores.iter()).map(|(child, own)| Reached {
                log_p: log_p + own,
                label: self.tree.label[child],
                node: child,
            }));
        }
    }

    /// Of some rows, the log probability of each node among its siblings: one row a row, one column a node.
    pub fn decisions(&self, indptr: &[i64], term: &[u32], count: &[i64]) -> Result<Vec<f64>, Invalid> {
        check_postings(indptr, term, indptr.len().saturating_sub(1), self.card.indptr.len() - 1)?;
        if count.len() != term.len() {
            return Err(Invalid("the rows' buffers differ in length"));
        }
        let nodes = self.tree.nodes();
        let (mut all, mut row) = (vec![0.0; (indptr.len() - 1) * nodes], Vec::new());
        for (pair, log_p) in indptr.windows(2).zip(all.chunks_exact_mut(nodes)) {
            row.clear();
            row.extend((pair[0] as usize..pair[1] as usize).map(|at| (term[at], count[at])));
            self.decide_all(&row, log_p);
        }
        Ok(all)
    }

    /// The log probability of each node among its siblings; of the root, 0.
    fn decide_all(&self, row: &[(u32, i64)], log_p: &mut [f64]) {
        log_p[0] = 0.0;
        for v in 0..self.tree.nodes() {
            let children = self.tree.children(v);
            if !children.is_empty() {
                self.decide(row, children.clone(), &mut log_p[children]);
            }
        }
    }

    /// Makes of decisions the log probabilities of nodes.
    fn add_down(&self, log_p: &mut [f64]) {
        for v in 0..self.tree.nodes() {
            let above = log_p[v];
            self.tree.children(v).for_each(|child| log_p[child] += above);
        }
    }

    /// The log probability of each child of a node.
    fn decide(&self, row: &[(u32, i64)], children: Range<usize>, scores: &mut [f64]) {
        let card = &self.card;
        scores.copy_from_slice(&card.bias[children.clone()]);
        let mut known = 0.0;
        for &(term, count) in row {
            let times = if card.binary { 1.0 } else { count as f64 };
            let postings = card.indptr[term as usize] as usize..card.indptr[term as usize + 1] as usize;
            let nodes = &card.label[postings.clone()];
            let start = nodes.partition_point(|&node| (node as usize) < children.start);
            let mut at = start;
            while let Some(&node) = nodes.get(at).filter(|&&node| (node as usize) < children.end) {
                scores[node as usize - children.start] += times * card.weight[postings.start + at];
                at += 1;
            }
            if at > start {
                known += times;
            }
        }
        let factor = self.factor(known);
        for (score, absent) in scores.iter_mut().zip(&card.absent[children]) {
            *score = factor * (*score + known * absent);
        }
        log_posterior(scores);
    }

    fn factor(&self, known: f64) -> f64 {
        let [t, a] = self.temper;
        if known == 0.0 { 1.0 } else { (t - a * known.ln()).clamp(-STEEPEST, STEEPEST).exp() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root, an inner node and a label beside it, two labels below: labels 0 and 2 below, 1 beside.
    fn tree() -> Tree {
        Tree { first: vec![1, 3, 5, 5, 5, 5], label: vec![0, 0, 1, 0, 2] }
    }

    fn card() -> Scorecard {
        Scorecard {
            bias: vec![0.0, -0.5, -1.0, -0.25, -1.5],
            absent: vec![0.0, -0.1, -0.2, -0.3, -0.4],
            indptr: vec![0, 2, 4].into(),
            label: vec![1, 3, 2, 4].into(),
            weight: vec![1.0, 2.0, 3.0, 0.5].into(),
            binary: false,
        }
    }

    #[test]
    fn labels_add_up_and_are_met_in_falling_order() {
        let descent = Descent::new(card(), tree(), 2, [0.0, 0.0]).unwrap();
        for row in [vec![], vec![(0, 1)], vec![(0, 2), (1, 3)], vec![(1, 9)]] {
            let mut log_p = vec![0.0; 5];
            descent.decide_all(&row, &mut log_p);
            descent.add_down(&mut log_p);
            let mut expected = [(0u32, log_p[3]), (1, log_p[2]), (2, log_p[4])];
            assert!((expected.iter().map(|(_, log_p)| log_p.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
            expected.sort_by(|a, b| b.1.total_cmp(&a.1));
            for most in 1..=3 {
                let mut found = Vec::new();
                descent.walk(&row, most, &mut BinaryHeap::new(), &mut Vec::new(), &mut found);
                assert_eq!(found, expected[..most]);
            }
        }
    }

    #[test]
    fn only_terms_that_are_known_below_a_node_count_there() {
        let descent = Descent::new(card(), tree(), 2, [0.0, 0.0]).unwrap();
        let found = descent.decisions(&[0, 1], &[1], &[2]).unwrap();
        let among = |one: f64, other: f64| -(other - one).exp().ln_1p();
        assert!((found[1] - among(-0.5 - 0.2, -1.0 - 0.4 + 6.0)).abs() < 1e-12);
        assert!((found[3] - among(-0.25 - 0.6, -1.5 - 0.8 + 1.0)).abs() < 1e-12);
        let other = Scorecard { label: vec![1, 3, 1, 2].into(), ..card() };
        let none = Descent::new(other, tree(), 2, [0.0, 0.0]).unwrap().decisions(&[0, 1], &[1], &[2]).unwrap();
        assert!((none[3] - among(-0.25, -1.5)).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let of = |first: &[u32], label: &[u32]| Tree { first: first.to_vec(), label: label.to_vec() };
        for bad in [
            of(&[1, 3, 5, 5, 5], &[0, 0, 1, 0, 2]),
            of(&[1, 3, 5, 5, 5, 4], &[0, 0, 1, 0, 2]),
            of(&[1, 3, 3, 3, 3, 5], &[0, 0, 1, 0, 2]),
            of(&[1, 3, 5, 5, 5, 5], &[0, 0, 1, 0, 1]),
            of(&[], &[]),
        ] {
            assert!(Descent::new(card(), bad, 2, [0.0, 0.0]).is_err());
        }
        assert!(Descent::new(card(), tree(), 2, [f64::NAN, 0.0]).is_err());
        assert!(Descent::new(Scorecard { bias: vec![0.0; 4], ..card() }, tree(), 2, [0.0, 0.0]).is_err());
        let descent = Descent::new(card(), tree(), 2, [0.0, 0.0]).unwrap();
        assert!(descent.decisions(&[0, 1], &[2], &[1]).is_err());
        assert!(descent.decisions(&[0, 1], &[1], &[]).is_err());
    }
}
