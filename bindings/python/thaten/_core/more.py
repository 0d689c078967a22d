"""Methods in place that the library has as functions only, lists of tensors, and control flow that is just called."""

import math as _math

from .. import _C
from .._C import Tensor


def _in_place(name):
    function = getattr(_C, name)

    def method(self, *args, **kwargs):
        return self.copy_(function(self, *args, **kwargs))

    method.__name__, method.__doc__ = name + "_", "The same as %s(), in place." % name
    return method


def _fill_diagonal_(self, fill_value, wrap=False):
    """Fills the main diagonal, whose indices are all equal; with wrap, of a tall matrix also those after each break."""
    if self.dim() < 2:
        raise RuntimeError("fill_diagonal_() of a tensor of %d dimensions, which needs 2" % self.dim())
    if self.dim() > 2:
        if len(set(self.shape)) > 1:
            raise RuntimeError("fill_diagonal_() of a tensor of %s, whose sizes have to be equal" % (tuple(self.shape),))
        index = _C.arange(self.shape[0])
        self[(index,) * self.dim()] = fill_value
        return self
    rows, columns = self.shape
    for begin in range(0, rows if wrap else 1, columns + 1):
        self.diagonal(-begin).fill_(fill_value)
    return self


def _map2_(self, other, function):
    for i, (a, b) in enumerate(zip(self.reshape(-1).tolist(), other.expand_as(self).reshape(-1).tolist())):
        self[tuple(_index(i, self.shape))] = function(a, b)
    return self


def _index(i, shape):
    index = []
    for size in reversed(shape):
        index.append(i % size)
        i //= size
    return reversed(index)


for _name in ("float_power", "gcd", "heaviside", "lcm", "ldexp", "mvlgamma"):
    setattr(Tensor, _name + "_", _in_place(_name))
Tensor.fill_diagonal_ = _fill_diagonal_
Tensor.map_ = _map2_
Tensor.new = lambda self, *args: Tensor(*args).to(self.dtype)
Tensor.slogdet = lambda self: _C.slogdet(self)
Tensor.__complex__ = lambda self: complex(self.item())
Tensor.to_dense = lambda self, *args, **kwargs: self
Tensor.output_nr, Tensor.name = 0, None


def _memory(kind):
    def storage(self):
        from .. import storage as storages

        return getattr(storages, kind)(self)

    return storage


Tensor.storage, Tensor.untyped_storage = _memory("TypedStorage"), _memory("UntypedStorage")


def _set_(self, source=None, storage_offset=0, size=None, stride=()):
    """Makes self a view of the memory of a tensor or of a storage, or without memory."""
    from ..storage import UntypedStorage

    elements = getattr(source, "_tensor", source)
    if isinstance(source, UntypedStorage):
        elements = elements.view(self.dtype)
    if size is None and elements is not source:
        size = [elements.numel()]
    if size is not None:
        steps = stride if len(stride) else [_math.prod(size[d + 1:]) for d in range(len(size))]
        elements = _C.as_strided(elements, size, steps, storage_offset=storage_offset)
    return _C.set_(self, *([] if source is None else [elements]))


Tensor.set_ = _set_


def foreach(name):
    """The function _foreach_NAME: the operation for each tensor of a list; further lists are taken apart, other arguments
    are those of each call."""
    plain = name[len("_foreach_"):]
    inplace = plain.endswith("_")
    found = {"zero_": "zero_", "lerp.Scalar": "lerp"}.get(plain, plain)
    call = getattr(Tensor, found, None) or getattr(_C, found)

    def each(self, *args, **kwargs):
        made = [call(t, *(a[i] if isinstance(a, (list, tuple)) else a for a in args), **kwargs) for i, t in enumerate(self)]
        return None if inplace else tuple(made)

    each.__name__ = name
    return each


# --- control flow, and what only compilers need ----------------------------------------------------------


