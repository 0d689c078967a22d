"""Methods and functions that take what no operation of the description takes: devices, NumPy."""

from . import _C
from ._C import Tensor

_DTYPES = {"byte": _C.uint8, "char": _C.int8, "short": _C.int16, "int": _C.int32, "long": _C.int64, "half": _C.float16,
           "float": _C.float32, "double": _C.float64, "bool": _C.bool, "bfloat16": _C.bfloat16,
           "cfloat": _C.complex64, "cdouble": _C.complex128}
strided = "torch.strided"
contiguous_format, channels_last, preserve_format = ("torch.contiguous_format", "torch.channels_last",
                                                     "torch.preserve_format")


class device(str):
    """The one device that there is, device("cpu")."""

    def __new__(cls, name="cpu", index=None):
        if str(name).split(":")[0] != "cpu":
            raise RuntimeError("there is no device %s" % name)
        return super().__new__(cls, name)

    @property
    def type(self):
        return "cpu"

    @property
    def index(self):
        return None

    def __repr__(self):
        return "device(type='cpu')"


def is_tensor(obj):
    """Whether obj is a Tensor."""
    return isinstance(obj, Tensor)


def as_tensor(data, dtype=None, device=None):
    """data as a tensor, on the same memory where it is an array or a tensor of that dtype."""
    if isinstance(data, Tensor):
        return data if dtype in (None, data.dtype) else _C.to(data, dtype)
    if hasattr(data, "__array_interface__") and hasattr(data, "flags") and data.flags.writeable:
        return as_tensor(_C.from_numpy(data), dtype)
    return _C.tensor(data, dtype=dtype)


def get_default_dtype():
    return _C.float32


def _to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
    for given in args:
        if isinstance(given, (_C.dtype, type)):
            dtype = given
        elif isinstance(given, Tensor):
            dtype = given.dtype
        elif isinstance(given, str):
            device = given
    copy = copy or [given for given in args if given is True or given is False][1:] == [True]
    if device is not None:
        _device(device)
    result = self if dtype in (None, self.dtype) else _C.to(self, dtype)
    return _C.clone(result) if copy and result is self else result


_device = device


def _numpy(self, *, force=False):
    if self.requires_grad and not force:
        raise RuntimeError("numpy() of a tensor that wants a gradient: detach() first")
    import numpy

    return numpy.asarray(memoryview(self))


def _array(self, dtype=None, copy=None):
    import numpy

    array = numpy.asarray(memoryview(self))
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def _converter(dtype):
    return lambda self, memory_format=None: _to(self, dtype)


def _new(function):
    def make(self, *size, dtype=None, device=None, requires_grad=False):
        return function(*size, dtype=dtype or self.dtype, requires_grad=requires_grad)

    return make


def _type(self, dtype=None, non_blocking=False):
    if dtype is None:
        names = {"torch.%s" % t: n for n, t in (("Float", "float32"), ("Double", "float64"), ("Half", "float16"),
                                                 ("BFloat16", "bfloat16"), ("Byte", "uint8"), ("Char", "int8"),
                                                 ("Short", "int16"), ("Int", "int32"), ("Long", "int64"), ("Bool", "bool"),
                                                 ("ComplexFloat", "complex64"), ("ComplexDouble", "complex128"),
                                                 ("UInt16", "uint16"), ("UInt32", "uint32"), ("UInt64", "uint64"))}
        return "torch.%sTensor" % names[repr(self.dtype)]
    return _to(self, dtype)


def _self(self, *args, **kwargs):
    return self


def _contains(self, element):
    return bool((self == element).any())


def _format(self, specification):
    return format(self.item() if self.dim() == 0 else repr(self), specification)


def _deepcopy(self, memo):
    if id(self) not in memo:
        if not self.is_leaf:
            raise RuntimeError("only leaves can be copied: detach() first")
        memo[id(self)] = self.detach().clone().requires_grad_(self.requires_grad)
    return memo[id(self)]


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements, or slices along dim; with indices and counts where they are asked for."""
    if dim is None:
        results = _C._unique2(input, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    else:
        results = _C.unique_dim(input, dim, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    chosen = [results[0]] + [r for r, wanted in zip(results[1:], (return_inverse, return_counts)) if wanted]
    return chosen[0] if len(chosen) == 1 else tuple(chosen)


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements, or slices along dim, without those that equal the one before."""
    results = _C.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)
    chosen = [results[0]] + [r for r, wanted in zip(results[1:], (return_inverse, return_counts)) if wanted]
    return chosen[0] if len(chosen) == 1 else tuple(chosen)


