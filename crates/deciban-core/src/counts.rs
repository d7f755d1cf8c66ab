//! How often each term occurs under each label, and in how many documents: integers that add and subtract.
//!
//! The canonical form is flat: names sorted, the postings of a term sorted by label, no posting that is zero. Equal
//! corpora have equal buffers, whatever the order, the chunks and the threads in which they were counted.

use std::ops::Range;

use crate::Invalid;
use crate::lexicon::Names;
use crate::scores::check_postings;

/// Counts in canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The terms.
    pub names: Names,
    /// How many documents each label has.
    pub documents: Vec<i64>,
    /// Where the postings of each term begin, and where the last end.
    pub indptr: Vec<i64>,
    /// The label of each posting.
    pub label: Vec<u32>,
    /// How often the term occurs in the label's documents.
    pub occurrences: Vec<i64>,
    /// How many of the label's documents hold the term.
    pub presences: Vec<i64>,
}

/// Why counts could not be subtracted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlearnt {
    /// This term has fewer counts under this label (a number among the merged ones) than are to be taken away.
    Term {
        /// Its name.
        name: String,
        /// The label.
        label: u32,
    },
    /// This label has fewer documents than are to be taken away.
    Label(u32),
    /// The buffers are not counts.
    Invalid(Invalid),
}

impl From<Invalid> for Unlearnt {
    fn from(invalid: Invalid) -> Self {
        Unlearnt::Invalid(invalid)
    }
}

/// Refuses buffers, over so many terms, that do not fit each other or cannot have been counted.
/// With `partial`, a posting may have none: what stands there is counted elsewhere.
pub fn check(
    terms: usize,
    documents: &[i64],
    indptr: &[i64],
    label: &[u32],
    occurrences: &[i64],
    presences: &[i64],
    partial: bool,
) -> Result<(), Invalid> {
    check_postings(indptr, label, terms, documents.len())?;
    if occurrences.len() != label.len() || presences.len() != label.len() {
        return Err(Invalid("the counts' buffers differ in length"));
    }
    if !partial && indptr.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Invalid("the counts name a term that no label has"));
    }
    let (mut possible, mut total) = (documents.iter().all(|&n| n >= 0), documents.iter().map(|&n| i128::from(n)).sum());
    for ((&label, &occurs), &is_in) in label.iter().zip(occurrences).zip(presences) {
        let is_none = partial && is_in == 0 && occurs == 0;
        possible &= is_none || (1 <= is_in && is_in <= occurs && is_in <= documents[label as usize]);
        total += i128::from(occurs);
    }
    if !possible {
        return Err(Invalid("the counts are not those of any documents"));
    }
    check_total(total)
}

/// Documents, occurrences and presences: of all that was counted, or of a part of it, by the same postings.
pub type Counted<'a> = (&'a [i64], &'a [i64], &'a [i64]);

/// Refuses what cannot be counts of some of the documents that a whole, which is fine itself, was counted from: neither
/// the part nor the rest has a term without occurrences, or in more documents than there are.
pub fn check_part(label: &[u32], whole: Counted<'_>, part: Counted<'_>) -> Result<(), Invalid> {
    let labels = whole.0.len();
    let fitting = part.0.len() == labels && label.iter().all(|&label| (label as usize) < labels);
    if !fitting || [whole.1, whole.2, part.1, part.2].iter().any(|counts| counts.len() != label.len()) {
        return Err(Invalid("the buffers of a part of the counts differ in length"));
    }
    let fits = |occurs: i64, is_in: i64, n: i64| (0..=occurs.min(n)).contains(&is_in) && (is_in > 0 || occurs == 0);
    let documents = part.0.iter().zip(whole.0).all(|(n, of)| (0..=*of).contains(n));
    let postings = label.iter().enumerate().all(|(posting, &label)| {
        let numbers = |(n, occurs, is_in): Counted<'_>| (occurs[posting], is_in[posting], n[label as usize]);
        let ((occurs, is_in, n), (all_occur, all_in, of)) = (numbers(part), numbers(whole));
        fits(occurs, is_in, n) && occurs <= all_occur && fits(all_occur - occurs, all_in - is_in, of - n)
    });
    if documents && postings { Ok(()) } else { Err(Invalid("the parts of the counts are not those of any documents")) }
}

