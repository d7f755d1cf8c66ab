//! Texts from Python: lists of `str` or of UTF-8 `bytes`, and Arrow columns of either, read where they stand.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array, new_empty_array};
use arrow_schema::{ArrowError, DataType};
use deciban_core::lexicon::Lexicon;
use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyIterator, PyList, PyString};

use crate::BadText;
use crate::arrow::Arrays;

/// Texts are taken from Python, and its signals looked at, each time about this many bytes have been read.
const BYTES_AT_ONCE: usize = 1 << 22;

/// How long signals wait while a thread counts.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
/// By how many texts it is guessed how long all are.
const FEW: usize = 64;
/// How many texts before it is taken one is brought near.
const AHEAD: usize = 16;

/// What texts come in.
pub enum Texts<'py> {
    List(Bound<'py, PyList>),
    /// A list in which nothing but `str` is a text.
    Strings(Bound<'py, PyList>),
    Column(Bound<'py, Column>),
}

impl<'py> FromPyObject<'_, 'py> for Texts<'py> {
    type Error = PyErr;

    fn extract(texts: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match texts.cast::<Column>() {
            Ok(column) => Ok(Texts::Column(column.to_owned())),
            Err(_) => Ok(Texts::List(texts.cast::<PyList>()?.to_owned())),
        }
    }
}

/// A text as the core takes it; none is copied. A box makes the rare one no larger than the usual one.
pub enum Text<'a> {
    Python(PyBackedStr),
    Bytes(Box<PyBackedBytes>),
    Column(&'a str),
}

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        match self {
            Text::Python(text) => text,
            Text::Bytes(bytes) => string(bytes).unwrap_or_default(),
            Text::Column(text) => text,
        }
    }
}