def cond(pred, true_fn, false_fn, operands=()):
    """true_fn(*operands) if pred holds, else false_fn(*operands)."""
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn, body_fn, carried_inputs, additional_inputs=()):
    """Calls body_fn with the carried values, which it returns anew, as long as cond_fn of them holds."""
    carried = tuple(carried_inputs)
    while bool(cond_fn(*carried, *additional_inputs)):
        carried = tuple(body_fn(*carried, *additional_inputs))
    return carried


def sym_not(a):
    return not a


sym_int, sym_float, sym_max, sym_min, sym_sum = int, float, max, min, sum


def is_inference(tensor):
    return tensor.is_inference()


def set_flush_denormal(mode):
    """Numbers below the normal ones are computed as they are; returns whether that is what mode asks for."""
    return not mode


def set_warn_always(mode):
    """There are no warnings to be repeated."""


_deterministic = "default"


def set_deterministic_debug_mode(debug_mode):
    """default, warn or error: the same call gives the same result in any case."""
    global _deterministic
    names = ("default", "warn", "error")
    if debug_mode not in names and debug_mode not in (0, 1, 2):
        raise RuntimeError("set_deterministic_debug_mode(): %r is not among %s" % (debug_mode, names))
    _deterministic = names[debug_mode] if isinstance(debug_mode, int) else debug_mode


def get_deterministic_debug_mode():
    return ("default", "warn", "error").index(_deterministic)


def is_deterministic_algorithms_warn_only_enabled():
    return False


def is_warn_always_enabled():
    return False


def is_storage(obj):
    """Whether obj is the memory of a tensor."""
    from ..storage import TypedStorage

    return isinstance(obj, TypedStorage)


def is_anomaly_enabled():
    """Whether a NaN in a gradient is an error."""
    from ..autograd import set_detect_anomaly

    return set_detect_anomaly.on


is_anomaly_check_nan_enabled = is_anomaly_enabled


def set_anomaly_enabled(mode, check_nan=True):
    """Whether it is one from now on."""
    from ..autograd import set_detect_anomaly

    set_detect_anomaly(mode)


def sym_ite(b, t, f):
    return t if b else f


def sym_sqrt(a):
    return a ** 0.5


def grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """grid_sample() with numbers for its modes."""
    from ..nn.functional import grid_sample

    return grid_sample(input, grid, ("bilinear", "nearest", "bicubic")[interpolation_mode],
                       ("zeros", "border", "reflection")[padding_mode], align_corners)


def affine_grid_generator(theta, size, align_corners):
    from ..nn.functional import affine_grid

    return affine_grid(theta, size, align_corners)


def detach_(input):
    return input.detach_()


def _dropout_(name):
    def function(input, p, train):
        return input.copy_(getattr(_C, name)(input, p, train)) if train else input

    function.__name__, function.__doc__ = name + "_", "The same as %s(), in place." % name
    return function


alpha_dropout_, feature_dropout_, feature_alpha_dropout_ = map(_dropout_, ("alpha_dropout", "feature_dropout", "feature_alpha_dropout"))


def gcd_(input, other):
    return input.gcd_(other)


def lcm_(input, other):
    return input.lcm_(other)


def ldexp_(input, other):
    return input.ldexp_(other)


def frobenius_norm(input, dim=(), keepdim=False):
    return _C.linalg_vector_norm(input, 2, dim=None if dim in ((), []) else dim, keepdim=keepdim)


def nuclear_norm(input, dim=(-2, -1), keepdim=False):
    return _C.linalg_matrix_norm(input, "nuc", dim=dim, keepdim=keepdim)


def norm_except_dim(v, pow=2, dim=0):
    """The norms of v for each index of dim, -1: one of all of it."""
    if dim == -1:
        return v.norm(pow)
    sizes = [1] * v.dim()
    sizes[dim] = -1
    return v.transpose(0, dim).reshape(v.shape[dim], -1).norm(pow, 1).view(*sizes)


def spmm(mat, other):
    """The product of matrices, which are dense."""
    return _C.mm(mat, other)


__all__ = [name for name in globals() if not name.startswith("_") and name not in ("Tensor", "foreach")]
