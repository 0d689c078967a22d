"""Optimizers: groups of parameters, whose options may change at any time, and a step."""

from . import lr_scheduler
from .optimizer import (ASGD, LBFGS, SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, Muon, NAdam, Optimizer, RAdam, RMSprop, Rprop,
                        SparseAdam)
