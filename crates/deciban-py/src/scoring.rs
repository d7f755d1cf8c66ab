//! Scorecards, and what they say of texts and of rows.

use std::slice;
use std::sync::Arc;

use deciban_core::calibration::Calibration;
use deciban_core::decision;
use deciban_core::descent::{Descent as CoreDescent, Tree};
use deciban_core::held::Held;
use deciban_core::lexicon::Lexicon as CoreLexicon;
use deciban_core::pairs::Pairs;
use deciban_core::scaled::{Counting, Group, Scaling};
use deciban_core::scores::{Scorecard, Scorer as CoreScorer};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::buffer::Element;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::texts::Texts;
use crate::{Array, Flat, Lexicon, invalid, with_numpy};

/// Numbers for the core: a copy, or where they are lent and nobody may write to them, what they are themselves.
#[allow(unsafe_code)]
fn held<T: Element + Copy + Send + Sync + 'static>(py: Python<'_>, flat: Flat<T>, lent: bool) -> PyResult<Held<T>> {
    if !lent || !flat.readonly() || !flat.is_c_contiguous() || flat.item_count() == 0 {
        return Ok(flat.to_vec(py)?.into());
    }
    let (start, len) = (flat.buf_ptr().cast_const().cast(), flat.item_count());
    // SAFETY: the buffer was checked when it was taken: items of this type, aligned; here, that they stand together. It
    // stays where it is until it is given back, and whoever lends it says that nobody writes to it.
    Ok(unsafe { Held::lent(slice::from_raw_parts(start, len), Arc::new(flat)) })
}

/// A scorecard over a lexicon, laid out for adding.
#[pyclass(frozen, module = "deciban._core")]
pub(crate) struct Scorer {
    lexicon: Py<Lexicon>,
    scorer: CoreScorer,
}

/// Groups of weights from numbers: eight times how terms count, and the kinds of terms, the last two of them times 32.
fn groups_of(numbers: &[u32]) -> PyResult<Vec<Group>> {
    let counting = |number: u32| [Counting::Once, Counting::Each, Counting::Log].get(number as usize).copied();
    let group = |&number: &u32| {
        counting(number / 8 % 4).map(|counting| Group { counting, kinds: (number % 8) | ((number / 32) << 3) })
    };
    let groups: Option<_> = numbers.iter().map(group).collect();
    groups.ok_or_else(|| PyValueError::new_err("the scaling is not that of any rows"))
}

/// A calibration: its three numbers, or five with how steep it is after, origin, slopes, shifts, matrix and knots.
type Map = (Flat<f64>, Flat<f64>, Flat<f64>, Flat<f64>, Flat<f64>, Flat<f64>);

fn map_of(py: Python<'_>, (temper, origin, slope, shift, matrix, knots): &Map) -> PyResult<Calibration> {
    let (temper, steepness) = match temper.to_vec(py)?[..] {
        [t, a, g] => ([t, a, g], [0.0; 2]),
        [t, a, g, u, h] => ([t, a, g], [u, h]),
        _ => return Err(PyValueError::new_err("the calibration has neither three nor five numbers")),
    };
    Ok(Calibration {
        temper,
        steepness,
        origin: origin.to_vec(py)?,
        slope: slope.to_vec(py)?,
        shift: shift.to_vec(py)?,
        matrix: matrix.to_vec(py)?,
        knots: knots.to_vec(py)?,
    })
}

/// Scores, one row a text, that are calibrated; each text has so many known terms.
#[pyfunction]
pub(crate) fn calibrated<'py>(
    py: Python<'py>,
    scores: Flat<f64>,
    known: Flat<f64>,
    labels: usize,
    calibration: Map,
) -> PyResult<Array<'py, f64>> {
    let (mut scores, known, calibration) = (scores.to_vec(py)?, known.to_vec(py)?, map_of(py, &calibration)?);
    calibration.check(labels).map_err(invalid)?;
    if known.len().checked_mul(labels) != Some(scores.len()) {
        return Err(PyValueError::new_err("the scores do not fit the texts"));
    }
    py.detach(|| {
        for (row, &known) in scores.chunks_exact_mut(labels.max(1)).zip(&known) {
            calibration.apply(row, known);
        }
    });
    Ok(PyArray1::from_vec(py, scores))
}

type Top = Vec<Vec<(u32, f64)>>;
type Answers = Vec<(u32, Vec<f64>)>;