/// Refuses a sum of all that is counted which does not fit an integer, so that no sum ever overflows.
fn check_total(total: i128) -> Result<(), Invalid> {
    i64::try_from(total).map(|_| ()).map_err(|_| Invalid("the counts are too large to add up"))
}

impl Counts {
    /// Counts of nothing, under `labels` labels.
    pub fn empty(labels: usize) -> Self {
        Counts {
            names: Names::default(),
            documents: vec![0; labels],
            indptr: vec![0],
            label: Vec::new(),
            occurrences: Vec::new(),
            presences: Vec::new(),
        }
    }

    /// Refuses buffers that do not fit each other or cannot have been counted.
    pub fn check(&self) -> Result<(), Invalid> {
        let Counts { names, documents, indptr, label, occurrences, presences } = self;
        check(names.len(), documents, indptr, label, occurrences, presences, false)
    }

    fn total(&self) -> i128 {
        self.occurrences.iter().chain(&self.documents).map(|&n| i128::from(n)).sum()
    }

    /// The same counts with each label's number replaced, in the same order, among `labels` labels.
    pub fn relabelled(mut self, numbers: &[u32], labels: usize) -> Result<Self, Invalid> {
        let rising = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let within = numbers.last().is_none_or(|&last| (last as usize) < labels);
        if numbers.len() != self.documents.len() || !rising || !within {
            return Err(Invalid("the labels' new numbers do not fit the counts"));
        }
        let mut documents = vec![0; labels];
        for (&number, n) in numbers.iter().zip(&self.documents) {
            documents[number as usize] = *n;
        }
        self.documents = documents;
        self.label.iter_mut().for_each(|label| *label = numbers[*label as usize]);
        Ok(self)
    }

    /// `self + other`; both over the same labels.
    pub fn plus(&self, other: &Counts) -> Result<Counts, Unlearnt> {
        self.merged(other, 1)
    }

    /// `self - other`; both over the same labels.
    pub fn minus(&self, other: &Counts) -> Result<Counts, Unlearnt> {
        self.merged(other, -1)
    }

    fn merged(&self, other: &Counts, sign: i64) -> Result<Counts, Unlearnt> {
        if self.documents.len() != other.documents.len() {
            return Err(Invalid("counts over different labels cannot be added").into());
        }
        if sign > 0 {
            check_total(self.total() + other.total())?;
        }
        let mut sum = Counts::empty(self.documents.len());
        for (r, n) in sum.documents.iter_mut().enumerate() {
            *n = self.documents[r] + sign * other.documents[r];
            if *n < 0 {
                return Err(Unlearnt::Label(r as u32));
            }
        }
        let (mut a, mut b) = (0, 0);
        while a < self.names.len() || b < other.names.len() {
            let (ours, theirs) = (self.names.get(a), other.names.get(b));
            // `None` is the least of options, but a list that has ended must come last.
            let (name, has_a, has_b) = match (ours, theirs) {
                (Some(x), Some(y)) if x == y => (x, true, true),
                (Some(x), None) => (x, true, false),
                (Some(x), Some(y)) if x < y => (x, true, false),
                (_, Some(y)) => (y, false, true),
                (None, None) => break,
            };
            let before = if has_a { self.postings(a) } else { 0..0 };
            let change = if has_b { other.postings(b) } else { 0..0 };
            sum.push_merged(name, (self, before), (other, change), sign)?;
            a += usize::from(has_a);
            b += usize::from(has_b);
        }
        Ok(sum)
    }

