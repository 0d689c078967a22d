"""What training needs besides networks: utils.data, utils.checkpoint, utils.tensorboard."""

from importlib import import_module as _import_module

from . import data


def __getattr__(name):
    """The other modules are imported when they are used."""
    if name in ("benchmark", "checkpoint", "dlpack", "hooks"):
        return _import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
