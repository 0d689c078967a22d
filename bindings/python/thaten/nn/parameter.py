"""Parameters, under PyTorch's name for the module that they are in."""

from .module import Buffer, Parameter

__all__ = ["Buffer", "Parameter"]
