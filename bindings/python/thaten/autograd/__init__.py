"""Gradients: whether operations are recorded, autograd.grad, and functions with a gradient of their own."""

import functools as _functools
import itertools as _itertools

from .. import _C
from .._C import Tensor, is_inference_mode_enabled


class set_grad_enabled:
    """Sets whether this thread records operations: at once, and in a with statement until its end."""

    def __init__(self, mode):
        self.before = _C._set_grad_enabled(mode)
        self.mode = mode

    def __enter__(self):
        return None

    def __exit__(self, *_):
        _C._set_grad_enabled(self.before)


class _Decorator:
    """What a context manager is a decorator by: it encloses each call of the function."""

    def __call__(self, function):
        @_functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return wrapped


class _Switch(_Decorator):
    """A context manager and a decorator: @no_grad() and @no_grad."""

    mode = False

    def __new__(cls, function=None):
        self = super().__new__(cls)
        self.before = []
        return self(function) if callable(function) else self

    def __enter__(self):
        self.before.append(_C._set_grad_enabled(self.mode))

    def __exit__(self, *_):
        _C._set_grad_enabled(self.before.pop())


class no_grad(_Switch):
    """Operations are not recorded."""


class enable_grad(_Switch):
    """Operations are recorded."""

    mode = True


class inference_mode(_Switch):
    """As no_grad; and tensors that are made there are no part of gradients later, as is_inference() says."""

    def __new__(cls, mode=True):
        self = super().__new__(cls, mode if callable(mode) else None)
        if mode is False:
            self.mode = True
        return self

    def __enter__(self):
        self.before.append(_C._set_inference(not self.mode))
        super().__enter__()

    def __exit__(self, *_):
        super().__exit__()
        _C._set_inference(self.before.pop())


class set_detect_anomaly:
    """Whether a NaN in a gradient is an error."""

    on = False

    def __init__(self, mode=True, check_nan=True):
        self._before = set_detect_anomaly.on
        self._set(mode)

    @staticmethod
    def _set(mode):
        set_detect_anomaly.on = bool(mode)
        _C._set_anomaly(mode)

    def __enter__(self):
        return None

    def __exit__(self, *_):
        self._set(self._before)


detect_anomaly = set_detect_anomaly


