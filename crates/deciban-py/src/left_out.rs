//! What leaves with a document: the scores of leave-one-out, and what changes for them.

use deciban_core::elsewhere::{self, Leaving, Masses};
use deciban_core::left_out::{self, Formula, Left};
use deciban_core::reappearing;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::{Array, Flat, invalid};

/// A formula of leave-one-out, and rows to which it is applied: what they hold is said in the core.
#[derive(FromPyObject)]
pub struct LeaveOneOut {
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
    share: Flat<f64>,
    doubt: f64,
    eta: f64,
    labels: usize,
    strict: bool,
    row_indptr: Flat<i64>,
    row_term: Flat<u32>,
    row_count: Flat<i64>,
    own: Flat<u32>,
    own_floor: Flat<f64>,
    own_amount: Flat<f64>,
}

/// What the terms of rows weigh beyond those that a label has not shown, once each row's document has left its label:
/// one row a row, one column a label.
#[pyfunction]
pub fn beyond(py: Python<'_>, left: LeaveOneOut, threads: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
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
        share: &left.share.to_vec(py)?,
        doubt: left.doubt,
        eta: left.eta,
        labels: left.labels,
        strict: left.strict,
    };
    let leaving = Left {
        indptr: &left.row_indptr.to_vec(py)?,
        term: &left.row_term.to_vec(py)?,
        count: &left.row_count.to_vec(py)?,
        own: &left.own.to_vec(py)?,
        own_floor: &left.own_floor.to_vec(py)?,
        own_amount: &left.own_amount.to_vec(py)?,
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
    halves: (Flat<i64>, Flat<i64>, Flat<i64>, usize, Flat<i64>, Flat<i64>),
    leaving: (Flat<i64>, Flat<i64>, Flat<i64>, Flat<i64>, Flat<i64>),
) -> PyResult<(Array<'py, i64>, Array<'py, i64>, Array<'py, f64>, Array<'py, f64>)> {
    let halves = reappearing::Halves {
        key: &halves.0.to_vec(py)?,
        n: &halves.1.to_vec(py)?,
        c: &halves.2.to_vec(py)?,
        width: halves.3,
        first: &halves.4.to_vec(py)?,
        second: &halves.5.to_vec(py)?,
    };
    let leaving = reappearing::Leaving {
        indptr: &leaving.0.to_vec(py)?,
        place: &leaving.1.to_vec(py)?,
        count: &leaving.2.to_vec(py)?,
        own: &leaving.3.to_vec(py)?,
        half: &leaving.4.to_vec(py)?,
    };
    let found = py.detach(|| reappearing::without(halves, leaving)).map_err(invalid)?;
    let (more_n, more_c) = (PyArray1::from_vec(py, found.more_n), PyArray1::from_vec(py, found.more_c));
    Ok((more_n, more_c, PyArray1::from_vec(py, found.floor), PyArray1::from_vec(py, found.amount)))
}

/// What changes in sums over all terms when each row's document leaves: by row, three numbers of each label. What
/// `masses` and `leaving` hold is said in the core.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn changes_elsewhere<'py>(
    py: Python<'py>,
    masses: (Flat<f64>, Flat<f64>, f64, usize),
    leaving: (Flat<i64>, Flat<u32>, Flat<i64>, Flat<f64>, Flat<f64>, Flat<u32>),
    threads: usize,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let (elsewhere, factor, floor, labels) = (masses.0.to_vec(py)?, masses.1.to_vec(py)?, masses.2, masses.3);
    let (indptr, term, count) = (leaving.0.to_vec(py)?, leaving.1.to_vec(py)?, leaving.2.to_vec(py)?);
    let (amount, left, own) = (leaving.3.to_vec(py)?, leaving.4.to_vec(py)?, leaving.5.to_vec(py)?);
    let changes = py.detach(|| {
        let masses = Masses { elsewhere: &elsewhere, factor: &factor, floor, labels };
        let (indptr, term, count, amount) = (&indptr, &term, &count, &amount);
        elsewhere::changes(masses, Leaving { indptr, term, count, amount, left: &left, own: &own }, threads)
    });
    PyArray1::from_vec(py, changes.map_err(invalid)?).reshape([own.len(), 3, labels])
}
