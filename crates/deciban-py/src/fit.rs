//! Rows with labels, for solvers.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use deciban_core::Invalid;
use deciban_core::fit::{
    self, Duals, Fitted, Labels, Loss, Matrix as CoreMatrix, Problem, Progress, Ratios, Rules, Unfit,
};
use deciban_core::seen::Sight;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::{Array, Flat, invalid};

type View<'py, T> = PyReadonlyArray1<'py, T>;

/// How often somebody who watches is told, and signals are looked at.
const OFTEN: Duration = Duration::from_millis(100);

/// Weights, a row a term and one for the bias, and the objective, gap and epochs of each job.
type Solution<'py> = (Bound<'py, PyArray2<f64>>, Vec<(f64, f64, usize)>);

/// Where the rows of each output begin, those rows, and how often each is in its weights.
type Sums<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// Rows of numbers: where each begins, columns and values, and how long each was.
type Found<'py> = (Array<'py, i64>, Array<'py, u32>, Array<'py, f32>, Array<'py, f64>);

/// Rows, checked and laid out for solvers.
#[pyclass(frozen, module = "deciban._core")]
pub struct Matrix(CoreMatrix);

/// The label of each row, or with `ends` its labels; what it costs, and how to solve.
#[derive(FromPyObject)]
pub struct Asked {
    label: Flat<u32>,
    ends: Option<Flat<i64>>,
    labels: usize,
    cost: Flat<f64>,
    loss: String,
    ratios: Option<(f64, f64)>,
    l1: f64,
    cs: Vec<f64>,
    tolerance: f64,
    epochs: usize,
    seed: u64,
    threads: usize,
}

/// What is seen of rows (indptr, term, count).
#[pyfunction]
pub fn seen<'py>(
    py: Python<'py>,
    rows: (View<'py, i64>, View<'py, u32>, View<'py, i64>),
    column: View<'py, u32>,
    t: View<'py, f64>,
    f: View<'py, f64>,
    is_unit: bool,
) -> PyResult<Found<'py>> {
    let (indptr, term, count) = (rows.0.as_slice()?, rows.1.as_slice()?, rows.2.as_slice()?);
    let sight = Sight { column: column.as_slice()?, t: t.as_slice()?, f: f.as_slice()?, is_unit };
    let found = py.detach(|| deciban_core::seen::seen(indptr, term, count, sight)).map_err(invalid)?;
    let (column, value) = (PyArray1::from_vec(py, found.column), PyArray1::from_vec(py, found.value));
    Ok((PyArray1::from_vec(py, found.indptr), column, value, PyArray1::from_vec(py, found.length)))
}

#[pymethods]
impl Matrix {
    #[new]
    fn new(
        py: Python<'_>,
        indptr: PyReadonlyArray1<'_, i64>,
        term: PyReadonlyArray1<'_, u32>,
        value: PyReadonlyArray1<'_, f32>,
        terms: usize,
        bias: f32,
    ) -> PyResult<Self> {
        let (indptr, term, value) = (indptr.as_slice()?, term.as_slice()?, value.as_slice()?);
        py.detach(|| CoreMatrix::new(indptr, term, value, terms, bias)).map(Matrix).map_err(invalid)
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    /// How many terms there are.
    #[getter]
    fn terms(&self) -> usize {
        self.0.terms()
    }

    /// For each C: weights, a row a term and one for the bias, a column an output; and how each job ended.
    fn fit<'py>(
        &self,
        py: Python<'py>,
        asked: Asked,
        start: Option<Flat<f64>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Solution<'py>>> {
        let start = start.map(|start| start.to_vec(py)).transpose()?;
        let found = asked.run(py, self, progress, |problem, rules, watch| {
            fit::fit(problem, rules, &asked.cs, start.as_deref(), watch)
        })?;
        let to_python = |fitted: Fitted| {
            let ended = fitted.solved.iter().map(|solved| (solved.objective, solved.gap, solved.epochs)).collect();
            let columns = self.0.terms() + 1;
            let outputs = fitted.weights.len() / columns;
            Ok((PyArray1::from_vec(py, fitted.weights).reshape([columns, outputs])?, ended))
        };
        found.into_iter().map(to_python).collect()
    }

    /// For each output the C from which on some weight is not zero, with an L1 penalty.
    fn least_c(&self, py: Python<'_>, asked: Asked) -> PyResult<Vec<f64>> {
        asked.run(py, self, None, |problem, rules, _| Ok(fit::least_c(problem, rules)?))
    }

