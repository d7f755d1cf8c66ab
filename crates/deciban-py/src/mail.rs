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
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::{Flat, invalid};

/// Bytes of an mbox file that are read at once.
const AT_ONCE: usize = 1 << 20;

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

/// A table, and which of its two labels is spam.
#[pyclass(frozen, module = "deciban._core")]
pub struct MailTable {
    file: PyBackedBytes,
    spam_is_second: bool,
}

impl MailTable {
    fn judge(&self) -> PyResult<Judge<'_>> {
        Table::again(&self.file).and_then(|table| Judge::new(table, self.spam_is_second)).map_err(invalid)
    }
}

#[pymethods]
impl MailTable {
    #[new]
    fn new(file: PyBackedBytes, model: &[u8], spam: &[u8]) -> PyResult<Self> {
        let table = Table::of(&file).map_err(invalid)?;
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
        let (mut file, mut part, mut lines) = (File::open(path)?, Vec::new(), Lines::default());
        loop {
            let room = AT_ONCE.max(part.len());
            part.reserve_exact(room);
            let read = py.detach(|| (&mut file).take(room as u64).read_to_end(&mut part))?;
            if lines.mails == 0 && !part.starts_with(b"From ") {
                return Ok(None);
            }
            let left = py.detach(|| lines.add(&judge, &part, read < room, cuts, at, threads));
            if read < room {
                return Ok(Some(PyBytes::new(py, &lines.text)));
            }
            part.drain(..left);
            py.check_signals()?;
        }
    }
}
