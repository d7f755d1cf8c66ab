//! How many documents naive Bayes gets wrong, each left out, if it sees one term more, or one less: of every term that
//! could be the next, without a weighing for each.
//!
//! With the terms S, a document i of label y, and what it says of label r where it is left out, scores are
//!
//! ```text
//! dice:   prior_yr + sum_j z_ij ln(nu_jr - [r = y] z_ij + gamma) - L_i ln(D_r - [r = y] L_i)
//!         L_i = sum_j z_ij    D_r = sum_j nu_jr + gamma |S|                                         over the terms in S
//! coins:  prior_yr + sum_j ln((m_jr - [r = y] x_ij + h if x_ij, else n_r - [r = y] - m_jr + t) / (n_r - [r = y] + h + t))
//! ```
//!
//! A term c that comes changes, for documents that have it, all of that; there are few of those. For all others it adds
//! to the score of a label what is the same for all of them, times L_i (dice: D_r grows) or 1 (coins). So a document that
//! is right or wrong by more than that can change stays so, and is never looked at: documents are sorted by their margin
//! divided by L_i, and only those are scored that lie in the window that c can reach. A term that goes is the same with
//! other signs. Every term must be in two documents: otherwise it leaves the lexicon with its only one.
//!
//! A document is right if its own label is ahead by more than what rounding may be: a tie is an error.

mod change;

use crate::Invalid;
use crate::parts;
use change::Change;

/// Scores that are nearer to each other are the same, but for rounding.
const NEAR: f64 = 1e-9;
/// Terms for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 64;

/// How counts become probabilities.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// The multinomial model.
    Dice {
        /// How often more than it was seen every term is counted.
        gamma: f64,
    },
    /// The Bernoulli model.
    Coins {
        /// In how many documents more every term was there.
        heads: f64,
        /// And in how many it was not.
        tails: f64,
    },
}

/// Documents, by the terms that they have, and what is known of those.
#[derive(Debug, Clone)]
pub struct Given {
    /// Where the documents of each term begin, and where the last end.
    pub indptr: Vec<i64>,
    /// The documents that have each term, in order.
    pub document: Vec<u32>,
    /// How often; ones, for coins.
    pub count: Vec<f64>,
    /// How often each label shows each term (dice), or how many of its documents have it (coins): labels of a term.
    pub shown: Vec<f64>,
    /// The label of each document.
    pub own: Vec<u32>,
    /// How many documents each label has.
    pub documents: Vec<f64>,
    /// For a document of each label, the logarithm of each label's prior without it.
    pub prior: Vec<f64>,
    /// How counts become probabilities.
    pub rule: Rule,
}

/// Which terms are seen, and what documents score by them.
#[derive(Debug, Clone)]
pub struct Search {
    given: Given,
    labels: usize,
    inside: Vec<bool>,
    /// Scores by document and label; for dice, without what D_r makes of them.
    sums: Vec<f64>,
    /// L_i of each document.
    length: Vec<f64>,
    /// D_r of each label.
    mass: Vec<f64>,
}

/// What all documents score now.
struct Now {
    scores: Vec<f64>,
    right: Vec<bool>,
    /// For each label, its documents by their margins for each unit of what terms can change.
    margins: Vec<Vec<(f64, u32)>>,
    /// The greatest L_i of each label.
    longest: Vec<f64>,
    wrong: i64,
}

impl Search {
    /// With no term in it.
    pub fn new(given: Given) -> Result<Self, Invalid> {
        let (labels, documents) = (given.documents.len(), given.own.len());
        check(&given, labels)?;
        let sums = given.own.iter().flat_map(|&y| given.prior[y as usize * labels..][..labels].to_vec()).collect();
        let terms = given.indptr.len() - 1;
        let (inside, length, mass) = (vec![false; terms], vec![0.0; documents], vec![0.0; labels]);
        Ok(Search { given, labels, inside, sums, length, mass })
    }

    /// How many documents are wrong now.
    pub fn wrong(&self) -> i64 {
        self.now().wrong
    }

    /// How many documents would be wrong if each term came, or went; -1 for those that cannot.
    pub fn wrong_with(&self, come: bool, threads: usize) -> Vec<i64> {
        let now = self.now();
        let terms: Vec<usize> = (0..self.inside.len()).filter(|&term| self.inside[term] != come).collect();
        let parts = parts::count(threads, terms.len() / WORTH_A_THREAD);
        let bounds: Vec<_> = (0..=parts).map(|part| terms.len() * part / parts).collect();
        let jobs = bounds.windows(2).map(|pair| &terms[pair[0]..pair[1]]).map(|some| {
            let (search, now) = (self, &now);
            move || {
                let mut change = Change::new(search.labels, search.given.own.len());
                some.iter().map(|&term| search.wrong_after(term, come, now, &mut change)).collect::<Vec<_>>()
            }
        });
        let mut wrong = vec![-1; self.inside.len()];
        for (&term, found) in terms.iter().zip(parts::joined(parts::run(jobs.collect()))) {
            wrong[term] = found;
        }
        wrong
    }