def _listed(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of the outputs' sum, weighted by grad_outputs, with respect to the inputs; those of unused inputs are
    None where allow_unused, and zeros where materialize_grads.  With is_grads_batched those of each row of grad_outputs."""
    if is_grads_batched:
        rows = [grad(outputs, inputs, list(row), True, create_graph, True, allow_unused, False, materialize_grads)
                for row in zip(*_listed(grad_outputs))]
        return tuple(None if part[0] is None else _C.stack(list(part), 0) for part in zip(*rows))
    return _C._gradients(_listed(outputs), _listed(inputs), None if grad_outputs is None else _listed(grad_outputs),
                         create_graph if retain_graph is None else retain_graph, create_graph,
                         bool(allow_unused or materialize_grads), not materialize_grads)


def _backward_into(tensor, gradient, retain_graph, create_graph, inputs):
    """backward() that changes the gradients of inputs alone."""
    inputs = _listed(inputs)
    if not inputs:
        raise RuntimeError("backward(): inputs is empty")
    found = grad(tensor, inputs, None if gradient is None else [gradient], retain_graph, create_graph, allow_unused=True)
    for one, g in zip(inputs, found):
        if g is not None:
            one.grad = g if one.grad is None else one.grad + g if create_graph else one.grad.add_(g)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of all tensors to those of the leaves, or of inputs alone."""
    tensors = _listed(tensors)
    given = [None] * len(tensors) if grad_tensors is None else _listed(grad_tensors)
    for i, (t, g) in enumerate(zip(tensors, given)):
        t.backward(g, retain_graph or create_graph or i + 1 < len(tensors), create_graph, inputs)


class RemovableHandle:
    """What a function that was registered is removed by."""

    _numbers = _itertools.count()

    def __init__(self, hooks):
        self.hooks, self.id = hooks, next(self._numbers)

    def remove(self):
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


class _TensorHook(RemovableHandle):
    alive = {}  # the library has no references to hooks

    def __init__(self, tensor, hook):
        super().__init__(self.alive)
        self.tensor = tensor
        self.alive[self.id] = self.hook = lambda grad: hook(grad)
        tensor._add_hook(self.hook)

    def remove(self):
        if self.id in self.alive:
            self.tensor._remove_hook(self.hook)
            super().remove()


def _register_hook(self, hook):
    """Calls hook(gradient) when the tensor's gradient is complete; what it returns, unless that is None, replaces the
    gradient.  The hook is kept until the handle's remove()."""
    if not self.requires_grad:
        raise RuntimeError("register_hook() of a tensor that wants no gradient")
    return _TensorHook(self, hook)


Tensor.register_hook = _register_hook
from . import _accumulate  # noqa: E402  (it adds to Tensor)


Tensor.retains_grad = property(lambda self: not self.is_leaf and self.grad is not None)


# --- functions of one's own -----------------------------------------------------------------------------


class FunctionCtx:
    """What forward leaves for backward."""

    needs_input_grad = ()

    def __init__(self):
        self._without, self._changed = set(), set()
        self._saved, self._unpack, self._linked = (), None, {}
        self._materializes = True

    def save_for_backward(self, *tensors):
        self._saved, hooks = tensors, graph._hooks()
        if hooks:
            pack, self._unpack = hooks[-1]
            with no_grad():
                self._saved = tuple(None if t is None else (pack(t.detach()),) for t in tensors)

    @property
    def saved_tensors(self):
        if self._unpack is None:
            return tuple(self._linked.get(id(t), t) for t in self._saved) if self._linked else self._saved
        return tuple(None if packed is None else self._unpack(*packed) for packed in self._saved)

    def mark_non_differentiable(self, *tensors):
        self._without.update(map(id, tensors))

    def mark_dirty(self, *tensors):
        """forward has changed arguments in place, which are among what it returns."""
        self._changed.update(map(id, tensors))

    def set_materialize_grads(self, value):
        """Whether backward gets zeros for results that no gradient reaches, or None."""
        self._materializes = bool(value)


class Function:
    """A function with a gradient of its own: forward(ctx, ...) and backward(ctx, ...) are static methods, and apply calls
    it."""

    @staticmethod
    def forward(ctx, *args, **kwargs):
        raise NotImplementedError("forward() of a Function")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError("backward() of a Function")

    @classmethod
    def apply(cls, *args, **kwargs):
        return _apply(cls, args, kwargs)


def _apply(function, args, kwargs):
    indices = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    ctx = FunctionCtx()
    ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
    if not (_C.is_grad_enabled() and any(ctx.needs_input_grad)):
        with no_grad():
            return _forward(function, ctx, args, kwargs)
    results = _Results()

    def forward():
        results.take(ctx, args, _forward(function, ctx, args, kwargs))
        return tuple((t,) if id(t) in ctx._changed else t for t in results.recorded())

    def backward(grads, node):
        if node is not None:  # results that were saved are those of the node
            ctx._linked = results.linked(ctx, node)
        try:
            wanted = function.backward(ctx, *results.spread(grads, ctx._materializes))
        finally:
            ctx._linked = {}
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        if len(wanted) < len(args) or any(extra is not None for extra in wanted[len(args):]):
            raise RuntimeError("backward() returned %d gradients for %d arguments" % (len(wanted), len(args)))
        return tuple(wanted[i] for i in indices)

    try:
        made = _C._apply(forward, backward, [args[i] for i in indices], function.__name__ + "Backward")
    except _NothingRecorded:
        made = ()
    return results.given(ctx, made)


def _forward(function, ctx, args, kwargs):
    if not hasattr(function, "setup_context"):
        return function.forward(ctx, *args, **kwargs)
    given = function.forward(*args, **kwargs)
    function.setup_context(ctx, args, given)
    return given


class _NothingRecorded(Exception):
    """No result of forward() has a gradient."""


class _Results:
    """What forward() returned: the tensors among it that are recorded, by their indices, and the others."""

    def take(self, ctx, args, given):
        self.is_tuple, self.values = isinstance(given, tuple), list(given) if isinstance(given, tuple) else [given]
        self.indices = [i for i, r in enumerate(self.values) if isinstance(r, Tensor) and id(r) not in ctx._without and
                       (r.is_floating_point() or r.is_complex())]
        if not ctx._changed <= {id(r) for r in self.recorded()}:
            raise RuntimeError("mark_dirty(): forward() returns the arguments that it has changed")
        self.kinds = [(r.shape, r.dtype) if isinstance(r, Tensor) else None for r in self.values]
        self.ids = [id(r) for r in self.recorded()]
        if not self.indices:
            raise _NothingRecorded

    def recorded(self):
        return [self.values[i] for i in self.indices]

    def given(self, ctx, made):
        """What apply() returns; the values themselves are not kept."""
        values, self.values = self.values, None
        for i, t in zip(self.indices, made):
            if id(values[i]) not in ctx._changed:
                values[i] = t
        return tuple(values) if self.is_tuple else values[0]

    def linked(self, ctx, node):
        """By their id, the results that were saved as tensors which gradients go through."""
        saved = {id(t): t for t in ctx._saved if isinstance(t, Tensor)}
        return {number: node._as_result(saved[number].detach(), k) for k, number in enumerate(self.ids)
                if number in saved and number not in ctx._changed}

    def spread(self, grads, materializes):
        """The gradients of all results: zeros or None for those that have none."""
        spread = [None] * len(self.kinds)
        for i, grad in zip(self.indices, grads):
            spread[i] = grad
        return [_C.zeros(kind[0], dtype=kind[1]) if g is None and kind is not None and materializes else g
                for g, kind in zip(spread, self.kinds)]


class Variable:
    """The name of tensors with gradients before they were tensors' own: Variable(t) is t."""

    def __new__(cls, data, requires_grad=False, volatile=False):
        return data.requires_grad_() if requires_grad else data


from . import functional, graph  # noqa: E402 -- which uses the functions above
from .gradcheck import gradcheck, gradgradcheck  # noqa: E402


def __getattr__(name):
    if name in ("forward_ad", "function", "profiler"):
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
