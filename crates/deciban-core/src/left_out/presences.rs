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

use crate::by_label::by_label;
use crate::four::Four;
use crate::ln::ln;
use crate::near::prefetch;
use crate::{Invalid, parts, wide};

/// Entries for which it is worth to start a thread.
const WORTH_A_THREAD: usize = 1 << 16;
/// So many entries ahead memory is asked for the counts of a term.
const AHEAD: usize = 8;
/// Up to so many labels, or so many counts, zeros are kept too: then those of four labels are multiplied at once.
const FEW_LABELS: usize = 4;
const FEW_COUNTS: usize = 1 << 24;
/// So many counts are multiplied before there is a logarithm: of 32 bits each, that is no more than 2^1024.
const AT_ONCE: usize = 31;

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

/// By term and label: how many documents have it. Terms of one document have no counts: no other asks for them.
enum Counts {
    /// One of each label, in fours: short ones, to be near, or long ones, where documents are many.
    Short(Vec<[u16; 4]>),
    Long(Vec<[u32; 4]>),
    /// Where those of each term begin, and all that are not zero, each with its label.
    Some(Vec<u32>, Vec<(u16, u16)>),
}

impl Counts {
    /// All counts, the greatest of them, and how many terms have any.
    fn new(of: &Labelled<'_>) -> (Self, usize, usize) {
        let is_short = of.own.len().max(of.labels) <= u16::MAX.into();
        let is_few = of.labels <= FEW_LABELS || of.terms.saturating_mul(of.labels.next_multiple_of(4)) <= FEW_COUNTS;
        match (is_few, is_short) {
            (true, true) => Self::all(of, |count: &mut u16| *count += 1, Counts::Short),
            (false, true) => Self::some(of),
            _ => Self::all(of, |count: &mut u32| *count += 1, Counts::Long),
        }
    }

    fn all<N: Copy + Default + Into<u32>>(
        of: &Labelled<'_>,
        add_one: impl Fn(&mut N),
        as_counts: impl Fn(Vec<[N; 4]>) -> Self,
    ) -> (Self, usize, usize) {
        let fours = of.labels.div_ceil(4);
        let mut all = vec![[N::default(); 4]; of.terms * fours];
        for (row, &own) in of.indptr.windows(2).zip(of.own) {
            let (terms, four, i) = (&of.term[row[0] as usize..row[1] as usize], own as usize / 4, own as usize % 4);
            terms.iter().for_each(|&term| prefetch(&all[term as usize * fours + four]));
            terms.iter().for_each(|&term| add_one(&mut all[term as usize * fours + four][i]));
        }
        let (mut most, mut known) = (0, 0);
        for counts in all.chunks_exact_mut(fours.max(1)) {
            let mut sum = 0;
            for count in counts.iter().flatten() {
                let count: u32 = (*count).into();
                (sum, most) = (sum + count, most.max(count));
            }
            known += usize::from(sum > 0);
            if sum == 1 {
                counts.fill([N::default(); 4]);
            }
        }
        (as_counts(all), most as usize, known)
    }

    fn some(of: &Labelled<'_>) -> (Self, usize, usize) {
        let found = by_label((of.indptr, of.term), of.own, (of.terms, of.labels), |count: &mut u16, _| {
            *count = count.saturating_add(1);
        });
        let (mut start, mut some, mut known) = (vec![0], Vec::with_capacity(found.sum.len()), 0);
        for term in found.start.windows(2) {
            let places = term[0] as usize..term[1] as usize;
            let (label, count) = (&found.label[places.clone()], &found.sum[places]);
            known += usize::from(!count.is_empty());
            if count != [1] {
                some.extend(label.iter().zip(count).map(|(&label, &count)| (label as u16, count)));
            }
            start.push(some.len() as u32);
        }
        let most = found.sum.iter().max().map_or(0, |&most| most.into());
        (Counts::Some(start, some), most, known)
    }
}

/// What was counted, and logarithms of it.
struct Model<'a> {
    of: Labelled<'a>,
    count: Counts,
    /// The logarithm of each count, and one more.
    log: Vec<f64>,
    /// What is added to it as one document leaves.
    less: Vec<f64>,
    totals: Totals,
}

/// What is known of all terms together.
pub(super) struct Totals {
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
    Ok(parts::joined(parts::run(jobs.collect())))
}

pub(super) fn check(of: &Labelled<'_>) -> Result<(), Invalid> {
    let ends = (of.indptr.first().copied(), of.indptr.last().copied());
    let fitting = of.indptr.len() == of.own.len() + 1
        && of.indptr.is_sorted()
        && ends == (Some(0), i64::try_from(of.term.len()).ok())
        && u32::try_from(of.term.len()).is_ok()
        && of.term.iter().all(|&term| (term as usize) < of.terms)
        && of.own.iter().all(|&label| (label as usize) < of.labels);
    if fitting { Ok(()) } else { Err(Invalid("the rows do not fit their terms and labels")) }
}

impl<'a> Model<'a> {
    fn new(of: Labelled<'a>) -> Self {
        let (count, most, known) = Counts::new(&of);
        let log: Vec<_> = (1..=most + 1).map(|count| (count as f64).ln()).collect();
        let less = (0..=most).map(|count| if count == 0 { 0.0 } else { log[count - 1] - log[count] }).collect();
        Model { of, count, log, less, totals: Totals::new(&of, known) }
    }

