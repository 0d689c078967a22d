//! Tensors: references, what they are, conversions, operators.
use crate::error::check;
use crate::{ops, Element, Error, Result, Scalar, Type};
use std::borrow::Borrow;
use std::ffi::CStr;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::ptr::NonNull;
use std::{fmt, slice};
use thaten_sys as sys;

/// A reference to a tensor.  A clone is another reference to the same tensor; `t.clone_()?` copies the elements.
#[repr(transparent)]
pub struct Tensor(NonNull<sys::at_tensor>);

impl Drop for Tensor {
    fn drop(&mut self) {
        unsafe { sys::at_release(self.0.as_ptr()) }
    }
}

impl Clone for Tensor {
    fn clone(&self) -> Self {
        unsafe { Tensor::from_raw(sys::at_retain(self.0.as_ptr())) }
    }
}

impl Tensor {
    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a tensor of ATen, of which the caller has a reference.
    pub unsafe fn from_raw(raw: *mut sys::at_tensor) -> Self {
        // Passes call Rust in a scope, which has what operations return.
        Tensor(NonNull::new(sys::at_keep(raw)).expect("a tensor is not NULL"))
    }

    pub fn as_raw(&self) -> *mut sys::at_tensor {
        self.0.as_ptr()
    }

    /// A tensor of a copy of the elements, in row-major order.
    pub fn from_slice<T: Element>(elements: &[T], sizes: &[i64]) -> Result<Self> {
        let count = sizes.iter().try_fold(1i64, |product, &size| product.checked_mul(size).filter(|_| size >= 0));
        if count != i64::try_from(elements.len()).ok() {
            return Err(Error::argument(format!("{} elements do not fill a tensor of sizes {:?}", elements.len(), sizes)));
        }
        let t = ops::empty_with(sizes, &ops::Empty::new().type_(T::TYPE))?;
        if !elements.is_empty() {
            unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), sys::at_data(t.as_raw()).cast(), elements.len()) }
        }
        Ok(t)
    }

    /// A copy of the elements in row-major order, converted to the type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let plain = self.detach()?.to(T::TYPE)?.contiguous()?;
        Ok(unsafe { plain.as_slice::<T>()? }.to_vec())
    }

    /// The elements in memory.
    ///
    /// # Safety
    /// No tensor that shares the memory is changed or resized while the slice lives.
    pub unsafe fn as_slice<T: Element>(&self) -> Result<&[T]> {
        if self.element_type() != T::TYPE || !sys::at_isContiguous(self.as_raw()) {
            return Err(Error::argument(format!("a slice of {:?} takes a contiguous tensor of it, not one of {:?}", T::TYPE, self.element_type())));
        }
        let count = sys::at_numel(self.as_raw()) as usize;
        Ok(if count == 0 { &[] } else { slice::from_raw_parts(sys::at_data(self.as_raw()) as *const T, count) })
    }

    pub fn element_type(&self) -> Type {
        Type::of(unsafe { sys::at_typeOf(self.as_raw()) }).expect("a tensor has an element type")
    }

    pub fn dim(&self) -> usize {
        unsafe { sys::at_dim(self.as_raw()) as usize }
    }

    pub fn numel(&self) -> i64 {
        unsafe { sys::at_numel(self.as_raw()) }
    }

    pub fn sizes(&self) -> Vec<i64> {
        unsafe { copied(sys::at_sizes(self.as_raw())) }
    }

    pub fn strides(&self) -> Vec<i64> {
        unsafe { copied(sys::at_strides(self.as_raw())) }
    }

    /// The value of a tensor with one element.
    pub fn value(&self) -> Result<Scalar> {
        let scalar = unsafe { sys::at_item(self.as_raw()) };
        check()?;
        Ok(unsafe { if scalar.is_float { Scalar::Number(scalar.value.number) } else { Scalar::Integer(scalar.value.integer) } })
    }

    /// The element of a tensor with one, converted to the type: `loss.item::<f32>()?`.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.numel() {
            1 => Ok(self.to_vec::<T>()?[0]),
            count => Err(Error::argument(format!("item: the tensor has {count} elements"))),
        }
    }

    /// The size of a dimension; negative ones count from the end.
    pub fn size_of(&self, dim: i64) -> Result<i64> {
        let size = unsafe { sys::at_size(self.as_raw(), dim) };
        check()?;
        Ok(size)
    }

    pub fn storage(&self) -> Result<Storage> {
        let raw = unsafe { sys::at_storageOf(self.as_raw()) };
        check()?;
        Ok(Storage(NonNull::new(raw).expect("no error, and no storage")))
    }

    /// A copy of the tensor, without its graph, that may go to another thread.
    pub fn parcel(&self) -> Result<Parcel> {
        Ok(Parcel(self.detach()?.clone_()?))
    }
}

/// Of an input of any number of dimensions, whose count is -1, nothing.
pub(crate) unsafe fn copied(ints: sys::at_ints) -> Vec<i64> {
    (0..ints.count.max(0) as usize).map(|i| *ints.data.add(i)).collect()
}

/// A tensor that shares its memory with no other, and so may go to another thread.
pub struct Parcel(Tensor);

// The only reference to the tensor and to its memory is the one inside.
unsafe impl Send for Parcel {}

impl Parcel {
    pub fn open(self) -> Tensor {
        self.0
    }
}

impl From<Parcel> for Tensor {
    fn from(parcel: Parcel) -> Tensor {
        parcel.open()
    }
}

/// The memory of a tensor.
pub struct Storage(NonNull<sys::at_storage>);

