"""Methods in place that the library has as functions only, lists of tensors, and control flow that is just called."""

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


_is_contiguous, _contiguous, _clone = Tensor.is_contiguous, Tensor.contiguous, Tensor.clone
_LAST = {"torch.channels_last": 4, "torch.channels_last_3d": 5}  # the formats whose channels come last, by dimensions


def _last(t, memory_format):
    """The tensor with its channels last, if that is the format."""
    dims = _LAST.get(memory_format)
    if dims is not None and t.dim() != dims:
        raise RuntimeError("%s is a format of %d dimensions, and the tensor has %d" % (memory_format, dims, t.dim()))
    return t if dims is None else t.movedim(1, -1)


def _contiguous_in(self, memory_format="torch.contiguous_format"):
    """Whether the elements lie one after the other, in the order of the dimensions or with the channels last."""
    if memory_format in _LAST and self.dim() != _LAST[memory_format]:
        return False
    return _is_contiguous(_last(self, memory_format))


def _made_contiguous(self, memory_format="torch.contiguous_format"):
    """The tensor itself, if its elements lie in that order, else a copy in which they do."""
    if memory_format not in _LAST:
        return _contiguous(self)
    return self if _contiguous_in(self, memory_format) else _contiguous(_last(self, memory_format)).movedim(-1, 1)


def _cloned(self, *, memory_format="torch.preserve_format"):
    """A copy in the layout of self, or contiguous or with the channels last where memory_format says so."""
    if memory_format == "torch.contiguous_format" and not _is_contiguous(self):
        return _contiguous(self)
    return _clone(_last(self, memory_format)).movedim(-1, 1) if memory_format in _LAST else _clone(self)


_view = Tensor.view


def _view_of(self, *size, dtype=None):
    """A view of other sizes, or of the same bytes as elements of another dtype."""
    dtype = size[0] if len(size) == 1 and isinstance(size[0], _C.dtype) else dtype
    if dtype is None:
        return _view(self, *size)
    if dtype == self.dtype:
        return self.view_as(self)
    if self.requires_grad:
        raise RuntimeError("view(): a tensor that wants a gradient has no view of another dtype; detach() it")
    return _C._view_bits(self, _C.empty(0, dtype=dtype))


Tensor.view = _view_of
Tensor.is_contiguous, Tensor.contiguous, Tensor.clone = _contiguous_in, _made_contiguous, _cloned
for _name in ("float_power", "gcd", "heaviside", "lcm", "ldexp", "mvlgamma"):
    setattr(Tensor, _name + "_", _in_place(_name))
Tensor.fill_diagonal_ = _fill_diagonal_
Tensor.map_ = _map2_
Tensor.new = lambda self, *args: Tensor(*args).to(self.dtype)
Tensor.slogdet = lambda self: _C.slogdet(self)
Tensor.is_inference = lambda self: False
Tensor.to_dense = lambda self, *args, **kwargs: self
Tensor.output_nr, Tensor.name = 0, None


def _memory(kind):
    def storage(self):
        from .. import storage as storages

        return getattr(storages, kind)(self)

    return storage


Tensor.storage, Tensor.untyped_storage = _memory("TypedStorage"), _memory("UntypedStorage")


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
    return False


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


def binomial(count, prob, generator=None):
    """How many of count trials succeed with the probability prob, drawn for each element."""
    return _C.binomial(count, prob, generator=generator) if hasattr(_C, "binomial") else _drawn_binomial(count, prob)


def _drawn_binomial(count, prob):
    from ..distributions import Binomial

    return Binomial(count, prob).sample()


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


class _FakeQuantize:
    """Numbers rounded to multiples of a scale as an integer type would hold them; the gradient passes where nothing was cut."""

    function = None

    @classmethod
    def apply(cls, *args):
        if cls.function is None:
            from ..autograd import Function

            def forward(ctx, x, scale, zero, low, high):
                steps = _C.round(x * (1 / scale) + zero)
                ctx.save_for_backward((steps >= low) & (steps <= high))
                return (steps.clamp(low, high) - zero) * scale

            def backward(ctx, grad):
                return (grad * ctx.saved_tensors[0], None, None, None, None)

            cls.function = type("FakeQuantize", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
        return cls.function.apply(*args)


def fake_quantize_per_tensor_affine(input, scale, zero_point, quant_min, quant_max):
    """(clamp(round(x / scale + zero_point), quant_min, quant_max) - zero_point) * scale."""
    if quant_min > quant_max:
        raise ValueError("fake_quantize_per_tensor_affine(): quant_min %d is above quant_max %d" % (quant_min, quant_max))
    return _FakeQuantize.apply(input, scale, zero_point, quant_min, quant_max)


def fake_quantize_per_channel_affine(input, scale, zero_point, axis, quant_min, quant_max):
    """The same with a scale and a zero point for each index of axis."""
    if scale.shape != (input.shape[axis],) or zero_point.shape != scale.shape:
        raise RuntimeError("fake_quantize_per_channel_affine(): scale is of %s, zero_point of %s, and the axis of size %d" % (
            tuple(scale.shape), tuple(zero_point.shape), input.shape[axis]))
    shape = [-1 if i == axis % input.dim() else 1 for i in range(input.dim())]
    return _FakeQuantize.apply(input, scale.reshape(shape), zero_point.reshape(shape), quant_min, quant_max)


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
