//! The operations: builders of their options, and the functions that are no methods of [`Tensor`].
#![allow(non_snake_case, clippy::all)] // names are ATen's

use crate::convert;
use crate::error::check;
use crate::{Generator, Result, Scalar, Storage, Tensor, Type};
use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;
use thaten_sys as sys;

pub use crate::tensor::randint;

include!(concat!(env!("OUT_DIR"), "/operations.rs"));