impl Drop for Storage {
    fn drop(&mut self) {
        unsafe { sys::at_storage_release(self.0.as_ptr()) }
    }
}

impl Storage {
    pub(crate) fn as_raw(&self) -> *mut sys::at_storage {
        self.0.as_ptr()
    }

    pub fn size(&self) -> i64 {
        unsafe { sys::at_storage_size(self.as_raw()) }
    }
}

/// A generator of random numbers.
pub struct Generator(NonNull<sys::at_generator>);

// It has one owner, and ATen locks a generator while it draws.
unsafe impl Send for Generator {}

impl Drop for Generator {
    fn drop(&mut self) {
        unsafe { sys::at_generator_free(self.0.as_ptr()) }
    }
}

impl Generator {
    pub fn with_seed(seed: u64) -> Result<Self> {
        let raw = unsafe { sys::at_generator_new(sys::AT_BACKEND_CPU) };
        check()?;
        unsafe { sys::at_generator_manualSeed(raw, seed) };
        Ok(Generator(NonNull::new(raw).expect("no error, and no generator")))
    }

    pub(crate) fn as_raw(&self) -> *mut sys::at_generator {
        self.0.as_ptr()
    }
}

/// Integers from low to high - 1, of Long.
pub fn randint(low: i64, high: i64, sizes: &[i64]) -> Result<Tensor> {
    let t = ops::empty_with(sizes, &ops::Empty::new().type_(Type::Long))?;
    t.random_between_(low, high)?;
    Ok(t)
}

/// Seeds the generator that operations use if none is given.
pub fn manual_seed(seed: u64) {
    unsafe { sys::at_manualSeed(seed) }
}

// --- text ----------------------------------------------------------------------------------------------

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        unsafe {
            let text = sys::at_toString(self.as_raw());
            if text.is_null() {
                sys::at_error_clear();
                return Err(fmt::Error);
            }
            let written = f.write_str(&CStr::from_ptr(text).to_string_lossy());
            sys::at_string_free(text);
            written
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}

// --- operators, which panic where the method of the operation returns an error -------------------------------

#[track_caller]
fn must<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

// Of tensors and references to them, and of numbers on the right; then of numbers on the left, and in place.
macro_rules! operators {
    ($($trait:ident $function:ident $scalar:ident $reversed:ident $assign:ident $in_place:ident $with:ident $with_scalar:ident,)*) => {
        $(operators!(@pair $trait $function &Tensor, &Tensor);
        operators!(@pair $trait $function &Tensor, Tensor);
        operators!(@pair $trait $function Tensor, &Tensor);
        operators!(@pair $trait $function Tensor, Tensor);
        impl<S: Into<Scalar>> $trait<S> for &Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $function(self, other: S) -> Tensor {
                must(Tensor::$scalar(self, other))
            }
        }
        impl<S: Into<Scalar>> $trait<S> for Tensor {
            type Output = Tensor;
            #[track_caller]
            fn $function(self, other: S) -> Tensor {
                must(Tensor::$scalar(&self, other))
            }
        }
        operators!(@left $trait $function $reversed f64 f32 i64 i32);
        impl $assign<&Tensor> for Tensor {
            #[track_caller]
            fn $in_place(&mut self, other: &Tensor) {
                must(self.$with(other));
            }
        }
        impl $assign<Tensor> for Tensor {
            #[track_caller]
            fn $in_place(&mut self, other: Tensor) {
                must(self.$with(&other));
            }
        }
        impl<S: Into<Scalar>> $assign<S> for Tensor {
            #[track_caller]
            fn $in_place(&mut self, other: S) {
                must(self.$with_scalar(other));
            }
        })*
    };
    (@pair $trait:ident $function:ident $left:ty, $right:ty) => {
        impl $trait<$right> for $left {
            type Output = Tensor;
            #[track_caller]
            fn $function(self, other: $right) -> Tensor {
                let (left, right): (&Tensor, &Tensor) = (self.borrow(), other.borrow());
                must(Tensor::$function(left, right))
            }
        }
    };
    (@left $trait:ident $function:ident $reversed:ident $($number:ty)*) => {
        $(impl $trait<&Tensor> for $number {
            type Output = Tensor;
            #[track_caller]
            fn $function(self, other: &Tensor) -> Tensor {
                must($reversed(self.into(), other))
            }
        }
        impl $trait<Tensor> for $number {
            type Output = Tensor;
            #[track_caller]
            fn $function(self, other: Tensor) -> Tensor {
                must($reversed(self.into(), &other))
            }
        })*
    };
}
operators! {
    Add add add_scalar add_left AddAssign add_assign add_ add_scalar_,
    Sub sub sub_scalar sub_left SubAssign sub_assign sub_ sub_scalar_,
    Mul mul mul_scalar mul_left MulAssign mul_assign mul_ mul_scalar_,
    Div div div_scalar div_left DivAssign div_assign div_ div_scalar_,
}

// A number and a tensor, in this order.
fn add_left(number: Scalar, t: &Tensor) -> Result<Tensor> {
    t.add_scalar(number)
}
fn sub_left(number: Scalar, t: &Tensor) -> Result<Tensor> {
    Tensor::neg(t)?.add_scalar(number)
}
fn mul_left(number: Scalar, t: &Tensor) -> Result<Tensor> {
    t.mul_scalar(number)
}
fn div_left(number: Scalar, t: &Tensor) -> Result<Tensor> {
    Tensor::div(&ops::scalar_tensor_with(number, &ops::ScalarTensor::new().type_(t.element_type()))?, t)
}

impl Neg for &Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        must(Tensor::neg(self))
    }
}
impl Neg for Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        must(Tensor::neg(&self))
    }
}
