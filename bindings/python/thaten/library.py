"""Operations of one's own, which have a name, and gradients where they are registered; and all operations by name in ops."""

import inspect as _inspect

from . import _C
from .autograd import Function

_registered = {}  # by "namespace::name"


def _key(name):
    namespace, split, own = name.partition("::")
    if not split or not namespace or not own:
        raise ValueError("the name of an operation is namespace::name, and not %r" % (name,))
    return namespace, own.split("(")[0].split(".")[0]


class CustomOpDef:
    """An operation: calling it calls the function that computes it."""

    def __init__(self, name, function=None):
        self._namespace, self._name = _key(name)
        self._qualname = "%s::%s" % (self._namespace, self._name)
        self._kernel, self._backward, self._setup, self._graph = function, None, None, None
        self._signature = None if function is None else _inspect.signature(function)
        _registered[self._qualname] = self

    def register_kernel(self, device_types, func=None, /):
        """Computes on the CPU by func; without it a decorator."""
        if func is None:
            return lambda function: self.register_kernel(device_types, function)
        types = [device_types] if isinstance(device_types, str) else device_types
        if device_types is None or "cpu" in [str(t).lower() for t in types]:
            self._kernel = func
        return func

    def register_fake(self, func, /):
        """For compilers, which there are none of."""
        return func

    register_vmap = register_fake

    def register_autograd(self, backward, /, *, setup_context=None):
        """backward(ctx, *grads) gives the gradients; setup_context(ctx, inputs, output) keeps what it needs."""
        kernel = self

        def forward(*args):
            return kernel._kernel(*args)

        def setup(ctx, inputs, output):
            if setup_context is not None:
                setup_context(ctx, inputs, output)

        self._graph = type("GeneratedBackwardFor_%s_%s_default" % (self._namespace, self._name), (Function,), {"forward": staticmethod(forward), "setup_context": staticmethod(setup),
                                                     "backward": staticmethod(backward)})

    def _given(self, args, kwargs):
        if self._signature is None or not kwargs:
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def __call__(self, *args, **kwargs):
        if self._kernel is None:
            raise NotImplementedError("%s has no function for the CPU" % self._qualname)
        if self._graph is None:
            return self._kernel(*args, **kwargs)
        args, kwargs = self._given(args, kwargs)
        return self._graph.apply(*args, **kwargs)

    @property
    def default(self):
        return self

    def __repr__(self):
        return "<CustomOpDef(%s)>" % self._qualname


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """The operation of that name that fn computes; without it a decorator."""
    if fn is None:
        return lambda function: custom_op(name, function, mutates_args=mutates_args, device_types=device_types, schema=schema)
    return CustomOpDef(name, fn)


def _found(op):
    if isinstance(op, CustomOpDef):
        return op
    name = "::".join(_key(op))
    return _registered.get(name) or CustomOpDef(name)


def define(qualname, schema="", *, lib=None, tags=()):
    """Names an operation, whose function impl() gives."""
    _found(qualname)


def impl(qualname, types, func=None, *, lib=None):
    """The function that computes the operation on the CPU; without it a decorator."""
    return _found(qualname).register_kernel(None if types in ("default", "CompositeExplicitAutograd") else types, func)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    return _found(op).register_kernel(device_types, func)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    _found(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    return (lambda function: function) if func is None else func


register_vmap = impl_abstract = register_fake


class Library:
    """The operations of a namespace."""

    def __init__(self, ns, kind, dispatch_key=""):
        self.ns = ns

    def define(self, schema, alias_analysis="", *, tags=()):
        define("%s::%s" % (self.ns, schema))
        return schema.split("(")[0]

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        name = op_name if isinstance(op_name, str) else op_name._name
        if dispatch_key in ("", "CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd"):
            _found("%s::%s" % (self.ns, name)).register_kernel(None, fn)


class _Namespace:
    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        found = _registered.get("%s::%s" % (self._name, name))
        if found is None and self._name == "aten" and hasattr(_C, name):
            return _Operation(getattr(_C, name))
        if found is None:
            raise AttributeError("there is no operation %s::%s" % (self._name, name))
        return found


class _Operation:
    """An operation of the library; its overloads, as default or Tensor, are itself."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self


class _Ops:
    """ops.namespace.name: the operation namespace::name."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Namespace(name)

    def load_library(self, path):
        raise NotImplementedError("ops.load_library(): libraries of PyTorch's operations are not for this package")


ops = _Ops()
