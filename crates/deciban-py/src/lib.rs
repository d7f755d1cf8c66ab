//! `deciban._core`: deciban-core for Python. Conversion only: flat buffers in, flat buffers out, the GIL released.

mod arrow;
mod fit;
mod labels;
mod left_out;
mod mail;
mod mixture;
mod search;
mod texts;
mod vectorise;

use std::ops::RangeInclusive;
use std::sync::Mutex;

use deciban_core::Invalid;
use deciban_core::accents::Accents;
use deciban_core::calibration::Calibration;
use deciban_core::counts::{self, Counts, Unlearnt as CoreUnlearnt, check};
use deciban_core::decision;
use deciban_core::descent::{Descent as CoreDescent, Tree};
use deciban_core::lexicon::{Index, Lexicon as CoreLexicon, Names};
use deciban_core::pairs::Pairs;
use deciban_core::properties::Properties;
use deciban_core::rows::{Rows, rows};
use deciban_core::scaled::{Counting, Group, Scaling};
use deciban_core::scores::{Scorecard, Scorer as CoreScorer};
use deciban_core::tally::Tally as CoreTally;
use deciban_core::terms::Terms as CoreTerms;
use deciban_core::tokens::Tokens;
use labels::Labels;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyList, PyTuple};

use crate::texts::{Texts, strings};

pyo3::create_exception!(deciban._core, BadText, PyException, "A text is no text: its place in the list.");
pyo3::create_exception!(deciban._core, Unlearnt, PyException, "Counts would fall below zero: (term or None, label).");

/// How many bytes of text are counted at once: the more, the fewer times is each label begun.
const BYTES_COUNTED_AT_ONCE: usize = 1 << 26;

type Array<'py, T> = Bound<'py, PyArray1<T>>;
/// NumPy's arrays, and what is mapped from a file without NumPy.
type Flat<T> = PyBuffer<T>;

fn invalid(error: Invalid) -> PyErr {
    PyValueError::new_err(error.0)
}

/// What is seen of a text.
#[pyclass(frozen, module = "deciban._core")]
struct Terms(CoreTerms);

fn lengths(given: Option<(usize, usize)>) -> PyResult<Option<RangeInclusive<usize>>> {
    match given {
        Some((low, high)) if !(1..=64).contains(&low) || !(low..=64).contains(&high) => {
            Err(PyValueError::new_err("lengths of n-grams run from 1 to 64"))
        }
        given => Ok(given.map(|(low, high)| low..=high)),
    }
}

#[pymethods]
impl Terms {
    #[new]
    #[pyo3(signature = (*, tokens="word", words=None, edges=false, chars=None, chars_across=None, lowercase=true, accents="keep", stop=None, properties=None, hash_bits=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        tokens: &str,
        words: Option<(usize, usize)>,
        edges: bool,
        chars: Option<(usize, usize)>,
        chars_across: Option<(usize, usize)>,
        lowercase: bool,
        accents: &str,
        stop: Option<&Bound<'_, PyList>>,
        properties: Option<Vec<(PyBackedStr, Vec<PyBackedStr>)>>,
        hash_bits: Option<u32>,
    ) -> PyResult<Self> {
        let tokens = match tokens {
            "word" => Tokens::Word,
            "run" => Tokens::Run,
            "unicode" => Tokens::Unicode,
            "marks" => Tokens::Marks,
            "whitespace" => Tokens::Whitespace,
            _ => return Err(PyValueError::new_err("tokens are cut by word, run, unicode, marks or whitespace")),
        };
        let accents = match accents {
            "keep" => Accents::Keep,
            "fold" => Accents::Fold,
            "ascii" => Accents::Ascii,
            _ => return Err(PyValueError::new_err("accents are to keep, to fold, or to fold to ascii")),
        };
        if hash_bits.is_some_and(|bits| !(1..=31).contains(&bits)) {
            return Err(PyValueError::new_err("terms are hashed to 1 to 31 bits"));
        }
        let named =
            properties.iter().flatten().map(|(name, list)| (&**name, list.iter().map(|word| &**word).collect()));
        let properties = Properties::new(named, accents).map_err(invalid)?;
        let stop = stop.map(PyListMethods::to_tuple);
        let stop = stop.as_ref().map(strings).transpose()?.unwrap_or_default();
        Ok(Terms(CoreTerms {
            tokens,
            words: lengths(words)?,
            edges,
            chars: lengths(chars)?,
            chars_across: lengths(chars_across)?,
            lowercase,
            accents,
            stop: stop.into_iter().collect(),
            properties,
            hash_bits,
        }))
    }

    /// The name that a term which is seen has in a lexicon.
    fn known_as(&self, name: &str) -> String {
        self.0.known_as(name)
    }

    /// All terms of a text in order: (name, start, end), places counted in characters.
    fn seen(&self, text: &str) -> Vec<(String, usize, usize)> {
        let mut characters = vec![0; text.len() + 1];
        for (number, (at, c)) in text.char_indices().enumerate() {
            characters[at] = number;
            characters[at + c.len_utf8()] = number + 1;
        }
        let place =
            |seen: deciban_core::terms::Seen| (seen.name, characters[seen.span.start], characters[seen.span.end]);
        self.0.seen(text).into_iter().map(place).collect()
    }
}

