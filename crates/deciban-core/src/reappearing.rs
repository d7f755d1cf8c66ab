//! Deleted estimation when a document leaves: how often what stands c times in one half of a label stands in the other.
//!
//! N_c is how many terms stand c times in a half, C_c how often those stand in the other half, and r_c = C_c / N_c. As z of
//! a term leave the half where it stood c times, and `other` times in the other half, three things change for the label:
//! N_c and C_c lose it, N_{c-z} and C_{c-z} win it, and C_other loses z occurrences.

use std::collections::HashMap;

use crate::Invalid;

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
    /// By posting: how often its term stands in the first half.
    pub first: &'a [i64],
    /// And in the second.
    pub second: &'a [i64],
}

/// Rows whose documents leave.
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'a> {
    /// Where each row begins, and where the last ends.
    pub indptr: &'a [i64],
    /// By entry: the posting of its term and the row's own label.
    pub place: &'a [i64],
    /// By entry: how often the term stands in the row.
    pub count: &'a [i64],
    /// The label of each row.
    pub own: &'a [i64],
    /// The half of each row, 0 or 1.
    pub half: &'a [i64],
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

/// What changes as each row's document leaves, one at a time.
pub fn without(halves: Halves<'_>, leaving: Leaving<'_>) -> Result<Changed, Invalid> {
    check(&halves, &leaving)?;
    let mut changed = Changed::default();
    let (mut changes, mut stand) = (Changes::new(halves.width), Vec::new());
    for row in 0..leaving.own.len() {
        let entries = leaving.indptr[row] as usize..leaving.indptr[row + 1] as usize;
        let (own, other) =
            if leaving.half[row] == 0 { (halves.first, halves.second) } else { (halves.second, halves.first) };
        let (mut more_n, mut more_c) = (0, 0);
        stand.clear();
        for (&place, &z) in leaving.place[entries.clone()].iter().zip(&leaving.count[entries]) {
            let (c, other) = (own[place as usize], other[place as usize]);
            let left = c - z;
            if left < 0 {
                return Err(Invalid("a document leaves that was not counted"));
            }
            changes.add(c, -1, -other);
            changes.add(left, 1, other);
            changes.add(other, 0, -z);
            more_n += i64::from(left == 0);
            more_c += if left == 0 { other } else { 0 } - if other == 0 { z } else { 0 };
            stand.push((left, other));
        }
        changed.more_n.push(more_n);
        changed.more_c.push(more_c);
        let label = OfLabel::new(&halves, leaving.own[row]);
        for &(left, other) in &stand {
            changed.floor.push(f64::from(u8::from(left == 0) + u8::from(other == 0)) / 2.0);
            changed.amount.push(label.rate(left, &changes) + label.rate(other, &changes));
        }
        changes.forget();
    }
    Ok(changed)
}

fn check(halves: &Halves<'_>, leaving: &Leaving<'_>) -> Result<(), Invalid> {
    let entries = leaving.place.len();
    let ends = (leaving.indptr.first().copied(), leaving.indptr.last().copied());
    let (postings, width) = (halves.first.len(), halves.width as i64);
    let fitting = halves.key.len() == halves.n.len()
        && halves.key.len() == halves.c.len()
        && halves.key.is_sorted()
        && halves.second.len() == postings
        && halves.first.iter().chain(halves.second).all(|c| (0..width).contains(c))
        && ends == (Some(0), i64::try_from(entries).ok())
        && leaving.indptr.is_sorted()
        && leaving.indptr.len() == leaving.own.len() + 1
        && leaving.half.len() == leaving.own.len()
        && leaving
            .own
            .iter()
            .all(|&label| label >= 0 && label.checked_mul(width).is_some_and(|key| key <= i64::MAX - width))
        && leaving.count.len() == entries
        && leaving.count.iter().all(|&z| z >= 0)
        && leaving.place.iter().all(|&place| usize::try_from(place).is_ok_and(|place| place < postings));
    if fitting { Ok(()) } else { Err(Invalid("the buffers of leave-one-out differ in length")) }
}

