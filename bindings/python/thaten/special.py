"""Functions of real numbers: special.erf is the operation special_erf."""

from . import _C

globals().update({name[len("special_"):]: getattr(_C, name) for name in dir(_C) if name.startswith("special_")})


def polygamma(n, input):
    """The n-th derivative of digamma."""
    return _C.polygamma(n, input)
