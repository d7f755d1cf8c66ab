//! Mails from Python: bytes, and where mails stand in them.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use deciban_core::mail::judge::Judge;
use deciban_core::mail::lines::{Cuts, Lines, Where};
use deciban_core::mail::table::{self, Table};
use deciban_core::mail::{self, SEEDS};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{Flat, invalid};

/// The words of the mails that stand between places of some bytes: of each one text, with blanks between words.
#[pyfunction]
#[pyo3(name = "mail_words")]
pub fn words(py: Python<'_>, bytes: &[u8], places: Vec<(usize, usize)>, threads: usize) -> PyResult<Vec<String>> {
    let mails = between(bytes, &places)?;
    Ok(py.detach(|| mail::all(&mails, threads)))
}

/// Where each mail of an mbox file begins and ends.
#[pyfunction]
#[pyo3(name = "cut_mails")]
pub fn cut(py: Python<'_>, file: &[u8]) -> Vec<(usize, usize)> {
    py.detach(|| mail::boxes::cut(file))
}

fn between<'a>(bytes: &'a [u8], places: &[(usize, usize)]) -> PyResult<Vec<&'a [u8]>> {
    let mails: Option<Vec<&[u8]>> = places.iter().map(|&(start, end)| bytes.get(start..end)).collect();
    mails.ok_or_else(|| PyValueError::new_err("mails stand inside the bytes"))
}

/// The file of a table: what the words of a model weigh among all words, and among those of their kind.
#[pyfunction]
#[pyo3(name = "mail_table")]
#[allow(clippy::too_many_arguments)]
pub fn make_table<'py>(
    py: Python<'py>,
    model: [u8; table::NAME],
    labels: &[u8],
    seeds: [u64; SEEDS],
    numbers: [f64; table::NUMBERS],
    names: Flat<u8>,
    offsets: Flat<i64>,
    among_all: Flat<f64>,
    among_kind: Flat<f64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (names, offsets) = (names.to_vec(py)?, offsets.to_vec(py)?);
    let (among_all, among_kind) = (among_all.to_vec(py)?, among_kind.to_vec(py)?);
    let name = |ends: &[i64]| names.get(usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()?);
    let names: Option<Vec<&[u8]>> = offsets.windows(2).map(name).collect();
    let names = names.filter(|names| names.len() == among_all.len() && names.len() == among_kind.len());
    let names = names.ok_or_else(|| PyValueError::new_err("the weights do not fit the words"))?;
    let weights = among_all.iter().zip(&among_kind).map(|(&all, &kind)| (all as f32, kind as f32));
    let words = names.into_iter().zip(weights).map(|(name, (all, kind))| (name, all, kind));
    let file = table::build(&model, labels, seeds, numbers, words).map_err(invalid)?;
    Ok(PyBytes::new(py, &file))
}

/// The bytes of a table, from the beginning of a line of the cache on: where Python puts them, each of its places would
/// stand in two.
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
}

impl Aligned {
    const LINE: usize = 64;

    /// What can be read of something, which should be so many bytes.
    fn read(mut from: impl Read, length: usize) -> PyResult<Self> {
        let mut bytes: Vec<u8> = Vec::new();
        let room = bytes.try_reserve_exact(length.saturating_add(Self::LINE));
        room.map_err(|_| PyValueError::new_err("there is no room for the table"))?;
        let start = bytes.as_ptr().align_offset(Self::LINE).min(Self::LINE);
        bytes.resize(start, 0);
        from.read_to_end(&mut bytes)?;
        Ok(Aligned { bytes, start })
    }
}

/// A table, and which of its two labels is spam.
#[pyclass(frozen, module = "deciban._core")]
pub struct MailTable {
    file: Aligned,
    spam_is_second: bool,
}

impl MailTable {
    fn judge(&self) -> PyResult<Judge<'_>> {
        let table = Table::again(&self.file.bytes[self.file.start..]);
        table.and_then(|table| Judge::new(table, self.spam_is_second)).map_err(invalid)
    }

    fn of(file: Aligned, model: &[u8], spam: &[u8]) -> PyResult<Self> {
        let table = Table::of(&file.bytes[file.start..]).map_err(invalid)?;
        // Where the name of a model stands in its file is `modelfile.format`'s business: it is somewhere in its head.
        if !model.windows(table::NAME).any(|name| name == table.name) {
            return Err(PyValueError::new_err("it is a table of another model"));
        }
        let place = table.labels.split(|&byte| byte == b'\n').position(|label| label == spam);
        let place = place.filter(|&place| place < 2).ok_or_else(|| PyValueError::new_err("it has no such label"))?;
        let found = MailTable { spam_is_second: place == 1, file };
        found.judge().map(|_| ())?;
        Ok(found)
    }
}

#[pymethods]
impl MailTable {
    #[new]
    fn new(file: &[u8], model: &[u8], spam: &[u8]) -> PyResult<Self> {
        MailTable::of(Aligned::read(file, file.len())?, model, spam)
    }

    /// The table in a file.
    #[staticmethod]
    fn read(path: PathBuf, model: &[u8], spam: &[u8]) -> PyResult<Self> {
        let file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len())?;
        MailTable::of(Aligned::read(file, length)?, model, spam)
    }

    /// The decibans of the mails that stand between places of some bytes.
    fn decibans(
        &self,
        py: Python<'_>,
        bytes: &[u8],
        places: Vec<(usize, usize)>,
        threads: usize,
    ) -> PyResult<Vec<f64>> {
        let (judge, mails) = (self.judge()?, between(bytes, &places)?);
        Ok(py.detach(|| judge.all(&mails, threads)))
    }

    /// The decibans of a mail, and of each of its words.
    fn account(&self, py: Python<'_>, mail: &[u8]) -> PyResult<(f64, Vec<(String, f64)>)> {
        let judge = self.judge()?;
        Ok(py.detach(|| judge.account(mail)))
    }

    /// A line for each mail of an mbox file; nothing for a file that is none. It is read in parts, and never mapped: others
    /// may make it shorter meanwhile.
    #[allow(clippy::too_many_arguments)]
    fn lines<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        before: &[u8],
        after: &[u8],
        spam_above: f64,
        ham_below: f64,
        threads: usize,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let (judge, cuts, at) = (self.judge()?, Cuts { spam_above, ham_below }, Where { before, after });
        let mut file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let read = |part: &mut Vec<u8>, room: usize| {
            Python::attach(|py| py.check_signals())?;
            part.reserve_exact(room);
            PyResult::Ok((&mut file).take(room as u64).read_to_end(part)?)
        };
        let lines = py.detach(|| Lines { judge: &judge, cuts, at }.all(threads, length, read))?;
        Ok(lines.map(|lines| PyBytes::new(py, &lines)))
    }
}
