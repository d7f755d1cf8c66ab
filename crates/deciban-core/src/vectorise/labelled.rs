//! Rows that have been counted, and the label of each -> the counts of each term by label.

use crate::Invalid;
use crate::by_label::{ByLabel, by_label};
use crate::counts::Counts;
use crate::lexicon::Names;
use crate::vectorise::matrix::{Count, Matrix};

/// What some rows of all terms, each of a label, have in them: as counting their texts would say.
///
/// ```
/// # use deciban_core::{terms::Terms, vectorise::{Vectoriser, labelled::counts}};
/// let mut vectoriser = Vectoriser::new(Terms::default(), 1);
/// vectoriser.add(&["so far so good", "far"]).unwrap();
/// let counted = vectoriser.take().unwrap();
/// let (names, rows) = (counted.names().clone(), counted.matrix::<i64>());
/// let counts = counts(names, &rows, &[1, 0], 2).unwrap();
/// assert_eq!((counts.indptr, counts.label), (vec![0, 2, 3, 4], vec![0, 1, 1, 1]));
/// assert_eq!((counts.presences, counts.occurrences), (vec![1, 1, 1, 1], vec![1, 1, 1, 2]));
/// ```
pub fn counts<C: Count + Into<i64>>(
    names: Names,
    rows: &Matrix<C>,
    own: &[u32],
    labels: usize,
) -> Result<Counts, Invalid> {
    if own.len() + 1 != rows.indptr.len() || own.iter().any(|&label| label as usize >= labels) {
        return Err(Invalid("there are not as many labels as rows"));
    }
    let mut documents = vec![0; labels];
    own.iter().for_each(|&label| documents[label as usize] += 1);
    let add = |(presences, occurrences): &mut (i64, i64), entry: usize| {
        *presences += 1;
        *occurrences += rows.data[entry].into();
    };
    let ByLabel { start, label, sum } = by_label((&rows.indptr, &rows.indices), own, (names.len(), labels), add);
    let (presences, occurrences) = sum.into_iter().unzip();
    Ok(Counts { names, documents, indptr: start, label, occurrences, presences })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;
    use crate::terms::Terms;
    use crate::vectorise::Vectoriser;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_what_counting_says(texts in prop::collection::vec(("([a-c]{1,2} ){0,5}", 0..3_u32), 0..9)) {
            let all_labels = (0..3).map(|label| (String::new(), label));
            let (texts, own): (Vec<String>, Vec<u32>) = texts.into_iter().chain(all_labels).unzip();
            let mut vectoriser = Vectoriser::new(Terms::default(), 1);
            vectoriser.add(&texts).unwrap();
            let counted = vectoriser.take().unwrap();
            let (names, rows) = (counted.names().clone(), counted.matrix::<i32>());
            let mut tally = Tally::new(Terms::default(), 1);
            tally.add(&texts, &own, || false).unwrap();
            prop_assert_eq!(counts(names, &rows, &own, 3).unwrap(), tally.take(&[0, 1, 2]).unwrap().0);
        }
    }

    #[test]
    fn there_is_a_label_for_each_row() {
        let rows = Matrix::<i64> { indptr: vec![0, 0], indices: vec![], data: vec![] };
        assert!(counts(Names::default(), &rows, &[], 1).is_err());
        assert!(counts(Names::default(), &rows, &[1], 1).is_err());
    }
}
