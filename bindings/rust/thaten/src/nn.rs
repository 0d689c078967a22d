//! Modules: `nn::Linear(2, 8)?`, `nn::Linear_with(8, 1, &nn::LinearOptions::new().bias(false))?`.
#![allow(non_snake_case, clippy::all)] // names are ATen's

use crate::error::check;
use crate::files::{c_path, c_string, dict_of, entries, Dict};
use crate::{convert, Error, Generator, Result, Tensor, Type};
use std::borrow::Borrow;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::path::Path;
use std::{fmt, ptr};
use thaten_sys as sys;

/// A reference to a module: parameters, children and a forward function.  A clone is another one to the same module.
pub struct Module(ptr::NonNull<sys::at_module>);

impl Drop for Module {
    fn drop(&mut self) {
        unsafe { sys::at_module_free(self.0.as_ptr()) }
    }
}

impl Clone for Module {
    fn clone(&self) -> Self {
        Module::own(unsafe { sys::at_module_retain(self.0.as_ptr()) })
    }
}

impl Module {
    fn own(raw: *mut sys::at_module) -> Self {
        Module(ptr::NonNull::new(raw).expect("no error, and no module"))
    }

    /// A module without members, for those of one's own: `add`, `add_parameter`.
    pub fn new() -> Result<Module> {
        ModuleDict()
    }

    pub(crate) fn as_raw(&self) -> *mut sys::at_module {
        self.0.as_ptr()
    }

    fn must_be(&self, kind: &str) -> Result<()> {
        let own = unsafe { CStr::from_ptr((*sys::at_module_kindOf(self.as_raw())).name) }.to_string_lossy();
        if own != kind {
            return Err(Error::argument(format!("the module is a {own}, and no {kind}")));
        }
        Ok(())
    }

