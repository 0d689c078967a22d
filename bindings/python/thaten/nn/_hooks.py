"""Calls of modules that have hooks."""

from .. import _C
from .._C import Tensor
from ..autograd import Function, RemovableHandle


def add(module, hooks, function, prepend=False, takes_names=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = function
    if takes_names:
        module._hooks_with_kwargs.add(handle.id)
    if prepend:
        rest = {key: hook for key, hook in hooks.items() if key != handle.id}
        for key in rest:
            del hooks[key]
        hooks.update(rest)
    return handle


def _tuple(value):
    return value if isinstance(value, tuple) else (value,)


class _Gate(Function):
    """Its tensors; their gradients, and those after them, pass through a function."""

    @staticmethod
    def forward(ctx, function, *tensors):
        ctx.function = function
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return (None, *ctx.function(grads))


def _through(values, function):
    """The values, whose tensors with gradients pass a gate; function takes and returns a gradient or None for each value."""
    at = [i for i, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad and v.is_floating_point()]
    if not at or not _C.is_grad_enabled():
        return values

    def gate(grads):
        every = [None] * len(values)
        for i, grad in zip(at, grads):
            every[i] = grad
        every = function(tuple(every))
        return [every[i] for i in at]

    made = list(values)
    for i, t in zip(at, _tuple(_Gate.apply(gate, *[values[i] for i in at]))):
        made[i] = t
    return tuple(made)


class _Backward:
    """The gradients of one call: those of its results come first, those of its arguments last."""

    def __init__(self, module):
        self.module, self.outputs = module, None

    def begin(self, grads):
        for _, hook in _all(self.module, "_backward_pre_hooks"):
            changed = hook(self.module, grads)
            grads = grads if changed is None else _tuple(changed)
        self.outputs = grads
        if not self.has_inputs:
            self.end((None,) * self.count)
        return grads

    def end(self, grads):
        for _, hook in _all(self.module, "_backward_hooks"):
            changed = hook(self.module, grads, self.outputs)
            grads = grads if changed is None else _tuple(changed)
        return grads

    def arguments(self, args):
        passed = _through(args, self.end)
        self.count, self.has_inputs = len(args), passed is not args
        return passed

    def results(self, result):
        passed = _through(_tuple(result), self.begin)
        if isinstance(result, tuple):
            return type(result)(*passed) if hasattr(result, "_fields") else passed
        return passed[0]


everywhere = {}  # hooks of all modules: by their numbers, the attribute of a module that has such hooks, and the hook


class _Number:
    """What add_everywhere() returns: its remove() ends the hook."""

    def __init__(self, number):
        self.id = number

    def remove(self):
        everywhere.pop(self.id, None)


def add_everywhere(attribute, hook):
    handle = _Number(object())
    everywhere[handle.id] = attribute, hook
    return handle


def _all(module, attribute):
    """The hooks of all modules, then those of the module."""
    found = [(key, hook) for key, (of, hook) in everywhere.items() if of == attribute]
    return found + list(getattr(module, attribute).items())


def call(module, args, kwargs):
    """module(*args, **kwargs) with its hooks."""
    named = module._hooks_with_kwargs
    for key, hook in _all(module, "_forward_pre_hooks"):
        changed = hook(module, args, kwargs) if key in named else hook(module, args)
        if changed is not None and key in named:
            args, kwargs = changed
        elif changed is not None:
            args = _tuple(changed)
    backward = _Backward(module) if _all(module, "_backward_hooks") or _all(module, "_backward_pre_hooks") else None
    result = module.forward(*(backward.arguments(args) if backward else args), **kwargs)
    for key, hook in _all(module, "_forward_hooks"):
        changed = hook(module, args, kwargs, result) if key in named else hook(module, args, result)
        result = result if changed is None else changed
    return backward.results(result) if backward else result
