//! Programs that torch.export.save wrote.
use crate::convert;
use crate::error::check;
use crate::files::{c_path, entries};
use crate::tensor::copied;
use crate::{Result, Tensor, Type};
use std::ffi::CStr;
use std::fmt;
use std::path::Path;
use std::ptr::NonNull;
use thaten_sys as sys;

/// A program.  Its outputs may share memory with its weights, so that it stays in its thread.
pub struct Program(NonNull<sys::at_program>);

/// An input or output: its name, its type if it is a tensor, the least and the greatest size of each dimension.
#[derive(Clone, Debug)]
pub struct Info {
    pub name: String,
    pub element_type: Option<Type>,
    pub least: Vec<i64>,
    pub most: Vec<i64>,
}

impl Drop for Program {
    fn drop(&mut self) {
        unsafe { sys::at_program_free(self.0.as_ptr()) }
    }
}

unsafe fn info(raw: sys::at_program_info) -> Info {
    let name = CStr::from_ptr(raw.name).to_string_lossy().into_owned();
    Info { name, element_type: Type::of(raw.type_), least: copied(raw.least), most: copied(raw.most) }
}

impl Program {
    pub fn load(path: impl AsRef<Path>) -> Result<Program> {
        let path = c_path(path.as_ref())?;
        let raw = unsafe { sys::at_program_load(path.as_ptr()) };
        check()?;
        Ok(Program(NonNull::new(raw).expect("no error, and no program")))
    }

    /// The outputs; what is None in Python is None.
    pub fn run(&mut self, inputs: &[Tensor]) -> Result<Vec<Option<Tensor>>> {
        let list = unsafe { sys::at_program_run(self.0.as_ptr(), convert::tensors(inputs)) };
        check()?;
        let output = |i| unsafe {
            let raw = *(*list).data.add(i);
            (!raw.is_null()).then(|| Tensor::from_raw(sys::at_retain(raw)))
        };
        Ok((0..unsafe { (*list).count } as usize).map(output).collect())
    }

    pub fn inputs(&self) -> Vec<Info> {
        let program = self.0.as_ptr();
        unsafe { (0..sys::at_program_inputCount(program)).map(|i| info(sys::at_program_input(program, i))).collect() }
    }

    pub fn outputs(&self) -> Vec<Info> {
        let program = self.0.as_ptr();
        unsafe { (0..sys::at_program_outputCount(program)).map(|i| info(sys::at_program_output(program, i))).collect() }
    }

    /// The weights by name; to change one, copy to its tensor.
    pub fn parameters(&self) -> Vec<(String, Tensor)> {
        unsafe { entries(sys::at_program_parameters(self.0.as_ptr())) }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        unsafe {
            let text = sys::at_program_toString(self.0.as_ptr());
            if text.is_null() {
                sys::at_error_clear();
                return Err(fmt::Error);
            }
            let written = f.write_str(&CStr::from_ptr(text).to_string_lossy());
            sys::at_string_free(text);
            written
        }
    }
}
