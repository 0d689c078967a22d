"""What tensors were computed by: a Node has a name() and next_functions."""

from .._C import _Node as Node

__all__ = ["Node"]
