//! Leave-one-out of the multinomial model whose terms count once a document, with Laplace's smoothing: from the rows alone.
//!
//! Counts are small whole numbers, so that there is a logarithm to look up for each; that of a document's own label is of
//! one less. Of n documents, d terms and c_jr documents of label r that have term j,
//!
//! ```text
//! score_r = log n_r/n + sum_j log((c_jr + 1) / (sum_j c_jr + d))
//! ```
//!
//! where nothing is counted that the document itself has, and terms that no other has are none.

use std::ops::Range;

use crate::Invalid;
use crate::near::prefetch;
use crate::parts;

/// Entries for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 16;
/// So many entries ahead what a term weighs is asked for.
const AHEAD: usize = 8;

/// Rows of terms, each term once a row, and the label of each row.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// Numbers of terms, below `terms`, in any order.
    pub term: &'a [u32],
    /// The label of each row, below `labels`.
    pub own: &'a [u32],
    /// How many terms there are.
    pub terms: usize,
    /// How many labels there are.
    pub labels: usize,
}

/// What was counted, and logarithms of it.
struct Model<'a> {
    of: Labelled<'a>,
    /// By term and label: how many documents have it.
    count: Vec<u32>,
    /// The logarithm of each count, and one more.
    log: Vec<f64>,
    /// By label: documents, and terms in them.
    documents: Vec<f64>,
    sum: Vec<f64>,
    /// Terms that any document has.
    known: f64,
}

/// The scores of each row by all others: one row a row, one column a label.
pub fn scores(of: Labelled<'_>, threads: usize) -> Result<Vec<f64>, Invalid> {
    check(&of)?;
    let (model, rows) = (Model::new(of), of.own.len());
    let parts = parts::count(threads, of.term.len() / WORTH_A_THREAD);
    let bounds: Vec<_> = (0..=parts).map(|part| rows * part / parts).collect();
    let jobs = bounds.windows(2).map(|pair| pair[0]..pair[1]).map(|part| || model.scores(part));
    Ok(parts::run(jobs.collect()).concat())
}

fn check(of: &Labelled<'_>) -> Result<(), Invalid> {
    let ends = (of.indptr.first().copied(), of.indptr.last().copied());
    let fitting = of.indptr.len() == of.own.len() + 1
        && of.indptr.is_sorted()
        && ends == (Some(0), i64::try_from(of.term.len()).ok())
        && of.term.iter().all(|&term| (term as usize) < of.terms)
        && of.own.iter().all(|&label| (label as usize) < of.labels);
    if fitting { Ok(()) } else { Err(Invalid("the rows do not fit their terms and labels")) }
}

impl<'a> Model<'a> {
    fn new(of: Labelled<'a>) -> Self {
        let (k, mut count) = (of.labels, vec![0; of.terms * of.labels]);
        let (mut documents, mut sum) = (vec![0.0; k], vec![0.0; k]);
        for (row, &own) in of.indptr.windows(2).zip(of.own) {
            let terms = &of.term[row[0] as usize..row[1] as usize];
            terms.iter().for_each(|&term| prefetch(&count[term as usize * k + own as usize]));
            terms.iter().for_each(|&term| count[term as usize * k + own as usize] += 1);
            documents[own as usize] += 1.0;
            sum[own as usize] += terms.len() as f64;
        }
        let most = count.iter().max().map_or(0, |&most| most as usize);
        let log = (1..=most + 1).map(|count| (count as f64).ln()).collect();
        let known = count.chunks_exact(k.max(1)).filter(|of_term| of_term.iter().any(|&count| count > 0)).count();
        Model { of, count, log, documents, sum, known: known as f64 }
    }

    fn scores(&self, rows: Range<usize>) -> Vec<f64> {
        let mut all = vec![0.0; rows.len() * self.of.labels];
        for (row, sums) in rows.zip(all.chunks_exact_mut(self.of.labels.max(1))) {
            self.add(row, sums);
        }
        all
    }

    fn add(&self, row: usize, sums: &mut [f64]) {
        let (of, k, own) = (&self.of, self.of.labels, self.of.own[row] as usize);
        let terms = &of.term[of.indptr[row] as usize..of.indptr[row + 1] as usize];
        let mut length = 0.0;
        for (at, &term) in terms.iter().enumerate() {
            if let Some(&next) = terms.get(at + AHEAD) {
                prefetch(&self.count[next as usize * k]);
                prefetch(&self.count[next as usize * k + k - 1]);
            }
            let counts = &self.count[term as usize * k..][..k];
            if counts[own] == 1 && counts.iter().sum::<u32>() == 1 {
                continue;
            }
            sums.iter_mut().zip(counts).for_each(|(sum, &count)| *sum += self.log[count as usize]);
            sums[own] += self.log[counts[own] as usize - 1] - self.log[counts[own] as usize];
            length += 1.0;
        }
        let gone = terms.len() as f64 - length;
        let left = self.documents.iter().sum::<f64>() - 1.0;
        for (label, sum) in sums.iter_mut().enumerate() {
            let is_own = f64::from(u8::from(label == own));
            let mass = self.sum[label] - is_own * terms.len() as f64 + self.known - gone;
            let prior = (self.documents[label] - is_own) / left.max(1.0);
            *sum += prior.ln() - if length > 0.0 { length * mass.ln() } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF: Labelled<'_> =
        Labelled { indptr: &[0, 2, 4, 5, 5], term: &[0, 1, 0, 2, 1], own: &[0, 1, 1, 1], terms: 3, labels: 2 };

    #[test]
    fn a_row_is_scored_by_the_others() {
        let found = scores(OF, 1).unwrap();
        // The first: its label has no other document; the other has 3 of 3, three terms, and d = 3.
        assert_eq!(found[0], f64::NEG_INFINITY);
        assert!((found[1] - 2.0 * (2.0 / 6.0_f64).ln()).abs() < 1e-6, "{found:?}");
        // The second: its last term is gone, so that d = 2; one of three documents is of the first label.
        assert!((found[2] - (1.0 / 3.0_f64).ln() - (2.0 / 4.0_f64).ln()).abs() < 1e-6, "{found:?}");
        assert!((found[3] - (2.0 / 3.0_f64).ln() - (1.0 / 3.0_f64).ln()).abs() < 1e-6, "{found:?}");
        assert!((found[6] - (1.0 / 3.0_f64).ln()).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn what_is_no_rows_is_refused() {
        assert!(scores(Labelled { own: &[0, 1, 2, 1], ..OF }, 1).is_err());
        assert!(scores(Labelled { terms: 2, ..OF }, 1).is_err());
        assert!(scores(Labelled { indptr: &[0, 4, 2, 5, 5], ..OF }, 1).is_err());
        assert!(scores(Labelled { indptr: &[0, 2, 4, 5], ..OF }, 1).is_err());
        assert_eq!(scores(Labelled { indptr: &[0], term: &[], own: &[], ..OF }, 1), Ok(vec![]));
    }
}
