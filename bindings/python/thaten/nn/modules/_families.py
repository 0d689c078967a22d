"""The modules in which PyTorch defines its classes, with the bases that scripts ask isinstance() of."""

import sys as _sys
import types as _types

from ... import nn as _nn
from ..module import Module

_DIMS = ("1d", "2d", "3d")


def _each(*stems):
    return [stem + dims for stem in stems for dims in _DIMS]


# By the name of the module: its classes.
_CLASSES = {
    "activation": "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish "
                  "MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink "
                  "Softsign Tanh Tanhshrink Threshold".split(),
    "adaptive": ["AdaptiveLogSoftmaxWithLoss"],
    "batchnorm": _each("BatchNorm", "LazyBatchNorm") + ["SyncBatchNorm"],
    "channelshuffle": ["ChannelShuffle"],
    "container": ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"],
    "conv": _each("Conv", "ConvTranspose", "LazyConv", "LazyConvTranspose"),
    "distance": ["CosineSimilarity", "PairwiseDistance"],
    "dropout": ["AlphaDropout", "Dropout", *_each("Dropout"), "FeatureAlphaDropout"],
    "flatten": ["Flatten", "Unflatten"],
    "fold": ["Fold", "Unfold"],
    "instancenorm": _each("InstanceNorm", "LazyInstanceNorm"),
    "linear": ["Bilinear", "Identity", "LazyLinear", "Linear", "NonDynamicallyQuantizableLinear"],
    "loss": [name for name in dir(_nn) if name.endswith("Loss")],
    "normalization": ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"],
    "padding": _each("CircularPad", "ConstantPad", "ReflectionPad", "ReplicationPad", "ZeroPad"),
    "pixelshuffle": ["PixelShuffle", "PixelUnshuffle"],
    "pooling": _each("AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "LPPool", "MaxPool", "MaxUnpool") + [
        "FractionalMaxPool2d", "FractionalMaxPool3d"],
    "rnn": ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"],
    "sparse": ["Embedding", "EmbeddingBag"],
    "transformer": ["Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
                    "TransformerEncoderLayer"],
    "upsampling": ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"],
}


class _Family(type):
    """Bases whose instances are also those of the classes in _members."""

    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or isinstance(instance, cls._members)

    def __subclasscheck__(cls, other):
        return super().__subclasscheck__(other) or issubclass(other, cls._members)


def _base(name, where, members, parent=Module, **more):
    classes = tuple(getattr(_nn, m) for m in members if hasattr(_nn, m))
    return _Family(name, (parent,), {"_members": classes, "__module__": __name__, "__doc__": "The base of %s." % where, **more})


def _reduced(self, size_average=None, reduce=None, reduction="mean"):
    Module.__init__(self)
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    self.reduction = reduction


def _weighted(self, weight=None, size_average=None, reduce=None, reduction="mean"):
    _reduced(self, size_average, reduce, reduction)
    self.register_buffer("weight", weight)


_loss = _base("_Loss", "losses", _CLASSES["loss"], __init__=_reduced)
_BASES = {
    "batchnorm": [_base("_BatchNorm", "batch normalizations", _CLASSES["batchnorm"]),
                  _base("_NormBase", "batch and instance normalizations", _CLASSES["batchnorm"] + _CLASSES["instancenorm"])],
    "conv": [_base("_ConvNd", "convolutions", _CLASSES["conv"]),
             _base("_ConvTransposeNd", "transposed convolutions", _each("ConvTranspose", "LazyConvTranspose"))],
    "dropout": [_base("_DropoutNd", "dropouts", _CLASSES["dropout"])],
    "instancenorm": [_base("_InstanceNorm", "instance normalizations", _CLASSES["instancenorm"])],
    "loss": [_loss, _base("_WeightedLoss", "losses with weights of classes", (
        "NLLLoss", "BCELoss", "CrossEntropyLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss"), _loss, __init__=_weighted)],
    "rnn": [_base("RNNBase", "recurrent networks", ("RNN", "LSTM", "GRU")),
            _base("RNNCellBase", "cells of recurrent networks", ("RNNCell", "LSTMCell", "GRUCell"))],
    "pooling": [_base("_%sNd" % name, "poolings", _each(name)) for name in (
        "AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "LPPool", "MaxPool", "MaxUnpool")],
}


def _modules(package):
    """The modules by their names, also in sys.modules."""
    made = {}
    for name, classes in _CLASSES.items():
        module = made[name] = _types.ModuleType(package + "." + name, "Classes of nn.")
        module.__dict__.update({c: getattr(_nn, c) for c in classes if hasattr(_nn, c)})
        module.__dict__.update({base.__name__: base for base in _BASES.get(name, ())}, Module=Module)
        _sys.modules[module.__name__] = module
    return made
