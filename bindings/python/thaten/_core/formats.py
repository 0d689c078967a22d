"""The orders in which the elements of a tensor lie: the methods that take a memory format."""

from .._C import Tensor

_is_contiguous, _contiguous, _clone = Tensor.is_contiguous, Tensor.contiguous, Tensor.clone
_LAST = {"torch.channels_last": 4, "torch.channels_last_3d": 5}  # the formats whose channels come last, by dimensions


def _last(t, memory_format):
    """The tensor with its channels last, if that is the format."""
    dims = _LAST.get(memory_format)
    if dims is not None and t.dim() != dims:
        raise RuntimeError("%s is a format of %d dimensions, and the tensor has %d" % (memory_format, dims, t.dim()))
    return t if dims is None else t.movedim(1, -1)


def _contiguous_in(self, memory_format="torch.contiguous_format"):
    """Whether the elements lie one after the other, in the order of the dimensions or with the channels last."""
    if memory_format in _LAST and self.dim() != _LAST[memory_format]:
        return False
    return _is_contiguous(_last(self, memory_format))


def _made_contiguous(self, memory_format="torch.contiguous_format"):
    """The tensor itself, if its elements lie in that order, else a copy in which they do."""
    if memory_format not in _LAST:
        return self if _is_contiguous(self) else _contiguous(self)
    return self if _contiguous_in(self, memory_format) else _contiguous(_last(self, memory_format)).movedim(-1, 1)


def _cloned(self, *, memory_format="torch.preserve_format"):
    """A copy in the layout of self, or contiguous or with the channels last where memory_format says so."""
    if memory_format == "torch.contiguous_format" and not _is_contiguous(self):
        return _contiguous(self)
    return _clone(_last(self, memory_format)).movedim(-1, 1) if memory_format in _LAST else _clone(self)


Tensor.is_contiguous, Tensor.contiguous, Tensor.clone = _contiguous_in, _made_contiguous, _cloned
