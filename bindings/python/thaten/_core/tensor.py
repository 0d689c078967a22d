"""Methods and functions that take what no operation of the description takes: devices, NumPy."""

import math as _math

from .. import _C
from .._C import Tensor

_DTYPES = {"byte": _C.uint8, "char": _C.int8, "short": _C.int16, "int": _C.int32, "long": _C.int64, "half": _C.float16,
           "float": _C.float32, "double": _C.float64, "bool": _C.bool, "bfloat16": _C.bfloat16,
           "cfloat": _C.complex64, "cdouble": _C.complex128}


class layout(str):
    """How tensors hold their elements: strided is the one way."""

    __repr__ = str.__str__


class memory_format(str):
    """The order in which a tensor's elements lie."""

    __repr__ = str.__str__


strided = layout("torch.strided")
contiguous_format, channels_last, channels_last_3d, preserve_format = (memory_format("torch." + _n) for _n in (
    "contiguous_format", "channels_last", "channels_last_3d", "preserve_format"))


class Size(tuple):
    """The sizes of a tensor's dimensions."""

    __slots__ = ()

    def numel(self):
        """The product: the number of elements."""
        return _math.prod(self)

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(tuple.__add__(tuple(other), self))

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __mul__(self, count):
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __repr__(self):
        return "torch.Size([%s])" % ", ".join(map(str, self))

    def __reduce__(self):
        return Size, (tuple(self),)


_C._set_size(Size)


class device(str):
    """The one device that there is, device("cpu")."""

    def __new__(cls, name="cpu", index=None):
        if str(name).split(":")[0] != "cpu":
            raise RuntimeError("there is no device %s: the package computes on the CPU" % name)
        return super().__new__(cls, name if index is None else "cpu:%d" % index)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    @property
    def type(self):
        return "cpu"

    @property
    def index(self):
        number = str.partition(self, ":")[2]
        return int(number) if number else None

    def __repr__(self):
        return "device(type='cpu')" if self.index is None else "device(type='cpu', index=%d)" % self.index


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


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """obj as a tensor, on the same memory unless copy is True."""
    made = _C.tensor(obj, dtype=dtype) if copy else as_tensor(obj, dtype)
    return made.requires_grad_() if requires_grad else made


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """A vector on the memory of a buffer of bytes, from offset on: count elements, or all."""
    view = memoryview(buffer).cast("B")[offset:]
    if count < 0:
        if len(view) % dtype.itemsize:
            raise ValueError("frombuffer(): %d bytes are no whole number of elements of %r" % (len(view), dtype))
        count = len(view) // dtype.itemsize
    if count * dtype.itemsize > len(view):
        raise ValueError("frombuffer(): %d elements of %r do not fit in %d bytes" % (count, dtype, len(view)))
    made = _C.from_numpy(view[:count * dtype.itemsize]).view(dtype)
    return made.requires_grad_() if requires_grad else made


def result_type(*operands):
    """The dtype that an operation of two tensors or numbers has."""
    a, b = (o if isinstance(o, Tensor) else _C.tensor(o) for o in operands)
    kinds = [_kind(o) for o in (a, b)]
    ranks = [0 if not isinstance(o, Tensor) else 1 if o.dim() == 0 else 2 for o in operands]
    # One of a lower rank, a number before a tensor without dimensions before others, counts only by its category.
    for one, other, i in ((a, b, 0), (b, a, 1)):
        if ranks[i] > ranks[1 - i] and kinds[i] >= kinds[1 - i]:
            return one.dtype
    return _C.promote_types(a.dtype, b.dtype)


def _kind(t):
    return 3 if t.is_complex() else 2 if t.is_floating_point() else 0 if t.dtype == _C.bool else 1


def can_cast(from_, to):
    """Whether a result of one dtype may be stored in the other: not a float in an integer, not a number in a Bool."""
    a, b = (_kind(_C.empty(0, dtype=d)) for d in (from_, to))
    return a <= b or (a, b) == (1, 1)


def typename(obj):
    """The name of an object's type."""
    return obj.type() if isinstance(obj, Tensor) else "%s.%s" % (type(obj).__module__, type(obj).__qualname__)


