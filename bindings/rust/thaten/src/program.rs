//! Programs that torch.export.save wrote.
use crate::convert;
use crate::error::check;
use crate::files::{c_path, entries};
use crate::plain::{program_result, program_runLists};
use crate::tensor::copied;
use crate::{Error, Result, Tensor, Type};
use std::ffi::CStr;
use std::fmt;
use std::path::Path;
use std::ptr::NonNull;
use thaten_sys as sys;

/// A program.  Its outputs may share memory with its weights, so that it stays in its thread.
pub struct Program(NonNull<sys::at_program>);

/// An input or output: its name, its type if it is a tensor or a list, the least and the greatest size of each dimension, which are
/// empty also if there may be any number of dimensions.
#[derive(Clone, Debug)]
pub struct Info {
    pub name: String,
    pub element_type: Option<Type>,
    pub least: Vec<i64>,
    pub most: Vec<i64>,
    /// Whether it is a list of such tensors.
    pub is_list: bool,
    /// Whether it may be missing.
    pub may_miss: bool,
}

impl Drop for Program {
    fn drop(&mut self) {
        unsafe { sys::at_program_free(self.0.as_ptr()) }
    }
}

unsafe fn info(raw: sys::at_program_info) -> Info {
    let name = CStr::from_ptr(raw.name).to_string_lossy().into_owned();
    Info {
        name,
        element_type: Type::of(raw.type_),
        least: copied(raw.least),
        most: copied(raw.most),
        is_list: raw.isList,
        may_miss: raw.mayMiss,
    }
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
        Ok(unsafe { convert::borrowed(*list) })
    }

    /// The outputs of a program some of whose inputs and outputs are lists: each is a list, of one tensor if it is no list
    /// itself.  An input that is missing, where the program allows that, is a list of None; an output that is missing, too.
    pub fn run_lists(&mut self, inputs: &[Vec<Option<Tensor>>]) -> Result<Vec<Vec<Option<Tensor>>>> {
        program_runLists(self, inputs)?;
        (0..unsafe { sys::at_program_outputCount(self.as_raw()) }).map(|i| program_result(self, i)).collect()
    }

    /// `run_lists` with inputs and outputs by name; an input without a list is missing.
    pub fn run_named(&mut self, inputs: &[(&str, Vec<Option<Tensor>>)]) -> Result<Vec<(String, Vec<Option<Tensor>>)>> {
        let names = self.inputs();
        if let Some((name, _)) = inputs.iter().find(|(name, _)| !names.iter().any(|info| info.name == *name)) {
            return Err(Error::argument(format!("run_named: the program has no input {name}")));
        }
        let given = |name: &str| inputs.iter().find(|(own, _)| *own == name).map_or_else(|| vec![None], |(_, list)| list.clone());
        let lists: Vec<_> = names.iter().map(|info| given(&info.name)).collect();
        let results = self.run_lists(&lists)?;
        Ok(self.outputs().into_iter().map(|info| info.name).zip(results).collect())
    }

    pub(crate) fn as_raw(&self) -> *mut sys::at_program {
        self.0.as_ptr()
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
