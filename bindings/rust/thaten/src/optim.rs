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

/// The factor of losses of half precision, whose gradients would be too small for it otherwise: PyTorch's GradScaler.
///
/// `scaler.scale(&loss)?.backward()?; scaler.step(&adam)?; scaler.update()?;`
pub struct Scaler(sys::at_scaler);

impl Default for Scaler {
    fn default() -> Self {
        Scaler::new()
    }
}

impl Scaler {
    pub fn new() -> Scaler {
        Scaler(unsafe { sys::at_scaler_defaults })
    }

    /// The factor to begin with, 65536.
    pub fn init_scale(mut self, value: f64) -> Scaler {
        self.0.scale = value;
        self
    }

    /// What the factor is multiplied by after growth_interval good steps, 2.
    pub fn growth_factor(mut self, value: f64) -> Scaler {
        self.0.growth_factor = value;
        self
    }

    /// What it is multiplied by after a step with an infinite gradient, 0.5.
    pub fn backoff_factor(mut self, value: f64) -> Scaler {
        self.0.backoff_factor = value;
        self
    }

    /// How many good steps make it grow, 2000.
    pub fn growth_interval(mut self, value: i64) -> Scaler {
        self.0.growth_interval = value;
        self
    }

    pub fn get_scale(&self) -> f64 {
        self.0.scale
    }

    /// The loss times the factor.
    pub fn scale(&self, loss: &Tensor) -> Result<Tensor> {
        let raw = unsafe { sys::at_scaler_scale(&self.0, loss.as_raw()) };
        check()?;
        Ok(unsafe { Tensor::from_raw(raw) })
    }

    /// Divides the gradients by the factor, before they are clipped; otherwise `step` does.
    pub fn unscale(&mut self, optimizer: &Optimizer) -> Result<()> {
        unsafe { sys::at_scaler_unscale(&mut self.0, optimizer.as_raw()) };
        check()
    }

    /// A step of the optimizer, unless a gradient is infinite or NaN.
    pub fn step(&mut self, optimizer: &Optimizer) -> Result<()> {
        unsafe { sys::at_scaler_step(&mut self.0, optimizer.as_raw()) };
        check()
    }

    /// Changes the factor, once after the steps of all optimizers.
    pub fn update(&mut self) -> Result<()> {
        unsafe { sys::at_scaler_update(&mut self.0) };
        check()
    }

    /// Writes the state, as torch.save(scaler.state_dict(), path).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        let dict = Dict(unsafe { sys::at_scaler_state_dict(&self.0) });
        check()?;
        unsafe { sys::at_save(path.as_ptr(), dict.0) };
        check()
    }

    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        let dict = Dict(unsafe { sys::at_load(path.as_ptr(), ptr::null()) });
        check()?;
        unsafe { sys::at_scaler_load(&mut self.0, sys::at_dict_values(dict.0)) };
        check()
    }
}

include!(concat!(env!("OUT_DIR"), "/training.rs"));
