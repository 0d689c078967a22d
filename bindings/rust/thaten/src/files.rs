//! Files of tensors by name.
use crate::error::check;
use crate::{Error, Result, Tensor};
use std::borrow::Borrow;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr;
use thaten_sys as sys;

pub(crate) fn c_path(path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    c_string(path.as_os_str().as_bytes())
}

pub(crate) fn c_string(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| Error::argument(format!("a name has a 0 inside: {:?}", String::from_utf8_lossy(bytes))))
}

pub(crate) struct Dict(pub *mut sys::at_dict);

impl Drop for Dict {
    fn drop(&mut self) {
        unsafe { sys::at_dict_free(self.0) }
    }
}

pub(crate) unsafe fn entries(dict: *const sys::at_dict) -> Vec<(String, Tensor)> {
    (0..sys::at_dict_count(dict))
        .map(|i| {
            let name = CStr::from_ptr(sys::at_dict_name(dict, i)).to_string_lossy().into_owned();
            (name, Tensor::from_raw(sys::at_retain(sys::at_dict_at(dict, i))))
        })
        .collect()
}

/// The tensors of a file with their names, in its order.
pub fn load(path: impl AsRef<Path>) -> Result<Vec<(String, Tensor)>> {
    let path = c_path(path.as_ref())?;
    let dict = Dict(unsafe { sys::at_load(path.as_ptr(), ptr::null()) });
    check()?;
    Ok(unsafe { entries(dict.0) })
}

pub(crate) fn dict_of<N: AsRef<str>, T: Borrow<Tensor>>(tensors: &[(N, T)]) -> Result<Dict> {
    let dict = Dict(unsafe { sys::at_dict_new() });
    check()?;
    for (name, t) in tensors {
        let name = c_string(name.as_ref().as_bytes())?;
        unsafe { sys::at_dict_set(dict.0, name.as_ptr(), t.borrow().as_raw()) };
        check()?;
    }
    Ok(dict)
}

/// Writes tensors, `&[("x", &x)]` or what `load` and `state_dict` return, to a file of the format that the path's extension names.
pub fn save<N: AsRef<str>, T: Borrow<Tensor>>(path: impl AsRef<Path>, tensors: &[(N, T)]) -> Result<()> {
    let path = c_path(path.as_ref())?;
    let dict = dict_of(tensors)?;
    unsafe { sys::at_save(path.as_ptr(), dict.0) };
    check()
}

pub fn load_npy(path: impl AsRef<Path>) -> Result<Tensor> {
    let path = c_path(path.as_ref())?;
    let raw = unsafe { sys::at_load_npy(path.as_ptr()) };
    check()?;
    Ok(unsafe { Tensor::from_raw(raw) })
}

pub fn save_npy(path: impl AsRef<Path>, t: &Tensor) -> Result<()> {
    let path = c_path(path.as_ref())?;
    unsafe { sys::at_save_npy(path.as_ptr(), t.as_raw()) };
    check()
}
