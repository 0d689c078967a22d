"""Operations whose numbers are complex: the library's are real, so these are made of others.  The calls of _C come here before they
put tensors in place of complex numbers."""

import math

from .. import _C
from .._C import Tensor


def _check(*tensors):
    if not any(t.is_complex() for t in tensors):
        raise RuntimeError("a number is complex, and has to be real for tensors that are")


def _factor(number, *tensors):
    """A complex factor as a tensor of the type that it makes of theirs."""
    _check(*tensors)
    return _C.scalar_tensor(0.0, dtype=next(t.dtype for t in tensors if t.is_complex())).fill_(number)


def _add(name):
    call = getattr(_C, name)

    def scaled(self, other, *, alpha):
        tensors = [t for t in (self, other) if isinstance(t, Tensor)]
        return call(self, _factor(alpha, *tensors) * other)

    return scaled


def rsub(self, other, *, alpha):
    return other - _factor(alpha, *[t for t in (self, other) if isinstance(t, Tensor)]) * self


def _scaled_product(product):
    """beta * self + alpha * product of the operands."""

    def scaled(self, a, b, *, beta=1, alpha=1):
        _check(self, a, b)
        made = product(a, b) * alpha
        return made if beta == 0 else self * beta + made

    return scaled


def addcmul(self, tensor1, tensor2, *, value):
    _check(self, tensor1, tensor2)
    return self + value * tensor1 * tensor2


def addcdiv(self, tensor1, tensor2, *, value):
    _check(self, tensor1, tensor2)
    return self + value * (tensor1 / tensor2)


def index_add(self, dim, index, source, *, alpha):
    return _C.index_add(self, dim, index, source * _factor(alpha, self, source))


def lerp(self, end, weight):
    _check(self)
    near = abs(weight) < 0.5
    return self + weight * (end - self) if near else end - (end - self) * (1 - weight)


def scatter(self, dim, index, value, **more):
    value = value if "src" not in more else more["src"]
    return _C.scatter(self, dim, index, _C.zeros(list(index.shape), dtype=self.dtype).fill_(value))


_made = {"add": _add("add"), "sub": _add("sub"), "subtract": _add("sub"), "rsub": rsub, "addcmul": addcmul, "addcdiv": addcdiv,
         "index_add": index_add, "lerp": lerp, "scatter": scatter, "addmm": _scaled_product(_C.mm), "addmv": _scaled_product(_C.mv),
         "addr": _scaled_product(_C.outer), "baddbmm": _scaled_product(_C.bmm),
         "addbmm": _scaled_product(lambda a, b: _C.bmm(a, b).sum(0))}
# What the complex number of these is given as, where the operation itself takes one as a tensor.
_by_name = {"add": "alpha", "sub": "alpha", "subtract": "alpha", "rsub": "alpha"}


def fallback(name, arguments, named):
    """The result of the call, or NotImplemented where tensors can stand for the complex numbers."""
    plain = name[:-1] if name.endswith("_") else name
    if plain not in _made or (plain in _by_name and not isinstance(named.get(_by_name[plain]), complex)):
        return NotImplemented
    out = named.pop("out", None)
    made = _made[plain](*arguments, **named)
    if plain != name:
        return arguments[0].copy_(made)
    return made if out is None else _C.alias_copy(made, out=out)


def _ends(name, real):
    """The function of two ends, which may be complex, or real numbers of a complex type."""

    def between(start, end, steps, *more, dtype=None, **named):
        kinds = {type(v.item()) if isinstance(v, Tensor) else type(v) for v in (start, end)}
        if complex not in kinds and not (dtype is not None and dtype.is_complex):
            return real(start, end, steps, *more, dtype=dtype, **named)
        own = _C.complex128 if _C._get_default_dtype() == _C.float64 else _C.complex64
        dtype = own if dtype is None else dtype
        if not dtype.is_complex:
            raise RuntimeError("%s(): dtype is %s, and the ends are complex" % (name, dtype))
        base = more[0] if more else named.pop("base", 10.0)
        wanted, out = named.pop("requires_grad", False), named.pop("out", None)
        parts = [_C.linspace(a, b, steps, dtype=_C.float64) for a, b in zip(*([v.real, v.imag] for v in map(complex, (start, end))))]
        made = _C.complex(*parts)
        if name == "logspace":
            made = _C.exp(made * math.log(base))
        made = made.to(dtype)
        return made.requires_grad_(wanted) if out is None else _C.alias_copy(made, out=out)

    between.__name__, between.__doc__ = name, real.__doc__
    return between


linspace, logspace = _ends("linspace", _C.linspace), _ends("logspace", _C.logspace)

__all__ = ["linspace", "logspace"]
