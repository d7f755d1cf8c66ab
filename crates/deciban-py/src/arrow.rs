//! Arrow's PyCapsule interface: what an object hands over becomes arrays in its own buffers.
//!
//! Pointers come from capsules, whose names say what they point to; what stands behind them is checked by whoever reads
//! the arrays (`texts`). The crate `pyo3-arrow` would do this without a line of `unsafe` here; it brings 21 crates along that
//! nobody else needs, Arrow's casts, orders and time zones among them, which every clean build would compile.
#![allow(unsafe_code)]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Arrays of one kind, in order; a stream makes each as it is asked for.
pub struct Arrays {
    pub kind: DataType,
    pub each: Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>,
}

impl<'py> FromPyObject<'_, 'py> for Arrays {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (array, stream) = (intern!(given.py(), "__arrow_c_array__"), intern!(given.py(), "__arrow_c_stream__"));
        let arrays = if given.hasattr(array)? {
            let (schema, array): (Bound<'py, PyAny>, Bound<'py, PyAny>) = given.call_method0(array)?.extract()?;
            one(schema.cast()?, array.cast()?)?
        } else {
            several(given.call_method0(stream)?.cast()?)?
        };
        arrays.map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

fn one(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>) -> PyResult<Result<Arrays, ArrowError>> {
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold these structures (Arrow PyCapsule interface), and live while we read them.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    Ok(DataType::try_from(schema).and_then(|kind| {
        let array = taken(array, &kind)?;
        Ok(Arrays { kind, each: Box::new(std::iter::once(Ok(array))) })
    }))
}

fn several(stream: &Bound<'_, PyCapsule>) -> PyResult<Result<Arrays, ArrowError>> {
    let stream = stream.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds this structure.
    let mut stream = Stream(unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) });
    Ok(stream.kind().map(|kind| {
        let of = kind.clone();
        Arrays { kind, each: Box::new(std::iter::from_fn(move || stream.next(&of).transpose())) }
    }))
}

/// An array that has moved to us.
fn taken(array: FFI_ArrowArray, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    if array.is_released() {
        return Err(ArrowError::CDataInterface("the array was taken before".into()));
    }
    // SAFETY: whoever has the interface promises that the array is of the schema that came with it.
    unsafe { from_ffi_and_data_type(array, kind.clone()) }.map(make_array)
}

struct Stream(FFI_ArrowArrayStream);

impl Stream {
    fn kind(&mut self) -> Result<DataType, ArrowError> {
        let (get, mut schema) = (self.0.get_schema.ok_or_else(ended)?, FFI_ArrowSchema::empty());
        // SAFETY: the callback is asked for by the stream's own structure, and writes what C's stream interface says.
        match unsafe { get(&mut self.0, &mut schema) } {
            0 => DataType::try_from(&schema),
            code => Err(self.error(code)),
        }
    }

    /// The next array; None at the end.
    fn next(&mut self, kind: &DataType) -> Result<Option<ArrayRef>, ArrowError> {
        let (get, mut array) = (self.0.get_next.ok_or_else(ended)?, FFI_ArrowArray::empty());
        // SAFETY: as in `kind`.
        match unsafe { get(&mut self.0, &mut array) } {
            0 if array.is_released() => Ok(None),
            0 => taken(array, kind).map(Some),
            code => Err(self.error(code)),
        }
    }

    fn error(&mut self, code: i32) -> ArrowError {
        let words = self.0.get_last_error.and_then(|get| {
            // SAFETY: as in `kind`; the words, if any, end with a NUL and live until the next call.
            let words = unsafe { get(&mut self.0) };
            (!words.is_null()).then(|| unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned())
        });
        ArrowError::CDataInterface(words.unwrap_or_else(|| format!("error {code} of the stream")))
    }
}

fn ended() -> ArrowError {
    ArrowError::CDataInterface("the stream was read before".into())
}
