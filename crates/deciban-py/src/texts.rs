//! Texts from Python: lists of `str` or of UTF-8 `bytes`, and Arrow columns of either, read where they stand.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array, new_empty_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyException, PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyString, PyTuple};

use crate::BadText;
use crate::arrow::Arrays;

/// Texts are taken from Python, and its signals looked at, each time about this many bytes have been read.
pub(crate) const BYTES_AT_ONCE: usize = 1 << 22;
/// By how many texts it is guessed how long all are.
const FEW: usize = 64;
/// So many texts at once are brought near: the processor looks up several at once where they are.
const AT_ONCE: usize = 32;
/// How far from the start of a string it is told how it is kept.
#[cfg(target_arch = "x86_64")]
const HEAD: usize = 40;

/// What texts come in: a tuple, which nobody can change while its texts are read; a list is copied into one.
pub enum Texts<'py> {
    Objects(Bound<'py, PyTuple>),
    /// Of which nothing but `str` is a text.
    Strings(Bound<'py, PyTuple>),
    Column(Bound<'py, Column>),
}

impl<'py> FromPyObject<'_, 'py> for Texts<'py> {
    type Error = PyErr;

    fn extract(texts: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(column) = texts.cast::<Column>() {
            return Ok(Texts::Column(column.to_owned()));
        }
        match texts.cast::<PyTuple>() {
            Ok(tuple) => Ok(Texts::Objects(tuple.to_owned())),
            Err(_) => Ok(Texts::Objects(texts.cast::<PyList>()?.to_tuple())),
        }
    }
}

impl<'py> Texts<'py> {
    /// Those of a list of strings.
    pub fn strings(list: &Bound<'py, PyList>) -> Self {
        Texts::Strings(list.to_tuple())
    }

    /// Calls `job` with run after run of texts without the GIL, and looks for Ctrl-C between them.
    pub fn in_runs(&self, py: Python<'py>, job: impl FnMut(&[&str]) -> PyResult<()> + Send) -> PyResult<()> {
        self.in_runs_of(py, BYTES_AT_ONCE, job)
    }

    /// The same, where much is made ready first if there is much text: `expect` is told about how many bytes there are.
    pub fn in_runs_after<R>(
        &self,
        py: Python<'py>,
        expect: impl FnOnce(usize) -> R + Send,
        job: impl FnMut(&[&str]) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let bytes = self.about();
        if bytes > BYTES_AT_ONCE {
            py.detach(|| {
                expect(bytes);
            });
        }
        self.in_runs(py, job)
    }

    /// About how many bytes there are in all, by a few texts from all over.
    fn about(&self) -> usize {
        let items = match self {
            Texts::Objects(items) | Texts::Strings(items) => items,
            Texts::Column(column) => return column.get().bytes(),
        };
        let step = items.len().div_ceil(FEW).max(1);
        let length = |place| items.get_borrowed_item(place).and_then(|item| item.len()).unwrap_or(0);
        let (few, sum): (usize, usize) =
            (0..items.len()).step_by(step).fold((0, 0), |(few, sum), place| (few + 1, sum + length(place)));
        sum.checked_div(few).unwrap_or(0) * items.len()
    }

    /// The same with runs of about so many bytes.
    pub fn in_runs_of(
        &self,
        py: Python<'py>,
        bytes: usize,
        mut job: impl FnMut(&[&str]) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let mut run = |texts: &[&str]| {
            py.detach(|| job(texts))?;
            py.check_signals()
        };
        let (items, text): (_, ToText) = match self {
            Texts::Objects(items) => (items, text),
            Texts::Strings(items) => (items, string_object),
            Texts::Column(column) => {
                let texts = column.get().texts()?;
                let mut rest = texts.as_slice();
                while !rest.is_empty() {
                    let (texts, after) = rest.split_at(how_many(rest, bytes));
                    run(texts)?;
                    rest = after;
                }
                return Ok(());
            }
        };
        let (mut texts, mut place) = (Vec::new(), 0);
        while place < items.len() {
            texts.clear();
            take(items, place, bytes, text, &mut texts)?;
            place += texts.len();
            run(&texts)?;
        }
        Ok(())
    }
}

/// How many texts there are in about so many bytes; at least one.
fn how_many(texts: &[&str], bytes: usize) -> usize {
    let mut sum = 0;
    let is_last = |text: &&str| {
        sum += text.len();
        sum >= bytes
    };
    texts.iter().position(is_last).map_or(texts.len(), |last| last + 1)
}

type ToText = for<'a> fn(usize, &'a Bound<'_, PyAny>) -> PyResult<&'a str>;

/// Takes texts of about so many bytes, from a place on.
fn take<'a>(
    items: &'a Bound<'_, PyTuple>,
    first: usize,
    bytes: usize,
    text: ToText,
    texts: &mut Vec<&'a str>,
) -> PyResult<()> {
    let (mut sum, count) = (0, items.len());
    for place in first..count {
        if (place - first).is_multiple_of(AT_ONCE) {
            (place + 1..count.min(place + 1 + AT_ONCE)).for_each(|later| ask_for(items, later));
        }
        let found = as_long_as(items, text(place, &*items.get_borrowed_item(place)?)?);
        sum += found.len();
        texts.push(found);
        if sum >= bytes {
            break;
        }
    }
    Ok(())
}

/// All strings of a tuple.
pub fn strings<'a>(items: &'a Bound<'_, PyTuple>) -> PyResult<Vec<&'a str>> {
    let mut texts = Vec::with_capacity(items.len());
    take(items, 0, usize::MAX, string_object, &mut texts)?;
    Ok(texts)
}

/// A text of one of a tuple's items. Taking each as an object of its own took a sixth of the time of training on 100 MB of
/// short texts, by a profile, which is what the exception from `unsafe_code` is for.
#[inline]
#[allow(unsafe_code)]
fn as_long_as<'a>(_items: &'a Bound<'_, PyTuple>, text: &str) -> &'a str {
    // SAFETY: `str` and `bytes` never change, and the tuple, which never does either, keeps the item for as long as 'a.
    unsafe { std::mem::transmute::<&str, &'a str>(text) }
}

/// Brings an item near, without waiting for it: strings lie scattered.
///
/// Waiting for them took a twentieth of the time of training on 100 MB of short texts, by a profile, and takes none any
/// more, which is what the exception from `unsafe_code` is for.
#[inline]
#[allow(unsafe_code)]
fn ask_for(items: &Bound<'_, PyTuple>, place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Ok(item) = items.get_borrowed_item(place) {
        // SAFETY: what stands there is not looked at, and a prefetch faults at no address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(item.as_ptr().cast());
            // Half of all heads stand on two lines of the cache.
            _mm_prefetch::<_MM_HINT_T0>(item.as_ptr().cast::<i8>().wrapping_add(HEAD));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, place);
}

fn text<'a>(place: usize, item: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    string(item).or_else(|| utf8(item.cast::<PyBytes>().ok()?.as_bytes())).ok_or_else(|| BadText::new_err(place))
}

fn string_object<'a>(place: usize, item: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    string(item).ok_or_else(|| BadText::new_err(place))
}

fn string<'a>(item: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    item.cast::<PyString>().ok()?.to_str().ok()
}

fn utf8(bytes: &[u8]) -> Option<&str> {
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

    fn texts(&self) -> PyResult<Vec<&str>> {
        let mut all = Vec::with_capacity(self.__len__());
        for chunk in &self.0 {
            for text in each(&chunk.array, &|value| value.and_then(utf8)) {
                all.push(text.ok_or_else(|| BadText::new_err(all.len()))?);
            }
        }
        Ok(all)
    }
}

impl Chunk {
    fn objects<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        each(&self.array, &|value| match (value, value.and_then(utf8)) {
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
