//! Unlabelled texts for the E and M steps.

use deciban_core::mixture::Unlabelled as CoreUnlabelled;
use deciban_core::rows::Rows;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{Array, Flat, invalid};

/// Texts without labels, kept in the core as rows and as columns.
#[pyclass(frozen, module = "deciban._core")]
pub struct Unlabelled(CoreUnlabelled);

#[pymethods]
impl Unlabelled {
    #[new]
    fn new(
        py: Python<'_>,
        indptr: Flat<i64>,
        term: Flat<u32>,
        count: Flat<i64>,
        terms: usize,
        binary: bool,
    ) -> PyResult<Self> {
        let rows = Rows { indptr: indptr.to_vec(py)?, term: term.to_vec(py)?, count: count.to_vec(py)? };
        py.detach(|| CoreUnlabelled::new(rows, terms, binary)).map(Unlabelled).map_err(invalid)
    }

    /// The probability of each label for each text, flat, and the logarithm of each text's evidence.
    fn posteriors<'py>(
        &self,
        py: Python<'py>,
        weights: Flat<f64>,
        bias: Flat<f64>,
        threads: usize,
    ) -> PyResult<(Array<'py, f64>, Array<'py, f64>)> {
        let (weights, bias) = (weights.to_vec(py)?, bias.to_vec(py)?);
        let (posteriors, evidence) = py.detach(|| self.0.posteriors(&weights, &bias, threads)).map_err(invalid)?;
        Ok((PyArray1::from_vec(py, posteriors), PyArray1::from_vec(py, evidence)))
    }

    /// How often each term is expected under each label, flat, a row a term.
    fn expected<'py>(
        &self,
        py: Python<'py>,
        posteriors: Flat<f64>,
        labels: usize,
        threads: usize,
    ) -> PyResult<Array<'py, f64>> {
        let posteriors = posteriors.to_vec(py)?;
        let expected = py.detach(|| self.0.expected(&posteriors, labels, threads)).map_err(invalid)?;
        Ok(PyArray1::from_vec(py, expected))
    }
}