def where(condition, input=None, other=None, *, out=None):
    """input where condition holds, other elsewhere; with condition alone the indices of what is not 0."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = _C.tensor(input)
    return _C.where(condition, input, other, out=out) if out is not None else _C.where(condition, input, other)


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
        _device_of(device)
    result = self if dtype in (None, self.dtype) else _C.to(self, dtype)
    result = _C.clone(result) if copy and result is self else result
    if memory_format == contiguous_format:
        return result.contiguous()
    return result if memory_format in (None, preserve_format) else result.contiguous(memory_format=memory_format)


_device = device


def _device_of(given):
    """Raises an error unless given names the device that there is."""
    return given if isinstance(given, device) else device(given)


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


def _type(self, dtype=None, non_blocking=False, **_):
    if isinstance(dtype, str) or hasattr(dtype, "legacy"):
        return _to(self, _LEGACY[dtype.split(".")[-1]] if isinstance(dtype, str) else dtype.legacy)
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
    if self.dim() > 0 and specification:
        raise TypeError("the format %r is not for a tensor of size %s" % (specification, tuple(self.shape)))
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
    result = _C.normal_(result, mean=mean, std=std, generator=generator)
    return result.requires_grad_() if requires_grad else result


def randint(low, high, size=None, *, generator=None, dtype=None, device=None, requires_grad=False):
    """Random integers from low, or 0, to below high, of Long: randint(high, size) or randint(low, high, size)."""
    if size is None:
        low, high, size = 0, low, high
    made = _C.random_(_C.empty(size, dtype=dtype or _C.int64), low, high, generator=generator)
    return made.requires_grad_() if requires_grad else made


def randint_like(input, low, high=None, *, dtype=None, device=None):
    """Random integers in the shape of input."""
    low, high = (0, low) if high is None else (low, high)
    return _C.random_(_C.empty_like(input, dtype=dtype or input.dtype), low, high)


def broadcast_shapes(*shapes):
    """The shape to which the shapes broadcast."""
    return _C.broadcast_tensors([_C.expand(_C.empty([]), s if isinstance(s, (list, tuple)) else [s]) for s in shapes])[0].shape


# --- the types of tensors before dtype ----------------------------------------------------------------------

_LEGACY = {"%sTensor" % name: dtype for name, dtype in (
    ("Float", _C.float32), ("Double", _C.float64), ("Half", _C.float16), ("BFloat16", _C.bfloat16), ("Byte", _C.uint8),
    ("Char", _C.int8), ("Short", _C.int16), ("Int", _C.int32), ("Long", _C.int64), ("Bool", _C.bool))}


class _Legacy(type):
    """Tensors of a dtype are instances of its type."""

    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype == cls.legacy


def _legacy(name, dtype):
    def make(cls, *args):
        if len(args) == 1 and not isinstance(args[0], (int, Size)):
            return _C.tensor(args[0], dtype=dtype)
        return _C.empty(args[0] if args and isinstance(args[0], Size) else args, dtype=dtype) if args else _C.empty(0, dtype=dtype)

    text = "A tensor of %r: of data, or of sizes, whose elements have any values." % dtype
    return _Legacy(name, (), {"__new__": make, "__doc__": text, "__module__": "torch", "legacy": dtype, "dtype": dtype})


globals().update({name: _legacy(name, dtype) for name, dtype in _LEGACY.items()})


def _map_(self, function):
    for i, one in enumerate(self.reshape(-1).tolist()):
        self.view(-1)[i] = function(one)
    return self


def _array_wrap(self, array, context=None, return_scalar=False):
    """Results of NumPy's functions of tensors are tensors."""
    return _C.tensor(array)


def _install():
    Tensor.__array_priority__ = 1000  # operators of NumPy leave operands to the tensor
    Tensor.__array_wrap__ = _array_wrap
    for name, dtype in _DTYPES.items():
        setattr(Tensor, name, _converter(dtype))
    for name in ("empty", "zeros", "ones", "full"):
        setattr(Tensor, "new_" + name, _new(getattr(_C, name)))
    plain = Tensor.new_full
    Tensor.new_full = lambda self, size, fill_value, **options: (
        plain(self, size, 0, **options).fill_(fill_value) if isinstance(fill_value, complex) else plain(
            self, size, fill_value, **options))
    Tensor.new_tensor = lambda self, data, dtype=None, device=None, requires_grad=False: _C.tensor(
        data, dtype=dtype or self.dtype, requires_grad=requires_grad)
    for name, method in {"to": _to, "numpy": _numpy, "__array__": _array, "type": _type, "cpu": _self,
                         "type_as": lambda self, other: _to(self, other.dtype),
                         "__contains__": _contains, "__format__": _format,
                         "__deepcopy__": _deepcopy, "unique": unique, "unique_consecutive": unique_consecutive,
                         "nonzero": nonzero, "norm": norm, "argsort": argsort,
                         "cuda": lambda self, device=None, **_: _device_of("cuda"), "apply_": _map_, "share_memory_": _self,
                         "pin_memory": _self, "where": lambda self, condition, other: where(condition, self, other),
                         "is_shared": lambda self: False, "is_pinned": lambda self: False}.items():
        setattr(Tensor, name, method)
    for name in ("mT", "mH", "H", "real", "imag"):  # attributes in PyTorch
        if hasattr(_C, name):
            setattr(Tensor, name, property(getattr(_C, name)))
    Tensor.real = property(lambda self: _C.real(self) if self.is_complex() else self)
    Tensor.device = property(lambda self: device("cpu"))
    for name in ("is_cuda", "is_sparse", "is_quantized", "is_mps", "is_meta", "is_mkldnn", "is_xla", "is_nested"):
        setattr(Tensor, name, property(lambda self: False))
    Tensor.is_cpu = property(lambda self: True)
    Tensor.layout = property(lambda self: strided)
    Tensor.nelement = Tensor.numel
    Tensor.ndimension = Tensor.dim
    Tensor.element_size = lambda self: self.itemsize


_install()

__all__ = ["Size", "device", "layout", "memory_format", "is_tensor", "as_tensor", "asarray", "frombuffer", "result_type", "can_cast", "typename", "where",
           "strided", "contiguous_format", "channels_last", "channels_last_3d", "preserve_format", "unique", "unique_consecutive", "nonzero",
           "tensordot", "norm", "argsort", "normal", "randint", "randint_like", "broadcast_shapes", *_LEGACY]
