"""Tensors with the names of PyTorch: `import thaten as torch`.

What is here computes as PyTorch does, on the CPU.
"""

import math as _math

from . import _C
from ._C import *  # noqa: F403 -- all operations
from ._C import ArgumentError, ElementTypeError, Generator, Tensor, default_generator, dtype
from . import _tensor, _tensor_str
from ._tensor import *  # noqa: F403
from ._composed import *  # noqa: F403
from ._more import *  # noqa: F403
from ._settings import *  # noqa: F403
from ._tensor_str import set_printoptions
from . import accelerator, autograd, backends, cuda, fft, linalg, masked, random, signal, special
from .amp import GradScaler, autocast
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from .random import get_rng_state, initial_seed, seed, set_rng_state
from . import export
from .backends import mps

inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
newaxis = None
_LATER = ("nn", "optim", "utils", "distributions", "func", "testing", "version")  # imported when they are first used
__version__ = "0.1.0"


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Writes obj, see _files.save."""
    from ._files import save as write

    return write(obj, f)


def load(f, map_location=None, *, weights_only=True, mmap=False, skip=False, **_):
    """What is in a file, see _files.load."""
    from ._files import load as read

    return read(f, skip, weights_only)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Calls func with each slice, see func.vmap."""
    from .func import vmap as mapped

    return mapped(func, in_dims, out_dims, randomness, chunk_size=chunk_size)


def __getattr__(name):
    if name in _LATER:
        import importlib

        return importlib.import_module("." + name, __name__)
    if name.startswith("_foreach_"):
        from ._more import foreach

        return foreach(name)
    if name.startswith("_") and not name.startswith("__") and hasattr(_C, name):  # operations that PyTorch shows too
        return getattr(_C, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
