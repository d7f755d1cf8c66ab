//! Texts whose labels nobody knows: how probable each label is, and how often each term is expected under it.
//!
//! The E step of expectation-maximisation walks the texts, the M step the terms, so the texts are kept both ways round,
//! and every number is added up by one thread, in one order: no result depends on how many threads there were.

use std::ops::Range;

use crate::Invalid;
use crate::parts;
use crate::rows::Rows;
use crate::scores::check_postings;

/// Below this many entries a thread costs more than it brings.
const WORTH_A_THREAD: usize = 1 << 14;

/// Unlabelled texts: the terms of each text, and the texts of each term.
#[derive(Debug)]
pub struct Unlabelled {
    texts: Rows,
    terms: Rows,
}

impl Unlabelled {
    /// Texts as rows of a lexicon of so many terms; with `binary`, a term counts once a text.
    pub fn new(mut texts: Rows, terms: usize, binary: bool) -> Result<Self, Invalid> {
        check_postings(&texts.indptr, &texts.term, texts.indptr.len().saturating_sub(1), terms)?;
        if texts.count.len() != texts.term.len() {
            return Err(Invalid("the rows' buffers differ in length"));
        }
        if binary {
            texts.count.fill(1);
        }
        let terms = turned(&texts, terms);
        Ok(Unlabelled { texts, terms })
    }

    /// The E step: the probability of each label for each text, and for each text the logarithm of its evidence,
    /// `log sum_y p(y) p(x|y)`. `weights` has a row of W a term, `bias` a number a label.
    pub fn posteriors(&self, weights: &[f64], bias: &[f64], threads: usize) -> Result<(Vec<f64>, Vec<f64>), Invalid> {
        let mut scores = sums(&self.texts, weights, self.terms.indptr.len() - 1, bias, threads)?;
        let evidence = scores.chunks_exact_mut(bias.len().max(1)).map(to_posterior).collect();
        Ok((scores, evidence))
    }

    /// The M step's counts: how often each term is expected under each label, a row a term.
    pub fn expected(&self, posteriors: &[f64], labels: usize, threads: usize) -> Result<Vec<f64>, Invalid> {
        sums(&self.terms, posteriors, self.texts.indptr.len() - 1, &vec![0.0; labels], threads)
    }
}

/// The same entries, by their terms.
fn turned(rows: &Rows, terms: usize) -> Rows {
    let mut indptr = vec![0; terms + 1];
    rows.term.iter().for_each(|&term| indptr[term as usize + 1] += 1);
    (0..terms).for_each(|term| indptr[term + 1] += indptr[term]);
    let (mut free, mut text, mut count) = (indptr.clone(), vec![0; rows.term.len()], vec![0; rows.term.len()]);
    for (number, pair) in rows.indptr.windows(2).enumerate() {
        for at in pair[0] as usize..pair[1] as usize {
            let place = &mut free[rows.term[at] as usize];
            text[*place as usize] = number as u32;
            count[*place as usize] = rows.count[at];
            *place += 1;
        }
    }
    Rows { indptr, term: text, count }
}

/// `start` plus the sum of count times line, for each row: the lines, one a column, have a number a label.
fn sums(rows: &Rows, lines: &[f64], columns: usize, start: &[f64], threads: usize) -> Result<Vec<f64>, Invalid> {
    let labels = start.len();
    if Some(lines.len()) != columns.checked_mul(labels) {
        return Err(Invalid("the weights do not fit the texts"));
    }
    let part = |part: Range<usize>| {
        let mut all = Vec::with_capacity(part.len() * labels);
        for row in part {
            let at = all.len();
            all.extend_from_slice(start);
            let entries = rows.indptr[row] as usize..rows.indptr[row + 1] as usize;
            for (&column, &count) in rows.term[entries.clone()].iter().zip(&rows.count[entries]) {
                let line = &lines[column as usize * labels..][..labels];
                all[at..].iter_mut().zip(line).for_each(|(sum, number)| *sum += count as f64 * number);
            }
        }
        all
    };
    Ok(parts::joined(parts::run(cut(&rows.indptr, threads).into_iter().map(|range| || part(range)).collect())))
}

