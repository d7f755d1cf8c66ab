//! The search for terms: documents in, errors out.

use deciban_core::search::{Given, Rule, Search as CoreSearch};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{Array, Flat, invalid};

/// Which terms are seen, and how many documents are wrong by them; see the core.
#[pyclass(module = "deciban._core")]
pub struct Search(CoreSearch);

#[pymethods]
impl Search {
    /// `by_term` are where the documents of each term begin, those documents, how often they have it, and how often
    /// each label shows it; `documents` the label of each, and how many each label has; `rule` one number of dice, or
    /// two of coins.
    #[new]
    fn new(
        py: Python<'_>,
        by_term: (Flat<i64>, Flat<u32>, Flat<f64>, Flat<f64>),
        documents: (Flat<u32>, Flat<f64>),
        prior: Flat<f64>,
        rule: (f64, Option<f64>),
    ) -> PyResult<Self> {
        let given = Given {
            indptr: by_term.0.to_vec(py)?,
            document: by_term.1.to_vec(py)?,
            count: by_term.2.to_vec(py)?,
            shown: by_term.3.to_vec(py)?,
            own: documents.0.to_vec(py)?,
            documents: documents.1.to_vec(py)?,
            prior: prior.to_vec(py)?,
            rule: match rule {
                (heads, Some(tails)) => Rule::Coins { heads, tails },
                (gamma, None) => Rule::Dice { gamma },
            },
        };
        CoreSearch::new(given).map(Search).map_err(invalid)
    }

    /// How many documents are wrong now.
    fn wrong(&self, py: Python<'_>) -> i64 {
        py.detach(|| self.0.wrong())
    }

    /// How many would be wrong if each term came, or went; -1 for those that cannot.
    fn wrong_with<'py>(&self, py: Python<'py>, come: bool, threads: usize) -> Array<'py, i64> {
        PyArray1::from_vec(py, py.detach(|| self.0.wrong_with(come, threads)))
    }

    /// Lets a term come, or go.
    fn toggle(&mut self, term: usize) -> PyResult<()> {
        self.0.toggle(term).map_err(invalid)
    }
}
