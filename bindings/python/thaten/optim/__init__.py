"""Optimizers: groups of parameters, whose options may change at any time, and a step."""

from . import lr_scheduler
from .optimizer import (ASGD, LBFGS, SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Muon, NAdam, Optimizer, RAdam, RMSprop, Rprop,
                        SparseAdam)


def __getattr__(name):
    if name == "swa_utils":  # it needs nn, which is imported when it is first used
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