/// The scores of texts: one row a text, one column a label.
fn scores<'py>(
    py: Python<'py>,
    lexicon: &Py<Lexicon>,
    texts: &Texts<'py>,
    labels: usize,
    score: impl Fn(&CoreLexicon, &[&str]) -> Vec<f64> + Sync,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    with_numpy(py)?;
    let (lexicon, mut rows, mut all) = (&lexicon.bind(py).get().0, 0, Vec::new());
    texts.in_runs_after(
        py,
        |bytes| lexicon.expect(bytes),
        |slice| {
            rows += slice.len();
            all.extend(score(lexicon, slice));
            Ok(())
        },
    )?;
    PyArray1::from_vec(py, all).reshape([rows, labels])
}

/// Of each text the labels that are found, `width` of them, and their probabilities, which are found as logarithms.
fn top<'py>(
    py: Python<'py>,
    lexicon: &Py<Lexicon>,
    texts: &Texts<'py>,
    width: usize,
    find: impl Fn(&CoreLexicon, &[&str]) -> Vec<(u32, f64)> + Sync,
) -> PyResult<Top> {
    let (lexicon, mut all) = (&lexicon.bind(py).get().0, Vec::new());
    texts.in_runs_after(
        py,
        |bytes| lexicon.expect(bytes),
        |slice| {
            let found = find(lexicon, slice);
            all.extend(found.chunks(width).map(|row| row.iter().map(|&(label, log_p)| (label, log_p.exp())).collect()));
            Ok(())
        },
    )?;
    Ok(all)
}

/// Of each text the number of its most probable label, and the probability of every label.
fn answers<'py>(
    py: Python<'py>,
    lexicon: &Py<Lexicon>,
    texts: &Texts<'py>,
    labels: usize,
    score: impl Fn(&CoreLexicon, &[&str]) -> Vec<f64> + Sync,
) -> PyResult<Answers> {
    let (lexicon, mut all) = (&lexicon.bind(py).get().0, Vec::new());
    texts.in_runs_after(
        py,
        |bytes| lexicon.expect(bytes),
        |slice| {
            let scores = score(lexicon, slice);
            all.extend(decision::answers(&scores, labels).map(|found| (found.label, found.probabilities)));
            Ok(())
        },
    )?;
    Ok(all)
}

#[pymethods]
impl Scorer {
    #[new]
    #[pyo3(signature = (lexicon, bias, absent, indptr, label, weight, binary, pairs=None, scaling=None, calibration=None, lent=false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        lexicon: Py<Lexicon>,
        bias: Flat<f64>,
        absent: Flat<f64>,
        indptr: Flat<i64>,
        label: Flat<u32>,
        weight: Flat<f64>,
        binary: bool,
        pairs: Option<(Flat<u32>, Flat<u32>, Flat<f64>)>,
        scaling: Option<(Flat<f64>, Flat<u32>)>,
        calibration: Option<Map>,
        lent: bool,
    ) -> PyResult<Self> {
        let card = Scorecard {
            bias: bias.to_vec(py)?,
            absent: absent.to_vec(py)?,
            indptr: held(py, indptr, lent)?,
            label: held(py, label, lent)?,
            weight: held(py, weight, lent)?,
            binary,
        };
        let terms = lexicon.bind(py).get().0.names().len();
        let mut scorer = if let Some((length, groups)) = scaling {
            let scaling = Scaling { length: length.to_vec(py)?, groups: groups_of(&groups.to_vec(py)?)? };
            CoreScorer::scaled(card, scaling, &lexicon.bind(py).get().0)
        } else {
            CoreScorer::new(card, terms)
        };
        if let Some((first, second, weight)) = pairs {
            let pairs = Pairs { first: first.to_vec(py)?, second: second.to_vec(py)?, weight: weight.to_vec(py)? };
            scorer = scorer.and_then(|scorer| scorer.with_pairs(pairs));
        }
        if let Some(map) = calibration {
            let calibration = map_of(py, &map)?;
            scorer = scorer.and_then(|scorer| scorer.calibrated(calibration));
        }
        Ok(Scorer { scorer: scorer.map_err(invalid)?, lexicon })
    }

    /// The scores of texts: one row a text, one column a label.
    fn scores<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let score = |lexicon: &_, slice: &[&str]| self.scorer.scores(lexicon, slice, threads);
        scores(py, &self.lexicon, &texts, self.scorer.labels(), score)
    }

    /// The label with the greatest score, for each text.
    fn best<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'py>,
        threads: usize,
        labels: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (lexicon, mut all) = (&self.lexicon.bind(py).get().0, Vec::new());
        texts.in_runs_after(
            py,
            |bytes| self.scorer.expect(lexicon, bytes),
            |slice| {
                all.extend(self.scorer.best(lexicon, slice, threads));
                Ok(())
            },
        )?;
        if all.iter().any(|&number| number as usize >= labels.len()) {
            return Err(PyValueError::new_err("there are fewer labels than the scorecard has"));
        }
        let labels: Vec<_> = labels.iter().collect();
        PyList::new(py, all.iter().map(|&number| &labels[number as usize]))
    }

    /// For each text the numbers of its most probable labels, in falling order, and their probabilities.
    fn top<'py>(&self, py: Python<'py>, texts: Texts<'py>, most: usize, threads: usize) -> PyResult<Top> {
        let width = most.clamp(1, self.scorer.labels().max(1));
        let find = |lexicon: &_, slice: &[&str]| self.scorer.top(lexicon, slice, width, threads);
        top(py, &self.lexicon, &texts, width, find)
    }

    /// For each text the number of its most probable label, and the probability of every label.
    fn answers<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Answers> {
        let score = |lexicon: &_, slice: &[&str]| self.scorer.scores(lexicon, slice, threads);
        answers(py, &self.lexicon, &texts, self.scorer.labels(), score)
    }

    /// The scores of rows: one row a text, one column a label.
    fn scores_of_rows<'py>(
        &self,
        py: Python<'py>,
        indptr: Flat<i64>,
        term: Flat<u32>,
        count: Flat<i64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (indptr, term, count) = (indptr.to_vec(py)?, term.to_vec(py)?, count.to_vec(py)?);
        let all = py.detach(|| self.scorer.scores_of_rows(&indptr, &term, &count)).map_err(invalid)?;
        PyArray1::from_vec(py, all).reshape([indptr.len() - 1, self.scorer.labels()])
    }
}

