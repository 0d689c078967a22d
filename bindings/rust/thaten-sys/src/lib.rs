//! The interface of libATen as C declares it: `ATen.h` says what the functions do.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

use std::os::raw::{c_char, c_int, c_uint, c_void};

include!(concat!(env!("OUT_DIR"), "/raw.rs"));