    /// Lets a term come, or go.
    pub fn toggle(&mut self, term: usize) -> Result<(), Invalid> {
        if term >= self.inside.len() {
            return Err(Invalid("there is no such term"));
        }
        let come = !self.inside[term];
        let mut change = Change::new(self.labels, 0);
        change.set(self, term, come, &[]);
        let k = self.labels;
        for (document, row) in self.sums.chunks_exact_mut(k).enumerate() {
            change.share(row, self.given.own[document] as usize, self.given.rule);
        }
        for (document, count) in self.having(term) {
            let own = self.given.own[document] as usize;
            change.add(&mut self.sums[document * k..][..k], own, count, &self.given);
            self.length[document] += if come { count } else { -count };
        }
        self.mass.copy_from_slice(&change.mass);
        self.inside[term] = come;
        Ok(())
    }

    /// The documents that have a term, and how often.
    fn having(&self, term: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        let (from, to) = (self.given.indptr[term] as usize, self.given.indptr[term + 1] as usize);
        let documents = self.given.document[from..to].to_vec();
        documents.into_iter().map(|document| document as usize).zip(self.given.count[from..to].to_vec())
    }

    fn now(&self) -> Now {
        let k = self.labels;
        let logs: Vec<f64> = self.mass.iter().map(|mass| mass.ln()).collect();
        let mut now = Now {
            scores: self.sums.clone(),
            right: vec![false; self.length.len()],
            margins: vec![Vec::new(); k],
            longest: vec![0.0; k],
            wrong: 0,
        };
        for (document, row) in now.scores.chunks_exact_mut(k).enumerate() {
            let (own, length) = (self.given.own[document] as usize, self.length[document]);
            if length > 0.0 && matches!(self.given.rule, Rule::Dice { .. }) {
                for (score, log) in row.iter_mut().zip(&logs) {
                    *score -= length * log;
                }
                row[own] += length * (logs[own] - (self.mass[own] - length).ln());
            }
            let margin = margin(row, own);
            now.right[document] = margin > NEAR;
            now.wrong += i64::from(margin <= NEAR);
            let weight = self.weight(document);
            if weight > 0.0 && margin.is_finite() {
                now.margins[own].push((margin / weight, document as u32));
            }
            now.longest[own] = now.longest[own].max(length);
        }
        for of_label in &mut now.margins {
            of_label.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        }
        now
    }

    /// How often what a term changes for documents that do not have it counts for one.
    fn weight(&self, document: usize) -> f64 {
        match self.given.rule {
            Rule::Dice { .. } => self.length[document],
            Rule::Coins { .. } => 1.0,
        }
    }

    fn wrong_after(&self, term: usize, come: bool, now: &Now, change: &mut Change) -> i64 {
        change.set(self, term, come, &now.longest);
        let (k, mut wrong) = (self.labels, now.wrong);
        let (from, to) = (self.given.indptr[term] as usize, self.given.indptr[term + 1] as usize);
        let having = self.given.document[from..to].iter().zip(&self.given.count[from..to]);
        for (&document, &count) in having {
            let i = document as usize;
            change.seen[i] = change.stamp;
            let own = self.given.own[i] as usize;
            let is_right = change.is_right_with(&self.sums[i * k..][..k], own, self.length[i], count, &self.given);
            wrong += i64::from(now.right[i]) - i64::from(is_right);
        }
        for (own, margins) in now.margins.iter().enumerate() {
            let (low, high) = change.window(own);
            let start = margins.partition_point(|&(margin, _)| margin < low);
            for &(_, document) in margins[start..].iter().take_while(|&&(margin, _)| margin <= high) {
                let i = document as usize;
                if change.seen[i] != change.stamp {
                    let is_right = change.is_right_without(&now.scores[i * k..][..k], own, self.weight(i), self);
                    wrong += i64::from(now.right[i]) - i64::from(is_right);
                }
            }
        }
        wrong
    }
}

/// By how much a document's own label is ahead of all others.
fn margin(scores: &[f64], own: usize) -> f64 {
    let others = scores.iter().enumerate().filter(|&(label, _)| label != own).map(|(_, &score)| score);
    scores[own] - others.fold(f64::NEG_INFINITY, f64::max)
}

fn check(given: &Given, labels: usize) -> Result<(), Invalid> {
    let terms = given.indptr.len().saturating_sub(1);
    crate::scores::check_postings(&given.indptr, &given.document, terms, given.own.len())?;
    let fitting = given.count.len() == given.document.len()
        && given.shown.len() == terms * labels
        && given.prior.len() == labels * labels
        && given.own.iter().all(|&label| (label as usize) < labels)
        && labels > 1;
    if fitting { Ok(()) } else { Err(Invalid("the buffers of a search differ in length")) }
}

#[cfg(test)]
mod tests;
