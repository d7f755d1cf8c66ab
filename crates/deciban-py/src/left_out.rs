//! What leaves with a document: the scores of leave-one-out, and what changes for them.

use deciban_core::elsewhere::{self, Leaving, Masses};
use deciban_core::left_out::presences::{self, Labelled};
use deciban_core::left_out::side::{self, Ratio};
use deciban_core::left_out::{self, Formula, Left};
use deciban_core::reappearing;
use deciban_core::rows::Rows;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::{Array, Flat, invalid};

/// An array that is read where it is: those of all entries are long.
type Given<'py, T> = PyReadonlyArray1<'py, T>;

/// A formula of leave-one-out, and rows to which it is applied: what they hold is said in the core.
#[derive(FromPyObject)]
pub struct LeaveOneOut<'py> {
    indptr: Flat<i64>,
    label: Flat<u32>,
    amount: Flat<f64>,
    discount: f64,
    floor: Flat<f64>,
    all: Flat<f64>,
    gain: Flat<f64>,
    by_collection: bool,
    whole: Flat<f64>,
    rest: Flat<f64>,
    power: f64,
    seen: Flat<f64>,
    doubt: f64,
    eta: f64,
    labels: usize,
    strict: bool,
    row_indptr: Given<'py, i64>,
    row_term: Given<'py, u32>,
    row_count: Given<'py, i64>,
    own: Given<'py, u32>,
    own_floor: Given<'py, f64>,
    own_amount: Given<'py, f64>,
}

/// What the terms of rows weigh beyond those that a label has not shown, once each row's document has left its label:
/// one row a row, one column a label.
#[pyfunction]
pub fn beyond<'py>(py: Python<'py>, left: LeaveOneOut<'py>, threads: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let formula = Formula {
        indptr: &left.indptr.to_vec(py)?,
        label: &left.label.to_vec(py)?,
        amount: &left.amount.to_vec(py)?,
        discount: left.discount,
        floor: &left.floor.to_vec(py)?,
        all: &left.all.to_vec(py)?,
        gain: &left.gain.to_vec(py)?,
        by_collection: left.by_collection,
        whole: &left.whole.to_vec(py)?,
        rest: &left.rest.to_vec(py)?,
        power: left.power,
        seen: &left.seen.to_vec(py)?,
        doubt: left.doubt,
        eta: left.eta,
        labels: left.labels,
        strict: left.strict,
    };
    let leaving = Left {
        indptr: left.row_indptr.as_slice()?,
        term: left.row_term.as_slice()?,
        count: left.row_count.as_slice()?,
        own: left.own.as_slice()?,
        own_floor: left.own_floor.as_slice()?,
        own_amount: left.own_amount.as_slice()?,
    };
    let sums = py.detach(|| left_out::beyond(formula, leaving, threads)).map_err(invalid)?;
    PyArray1::from_vec(py, sums).reshape([leaving.own.len(), left.labels])
}

/// The posting of each (term, label).
#[pyfunction]
pub fn places<'py>(
    py: Python<'py>,
    indptr: Flat<i64>,
    label: Flat<u32>,
    terms: Flat<u32>,
    labels: Flat<u32>,
) -> PyResult<Array<'py, i64>> {
    let (indptr, label) = (indptr.to_vec(py)?, label.to_vec(py)?);
    let (terms, labels) = (terms.to_vec(py)?, labels.to_vec(py)?);
    let found = py.detach(|| deciban_core::counts::places(&indptr, &label, &terms, &labels));
    Ok(PyArray1::from_vec(py, found.map_err(invalid)?))
}

/// What deleted estimation makes of the own labels of rows whose documents leave. What `halves` and `leaving` hold is
/// said in the core.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn without<'py>(
    py: Python<'py>,
    halves: (Flat<i64>, Flat<i64>, Flat<i64>, usize, Flat<i64>, Flat<u32>, Flat<i64>, Flat<i64>, usize),
    leaving: (Given<'py, i64>, Given<'py, u32>, Given<'py, i64>, Given<'py, u32>, Given<'py, i64>),
) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, f64>, Array<'py, f64>)> {
    let halves = reappearing::Halves {
        key: &halves.0.to_vec(py)?,
        n: &halves.1.to_vec(py)?,
        c: &halves.2.to_vec(py)?,
        width: halves.3,
        indptr: &halves.4.to_vec(py)?,
        label: &halves.5.to_vec(py)?,
        first: &halves.6.to_vec(py)?,
        second: &halves.7.to_vec(py)?,
        labels: halves.8,
    };
    let leaving = reappearing::Leaving {
        indptr: leaving.0.as_slice()?,
        term: leaving.1.as_slice()?,
        count: leaving.2.as_slice()?,
        own: leaving.3.as_slice()?,
        half: leaving.4.as_slice()?,
    };
    let found = py.detach(|| reappearing::without(halves, leaving)).map_err(invalid)?;
    let (more_n, more_c) = (PyArray1::from_vec(py, found.more_n), PyArray1::from_vec(py, found.more_c));
    Ok((more_n, more_c, PyArray1::from_vec(py, found.floor), PyArray1::from_vec(py, found.amount)))
}