/// Runs of rows with about as many entries each, one a thread.
fn cut(indptr: &[i64], threads: usize) -> Vec<Range<usize>> {
    let (rows, entries) = (indptr.len() - 1, indptr[indptr.len() - 1] as usize);
    let parts = parts::count(threads, entries / WORTH_A_THREAD);
    let start = |part: usize| match part {
        0 => 0,
        part if part == parts => rows,
        part => indptr.partition_point(|&at| (at as usize) < entries * part / parts).min(rows),
    };
    (0..parts).map(|part| start(part)..start(part + 1)).collect()
}

/// Scores of one text -> probabilities, in place; returns the logarithm of the sum of what they are proportional to.
fn to_posterior(scores: &mut [f64]) -> f64 {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
    let sum = scores.iter().sum::<f64>();
    scores.iter_mut().for_each(|score| *score /= sum);
    most + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Rows {
        Rows { indptr: vec![0, 2, 2, 3], term: vec![0, 2, 2], count: vec![1, 3, 2] }
    }

    #[test]
    fn posteriors_are_bayes_rule_and_expected_counts_are_shared_out_by_them() {
        let texts = Unlabelled::new(texts(), 3, false).unwrap();
        let (half, third) = (0.5_f64.ln(), (1.0_f64 / 3.0).ln());
        let weights = [half, third, 0.0, 0.0, half, third];
        let (p, evidence) = texts.posteriors(&weights, &[half, half], 1).unwrap();
        let likelihood = [(0.5_f64.powi(4), 3_f64.powi(-4)), (1.0, 1.0), (0.25, 1.0 / 9.0)];
        for (row, (a, b)) in likelihood.into_iter().enumerate() {
            assert!((p[2 * row] - a / (a + b)).abs() < 1e-12);
            assert!((evidence[row] - ((a + b) / 2.0).ln()).abs() < 1e-12);
        }
        let expected = texts.expected(&p, 2, 1).unwrap();
        assert_eq!(expected[..4], [p[0], p[1], 0.0, 0.0]);
        assert!((expected[4] - (3.0 * p[0] + 2.0 * p[4])).abs() < 1e-12);
        assert!((expected.iter().sum::<f64>() - 6.0).abs() < 1e-12);
    }

    #[test]
    fn threads_never_matter() {
        let indptr: Vec<i64> = (0..=3000).map(|row| row * 40).collect();
        let term = (0..120_000).map(|at| at % 40 * 7 + at / 40 % 7).collect();
        let count = (0..120_000).map(|at| at % 3 + 1).collect();
        let texts = Unlabelled::new(Rows { indptr, term, count }, 280, false).unwrap();
        let weights: Vec<f64> = (0..560).map(|at| -(f64::from(at % 11) + 2.0).ln()).collect();
        let one = texts.posteriors(&weights, &[0.0, 0.1], 1).unwrap();
        let expected = texts.expected(&one.0, 2, 1);
        for threads in [0, 2, 3, 7] {
            assert_eq!(texts.posteriors(&weights, &[0.0, 0.1], threads).unwrap(), one);
            assert_eq!(texts.expected(&one.0, 2, threads), expected);
        }
    }

    #[test]
    fn binary_counts_once_and_what_does_not_fit_is_refused() {
        let once = Unlabelled::new(texts(), 3, true).unwrap();
        assert_eq!(once.expected(&[1.0, 1.0, 1.0], 1, 1).unwrap(), [1.0, 0.0, 2.0]);
        assert!(once.expected(&[1.0, 1.0], 1, 1).is_err());
        assert!(once.posteriors(&[0.0; 5], &[0.0, 0.0], 1).is_err());
        assert!(Unlabelled::new(texts(), 2, false).is_err());
        assert!(Unlabelled::new(Rows { count: vec![1], ..texts() }, 3, false).is_err());
        assert!(Unlabelled::new(Rows { indptr: vec![], ..texts() }, 3, false).is_err());
        let none = Unlabelled::new(Rows::default(), 0, false).unwrap();
        assert_eq!(none.posteriors(&[], &[0.0], 2).unwrap(), (vec![], vec![]));
        assert_eq!(none.expected(&[], 1, 2).unwrap(), [0.0; 0]);
    }
}
