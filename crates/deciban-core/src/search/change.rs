//! What changes as one term comes or goes.

use super::{Given, NEAR, Rule, Search, margin};

/// What is added or taken away is at least so much: a logarithm has to be had.
const TINY: f64 = 1e-300;

/// By label, what a term changes; and which documents have it.
pub(super) struct Change {
    sign: f64,
    /// D_r after it, and its logarithm.
    pub(super) mass: Vec<f64>,
    log: Vec<f64>,
    /// What the label says of a document that has the term: `own`, of one that is its own, where it stands once.
    with: Vec<f64>,
    with_own: Vec<f64>,
    /// What it adds to documents that do not have the term, for each unit of their weight.
    without: Vec<f64>,
    /// The least and the most that this is for documents of the label itself.
    own: Vec<(f64, f64)>,
    /// How often each term is shown.
    shown: Vec<f64>,
    /// Documents that have the term have the number of the term's turn.
    pub(super) seen: Vec<u32>,
    pub(super) stamp: u32,
    extremes: [(f64, f64, usize); 2],
    row: Vec<f64>,
}

impl Change {
    pub(super) fn new(labels: usize, documents: usize) -> Self {
        let zeros = || vec![0.0; labels];
        Change {
            sign: 1.0,
            mass: zeros(),
            log: zeros(),
            with: zeros(),
            with_own: zeros(),
            without: zeros(),
            own: vec![(0.0, 0.0); labels],
            shown: zeros(),
            seen: vec![0; documents],
            stamp: 0,
            extremes: [(0.0, 0.0, 0); 2],
            row: zeros(),
        }
    }

    /// What a term changes in a search whose longest documents of each label are so long.
    pub(super) fn set(&mut self, search: &Search, term: usize, come: bool, longest: &[f64]) {
        self.stamp += 1;
        self.sign = if come { 1.0 } else { -1.0 };
        let k = search.labels;
        self.shown.copy_from_slice(&search.given.shown[term * k..][..k]);
        for label in 0..k {
            match search.given.rule {
                Rule::Dice { gamma } => {
                    let longest = longest.get(label).copied().unwrap_or(0.0);
                    self.set_dice(search.mass[label], label, gamma, longest);
                }
                Rule::Coins { heads, tails } => {
                    self.set_coins(search.given.documents[label], label, heads, tails);
                }
            }
        }
        self.extremes = [extreme(&self.without, 1.0), extreme(&self.without, -1.0)];
    }

    fn set_dice(&mut self, mass: f64, label: usize, gamma: f64, longest: f64) {
        let after = mass + self.sign * (self.shown[label] + gamma);
        self.mass[label] = after;
        self.log[label] = after.max(TINY).ln();
        self.with[label] = (self.shown[label] + gamma).ln();
        let grown = |length: f64| {
            let (after, before) = (after - length, mass - length);
            if after > 0.0 && before > 0.0 { -(after / before).ln() } else { f64::INFINITY }
        };
        let (none, most) = (grown(0.0), grown(longest));
        self.without[label] = none;
        self.own[label] = (none.min(most), none.max(most));
    }

    fn set_coins(&mut self, n: f64, label: usize, heads: f64, tails: f64) {
        let m = self.shown[label];
        let coin = |side: f64, throws: f64| self.sign * (side.max(TINY).ln() - (throws + heads + tails).max(TINY).ln());
        self.with[label] = coin(m + heads, n);
        self.with_own[label] = coin(m - 1.0 + heads, n - 1.0);
        self.without[label] = coin(n - m + tails, n);
        let own = coin(n - 1.0 - m + tails, n - 1.0);
        self.own[label] = (own, own);
    }

    /// The margins, for a unit of weight, of documents of a label that may become right, or wrong: below 0, and above.
    pub(super) fn window(&self, own: usize) -> (f64, f64) {
        let other = |(best, second, at): (f64, f64, usize)| if at == own { second } else { best };
        let (most, least) = (other(self.extremes[0]), -other(self.extremes[1]));
        let (low, high) = self.own[own];
        let pad = |bound: f64| if bound.is_nan() { f64::INFINITY } else { bound.max(0.0) + 4.0 * NEAR };
        (-pad(high - least), pad(most - low))
    }

    /// Whether a document that does not have the term will be right.
    pub(super) fn is_right_without(&mut self, scores: &[f64], own: usize, weight: f64, search: &Search) -> bool {
        for ((after, score), more) in self.row.iter_mut().zip(scores).zip(&self.without) {
            *after = score + weight * more;
        }
        self.row[own] = scores[own]
            + weight
                * match search.given.rule {
                    Rule::Dice { .. } => {
                        ((search.mass[own] - weight).max(TINY) / (self.mass[own] - weight).max(TINY)).ln()
                    }
                    Rule::Coins { .. } => self.own[own].0,
                };
        margin(&self.row, own) > NEAR
    }

    /// Whether a document that has the term so often, and is so long without what changes, will be right.
    pub(super) fn is_right_with(&mut self, sums: &[f64], own: usize, length: f64, count: f64, given: &Given) -> bool {
        let mut row = std::mem::take(&mut self.row);
        row.copy_from_slice(sums);
        match given.rule {
            Rule::Coins { .. } => {
                for (score, more) in row.iter_mut().zip(&self.with) {
                    *score += more;
                }
                row[own] = sums[own] + self.with_own[own];
            }
            Rule::Dice { gamma } => {
                let after = length + self.sign * count;
                for ((score, with), log) in row.iter_mut().zip(&self.with).zip(&self.log) {
                    *score += self.sign * count * with - if after > 0.0 { after * log } else { 0.0 };
                }
                let mass = (self.mass[own] - after).max(TINY).ln();
                row[own] = sums[own] + self.sign * count * (self.shown[own] - count + gamma).ln()
                    - if after > 0.0 { after * mass } else { 0.0 };
            }
        }
        let is_right = margin(&row, own) > NEAR;
        self.row = row;
        is_right
    }

    /// Adds to the sums of a document what the change is for all; dice have that in D_r.
    pub(super) fn share(&self, sums: &mut [f64], own: usize, rule: Rule) {
        if let Rule::Coins { .. } = rule {
            for (label, sum) in sums.iter_mut().enumerate() {
                *sum += if label == own { self.own[own].0 } else { self.without[label] };
            }
        }
    }

    /// Adds to the sums of a document that has the term so often what it is for that; what is for all has been added.
    pub(super) fn add(&self, sums: &mut [f64], own: usize, count: f64, given: &Given) {
        for (label, sum) in sums.iter_mut().enumerate() {
            *sum += match given.rule {
                Rule::Coins { .. } if label == own => self.with_own[own] - self.own[own].0,
                Rule::Coins { .. } => self.with[label] - self.without[label],
                Rule::Dice { gamma } if label == own => self.sign * count * (self.shown[own] - count + gamma).ln(),
                Rule::Dice { .. } => self.sign * count * self.with[label],
            };
        }
    }
}

/// The greatest of some numbers with a sign, the next, and the place of the greatest.
fn extreme(numbers: &[f64], sign: f64) -> (f64, f64, usize) {
    let mut found = (f64::NEG_INFINITY, f64::NEG_INFINITY, usize::MAX);
    for (place, number) in numbers.iter().map(|number| sign * number).enumerate() {
        if number > found.0 {
            found = (number, found.0, place);
        } else if number > found.1 {
            found.1 = number;
        }
    }
    found
}