/// The sums over all terms of masses and of their logarithms, by label; and what changes in them when each row's document
/// leaves: by row, three numbers of each label. What `masses` and `leaving` hold is said in the core.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn changes_elsewhere<'py>(
    py: Python<'py>,
    masses: (Flat<i64>, Flat<u32>, Flat<i64>, Flat<f64>, Flat<f64>, f64, usize),
    leaving: (Given<'py, i64>, Given<'py, u32>, Given<'py, i64>, Given<'py, i64>, Given<'py, u32>),
    threads: usize,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f64>>)> {
    let masses = Masses {
        indptr: &masses.0.to_vec(py)?,
        label: &masses.1.to_vec(py)?,
        amount: &masses.2.to_vec(py)?,
        factor: &masses.3.to_vec(py)?,
        left: &masses.4.to_vec(py)?,
        floor: masses.5,
        labels: masses.6,
    };
    let leaving = Leaving {
        indptr: leaving.0.as_slice()?,
        term: leaving.1.as_slice()?,
        count: leaving.2.as_slice()?,
        amount: leaving.3.as_slice()?,
        own: leaving.4.as_slice()?,
    };
    let (sums, changes) = py.detach(|| elsewhere::changes(masses, leaving, threads)).map_err(invalid)?;
    let sums = PyArray1::from_vec(py, sums).reshape([2, masses.labels])?;
    Ok((sums, PyArray1::from_vec(py, changes).reshape([leaving.own.len(), 3, masses.labels])?))
}

/// By row: its words, those of terms that no other row has, and how many such terms there are.
#[pyfunction]
pub fn lengths<'py>(
    py: Python<'py>,
    indptr: Given<'py, i64>,
    term: Given<'py, u32>,
    count: Given<'py, i64>,
    is_gone: Given<'py, bool>,
) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, i64>)> {
    let (indptr, term, count, is_gone) = (indptr.as_slice()?, term.as_slice()?, count.as_slice()?, is_gone.as_slice()?);
    let found = py.detach(|| deciban_core::rows::lengths(indptr, term, count, is_gone)).map_err(invalid)?;
    let (words, gone_words) = (PyArray1::from_vec(py, found.words), PyArray1::from_vec(py, found.gone_words));
    Ok((words, gone_words, PyArray1::from_vec(py, found.gone)))
}

/// The same rows with their terms increasing, where they stood in another order; counts are wide then.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn sorted_rows<'py>(
    py: Python<'py>,
    indptr: Given<'py, i64>,
    term: Given<'py, u32>,
    count: Given<'py, i32>,
) -> PyResult<(Array<'py, i64>, Array<'py, u32>, Array<'py, i64>)> {
    let count = count.as_slice()?.iter().map(|&count| count.into()).collect();
    let rows = Rows { indptr: indptr.to_vec()?, term: term.to_vec()?, count };
    let Rows { indptr, term, count } = py.detach(|| deciban_core::rows::sorted(rows)).map_err(invalid)?;
    Ok((PyArray1::from_vec(py, indptr), PyArray1::from_vec(py, term), PyArray1::from_vec(py, count)))
}

/// What each number is of the length of its row.
#[pyfunction]
pub fn parts_of_length<'py>(
    py: Python<'py>,
    indptr: Given<'py, i64>,
    numbers: Given<'py, f64>,
    one: f64,
) -> PyResult<Array<'py, i64>> {
    let (indptr, numbers) = (indptr.as_slice()?, numbers.as_slice()?);
    let parts = py.detach(|| deciban_core::rows::parts_of_length(indptr, numbers, one)).map_err(invalid)?;
    Ok(PyArray1::from_vec(py, parts))
}

/// The scores of rows, each term once a row, by the multinomial model of all others: one row a row, one column a label.
#[pyfunction]
pub fn presences_left_out<'py>(
    py: Python<'py>,
    rows: (Given<'py, i64>, Given<'py, u32>),
    own: Given<'py, u32>,
    terms: usize,
    labels: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (indptr, term, own) = (rows.0.as_slice()?, rows.1.as_slice()?, own.as_slice()?);
    let of = Labelled { indptr, term, own, terms, labels };
    let scores = py.detach(|| presences::scores(of, threads)).map_err(invalid)?;
    PyArray1::from_vec(py, scores).reshape([own.len(), labels])
}

/// The postings of terms: where those of each begin, labels, and how many rows of the label have the term.
type Postings<'py> = (Given<'py, i64>, Given<'py, u32>, Given<'py, i64>);
type Scores<'py> = Bound<'py, PyArray2<f64>>;

/// The same scores, and those by the ratio model but for its bias; or nothing: which rows are suited is said in the core.
#[pyfunction]
pub fn both_left_out<'py>(
    py: Python<'py>,
    postings: Postings<'py>,
    rows: (Given<'py, i64>, Given<'py, u32>),
    own: Given<'py, u32>,
    labels: usize,
    ratio: (f64, f64, f64, f64, f64),
    threads: usize,
) -> PyResult<Option<(Scores<'py>, Scores<'py>)>> {
    let (start, label, presences) = (postings.0.as_slice()?, postings.1.as_slice()?, postings.2.as_slice()?);
    let (indptr, term, own) = (rows.0.as_slice()?, rows.1.as_slice()?, own.as_slice()?);
    let of = Labelled { indptr, term, own, terms: start.len().saturating_sub(1), labels };
    let (odds, power, rest, doubt, eta) = ratio;
    let ratio = Ratio { odds, power, rest, doubt, eta };
    let found = py.detach(|| side::scores(of, start, label, presences, ratio, threads)).map_err(invalid)?;
    let as_array = |scores| PyArray1::from_vec(py, scores).reshape([own.len(), labels]);
    found.map(|(first, second)| Ok((as_array(first)?, as_array(second)?))).transpose()
}
