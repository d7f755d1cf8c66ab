//! `deciban._core`: deciban-core for Python. Conversion only: flat buffers in, flat buffers out, the GIL released.

mod arrow;
mod counting;
mod fit;
mod labels;
mod left_out;
mod mail;
mod mixture;
mod scoring;
mod search;
mod texts;
mod vectorise;

use std::ops::RangeInclusive;

use deciban_core::Invalid;
use deciban_core::accents::Accents;
use deciban_core::lexicon::{Lexicon as CoreLexicon, Names};
use deciban_core::properties::Properties;
use deciban_core::rows::{Rows, rows};
use deciban_core::terms::Terms as CoreTerms;
use deciban_core::tokens::Tokens;
use numpy::PyArray1;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyList;

use crate::texts::{Texts, strings};

pyo3::create_exception!(deciban._core, BadText, PyException, "A text is no text: its place in the list.");
pyo3::create_exception!(deciban._core, Unlearnt, PyException, "Counts would fall below zero: (term or None, label).");

type Array<'py, T> = Bound<'py, PyArray1<T>>;
/// NumPy's arrays, and what is mapped from a file without NumPy.
type Flat<T> = PyBuffer<T>;

fn invalid(error: Invalid) -> PyErr {
    PyValueError::new_err(error.0)
}

/// Finds NumPy before a long job whose arrays need it: a Ctrl-C that comes during the job could not be raised while it is
/// looked for, and would be a panic.
fn with_numpy(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    PyArray1::<u8>::from_slice(py, &[]);
    Ok(())
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
        with_numpy(py)?;
        let mut all = Rows::default();
        texts.in_runs_after(
            py,
            |bytes| self.0.expect(bytes),
            |slice| {
                all.append(rows(&self.0, slice, threads));
                Ok(())
            },
        )?;
        Ok((PyArray1::from_vec(py, all.indptr), PyArray1::from_vec(py, all.term), PyArray1::from_vec(py, all.count)))
    }
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Terms>()?;
    module.add_class::<Lexicon>()?;
    module.add_class::<scoring::Scorer>()?;
    module.add_class::<scoring::Descent>()?;
    module.add_class::<counting::Tally>()?;
    module.add_class::<mixture::Unlabelled>()?;
    module.add_class::<fit::Matrix>()?;
    module.add_class::<search::Search>()?;
    module.add_class::<texts::Column>()?;
    module.add("BadText", module.py().get_type::<BadText>())?;
    module.add("Unlearnt", module.py().get_type::<Unlearnt>())?;
    module.add_function(wrap_pyfunction!(counting::check_counts, module)?)?;
    module.add_function(wrap_pyfunction!(counting::check_part, module)?)?;
    module.add_function(wrap_pyfunction!(scoring::log_posterior, module)?)?;
    module.add_function(wrap_pyfunction!(scoring::calibrated, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::beyond, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::without, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::places, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::changes_elsewhere, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::parts_of_length, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::lengths, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::sorted_rows, module)?)?;
    module.add_function(wrap_pyfunction!(fit::seen, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::presences_left_out, module)?)?;
    module.add_function(wrap_pyfunction!(left_out::both_left_out, module)?)?;
    module.add_function(wrap_pyfunction!(counting::merge, module)?)?;
    module.add_function(wrap_pyfunction!(counting::by_label, module)?)?;
    module.add_function(wrap_pyfunction!(counting::looked_up, module)?)?;
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
