//! Deleted estimation when a document leaves: how often what stands c times in one half of a label stands in the other.
//!
//! N_c is how many terms stand c times in a half, C_c how often those stand in the other half, and r_c = C_c / N_c. As z of
//! a term leave the half where it stood c times, and `other` times in the other half, three things change for the label:
//! N_c and C_c lose it, N_{c-z} and C_{c-z} win it, and C_other loses z occurrences.

use std::collections::HashMap;

use crate::Invalid;
use crate::scores::check_postings;

/// Counts below this are small.
const SMALL: usize = 1 << 12;

/// N_c and C_c of each label and c, and how often the term of each posting stands in the halves.
#[derive(Debug, Clone, Copy)]
pub struct Halves<'a> {
    /// Label times `width`, plus c; increasing.
    pub key: &'a [i64],
    /// N_c.
    pub n: &'a [i64],
    /// C_c.
    pub c: &'a [i64],
    /// More than any c.
    pub width: usize,
    /// Where the postings of each term begin, and where the last end.
    pub indptr: &'a [i64],
    /// The label of each posting.
    pub label: &'a [u32],
    /// By posting: how often its term stands in the first half.
    pub first: &'a [i64],
    /// And in the second.
    pub second: &'a [i64],
    /// How many labels there are.
    pub labels: usize,
}

/// Rows whose documents leave.
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// By entry: its term.
    pub term: &'a [u32],
    /// By entry: how often the term stands in the row.
    pub count: &'a [i64],
    /// The label of each row.
    pub own: &'a [u32],
    /// The half of each row, 0 or 1.
    pub half: &'a [i64],
}

/// How often the term of an entry stands in its own half, with its document and without, and in the other half.
#[derive(Debug, Clone, Copy)]
struct Stand {
    c: i64,
    left: i64,
    other: i64,
}

/// What becomes of the own labels.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Changed {
    /// By row: how many terms more stand no times in the row's half, or in none.
    pub more_n: Vec<i64>,
    /// By row: how often more terms that stand no times in one half stand in the other.
    pub more_c: Vec<i64>,
    /// By entry: in how many of two halves the term stands no times, divided by two.
    pub floor: Vec<f64>,
    /// By entry: the sum of the r_c of the halves where it stands.
    pub amount: Vec<f64>,
}

/// What changes as each row's document leaves, one at a time. Label by label, because then it takes one look to find how
/// often a term stands in the halves.
pub fn without(halves: Halves<'_>, leaving: Leaving<'_>) -> Result<Changed, Invalid> {
    check(&halves, &leaving)?;
    let (rows, entries) = (leaving.own.len(), leaving.term.len());
    let mut changed =
        Changed { more_n: vec![0; rows], more_c: vec![0; rows], floor: vec![0.0; entries], amount: vec![0.0; entries] };
    let postings = by_label(halves.label, halves.labels);
    let rows = by_label(leaving.own, halves.labels);
    let term = terms_of(halves.indptr);
    let (mut at, mut stand) = (vec![[0; 2]; halves.indptr.len() - 1], Vec::new());
    for (label, rows) in rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        postings[label].iter().for_each(|&p| at[term[p] as usize] = [halves.first[p], halves.second[p]]);
        let mut rates = Rates::new(&halves, label);
        rows.iter().try_for_each(|&row| of_row(row, &at, &leaving, &mut rates, &mut changed, &mut stand))?;
        postings[label].iter().for_each(|&p| at[term[p] as usize] = [0; 2]);
    }
    Ok(changed)
}

/// The places of each label.
fn by_label(label: &[u32], labels: usize) -> Vec<Vec<usize>> {
    let mut places = vec![Vec::new(); labels];
    label.iter().enumerate().for_each(|(place, &label)| places[label as usize].push(place));
    places
}

/// The term of each posting.
fn terms_of(indptr: &[i64]) -> Vec<u32> {
    let of = |(term, pair): (u32, &[i64])| std::iter::repeat_n(term, (pair[1] - pair[0]) as usize);
    (0..).zip(indptr.windows(2)).flat_map(of).collect()
}

/// What changes as the document of a row leaves its label, whose terms stand so often in the halves.
fn of_row(
    row: usize,
    at: &[[i64; 2]],
    leaving: &Leaving<'_>,
    rates: &mut Rates,
    changed: &mut Changed,
    stand: &mut Vec<Stand>,
) -> Result<(), Invalid> {
    let entries = leaving.indptr[row] as usize..leaving.indptr[row + 1] as usize;
    let half = usize::from(leaving.half[row] != 0);
    stand.clear();
    stand.extend(leaving.term[entries.clone()].iter().zip(&leaving.count[entries.clone()]).map(|(&term, &z)| {
        let at = at[term as usize];
        Stand { c: at[half], left: at[half] - z, other: at[1 - half] }
    }));
    for &Stand { c, left, other } in &*stand {
        if left < 0 {
            return Err(Invalid("a document leaves that was not counted"));
        }
        rates.move_term(c, left, other);
        changed.more_n[row] += i64::from(left == 0);
        changed.more_c[row] += if left == 0 { other } else { 0 } - if other == 0 { c - left } else { 0 };
    }
    for (entry, &Stand { left, other, .. }) in entries.zip(&*stand) {
        changed.floor[entry] = f64::from(u8::from(left == 0) + u8::from(other == 0)) / 2.0;
        changed.amount[entry] = rates.of(left) + rates.of(other);
    }
    stand.iter().for_each(|&Stand { c, left, other }| rates.move_term(left, c, other));
    Ok(())
}

