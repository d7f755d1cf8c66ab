//! Labels of Python -> numbers, in order of first sight.

use std::collections::HashMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// A power of two.
const RECENT: usize = 256;

/// The labels so far, and their numbers.
#[derive(Default)]
pub(crate) struct Labels {
    numbers: HashMap<String, u32>,
}

impl Labels {
    /// The number of each label of a list.
    ///
    /// Most labels are one of a few objects, which need not be looked into: an object that is in the list stays what it
    /// is as long as the list does.
    pub(crate) fn number(&mut self, labels: &Bound<'_, PyList>) -> PyResult<Vec<u32>> {
        let mut recent = [(0_usize, 0_u32); RECENT];
        let mut numbers = Vec::with_capacity(labels.len());
        for (place, label) in labels.iter().enumerate() {
            let object = label.as_ptr() as usize;
            let last = &mut recent[object / 16 % RECENT];
            if last.0 != object {
                *last = (object, self.number_of(place, &label)?);
            }
            numbers.push(last.1);
        }
        Ok(numbers)
    }

    fn number_of(&mut self, place: usize, label: &Bound<'_, PyAny>) -> PyResult<u32> {
        let string = label.cast::<PyString>().ok().and_then(|string| string.to_str().ok());
        let Some(string) = string else { return Err(PyTypeError::new_err(format!("labels[{place}] is no text"))) };
        if let Some(&number) = self.numbers.get(string) {
            return Ok(number);
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(string.to_owned(), number);
        Ok(number)
    }

    /// All labels, sorted, and for each number its label's place among them; there are none after it.
    pub(crate) fn take(&mut self) -> (Vec<String>, Vec<u32>) {
        let mut sorted: Vec<(String, u32)> = std::mem::take(&mut self.numbers).into_iter().collect();
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        (0..).zip(&sorted).for_each(|(place, &(_, number))| places[number as usize] = place);
        (sorted.into_iter().map(|(label, _)| label).collect(), places)
    }
}
