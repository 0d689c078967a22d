"""Layers that are called with several tensors, or return several."""

import re
from collections import namedtuple

from .. import _C, full
from ..random import get_rng_state, set_rng_state
from . import _layers
from .module import Parameter
from .utils.rnn import PackedSequence


def _state(hx, has_batch):
    """The state with a batch of one where there is none."""
    return hx if hx is None or has_batch else hx.unsqueeze(1)


class _Recurrent:
    """What the recurrent layers have in common; _states is how many tensors their state has."""

    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        has_batch = input.dim() == 3
        if not has_batch:
            input = input.unsqueeze(0 if self.batch_first else 1)
        states = [_state(h, has_batch) for h in (hx if self._states == 2 and hx is not None else (hx,) * self._states)]
        output, *last = self._call(self._handle, input, *states)
        if not has_batch:
            output, last = output.squeeze(0 if self.batch_first else 1), [h.squeeze(1) for h in last]
        return output, tuple(last) if self._states == 2 else last[0]

    def _packed(self, packed, hx):
        states = hx if self._states == 2 and hx is not None else (hx,) * self._states
        data, *last = self._call_packed(self._handle, packed.data, packed.batch_sizes, packed.unsorted_indices, *states)
        return packed._replace(data=data), tuple(last) if self._states == 2 else last[0]

    @property
    def all_weights(self):
        """The parameters of each layer and direction."""
        rows = []
        for layer in range(self.num_layers):
            for suffix in ("", "_reverse")[:1 + bool(self.bidirectional)]:
                names = ("weight_ih", "weight_hh") + ("bias_ih", "bias_hh") * bool(self.bias)
                names += ("weight_hr",) * bool(getattr(self, "proj_size", 0))
                rows.append([self._parameters["%s_l%d%s" % (name, layer, suffix)] for name in names])
        return rows

    def flatten_parameters(self):
        """The library packs the parameters itself."""


class RNN(_Recurrent, _layers.RNN):
    _states, _call, _call_packed = 1, staticmethod(_C._RNN_forward), staticmethod(_C._RNN_forward_packed)


class LSTM(_Recurrent, _layers.LSTM):
    _states, _call, _call_packed = 2, staticmethod(_C._LSTM_forward), staticmethod(_C._LSTM_forward_packed)


class GRU(_Recurrent, _layers.GRU):
    _states, _call, _call_packed = 1, staticmethod(_C._GRU_forward), staticmethod(_C._GRU_forward_packed)


for _kind in (RNN, LSTM, GRU):
    _kind.__doc__ = getattr(_layers, _kind.__name__).__doc__


def _transposed(name, axes):
    """A transposed convolution that also takes the size of the result, of which strides above 1 leave a choice."""
    base = getattr(_layers, name)

    def forward(self, input, output_size=None):
        if output_size is None:
            return base.forward(self, input)
        more = _output_padding(self, input, tuple(output_size)[-axes:], axes)
        return _functional(name)(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    return type(name, (base,), {"forward": forward, "__doc__": base.__doc__})


def _output_padding(self, input, sizes, axes):
    """What is added to the smallest result for one of these sizes."""
    more = []
    for d, size in enumerate(sizes):
        least = (input.shape[d - axes] - 1) * self.stride[d] - 2 * self.padding[d] + self.dilation[d] * (self.kernel_size[d] - 1) + 1
        if not least <= size < least + self.stride[d]:
            raise ValueError("output_size is %s, and dimension %d of it is from %d to %d for an input of %s" % (
                sizes, d, least, least + self.stride[d] - 1, tuple(input.shape)))
        more.append(size - least)
    if len(more) != axes:
        raise ValueError("output_size has %d numbers, and the result %d dimensions" % (len(more), axes))
    return tuple(more)


ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = (_transposed("ConvTranspose%dd" % axes, axes) for axes in (1, 2, 3))


class CTCLoss(_layers.CTCLoss):
    def forward(self, log_probs, targets, input_lengths, target_lengths):
        lengths = [n if isinstance(n, _C.Tensor) else _C.tensor(n) for n in (input_lengths, target_lengths)]
        return super().forward(log_probs, targets, *lengths)


class RNNCell(_layers.RNNCell):
    def forward(self, input, hx=None):
        return _C._RNNCell_forward(self._handle, input, hx)


class GRUCell(_layers.GRUCell):
    def forward(self, input, hx=None):
        return _C._GRUCell_forward(self._handle, input, hx)


class LSTMCell(_layers.LSTMCell):
    def forward(self, input, hx=None):
        return _C._LSTMCell_forward(self._handle, input, *(hx or (None, None)))


def _with_weight(module, make, weight, freeze=False):
    """Makes a table; of a weight that is given it is that one, and no numbers are drawn."""
    if weight is None:
        return make()
    rows, size = weight.shape
    state = get_rng_state()
    make()
    set_rng_state(state)
    if (rows, size) != (module.num_embeddings, module.embedding_dim):
        raise ValueError("the weight is of %s, and the table of %d x %d" % ((rows, size), module.num_embeddings, module.embedding_dim))
    module.weight = Parameter(weight.detach() if not isinstance(weight, Parameter) else weight, requires_grad=not freeze)


class Embedding(_layers.Embedding):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                 sparse=False, _weight=None, _freeze=False, device=None, dtype=None):
        _with_weight(self, lambda: _layers.Embedding.__init__(
            self, num_embeddings, embedding_dim, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse,
            dtype=dtype if _weight is None else _weight.dtype), _weight, _freeze)

    def register_parameter(self, name, param):
        """A weight of other sizes makes the table another one; num_embeddings and embedding_dim stay as they were, as in
        PyTorch."""
        own = self.__dict__.get("_parameters", {}).get("weight")
        if name == "weight" and param is not None and own is not None and param.dim() == 2 and param.shape != own.shape:
            state = get_rng_state()
            self.__dict__["_handle"] = _C._new_Embedding(*param.shape, self.padding_idx, self.max_norm, self.norm_type,
                                                         self.scale_grad_by_freq, param.dtype)
            set_rng_state(state)
        super().register_parameter(name, param)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False,
                        sparse=False):
        """A table of these rows, which are not trained unless freeze is False."""
        if embeddings.dim() != 2:
            raise ValueError("from_pretrained() of a tensor of %d dimensions, and not 2" % embeddings.dim())
        rows, size = embeddings.shape
        return cls(rows, size, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings, _freeze=freeze)


