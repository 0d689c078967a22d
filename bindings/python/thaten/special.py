"""Functions of real numbers: special.erf is the operation special_erf."""

from . import _C

globals().update({name[len("special_"):]: getattr(_C, name) for name in dir(_C) if name.startswith("special_")})


def polygamma(n, input, *, out=None):
    """The n-th derivative of digamma."""
    return _C.polygamma(n, input, out=out)


def softmax(input, dim, *, dtype=None):
    """exp(x) over the sum of exp(x) along dim."""
    return _C.softmax(input, dim, dtype=dtype)


def log_softmax(input, dim, *, dtype=None):
    """The logarithm of softmax(input, dim)."""
    return _C.log_softmax(input, dim, dtype=dtype)


round = _C.round