def nonzero(input, *, as_tuple=False, out=None):
    """The indices of elements that are not 0: a row for each, or a tuple with a tensor for each dimension."""
    indices = _C.nonzero(input, out=out)
    if as_tuple and input.dim() == 0:
        return (_C.reshape(_C.nonzero(_C.reshape(input, [1])), [-1]),)
    return tuple(_C.unbind(indices, dim=1)) if as_tuple else indices


def tensordot(a, b, dims=2, out=None):
    """The contraction over the dimensions in two lists, or over the last of a and the first of b."""
    if isinstance(dims, int):
        dims = [list(range(-dims, 0)), list(range(dims))]
    return _C.tensordot(a, b, *([d] if isinstance(d, int) else list(d) for d in dims), out=out)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm over all dimensions or over dim; "fro" is that with p = 2."""
    if p == "nuc":
        input = input if dtype is None else _C.to(input, dtype)
        return _C.linalg_matrix_norm(input, ord=p, dim=[-2, -1] if dim is None else dim, keepdim=keepdim, out=out)
    p = 2 if p in ("fro", None) else p
    if dim is None:
        dim = list(range(input.dim()))
    return _C.norm(input, p, dim, keepdim=keepdim, dtype=dtype, out=out)


def argsort(input, dim=-1, descending=False, stable=False):
    """The indices that sort along dim; equal elements keep their order."""
    return _C.argsort(input, dim=dim, descending=descending)


def normal(mean, std=1.0, size=None, *, generator=None, dtype=None, layout=None, device=None, pin_memory=False,
           requires_grad=False, out=None):
    """Random numbers of a normal distribution, of tensors of means and deviations or of a size."""
    if size is None:
        return _C.normal(mean, std, generator=generator, out=out)
    result = _C.empty(size, dtype=dtype) if out is None else out.resize_(size)
    return _C.normal_(result, mean=mean, std=std, generator=generator)


def randint(low, high, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Random integers from low, or 0, to below high, of Long: randint(high, size) or randint(low, high, size)."""
    if size is None:
        low, high, size = 0, low, high
    made = _C.random_(_C.empty(size, dtype=dtype or _C.int64), low, high, generator=generator)
    return made.requires_grad_() if requires_grad else made


def randint_like(input, low, high=None, *, dtype=None, device=None):
    """Random integers in the shape of input."""
    low, high = (0, low) if high is None else (low, high)
    return _C.random_(_C.empty(input.shape, dtype=dtype or input.dtype), low, high)


def broadcast_shapes(*shapes):
    """The shape to which the shapes broadcast."""
    return _C.broadcast_tensors([_C.expand(_C.empty([]), s if isinstance(s, (list, tuple)) else [s]) for s in shapes])[0].shape


def _install():
    for name, dtype in _DTYPES.items():
        setattr(Tensor, name, _converter(dtype))
    for name in ("empty", "zeros", "ones", "full"):
        setattr(Tensor, "new_" + name, _new(getattr(_C, name)))
    Tensor.new_tensor = lambda self, data, dtype=None, device=None: _C.tensor(data, dtype=dtype or self.dtype)
    for name, method in {"to": _to, "numpy": _numpy, "__array__": _array, "type": _type, "cpu": _self,
                         "__contains__": _contains, "__format__": _format,
                         "__deepcopy__": _deepcopy, "unique": unique, "unique_consecutive": unique_consecutive,
                         "nonzero": nonzero, "norm": norm, "argsort": argsort}.items():
        setattr(Tensor, name, method)
    for name in ("mT", "mH", "H", "real", "imag"):  # attributes in PyTorch
        if hasattr(_C, name):
            setattr(Tensor, name, property(getattr(_C, name)))
    Tensor.__array_priority__ = 1000
    Tensor.device = property(lambda self: device("cpu"))
    Tensor.is_cuda = Tensor.is_sparse = property(lambda self: False)
    Tensor.nelement = Tensor.numel
    Tensor.ndimension = Tensor.dim
    Tensor.element_size = lambda self: self.itemsize


_install()

__all__ = ["device", "is_tensor", "as_tensor", "get_default_dtype",
           "strided", "contiguous_format", "channels_last", "preserve_format", "unique", "unique_consecutive", "nonzero", "tensordot", "norm", "argsort", "normal", "randint", "randint_like",
           "broadcast_shapes"]
