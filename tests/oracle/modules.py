"""What PyTorch's modules do, for tests/ATen/module/layers.c: writes tests/golden/modules/layers.safetensors.

For each case below, under its name: state, the state dict in double of a module made after torch.manual_seed(7);
input; output, after torch.manual_seed(11), and, of the output's elements with a weight each, gradient (of the input) and gradients (of the parameters);
after, the buffers behind the call.  The metadata have its repr, the names of the state dict in order, and whether it is
called in training."""

import json
import math
import os

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import utils
from torch.nn.utils import parametrizations

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "modules")


def index(*shape, below):
    return torch.randint(0, below, shape, generator=torch.Generator().manual_seed(2018))


def numbers(*sizes):
    """Operands besides the input, which tests/ATen/module/layers.c makes too."""
    count = math.prod(sizes)
    return torch.tensor([math.sin(1 + i) for i in range(count)], dtype=torch.float64).reshape(sizes)


class Decoder(nn.Module):
    """A decoder whose memory is made of numbers."""

    def __init__(self, decoder):
        super().__init__()
        self.decoder = decoder

    def forward(self, x):
        steps = x.shape[0]
        mask = torch.triu(torch.full((steps, steps), -math.inf, dtype=x.dtype), diagonal=1)
        return self.decoder(x, numbers(5, x.shape[1], x.shape[2]), tgt_mask=mask)


class Translation(nn.Module):
    """A transformer whose source is made of numbers."""

    def __init__(self, transformer):
        super().__init__()
        self.transformer = transformer

    def forward(self, x):
        steps = x.shape[0]
        mask = torch.triu(torch.full((steps, steps), -math.inf, dtype=x.dtype), diagonal=1)
        return self.transformer(numbers(5, x.shape[1], x.shape[2]), x, tgt_mask=mask)


class Several(nn.Module):
    """A module of several tensors, of which all but the first are given here."""

    def __init__(self, module, *more):
        super().__init__()
        self.module = module
        self.more = more

    def forward(self, x):
        return self.module(x, *self.more)


class Adaptive(nn.Module):
    """An adaptive softmax: log-probabilities of targets and of all classes, and the loss."""

    def __init__(self, softmax):
        super().__init__()
        self.softmax = softmax

    def forward(self, x):
        output, loss = self.softmax(x, torch.tensor([5, 0, 2, 8, 3]))
        return torch.cat([output, loss.reshape(1), self.softmax.log_prob(x).flatten()])


