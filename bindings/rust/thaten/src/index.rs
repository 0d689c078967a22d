//! Indices: `t.at(&[Index::from(0), Index::from(1..3)])`.
use crate::{ops, Error, Result, Tensor};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};

/// What is wanted of a dimension; negative numbers count from the end.
#[derive(Clone, Debug)]
pub enum Index {
    Select(i64),
    /// start, end, step
    Slice(i64, i64, i64),
    /// A new dimension of size 1.
    NewAxis,
    /// Indices, or booleans for as many dimensions as the tensor has itself.
    Tensor(Tensor),
}

impl From<i64> for Index {
    fn from(i: i64) -> Self {
        Index::Select(i)
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

impl Tensor {
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
                Index::Tensor(t) => {
                    let is_mask = matches!(t.element_type(), crate::Type::Bool | crate::Type::Byte);
                    dim += if is_mask { t.dim() as i64 } else { 1 };
                    tensors.push(Some(t.clone()));
                }
            }
        }
        Ok((view, tensors))
    }
}
