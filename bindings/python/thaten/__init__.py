"""Tensors with the names of PyTorch: `import thaten as torch`.

What is here computes as PyTorch does, on the CPU.
"""

import math as _math

from . import _C
from ._C import *  # noqa: F403 -- all operations
from ._C import ArgumentError, ElementTypeError, Generator, Tensor, default_generator, dtype
from ._core import tensor as _tensor, tensor_str as _tensor_str
from ._core.tensor import *  # noqa: F403
from ._core.complex_numbers import *  # noqa: F403
from ._core.composed import *  # noqa: F403
from ._core.more import *  # noqa: F403
from ._core import formats as _formats
from ._core.quantize import *  # noqa: F403
from ._core.settings import *  # noqa: F403
from ._core.tensor_str import set_printoptions
from . import accelerator, autograd, backends, cuda, fft, linalg, masked, random, signal, special
from .amp import (GradScaler, autocast, clear_autocast_cache, get_autocast_cpu_dtype, get_autocast_dtype, get_autocast_gpu_dtype,
                  is_autocast_cache_enabled, is_autocast_cpu_enabled, is_autocast_enabled, set_autocast_cache_enabled,
                  set_autocast_cpu_dtype, set_autocast_cpu_enabled, set_autocast_dtype, set_autocast_enabled, set_autocast_gpu_dtype)
from .autograd import enable_grad, inference_mode, is_inference_mode_enabled, no_grad, set_grad_enabled
from .random import get_rng_state, initial_seed, seed, set_rng_state
from . import export
from .backends import mps
from .cuda import OutOfMemoryError

inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
newaxis = None
# Imported when they are first used.
_LATER = ("nn", "optim", "utils", "distributions", "func", "testing", "version", "jit", "compiler", "serialization", "types",
          "return_types", "multiprocessing", "distributed", "profiler", "library", "storage")
__version__ = "0.1.0"


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Writes obj, see _files.save."""
    from ._core.files import save as write

    return write(obj, f)


def load(f, map_location=None, *, weights_only=True, mmap=False, skip=False, **_):
    """What is in a file, see _files.load."""
    from ._core.files import load as read

    return read(f, skip, weights_only)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Calls func with each slice, see func.vmap."""
    from .func import vmap as mapped

    return mapped(func, in_dims, out_dims, randomness, chunk_size=chunk_size)


def __getattr__(name):
    if name in _LATER:
        import importlib

        return importlib.import_module("." + name, __name__)
    if name in ("TypedStorage", "UntypedStorage"):
        from . import storage

        return getattr(storage, name)
    if name == "ops":
        from .library import ops

        return ops
    if name.startswith("_foreach_"):
        from ._core.more import foreach

        return foreach(name)
    if name.startswith("_") and not name.startswith("__") and hasattr(_C, name):  # operations that PyTorch shows too
        return getattr(_C, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
