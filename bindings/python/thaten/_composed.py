"""Functions of PyTorch that are made of several operations."""

import itertools as _itertools

from . import _C
from ._C import Tensor


def block_diag(*tensors):
    """The matrices along the diagonal of one, zeros elsewhere; vectors are rows."""
    matrices = [t.reshape([1, -1]) if t.dim() < 2 else t for t in tensors]
    dtype = matrices[0].dtype
    for m in matrices[1:]:
        dtype = _C.promote_types(dtype, m.dtype)
    result = _C.zeros([sum(m.shape[0] for m in matrices), sum(m.shape[1] for m in matrices)], dtype=dtype)
    parts, row, column = [], 0, 0
    for m in matrices:
        left = _C.zeros([m.shape[0], column], dtype=dtype)
        right = _C.zeros([m.shape[0], result.shape[1] - column - m.shape[1]], dtype=dtype)
        parts.append(_C.cat([left, m.to(dtype), right], 1))
        row, column = row + m.shape[0], column + m.shape[1]
    return _C.cat(parts, 0)


def cartesian_prod(*tensors):
    """All combinations of an element of each vector, a row for each."""
    if len(tensors) == 1:
        return tensors[0]
    return _C.stack([t.reshape([-1]) for t in _C.meshgrid(list(tensors), indexing="ij")], 1)


def combinations(input, r=2, with_replacement=False):
    """All combinations of r elements of a vector, a row for each."""
    choose = _itertools.combinations_with_replacement if with_replacement else _itertools.combinations
    indices = [i for one in choose(range(input.shape[0]), r) for i in one]
    return input[_C.tensor(indices, dtype=_C.int64)].reshape([-1, r])


def trapezoid(y, x=None, *, dx=1, dim=-1):
    """The integral along dim by trapezoids, between points x or dx apart."""
    return _areas(y, x, dx, dim).sum(dim)


trapz = trapezoid


def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """trapezoid() up to each point but the first."""
    return _areas(y, x, dx, dim).cumsum(dim)


def _areas(y, x, dx, dim):
    count = y.shape[dim]
    pairs = y.narrow(dim, 0, max(count - 1, 0)) + y.narrow(dim, min(1, count), max(count - 1, 0))
    if x is None:
        return pairs * (dx / 2)
    if x.dim() == 1:
        sizes = [1] * y.dim()
        sizes[dim] = x.shape[0]
        x = x.reshape(sizes)
    return pairs * (x.diff(dim=dim) / 2)


def sum_to_size(self, *size):
    """The sum over the dimensions that broadcasting added to that size."""
    size = list(size[0]) if len(size) == 1 and isinstance(size[0], (list, tuple)) else list(size)
    before = self.dim() - len(size)
    if before < 0 or any(n not in (1, m) for n, m in zip(size, self.shape[max(before, 0):])):
        raise RuntimeError("sum_to_size(): %s does not broadcast to %s" % (size, list(self.shape)))
    dims = list(range(before)) + [before + i for i, n in enumerate(size) if n != self.shape[before + i]]
    return self.sum(dims, keepdim=True).reshape(size) if dims else self


def unravel_index(indices, shape):
    """The indices in each dimension of positions in a row-major tensor of that shape."""
    shape = list(shape) if isinstance(shape, (list, tuple)) else [int(shape)]
    found = []
    for n in reversed(shape):
        found.append(indices % n)
        indices = indices.div(n, rounding_mode="floor")
    return tuple(reversed(found))


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of that size whose dimensions lie in memory in that order, the outermost first."""
    order = list(physical_layout)
    made = _C.empty([size[d] for d in order], dtype=dtype)
    made = made.permute([order.index(d) for d in range(len(order))])
    return made.requires_grad_() if requires_grad else made


def positive(input):
    """input, unless it is of Bool."""
    if input.dtype == _C.bool:
        raise RuntimeError("positive() of a tensor of Bool")
    return input


def round(input, *, decimals=0, out=None):
    """To the nearest integer, or to as many decimals; halves to the even one."""
    if decimals == 0:
        return _C.round(input, out=out)
    scale = 10.0 ** abs(decimals)
    return _C.div(_C.round(input * scale), scale, out=out) if decimals > 0 else _C.mul(_C.round(input / scale), scale, out=out)


def tensor_split(input, indices_or_sections, dim=0):
    """Parts: as many as a number says, or ending at the indices of a list or a tensor."""
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    return _C.tensor_split(input, indices_or_sections, dim=dim)


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm of the difference of each row of x1 and each of x2, however it is computed."""
    return _C.cdist(x1, x2, p=p)


def scatter(input, dim, index, src, *, reduce=None, out=None):
    """input with the elements of src at the indices along dim: in place of its own, added or multiplied."""
    if reduce is None:
        return _C.scatter(input, dim, index, src, out=out)
    src = src if isinstance(src, Tensor) else _C.full(index.shape, src, dtype=input.dtype)
    kinds = {"add": "sum", "multiply": "prod"}
    if reduce not in kinds:
        raise RuntimeError("scatter(): reduce is %r, and not add or multiply" % (reduce,))
    return _C.scatter_reduce(input, dim, index, src, kinds[reduce], out=out)


def _install():
    for function in (round, tensor_split, scatter):
        setattr(Tensor, function.__name__, function)
    Tensor.polygamma = lambda self, n: _C.polygamma(n, self)
    Tensor.sum_to_size = sum_to_size
    Tensor.positive = Tensor.__pos__ = positive
    Tensor.H = property(lambda self: self.mT.conj() if self.dtype.is_complex else self.mT)
    Tensor.mH = Tensor.H
    Tensor.__rdiv__ = lambda self, other: other / self


_install()

__all__ = ["block_diag", "cartesian_prod", "combinations", "trapezoid", "trapz", "cumulative_trapezoid", "unravel_index",
           "empty_permuted", "positive", "round", "tensor_split", "cdist", "scatter"]
