"""Optimizers: groups of parameters, whose options may change at any time, and a step."""

from . import lr_scheduler
from .optimizer import LBFGS, SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, Muon, NAdam, Optimizer, RAdam, RMSprop
