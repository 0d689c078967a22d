//! Hooks of gradients, and functions with gradients of their own.
use crate::error::{check, Failure};
use crate::{convert, Error, Result, Tensor};
use std::cell::RefCell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::rc::Rc;
use thaten_sys as sys;

/// What f returns; an error or a panic of it is that of the call of the library that is going on.
fn caught<T>(f: impl FnOnce() -> Result<T>) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            Failure::Error(error).keep();
            None
        }
        Err(panic) => {
            Failure::Panic(panic).keep();
            None
        }
    }
}

/// Another reference to a tensor that the library lends.
unsafe fn shared(raw: *mut sys::at_tensor) -> Tensor {
    Tensor::from_raw(sys::at_retain(raw))
}

/// The reference, which the caller takes over.
fn given(t: Tensor) -> *mut sys::at_tensor {
    let raw = t.as_raw();
    std::mem::forget(t);
    raw
}

// --- hooks ----------------------------------------------------------------------------------------------

type HookFunction = RefCell<Box<dyn FnMut(&Tensor) -> Result<Option<Tensor>>>>;

/// A function that sees a gradient; it is removed when this is dropped.
#[must_use = "a hook is removed when it is dropped"]
pub struct Hook {
    tensor: Tensor,
    function: *const HookFunction,
}

unsafe extern "C" fn run_hook(context: *mut c_void, grad: *mut sys::at_tensor) -> *mut sys::at_tensor {
    let context = context as *const HookFunction;
    Rc::increment_strong_count(context); // a hook may drop itself
    let function = Rc::from_raw(context);
    match caught(|| (*function.borrow_mut())(&shared(grad))) {
        Some(Some(other)) => given(other),
        Some(None) => ptr::null_mut(),
        None => sys::at_undefinedTensor as *mut sys::at_tensor,
    }
}

impl Tensor {
    /// Calls the function with each gradient of this tensor that is complete; what it returns, unless that is None,
    /// replaces the gradient.  A hook may drop hooks, itself too.
    pub fn register_hook(&self, f: impl FnMut(&Tensor) -> Result<Option<Tensor>> + 'static) -> Result<Hook> {
        let function: *const HookFunction = Rc::into_raw(Rc::new(RefCell::new(Box::new(f))));
        let added = unsafe { sys::at_add_hook(self.as_raw(), Some(run_hook), function as *mut c_void) };
        if !added {
            drop(unsafe { Rc::from_raw(function) });
        }
        check()?;
        Ok(Hook { tensor: self.clone(), function })
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        unsafe {
            if sys::at_remove_hook(self.tensor.as_raw(), Some(run_hook), self.function as *mut c_void) {
                drop(Rc::from_raw(self.function));
            } else {
                sys::at_error_clear();
            }
        }
    }
}

// --- functions ------------------------------------------------------------------------------------------

/// A function of tensors with a gradient of its own, of one result or several.  What backward reads, forward keeps in self.
pub trait Function {
    /// The results, also of several types; nothing is recorded.  An input that is changed here and returned is a result
    /// itself.
    fn forward(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>>;

    /// The gradients of all inputs, None for those that have none.  grads has one for each result, None where none has
    /// reached it, as of types without gradient.
    fn backward(&mut self, grads: &[Option<Tensor>]) -> Result<Vec<Option<Tensor>>>;
}

type Context = Box<dyn Function>;

/// More results no function has.
const MOST_RESULTS: c_int = 256;

fn version(t: &Tensor) -> i64 {
    unsafe { sys::at_tensor_version(t.as_raw()) }
}

/// The results of the function: inputs that it has changed, and of others aliases, so that what it keeps of them has no
/// history.
fn results_of(function: &mut Context, inputs: &[Tensor], most: usize) -> Result<Vec<Tensor>> {
    let before: Vec<i64> = inputs.iter().map(version).collect();
    let made = function.forward(inputs)?;
    if made.len() > most {
        return Err(Error::argument(format!("forward returned {} tensors, which are more than {}", made.len(), most)));
    }
    let is_changed = |t: &Tensor| inputs.iter().zip(&before).any(|(x, v)| x.as_raw() == t.as_raw() && version(x) != *v);
    made.into_iter().map(|t| if is_changed(&t) { Ok(t) } else { t.alias() }).collect()
}

unsafe extern "C" fn run_forward(context: *mut c_void, inputs: sys::at_tensors, most: c_int, results: *mut *mut sys::at_tensor) -> c_int {
    let function = &mut *(context as *mut Context);
    let list: Vec<Tensor> = (0..inputs.count as usize).map(|i| shared(*inputs.data.add(i))).collect();
    let made = match caught(|| results_of(function, &list, most as usize)) {
        Some(made) => made,
        None => return -1,
    };
    let count = made.len() as c_int;
    for (i, t) in made.into_iter().enumerate() {
        *results.add(i) = given(t);
    }
    count
}

unsafe extern "C" fn run_backward(context: *mut c_void, grads: sys::at_tensors, count: c_int, gradients: *mut *mut sys::at_tensor) -> bool {
    let function = &mut *(context as *mut Context);
    let list: Vec<Option<Tensor>> = (0..grads.count as usize).map(|i| convert::optional(sys::at_retain(*grads.data.add(i)))).collect();
    let made = caught(|| {
        let made = function.backward(&list)?;
        let wrong = format!("backward returned {} gradients for {} inputs", made.len(), count);
        if made.len() == count as usize { Ok(made) } else { Err(Error::argument(wrong)) }
    });
    for (i, one) in made.iter().flatten().enumerate() {
        *gradients.add(i) = sys::at_retain(convert::raw_or_null(one.as_ref()));
    }
    made.is_some()
}

unsafe extern "C" fn release(context: *mut c_void) {
    let function = Box::from_raw(context as *mut Context);
    let _ = catch_unwind(AssertUnwindSafe(|| drop(function)));
}

struct Kind(sys::at_grad_list_function);
unsafe impl Sync for Kind {}

static KIND: Kind = Kind(sys::at_grad_list_function {
    name: b"Function\0".as_ptr() as *const c_char,
    forward: Some(run_forward),
    backward: Some(run_backward),
    release: Some(release),
});

/// The results of the function, which is dropped when no backward pass can need it any more.
pub fn apply(function: impl Function + 'static, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
    let context: *mut Context = Box::into_raw(Box::new(Box::new(function)));
    let made = unsafe { sys::at_apply_list(&KIND.0, context.cast(), convert::tensors(inputs), MOST_RESULTS) };
    check()?;
    Ok(unsafe { convert::list(made) })
}

/// PyTorch's name of what the tensor was computed by, such as AddBackward0; None of what wants no gradient.
pub fn grad_fn(t: &Tensor) -> Option<String> {
    unsafe {
        let node = sys::at_grad_fn(t.as_raw());
        let name = CStr::from_ptr(sys::at_node_kind(node)).to_string_lossy().into_owned();
        sys::at_node_release(node);
        (!node.is_null()).then(|| name)
    }
}
