//! Errors as values: what ATen keeps for each thread is taken after each call.
use std::any::Any;
use std::cell::RefCell;
use std::ffi::CStr;
use std::fmt;
use std::panic::resume_unwind;
use thaten_sys as sys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A shape, index, range or value that the operation does not take.
    Argument,
    /// An element type that the operation does not take.
    Type,
    /// A tensor is missing.
    Null,
    /// Anything else: no memory, a file, a singular matrix.
    Runtime,
}

#[derive(Clone, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn argument(message: String) -> Self {
        Error { kind: ErrorKind::Argument, message }
    }
}

/// How a function of Rust that the library called has ended.
pub(crate) enum Failure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

thread_local! {
    static FAILURE: RefCell<Option<Failure>> = RefCell::new(None);
}

impl Failure {
    /// Keeps it for the call of the library that has an error now; the first one counts.
    pub(crate) fn keep(self) {
        FAILURE.with(|kept| {
            kept.borrow_mut().get_or_insert(self);
        })
    }
}

/// The error of this thread since the last call, which is cleared.
pub(crate) fn check() -> Result<()> {
    let failure = || FAILURE.with(|kept| kept.borrow_mut().take());
    check_call().map_err(|error| match failure() {
        Some(Failure::Error(own)) => own,
        Some(Failure::Panic(panic)) => resume_unwind(panic),
        None => error,
    })
}

fn check_call() -> Result<()> {
    unsafe {
        let kind = match sys::at_error() {
            sys::AT_OK => return Ok(()),
            sys::AT_ERROR_ARGUMENT => ErrorKind::Argument,
            sys::AT_ERROR_TYPE => ErrorKind::Type,
            sys::AT_ERROR_NULL => ErrorKind::Null,
            _ => ErrorKind::Runtime,
        };
        let message = CStr::from_ptr(sys::at_error_message()).to_string_lossy().into_owned();
        sys::at_error_clear();
        Err(Error { kind, message })
    }
}
