//! Functions of tensors, numbers, generators and programs alone, by C's names.
#![allow(non_snake_case)]
use crate::error::check;
use crate::{convert, Generator, Program, Result, Tensor};
use thaten_sys as sys;

include!(concat!(env!("OUT_DIR"), "/plain.rs"));