class EmbeddingBag(_layers.EmbeddingBag):
    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                 sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None):
        _with_weight(self, lambda: _layers.EmbeddingBag.__init__(
            self, num_embeddings, embedding_dim, max_norm, norm_type, scale_grad_by_freq, mode, sparse, None,
            include_last_offset, padding_idx, dtype=dtype if _weight is None else _weight.dtype), _weight)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                        sparse=False, include_last_offset=False, padding_idx=None):
        """Bags of these rows, which are not trained unless freeze is False."""
        if embeddings.dim() != 2:
            raise ValueError("from_pretrained() of a tensor of %d dimensions, and not 2" % embeddings.dim())
        rows, size = embeddings.shape
        made = cls(rows, size, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)
        made.weight.requires_grad_(not freeze)
        return made

    def forward(self, input, offsets=None, per_sample_weights=None):
        return _C._EmbeddingBag_forward(self._handle, input, offsets, per_sample_weights)


class MultiheadAttention(_layers.MultiheadAttention):
    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        return _C._MultiheadAttention_forward(self._handle, query, key, value, key_padding_mask, attn_mask, need_weights,
                                              average_attn_weights, is_causal and attn_mask is None)


class TransformerEncoderLayer(_layers.TransformerEncoderLayer):
    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        return _C._TransformerEncoderLayer_forward(self._handle, src, src_mask, src_key_padding_mask,
                                                   is_causal and src_mask is None)


class TransformerDecoderLayer(_layers.TransformerDecoderLayer):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):
        return _C._TransformerDecoderLayer_forward(
            self._handle, tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
            tgt_is_causal and tgt_mask is None, memory_is_causal and memory_mask is None)


def _unpool(name, call):
    def forward(self, input, indices, output_size=None):
        return call(self._handle, input, indices, None if output_size is None else tuple(output_size))

    return type(name, (getattr(_layers, name),), {"forward": forward, "__doc__": getattr(_layers, name).__doc__})


MaxUnpool1d = _unpool("MaxUnpool1d", _C._MaxUnpool1d_forward)
MaxUnpool2d = _unpool("MaxUnpool2d", _C._MaxUnpool2d_forward)
MaxUnpool3d = _unpool("MaxUnpool3d", _C._MaxUnpool3d_forward)


def _pool(name):
    """A layer of maxima that returns their indices, too, with return_indices; adaptive ones take None for the input's size."""
    base, call = getattr(_layers, name), getattr(_C, "_%s_forward" % name)
    names = base.__init__.__code__.co_varnames[1:base.__init__.__code__.co_argcount]

    def __init__(self, *given, **named):
        arguments = {**dict(zip(names, given)), **named}
        if len(given) > len(names) or len(arguments) < len(given) + len(named):
            raise TypeError("%s() takes %s" % (name, ", ".join(names)))
        returns_indices, samples = bool(arguments.pop("return_indices", False)), arguments.pop("_random_samples", None)
        base.__init__(self, **_open(self, arguments))
        object.__setattr__(self, "return_indices", returns_indices)
        if samples is not None:  # of fractional pooling, which draws them otherwise
            self.register_buffer("_random_samples", samples)
        _keep_open(self, arguments)

    def forward(self, input):
        if _is_open(self):
            return _functional(name)(input, self.output_size, self.return_indices)
        if "_random_samples" in self._buffers:
            return _functional(name)(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
                                     _random_samples=self._random_samples)
        return tuple(call(self._handle, input)) if self.return_indices else base.forward(self, input)

    return type(name, (base,), {"__init__": __init__, "forward": forward, "extra_repr": _pool_text(base), "__doc__": base.__doc__})


def _pool_text(base):
    return lambda self: "output_size=%s" % (self.output_size,) if _is_open(self) else base.extra_repr(self)


def _adaptive(name):
    """With None among the sizes, which stands for the input's."""
    base = getattr(_layers, name)

    def __init__(self, output_size):
        base.__init__(self, **_open(self, {"output_size": output_size}))
        _keep_open(self, {"output_size": output_size})

    def forward(self, input):
        return _functional(name)(input, self.output_size) if _is_open(self) else base.forward(self, input)

    return type(name, (base,), {"__init__": __init__, "forward": forward, "extra_repr": _pool_text(base), "__doc__": base.__doc__})


def _open(self, arguments):
    """The arguments with 1 for None among the sizes of the output."""
    sizes = arguments.get("output_size")
    is_open = isinstance(sizes, (list, tuple)) and None in sizes
    return {**arguments, "output_size": [1 if n is None else n for n in sizes]} if is_open else arguments


def _keep_open(self, arguments):
    if isinstance(arguments.get("output_size"), (list, tuple)):
        object.__setattr__(self, "output_size", arguments["output_size"])


def _is_open(self):
    return isinstance(getattr(self, "output_size", None), (list, tuple)) and None in self.output_size


def _functional(name):
    from . import functional

    return getattr(functional, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


MaxPool1d, MaxPool2d, MaxPool3d = map(_pool, ("MaxPool1d", "MaxPool2d", "MaxPool3d"))
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = map(_pool, ("AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"))
FractionalMaxPool2d, FractionalMaxPool3d = map(_pool, ("FractionalMaxPool2d", "FractionalMaxPool3d"))
AdaptiveAvgPool2d, AdaptiveAvgPool3d = _adaptive("AdaptiveAvgPool2d"), _adaptive("AdaptiveAvgPool3d")

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(_layers.AdaptiveLogSoftmaxWithLoss):
    def forward(self, input_, target_):
        return _ASMoutput(*_C._AdaptiveLogSoftmaxWithLoss_forward(self._handle, input_, target_))

    def log_prob(self, input):
        return _C._AdaptiveLogSoftmaxWithLoss_log_prob(self._handle, input)

    def predict(self, input):
        return _C._AdaptiveLogSoftmaxWithLoss_predict(self._handle, input)


class Transformer(_layers.Transformer):
    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        return _C._Transformer_forward(
            self._handle, src, tgt, src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask,
            memory_key_padding_mask, bool(src_is_causal) and src_mask is None, bool(tgt_is_causal) and tgt_mask is None,
            memory_is_causal and memory_mask is None)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """A mask that lets each position attend to those before it, and to itself."""
        return full((sz, sz), float("-inf"), dtype=dtype, device=device).triu(diagonal=1)


_layers.KINDS.update({c.__name__: c for c in (
    ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, RNN, LSTM, GRU, CTCLoss, RNNCell, GRUCell, LSTMCell, Embedding, EmbeddingBag, MultiheadAttention, TransformerEncoderLayer, TransformerDecoderLayer,
    MaxUnpool1d, MaxUnpool2d, MaxUnpool3d, AdaptiveLogSoftmaxWithLoss, Transformer)})


class _Stack(_layers.Layer):
    """Copies of a layer, one after the other."""

    def __init__(self, layer, num_layers, norm=None, **_):
        self._start(self._make, {"layer": layer, "num_layers": num_layers, "norm": norm})

    def _remake(self):
        layer, num_layers, norm = self._made[1].values()
        return self._make(layer._handle.clone(), num_layers, None if norm is None else norm._handle.clone())


class TransformerEncoder(_Stack):
    _make = staticmethod(_C._new_TransformerEncoder)

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return _C._TransformerEncoder_forward(self._handle, src, mask, src_key_padding_mask, bool(is_causal) and mask is None)


class TransformerDecoder(_Stack):
    _make = staticmethod(_C._new_TransformerDecoder)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):
        return _C._TransformerDecoder_forward(
            self._handle, tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
            bool(tgt_is_causal) and tgt_mask is None, memory_is_causal and memory_mask is None)


_layers.KINDS.update(TransformerEncoder=TransformerEncoder, TransformerDecoder=TransformerDecoder)