/// Changes of N_c and C_c of one label, by c: of small ones at their places, of others where they are found.
struct Changes {
    small: Vec<(i64, i64)>,
    touched: Vec<usize>,
    others: HashMap<i64, (i64, i64)>,
}

impl Changes {
    fn new(width: usize) -> Self {
        Changes { small: vec![(0, 0); width.min(SMALL)], touched: Vec::new(), others: HashMap::new() }
    }

    #[inline]
    fn add(&mut self, c: i64, n: i64, occurrences: i64) {
        let of = match self.small.get_mut(c as usize) {
            Some(of) => {
                self.touched.push(c as usize);
                of
            }
            None => self.others.entry(c).or_default(),
        };
        *of = (of.0 + n, of.1 + occurrences);
    }

    #[inline]
    fn of(&self, c: i64) -> (i64, i64) {
        self.small.get(c as usize).or_else(|| self.others.get(&c)).copied().unwrap_or_default()
    }

    fn forget(&mut self) {
        self.touched.drain(..).for_each(|c| self.small[c] = (0, 0));
        self.others.clear();
    }
}

/// The N_c and C_c of one label, by increasing c.
struct OfLabel<'a> {
    start: i64,
    key: &'a [i64],
    n: &'a [i64],
    c: &'a [i64],
}

impl<'a> OfLabel<'a> {
    fn new(halves: &Halves<'a>, label: i64) -> Self {
        let start = label * halves.width as i64;
        let from = halves.key.partition_point(|&key| key < start);
        let to = halves.key.partition_point(|&key| key < start + halves.width as i64);
        OfLabel { start, key: &halves.key[from..to], n: &halves.n[from..to], c: &halves.c[from..to] }
    }

    /// r_c after some changes; of c = 0 nothing: it is said apart.
    #[inline]
    fn rate(&self, c: i64, changes: &Changes) -> f64 {
        if c == 0 {
            return 0.0;
        }
        let (more_n, more_c) = changes.of(c);
        let (n, occurrences) = self.at(c).map_or((0, 0), |place| (self.n[place], self.c[place]));
        (occurrences + more_c) as f64 / (n + more_n).max(1) as f64
    }

    /// Where c is: as a rule small ones are all there, each at its own place.
    #[inline]
    fn at(&self, c: i64) -> Option<usize> {
        let key = self.start + c;
        if self.key.get(c as usize) == Some(&key) { Some(c as usize) } else { self.key.binary_search(&key).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One label, three terms that stand (2, 1), (1, 0) and (1, 2) times in the halves.
    const HALVES: Halves<'_> =
        Halves { key: &[0, 1, 2], n: &[1, 3, 2], c: &[1, 4, 2], width: 3, first: &[2, 1, 1], second: &[1, 0, 2] };
    const LEAVING: Leaving<'_> = Leaving { indptr: &[0, 2], place: &[0, 1], count: &[1, 1], own: &[0], half: &[0] };

    #[test]
    fn rates_are_those_of_what_is_left() {
        // It leaves (1, 1), (0, 0) and (1, 2): once stand 1 1 1, of which the others stand 1 1 2 times; twice stands one.
        let found = without(HALVES, LEAVING).unwrap();
        assert_eq!((found.more_n, found.more_c), (vec![1], vec![-1]));
        assert_eq!(found.floor, [0.0, 1.0]);
        assert_eq!(found.amount, [8.0 / 3.0, 0.0]);
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        assert!(without(HALVES, Leaving { place: &[0, 3], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { count: &[1, 2], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { count: &[1, -2], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { own: &[i64::MAX], ..LEAVING }).is_err());
        assert!(without(HALVES, Leaving { half: &[], ..LEAVING }).is_err());
        assert!(without(Halves { width: 2, ..HALVES }, LEAVING).is_err());
        assert!(without(Halves { n: &[1], ..HALVES }, LEAVING).is_err());
    }
}
