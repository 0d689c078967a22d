"""The classes of nn, under PyTorch's name for the package that they are in."""

import sys as _sys

from .. import *  # noqa: F403
from .. import module
from ..module import Module
from . import _families, utils

globals().update(_families._modules(__name__))
_sys.modules[__name__ + ".module"] = module

__all__ = ["Module", "utils"]
