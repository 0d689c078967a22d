"""What a process chooses: the default dtype and others; and the limits of dtypes."""

from .. import _C
from . import tensor as _tensor


def get_default_dtype():
    """The dtype of floating tensors for which none is given."""
    return _C._get_default_dtype()


def set_default_dtype(d):
    """Makes d, Float or Double, the dtype of floating tensors for which none is given."""
    _C._set_default_dtype(d)


def set_default_tensor_type(t):
    """The same by the name of a type: FloatTensor or DoubleTensor."""
    set_default_dtype(_tensor._LEGACY[t.split(".")[-1]] if isinstance(t, str) else getattr(t, "legacy", t))


def get_default_device():
    return _tensor.device("cpu")


def set_default_device(device):
    """There is one device."""
    _tensor._device_of(device)


def use_deterministic_algorithms(mode, *, warn_only=False):
    """The same call gives the same result here in any case."""


def are_deterministic_algorithms_enabled():
    return True


_precision = "highest"


def set_float32_matmul_precision(precision):
    """Products of Float compute in Float at any setting."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        raise ValueError("%r is not highest, high or medium" % (precision,))
    _precision = precision


def get_float32_matmul_precision():
    return _precision


def get_num_interop_threads():
    return 1


def set_num_interop_threads(int):
    """Operations of one thread of Python follow each other."""


def compile(model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, disable=False):
    """The function or module itself, which computes the same."""
    return (lambda function: function) if model is None else model


class finfo:
    """The limits of a floating dtype."""

    def __init__(self, type=None):
        self.dtype = get_default_dtype() if type is None else type
        sizes = {_C.float16: (16, 10, 15, 3), _C.bfloat16: (16, 7, 127, 2), _C.float32: (32, 23, 127, 6),
                 _C.float64: (64, 52, 1023, 15)}
        sizes.update({_C.complex64: sizes[_C.float32], _C.complex128: sizes[_C.float64]})
        if self.dtype not in sizes:
            raise TypeError("finfo() of %r, which is no floating type" % (self.dtype,))
        self.bits, digits, most, decimals = sizes[self.dtype]
        self.eps = 2.0 ** -digits
        self.max = (2 - self.eps) * 2.0 ** most
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - most)
        self.resolution = float("1e-%d" % decimals)

    def __repr__(self):
        return "finfo(resolution=%g, min=%g, max=%g, eps=%g, smallest_normal=%g, tiny=%g, dtype=%s)" % (
            self.resolution, self.min, self.max, self.eps, self.tiny, self.tiny, repr(self.dtype).replace("torch.", ""))


class iinfo:
    """The limits of an integral dtype."""

    def __init__(self, type):
        if type.is_floating_point or type.is_complex or type == _C.bool:
            raise TypeError("iinfo() of %r, which is no integral type" % (type,))
        self.dtype, self.bits = type, 8 * type.itemsize
        self.min = -(1 << self.bits - 1) if type.is_signed else 0
        self.max = (1 << self.bits - type.is_signed) - 1

    def __repr__(self):
        return "iinfo(min=%g, max=%g, dtype=%s)" % (self.min, self.max, repr(self.dtype).replace("torch.", ""))


__all__ = [name for name in globals() if not name.startswith("_")]
