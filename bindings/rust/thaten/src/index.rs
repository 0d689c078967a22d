//! Indices: `t.i((0, 1..3, ..))`, or `t.at(&[Index::from(0), Index::from(1..3)])`.
use crate::{ops, Error, Result, Tensor};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

/// What is wanted of a dimension; negative numbers count from the end.
#[derive(Clone, Debug)]
pub enum Index {
    Select(i64),
    /// start, end, step
    Slice(i64, i64, i64),
    /// A new dimension of size 1.
    NewAxis,
    /// All dimensions that no other index is for.
    Ellipsis,
    /// Indices, or booleans for as many dimensions as the tensor has itself.
    Tensor(Tensor),
}

impl From<i64> for Index {
    fn from(i: i64) -> Self {
        Index::Select(i)
    }
}
impl From<i32> for Index {
    fn from(i: i32) -> Self {
        Index::Select(i.into())
    }
}
impl From<RangeInclusive<i64>> for Index {
    fn from(r: RangeInclusive<i64>) -> Self {
        Index::Slice(*r.start(), if *r.end() == -1 { i64::MAX } else { r.end() + 1 }, 1)
    }
}
impl From<Tensor> for Index {
    fn from(t: Tensor) -> Self {
        Index::Tensor(t)
    }
}
impl From<Range<i64>> for Index {
    fn from(r: Range<i64>) -> Self {
        Index::Slice(r.start, r.end, 1)
    }
}
impl From<RangeFrom<i64>> for Index {
    fn from(r: RangeFrom<i64>) -> Self {
        Index::Slice(r.start, i64::MAX, 1)
    }
}
impl From<RangeTo<i64>> for Index {
    fn from(r: RangeTo<i64>) -> Self {
        Index::Slice(0, r.end, 1)
    }
}
impl From<RangeFull> for Index {
    fn from(_: RangeFull) -> Self {
        Index::Slice(0, i64::MAX, 1)
    }
}
impl From<&Tensor> for Index {
    fn from(t: &Tensor) -> Self {
        Index::Tensor(t.clone())
    }
}

/// What `i` takes: an index, or a tuple of up to six.
pub trait Indices {
    fn list(self) -> Vec<Index>;
}

impl<I: Into<Index>> Indices for I {
    fn list(self) -> Vec<Index> {
        vec![self.into()]
    }
}

macro_rules! tuples {
    ($(($($name:ident)*),)*) => {
        $(#[allow(non_snake_case)]
        impl<$($name: Into<Index>),*> Indices for ($($name,)*) {
            fn list(self) -> Vec<Index> {
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        })*
    };
}
tuples! { (A), (A B), (A B C), (A B C D), (A B C D E), (A B C D E F), }

impl Index {
    fn is_mask(t: &Tensor) -> bool {
        matches!(t.element_type(), crate::Type::Bool | crate::Type::Byte)
    }

    /// How many dimensions it is for.
    fn dims(&self) -> i64 {
        match self {
            Index::NewAxis | Index::Ellipsis => 0,
            Index::Tensor(t) if Index::is_mask(t) => t.dim() as i64,
            _ => 1,
        }
    }
}

impl Tensor {
    /// `t.i((0, 1..3, ..))`: a view that numbers and ranges make; with tensors among the indices a copy of the elements.
    pub fn i(&self, indices: impl Indices) -> Result<Tensor> {
        self.at(&indices.list())
    }

    /// Writes the value, which is broadcast, to the elements of `t.i(indices)`.
    pub fn set_i(&self, indices: impl Indices, value: &Tensor) -> Result<()> {
        self.set_at(&indices.list(), value)
    }

    /// A view that numbers and slices make; with tensors among the indices a copy of the elements.
    pub fn at(&self, indices: &[Index]) -> Result<Tensor> {
        let (view, tensors) = self.selection(indices)?;
        if tensors.iter().any(Option::is_some) {
            view.index(&tensors)
        } else {
            Ok(view)
        }
    }

    /// Writes the value, which is broadcast, to those elements.
    pub fn set_at(&self, indices: &[Index], value: &Tensor) -> Result<()> {
        let (view, tensors) = self.selection(indices)?;
        if tensors.iter().any(Option::is_some) {
            view.index_put_(&tensors, value).map(drop)
        } else {
            view.copy_(value).map(drop)
        }
    }

    fn selection(&self, indices: &[Index]) -> Result<(Tensor, Vec<Option<Tensor>>)> {
        let (mut view, mut dim, mut tensors) = (self.alias()?, 0i64, Vec::new());
        let left = self.dim() as i64 - indices.iter().map(Index::dims).sum::<i64>();
        for index in indices {
            match index {
                Index::Select(i) => view = view.select(dim, *i)?,
                Index::Slice(start, end, step) => {
                    if dim >= view.dim() as i64 {
                        return Err(Error::argument(format!("too many indices for a tensor of {} dimensions", self.dim())));
                    }
                    view = view.slice_with(&ops::Slice::new().dim(dim).start(*start).end(*end).step(*step))?;
                    dim += 1;
                    tensors.push(None);
                }
                Index::NewAxis => {
                    view = view.unsqueeze(dim)?;
                    dim += 1;
                    tensors.push(None);
                }
                Index::Ellipsis => {
                    for _ in 0..left {
                        dim += 1;
                        tensors.push(None);
                    }
                }
                Index::Tensor(t) => {
                    dim += index.dims();
                    tensors.push(Some(t.clone()));
                }
            }
        }
        Ok((view, tensors))
    }
}
