"""Tensors with the names of PyTorch: `import thaten as torch`.

What is here computes as PyTorch does, on the CPU, without gradients.
"""

import math as _math

from . import _C
from ._C import *  # noqa: F403 -- all operations
from ._C import ArgumentError, ElementTypeError, Generator, Tensor, dtype
from . import _tensor
from ._tensor import *  # noqa: F403
from . import linalg, special
from . import nn
from . import export

inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e
newaxis = None
Size = tuple
__version__ = "0.1.0"
