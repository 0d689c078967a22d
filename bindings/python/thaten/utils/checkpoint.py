"""Forward passes whose results in between are computed again for the gradients, and not kept."""

from .. import autograd
from .._C import Tensor
from ..random import get_rng_state, set_rng_state


class _Checkpoint(autograd.Function):
    @staticmethod
    def forward(ctx, function, kwargs, state, *args):
        ctx.function, ctx.kwargs, ctx.args, ctx.state = function, kwargs, args, state
        with autograd.no_grad():
            return function(*args, **kwargs)

    @staticmethod
    def backward(ctx, *grads):
        given = [a.detach().requires_grad_(a.requires_grad) if isinstance(a, Tensor) else a for a in ctx.args]
        now = get_rng_state()
        if ctx.state is not None:
            set_rng_state(ctx.state)
        with autograd.enable_grad():
            result = ctx.function(*given, **ctx.kwargs)
        set_rng_state(now)
        results = result if isinstance(result, tuple) else (result,)
        pairs = [(r, g) for r, g in zip(results, grads) if g is not None and r.requires_grad]
        autograd.backward([r for r, _ in pairs], [g for _, g in pairs])
        return (None, None, None, *(a.grad if isinstance(a, Tensor) else None for a in given))


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """function(*args), whose results in between are not kept; its gradients, also those of parameters that it uses, are the
    same.  What it draws, it draws again unless preserve_rng_state is False."""
    if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
        return function(*args, **kwargs)
    return _Checkpoint.apply(function, kwargs, get_rng_state() if preserve_rng_state else None, *args)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """The functions, or the modules of a Sequential, one after the other, in so many parts, all but the last with
    checkpoint()."""
    functions = list(functions)
    size = len(functions) // segments

    def run(part):
        def forward(value):
            for function in part:
                value = function(value)
            return value

        return forward

    for i in range(segments - 1):
        input = checkpoint(run(functions[i * size:(i + 1) * size]), input, **kwargs)
    return run(functions[(segments - 1) * size:])(input)