fn check(halves: &Halves<'_>, leaving: &Leaving<'_>) -> Result<(), Invalid> {
    let (entries, terms) = (leaving.term.len(), halves.indptr.len().saturating_sub(1));
    let (postings, width) = (halves.label.len(), halves.width as i64);
    check_postings(halves.indptr, halves.label, terms, halves.labels)?;
    check_postings(leaving.indptr, leaving.term, leaving.own.len(), terms)?;
    let greatest = i64::try_from(halves.labels).ok().and_then(|labels| labels.checked_mul(width));
    let fitting = greatest.is_some()
        && halves.key.len() == halves.n.len()
        && halves.key.len() == halves.c.len()
        && halves.key.is_sorted()
        && halves.first.len() == postings
        && halves.second.len() == postings
        && halves.first.iter().chain(halves.second).all(|c| (0..width).contains(c))
        && leaving.half.len() == leaving.own.len()
        && leaving.own.iter().all(|&label| (label as usize) < halves.labels)
        && leaving.count.len() == entries
        && leaving.count.iter().all(|&z| z >= 0);
    if fitting { Ok(()) } else { Err(Invalid("the buffers of leave-one-out differ in length")) }
}

/// N_c and C_c of one label: of small c at their places, of others where they are found.
struct Rates {
    small: Vec<(i64, i64)>,
    others: HashMap<i64, (i64, i64)>,
}

impl Rates {
    fn new(halves: &Halves<'_>, label: usize) -> Self {
        let start = (label * halves.width) as i64;
        let mut rates = Rates { small: vec![(0, 0); halves.width.min(SMALL)], others: HashMap::new() };
        let from = halves.key.partition_point(|&key| key < start);
        let to = halves.key.partition_point(|&key| key < start + halves.width as i64);
        (from..to).for_each(|place| rates.add(halves.key[place] - start, halves.n[place], halves.c[place]));
        rates
    }

    /// A term that stands `other` times in the other half stands `to` times in its own and no more `from` times.
    #[inline]
    fn move_term(&mut self, from: i64, to: i64, other: i64) {
        self.add(from, -1, -other);
        self.add(to, 1, other);
        self.add(other, 0, to - from);
    }

    #[inline]
    fn add(&mut self, c: i64, n: i64, occurrences: i64) {
        let of = match self.small.get_mut(c as usize) {
            Some(of) => of,
            None => self.others.entry(c).or_default(),
        };
        *of = (of.0.wrapping_add(n), of.1.wrapping_add(occurrences));
    }

    /// r_c; of c = 0 nothing: it is said apart.
    #[inline]
    fn of(&self, c: i64) -> f64 {
        if c == 0 {
            return 0.0;
        }
        let (n, occurrences) = self.small.get(c as usize).or_else(|| self.others.get(&c)).copied().unwrap_or_default();
        occurrences as f64 / n.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One label, three terms that stand (2, 1), (1, 0) and (1, 2) times in the halves.
    const HALVES: Halves<'_> = Halves {
        key: &[0, 1, 2],
        n: &[1, 3, 2],
        c: &[1, 4, 2],
        width: 3,
        indptr: &[0, 1, 2, 3],
        label: &[0, 0, 0],
        first: &[2, 1, 1],
        second: &[1, 0, 2],
        labels: 1,
    };
    const LEAVING: Leaving<'_> = Leaving { indptr: &[0, 2], term: &[0, 1], count: &[1, 1], own: &[0], half: &[0] };

    #[test]
    fn rates_are_those_of_what_is_left() {
        // It leaves (1, 1), (0, 0) and (1, 2): once stand 1 1 1, of which the others stand 1 1 2 times; twice stands one.
        let found = without(HALVES, LEAVING).unwrap();
        assert_eq!((found.more_n, found.more_c), (vec![1], vec![-1]));
        assert_eq!(found.floor, [0.0, 1.0]);
        assert_eq!(found.amount, [8.0 / 3.0, 0.0]);
    }

    #[test]
    fn who_has_left_is_back_for_the_next() {
        let twice = Leaving { indptr: &[0, 2, 4], term: &[0, 1, 0, 1], count: &[1; 4], own: &[0; 2], half: &[0; 2] };
        let found = without(HALVES, twice).unwrap();
        assert_eq!(found.amount, [8.0 / 3.0, 0.0, 8.0 / 3.0, 0.0]);
        assert_eq!(found.more_c, [-1, -1]);
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(without(HALVES, Leaving { term: &[0, 3], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { count: &[1, 2], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { count: &[1, -2], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { own: &[1], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { half: &[], ..LEAVING }).is_err());
        assert!(without(Halves { width: 2, ..HALVES }, LEAVING).is_err());
        assert!(without(Halves { n: &[1], ..HALVES }, LEAVING).is_err());
        assert!(without(Halves { label: &[0, 0, 1], ..HALVES }, LEAVING).is_err());
    }
}
