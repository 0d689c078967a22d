"""Reading and writing of files, under PyTorch's name for the module, and classes that files may have."""

from . import load, save  # noqa: F401

DEFAULT_PROTOCOL = 2
_allowed = []


def add_safe_globals(safe_globals):
    """Notes the classes.  Files that need any class are read with weights_only=False here."""
    _allowed.extend(one for one in safe_globals if one not in _allowed)


def get_safe_globals():
    return list(_allowed)


def clear_safe_globals():
    _allowed.clear()


class safe_globals:
    """add_safe_globals() until the end of a with statement."""

    def __init__(self, safe_globals):
        self._given = safe_globals

    def __enter__(self):
        self._before = get_safe_globals()
        add_safe_globals(self._given)

    def __exit__(self, *_):
        _allowed[:] = self._before


def get_default_load_endianness():
    return None


class skip_data:
    """Files with any values of elements, which the library does not write."""

    def __init__(self, materialize_fake_tensors=False):
        raise NotImplementedError("skip_data(): files are written with their elements")
