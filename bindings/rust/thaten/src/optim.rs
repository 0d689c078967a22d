//! Optimizers and schedules: `optim::adam_with(&net.parameters()?, &optim::AdamOptions::new().lr(0.01))?`,
//! `optim::step_lr(&adam, 10)?`.
#![allow(clippy::all)]

use crate::error::check;
use crate::files::{c_path, c_string, Dict};
use crate::{convert, Error, Result, Tensor};
use std::any::Any;
use std::marker::PhantomData;
use std::os::raw::{c_int, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use thaten_sys as sys;

struct Raw(NonNull<sys::at_optimizer>);

impl Drop for Raw {
    fn drop(&mut self) {
        unsafe { sys::at_optimizer_free(self.0.as_ptr()) }
    }
}

/// An optimizer of parameters, which it holds.
pub struct Optimizer(Rc<Raw>);

impl Optimizer {
    fn own(raw: *mut sys::at_optimizer) -> Self {
        Optimizer(Rc::new(Raw(NonNull::new(raw).expect("no error, and no optimizer"))))
    }

    fn as_raw(&self) -> *mut sys::at_optimizer {
        self.0 .0.as_ptr()
    }

    pub fn step(&self) -> Result<()> {
        unsafe { sys::at_optimizer_step(self.as_raw()) };
        check()
    }

    /// A step of an optimizer that calls the closure itself, as that of `lbfgs` does: it computes the loss, and the
    /// gradients anew.  Returns the first loss.
    pub fn step_by(&self, mut closure: impl FnMut() -> Result<Tensor>) -> Result<f64> {
        let mut call = Call { closure: &mut closure, error: None, panic: None };
        let mut first = 0.0;
        unsafe { sys::at_optimizer_step_by(self.as_raw(), Some(run), &mut call as *mut Call as *mut c_void, &mut first) };
        let done = check();
        if let Some(panic) = call.panic {
            resume_unwind(panic)
        }
        match call.error {
            Some(error) => Err(error),
            None => done.map(|()| first),
        }
    }

    /// Writes the state, as torch.save(optimizer.state_dict(), path).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        let dict = Dict(unsafe { sys::at_optimizer_state_dict(self.as_raw()) });
        check()?;
        unsafe { sys::at_save(path.as_ptr(), dict.0) };
        check()
    }

    pub fn load(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        let dict = Dict(unsafe { sys::at_load(path.as_ptr(), ptr::null()) });
        check()?;
        unsafe { sys::at_optimizer_load(self.as_raw(), sys::at_dict_values(dict.0)) };
        check()
    }

    /// The number of groups.
    pub fn groups(&self) -> i32 {
        unsafe { sys::at_optimizer_groups(self.as_raw()) }
    }

    pub fn zero_grad(&self) -> Result<()> {
        unsafe { sys::at_optimizer_zero_grad(self.as_raw()) };
        check()
    }

    /// Another group of parameters; returns its number, counted from 0.
    pub fn add_group(&self, parameters: &[Tensor]) -> Result<i32> {
        let group = unsafe { sys::at_optimizer_add_group(self.as_raw(), convert::tensors(parameters)) };
        check()?;
        Ok(group)
    }

    /// An option of a group by its name.
    pub fn get(&self, group: i32, option: &str) -> Result<f64> {
        let option = c_string(option.as_bytes())?;
        let value = unsafe { sys::at_optimizer_get(self.as_raw(), group as c_int, option.as_ptr()) };
        check()?;
        Ok(value)
    }

    pub fn set(&self, group: i32, option: &str, value: f64) -> Result<()> {
        let option = c_string(option.as_bytes())?;
        unsafe { sys::at_optimizer_set(self.as_raw(), group as c_int, option.as_ptr(), value) };
        check()
    }
}

struct Call<'a> {
    closure: &'a mut dyn FnMut() -> Result<Tensor>,
    error: Option<Error>,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn run(context: *mut c_void, loss: *mut f64) -> bool {
    let call = &mut *(context as *mut Call);
    let closure = &mut call.closure;
    match catch_unwind(AssertUnwindSafe(|| closure()?.value())) {
        Ok(Ok(value)) => {
            *loss = value.to_f64();
            true
        }
        Ok(Err(error)) => {
            call.error = Some(error);
            false
        }
        Err(panic) => {
            call.panic = Some(panic);
            false
        }
    }
}

/// A schedule of an optimizer's learning rate.
pub struct Schedule {
    raw: NonNull<sys::at_schedule>,
    _optimizer: Rc<Raw>, // lives as long
}

impl Drop for Schedule {
    fn drop(&mut self) {
        unsafe { sys::at_schedule_free(self.raw.as_ptr()) }
    }
}

impl Schedule {
    fn own(raw: *mut sys::at_schedule, optimizer: &Optimizer) -> Self {
        Schedule { raw: NonNull::new(raw).expect("no error, and no schedule"), _optimizer: optimizer.0.clone() }
    }

    pub fn step(&self) -> Result<()> {
        unsafe { sys::at_schedule_step(self.raw.as_ptr()) };
        check()
    }

    /// The step of plateau_lr, which looks at a metric.
    pub fn step_by(&self, metric: f64) -> Result<()> {
        unsafe { sys::at_schedule_step_by(self.raw.as_ptr(), metric) };
        check()
    }
}

include!(concat!(env!("OUT_DIR"), "/training.rs"));