    pub fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let made = unsafe { sys::at_forward(self.as_raw(), input.as_raw()) };
        check()?;
        Ok(unsafe { convert::tensor(made) })
    }

    /// The output of several tensors, as for a loss: `loss.call(&[output, target])`.
    pub fn call(&self, inputs: &[Tensor]) -> Result<Tensor> {
        let made = unsafe { sys::at_module_call(self.as_raw(), convert::tensors(inputs)) };
        check()?;
        Ok(unsafe { convert::tensor(made) })
    }

    /// All parameters, each once.
    pub fn parameters(&self) -> Result<Vec<Tensor>> {
        let made = unsafe { sys::at_module_parameters(self.as_raw()) };
        check()?;
        Ok(unsafe { convert::list(made) })
    }

    /// The parameters and buffers by name, in order; they share memory with the module.
    pub fn state_dict(&self) -> Result<Vec<(String, Tensor)>> {
        named(unsafe { sys::at_module_state_dict(self.as_raw()) })
    }

    pub fn named_parameters(&self) -> Result<Vec<(String, Tensor)>> {
        named(unsafe { sys::at_module_named_parameters(self.as_raw()) })
    }

    pub fn named_buffers(&self) -> Result<Vec<(String, Tensor)>> {
        named(unsafe { sys::at_module_named_buffers(self.as_raw()) })
    }

    /// Copies the tensors to those of the same names, of which none may be left over on either side.
    pub fn load_state_dict<N: AsRef<str>, T: Borrow<Tensor>>(&self, tensors: &[(N, T)]) -> Result<()> {
        let dict = dict_of(tensors)?;
        unsafe { sys::at_module_load_state_dict(self.as_raw(), dict.0, ptr::null()) };
        check()
    }

    /// Adds a child under that name, which the module shares.
    pub fn add(&self, name: &str, child: &Module) -> Result<()> {
        let name = c_string(name.as_bytes())?;
        unsafe { sys::at_module_add(self.as_raw(), name.as_ptr(), sys::at_module_retain(child.as_raw())) };
        check()
    }

    /// Adds a parameter, which becomes a leaf that wants a gradient.
    pub fn add_parameter(&self, name: &str, t: &Tensor) -> Result<()> {
        let name = c_string(name.as_bytes())?;
        unsafe { sys::at_module_add_parameter(self.as_raw(), name.as_ptr(), t.as_raw()) };
        check()
    }

    /// Adds a tensor that is saved with the module, but not trained.
    pub fn add_buffer(&self, name: &str, t: &Tensor) -> Result<()> {
        let name = c_string(name.as_bytes())?;
        unsafe { sys::at_module_add_buffer(self.as_raw(), name.as_ptr(), t.as_raw()) };
        check()
    }

    /// The parameter or buffer of that name, with dots for those of children.
    pub fn get(&self, name: &str) -> Result<Tensor> {
        let name = c_string(name.as_bytes())?;
        let raw = unsafe { sys::at_module_get(self.as_raw(), name.as_ptr()) };
        check()?;
        Ok(unsafe { Tensor::from_raw(sys::at_retain(raw)) })
    }

    /// The children by name, in order.
    pub fn children(&self) -> Vec<(String, Module)> {
        let count = unsafe { sys::at_module_count(self.as_raw()) };
        let child = |i| unsafe {
            let name = CStr::from_ptr(sys::at_module_childName(self.as_raw(), i)).to_string_lossy().into_owned();
            (name, Module::own(sys::at_module_retain(sys::at_module_childAt(self.as_raw(), i))))
        };
        (0..count).map(child).collect()
    }

    /// The number of elements of all parameters.
    pub fn numel(&self) -> i64 {
        unsafe { sys::at_module_numel(self.as_raw()) }
    }

    /// A module with copies of the parameters and buffers.
    pub fn copy(&self) -> Result<Module> {
        let raw = unsafe { sys::at_module_clone(self.as_raw()) };
        check()?;
        Ok(Module::own(raw))
    }

    /// Whether parameters want gradients; false freezes the module.
    pub fn requires_grad_(&self, wanted: bool) -> Result<()> {
        unsafe { sys::at_module_requires_grad_(self.as_raw(), wanted) };
        check()
    }

    pub fn is_training(&self) -> bool {
        unsafe { sys::at_module_training(self.as_raw()) }
    }

    /// Copies the tensors of a file to those of the same names, of which none may be left over on either side.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        unsafe { sys::at_module_load(self.as_raw(), path.as_ptr(), ptr::null()) };
        check()
    }

    /// Writes the state dict.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        unsafe { sys::at_module_save(self.as_raw(), path.as_ptr()) };
        check()
    }

    /// A child, by its name or, with dots, further down.
    pub fn child(&self, name: &str) -> Result<Option<Module>> {
        let name = c_string(name.as_bytes())?;
        let raw = unsafe { sys::at_module_child(self.as_raw(), name.as_ptr()) };
        unsafe { sys::at_error_clear() };
        Ok((!raw.is_null()).then(|| Module::own(unsafe { sys::at_module_retain(raw) })))
    }

    pub fn train(&self) {
        unsafe { sys::at_module_train(self.as_raw()) }
    }

    pub fn eval(&self) {
        unsafe { sys::at_module_eval(self.as_raw()) }
    }

    /// Converts floating parameters and buffers to the type.
    pub fn to(&self, element_type: Type) -> Result<()> {
        unsafe { sys::at_module_to(self.as_raw(), element_type.raw()) };
        check()
    }

    pub fn zero_grad(&self) {
        unsafe { sys::at_module_zero_grad(self.as_raw()) }
    }
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        unsafe {
            let text = sys::at_module_toString(self.as_raw());
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

fn named(raw: *mut sys::at_dict) -> Result<Vec<(String, Tensor)>> {
    let dict = Dict(raw);
    check()?;
    Ok(unsafe { entries(dict.0) })
}

fn list_of(modules: &[Module], make: unsafe extern "C" fn(*const *mut sys::at_module, i64) -> *mut sys::at_module) -> Result<Module> {
    // C takes a reference to each over.
    let shared: Vec<_> = modules.iter().map(|m| unsafe { sys::at_module_retain(m.as_raw()) }).collect();
    let made = unsafe { make(shared.as_ptr(), shared.len() as i64) };
    check()?;
    Ok(Module::own(made))
}

/// Modules of which each takes the output of the one before.
pub fn Sequential(modules: &[Module]) -> Result<Module> {
    list_of(modules, sys::at_Sequential)
}

/// Modules with the names 0, 1 and so on.
pub fn ModuleList(modules: &[Module]) -> Result<Module> {
    list_of(modules, sys::at_ModuleList)
}

/// Scales the gradients together to at most that norm; returns the norm before.
pub fn clip_grad_norm(parameters: &[Tensor], max_norm: f64) -> Result<f64> {
    let norm = unsafe { sys::at_clip_grad_norm(convert::tensors(parameters), max_norm, ptr::null()) };
    check()?;
    Ok(norm)
}

/// Limits each element of the gradients to the range from -clip_value to clip_value.
pub fn clip_grad_value(parameters: &[Tensor], clip_value: f64) -> Result<()> {
    unsafe { sys::at_clip_grad_value(convert::tensors(parameters), clip_value) };
    check()
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
