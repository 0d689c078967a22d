//! Data sets and batches: `for batch in Loader::new(&dataset, 32, true)?.pass() { let batch = batch?; }`.
use crate::error::check;
use crate::files::c_path;
use crate::{convert, Result, Tensor};
use std::path::Path;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use thaten_sys as sys;

struct Raw(NonNull<sys::at_dataset>);

impl Drop for Raw {
    fn drop(&mut self) {
        unsafe { sys::at_dataset_free(self.0.as_ptr()) }
    }
}

/// Samples, each of which has one or more parts.
#[derive(Clone)]
pub struct Dataset(Rc<Raw>);

impl Dataset {
    /// Sample i is element i of the first dimension of each of the tensors, which have as many.
    pub fn of_tensors(tensors: &[Tensor]) -> Result<Dataset> {
        let raw = unsafe { sys::at_dataset_tensors(convert::tensors(tensors)) };
        check()?;
        Ok(Dataset(Rc::new(Raw(NonNull::new(raw).expect("no error, and no data set")))))
    }

    /// The number of samples.
    pub fn count(&self) -> i64 {
        unsafe { sys::at_dataset_count(self.0 .0.as_ptr()) }
    }
}

/// Batches of a data set.  The orders of shuffled passes are those of PyTorch's DataLoader after the same seed.
pub struct Loader {
    raw: NonNull<sys::at_loader>,
    _dataset: Dataset, // lives as long
}

impl Drop for Loader {
    fn drop(&mut self) {
        unsafe { sys::at_loader_free(self.raw.as_ptr()) }
    }
}

impl Loader {
    pub fn new(dataset: &Dataset, batch_size: i64, shuffle: bool) -> Result<Loader> {
        Loader::with(dataset, batch_size, shuffle, false)
    }

    /// With drop_last, a last batch of fewer samples is left out.
    pub fn with(dataset: &Dataset, batch_size: i64, shuffle: bool, drop_last: bool) -> Result<Loader> {
        let mut options = unsafe { sys::at_loader_new_defaults };
        options.batch_size = batch_size;
        options.shuffle = shuffle;
        options.drop_last = drop_last;
        options.prefetch = 0; // tensors stay in their thread
        let raw = unsafe { sys::at_loader_new(dataset.0 .0.as_ptr(), &options) };
        check()?;
        Ok(Loader { raw: NonNull::new(raw).expect("no error, and no loader"), _dataset: dataset.clone() })
    }

    /// The number of batches of a pass.
    pub fn batches(&self) -> i64 {
        unsafe { sys::at_loader_batches(self.raw.as_ptr()) }
    }

    /// One pass over the samples: a tensor for each part.
    pub fn pass(&mut self) -> Pass<'_> {
        Pass(self)
    }
}

/// A pass of a loader; one that is left early goes on when the next one begins.
pub struct Pass<'a>(&'a mut Loader);

impl Iterator for Pass<'_> {
    type Item = Result<Vec<Tensor>>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = unsafe { sys::at_loader_next(self.0.raw.as_ptr()) };
        if let Err(error) = check() {
            return Some(Err(error));
        }
        let part = |i| unsafe { Tensor::from_raw(sys::at_retain(*(*batch).data.add(i))) };
        (!batch.is_null()).then(|| Ok((0..unsafe { (*batch).count } as usize).map(part).collect()))
    }
}

/// The tensor of an IDX file, as of MNIST, that is not compressed.
pub fn load_idx(path: impl AsRef<Path>) -> Result<Tensor> {
    let path = c_path(path.as_ref())?;
    let raw = unsafe { sys::at_load_idx(path.as_ptr()) };
    check()?;
    Ok(unsafe { Tensor::from_raw(raw) })
}

/// The numbers of a text file, a row for each line.
pub fn load_csv(path: impl AsRef<Path>) -> Result<Tensor> {
    let path = c_path(path.as_ref())?;
    let raw = unsafe { sys::at_load_csv(path.as_ptr(), ptr::null()) };
    check()?;
    Ok(unsafe { Tensor::from_raw(raw) })
}