/// Sorted terms, and the way from a text to their places.
#[pyclass(frozen, module = "deciban._core")]
struct Lexicon(CoreLexicon);

#[pymethods]
impl Lexicon {
    #[new]
    fn new(py: Python<'_>, terms: &Terms, bytes: Flat<u8>, offsets: Flat<i64>) -> PyResult<Self> {
        let names = Names::new(bytes.to_vec(py)?, offsets.to_vec(py)?).map_err(invalid)?;
        Ok(Lexicon(CoreLexicon::new(terms.0.clone(), names).map_err(invalid)?))
    }

    fn __len__(&self) -> usize {
        self.0.names().len()
    }

    fn __eq__(&self, other: &Lexicon) -> bool {
        self.0.terms() == other.0.terms() && self.0.names() == other.0.names()
    }

    /// All names in order.
    fn names(&self) -> Vec<&str> {
        self.0.names().iter().collect()
    }

    /// The name at a place.
    fn name(&self, place: usize) -> Option<&str> {
        self.0.names().get(place)
    }

    /// The place of a name.
    fn place(&self, name: &str) -> Option<usize> {
        self.0.place(name)
    }

    /// The flat buffers: bytes and offsets.
    fn buffers<'py>(&self, py: Python<'py>) -> (Array<'py, u8>, Array<'py, i64>) {
        let (bytes, offsets) = self.0.names().buffers();
        (PyArray1::from_slice(py, bytes), PyArray1::from_slice(py, offsets))
    }

    /// One sparse row a text: (indptr, term, count).
    #[allow(clippy::type_complexity)]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'py>,
        threads: usize,
    ) -> PyResult<(Array<'py, i64>, Array<'py, u32>, Array<'py, i64>)> {
        let mut all = Rows::default();
        texts.in_runs_for(py, &self.0, |slice| {
            all.append(rows(&self.0, slice, threads));
            Ok(())
        })?;
        Ok((PyArray1::from_vec(py, all.indptr), PyArray1::from_vec(py, all.term), PyArray1::from_vec(py, all.count)))
    }
}

/// A scorecard over a lexicon, laid out for adding.
#[pyclass(frozen, module = "deciban._core")]
struct Scorer {
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
fn calibrated<'py>(
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

#[pymethods]
impl Scorer {
    #[new]
    #[pyo3(signature = (lexicon, bias, absent, indptr, label, weight, binary, pairs=None, scaling=None, calibration=None))]
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
    ) -> PyResult<Self> {
        let card = Scorecard {
            bias: bias.to_vec(py)?,
            absent: absent.to_vec(py)?,
            indptr: indptr.to_vec(py)?,
            label: label.to_vec(py)?,
            weight: weight.to_vec(py)?,
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
        let (lexicon, mut rows, mut all) = (&self.lexicon.bind(py).get().0, 0, Vec::new());
        texts.in_runs_for(py, lexicon, |slice| {
            rows += slice.len();
            all.extend(self.scorer.scores(lexicon, slice, threads));
            Ok(())
        })?;
        PyArray1::from_vec(py, all).reshape([rows, self.scorer.labels()])
    }

    /// The label with the greatest score, for each text.
    fn best<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'py>,
        threads: usize,
        labels: &Bound<'py, PyTuple>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let (lexicon, mut all) = (&self.lexicon.bind(py).get().0, Vec::new());
        texts.in_runs_for(py, lexicon, |slice| {
            all.extend(self.scorer.best(lexicon, slice, threads));
            Ok(())
        })?;
        all.into_iter().map(|number| labels.get_item(number as usize)).collect()
    }

