"""What scripts ask and tell the compiler, which there is none of: functions run as they are."""

from ._core.settings import compile  # noqa: F401


def is_compiling():
    return False


is_dynamo_compiling = is_exporting = is_compiling


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself; without one, a decorator."""
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn):
    """The function itself."""
    return fn


assume_constant_result = substitute_in_graph = allow_in_graph


def reset():
    """Nothing is kept."""


cudagraph_mark_step_begin = reset


def list_backends(exclude_tags=()):
    """The names of compilers: none."""
    return []


class set_stance:
    """A setting, a decorator and a context manager that change nothing."""

    def __init__(self, stance="default", **_):
        self.stance = stance

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __call__(self, function):
        return function