    fn scores(&self, rows: Range<usize>) -> Vec<f64> {
        let k = self.of.labels;
        let mut all = vec![0.0; rows.len() * k];
        match &self.count {
            Counts::Short(count) => self.add_fours(rows, count, &mut all),
            Counts::Long(count) => self.add_fours(rows, count, &mut all),
            Counts::Some(start, count) => {
                let of = |term: usize| &count[start[term] as usize..start[term + 1] as usize];
                let ask = |entry| {
                    self.term(entry + 2 * AHEAD).into_iter().for_each(|term| prefetch(&start[term]));
                    self.term(entry + AHEAD).into_iter().for_each(|term| ask_for(of(term)));
                };
                for (row, sums) in rows.zip(all.chunks_exact_mut(k.max(1))) {
                    self.add(row, sums, ask, of);
                }
            }
        }
        all
    }

    /// Adds to rows of sums what their terms weigh by counts of four labels at a time.
    fn add_fours<N: Copy + Into<u32> + Into<f64>>(&self, rows: Range<usize>, count: &[[N; 4]], all: &mut [f64]) {
        wide::run(
            #[inline(always)]
            || {
                for (row, sums) in rows.zip(all.chunks_exact_mut(self.of.labels.max(1))) {
                    self.add_four_by_four(row, count, sums);
                }
            },
        );
    }

    #[inline(always)]
    fn add_four_by_four<N: Copy + Into<u32> + Into<f64>>(&self, row: usize, count: &[[N; 4]], sums: &mut [f64]) {
        let (of, own, fours) = (&self.of, self.of.own[row] as usize, self.of.labels.div_ceil(4));
        let terms = &of.term[of.indptr[row] as usize..of.indptr[row + 1] as usize];
        let next = of.indptr.get(row + 2).map_or(&[][..], |&end| &of.term[of.indptr[row + 1] as usize..end as usize]);
        for &term in next {
            let of_term = &count[term as usize * fours..][..fours];
            prefetch(&of_term[0]);
            prefetch(&of_term[fours - 1]);
        }
        let (mut of_own, mut length) = (0.0, 0_u32);
        for &term in terms {
            let found: u32 = count[term as usize * fours + own / 4][own % 4].into();
            of_own += self.less[found as usize];
            length += u32::from(found > 0);
        }
        for (four, sums) in sums.chunks_mut(4).enumerate() {
            let mut logs = Four::ZERO;
            for terms in terms.chunks(AT_ONCE) {
                let mut product = Four::ONE;
                for &term in terms {
                    product = product * (Four::from(count[term as usize * fours + four]) + Four::ONE);
                }
                logs += product.map(ln);
            }
            sums.copy_from_slice(&logs.0[..sums.len()]);
        }
        sums[own] += of_own;
        self.totals.add(own, (terms.len() as f64, length.into()), sums);
    }

    fn term(&self, entry: usize) -> Option<usize> {
        self.of.term.get(entry).map(|&term| term as usize)
    }

    /// Adds to a row's sums what its terms weigh by their `counts`, for which `ask` asks some entries ahead.
    #[inline(always)]
    fn add<'c>(&self, row: usize, sums: &mut [f64], ask: impl Fn(usize), counts: impl Fn(usize) -> &'c [(u16, u16)]) {
        let (of, own) = (&self.of, self.of.own[row]);
        let entries = of.indptr[row] as usize..of.indptr[row + 1] as usize;
        let terms = &of.term[entries.clone()];
        let mut length = 0.0;
        for (entry, &term) in entries.zip(terms) {
            ask(entry);
            let mut of_own = 0;
            for &(label, count) in counts(term as usize) {
                sums[label as usize] += self.log[count as usize];
                of_own = if u32::from(label) == own { count } else { of_own };
            }
            if of_own > 0 {
                sums[own as usize] += self.less[of_own as usize];
                length += 1.0;
            }
        }
        self.totals.add(own as usize, (terms.len() as f64, length), sums);
    }
}

impl Totals {
    pub(super) fn new(of: &Labelled<'_>, known: usize) -> Self {
        let (mut documents, mut sum) = (vec![0.0; of.labels], vec![0.0; of.labels]);
        for (row, &own) in of.indptr.windows(2).zip(of.own) {
            documents[own as usize] += 1.0;
            sum[own as usize] += (row[1] - row[0]) as f64;
        }
        Totals { documents, sum, known: known as f64 }
    }

    /// Adds to the logarithms of the counts of a row's terms, of which so many are left, what is divided by.
    #[inline(always)]
    pub(super) fn add(&self, own: usize, (terms, length): (f64, f64), sums: &mut [f64]) {
        let left = self.documents.iter().sum::<f64>() - 1.0;
        for (label, sum) in sums.iter_mut().enumerate() {
            let is_own = f64::from(u8::from(label == own));
            let mass = self.sum[label] - is_own * terms + self.known - (terms - length);
            let prior = (self.documents[label] - is_own) / left.max(1.0);
            *sum += ln(prior) - if length > 0.0 { length * ln(mass) } else { 0.0 };
        }
    }
}

fn ask_for<T>(counts: &[T]) {
    counts.first().into_iter().chain(counts.last()).for_each(prefetch);
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
    fn labels_of_no_document_change_nothing() {
        let (few, many) = (scores(OF, 1).unwrap(), scores(Labelled { labels: 9, ..OF }, 1).unwrap());
        for (few, many) in few.chunks(2).zip(many.chunks(9)) {
            assert!((few[1] - many[1]).abs() < 1e-12 && (few[0] == many[0] || (few[0] - many[0]).abs() < 1e-12));
            assert!(many[2..].iter().all(|&none| none == f64::NEG_INFINITY));
        }
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
