//! Gradients.
use crate::error::check;
use crate::{convert, Result, Tensor, Type};
use std::ptr;
use thaten_sys as sys;

impl Tensor {
    /// Makes the tensor a leaf that wants a gradient.
    pub fn requires_grad_(self) -> Result<Tensor> {
        unsafe { sys::at_requires_grad_(self.as_raw()) };
        check()?;
        Ok(self)
    }

    pub fn requires_grad(&self) -> bool {
        unsafe { sys::at_requiresGrad(self.as_raw()) }
    }

    pub fn is_leaf(&self) -> bool {
        unsafe { sys::at_isLeaf(self.as_raw()) }
    }

    /// The gradient, if there is one yet.
    pub fn grad(&self) -> Option<Tensor> {
        let raw = unsafe { sys::at_grad(self.as_raw()) };
        (!raw.is_null()).then(|| unsafe { Tensor::from_raw(sys::at_retain(raw)) })
    }

    /// Sets the gradient, or removes it.
    pub fn set_grad(&self, grad: Option<&Tensor>) -> Result<()> {
        unsafe { sys::at_set_grad(self.as_raw(), grad.map_or(ptr::null_mut(), Tensor::as_raw)) };
        check()
    }

    /// Adds the gradients of a tensor of one element to those of all leaves.
    pub fn backward(&self) -> Result<()> {
        unsafe { sys::at_backward(self.as_raw(), ptr::null()) };
        check()
    }

    /// As backward, with the gradient of this tensor, and whether the graph stays for another pass.
    pub fn backward_from(&self, gradient: Option<&Tensor>, retain_graph: bool, create_graph: bool) -> Result<()> {
        let gradient = gradient.map_or(ptr::null_mut(), Tensor::as_raw);
        let options = sys::at_backward_options { gradient, retain_graph, create_graph };
        unsafe { sys::at_backward(self.as_raw(), &options) };
        check()
    }
}

/// The gradients of the sum of the outputs with respect to the inputs; no leaf's gradient changes.
pub fn gradients(outputs: &[Tensor], inputs: &[Tensor], retain_graph: bool) -> Result<Vec<Tensor>> {
    gradients_with(outputs, inputs, Gradients { retain_graph, ..Gradients::default() })
}

/// Whether the graph stays for another pass, the gradients have gradients, and inputs may be unused, whose gradients are
/// zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gradients {
    pub retain_graph: bool,
    pub create_graph: bool,
    pub allow_unused: bool,
}

/// `gradients` with options: `Gradients { create_graph: true, ..Default::default() }`.
pub fn gradients_with(outputs: &[Tensor], inputs: &[Tensor], options: Gradients) -> Result<Vec<Tensor>> {
    let mut raw = unsafe { sys::at_gradients_defaults };
    raw.retain_graph = options.retain_graph || options.create_graph;
    raw.create_graph = options.create_graph;
    raw.allow_unused = options.allow_unused;
    let made = unsafe { sys::at_gradients(convert::tensors(outputs), convert::tensors(inputs), &raw) };
    check()?;
    Ok(unsafe { convert::list(made) })
}

/// Calls the function while nothing is recorded in this thread.
pub fn no_grad<T>(f: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            unsafe { sys::at_grad_setOn(self.0) };
        }
    }
    let _restore = Restore(unsafe { sys::at_grad_setOn(false) });
    f()
}

/// Calls the function in mixed precision, as inside torch.autocast: products compute in the type, BFloat16 or Half, and
/// losses in Float.  The backward pass comes after.
pub fn autocast<T>(lower: Type, f: impl FnOnce() -> T) -> Result<T> {
    struct Restore(sys::at_autocast_device, sys::at_scalar_type);
    impl Drop for Restore {
        fn drop(&mut self) {
            unsafe { sys::at_autocast_set(self.0, self.1) };
        }
    }
    let set = |device| {
        let before = unsafe { sys::at_autocast_get(device) };
        unsafe { sys::at_autocast_set(device, sys::at_type_scalarType(lower.raw())) };
        check().map(|()| Restore(device, before))
    };
    let _restore = [set(sys::AT_AUTOCAST_CPU)?, set(sys::AT_AUTOCAST_CUDA)?];
    Ok(f())
}