    fn postings(&self, term: usize) -> Range<usize> {
        self.indptr[term] as usize..self.indptr[term + 1] as usize
    }

    /// Appends one term's postings: two sorted runs, merged; nothing where all of them cancel.
    fn push_merged(
        &mut self,
        name: &str,
        (a, before): (&Counts, Range<usize>),
        (b, change): (&Counts, Range<usize>),
        sign: i64,
    ) -> Result<(), Unlearnt> {
        let start = self.label.len();
        let (mut i, mut j) = (before.start, change.start);
        while i < before.end || j < change.end {
            let of_a = if i < before.end { a.label[i] } else { u32::MAX };
            let of_b = if j < change.end { b.label[j] } else { u32::MAX };
            let label = of_a.min(of_b);
            let (mut occurrences, mut presences) = (0, 0);
            if of_a == label {
                (occurrences, presences) = (a.occurrences[i], a.presences[i]);
                i += 1;
            }
            if of_b == label {
                occurrences += sign * b.occurrences[j];
                presences += sign * b.presences[j];
                j += 1;
            }
            // Documents leave whole: a term that is left occurs at least once in each document that holds it, and those
            // are no more than the label has.
            let possible = 0 <= presences && presences <= occurrences && presences <= self.documents[label as usize];
            if !possible || (presences == 0) != (occurrences == 0) {
                return Err(Unlearnt::Term { name: name.to_string(), label });
            }
            if occurrences > 0 {
                self.push_posting(label, occurrences, presences);
            }
        }
        if self.label.len() > start {
            self.names.push(name);
            self.indptr.push(self.label.len() as i64);
        }
        Ok(())
    }

    pub(crate) fn push_posting(&mut self, label: u32, occurrences: i64, presences: i64) {
        self.label.push(label);
        self.occurrences.push(occurrences);
        self.presences.push(presences);
    }
}

