//! Scores of rows that are scaled before they are added: how often a term stands counts as `Counting` says, and a group
//! of weights can be divided by the length of the text's row of some kinds of terms.
//!
//! ```text
//! score[r] = bias[r] + sum_g s_g sum_j f_g(z_j) W[j, g, r]          s_g = 1 / |(f_g(z_j) length[j])_j of the kinds of g|
//! ```
//!
//! So it is still a sum over terms, for any one text. A posting of group g and label r has the number g k + r, for k
//! labels. A group without kinds is not divided.

use std::ops::Range;

use crate::Invalid;
use crate::lexicon::Lexicon;
use crate::scores::Scorecard;

/// How often a term counts that stands z times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Once.
    Once,
    /// z times.
    Each,
    /// 1 + ln z times.
    Log,
}

/// The kinds of terms: runs of characters across words, inside words, and all others, which are words, with a colon in
/// their names (words of header fields have one) or without.
pub const KINDS: usize = 4;
/// What a group may ask for, bit by bit, and the kinds that those are: bit 2 is for all words.
const ASKED: [u32; 5] = [1, 2, 4 | 8, 4, 8];
const WITH_COLON: u8 = 2;
const WITHOUT: u8 = 3;
const COUNTINGS: usize = 3;
/// No committee has more members; each takes room for all labels.
const MOST_GROUPS: usize = 64;

/// A group of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// How often terms count.
    pub counting: Counting,
    /// The terms that make the length of rows: bits for runs of characters across words, inside words, for words, for
    /// words with a colon and for words without.
    pub kinds: u32,
}

/// How rows are scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// What each term adds to the length of a row, if it counts once.
    pub length: Vec<f64>,
    /// The groups of weights.
    pub groups: Vec<Group>,
}

/// A scaling that has been checked, and the kind of each term: where those of the first two kinds stand in the lexicon;
/// and of words, where any group tells them apart.
#[derive(Debug)]
pub(crate) struct Scaled {
    scaling: Scaling,
    runs: [Range<u32>; 2],
    words: Vec<u8>,
}

/// Room for the sums of one text: of weights by column, and of squares by counting and kind.
#[derive(Debug)]
pub(crate) struct Sums {
    columns: Vec<f64>,
    squares: [[f64; KINDS]; COUNTINGS],
}

impl Scaled {
    pub(crate) fn new(scaling: Scaling, lexicon: &Lexicon) -> Result<Self, Invalid> {
        let names = lexicon.names();
        if scaling.length.len() != names.len() || !(1..=MOST_GROUPS).contains(&scaling.groups.len()) {
            return Err(Invalid("the scaling does not fit the lexicon"));
        }
        let is_length = |length: &f64| (0.0..=1e100).contains(length);
        if scaling.groups.iter().any(|group| group.kinds >= 1 << ASKED.len()) || !scaling.length.iter().all(is_length) {
            return Err(Invalid("the scaling is not that of any rows"));
        }
        let before = |kind: &str| {
            let (mut low, mut high) = (0, names.len());
            while low < high {
                let middle = low.midpoint(high);
                if names.get(middle).is_some_and(|name| name < kind) { low = middle + 1 } else { high = middle }
            }
            low as u32
        };
        let runs = [before("\ta")..before("\tb"), before("\tc")..before("\td")];
        let is_told = scaling.groups.iter().any(|group| group.kinds >= 8);
        let kind = |name: &str| if name.contains(':') { WITH_COLON } else { WITHOUT };
        let words = names.iter().take(if is_told { names.len() } else { 0 }).map(kind).collect();
        Ok(Scaled { scaling, runs, words })
    }

    /// How many groups of weights there are.
    pub(crate) fn groups(&self) -> usize {
        self.scaling.groups.len()
    }

    pub(crate) fn sums(&self, labels: usize) -> Sums {
        Sums { columns: vec![0.0; labels * self.groups()], squares: [[0.0; KINDS]; COUNTINGS] }
    }

    /// Writes the scores of a row.
    pub(crate) fn score(
        &self,
        card: &Scorecard,
        row: impl Iterator<Item = (u32, i64)>,
        sums: &mut Sums,
        scores: &mut [f64],
    ) {
        let (labels, groups) = (scores.len().max(1), &self.scaling.groups);
        sums.columns.fill(0.0);
        sums.squares = [[0.0; KINDS]; COUNTINGS];
        for (term, times) in row {
            let kind = self.runs.iter().position(|run| run.contains(&term));
            let kind = kind.unwrap_or_else(|| self.words.get(term as usize).copied().unwrap_or(WITHOUT).into());
            let times = times as f64;
            let counted = [1.0, times, if times == 1.0 { 1.0 } else { 1.0 + times.ln() }];
            let length = self.scaling.length[term as usize];
            for (squares, counted) in sums.squares.iter_mut().zip(counted) {
                squares[kind] += (counted * length).powi(2);
            }
            let postings = card.indptr[term as usize] as usize..card.indptr[term as usize + 1] as usize;
            for (&column, weight) in card.label[postings.clone()].iter().zip(&card.weight[postings]) {
                let counting = groups[column as usize / labels].counting;
                sums.columns[column as usize] += counted[counting as usize] * weight;
            }
        }
        scores.copy_from_slice(&card.bias);
        for (group, columns) in groups.iter().zip(sums.columns.chunks_exact(labels)) {
            let scale = scale(group.kinds, &sums.squares[group.counting as usize]);
            scores.iter_mut().zip(columns).for_each(|(score, column)| *score += scale * column);
        }
    }
}

/// One divided by the length of the row of some kinds; of none, one.
fn scale(kinds: u32, squares: &[f64; KINDS]) -> f64 {
    let asked =
        ASKED.iter().enumerate().filter(|(bit, _)| kinds & (1 << bit) != 0).fold(0, |all, (_, kinds)| all | kinds);
    let square: f64 = (0..KINDS).filter(|kind| asked & (1 << kind) != 0).map(|kind| squares[kind]).sum();
    if square > 0.0 { 1.0 / square.sqrt() } else { 1.0 }
}
