"""The classes of nn, under PyTorch's name for the package that they are in."""

from .. import *  # noqa: F403
from ..module import Module
from . import utils

__all__ = ["Module", "utils"]
