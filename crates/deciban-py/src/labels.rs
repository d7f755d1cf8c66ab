//! Labels of Python -> numbers, in order of first sight.

use std::collections::HashMap;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// Objects that were met lately, each with what was made of it: an object that is in a list stays what it is as long as
/// the list does, and most labels are one of a few objects, which need not be looked into again.
struct Recent<T>([(usize, T); 256]);

impl<T: Copy + Default> Recent<T> {
    fn new() -> Self {
        Recent([(0, T::default()); 256])
    }

    #[inline]
    fn of(&mut self, object: &Bound<'_, PyAny>, make: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        let address = object.as_ptr() as usize;
        let last = &mut self.0[address / 16 % 256];
        if last.0 != address {
            *last = (address, make()?);
        }
        Ok(last.1)
    }
}

/// The objects of a list, few of them more than once.
#[pyfunction]
pub(crate) fn nearly_distinct<'py>(list: &Bound<'py, PyList>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (mut recent, mut objects) = (Recent::new(), Vec::new());
    for object in list.iter() {
        recent.of(&object, || {
            objects.push(object.clone());
            Ok(())
        })?;
    }
    Ok(objects)
}

/// The labels so far, and their numbers.
#[derive(Default)]
pub(crate) struct Labels {
    numbers: HashMap<String, u32>,
}

impl Labels {
    /// The number of each label of a list.
    pub(crate) fn number(&mut self, labels: &Bound<'_, PyList>) -> PyResult<Vec<u32>> {
        let mut recent = Recent::new();
        let number = |(place, label)| recent.of(&label, || self.number_of(place, &label));
        labels.iter().enumerate().map(number).collect()
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
