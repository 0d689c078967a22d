"""Derivatives along a direction, computed with the values: dual tensors have a tangent.  The tangent of a result is found by
two backward passes, the second one through the first."""

from collections import namedtuple

from .. import _C
from . import enable_grad, grad as _grad

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
_levels = []


class dual_level:
    """The with statement in which there are dual tensors; one at a time."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *_):
        exit_dual_level()


def enter_dual_level():
    """Begins a level, and returns its number."""
    if _levels:
        raise RuntimeError("forward_ad: levels are not nested")
    _levels.append([])
    return 0


def exit_dual_level(*, level=None):
    """Ends the level: its tensors have no tangents any more."""
    if not _levels:
        raise RuntimeError("forward_ad: there is no level to end")
    _levels.pop()


def make_dual(tensor, tangent, *, level=None):
    """A tensor of the same values with that tangent."""
    if not _levels:
        raise RuntimeError("make_dual() outside of dual_level()")
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError("make_dual(): tensor is of %r, and has to be of a floating type" % (tensor.dtype,))
    if tensor.shape != tangent.shape:
        raise RuntimeError("make_dual(): tensor is of %s, and tangent of %s" % (tuple(tensor.shape), tuple(tangent.shape)))
    if tensor.dtype != tangent.dtype:
        raise RuntimeError("make_dual(): tensor is of %r, and tangent of %r" % (tensor.dtype, tangent.dtype))
    with enable_grad():
        dual = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
    _levels[0].append((dual, tangent, tensor.requires_grad or tangent.requires_grad))
    return dual


def unpack_dual(tensor, *, level=None):
    """The values and the tangent of a tensor, None where it depends on no dual tensor."""
    if not _levels:
        return UnpackedDualTensor(tensor, None)
    duals = _levels[0]
    recorded = any(more for *_, more in duals)  # whether gradients of the results are wanted too

    def unpacked(tangent):
        if recorded:
            return UnpackedDualTensor(tensor, tangent)
        return UnpackedDualTensor(tensor.detach(), tangent.detach() if tangent is not None and tangent.requires_grad else tangent)

    for dual, tangent, _ in duals:
        if dual is tensor:
            return unpacked(tangent)
    return unpacked(_tangent(tensor, duals) if tensor.requires_grad and duals else None)


def _tangent(tensor, duals):
    with enable_grad():
        direction = _C.zeros_like(tensor).requires_grad_()
        found = _grad([tensor], [dual for dual, *_ in duals], [direction], create_graph=True, allow_unused=True)
        pairs = [(g, t) for g, (_, t, _) in zip(found, duals) if g is not None and g.requires_grad]
        if not pairs:
            return _C.zeros_like(tensor) if any(g is not None for g in found) else None
        total = _C.stack([((g.conj() * t).real if g.is_complex() else g * t).sum() for g, t in pairs]).sum()
        return _grad([total], [direction], create_graph=True)[0]