/// The posting of each (term, label), which must be there.
pub fn places(indptr: &[i64], label: &[u32], terms: &[u32], labels: &[u32]) -> Result<Vec<i64>, Invalid> {
    check_postings(indptr, label, indptr.len().saturating_sub(1), usize::MAX)?;
    let place = |(&term, wanted): (&u32, &u32)| {
        let postings = indptr.get(term as usize..term as usize + 2)?;
        let (start, end) = (postings[0] as usize, postings[1] as usize);
        label[start..end].binary_search(wanted).ok().map(|at| (start + at) as i64)
    };
    terms.iter().zip(labels).map(place).collect::<Option<_>>().ok_or(Invalid("there is no such posting"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;
    use crate::terms::Terms;
    use proptest::prelude::*;

    fn count(texts: &[(String, u32)], words: usize, threads: usize) -> Counts {
        let terms = Terms { words: Some(1..=words), chars: Some(1..=3), ..Terms::default() };
        let mut tally = Tally::new(terms, threads);
        let (texts, labels): (Vec<_>, Vec<_>) = texts.iter().cloned().unzip();
        tally.add(&texts, &labels, || false).unwrap();
        let numbers: Vec<u32> = (0..labels.iter().max().map_or(0, |most| most + 1)).collect();
        tally.take(&numbers).unwrap().0.relabelled(&numbers, 3).unwrap()
    }

    fn corpus() -> impl Strategy<Value = Vec<(String, u32)>> {
        prop::collection::vec(("[a-cA-CİΣé ]{0,12}|\\PC{0,8}", 0..3_u32), 0..12)
    }

    proptest! {
        #[test]
        fn adding_corpora_adds_counts(a in corpus(), b in corpus(), words in 1..4_usize) {
            let (ca, cb) = (count(&a, words, 1), count(&b, words, 1));
            let both = count(&[a, b].concat(), words, 1);
            prop_assert_eq!(&ca.plus(&cb).unwrap(), &both);
            prop_assert_eq!(&cb.plus(&ca).unwrap(), &both);
            prop_assert_eq!(both.minus(&cb).unwrap(), ca);
            prop_assert_eq!(both.check(), Ok(()));
        }

        #[test]
        fn order_never_matters(corpus in corpus()) {
            let mut sorted = corpus.clone();
            sorted.sort();
            prop_assert_eq!(count(&corpus, 2, 1), count(&sorted, 2, 1));
        }
    }

    #[test]
    fn what_is_not_in_canonical_form_is_refused() {
        let mut tally = Tally::new(Terms::default(), 1);
        tally.add(&["a1 b1"], &[0], || false).unwrap();
        let fine = tally.take(&[0]).unwrap().0;
        assert_eq!(fine.check(), Ok(()));
        let mut unused = Counts::empty(1);
        unused.names.push("unused");
        unused.indptr.push(0);
        assert!(unused.check().is_err());
        assert!(Counts { presences: vec![2, 1], ..fine.clone() }.check().is_err());
        assert!(Counts { occurrences: vec![0, 1], ..fine.clone() }.check().is_err());
        assert!(Counts { documents: vec![0], ..fine.clone() }.check().is_err());
    }

    #[test]
    fn a_part_is_of_some_documents_and_so_is_the_rest() {
        let whole: Counted<'_> = (&[2], &[3, 1], &[2, 1]);
        let check = |documents, occurrences: &[i64], presences: &[i64]| {
            check_part(&[0, 0], whole, (&[documents], occurrences, presences)).is_ok()
        };
        for (documents, occurrences, presences) in
            [(0, [0, 0], [0, 0]), (2, [3, 1], [2, 1]), (1, [2, 0], [1, 0]), (1, [2, 1], [1, 1])]
        {
            assert!(check(documents, &occurrences, &presences));
        }
        for (documents, occurrences, presences) in [
            (1, [4, 0], [1, 0]),
            (1, [3, 0], [1, 0]),
            (1, [2, 0], [2, 0]),
            (1, [2, 0], [0, 0]),
            (1, [2, -1], [1, -1]),
            (2, [2, 0], [1, 0]),
            (-1, [0, 0], [0, 0]),
            (3, [3, 1], [2, 1]),
            (i64::MIN, [i64::MIN, i64::MAX], [i64::MIN, i64::MAX]),
        ] {
            assert!(!check(documents, &occurrences, &presences), "{documents} {occurrences:?} {presences:?}");
        }
        assert!(!check(0, &[0], &[0]));
        assert!(check_part(&[0, 1], whole, whole).is_err());
    }

    #[test]
    fn threads_never_matter() {
        let texts: Vec<_> =
            (0..400_u32).map(|i| (format!("w{} common x{} ", i % 37, i % 11).repeat(60), i % 3)).collect();
        let one = count(&texts, 2, 1);
        assert!((2..6).all(|threads| count(&texts, 2, threads) == one));
    }

    #[test]
    fn what_was_not_learnt_cannot_be_forgotten() {
        let some = |text: &str| count(&[(text.to_string(), 1)], 1, 1);
        let less = some("refund now").plus(&some("other words")).unwrap();
        let named = |left: Unlearnt| matches!(left, Unlearnt::Term { label: 1, .. });
        assert!(named(less.minus(&some("refund refund")).unwrap_err()));
        assert!(named(less.minus(&some("never")).unwrap_err()));
        assert_eq!(some("a").minus(&less), Err(Unlearnt::Label(1)));
    }

    #[test]
    fn postings_are_found_or_refused() {
        let (indptr, label) = ([0, 2, 3], [0, 2, 1]);
        assert_eq!(places(&indptr, &label, &[0, 1, 0], &[2, 1, 0]), Ok(vec![1, 2, 0]));
        for (term, wanted) in [(0, 1), (2, 0), (u32::MAX, 0)] {
            assert!(places(&indptr, &label, &[term], &[wanted]).is_err());
        }
    }
}
