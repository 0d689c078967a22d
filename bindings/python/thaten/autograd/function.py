"""What scripts import from torch.autograd.function."""

from . import Function, FunctionCtx


def once_differentiable(function):
    """Marks a backward whose result has no gradient of its own."""
    from . import no_grad

    return no_grad()(function)


__all__ = ["Function", "FunctionCtx", "once_differentiable"]
