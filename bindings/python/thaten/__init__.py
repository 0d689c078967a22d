"""Tensors with the names of PyTorch: `import thaten as torch`.

What is here computes as PyTorch does, on the CPU.
"""

import math as _math

from . import _C
from ._C import *  # noqa: F403 -- all operations
from ._C import ArgumentError, ElementTypeError, Generator, Tensor, dtype
from . import _tensor
from ._tensor import *  # noqa: F403
from ._composed import *  # noqa: F403
from . import autograd, cuda, fft, linalg, masked, signal, special
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from . import export

inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
newaxis = None
Size = tuple
_LATER = ("nn", "optim", "utils")  # imported when they are first used
__version__ = "0.1.0"


def save(obj, f):
    """Writes obj, see _files.save."""
    from ._files import save as write

    return write(obj, f)


def __getattr__(name):
    if name in _LATER:
        import importlib

        return importlib.import_module("." + name, __name__)
    if name.startswith("_") and not name.startswith("__") and hasattr(_C, name):  # operations that PyTorch shows too
        return getattr(_C, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
