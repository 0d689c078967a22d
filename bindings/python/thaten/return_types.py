"""The types of several results, by the names of operations: return_types.max is that of max(input, dim)."""

from . import _C


def __getattr__(name):
    found = None if name.startswith("_") else _C._result_type(name)
    if found is None:
        raise AttributeError("no operation %r returns several named results" % name)
    return found