/// A scorecard of the nodes of a tree of labels.
#[pyclass(frozen, module = "deciban._core")]
pub(crate) struct Descent {
    lexicon: Py<Lexicon>,
    descent: CoreDescent,
}

#[pymethods]
impl Descent {
    #[new]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        lexicon: Py<Lexicon>,
        bias: Flat<f64>,
        absent: Flat<f64>,
        indptr: Flat<i64>,
        label: Flat<u32>,
        weight: Flat<f64>,
        binary: bool,
        tree: (Flat<u32>, Flat<u32>),
        temper: [f64; 2],
    ) -> PyResult<Self> {
        let card = Scorecard {
            bias: bias.to_vec(py)?,
            absent: absent.to_vec(py)?,
            indptr: indptr.to_vec(py)?.into(),
            label: label.to_vec(py)?.into(),
            weight: weight.to_vec(py)?.into(),
            binary,
        };
        let tree = Tree { first: tree.0.to_vec(py)?, label: tree.1.to_vec(py)? };
        let terms = lexicon.bind(py).get().0.names().len();
        let descent = CoreDescent::new(card, tree, terms, temper).map_err(invalid)?;
        Ok(Descent { lexicon, descent })
    }

    /// The log probabilities of labels: one row a text, one column a label.
    fn scores<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let score = |lexicon: &_, slice: &[&str]| self.descent.scores(lexicon, slice, threads);
        scores(py, &self.lexicon, &texts, self.descent.labels(), score)
    }

    /// For each text the numbers of its most probable labels, in falling order, and their probabilities.
    fn top<'py>(&self, py: Python<'py>, texts: Texts<'py>, most: usize, threads: usize) -> PyResult<Top> {
        let width = most.clamp(1, self.descent.labels().max(1));
        let find = |lexicon: &_, slice: &[&str]| self.descent.top(lexicon, slice, width, threads);
        top(py, &self.lexicon, &texts, width, find)
    }

    /// For each text the number of its most probable label, and the probability of every label.
    fn answers<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Answers> {
        let score = |lexicon: &_, slice: &[&str]| self.descent.scores(lexicon, slice, threads);
        answers(py, &self.lexicon, &texts, self.descent.labels(), score)
    }

    /// Of rows, the log probability of each node among its siblings: one row a row, one column a node.
    fn decisions<'py>(
        &self,
        py: Python<'py>,
        indptr: Flat<i64>,
        term: Flat<u32>,
        count: Flat<i64>,
    ) -> PyResult<Array<'py, f64>> {
        let (indptr, term, count) = (indptr.to_vec(py)?, term.to_vec(py)?, count.to_vec(py)?);
        let all = py.detach(|| self.descent.decisions(&indptr, &term, &count)).map_err(invalid)?;
        Ok(PyArray1::from_vec(py, all))
    }
}

/// Scores, one row a text of so many labels, as log probabilities.
#[pyfunction]
pub(crate) fn log_posterior<'py>(py: Python<'py>, scores: Flat<f64>, labels: usize) -> PyResult<Array<'py, f64>> {
    let mut rows = scores.to_vec(py)?;
    rows.chunks_exact_mut(labels.max(1)).for_each(decision::log_posterior);
    Ok(PyArray1::from_vec(py, rows))
}