    /// For each text the numbers of its most probable labels, in falling order, and their probabilities.
    fn top<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'py>,
        most: usize,
        threads: usize,
    ) -> PyResult<Vec<Vec<(u32, f64)>>> {
        let (lexicon, mut all) = (&self.lexicon.bind(py).get().0, Vec::new());
        let width = most.clamp(1, self.scorer.labels().max(1));
        texts.in_runs_for(py, lexicon, |slice| {
            let found = self.scorer.top(lexicon, slice, width, threads);
            all.extend(found.chunks(width).map(|row| row.iter().map(|&(label, log_p)| (label, log_p.exp())).collect()));
            Ok(())
        })?;
        Ok(all)
    }

    /// For each text the number of its most probable label, and the probability of every label.
    fn answers<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Vec<(u32, Vec<f64>)>> {
        let (lexicon, mut all) = (&self.lexicon.bind(py).get().0, Vec::new());
        texts.in_runs_for(py, lexicon, |slice| {
            let scores = self.scorer.scores(lexicon, slice, threads);
            all.extend(
                decision::answers(&scores, self.scorer.labels()).map(|found| (found.label, found.probabilities)),
            );
            Ok(())
        })?;
        Ok(all)
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
struct Descent {
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
            indptr: indptr.to_vec(py)?,
            label: label.to_vec(py)?,
            weight: weight.to_vec(py)?,
            binary,
        };
        let tree = Tree { first: tree.0.to_vec(py)?, label: tree.1.to_vec(py)? };
        let terms = lexicon.bind(py).get().0.names().len();
        let descent = CoreDescent::new(card, tree, terms, temper).map_err(invalid)?;
        Ok(Descent { lexicon, descent })
    }

    /// The log probabilities of labels: one row a text, one column a label.
    fn scores<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (lexicon, mut rows, mut all) = (&self.lexicon.bind(py).get().0, 0, Vec::new());
        texts.in_runs_for(py, lexicon, |slice| {
            rows += slice.len();
            all.extend(self.descent.scores(lexicon, slice, threads));
            Ok(())
        })?;
        PyArray1::from_vec(py, all).reshape([rows, self.descent.labels()])
    }

    /// For each text the numbers of its most probable labels, in falling order, and their probabilities.
    fn top<'py>(
        &self,
        py: Python<'py>,
        texts: Texts<'py>,
        most: usize,
        threads: usize,
    ) -> PyResult<Vec<Vec<(u32, f64)>>> {
        let (lexicon, mut all) = (&self.lexicon.bind(py).get().0, Vec::new());
        let width = most.clamp(1, self.descent.labels().max(1));
        texts.in_runs_for(py, lexicon, |slice| {
            let found = self.descent.top(lexicon, slice, width, threads);
            all.extend(found.chunks(width).map(|row| row.iter().map(|&(label, log_p)| (label, log_p.exp())).collect()));
            Ok(())
        })?;
        Ok(all)
    }

    /// For each text the number of its most probable label, and the probability of every label.
    fn answers<'py>(&self, py: Python<'py>, texts: Texts<'py>, threads: usize) -> PyResult<Vec<(u32, Vec<f64>)>> {
        let (lexicon, mut all) = (&self.lexicon.bind(py).get().0, Vec::new());
        texts.in_runs_for(py, lexicon, |slice| {
            let scores = self.descent.scores(lexicon, slice, threads);
            all.extend(
                decision::answers(&scores, self.descent.labels()).map(|found| (found.label, found.probabilities)),
            );
            Ok(())
        })?;
        Ok(all)
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

type Buffers<'py> =
    (Bound<'py, Lexicon>, Array<'py, i64>, Array<'py, i64>, Array<'py, u32>, Array<'py, i64>, Array<'py, i64>);
type Views<'py> = (Bound<'py, Lexicon>, Flat<i64>, Flat<i64>, Flat<u32>, Flat<i64>, Flat<i64>);
/// Documents, occurrences and presences.
type Counted = (Flat<i64>, Flat<i64>, Flat<i64>);

