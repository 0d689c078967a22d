//! Numbers and element types.
use thaten_sys as sys;

/// A number: an integer, a floating number, or one that is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Integer(i64),
    Number(f64),
    None,
}

impl Scalar {
    pub(crate) fn raw(self) -> sys::at_scalar {
        let integer = |value| sys::at_scalar_value { integer: value };
        match self {
            Scalar::Integer(v) => sys::at_scalar { is_float: false, is_none: false, value: integer(v) },
            Scalar::Number(v) => sys::at_scalar { is_float: true, is_none: false, value: sys::at_scalar_value { number: v } },
            Scalar::None => sys::at_scalar { is_float: false, is_none: true, value: integer(0) },
        }
    }

    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Integer(v) => v as f64,
            Scalar::Number(v) => v,
            Scalar::None => f64::NAN,
        }
    }
}

impl From<i64> for Scalar {
    fn from(v: i64) -> Self {
        Scalar::Integer(v)
    }
}
impl From<i32> for Scalar {
    fn from(v: i32) -> Self {
        Scalar::Integer(v.into())
    }
}
impl From<f64> for Scalar {
    fn from(v: f64) -> Self {
        Scalar::Number(v)
    }
}
impl From<f32> for Scalar {
    fn from(v: f32) -> Self {
        Scalar::Number(v.into())
    }
}

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Byte,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Half,
    Bool,
    BFloat16,
    ComplexFloat,
    ComplexDouble,
    UInt16,
    UInt32,
    UInt64,
}

const TYPES: [(Type, sys::at_scalar_type); 15] = [
    (Type::Byte, sys::AT_BYTE),
    (Type::Char, sys::AT_CHAR),
    (Type::Short, sys::AT_SHORT),
    (Type::Int, sys::AT_INT),
    (Type::Long, sys::AT_LONG),
    (Type::Float, sys::AT_FLOAT),
    (Type::Double, sys::AT_DOUBLE),
    (Type::Half, sys::AT_HALF),
    (Type::Bool, sys::AT_BOOL),
    (Type::BFloat16, sys::AT_BFLOAT16),
    (Type::ComplexFloat, sys::AT_COMPLEX_FLOAT),
    (Type::ComplexDouble, sys::AT_COMPLEX_DOUBLE),
    (Type::UInt16, sys::AT_UINT16),
    (Type::UInt32, sys::AT_UINT32),
    (Type::UInt64, sys::AT_UINT64),
];

impl Type {
    pub(crate) fn raw(self) -> *const sys::at_type {
        let code = TYPES.iter().find(|row| row.0 == self).unwrap().1;
        unsafe { sys::at_getType(sys::AT_BACKEND_CPU, code) }
    }

    pub(crate) fn of(raw: *const sys::at_type) -> Option<Type> {
        let code = unsafe { sys::at_type_scalarType(raw) };
        TYPES.iter().find(|row| row.1 == code).map(|row| row.0)
    }

    pub fn is_floating(self) -> bool {
        matches!(self, Type::Float | Type::Double | Type::Half | Type::BFloat16)
    }
}

/// What elements are in Rust; a complex number is its real and imaginary part.  Bool is not among them: a byte of a file may be neither false nor true.
///
/// # Safety
/// TYPE has elements with the layout of the type, of which all bits are valid.
pub unsafe trait Element: Copy + Default {
    const TYPE: Type;
}

macro_rules! elements {
    ($($rust:ty => $name:ident,)*) => {
        $(unsafe impl Element for $rust {
            const TYPE: Type = Type::$name;
        })*
    };
}
elements! {
    u8 => Byte,
    u16 => UInt16,
    u32 => UInt32,
    u64 => UInt64,
    i8 => Char,
    i16 => Short,
    i32 => Int,
    i64 => Long,
    f32 => Float,
    f64 => Double,
    [f32; 2] => ComplexFloat,
    [f64; 2] => ComplexDouble,
}
