//! Texts -> scores: the sum of the weights of what is seen.

use crate::Invalid;
use crate::lexicon::Lexicon;
use crate::parts;
use crate::rows::each_distinct;
use crate::trie::Scratch;

/// A scorecard as flat buffers. The weight of term j for label r is `absent[r]`, plus `weight[p]` where a posting p in
/// `indptr[j]..indptr[j + 1]` names r.
#[derive(Debug, Clone, Copy)]
pub struct Scorecard<'a> {
    /// The score of each label before any term is seen.
    pub bias: &'a [f64],
    /// What any known term adds to each label.
    pub absent: &'a [f64],
    /// Where the postings of each term begin, and where the last end.
    pub indptr: &'a [i64],
    /// The label of each posting.
    pub label: &'a [u32],
    /// What each posting adds to its label.
    pub weight: &'a [f64],
    /// Whether a term counts once a text, however often it occurs.
    pub binary: bool,
}

impl Scorecard<'_> {
    /// Refuses buffers that do not fit each other or a lexicon of `terms` terms.
    pub fn check(&self, terms: usize) -> Result<(), Invalid> {
        check_postings(self.indptr, self.label, terms, self.bias.len())?;
        if self.absent.len() != self.bias.len() || self.weight.len() != self.label.len() {
            return Err(Invalid("the scorecard's buffers differ in length"));
        }
        Ok(())
    }

    /// Appends the scores of one row, whose terms and counts `each` hands over.
    fn score(&self, all: &mut Vec<f64>, each: impl FnOnce(&mut dyn FnMut(u32, i64))) {
        let start = all.len();
        all.extend_from_slice(self.bias);
        let scores = &mut all[start..];
        let mut known = 0.0;
        each(&mut |term, count| {
            let times = if self.binary { 1.0 } else { count as f64 };
            known += times;
            let postings = self.indptr[term as usize] as usize..self.indptr[term as usize + 1] as usize;
            for (&label, weight) in self.label[postings.clone()].iter().zip(&self.weight[postings]) {
                scores[label as usize] += times * weight;
            }
        });
        for (score, absent) in scores.iter_mut().zip(self.absent) {
            *score += known * absent;
        }
    }
}

/// Refuses postings that are not in order or name a label that is none.
pub(crate) fn check_postings(indptr: &[i64], label: &[u32], terms: usize, labels: usize) -> Result<(), Invalid> {
    let ends = (indptr.first().copied(), indptr.last().copied());
    if indptr.len() != terms + 1 || ends != (Some(0), i64::try_from(label.len()).ok()) || !indptr.is_sorted() {
        return Err(Invalid("the postings do not fit the lexicon"));
    }
    let runs = indptr.windows(2).map(|pair| &label[pair[0] as usize..pair[1] as usize]);
    for run in runs {
        if !run.windows(2).all(|pair| pair[0] < pair[1]) || run.last().is_some_and(|&last| last as usize >= labels) {
            return Err(Invalid("the postings do not fit the labels"));
        }
    }
    Ok(())
}

/// The scores of some texts: one row a text, one column a label.
pub fn scores<T: AsRef<str> + Sync>(
    lexicon: &Lexicon,
    card: &Scorecard<'_>,
    texts: &[T],
    threads: usize,
) -> Result<Vec<f64>, Invalid> {
    card.check(lexicon.names().len())?;
    let jobs = parts::cut(texts, threads).into_iter().map(|part| || scores_of_part(lexicon, card, part)).collect();
    Ok(parts::run(jobs).concat())
}

fn scores_of_part<T: AsRef<str>>(lexicon: &Lexicon, card: &Scorecard<'_>, texts: &[T]) -> Vec<f64> {
    let mut all = Vec::with_capacity(texts.len() * card.bias.len());
    let (mut scratch, mut found) = (Scratch::default(), Vec::new());
    for text in texts {
        found.clear();
        lexicon.find(text.as_ref(), &mut scratch, |place| found.push(place));
        card.score(&mut all, |add| each_distinct(&mut found, add));
    }
    all
}

/// The scores of some rows: one row a text, one column a label.
pub fn scores_of_rows(card: &Scorecard<'_>, indptr: &[i64], term: &[u32], count: &[i64]) -> Result<Vec<f64>, Invalid> {
    let terms = card.indptr.len().saturating_sub(1);
    card.check(terms)?;
    check_postings(indptr, term, indptr.len().saturating_sub(1), terms)?;
    if count.len() != term.len() {
        return Err(Invalid("the rows' buffers differ in length"));
    }
    let mut all = Vec::with_capacity((indptr.len() - 1) * card.bias.len());
    for pair in indptr.windows(2) {
        let row = pair[0] as usize..pair[1] as usize;
        card.score(&mut all, |add| {
            for (&term, &count) in term[row.clone()].iter().zip(&count[row]) {
                add(term, count);
            }
        });
    }
    Ok(all)
}