fn counts_to_python(py: Python<'_>, terms: CoreTerms, counts: Counts, index: Option<Index>) -> PyResult<Buffers<'_>> {
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
fn check_counts(py: Python<'_>, counts: Views<'_>, partial: bool) -> PyResult<()> {
    let (lexicon, documents, indptr, label, occurrences, presences) = counts;
    let (documents, indptr, label) = (documents.to_vec(py)?, indptr.to_vec(py)?, label.to_vec(py)?);
    let (occurrences, presences) = (occurrences.to_vec(py)?, presences.to_vec(py)?);
    check(lexicon.get().0.names().len(), &documents, &indptr, &label, &occurrences, &presences, partial)
        .map_err(invalid)
}

/// Refuses what cannot be counts of some of the documents of counts that were checked.
#[pyfunction]
fn check_part(py: Python<'_>, label: Flat<u32>, whole: Counted, part: Counted) -> PyResult<()> {
    let to_vecs = |(n, occurs, is_in): Counted| PyResult::Ok((n.to_vec(py)?, occurs.to_vec(py)?, is_in.to_vec(py)?));
    let (label, whole, part) = (label.to_vec(py)?, to_vecs(whole)?, to_vecs(part)?);
    counts::check_part(&label, (&whole.0, &whole.1, &whole.2), (&part.0, &part.1, &part.2)).map_err(invalid)
}

/// Scores, one row a text of so many labels, as log probabilities.
#[pyfunction]
fn log_posterior<'py>(py: Python<'py>, scores: Flat<f64>, labels: usize) -> PyResult<Array<'py, f64>> {
    let mut rows = scores.to_vec(py)?;
    rows.chunks_exact_mut(labels.max(1)).for_each(decision::log_posterior);
    Ok(PyArray1::from_vec(py, rows))
}

/// The sum or the difference of two counts, whose labels get new numbers among `labels` labels.
#[pyfunction]
fn merge<'py>(
    py: Python<'py>,
    a: (Views<'py>, Flat<u32>),
    b: (Views<'py>, Flat<u32>),
    labels: usize,
    subtract: bool,
) -> PyResult<Buffers<'py>> {
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

/// Counts under way.
#[pyclass(module = "deciban._core")]
struct Tally {
    tally: CoreTally,
    labels: Labels,
}

#[pymethods]
impl Tally {
    #[new]
    fn new(terms: &Terms, threads: usize) -> Self {
        Tally { tally: CoreTally::new(terms.0.clone(), threads), labels: Labels::default() }
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

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Terms>()?;
    module.add_class::<Lexicon>()?;
    module.add_class::<Scorer>()?;
    module.add_class::<Descent>()?;
    module.add_class::<Tally>()?;
    module.add_class::<mixture::Unlabelled>()?;
    module.add_class::<fit::Matrix>()?;
    module.add_class::<search::Search>()?;
    module.add_class::<texts::Column>()?;
    module.add("BadText", module.py().get_type::<BadText>())?;
    module.add("Unlearnt", module.py().get_type::<Unlearnt>())?;
    module.add_function(wrap_pyfunction!(check_counts, module)?)?;
    module.add_function(wrap_pyfunction!(check_part, module)?)?;
    module.add_function(wrap_pyfunction!(log_posterior, module)?)?;
    module.add_function(wrap_pyfunction!(calibrated, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::beyond, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::without, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::places, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::changes_elsewhere, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::parts_of_length, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::lengths, module)?)?;
    module.add_function(wrap_pyfunction!(fit::seen, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::presences_left_out, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::both_left_out, module)?)?;
    module.add_function(wrap_pyfunction!(merge, module)?)?;
    module.add_function(wrap_pyfunction!(mail::cut, module)?)?;
    module.add_function(wrap_pyfunction!(mail::words, module)?)?;
    module.add_function(wrap_pyfunction!(mail::make_table, module)?)?;
    module.add_class::<mail::MailTable>()?;
    module.add_function(wrap_pyfunction!(texts::column, module)?)?;
    module.add_function(wrap_pyfunction!(labels::nearly_distinct, module)?)?;
    module.add_class::<vectorise::Vocabulary>()?;
    module.add_class::<vectorise::Vectorised>()?;
    module.add_function(wrap_pyfunction!(vectorise::hashed, module)?)?;
    module.add_function(wrap_pyfunction!(vectorise::words_and_runs, module)?)?;
    Ok(())
}
