//! Rows of terms, each row of a label -> what each term has in the rows of each label.

/// For each term, by label: a sum over the rows that have it. Those of term j stand from `start[j]` to `start[j + 1]`.
#[derive(Debug)]
pub(crate) struct ByLabel<S> {
    pub(crate) start: Vec<i64>,
    pub(crate) label: Vec<u32>,
    pub(crate) sum: Vec<S>,
}

/// Sums of entries by their terms, which are below `terms`, and by the labels of their rows, below `labels`; `add` adds an
/// entry of a place to a sum, and never leaves it as it was at first.
///
/// Label after label, so that sums that are needed at one time are few enough to be near.
pub(crate) fn by_label<S: Copy + Default + PartialEq, T: Copy + Into<i64>>(
    (indptr, term): (&[i64], &[T]),
    own: &[u32],
    (terms, labels): (usize, usize),
    add: impl Fn(&mut S, usize),
) -> ByLabel<S> {
    let mut rows = vec![Vec::new(); labels];
    own.iter().enumerate().for_each(|(row, &label)| rows[label as usize].push(row));
    let (mut sums, mut seen, mut all) = (vec![S::default(); terms], Vec::new(), Vec::new());
    for (label, rows) in (0_u32..).zip(rows) {
        for entry in rows.into_iter().flat_map(|row| indptr[row] as usize..indptr[row + 1] as usize) {
            let term = term[entry].into() as usize;
            if sums[term] == S::default() {
                seen.push(term as u32);
            }
            add(&mut sums[term], entry);
        }
        all.extend(seen.drain(..).map(|term| (term, label, std::mem::take(&mut sums[term as usize]))));
    }
    by_term(&all, terms)
}

fn by_term<S: Copy + Default>(all: &[(u32, u32, S)], terms: usize) -> ByLabel<S> {
    let mut start = vec![0; terms + 1];
    all.iter().for_each(|&(term, ..)| start[term as usize + 1] += 1);
    (0..terms).for_each(|term| start[term + 1] += start[term]);
    let mut found = ByLabel { label: vec![0; all.len()], sum: vec![S::default(); all.len()], start };
    let mut next = found.start.clone();
    for &(term, label, sum) in all {
        let at = &mut next[term as usize];
        (found.label[*at as usize], found.sum[*at as usize]) = (label, sum);
        *at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_terms_and_labels() {
        let rows = (&[0, 2, 2, 4, 5][..], &[2_u32, 0, 2, 1, 2][..]);
        let found = by_label(rows, &[1, 0, 0, 1], (4, 3), |sum, entry| *sum += 1 + entry);
        assert_eq!(found.start, [0, 1, 2, 4, 4]);
        assert_eq!((found.label, found.sum), (vec![1, 0, 0, 1], vec![2, 4, 3, 6]));
    }
}