    /// For each C the scores of all rows, each by what was learnt from the rows of other folds.
    fn held_out<'py>(
        &self,
        py: Python<'py>,
        asked: Asked,
        folds: Flat<u32>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let folds = folds.to_vec(py)?;
        let found = asked
            .run(py, self, progress, |problem, rules, watch| fit::held_out(problem, rules, &asked.cs, &folds, watch))?;
        let rows = folds.len();
        let outputs = found.first().map_or(0, |scores| scores.len() / rows.max(1));
        PyArray1::from_vec(py, found.concat()).reshape([asked.cs.len(), rows, outputs])
    }

    /// For each C the scores of all rows by folds, each from the solution of all rows; and that solution.
    fn folded<'py>(
        &self,
        py: Python<'py>,
        asked: Asked,
        folds: Flat<u32>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<(Bound<'py, PyArray2<f64>>, Sums<'py>)>> {
        let folds = folds.to_vec(py)?;
        let found = asked
            .run(py, self, progress, |problem, rules, watch| fit::folded(problem, rules, &asked.cs, &folds, watch))?;
        let to_python = |of: fit::Folded| {
            let outputs = of.duals.ends.len() - 1;
            let scores = PyArray1::from_vec(py, of.scores).reshape([folds.len(), outputs])?;
            let Duals { ends, row, times } = of.duals;
            Ok((scores, (PyArray1::from_vec(py, ends), PyArray1::from_vec(py, row), PyArray1::from_vec(py, times))))
        };
        found.into_iter().map(to_python).collect()
    }

    /// The weights of a solution, a row a term and one for the bias, a column an output.
    fn weights<'py>(
        &self,
        py: Python<'py>,
        asked: Asked,
        duals: (Flat<i64>, Flat<u32>, Flat<f64>),
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (ends, row, times) = (duals.0.to_vec(py)?, duals.1.to_vec(py)?, duals.2.to_vec(py)?);
        let outputs = ends.len().saturating_sub(1);
        let duals = Duals { ends, row, times };
        let found = asked.run(py, self, None, |problem, _, _| Ok(fit::weights(problem, &duals)?))?;
        PyArray1::from_vec(py, found).reshape([self.0.terms() + 1, outputs])
    }
}

impl Asked {
    /// Calls `f` without the GIL; every now and then `progress` is told, and what it or a signal raises ends it.
    fn run<R: Send>(
        &self,
        py: Python<'_>,
        matrix: &Matrix,
        progress: Option<Py<PyAny>>,
        f: impl FnOnce(&Problem<'_>, &Rules, fit::Watch<'_>) -> Result<R, Unfit> + Send,
    ) -> PyResult<R> {
        let (label, cost) = (self.label.to_vec(py)?, self.cost.to_vec(py)?);
        let ends = self.ends.as_ref().map(|ends| ends.to_vec(py)).transpose()?;
        let label = match &ends {
            Some(ends) => Labels::Several { ends, label: &label },
            None => Labels::One(&label),
        };
        let problem = Problem { matrix: &matrix.0, label, labels: self.labels, cost: &cost };
        let rules = self.rules()?;
        let (told, raised) = (Mutex::new(Instant::now()), Mutex::new(None));
        let watch = |now: Progress| match told.try_lock() {
            Ok(mut told) if told.elapsed() >= OFTEN => {
                let result = Python::attach(|py| {
                    py.check_signals()?;
                    let Some(progress) = &progress else { return Ok(()) };
                    progress.call1(py, (now.jobs.0, now.jobs.1, now.steps, now.epoch, now.objective, now.gap)).map(drop)
                });
                *told = Instant::now();
                let is_raised = result.is_err();
                if let (Err(error), Ok(mut raised)) = (result, raised.lock()) {
                    *raised = Some(error);
                }
                is_raised
            }
            _ => raised.lock().is_ok_and(|raised| raised.is_some()),
        };
        let found = py.detach(|| f(&problem, &rules, &watch));
        found.map_err(|unfit| match (unfit, raised.into_inner()) {
            (Unfit::Stopped, Ok(Some(error))) => error,
            (Unfit::Stopped, _) => invalid(Invalid("the fit was stopped")),
            (Unfit::Invalid(error), _) => invalid(error),
        })
    }

    fn rules(&self) -> PyResult<Rules> {
        let loss = match self.loss.as_str() {
            "hinge" => Loss::Hinge,
            "squared_hinge" => Loss::SquaredHinge,
            "squared" => Loss::Squared,
            "logistic" => Loss::Logistic,
            "softmax" => Loss::Softmax,
            "multiclass_hinge" => Loss::Multiclass,
            _ => return Err(PyValueError::new_err("no such loss")),
        };
        let (l1, tolerance, epochs) = (self.l1, self.tolerance, self.epochs);
        let (seed, threads) = (self.seed, self.threads);
        let ratios = self.ratios.map(|(alpha, beta)| Ratios { alpha, beta });
        Ok(Rules { loss, ratios, l1, tolerance, epochs, seed, threads })
    }
}
