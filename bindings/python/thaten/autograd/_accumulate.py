"""Functions that are called when a leaf has its gradient."""

import threading as _threading

from .._C import Tensor

# .pending: hooks of the leaves that the running pass has reached, each with its leaf; .last: what runs behind them
_state = _threading.local()
_backward = Tensor.backward


def _run(self, gradient=None, retain_graph=None, create_graph=False, **more):
    """Tensor.backward(), and then the hooks of the leaves whose gradients it has added."""
    outer = getattr(_state, "pending", None), getattr(_state, "last", None)
    _state.pending, _state.last = [], []
    try:
        result = _backward(self, gradient, retain_graph, create_graph, **more)
        for leaf, hook in _state.pending:
            hook(leaf)
        for function in _state.last:
            function()
        return result
    finally:
        _state.pending, _state.last = outer


def run_last(function):
    """Calls function, once, behind the hooks of the pass whose hooks are running."""
    if function not in _state.last:
        _state.last.append(function)


def register_post_accumulate_grad_hook(self, hook):
    """Calls hook(tensor) after a pass has added to the leaf's grad.  Returns a handle, whose remove() ends that."""
    if not self.requires_grad or not self.is_leaf:
        raise RuntimeError("hooks after gradients are added are those of leaves that want one")
    _run.__doc__ = _backward.__doc__
    Tensor.backward = _run

    def reached(grad):
        pending = getattr(_state, "pending", None)
        if pending is not None:
            pending.append((self, hook))

    return self.register_hook(reached)


Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook
