"""Networks: modules, layers and losses; the functions are in nn.functional."""

from . import functional
from . import init, utils
from .module import Module, Parameter
from .containers import ModuleDict, ModuleList, ParameterList, Sequential
from ._layers import *  # noqa: F403
from .calls import (GRU, LSTM, RNN, Bilinear, EmbeddingBag, GRUCell, LSTMCell, MultiheadAttention, RNNCell,
                    TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer)
from .losses import *  # noqa: F403
