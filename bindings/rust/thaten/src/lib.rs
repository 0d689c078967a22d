//! Tensors with the operations of PyTorch, through libATen.
//!
//! ```
//! use thaten::{ops, Tensor};
//!
//! fn main() -> thaten::Result<()> {
//!     let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
//!     let y = x.mm(&x)?.add_with(&x, &ops::Add::new().alpha(2))?;
//!     assert_eq!((&y - 1).to_vec::<f32>()?, [8.0, 13.0, 20.0, 29.0]);
//!     Ok(())
//! }
//! ```
//!
//! Operations whose first argument is a tensor are methods of [`Tensor`], others functions of [`ops`].  What has
//! a default is set in a builder, which the function with the ending `_with` takes.
//!
//! Tensors are references to memory that clones and views share, so that they stay in their thread;
//! [`Parcel`] takes a copy to another one.

mod convert;
pub mod data;
mod error;
mod files;
mod function;
mod grad;
mod index;
pub mod nn;
pub mod ops;
pub mod optim;
mod plain;
mod program;
mod scalar;
mod tensor;

pub use error::{Error, ErrorKind, Result};
pub use files::{load, load_npy, save, save_npy};
pub use function::{apply, grad_fn, Function, Hook};
pub use grad::{autocast, gradients, gradients_with, no_grad, Gradients};
pub use index::{Index, Indices};
pub use plain::*;
pub use program::{Info, Program};
pub use scalar::{Element, Scalar, Type};
pub use tensor::{manual_seed, Generator, Parcel, Storage, Tensor};
pub use thaten_sys as sys;
