//! Optimizers and schedules: `optim::adam_with(&net.parameters()?, &optim::AdamOptions::new().lr(0.01))?`,
//! `optim::step_lr(&adam, 10)?`.
#![allow(clippy::all)]

use crate::error::check;
use crate::files::c_string;
use crate::{convert, Result, Tensor};
use std::marker::PhantomData;
use std::os::raw::c_int;
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
