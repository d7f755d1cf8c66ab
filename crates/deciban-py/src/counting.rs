//! Counts: made, added, subtracted, checked.

use std::sync::Mutex;

use deciban_core::counts::{self, Counts, Unlearnt as CoreUnlearnt, check};
use deciban_core::lexicon::{Index, Lexicon as CoreLexicon};
use deciban_core::tally::Tally as CoreTally;
use deciban_core::terms::Terms as CoreTerms;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::labels::Labels;
use crate::texts::Texts;
use crate::{Array, Flat, Lexicon, Terms, Unlearnt, invalid, with_numpy};

/// How many bytes of text are counted at once: the more, the fewer times is each label begun.
const BYTES_COUNTED_AT_ONCE: usize = 1 << 27;

pub(crate) type Buffers<'py> =
    (Bound<'py, Lexicon>, Array<'py, i64>, Array<'py, i64>, Array<'py, u32>, Array<'py, i64>, Array<'py, i64>);
type Views<'py> = (Bound<'py, Lexicon>, Flat<i64>, Flat<i64>, Flat<u32>, Flat<i64>, Flat<i64>);
/// Documents, occurrences and presences.
type Counted = (Flat<i64>, Flat<i64>, Flat<i64>);

pub(crate) fn counts_to_python(
    py: Python<'_>,
    terms: CoreTerms,
    counts: Counts,
    index: Option<Index>,
) -> PyResult<Buffers<'_>> {
    let lexicon = CoreLexicon::new(terms, counts.names).map_err(invalid)?;
    let lexicon = match index {
        Some(index) => lexicon.indexed(index),
        None => lexicon,
    };
    Ok((
        Bound::new(py, Lexicon(lexicon))?,
        PyArray1::from_vec(py, counts.documents),
        PyArray1::from_vec(py, counts.indptr),
        PyArray1::from_vec(py, counts.label),
        PyArray1::from_vec(py, counts.occurrences),
        PyArray1::from_vec(py, counts.presences),
    ))
}

fn counts_from_python(py: Python<'_>, views: &Views<'_>) -> PyResult<Counts> {
    let counts = Counts {
        names: views.0.get().0.names().clone(),
        documents: views.1.to_vec(py)?,
        indptr: views.2.to_vec(py)?,
        label: views.3.to_vec(py)?,
        occurrences: views.4.to_vec(py)?,
        presences: views.5.to_vec(py)?,
    };
    counts.check().map_err(invalid)?;
    Ok(counts)
}

/// Refuses buffers that cannot be counts.
#[pyfunction]
pub(crate) fn check_counts(py: Python<'_>, counts: Views<'_>, partial: bool) -> PyResult<()> {
    let (lexicon, documents, indptr, label, occurrences, presences) = counts;
    let (documents, indptr, label) = (documents.to_vec(py)?, indptr.to_vec(py)?, label.to_vec(py)?);
    let (occurrences, presences) = (occurrences.to_vec(py)?, presences.to_vec(py)?);
    check(lexicon.get().0.names().len(), &documents, &indptr, &label, &occurrences, &presences, partial)
        .map_err(invalid)
}

/// Refuses what cannot be counts of some of the documents of counts that were checked.
#[pyfunction]
pub(crate) fn check_part(py: Python<'_>, label: Flat<u32>, whole: Counted, part: Counted) -> PyResult<()> {
    let to_vecs = |(n, occurs, is_in): Counted| PyResult::Ok((n.to_vec(py)?, occurs.to_vec(py)?, is_in.to_vec(py)?));
    let (label, whole, part) = (label.to_vec(py)?, to_vecs(whole)?, to_vecs(part)?);
    counts::check_part(&label, (&whole.0, &whole.1, &whole.2), (&part.0, &part.1, &part.2)).map_err(invalid)
}

