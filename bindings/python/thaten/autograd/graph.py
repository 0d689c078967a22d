"""What tensors were computed by: a Node has a name() and next_functions; and hooks of several tensors."""

import contextlib as _contextlib

from .._C import _Node as Node


@_contextlib.contextmanager
def save_on_cpu(pin_memory=False, device_type="cuda"):
    """What is kept for gradients is on the CPU in any case."""
    yield


class _Handles:
    def __init__(self, handles):
        self._handles = handles

    def remove(self):
        for handle in self._handles:
            handle.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Calls fn(gradients) when all tensors' gradients of a backward pass are known, or with mode "any" fn(gradient) with the
    first one."""
    if mode not in ("all", "any"):
        raise ValueError("register_multi_grad_hook(): mode is %r, and has to be all or any" % (mode,))
    tensors = list(tensors)
    found = {}

    def note(i):
        def hook(grad):
            if mode == "any":
                if not found:
                    fn(grad)
                found[i] = grad
            else:
                found[i] = grad
                if len(found) == len(tensors):
                    fn([found[j] for j in range(len(tensors))])
            if len(found) == len(tensors):
                found.clear()

        return hook

    return _Handles([t.register_hook(note(i)) for i, t in enumerate(tensors)])


__all__ = ["Node", "register_multi_grad_hook", "save_on_cpu"]
