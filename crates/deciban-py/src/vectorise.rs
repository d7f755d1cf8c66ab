//! The matrices of scikit-learn's vectorisers: conversion only.

use deciban_core::terms::Terms as CoreTerms;
use deciban_core::vectorise::counted::Counted;
use deciban_core::vectorise::hashing::Hashing;
use deciban_core::vectorise::labelled;
use deciban_core::vectorise::matrix::{Count, Matrix};
use deciban_core::vectorise::vocabulary::{Finds, Vocabulary as CoreVocabulary};
use deciban_core::vectorise::{Vectoriser, bare};
use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::counting::{Buffers, counts_to_python};
use crate::texts::{BYTES_AT_ONCE, Texts, strings};
use crate::{Array, Terms, invalid, with_numpy};

/// Lengths of n-grams, added up, that take no more time than reading a text does.
const LENGTHS: usize = 8;

type View<'py, T> = PyReadonlyArray1<'py, T>;

/// (indptr, indices, data) of a sparse matrix; data are integers or floats.
type Csr<'py> = (Array<'py, i64>, Array<'py, i32>, Bound<'py, PyAny>);

fn csr<'py, C: Count + Element>(py: Python<'py>, matrix: Matrix<C>) -> Csr<'py> {
    let data = PyArray1::from_vec(py, matrix.data).into_any();
    (PyArray1::from_vec(py, matrix.indptr), PyArray1::from_vec(py, matrix.indices), data)
}

fn found(py: Python<'_>, rows: Finds, floats: bool) -> Csr<'_> {
    if floats { csr::<f64>(py, py.detach(|| rows.matrix())) } else { csr::<i64>(py, py.detach(|| rows.matrix())) }
}

/// How many bytes of text are taken at once: the fewer, the more and the longer n-grams there are of each.
fn bytes_at_once(terms: &CoreTerms) -> usize {
    let lengths = [&terms.words, &terms.chars, &terms.chars_across].into_iter().flatten();
    BYTES_AT_ONCE / (lengths.flat_map(Clone::clone).sum::<usize>() / LENGTHS).max(1)
}

/// The terms of texts, and how often each text has them.
#[pyclass(module = "deciban._core")]
pub struct Vectorised(Counted);

#[pymethods]
impl Vectorised {
    #[new]
    fn new<'py>(py: Python<'py>, terms: &Terms, texts: Bound<'py, PyList>, threads: usize) -> PyResult<Self> {
        with_numpy(py)?;
        let mut vectoriser = Vectoriser::new(terms.0.clone(), threads);
        let bytes = bytes_at_once(&terms.0);
        Texts::strings(&texts).in_runs_of(py, bytes, |slice| vectoriser.add(slice).map_err(invalid))?;
        py.detach(|| vectoriser.take()).map(Vectorised).map_err(invalid)
    }

    /// In how many texts each term occurs, and how often in all.
    fn frequencies<'py>(&self, py: Python<'py>) -> (Array<'py, i64>, Array<'py, i64>) {
        let (documents, occurrences) = py.detach(|| self.0.frequencies());
        (PyArray1::from_vec(py, documents), PyArray1::from_vec(py, occurrences))
    }

    /// Drops the terms that are not kept.
    fn keep(&mut self, py: Python<'_>, kept: View<'_, bool>) -> PyResult<()> {
        let kept = kept.as_slice()?;
        py.detach(|| self.0.keep(kept)).map_err(invalid)
    }

    /// All terms in canonical order, and the matrix; nothing is left after it.
    fn take<'py>(&mut self, py: Python<'py>, floats: bool) -> PyResult<(Bound<'py, PyList>, Csr<'py>)> {
        let counted = std::mem::take(&mut self.0);
        let names = counted.names().iter().map(bare);
        let names = PyList::new(py, names.collect::<Vec<_>>())?;
        let rows = if floats {
            csr::<f64>(py, py.detach(|| counted.matrix()))
        } else {
            csr::<i64>(py, py.detach(|| counted.matrix()))
        };
        Ok((names, rows))
    }
}

/// Rows of words: where each begins, terms, how often; and of runs of two: where each begins, terms, how many there are.
type Words<'py> = (Array<'py, i64>, Array<'py, u32>, Array<'py, i32>);
type Runs<'py> = (Array<'py, i64>, Array<'py, u32>, usize);

/// Words of texts with labels, in one reading: their counts, their rows, each in the order of its text, and rows of the runs
/// of two that two texts have.
#[pyfunction]
pub fn words_and_runs<'py>(
    py: Python<'py>,
    terms: &Terms,
    texts: Texts<'py>,
    own: View<'_, u32>,
    labels: usize,
    threads: usize,
) -> PyResult<(Buffers<'py>, Words<'py>, Runs<'py>)> {
    let mut vectoriser = Vectoriser::with_runs(terms.0.clone(), threads);
    texts.in_runs(py, |slice| vectoriser.add(slice).map_err(invalid))?;
    let own = own.as_slice()?;
    let found = py.detach(|| {
        let (runs, counted) = (vectoriser.runs(), vectoriser.take()?);
        let (names, rows) = (counted.names().clone(), counted.as_shown());
        Ok((labelled::counts(names, &rows, own, labels)?, rows, runs))
    });
    let (counts, rows, runs) = found.map_err(invalid)?;
    let term = rows.indices.into_iter().map(|term| term as u32).collect();
    let words = (PyArray1::from_vec(py, rows.indptr), PyArray1::from_vec(py, term), PyArray1::from_vec(py, rows.data));
    let runs = (PyArray1::from_vec(py, runs.indptr), PyArray1::from_vec(py, runs.term), runs.terms);
    Ok((counts_to_python(py, terms.0.clone(), counts, None)?, words, runs))
}

/// Terms, each with its column.
#[pyclass(frozen, module = "deciban._core")]
pub struct Vocabulary(CoreVocabulary);

#[pymethods]
impl Vocabulary {
    #[new]
    fn new(terms: &Terms, names: &Bound<'_, PyList>, columns: View<'_, u32>) -> PyResult<Self> {
        let vocabulary = CoreVocabulary::new(terms.0.clone(), &strings(&names.to_tuple())?, columns.as_slice()?);
        vocabulary.map(Vocabulary).map_err(invalid)
    }

    /// How often each text has each term.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        texts: Bound<'py, PyList>,
        floats: bool,
        threads: usize,
    ) -> PyResult<Csr<'py>> {
        let mut rows = Finds::default();
        Texts::strings(&texts).in_runs_of(py, bytes_at_once(self.0.terms()), |slice| {
            self.0.count(slice, threads, &mut rows);
            Ok(())
        })?;
        Ok(found(py, rows, floats))
    }
}

/// How often each text has terms of each hash.
#[pyfunction]
pub fn hashed<'py>(
    py: Python<'py>,
    terms: &Terms,
    texts: Bound<'py, PyList>,
    columns: u32,
    signed: bool,
    floats: bool,
    threads: usize,
) -> PyResult<Csr<'py>> {
    with_numpy(py)?;
    let hashing = Hashing { terms: terms.0.clone(), columns, signed };
    let mut rows = Finds::default();
    Texts::strings(&texts).in_runs_of(py, bytes_at_once(&terms.0), |slice| {
        hashing.count(slice, threads, &mut rows);
        Ok(())
    })?;
    Ok(found(py, rows, floats))
}