/// The sum or the difference of two counts, whose labels get new numbers among `labels` labels.
#[pyfunction]
pub(crate) fn merge<'py>(
    py: Python<'py>,
    a: (Views<'py>, Flat<u32>),
    b: (Views<'py>, Flat<u32>),
    labels: usize,
    subtract: bool,
) -> PyResult<Buffers<'py>> {
    with_numpy(py)?;
    let relabelled = |(views, numbers): &(Views<'_>, Flat<u32>)| {
        counts_from_python(py, views)?.relabelled(&numbers.to_vec(py)?, labels).map_err(invalid)
    };
    let terms = a.0.0.get().0.terms().clone();
    let (a, b) = (relabelled(&a)?, relabelled(&b)?);
    let merged = py.detach(|| if subtract { a.minus(&b) } else { a.plus(&b) });
    let refused = |why| match why {
        CoreUnlearnt::Term { name, label } => Unlearnt::new_err((Some(name), label)),
        CoreUnlearnt::Label(label) => Unlearnt::new_err((None::<String>, label)),
        CoreUnlearnt::Invalid(error) => invalid(error),
    };
    counts_to_python(py, terms, merged.map_err(refused)?, None)
}

/// The sum of some values by label.
#[pyfunction]
pub(crate) fn by_label<'py>(
    py: Python<'py>,
    label: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, i64>,
    labels: usize,
) -> PyResult<Array<'py, i64>> {
    let mut sums = vec![0_i64; labels];
    for (&label, value) in label.as_slice()?.iter().zip(values.as_slice()?) {
        let sum = sums.get_mut(label as usize).ok_or_else(|| PyValueError::new_err("there is no such label"))?;
        *sum = sum.wrapping_add(*value);
    }
    Ok(PyArray1::from_vec(py, sums))
}

/// Of each count what a table has at its place.
#[pyfunction]
pub(crate) fn looked_up<'py>(
    py: Python<'py>,
    table: PyReadonlyArray1<'py, f64>,
    counts: PyReadonlyArray1<'py, i64>,
) -> PyResult<Array<'py, f64>> {
    let (table, counts) = (table.as_slice()?, counts.as_slice()?);
    let mut found = Vec::with_capacity(counts.len());
    for &count in counts {
        let value = usize::try_from(count).ok().and_then(|count| table.get(count));
        found.push(*value.ok_or_else(|| PyValueError::new_err("a count is not in the table"))?);
    }
    Ok(PyArray1::from_vec(py, found))
}

/// Counts under way.
#[pyclass(module = "deciban._core")]
pub(crate) struct Tally {
    tally: CoreTally,
    labels: Labels,
}

#[pymethods]
impl Tally {
    #[new]
    fn new(py: Python<'_>, terms: &Terms, threads: usize) -> PyResult<Self> {
        with_numpy(py)?;
        Ok(Tally { tally: CoreTally::new(terms.0.clone(), threads), labels: Labels::default() })
    }

    /// Counts texts, each under its label; where one of them is refused, the tally is empty after it.
    fn add<'py>(&mut self, py: Python<'py>, texts: Texts<'py>, labels: &Bound<'_, PyList>) -> PyResult<()> {
        let (labels, raised) = (self.labels.number(labels)?, Mutex::new(None));
        let asks_python = || {
            let signal = Python::attach(|py| py.check_signals()).err();
            let is_raised = signal.is_some();
            if let Ok(mut raised) = raised.lock() {
                *raised = signal;
            }
            is_raised
        };
        let mut rest = labels.as_slice();
        let counted = texts.in_runs_of(py, BYTES_COUNTED_AT_ONCE, |texts| {
            let (labels, after) = rest.split_at(texts.len().min(rest.len()));
            rest = after;
            self.tally.add(texts, labels, asks_python).map_err(invalid)
        });
        let counted = match raised.into_inner() {
            Ok(Some(signal)) => Err(signal),
            _ if rest.is_empty() => counted,
            _ => counted.and(Err(PyValueError::new_err("there are more labels than texts"))),
        };
        counted.inspect_err(|_| {
            self.tally.clear();
            self.labels = Labels::default();
        })
    }

    /// The labels, sorted, and the counts of all texts so far, as flat buffers; empty after it.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<(Vec<String>, Buffers<'py>)> {
        let (labels, numbers) = self.labels.take();
        let (counts, index) = py.detach(|| self.tally.take(&numbers)).map_err(invalid)?;
        Ok((labels, counts_to_python(py, self.tally.terms().clone(), counts, index)?))
    }
}
