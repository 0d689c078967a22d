//! Arguments of Rust as those of C, and results of C as those of Rust.
use crate::Tensor;
use std::ffi::CString;
use std::os::raw::c_int;
use std::ptr;
use thaten_sys as sys;

pub fn raw_or_null(t: Option<&Tensor>) -> *mut sys::at_tensor {
    t.map_or(ptr::null_mut(), Tensor::as_raw)
}

pub fn count(length: usize) -> c_int {
    c_int::try_from(length).expect("a list has fewer than 2^31 entries")
}

// A Tensor is a pointer that is not NULL, so that NULL stands for None.
pub fn tensors(list: &[Tensor]) -> sys::at_tensors {
    sys::at_tensors { data: list.as_ptr().cast(), count: count(list.len()) }
}

pub fn optional_tensors(list: &[Option<Tensor>]) -> sys::at_tensors {
    sys::at_tensors { data: list.as_ptr().cast(), count: count(list.len()) }
}

pub fn lists(lists: &[Vec<Option<Tensor>>]) -> Vec<sys::at_tensors> {
    lists.iter().map(|list| optional_tensors(list)).collect()
}

pub fn ints(list: &[i64]) -> sys::at_ints {
    sys::at_ints { data: list.as_ptr(), count: count(list.len()) }
}

pub fn doubles(list: &[f64]) -> sys::at_doubles {
    sys::at_doubles { data: list.as_ptr(), count: count(list.len()) }
}

/// No word that an operation takes has a 0 inside, so that what is behind one makes it another word.
pub fn text(word: &str) -> CString {
    CString::new(word.replace('\0', "?")).expect("there is no 0")
}

pub unsafe fn tensor(raw: *mut sys::at_tensor) -> Tensor {
    Tensor::from_raw(raw)
}

pub unsafe fn optional(raw: *mut sys::at_tensor) -> Option<Tensor> {
    sys::at_defined(raw).then(|| Tensor::from_raw(raw))
}

/// References of one's own to the tensors of a list of C.
pub unsafe fn borrowed(list: sys::at_tensors) -> Vec<Option<Tensor>> {
    (0..list.count as usize)
        .map(|i| {
            let raw = *list.data.add(i);
            (!raw.is_null()).then(|| Tensor::from_raw(sys::at_retain(raw)))
        })
        .collect()
}

pub unsafe fn list(made: *const sys::at_tensors) -> Vec<Tensor> {
    let list = (0..(*made).count as usize).map(|i| Tensor::from_raw(sys::at_retain(*(*made).data.add(i)))).collect();
    sys::at_list_release(made);
    list
}
