"""Functions of PyTorch that are made of several operations."""

from collections import namedtuple

from .. import _C
from .._C import Tensor


def _list(tensors):
    return list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)


def block_diag(*tensors):
    """The matrices along the diagonal of one, zeros elsewhere; vectors are rows."""
    return _C.block_diag(_list(tensors))


def cartesian_prod(*tensors):
    """All combinations of an element of each vector, a row for each."""
    return _C.cartesian_prod(_list(tensors))


def broadcast_tensors(*tensors):
    """The tensors in the shape to which theirs broadcast."""
    return _C.broadcast_tensors(_list(tensors))


def meshgrid(*tensors, indexing="ij"):
    """A tensor for each vector, with its elements along one dimension of the common grid."""
    return _C.meshgrid(_list(tensors), indexing=indexing)


def combinations(input, r=2, with_replacement=False):
    """All combinations of r elements of a vector, a row for each."""
    return _C.combinations(input, r=r, with_replacement=with_replacement)


def _integral(operation):
    def integral(y, x=None, *, dx=1, dim=-1):
        return operation(y, dx=dx, dim=dim) if x is None else operation(y, x, dim=dim)

    integral.__doc__ = operation.__doc__
    return integral


trapezoid, cumulative_trapezoid = _integral(_C.trapezoid), _integral(_C.cumulative_trapezoid)
trapz = trapezoid


def sum_to_size(self, *size):
    """The sum over the dimensions that broadcasting added to that size."""
    return _C.sum_to_size(self, list(size[0]) if len(size) == 1 and isinstance(size[0], (list, tuple)) else list(size))


def unravel_index(indices, shape):
    """The indices in each dimension of positions in a row-major tensor of that shape."""
    shape = list(shape) if isinstance(shape, (list, tuple)) else [int(shape)]
    found, indices = [], indices.to(_C.int64)
    for n in reversed(shape):
        found.append(_C.remainder(indices, n))
        indices = _C.floor_divide(indices, n)
    return tuple(reversed(found))


def empty_permuted(size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of that size whose dimensions lie in memory in that order, the outermost first."""
    made = _C.empty_permuted(size, physical_layout, dtype=dtype)
    return made.requires_grad_() if requires_grad else made


def positive(input):
    """input, unless it is of Bool."""
    if input.dtype == _C.bool:
        raise RuntimeError("positive() of a tensor of Bool")
    return input


def round(input, *, decimals=0, out=None):
    """To the nearest integer, or to as many decimals; halves to the even one."""
    return _C.round(input, out=out) if decimals == 0 else _C.round(input, decimals=decimals, out=out)


def tensor_split(input, indices_or_sections, dim=0):
    """Parts: as many as a number says, or ending at the indices of a list or a tensor."""
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    return _C.tensor_split(input, indices_or_sections, dim=dim)


def _tensor_of(value):
    return value if isinstance(value, Tensor) else _C.tensor(value)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """For each element of input, or a number, where it belongs in the sorted rows."""
    named = {k: v for k, v in (("side", side), ("sorter", sorter)) if v is not None}
    return _C.searchsorted(sorted_sequence, _tensor_of(input), out_int32=out_int32, right=right, out=out, **named)


def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """Between which boundaries each element of input, or a number, is."""
    return _C.bucketize(_tensor_of(input), boundaries, out_int32=out_int32, right=right, out=out)


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


def lu(A, pivot=True, get_infos=False):
    """The LU factors of matrices and their pivots; with get_infos also which have a 0 on the diagonal of U, else an error."""
    return tuple(_C.linalg_lu_factor_ex(A, pivot=pivot) if get_infos else _C.linalg_lu_factor(A, pivot=pivot))


Histogram = namedtuple("histogramdd", "hist bin_edges")


def histogramdd(input, bins, *, range=None, weight=None, density=False):
    """How many points, the last dimension of input, are in each bin: so many along each coordinate, or between numbers."""
    bins = [bins] * input.shape[-1] if isinstance(bins, int) else list(bins)
    if not bins or not isinstance(bins[0], Tensor):
        bins = list(_C._histogramdd_bin_edges(input, bins, range=range))
    return Histogram(_C._histogramdd_from_bin_tensors(input, bins, weight=weight, density=density), tuple(bins))


def full(size, fill_value, *, dtype=None, out=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of that size filled with a number, which says the dtype if none is given."""
    size = list(size) if isinstance(size, (list, tuple)) else [int(size)]
    if out is not None:
        return out.resize_(size).fill_(fill_value)
    if dtype is None:
        value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
        dtype = (_C.bool if isinstance(value, bool) else _C.int64 if isinstance(value, int)
                 else None if isinstance(value, float) else _C.promote_types(_C._get_default_dtype(), _C.complex64))
    if dtype is not None and dtype.is_complex:
        made = _C.mul(_C.ones(size, dtype=dtype), _C.tensor(fill_value, dtype=dtype))
    else:
        made = _C.full(size, fill_value, dtype=dtype)
    return made.requires_grad_() if requires_grad else made


def as_strided(input, size, stride, storage_offset=None):
    """A view of input's memory with that size and these strides, from input's first element on or from storage_offset."""
    return _C.as_strided(input, size, stride, storage_offset=input.storage_offset() if storage_offset is None else storage_offset)


def full_like(input, fill_value, **options):
    """A tensor of input's size, type and layout, unless options say otherwise, filled with a number."""
    if isinstance(fill_value, complex):
        return _C.empty_like(input, **options).fill_(fill_value)
    return _C.full_like(input, fill_value, **options)


def _window(operation, *names, **defaults):
    """A window of torch: operation's, which ends where it would begin again unless periodic is False."""

    def window(window_length, periodic=True, *given, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
               **named):
        options = {**defaults, **dict(zip(names, given)), **named}
        made = operation(window_length, sym=not periodic, dtype=dtype, **options)
        return made.requires_grad_() if requires_grad else made

    window.__doc__ = operation.__doc__
    return window


hann_window, bartlett_window, blackman_window, kaiser_window = (
    _window(_C.signal_windows_hann), _window(_C.signal_windows_bartlett), _window(_C.signal_windows_blackman),
    _window(_C.signal_windows_kaiser, "beta", beta=12.0))


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None, device=None,
                   requires_grad=False, pin_memory=False):
    """alpha - beta cos(2 pi n / N)."""
    made = _C.signal_windows_general_cosine(window_length, a=[alpha, beta], sym=not periodic, dtype=dtype)
    return made.requires_grad_() if requires_grad else made


