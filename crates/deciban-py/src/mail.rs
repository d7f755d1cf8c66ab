//! Mails from Python: bytes, and where mails stand in them.

use deciban_core::mail;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The words of the mails that stand between places of some bytes: of each one text, with blanks between words.
#[pyfunction]
#[pyo3(name = "mail_words")]
pub fn words(py: Python<'_>, bytes: &[u8], places: Vec<(usize, usize)>, threads: usize) -> PyResult<Vec<String>> {
    let mails: Option<Vec<&[u8]>> = places.iter().map(|&(start, end)| bytes.get(start..end)).collect();
    let mails = mails.ok_or_else(|| PyValueError::new_err("mails stand inside the bytes"))?;
    Ok(py.detach(|| mail::all(&mails, threads)))
}

/// Where each mail of an mbox file begins and ends.
#[pyfunction]
#[pyo3(name = "cut_mails")]
pub fn cut(py: Python<'_>, file: &[u8]) -> Vec<(usize, usize)> {
    py.detach(|| mail::boxes::cut(file))
}