impl<'py> Texts<'py> {
    /// Calls `job` with run after run of texts without the GIL, and looks for Ctrl-C between them.
    pub fn in_runs(&self, py: Python<'py>, job: impl FnMut(&[Text<'_>]) -> PyResult<()> + Send) -> PyResult<()> {
        self.in_runs_of(py, BYTES_AT_ONCE, job)
    }

    /// The same, where terms of a lexicon are looked for: it is indexed first where there are enough texts.
    pub fn in_runs_for(
        &self,
        py: Python<'py>,
        lexicon: &Lexicon,
        job: impl FnMut(&[Text<'_>]) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        if self.is_long() {
            let bytes = self.about();
            py.detach(|| lexicon.expect(bytes));
        }
        self.in_runs(py, job)
    }

    /// Whether all are more than what is taken at once.
    pub fn is_long(&self) -> bool {
        self.about() > BYTES_AT_ONCE
    }

    /// About how many bytes there are in all, by a few texts of a list from all over it.
    fn about(&self) -> usize {
        let list = match self {
            Texts::List(list) | Texts::Strings(list) => list,
            Texts::Column(column) => return column.get().bytes(),
        };
        let step = list.len().div_ceil(FEW).max(1);
        let length = |place| list.get_item(place).and_then(|item| item.len()).unwrap_or(0);
        let (few, sum): (usize, usize) =
            (0..list.len()).step_by(step).fold((0, 0), |(few, sum), place| (few + 1, sum + length(place)));
        sum.checked_div(few).unwrap_or(0) * list.len()
    }

    /// The same with runs of about so many bytes.
    pub fn in_runs_of(
        &self,
        py: Python<'py>,
        bytes: usize,
        mut job: impl FnMut(&[Text<'_>]) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let mut run = |texts: &[Text<'_>]| {
            py.detach(|| job(texts))?;
            py.check_signals()
        };
        match self {
            Texts::List(list) | Texts::Strings(list) => {
                let (text, mut place) = (if let Texts::List(_) = self { text } else { string_object }, 0);
                while place < list.len() {
                    let texts = some(list, place, bytes, text)?;
                    place += texts.len();
                    run(&texts)?;
                }
            }
            Texts::Column(column) => {
                let texts = column.get().texts()?;
                let mut rest = texts.as_slice();
                while !rest.is_empty() {
                    let (texts, after) = rest.split_at(how_many(rest, bytes));
                    run(texts)?;
                    rest = after;
                }
            }
        }
        Ok(())
    }
}

/// Calls `job` with longer and longer runs of a list, of up to so many bytes, each on another thread, if there is one to
/// be had, while the next is taken from Python here. It is to stop when the flag says so, which Ctrl-C does.
pub fn in_runs_aside(
    list: &Bound<'_, PyList>,
    most: usize,
    job: impl FnMut(&[Text<'_>], &AtomicBool) -> PyResult<()> + Send,
) -> PyResult<()> {
    let (py, stop, job) = (list.py(), &AtomicBool::new(false), Mutex::new(job));
    let work = |texts: &[Text<'_>]| job.lock().unwrap_or_else(PoisonError::into_inner)(texts, stop);
    let (mut bytes, mut place, mut done) = (BYTES_AT_ONCE, 0, Vec::new());
    let mut texts = some(list, place, bytes, text)?;
    while !texts.is_empty() {
        (place, bytes) = (place + texts.len(), most.min(2 * bytes));
        let (is_done, here) = (&AtomicBool::new(false), thread::current());
        let next = thread::scope(|scope| {
            let run = || {
                let result = work(&texts);
                is_done.store(true, Ordering::Release);
                here.unpark();
                result
            };
            let Ok(counting) = thread::Builder::new().spawn_scoped(scope, run) else {
                return py.detach(|| work(&texts)).and_then(|()| some(list, place, bytes, text));
            };
            done.clear();
            let next = some(list, place, bytes, text);
            while !is_done.load(Ordering::Acquire) && !counting.is_finished() {
                py.detach(|| thread::park_timeout(BETWEEN_SIGNALS));
                py.check_signals().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
            match counting.join() {
                Ok(result) => result.and(next),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        done = mem::replace(&mut texts, next?);
    }
    py.check_signals()
}

/// How many texts there are in about so many bytes; at least one.
fn how_many(texts: &[Text<'_>], bytes: usize) -> usize {
    let mut sum = 0;
    let is_last = |text: &Text<'_>| {
        sum += text.as_ref().len();
        sum >= bytes
    };
    texts.iter().position(is_last).map_or(texts.len(), |last| last + 1)
}

type ToText = fn(usize, Bound<'_, PyAny>) -> PyResult<Text<'static>>;

/// Texts of about so many bytes from a place in a list on.
fn some(list: &Bound<'_, PyList>, first: usize, bytes: usize, text: ToText) -> PyResult<Vec<Text<'static>>> {
    let (mut texts, mut sum) = (Vec::new(), 0);
    while sum < bytes && first + texts.len() < list.len() {
        let place = first + texts.len();
        ask_for(list, place + AHEAD);
        let text = text(place, list.get_item(place)?)?;
        sum += text.as_ref().len();
        texts.push(text);
    }
    Ok(texts)
}

/// Brings an item of a list near, without waiting for it: strings lie scattered, and to take one is to write to it.
///
/// Waiting for them took a twentieth of the time of training on 100 MB of short texts, by a profile, and takes none any
/// more, which is what the exception from `unsafe_code` is for.
#[allow(unsafe_code)]
fn ask_for(list: &Bound<'_, PyList>, place: usize) {
    #[cfg(target_arch = "x86_64")]
    if place < list.len() {
        // SAFETY: the place is one of the list's, and what stands there is not looked at: a prefetch faults at no address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(pyo3::ffi::PyList_GetItem(list.as_ptr(), place as isize).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (list, place);
}

/// All strings of a list.
pub fn strings(list: &Bound<'_, PyList>) -> PyResult<Vec<Text<'static>>> {
    list.iter().enumerate().map(|(place, item)| string_object(place, item)).collect()
}

fn text(place: usize, item: Bound<'_, PyAny>) -> PyResult<Text<'static>> {
    match item.cast::<PyBytes>() {
        Ok(bytes) if string(bytes.as_bytes()).is_some() => Ok(Text::Bytes(Box::new(bytes.clone().into()))),
        Ok(_) => Err(BadText::new_err(place)),
        Err(_) => string_object(place, item),
    }
}

fn string_object(place: usize, item: Bound<'_, PyAny>) -> PyResult<Text<'static>> {
    match item.cast_into::<PyString>() {
        Ok(text) => match PyBackedStr::try_from(text) {
            Ok(text) => Ok(Text::Python(text)),
            Err(_) => Err(BadText::new_err(place)),
        },
        Err(_) => Err(BadText::new_err(place)),
    }
}

fn string(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A column of texts in Arrow's buffers: to Python, a sequence of `str` (of `bytes` if binary), `None` where it is null.
#[pyclass(frozen, module = "deciban._core")]
pub struct Column(Vec<Chunk>);

#[derive(Clone)]
struct Chunk {
    /// Of bytes, or a dictionary of such.
    array: ArrayRef,
    /// Whether they were said to be UTF-8.
    is_text: bool,
}

/// The column that an object hands over by Arrow's PyCapsule interface; None if it hands over none of texts.
#[pyfunction]
pub fn column(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Option<Column>> {
    let Arrays { kind, each } = match given.extract::<Arrays>() {
        Ok(arrays) => arrays,
        Err(error) if error.is_instance_of::<PyException>(py) => return Ok(None),
        Err(signal) => return Err(signal),
    };
    let kind = if let DataType::Dictionary(_, values) = kind { *values } else { kind };
    let Some(bytes) = as_bytes(&kind) else { return Ok(None) };
    let is_text = kind != bytes;
    let chunk = |array: Result<ArrayRef, ArrowError>| Ok(Chunk { array: checked_array(&array?, &bytes)?, is_text });
    let chunks = py.detach(|| each.map(chunk).collect::<Result<_, ArrowError>>());
    chunks.map(|chunks| Some(Column(chunks))).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The type of the same buffers without the claim that they are UTF-8.
fn as_bytes(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Utf8 | DataType::Binary => Some(DataType::Binary),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(DataType::LargeBinary),
        DataType::Utf8View | DataType::BinaryView => Some(DataType::BinaryView),
        _ => None,
    }
}

/// An array with its texts as bytes, every offset, view and key of it checked: what comes by C never was.
fn checked_array(array: &ArrayRef, bytes: &DataType) -> Result<ArrayRef, ArrowError> {
    let data = array.to_data();
    match array.as_any_dictionary_opt() {
        Some(dictionary) => {
            data.validate_data()?;
            Ok(dictionary.with_values(checked_array(dictionary.values(), bytes)?))
        }
        // Nothing is left of nothing's buffers, but it may still have an offset into them.
        None if array.is_empty() => Ok(new_empty_array(bytes)),
        None => Ok(make_array(data.into_builder().data_type(bytes.clone()).build()?)),
    }
}

impl Column {
    fn bytes(&self) -> usize {
        self.0.iter().map(|chunk| chunk.array.get_buffer_memory_size()).sum()
    }

    fn texts(&self) -> PyResult<Vec<Text<'_>>> {
        let mut all = Vec::with_capacity(self.__len__());
        for chunk in &self.0 {
            for text in each(&chunk.array, &|value| value.and_then(string)) {
                let text = text.ok_or_else(|| BadText::new_err(all.len()))?;
                all.push(Text::Column(text));
            }
        }
        Ok(all)
    }
}

impl Chunk {
    fn objects<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        each(&self.array, &|value| match (value, value.and_then(string)) {
            (None, _) => py.None().into_bound(py),
            (_, Some(text)) if self.is_text => PyString::new(py, text).into_any(),
            (Some(bytes), _) => PyBytes::new(py, bytes).into_any(),
        })
    }
}

/// What is made of each value of an array; in a dictionary, once of each entry.
fn each<'a, T: Clone>(array: &'a ArrayRef, make: &impl Fn(Option<&'a [u8]>) -> T) -> Vec<T> {
    match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().iter().map(make).collect(),
        DataType::LargeBinary => array.as_binary::<i64>().iter().map(make).collect(),
        DataType::BinaryView => array.as_binary_view().iter().map(make).collect(),
        _ => {
            let dictionary = array.as_any_dictionary();
            let entries = each(dictionary.values(), make);
            // Keys of an empty dictionary are all null, and cannot be asked for.
            let keys = if entries.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
            let value = |(place, key): (usize, usize)| match array.is_null(place) {
                true => make(None),
                false => entries[key].clone(),
            };
            keys.into_iter().enumerate().map(value).collect()
        }
    }
}

/// A value of an array alone: without the dictionary that it stands in.
fn one(array: &ArrayRef, place: usize) -> ArrayRef {
    let one = array.slice(place, 1);
    match one.as_any_dictionary_opt() {
        Some(dictionary) if one.is_valid(0) => dictionary.values().slice(dictionary.normalized_keys()[0], 1),
        _ => one,
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.iter().map(|chunk| chunk.array.len()).sum()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let mut rest = place;
        for chunk in &self.0 {
            if rest < chunk.array.len() {
                let one = Chunk { array: one(&chunk.array, rest), is_text: chunk.is_text };
                return Ok(one.objects(py).swap_remove(0));
            }
            rest -= chunk.array.len();
        }
        Err(PyIndexError::new_err(place))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let objects: Vec<_> = self.0.iter().flat_map(|chunk| chunk.objects(py)).collect();
        PyList::new(py, objects)?.try_iter()
    }

    fn __add__(&self, other: &Column) -> Column {
        Column([&self.0[..], &other.0[..]].concat())
    }
}
