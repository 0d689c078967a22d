"""Networks: modules, layers and losses; the functions are in nn.functional."""

from . import functional
from . import grad, init
from .module import Buffer, Module, Parameter
from ._layers import *  # noqa: F403
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from .calls import (CTCLoss, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, GRU, LSTM, RNN, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveLogSoftmaxWithLoss, AdaptiveMaxPool1d,
                    AdaptiveMaxPool2d, AdaptiveMaxPool3d, Embedding, EmbeddingBag, FractionalMaxPool2d, FractionalMaxPool3d, GRUCell, LSTMCell,
                    MaxPool1d, MaxPool2d, MaxPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d, MultiheadAttention, RNNCell, Transformer,
                    TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer)
from .losses import TripletMarginWithDistanceLoss
from .parallel import DataParallel
from . import parallel, parameter, utils
from . import modules
from .modules.rnn import RNNBase, RNNCellBase


def __getattr__(name):
    if name == "attention":
        import importlib

        return importlib.import_module(".attention", __name__)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
