"""What tensors were computed by: a Node has a name() and next_functions; hooks of several tensors, and of tensors that are
saved."""

import contextlib as _contextlib
import threading as _threading

from .. import _C
from .._C import _Node as Node
from . import RemovableHandle as _RemovableHandle

_thread = _threading.local()


class _NodeHook(_RemovableHandle):
    alive = {}  # the library has no references to hooks

    def __init__(self, node, after, hook):
        super().__init__(self.alive)
        self.node = node
        self.alive[self.id] = self.hook = lambda *gradients: hook(*gradients)
        node._add_hook(after, self.hook)

    def remove(self):
        if self.id in self.alive:
            self.node._remove_hook(self.hook)
            super().remove()


def _register_hook(self, fn):
    """Calls fn(gradients of the operands, gradients of the results) when the node has computed them; a tuple that it returns
    replaces the first.  The hook is kept until the handle's remove()."""
    return _NodeHook(self, True, fn)


def _register_prehook(self, fn):
    """Calls fn(gradients of the results) before the node computes; a tuple that it returns replaces them."""
    return _NodeHook(self, False, lambda gradients, _: fn(gradients))


Node.register_hook, Node.register_prehook = _register_hook, _register_prehook


def _hooks():
    """The pairs of hooks of this thread, those that count last."""
    if not hasattr(_thread, "hooks"):
        _thread.hooks, _thread.refusal = [], None
    return _thread.hooks


class saved_tensors_hooks:
    """In the with statement, operations keep pack_hook(tensor) in place of a tensor that their gradient reads, and
    unpack_hook() of it brings a tensor of the same size and type back."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        hooks = _hooks()
        if _thread.refusal is not None:
            raise RuntimeError(_thread.refusal)
        _C._push_saved_hooks(self.pack_hook, self.unpack_hook)
        hooks.append((self.pack_hook, self.unpack_hook))

    def __exit__(self, *_):
        _hooks().pop()
        _C._pop_saved_hooks()


@_contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """In the with statement, saved_tensors_hooks are errors with that message."""
    if _hooks():
        raise RuntimeError(error_message)
    before, _thread.refusal = _thread.refusal, error_message
    try:
        yield
    finally:
        _thread.refusal = before


class save_on_cpu(saved_tensors_hooks):
    """What is kept for gradients is on the CPU in any case."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda t: t, lambda t: t)


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


__all__ = ["Node", "disable_saved_tensors_hooks", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks"]