def vander(x, N=None, increasing=False):
    """The powers 0 to N - 1 of each element, the largest first unless increasing."""
    found = _C.linalg_vander(x, N=N)
    return found if increasing else found.flip(-1)


def svd_lowrank(A, q=6, niter=2, M=None):
    """About the q largest singular values of A, or of A - M, and their vectors."""
    return _C.svd_lowrank(A, q=q, niter=niter, M=M)


def pca_lowrank(A, q=None, center=True, niter=2):
    """svd_lowrank() of A without the means of its columns, with center."""
    return _C.pca_lowrank(A, q=q, center=center, niter=niter)


def _atleast(name):
    function = getattr(_C, name)

    def atleast(*tensors):
        given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
        made = tuple(map(function, given))
        return made[0] if len(tensors) == 1 and isinstance(tensors[0], Tensor) else made

    atleast.__name__ = atleast.__qualname__ = name
    atleast.__doc__ = "Each of the tensors with sizes of 1 until it has so many dimensions: one, or a tuple of several."
    return atleast


atleast_1d, atleast_2d, atleast_3d = map(_atleast, ("atleast_1d", "atleast_2d", "atleast_3d"))


def _install():
    for function in (round, tensor_split, scatter):
        setattr(Tensor, function.__name__, function)
    Tensor.as_strided = as_strided
    Tensor.polygamma = lambda self, n: _C.polygamma(n, self)
    Tensor.sum_to_size = sum_to_size
    Tensor.positive = Tensor.__pos__ = positive
    Tensor.H = property(lambda self: _C.conj(_C.t(self)) if self.dtype.is_complex else _C.t(self))
    Tensor.__rdiv__ = lambda self, other: other / self


_install()

__all__ = ["block_diag", "cartesian_prod", "combinations", "trapezoid", "trapz", "cumulative_trapezoid", "broadcast_tensors", "meshgrid", "unravel_index",
           "empty_permuted", "positive", "full", "full_like", "as_strided", "round", "hann_window", "bartlett_window", "blackman_window", "kaiser_window", "hamming_window", "vander", "tensor_split", "searchsorted", "bucketize", "cdist", "scatter", "lu", "histogramdd",
           "svd_lowrank", "pca_lowrank", "atleast_1d", "atleast_2d", "atleast_3d"]