class Attention(nn.Module):
    """Attention to keys and values of other sizes, the last of which is ignored in the first of the batch."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x):
        ignored = torch.tensor([[False] * 3 + [True], [False] * 4])
        y, weights = self.attention(x, numbers(2, 4, 3), numbers(2, 4, 5), key_padding_mask=ignored)
        return torch.cat([y, weights], 2)


class Packed(nn.Module):
    """A recurrent layer over sequences of several lengths, from states of numbers: outputs, padded, lengths and last states."""

    def __init__(self, layer, in_order=False):
        super().__init__()
        self.layer, self.in_order = layer, in_order

    def forward(self, x):
        layer, first = self.layer, self.layer.batch_first
        lengths = torch.tensor([5, 4, 3, 1] if self.in_order else [3, 5, 1, 4])
        packed = utils.rnn.pack_padded_sequence(x, lengths, first, enforce_sorted=self.in_order)
        rows = layer.num_layers * (1 + layer.bidirectional)
        states = numbers(rows, 4, layer.proj_size or layer.hidden_size), numbers(rows, 4, layer.hidden_size)
        is_lstm = isinstance(layer, nn.LSTM)
        output, last = layer(packed, states if is_lstm else states[0])
        padded, lengths = utils.rnn.pad_packed_sequence(output, first, 0.5, 6)
        return torch.cat([t.flatten().to(x.dtype) for t in (padded, lengths, *(last if is_lstm else (last,)))])


class Indices(nn.Module):
    """Maxima and their indices, and what unpooling makes of them."""

    def __init__(self, pool, unpool=None):
        super().__init__()
        self.pool, self.unpool = pool, unpool

    def forward(self, x):
        y, indices = self.pool(x)
        if self.unpool is not None:
            return self.unpool(y * y, indices)
        return torch.cat([y.flatten(), indices.flatten().to(x.dtype)])


class Plain(nn.Module):
    """An encoder, or a decoder, without masks."""

    def __init__(self):
        super().__init__()
        self.full = nn.Linear(4, 4)

    def forward(self, x, memory=None, **_):
        return self.full(x if memory is None else x * memory)


CASES = {  # a module, the input or its shape, and whether it is called in training
    "Identity": (lambda: nn.Identity(), (2, 3)),
    "Linear": (lambda: nn.Linear(5, 3), (2, 5)),
    "Linear_large": (lambda: nn.Linear(7, 6), (2, 3, 7)),
    "Linear_plain": (lambda: nn.Linear(4, 3, bias=False), (4,)),
    "Conv1d": (lambda: nn.Conv1d(2, 3, 3, padding=1), (2, 2, 6)),
    "Conv1d_reflect": (lambda: nn.Conv1d(2, 2, 3, padding=2, padding_mode="reflect"), (1, 2, 6)),
    "Conv2d": (lambda: nn.Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0), dilation=(1, 2), groups=2), (2, 4, 7, 6)),
    "Conv2d_circular": (lambda: nn.Conv2d(1, 2, 3, padding=(1, 2), bias=False, padding_mode="circular"), (1, 1, 5, 4)),
    "Conv3d": (lambda: nn.Conv3d(1, 2, 2), (1, 1, 3, 3, 4)),
    "ConvTranspose1d": (lambda: nn.ConvTranspose1d(3, 2, 3, stride=2, output_padding=1), (1, 3, 4)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, groups=2), (1, 4, 3, 4)),
    "ConvTranspose3d": (lambda: nn.ConvTranspose3d(2, 1, 2, bias=False), (1, 2, 2, 2, 3)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(3), (5, 3)),
    "BatchNorm1d_average": (lambda: nn.BatchNorm1d(3, momentum=None), (5, 3, 2)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(2, eps=1e-3, momentum=0.3), (3, 2, 4, 3)),
    "BatchNorm2d_eval": (lambda: nn.BatchNorm2d(2), (3, 2, 4, 3), False),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(2, affine=False, track_running_stats=False), (2, 2, 2, 2, 3)),
    "InstanceNorm1d": (lambda: nn.InstanceNorm1d(3), (2, 3, 4)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(2, affine=True, track_running_stats=True), (2, 2, 4, 3)),
    "InstanceNorm3d": (lambda: nn.InstanceNorm3d(2, affine=True), (2, 2, 2, 2, 2)),
    "LayerNorm": (lambda: nn.LayerNorm(5), (2, 3, 5)),
    "LayerNorm_plain": (lambda: nn.LayerNorm((3, 5), bias=False), (2, 3, 5)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (2, 4, 3)),
    "RMSNorm": (lambda: nn.RMSNorm(5), (2, 5)),
    "RMSNorm_eps": (lambda: nn.RMSNorm((2, 5), eps=1e-3), (3, 2, 5)),
    "Embedding": (lambda: nn.Embedding(6, 4), index(2, 5, below=6)),
    "Embedding_padding": (lambda: nn.Embedding(6, 4, padding_idx=-1, scale_grad_by_freq=True), index(7, below=6)),
    "Embedding_norm": (lambda: nn.Embedding(6, 4, max_norm=1.0), index(4, below=6)),
    "Embedding_pretrained": (lambda: nn.Embedding.from_pretrained(numbers(6, 4), freeze=False, padding_idx=-2), index(2, 5, below=6)),
    "EmbeddingBag_pretrained": (lambda: nn.EmbeddingBag.from_pretrained(numbers(6, 4), mode="sum", freeze=False), index(3, 4, below=6)),
    "EmbeddingBag": (lambda: nn.EmbeddingBag(6, 4), index(3, 4, below=6)),
    "EmbeddingBag_max": (lambda: nn.EmbeddingBag(6, 4, mode="max", padding_idx=2), index(3, 4, below=6)),
    "Dropout": (lambda: nn.Dropout(0.25), (2, 3), False),
    "Dropout2d": (lambda: nn.Dropout2d(), (2, 3, 2, 2), False),
    "AlphaDropout": (lambda: nn.AlphaDropout(), (2, 3), False),
    "ReLU": (lambda: nn.ReLU(), (2, 5)),
    "ReLU6": (lambda: nn.ReLU6(), (2, 5)),
    "LeakyReLU": (lambda: nn.LeakyReLU(0.2), (2, 5)),
    "PReLU": (lambda: nn.PReLU(3), (2, 3, 2)),
    "RReLU": (lambda: nn.RReLU(), (2, 5), False),
    "ELU": (lambda: nn.ELU(1.5), (2, 5)),
    "CELU": (lambda: nn.CELU(0.7), (2, 5)),
    "SELU": (lambda: nn.SELU(), (2, 5)),
    "GELU": (lambda: nn.GELU(), (2, 5)),
    "GELU_tanh": (lambda: nn.GELU("tanh"), (2, 5)),
    "SiLU": (lambda: nn.SiLU(), (2, 5)),
    "Mish": (lambda: nn.Mish(), (2, 5)),
    "Sigmoid": (lambda: nn.Sigmoid(), (2, 5)),
    "LogSigmoid": (lambda: nn.LogSigmoid(), (2, 5)),
    "Tanh": (lambda: nn.Tanh(), (2, 5)),
    "Hardtanh": (lambda: nn.Hardtanh(-0.5, 0.75), (2, 5)),
    "Hardsigmoid": (lambda: nn.Hardsigmoid(), (2, 5)),
    "Hardswish": (lambda: nn.Hardswish(), (2, 5)),
    "Softplus": (lambda: nn.Softplus(2.0), (2, 5)),
    "Softsign": (lambda: nn.Softsign(), (2, 5)),
    "Softshrink": (lambda: nn.Softshrink(), (2, 5)),
    "Hardshrink": (lambda: nn.Hardshrink(), (2, 5)),
    "Tanhshrink": (lambda: nn.Tanhshrink(), (2, 5)),
    "Threshold": (lambda: nn.Threshold(0.1, 20.5), (2, 5)),
    "GLU": (lambda: nn.GLU(), (2, 6)),
    "Softmax": (lambda: nn.Softmax(1), (2, 5)),
    "Softmin": (lambda: nn.Softmin(0), (2, 5)),
    "Softmax2d": (lambda: nn.Softmax2d(), (1, 3, 2, 2)),
    "LogSoftmax": (lambda: nn.LogSoftmax(-1), (2, 5)),
    "MaxPool1d": (lambda: nn.MaxPool1d(2), (1, 2, 6)),
    "MaxPool2d": (lambda: nn.MaxPool2d(3, stride=2, padding=1), (1, 2, 6, 5)),
    "MaxPool2d_pair": (lambda: nn.MaxPool2d((2, 3), ceil_mode=True), (1, 1, 5, 5)),
    "MaxPool3d": (lambda: nn.MaxPool3d(2), (1, 1, 4, 4, 2)),
    "MaxPool1d_indices": (lambda: Indices(nn.MaxPool1d(2, return_indices=True)), (1, 2, 6)),
    "MaxPool2d_indices": (lambda: Indices(nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)), (1, 2, 6, 4)),
    "MaxPool3d_indices": (lambda: Indices(nn.MaxPool3d(2, return_indices=True)), (1, 4, 4, 2)),
    "AdaptiveMaxPool2d_indices": (lambda: Indices(nn.AdaptiveMaxPool2d((3, 2), return_indices=True)), (1, 2, 7, 5)),
    "FractionalMaxPool2d_indices": (lambda: Indices(nn.FractionalMaxPool2d(2, output_size=(3, 2), return_indices=True)), (2, 2, 7, 6)),
    "AvgPool1d": (lambda: nn.AvgPool1d(3, 2, 1), (1, 2, 7)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2, count_include_pad=False, padding=1), (1, 2, 4, 5)),
    "AvgPool2d_divisor": (lambda: nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True, divisor_override=5), (1, 2, 6, 5)),
    "AvgPool3d_divisor": (lambda: nn.AvgPool3d(2, count_include_pad=False, padding=1, divisor_override=3), (1, 1, 4, 2, 4)),
    "AvgPool3d": (lambda: nn.AvgPool3d(2), (1, 1, 4, 2, 4)),
    "AdaptiveMaxPool1d": (lambda: nn.AdaptiveMaxPool1d(3), (1, 2, 7)),
    "AdaptiveMaxPool2d": (lambda: nn.AdaptiveMaxPool2d((3, 2)), (1, 2, 7, 5)),
    "AdaptiveMaxPool3d": (lambda: nn.AdaptiveMaxPool3d(2), (1, 1, 3, 4, 3)),
    "AdaptiveAvgPool1d": (lambda: nn.AdaptiveAvgPool1d(3), (1, 2, 7)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(1), (2, 2, 3, 3)),
    "AdaptiveAvgPool3d": (lambda: nn.AdaptiveAvgPool3d((1, 2, 2)), (1, 1, 3, 4, 3)),
    "ZeroPad1d": (lambda: nn.ZeroPad1d(2), (1, 2, 3)),
    "ZeroPad2d": (lambda: nn.ZeroPad2d((1, 0, 2, 1)), (1, 1, 3, 2)),
    "ZeroPad3d": (lambda: nn.ZeroPad3d(1), (1, 1, 1, 2, 2)),
    "ConstantPad2d": (lambda: nn.ConstantPad2d(1, 3.5), (1, 1, 2, 2)),
    "ReflectionPad1d": (lambda: nn.ReflectionPad1d(2), (1, 2, 4)),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d((1, 2, 0, 1)), (1, 1, 3, 4)),
    "ReplicationPad2d": (lambda: nn.ReplicationPad2d(2), (1, 1, 2, 3)),
    "CircularPad2d": (lambda: nn.CircularPad2d((1, 1, 2, 0)), (1, 1, 3, 3)),
    "Flatten": (lambda: nn.Flatten(), (2, 3, 2)),
    "Unflatten": (lambda: nn.Unflatten(1, (2, 3)), (2, 6)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), (1, 4, 2, 3)),
    "PixelUnshuffle": (lambda: nn.PixelUnshuffle(2), (1, 1, 4, 2)),
    "Upsample": (lambda: nn.Upsample(scale_factor=2), (1, 2, 3, 2)),
    "Upsample_bilinear": (lambda: nn.Upsample(size=(5, 4), mode="bilinear", align_corners=True), (1, 1, 3, 2)),
    "Upsample_linear": (lambda: nn.Upsample(scale_factor=1.5, mode="linear"), (1, 2, 4)),
    "RNN": (lambda: nn.RNN(3, 2, num_layers=2, nonlinearity="relu", batch_first=True), (2, 4, 3)),
    "LSTM": (lambda: nn.LSTM(3, 2, num_layers=2, bidirectional=True), (4, 2, 3)),
    "LSTM_plain": (lambda: nn.LSTM(3, 2, bias=False, batch_first=True), (4, 3)),
    "GRU": (lambda: nn.GRU(3, 2, bidirectional=True, batch_first=True), (2, 4, 3)),
    "LSTM_projected": (lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True, proj_size=2), (4, 2, 3)),
    "LSTM_projected_plain": (lambda: nn.LSTM(3, 4, bias=False, batch_first=True, proj_size=3), (4, 3)),
    "RNN_packed": (lambda: Packed(nn.RNN(3, 2, nonlinearity="relu"), True), (5, 4, 3)),
    "LSTM_packed": (lambda: Packed(nn.LSTM(3, 4, num_layers=2, bidirectional=True, proj_size=2, batch_first=True)), (4, 5, 3)),
    "GRU_packed": (lambda: Packed(nn.GRU(3, 2, num_layers=2, bidirectional=True, dropout=0.4, bias=False)), (5, 4, 3)),
    "RNNCell": (lambda: nn.RNNCell(3, 2), (2, 3)),
    "LSTMCell": (lambda: nn.LSTMCell(3, 2), (2, 3)),
    "GRUCell": (lambda: nn.GRUCell(3, 2, bias=False), (2, 3)),
    "RNNCell_vector": (lambda: nn.RNNCell(3, 2, nonlinearity="relu"), (3,)),
    "LSTMCell_vector": (lambda: nn.LSTMCell(3, 2), (3,)),
    "GRUCell_vector": (lambda: nn.GRUCell(3, 2), (3,)),
    "LayerNorm_fixed": (lambda: nn.LayerNorm(4, elementwise_affine=False), (2, 3, 4)),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(4, 2), (3, 2, 4)),
    "MultiheadAttention_first": (lambda: nn.MultiheadAttention(4, 2, bias=False, batch_first=True), (2, 3, 4)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0), (3, 2, 4)),
    "TransformerEncoderLayer_first": (lambda: nn.TransformerEncoderLayer(
        4, 2, dim_feedforward=5, dropout=0.0, activation="gelu", batch_first=True, norm_first=True, bias=False), (2, 3, 4)),
    "TransformerEncoder": (lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(4, 2, 4, dropout=0.0, batch_first=True), 2, norm=nn.LayerNorm(4)), (2, 3, 4)),
    "TransformerEncoderLayer_dropout": (lambda: nn.TransformerEncoderLayer(4, 2, 6), (3, 2, 4)),
    "TransformerDecoderLayer": (lambda: Decoder(nn.TransformerDecoderLayer(4, 2, 5, dropout=0.0)), (3, 2, 4)),
    "TransformerDecoder": (lambda: Decoder(nn.TransformerDecoder(
        nn.TransformerDecoderLayer(4, 1, 3, dropout=0.0, norm_first=True), 2)), (3, 2, 4)),
    "Attention": (lambda: Attention(nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True)), (2, 3, 4)),
    "Conv2d_same": (lambda: nn.Conv2d(2, 3, (4, 3), padding="same", dilation=(1, 2)), (1, 2, 5, 6)),
    "Conv1d_same": (lambda: nn.Conv1d(2, 2, 4, padding="same", padding_mode="circular"), (1, 2, 6)),
    "Conv3d_valid": (lambda: nn.Conv3d(1, 2, 2, padding="valid", stride=2), (1, 1, 4, 3, 4)),
    "LPPool1d": (lambda: nn.LPPool1d(1.5, 2), numbers(1, 2, 5).abs()),
    "LPPool2d": (lambda: nn.LPPool2d(2.0, (2, 3), stride=1), (1, 2, 4, 5)),
    "LPPool3d": (lambda: nn.LPPool3d(2.5, 2, stride=2, ceil_mode=True), numbers(1, 1, 3, 4, 3).abs()),
    "LocalResponseNorm": (lambda: nn.LocalResponseNorm(3, alpha=0.1), (2, 4, 3, 3)),
    "LocalResponseNorm_even": (lambda: nn.LocalResponseNorm(2, alpha=0.5, beta=1.5, k=2.0), (2, 3, 4)),
    "FeatureAlphaDropout": (lambda: nn.FeatureAlphaDropout(0.4), (3, 4, 5)),
    "UpsamplingNearest2d": (lambda: nn.UpsamplingNearest2d(scale_factor=2), (1, 2, 3, 2)),
    "UpsamplingBilinear2d": (lambda: nn.UpsamplingBilinear2d(size=(5, 4)), (1, 1, 3, 2)),
    "ChannelShuffle": (lambda: nn.ChannelShuffle(2), (1, 4, 2, 2)),
    "Unfold": (lambda: nn.Unfold((2, 3), padding=1), (1, 2, 4, 5)),
    "Fold": (lambda: nn.Fold((4, 5), 2, stride=(1, 1)), (1, 8, 12)),
    "MultiheadAttention_more": (lambda: nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True), (3, 2, 4)),
    "Attention_more": (lambda: Attention(nn.MultiheadAttention(
        4, 2, kdim=3, vdim=5, batch_first=True, add_bias_kv=True, add_zero_attn=True)), (2, 3, 4)),
    "Transformer": (lambda: Translation(nn.Transformer(4, 2, 2, 1, 6, dropout=0.0)), (3, 2, 4)),
    "Transformer_of": (lambda: nn.Transformer(4, 2, custom_encoder=Plain(), custom_decoder=Plain()), (3, 2, 4)),
    "CosineSimilarity": (lambda: Several(nn.CosineSimilarity(), numbers(3, 4)), (3, 4)),
    "PairwiseDistance": (lambda: Several(nn.PairwiseDistance(p=3.0, keepdim=True), numbers(3, 4)), (3, 4)),
    "Bilinear": (lambda: Several(nn.Bilinear(3, 2, 4), numbers(5, 2)), (5, 3)),
    "CrossMapLRN2d": (lambda: nn.CrossMapLRN2d(3, alpha=0.1, k=1.0), (2, 6, 2, 3)),
    "CrossMapLRN2d_even": (lambda: nn.CrossMapLRN2d(4, alpha=0.5, beta=1.5, k=2.0), (1, 7, 2, 2)),
    "MaxUnpool1d": (lambda: Several(nn.MaxUnpool1d(2), torch.tensor([[[1, 2, 5], [0, 3, 4]]])), (1, 2, 3)),
    "MaxUnpool2d": (lambda: Several(nn.MaxUnpool2d((2, 1), stride=2), torch.tensor([[[[0, 2], [8, 7]]]])), (1, 1, 2, 2)),
    "MaxUnpool3d": (lambda: Several(nn.MaxUnpool3d(2), torch.tensor([[[[[1, 14]]]]])), (1, 1, 1, 1, 2)),
    "FractionalMaxPool2d": (lambda: nn.FractionalMaxPool2d(2, output_size=(3, 2)), (2, 2, 7, 6)),
    "FractionalMaxPool2d_ratio": (lambda: nn.FractionalMaxPool2d((2, 3), output_ratio=0.5), (2, 6, 8)),
    "FractionalMaxPool3d": (lambda: nn.FractionalMaxPool3d(2, output_size=(3, 2, 1)), (2, 2, 7, 6, 4)),
    "FractionalMaxPool3d_ratio": (lambda: nn.FractionalMaxPool3d((1, 2, 3), output_ratio=0.5), (2, 6, 8, 7)),
    "L1Loss": (lambda: Several(nn.L1Loss(), numbers(2, 3)), (2, 3)),
    "MSELoss": (lambda: Several(nn.MSELoss(reduction="sum"), numbers(2, 3)), (2, 3)),
    "SmoothL1Loss": (lambda: Several(nn.SmoothL1Loss(beta=0.5), numbers(2, 3)), (2, 3)),
    "HuberLoss": (lambda: Several(nn.HuberLoss(reduction="none", delta=0.7), numbers(2, 3)), (2, 3)),
    "KLDivLoss": (lambda: Several(nn.KLDivLoss(reduction="batchmean"), numbers(2, 3).abs()), (2, 3)),
    "KLDivLoss_log": (lambda: Several(nn.KLDivLoss(reduction="none", log_target=True), numbers(2, 3)), (2, 3)),
    "PoissonNLLLoss": (lambda: Several(nn.PoissonNLLLoss(full=True), numbers(2, 3).abs() * 4), (2, 3)),
    "GaussianNLLLoss": (lambda: Several(nn.GaussianNLLLoss(full=True), numbers(2, 3), numbers(2, 1).abs()), (2, 3)),
    "GaussianNLLLoss_least": (lambda: Several(nn.GaussianNLLLoss(eps=0.9, reduction="sum"), numbers(2, 3), numbers(2).abs()), (2, 3)),
    "KLDivLoss_mean": (lambda: Several(nn.KLDivLoss(), numbers(2, 3).abs()), (2, 3)),
    "BCELoss": (lambda: Several(nn.BCELoss(numbers(3).abs().float()), numbers(2, 3).abs()), numbers(2, 3).abs() * 0.9),
    "BCEWithLogitsLoss": (lambda: Several(nn.BCEWithLogitsLoss(pos_weight=numbers(3).abs().float()), numbers(2, 3).abs()), (2, 3)),
    "NLLLoss": (lambda: Several(nn.NLLLoss(numbers(3).abs().float(), ignore_index=1), torch.tensor([[0, 1], [2, 2]])), (2, 3, 2)),
    "NLLLoss2d": (lambda: Several(nn.NLLLoss2d(reduction="none"), torch.tensor([[[0, 1], [2, 2]]])), (1, 3, 2, 2)),
    "CrossEntropyLoss": (lambda: Several(nn.CrossEntropyLoss(label_smoothing=0.1), torch.tensor([0, 2])), (2, 3)),
    "CrossEntropyLoss_sum": (lambda: Several(nn.CrossEntropyLoss(numbers(3).abs().float(), reduction="sum"), torch.tensor([1, 2])), (2, 3)),
    "CTCLoss": (lambda: Several(nn.CTCLoss(), torch.tensor([[1, 2], [1, 0]]), torch.tensor([5, 4]), torch.tensor([2, 1])),
                numbers(5, 2, 3).log_softmax(2)),
    "CTCLoss_sum": (lambda: Several(nn.CTCLoss(blank=2, reduction="sum", zero_infinity=True), torch.tensor([0, 1, 1, 0]),
                                    torch.tensor([5, 1]), torch.tensor([2, 2])), numbers(5, 2, 3).log_softmax(2)),
    "LinearCrossEntropyLoss": (lambda: Several(nn.LinearCrossEntropyLoss(4, 3, out_features=(2,), bias=True),
                                               torch.tensor([[0, 1], [2, 2], [1, 0]])), (3, 4)),
    "LinearCrossEntropyLoss_smooth": (lambda: Several(nn.LinearCrossEntropyLoss(4, 3, ignore_index=1, label_smoothing=0.2),
                                                      torch.tensor([0, 1, 2])), (3, 4)),
    "SoftMarginLoss": (lambda: Several(nn.SoftMarginLoss(), numbers(2, 3).sign()), (2, 3)),
    "HingeEmbeddingLoss": (lambda: Several(nn.HingeEmbeddingLoss(margin=0.5), numbers(2, 3).sign()), (2, 3)),
    "MarginRankingLoss": (lambda: Several(nn.MarginRankingLoss(margin=0.3), numbers(5), numbers(5).sign()), (5,)),
    "CosineEmbeddingLoss": (lambda: Several(nn.CosineEmbeddingLoss(margin=-0.5), numbers(5, 3), numbers(5).sign()), (5, 3)),
    "TripletMarginLoss": (lambda: Several(nn.TripletMarginLoss(swap=True), numbers(4, 3), numbers(4, 3).cos()), (4, 3)),
    "MultiMarginLoss": (lambda: Several(nn.MultiMarginLoss(p=2, margin=0.8, weight=numbers(3).abs()), torch.tensor([0, 2])), (2, 3)),
    "MultiLabelMarginLoss": (lambda: Several(nn.MultiLabelMarginLoss(), torch.tensor([[2, 0, -1], [1, -1, 0]])), (2, 3)),
    "MultiLabelSoftMarginLoss": (lambda: Several(nn.MultiLabelSoftMarginLoss(numbers(3).abs().float()), numbers(2, 3).abs().round()), (2, 3)),
    "MultiLabelSoftMarginLoss_sum": (lambda: Several(nn.MultiLabelSoftMarginLoss(reduction="sum"), numbers(2, 3).abs().round()), (2, 3)),
    "MultiLabelSoftMarginLoss_none": (lambda: Several(nn.MultiLabelSoftMarginLoss(reduction="none"), numbers(2, 3).abs().round()), (2, 3)),
    "AdaptiveLogSoftmaxWithLoss": (lambda: Adaptive(nn.AdaptiveLogSoftmaxWithLoss(6, 9, [3, 5], div_value=2.0, head_bias=True)), (5, 6)),
    "SyncBatchNorm": (lambda: nn.SyncBatchNorm(3, momentum=None), (4, 3, 2, 2)),
    "SyncBatchNorm_eval": (lambda: nn.SyncBatchNorm(3, affine=False), (4, 3), False),
    "WeightNorm": (lambda: parametrizations.weight_norm(nn.Linear(4, 3)), (2, 4)),
    "WeightNorm_conv": (lambda: parametrizations.weight_norm(nn.Conv2d(2, 3, 2), dim=1), (2, 2, 3, 4)),
    "WeightNorm_all": (lambda: parametrizations.weight_norm(nn.Linear(4, 3), "bias", dim=None), (2, 4)),
    "WeightNorm_old": (lambda: utils.weight_norm(nn.Linear(4, 3)), (2, 4)),
    "WeightNorm_lstm": (lambda: utils.weight_norm(utils.weight_norm(nn.LSTM(3, 2), "weight_hh_l0"), "bias_ih_l0"), (4, 2, 3)),
    "SpectralNorm": (lambda: parametrizations.spectral_norm(nn.Linear(4, 3), n_power_iterations=2), (2, 4)),
    "SpectralNorm_transposed": (lambda: parametrizations.spectral_norm(nn.ConvTranspose2d(2, 3, 2)), (2, 2, 3, 4)),
    "SpectralNorm_eval": (lambda: parametrizations.spectral_norm(nn.Linear(4, 3)), (2, 4), False),
    "SpectralNorm_vector": (lambda: parametrizations.spectral_norm(nn.Linear(4, 3), "bias"), (2, 4)),
    "SpectralNorm_old": (lambda: utils.spectral_norm(nn.Conv1d(2, 3, 2)), (2, 2, 4)),
    "Orthogonal": (lambda: parametrizations.orthogonal(nn.Linear(3, 3)), (2, 3)),
    "Orthogonal_wide": (lambda: parametrizations.orthogonal(nn.Linear(4, 3)), (2, 4)),
    "Orthogonal_tall": (lambda: parametrizations.orthogonal(nn.Linear(3, 5), orthogonal_map="cayley"), (2, 3)),
    "Orthogonal_wide_exp": (lambda: parametrizations.orthogonal(nn.Linear(5, 3), orthogonal_map="matrix_exp"), (2, 5)),
    "Orthogonal_plain": (lambda: parametrizations.orthogonal(nn.Linear(4, 3), use_trivialization=False), (2, 4)),
    "Sequential": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2),
                                         nn.Flatten(), nn.Linear(8, 3)), (2, 1, 4, 4)),
}


# PyTorch's backward of it is not the derivative of its forward: torch.autograd.gradcheck fails.
WITHOUT_GRADIENT = ("CrossMapLRN2d", "CrossMapLRN2d_even")


def weights(t):
    return torch.tensor([math.cos(1 + 0.7 * i) for i in range(t.numel())], dtype=torch.float64).reshape(t.shape)


def case(make, given, training=True):
    torch.manual_seed(7)
    module = make().double().train(training)
    found = {"state." + name: t.clone() for name, t in module.state_dict().items()}
    about = {"repr": repr(module), "state": " ".join(module.state_dict()), "training": str(training)}
    x = given if isinstance(given, torch.Tensor) else torch.randn(given, dtype=torch.float64)
    found["input"] = x.clone()
    if x.dtype.is_floating_point:
        x.requires_grad_(True)
    torch.manual_seed(11)
    inputs = {nn.MultiheadAttention: 3, nn.Transformer: 2}.get(type(module), 1)
    y = module(*[x] * inputs)
    y = y[0] if isinstance(y, tuple) else y
    (y * weights(y)).sum().backward()
    found["output"] = y.detach().clone()
    if x.grad is not None:
        found["gradient"] = x.grad
    found.update({"gradients." + name: p.grad for name, p in module.named_parameters()})
    found.update({"after." + name: b.clone() for name, b in module.named_buffers()})
    return found, about


def sort_header(path):
    """The same file with its names in order: safetensors writes metadata in an order of chance."""
    with open(path, "r+b") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.dumps(json.loads(file.read(length)), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        file.seek(8)
        file.write(header.ljust(length))


def main():
    torch.manual_seed(2018)
    tensors, about = {}, {}
    for name, rest in CASES.items():
        found, facts = case(*rest)
        if name in WITHOUT_GRADIENT:
            del found["gradient"]
        tensors.update({name + "." + key: t.contiguous() for key, t in found.items()})
        about.update({name + "." + key: text for key, text in facts.items()})
    path = os.path.join(FOLDER, "layers.safetensors")
    save_file(tensors, path, metadata=about)
    sort_header(path)


if __name__ == "__main__":
    main()
