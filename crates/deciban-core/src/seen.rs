//! Rows of counts -> rows of what a fitted model sees of them: f(z) t_j, over the length of the row.

use crate::Invalid;
use crate::scores::check_postings;

/// The column of a term that is not seen.
pub const UNSEEN: u32 = u32::MAX;

/// What terms and counts are worth.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The column of each term, or [`UNSEEN`].
    pub column: &'a [u32],
    /// t of each term.
    pub t: &'a [f64],
    /// f of each count.
    pub f: &'a [f64],
    /// Whether rows are made of length 1.
    pub is_unit: bool,
}

/// Compressed sparse rows of numbers.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Seen {
    /// Where each row begins, and where the last ends.
    pub indptr: Vec<i64>,
    /// Columns.
    pub column: Vec<u32>,
    /// Numbers.
    pub value: Vec<f32>,
    /// How long each row was; 1 if it is empty, or lengths do not matter.
    pub length: Vec<f64>,
}

/// What is seen of some rows.
///
/// ```
/// # use deciban_core::seen::{Sight, UNSEEN, seen};
/// let sight = Sight { column: &[UNSEEN, 0, 1], t: &[1.0, 3.0, 2.0], f: &[0.0, 1.0, 2.0], is_unit: true };
/// let found = seen(&[0, 3, 3], &[0, 1, 2], &[1, 1, 2], sight).unwrap();
/// assert_eq!((found.indptr, found.column), (vec![0, 2, 2], vec![0, 1]));
/// assert_eq!((found.value, found.length), (vec![0.6, 0.8], vec![5.0, 1.0]));
/// ```
pub fn seen(indptr: &[i64], term: &[u32], count: &[i64], sight: Sight<'_>) -> Result<Seen, Invalid> {
    check_postings(indptr, term, indptr.len().saturating_sub(1), sight.column.len())?;
    let is_known = |&count: &i64| usize::try_from(count).is_ok_and(|count| count < sight.f.len());
    if count.len() != term.len() || sight.t.len() != sight.column.len() || !count.iter().all(is_known) {
        return Err(Invalid("the rows do not fit what terms and counts are worth"));
    }
    let mut found = Seen {
        indptr: vec![0],
        column: Vec::with_capacity(term.len()),
        value: Vec::with_capacity(term.len()),
        length: Vec::with_capacity(indptr.len()),
    };
    let mut values = Vec::new();
    for row in indptr.windows(2).map(|row| row[0] as usize..row[1] as usize) {
        values.clear();
        for (&term, &count) in term[row.clone()].iter().zip(&count[row]) {
            if sight.column[term as usize] != UNSEEN {
                found.column.push(sight.column[term as usize]);
                values.push(sight.f[count as usize] * sight.t[term as usize]);
            }
        }
        let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let length = if sight.is_unit && length > 0.0 { length } else { 1.0 };
        found.value.extend(values.iter().map(|value| (value / length) as f32));
        found.indptr.push(found.value.len() as i64);
        found.length.push(length);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let sight = Sight { column: &[0], t: &[1.0], f: &[0.0, 1.0], is_unit: false };
        assert_eq!(seen(&[0, 1], &[0], &[1], sight).unwrap().value, [1.0]);
        assert!(seen(&[0, 1], &[0], &[2], sight).is_err());
        assert!(seen(&[0, 1], &[0], &[-1], sight).is_err());
        assert!(seen(&[0, 1], &[1], &[1], sight).is_err());
        assert!(seen(&[0, 1], &[0], &[], sight).is_err());
        assert!(seen(&[0, 1], &[0], &[1], Sight { t: &[], ..sight }).is_err());
    }
}
