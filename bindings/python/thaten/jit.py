"""Names of TorchScript.  What scripts compile or trace runs here as the Python that it is, which computes the same; programs
for files are exported (thaten.export)."""

from .nn import Module


class Final:
    """Marks an attribute that does not change: Final[int] is int."""

    def __class_getitem__(cls, item):
        return item


class Attribute:
    """A value with its type."""

    def __new__(cls, value, type):
        return value


class ScriptModule(Module):
    """A module: its methods run as they are."""


ScriptFunction = type(lambda: None)


def script(obj=None, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """The function, module or class itself."""
    return obj


def trace(func, example_inputs=None, optimize=None, check_trace=True, *_, strict=True, example_kwarg_inputs=None, **__):
    """The function or module itself, after one call with the examples."""
    from .autograd import no_grad

    given = example_inputs if isinstance(example_inputs, tuple) else () if example_inputs is None else (example_inputs,)
    if check_trace:
        with no_grad():
            func(*given, **(example_kwarg_inputs or {}))
    return func


def trace_module(mod, inputs, *_, **__):
    """The module itself."""
    return mod


def _same(function=None, *_, **__):
    """A decorator that changes nothing, with or without arguments."""
    return function if callable(function) else _same


export = unused = ignore = script_method = interface = script_if_tracing = _same


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """The module itself."""
    return mod


optimize_for_inference = run_frozen_optimizations = freeze


def annotate(the_type, the_value):
    """The value."""
    return the_value


def isinstance(obj, target_type):
    """Whether obj is of the type, or of a list, dictionary, tuple or Optional of types."""
    import builtins
    import typing

    origin, parts = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        return builtins.isinstance(obj, type(None) if target_type is None else target_type)
    if origin is typing.Union:
        return any(isinstance(obj, part) for part in parts)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is dict:
        return all(isinstance(k, parts[0]) and isinstance(v, parts[1]) for k, v in obj.items())
    if origin is tuple and Ellipsis not in parts:
        return len(obj) == len(parts) and all(map(isinstance, obj, parts))
    return all(isinstance(one, parts[0]) for one in obj)


def is_scripting():
    return False


is_tracing = is_scripting


class Future:
    """The result of fork()."""

    def __init__(self, value):
        self._value = value

    def wait(self):
        return self._value

    value = wait

    def done(self):
        return True

    def then(self, callback):
        return Future(callback(self))


def fork(func, *args, **kwargs):
    """func(*args, **kwargs), whose result wait() gives."""
    return Future(func(*args, **kwargs))


def wait(future):
    return future.wait()


def save(m, f, _extra_files=None):
    raise NotImplementedError("jit.save(): modules are not written as TorchScript; save m.state_dict(), or export the module "
                              "with torch.export in Python's PyTorch")


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    raise NotImplementedError("jit.load(): TorchScript is not read; write the module with torch.export.save, and read it with "
                              "thaten.export.load")
