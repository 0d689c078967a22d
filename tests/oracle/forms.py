"""Small modules that torch.export writes in unusual forms, compared with PyTorch.

usage: forms.py [--MODE]... TEST FOLDER [NAME]...
       TEST is the program test_ATen_programs of a build; FOLDER takes the files of one module at a time.
       Modes: exported (the default), strict (by torch.export's other tracer), core (after run_decompositions), plain (after
       run_decompositions with an empty table, which only removes changes in place).

Prints a line for each module: agrees, or what is missing or differs, or why PyTorch does not export it; and then how many
there are of each. What a module keeps is compared in a second run with the same inputs.
"""

import collections
import copy
import dataclasses
import math
import os
import subprocess
import sys
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import array, tensors  # noqa: E402

warnings.filterwarnings("ignore")
Dim, AUTO = torch.export.Dim, torch.export.Dim.AUTO
FORMS = {}


@dataclasses.dataclass
class Pair:
    first: torch.Tensor
    second: torch.Tensor


torch.export.register_dataclass(Pair, serialized_type_name="Pair")


class Form(nn.Module):
    """A function, and what its module has: parameters, buffers and modules."""

    def __init__(self, function, parts):
        super().__init__()
        self.function = function
        for name, part in parts.items():
            if isinstance(part, torch.Tensor) and not isinstance(part, nn.Parameter):
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)

    def forward(self, *args, **kwargs):
        return self.function(self, *args, **kwargs)


def form(*args, kwargs=None, parts=None, sizes=None, stateful=False, train=False):
    """The function becomes a case: parts is a function that makes what the module has."""
    def decorate(function):
        FORMS[function.__name__] = (function, parts, args, kwargs or {}, sizes, stateful, train)
        return function
    return decorate


GENERATOR = torch.Generator().manual_seed(1)


def r(*sizes):
    return torch.randn(sizes, generator=GENERATOR)


def i(high, *sizes):
    return torch.randint(0, high, sizes, generator=GENERATOR)


# --- inputs and outputs -----------------------------------------------------------------------------

@form({"a": r(2, 3), "b": [r(3), (r(3), None)]}, Pair(r(2, 3), r(3)), kwargs={"scale": 2.0, "flag": True, "word": "sum"})
def trees(self, tree, pair, scale=1.0, flag=False, word=""):
    total = tree["a"] * scale + tree["b"][0] - tree["b"][1][0] + pair.first * pair.second
    return {"z": total.sum() if word == "sum" else total, "a": [tree["a"], None, (3, 2.5, True, "text")]}, total if flag else None


@form(r(2, 3), parts=lambda: dict(w=nn.Parameter(r(3)), b=r(2)))
def same(self, x):
    return x, self.w, self.b, x, x.view(3, 2), self.w + 0, x.t()


@form(r(4, 3), None, 5, 1.5, False, "name")
def constants(self, x, nothing, n, f, flag, name):
    return x[:n] * f if not flag and nothing is None else name


@form(r(3), kwargs={"z": r(3), "y": r(1)})
def named(self, x, *, y, z=None):
    return x - y * z


@form(r(2, 3), i(3, 2), parts=lambda: dict(t=torch.arange(6).reshape(2, 3), h=r(3).half(), d=r(3).double(), f=torch.tensor(True)))
def types(self, x, k):
    lifted = torch.tensor([1.5, 2.5, 3.5]), torch.tensor(2), torch.tensor(True), torch.tensor(1 + 2j)
    return (x * lifted[0], k + lifted[1], self.f & lifted[2], (x[0, 0] * lifted[3]).real, self.t * x, self.h + x.half(), self.d * x,
            torch.tensor([1, 2, 250], dtype=torch.uint8) + k[0].to(torch.uint8), torch.tensor([3], dtype=torch.int16) * k[0].to(torch.int16))


# --- what changes -----------------------------------------------------------------------------------

@form(r(2, 3), r(2, 3), stateful=True, parts=lambda: dict(count=torch.zeros((), dtype=torch.long), mean=torch.zeros(3), table=torch.zeros(4, 3)))
def changed(self, x, total):
    self.count += 1
    self.mean.lerp_(x.mean(0), 0.1)
    self.table[1:3] += x
    self.table[0, :2].copy_(x[0, 1:])
    self.table.index_copy_(0, torch.tensor([3]), x[1:])
    y = total.clone()
    y.view(-1)[2:5] *= 2
    y.t()[0].relu_()
    return y, self.table * self.count, self.mean.clone()


@form(r(1, 2, 1, 4), r(1, 2, 1, 4), torch.tensor([3]), stateful=True, parts=lambda: dict(k=torch.zeros(1, 2, 6, 4), v=torch.zeros(1, 2, 6, 4)))
def cache(self, k, v, position):
    self.k.index_copy_(2, position, k)
    self.v[:, :, position] = v
    mask = torch.arange(6)[None, :] <= position[:, None]
    return F.scaled_dot_product_attention(k * 2, self.k, self.v, attn_mask=mask)


@form(r(2, 3), torch.tensor([0, 1]), stateful=True, parts=lambda: dict(k=torch.zeros(4, 3)))
def written(self, x, rows):
    self.k.index_put_((rows,), x)
    self.k.index_put_((rows + 1,), x, accumulate=True)
    self.k.scatter_add_(0, rows[:, None].expand(2, 3), x)
    self.k.masked_fill_(self.k > 1, 0.5)
    return torch.slice_scatter(self.k, x, 0, 1, 3), torch.select_scatter(self.k, x[0], 0, 2), self.k.diagonal_scatter(x[0], 0)


# --- sizes ------------------------------------------------------------------------------------------

@form(r(6, 4), r(7, 4), sizes=lambda: ({0: Dim("n", min=2, max=50)}, {0: Dim("n", min=2, max=50) + 1}))
def derived(self, x, y):
    return y[1:] - x, torch.cat([x, y]).view(-1, 2).mean(0), x.shape[0] * 2 + y.shape[0]


@form(r(8, 6), sizes=lambda: ({0: Dim("n", min=4, max=99), 1: Dim("m", min=4, max=99)},))
def arithmetic(self, x):
    n, m = x.shape
    k = torch.sym_max(n // 3, 2)
    return (x.new_ones(k), x.reshape(n * m // 2, -1), x * (torch.sym_float(n) / 3), x * torch.sym_sqrt(m), x[: n - 1 - m // 4], torch.sym_ite(n > m, n, m),
            F.pad(x, (0, (4 - m % 4) % 4)), x.repeat(2, n // 4), torch.arange(0, n * 2, 2), -n, torch.sym_max(n, m) - torch.sym_min(n, m), x * math.trunc(n / 3),
            x * (n << 1), x * (n / m), x.new_full((k, 2), 1.5))


@form(r(3, 5) > 0, r(3, 5))
def dependent(self, mask, x):
    rows = mask.nonzero()
    picked = torch.masked_select(x, mask)
    n = mask.sum().item()
    torch._check(n >= 0)
    torch._check(n <= 15)
    return rows + 1, picked * 2, x.flatten()[:n], x[mask].sum(), torch.zeros(n), torch.where(x > 0)[0].float().mean()


@form(r(10), torch.tensor(4))
def item(self, x, n):
    k = n.item()
    torch._check_is_size(k)
    torch._check(k < 10)
    return torch.narrow(x, 0, 0, k), x.narrow(0, k, 10 - k).sum(), torch.ones(k, 2).cumsum(0), x[k], x * k, (x * k / 3.0).floor()


@form(torch.tensor([3, 1, 3, 2, 1]), r(5))
def uniques(self, k, x):
    values, inverse, counts = torch.unique(k, return_inverse=True, return_counts=True)
    return values, inverse, counts, torch.unique_consecutive(k), torch.bincount(k, x), torch.repeat_interleave(x, k)


# --- graphs inside of graphs ------------------------------------------------------------------------

@form(r(3, 4), torch.tensor(True), parts=lambda: dict(a=nn.Linear(4, 4), b=nn.Linear(4, 4)))
def branches(self, x, flag):
    y = torch.cond(flag, lambda x: self.a(x), lambda x: self.b(x).relu(), (x,))
    z = torch.cond(x.shape[0] > 2, lambda x: x + 1, lambda x: x - 1, (x,))
    return y, torch.cond(y.mean() > 100, lambda y, z: (y, z), lambda y, z: (y + z, z), (y, z))


@form(r(3, 4), parts=lambda: dict(a=nn.Linear(4, 4)))
def loops(self, x):
    from torch._higher_order_ops.while_loop import while_loop
    n, y = while_loop(lambda n, y: (n < 5) & (y.norm() < 1e6), lambda n, y: (n + 1, torch.tanh(self.a(y)) * 1.5), (torch.tensor(0), x))
    return n, y


@form(r(5, 3), r(3))
def scans(self, x, h):
    from torch._higher_order_ops.associative_scan import associative_scan
    from torch._higher_order_ops.map import map as mapped
    from torch._higher_order_ops.scan import scan
    last, made = scan(lambda h, row: (torch.tanh(h * 0.5 + row), h.clone()), h, x)
    return (last, made, mapped(lambda row, h: row.sin() + h, x, h), associative_scan(lambda a, b: a * b, x, 0, combine_mode="generic"),
            associative_scan(lambda a, b: a + b, x, 1, reverse=True, combine_mode="pointwise"))


@form(r(4, 3), parts=lambda: dict(a=nn.Linear(3, 3)))
def checkpointed(self, x):
    from torch.utils.checkpoint import checkpoint
    y = checkpoint(lambda x: self.a(x).relu() * 2, x, use_reentrant=False)
    with torch.no_grad():
        z = self.a(y) + 1
    return y, z


@form(r(4, 3), parts=lambda: dict(a=nn.Linear(3, 3)))
def regional(self, x):
    part = torch.compiler.nested_compile_region(lambda x: F.gelu(self.a(x)))
    return part(x) + part(x + 1)


@form(r(4, 3), r(5, 3), parts=lambda: dict(a=nn.Linear(3, 2)))
def mapped(self, x, y):
    from torch.func import functional_call, vmap
    all = vmap(vmap(lambda a, b: (a * b).sum() + a.norm(), (None, 0)), (0, None))(x, y)
    halved = functional_call(self.a, {"weight": self.a.weight / 2, "bias": self.a.bias}, (x,))
    return all, vmap(torch.diag)(x), vmap(lambda a: torch.outer(a, a).softmax(-1))(y), halved, torch.func.vmap(lambda a: a.sort().values)(x)


# --- recurrent layers -------------------------------------------------------------------------------

@form(r(2, 5, 3), r(4, 2, 4), r(4, 2, 4), parts=lambda: dict(a=nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)))
def lstm(self, x, h, c):
    y, state = self.a(x, (h, c))
    return y, state, self.a(x)[0]


@form(r(5, 2, 3), r(2, 2, 4), parts=lambda: dict(a=nn.GRU(3, 4, bidirectional=True), b=nn.RNN(8, 3, 2, nonlinearity="relu"), c=nn.LSTMCell(3, 4),
                                                 d=nn.GRUCell(3, 4), e=nn.LSTM(3, 6, proj_size=2)))
def gru(self, x, h):
    y, last = self.a(x, h)
    return y, last, self.b(y), self.c(x[0], (h[0], h[1])), self.d(x[0], h[0]), self.e(x)


@form(r(2, 5, 3), parts=lambda: dict(a=nn.LSTM(3, 4, batch_first=True)), sizes=lambda: ({0: AUTO, 1: AUTO},))
def lstm_free(self, x):
    return self.a(x)[0][:, -1]


# --- attention --------------------------------------------------------------------------------------

@form(r(2, 4, 5, 8), r(2, 2, 7, 8), r(2, 2, 7, 8), r(2, 1, 5, 7) > 0)
def attention(self, q, k, v, mask):
    sdpa = F.scaled_dot_product_attention
    wide = [t.repeat_interleave(2, 1) for t in (k, v)]
    return (sdpa(q, k, v, enable_gqa=True), sdpa(q, *wide, scale=0.3), sdpa(q, *wide, attn_mask=mask), sdpa(q, *wide, attn_mask=mask.float()),
            sdpa(q, q, q, is_causal=True), sdpa(q[0], wide[0][0], wide[1][0]), sdpa(q[:, 0, 0], wide[0][:, 0, 0], wide[1][:, 0, 0]))


@form(r(2, 6, 8), torch.tensor([[False] * 6, [False] * 4 + [True] * 2]), parts=lambda: dict(
    a=nn.MultiheadAttention(8, 2, batch_first=True), b=nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False),
    c=nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True)))
def transformer(self, x, pad):
    y, weights = self.a(x, x, x, key_padding_mask=pad)
    causal = nn.Transformer.generate_square_subsequent_mask(6)
    return y, weights, self.b(x, src_key_padding_mask=pad), self.c(x, y, tgt_mask=causal, tgt_is_causal=True)


@form(r(2, 6, 8), torch.tensor([[False] * 6, [False] * 4 + [True] * 2]), torch.ones(6, 6).triu(1).bool(), parts=lambda: dict(
    a=nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1, enable_nested_tensor=False).requires_grad_(False),
    b=nn.TransformerEncoderLayer(8, 4, 12, batch_first=True, norm_first=True, activation="gelu").requires_grad_(False),
    c=nn.MultiheadAttention(8, 2, batch_first=True).requires_grad_(False)))
def frozen(self, x, pad, later):
    """What PyTorch computes by one operation for each layer when nothing wants a gradient."""
    def native(x, mask, kind, *weights):
        c = self.c
        return torch.ops.aten._native_multi_head_attention(x, x, x, 8, 2, c.in_proj_weight, c.in_proj_bias, c.out_proj.weight, c.out_proj.bias, mask, *weights, mask_type=kind)
    def layer(x, mask, kind):
        b = self.b
        a = b.self_attn
        return torch.ops.aten._transformer_encoder_layer_fwd(
            x, 8, 4, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight, a.out_proj.bias, True, True, 1e-5, b.norm1.weight, b.norm1.bias, b.norm2.weight,
            b.norm2.bias, b.linear1.weight, b.linear1.bias, b.linear2.weight, b.linear2.bias, mask, kind)
    layers = self.a(x), self.b(x), self.a(x, src_key_padding_mask=pad), layer(x, later, 0), layer(x, pad, 1)
    return layers, native(x, None, None), native(x, pad, 1, True, False), native(x, later, 0, False)[0], native(x, later.expand(2, 2, 6, 6), 2)


# --- layers -----------------------------------------------------------------------------------------

@form(r(4, 6, 5, 5), stateful=True, train=True, parts=lambda: dict(a=nn.BatchNorm2d(6), b=nn.GroupNorm(3, 6), c=nn.InstanceNorm2d(6, track_running_stats=True),
                                                   d=nn.LayerNorm([5, 5]), e=nn.RMSNorm(5), f=nn.LocalResponseNorm(2)))
def norms(self, x):
    return self.a(x), self.b(x), self.c(x), self.d(x), self.e(x), self.f(x)


@form(r(4, 6, 5, 5), parts=lambda: dict(a=nn.BatchNorm2d(6), b=nn.GroupNorm(3, 6), c=nn.InstanceNorm2d(6, affine=True), d=nn.LayerNorm(5), e=nn.RMSNorm(5)))
def norms_eval(self, x):
    return self.a(x), self.b(x), self.c(x), self.d(x), self.e(x), F.normalize(x), F.local_response_norm(x, 3), F.layer_norm(x, [5])


@form(r(2, 3, 6, 8))
def upsampled(self, x):
    f = F.interpolate
    return (f(x, scale_factor=2), f(x, size=(9, 5), mode="bilinear"), f(x, scale_factor=1.5, mode="bicubic", align_corners=True),
            f(x, size=(3, 4), mode="bilinear", antialias=True), f(x, size=(4, 5), mode="area"), f(x[0], scale_factor=0.6, mode="linear"),
            f(x[:, :, None], scale_factor=2.0, mode="trilinear"), f(x, size=(7, 7), mode="nearest-exact"), f(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True),
            f(x, size=(3, 4), mode="bicubic", antialias=True))


@form(r(2, 3, 6, 8), r(2, 4, 5, 2), sizes=lambda: ({0: AUTO, 2: AUTO, 3: AUTO}, {0: AUTO}))
def sampled(self, x, grid):
    made = [F.grid_sample(x, grid, m, p, a) for m in ("bilinear", "nearest", "bicubic") for p in ("zeros", "border", "reflection") for a in (True, False)]
    return made, F.interpolate(x, scale_factor=2, mode="bilinear"), F.adaptive_avg_pool2d(x, (3, 2)), F.interpolate(x, size=x.shape[2] * 2)


@form(i(7, 8), torch.tensor([0, 3, 3, 6]), r(8), parts=lambda: dict(a=nn.EmbeddingBag(7, 3), b=nn.EmbeddingBag(7, 3, mode="max"), c=nn.EmbeddingBag(7, 3, mode="sum"),
                                                             d=nn.Embedding(7, 3, padding_idx=2), e=nn.EmbeddingBag(7, 3, mode="sum", include_last_offset=True)))
def bags(self, k, offsets, w):
    return self.a(k, offsets), self.b(k, offsets), self.c(k, offsets, w), self.d(k), self.e(k, torch.tensor([0, 3, 8])), F.one_hot(k, 7), self.a(k.view(2, 4))


@form(r(2, 4, 9, 8))
def pooled(self, x):
    y, k = F.max_pool2d(x, 2, return_indices=True)
    return (F.max_unpool2d(y, k, 2, output_size=x.shape[2:]), F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), F.lp_pool2d(x, 2, 3), F.adaptive_max_pool2d(x, 3),
            F.avg_pool2d(x, 2, divisor_override=3), F.unfold(x, 3, 2, 1, 2), F.fold(F.unfold(x, 2), (9, 8), 2), F.pixel_shuffle(x, 2), F.pixel_unshuffle(x[:, :, :8], 2),
            F.channel_shuffle(x, 2), F.max_pool1d(x[0], 3), F.avg_pool3d(x[None], 2), F.adaptive_avg_pool1d(x[0], 5))


@form(r(2, 4, 9, 8), parts=lambda: dict(a=nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2), b=nn.Conv2d(4, 4, 3, padding="same", padding_mode="reflect", groups=4), c=nn.Conv1d(4, 2, 3, dilation=2),
                                        d=nn.Conv3d(4, 2, 2), e=nn.ConvTranspose1d(4, 3, 4, 2), g=nn.utils.spectral_norm(nn.Linear(8, 8))))
def convolved(self, x):
    return self.a(x), self.b(x), self.c(x[0]), self.d(x[:, :, None].repeat(1, 1, 3, 1, 1)), self.e(x[0]), self.g(x), self.b(x.to(memory_format=torch.channels_last)).permute(0, 2, 3, 1)


@form(r(3, 7), i(7, 3), r(3, 7))
def losses(self, x, k, y):
    p = x.sigmoid()
    return (F.cross_entropy(x, k, label_smoothing=0.1), F.nll_loss(x.log_softmax(1), k, reduction="sum"), F.mse_loss(x, y), F.smooth_l1_loss(x, y, beta=0.5), F.huber_loss(x, y),
            F.binary_cross_entropy(p, y.sigmoid()), F.binary_cross_entropy_with_logits(x, p, pos_weight=p[0]), F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"), F.cosine_embedding_loss(x, y, torch.tensor([1, -1, 1])),
            F.triplet_margin_loss(x, y, p), F.hinge_embedding_loss(x, y.sign()), F.margin_ranking_loss(x[0], y[0], y[1].sign()), F.poisson_nll_loss(x, p), F.multi_margin_loss(x, k), F.soft_margin_loss(x, y.sign()))


@form(r(3, 7))
def activations(self, x):
    return [f(x) for f in (F.relu6, F.elu, F.selu, F.celu, F.silu, F.mish, F.hardswish, F.hardtanh, F.softplus, F.softsign, F.tanhshrink, F.softshrink, F.hardshrink, F.logsigmoid, F.gelu, F.leaky_relu)] + \
        [F.threshold(x, 0.1, 2), F.glu(x[:, :6]), F.prelu(x, torch.tensor([0.3])), F.rrelu(x), F.softmin(x, 1), F.hardsigmoid(x), F.gumbel_softmax(x, hard=True).sum(1)]


# --- numbers ----------------------------------------------------------------------------------------

@form(r(2, 64), parts=lambda: dict(w=torch.hann_window(16)))
def waves(self, x):
    s = torch.stft(x, 16, 4, window=self.w, return_complex=True)
    z = torch.fft.rfft(x)
    return (s.abs(), torch.istft(s * 0.5, 16, 4, window=self.w, length=64), z.real, torch.fft.irfft(z * 1j, n=64), torch.fft.fft2(x.view(2, 8, 8)).abs(), torch.view_as_real(z), z.angle()[:, 1:5],
            torch.fft.fftshift(x, 1), torch.polar(x.abs(), x).imag, (z.conj() * z).real, torch.complex(x, x).abs(), torch.fft.ifft(z).abs(), torch.fft.fftfreq(6))


@form(r(4, 6), i(4, 4, 6))
def sorted_(self, x, k):
    return (x.sort(1, True), x.topk(3, 0), x.argsort(), x.kthvalue(2, 1), x.median(1), x.mode(1).values, x.cummax(1), x.cumprod(0), x.logcumsumexp(1), x.flip(1), x.roll((1, 2), (0, 1)), x.msort(),
            torch.searchsorted(x[0].sort().values, x[1]), torch.bucketize(x, torch.tensor([-0.5, 0.5])), x.quantile(0.3, 1), x.aminmax(), x.argmax(), x.nanmean(), torch.histc(x, 5), x.diff(dim=1))


@form(r(4, 6), i(4, 4, 6), r(4, 6))
def scattered(self, x, k, y):
    z = torch.zeros(4, 6)
    return ([z.scatter_reduce(0, k, x, m, include_self=s) for m in ("sum", "prod", "mean", "amax", "amin") for s in (True, False)], x.gather(0, k), z.index_add(0, k[:, 0], x, alpha=2), z.index_reduce(0, k[:, 0], x, "mean"),
            z.scatter_add(0, k, y), x.take_along_dim(k, 0), x.index_fill(1, torch.tensor([1]), 3.0), x.masked_scatter(x > 0, y), torch.take(x, k), x.put(torch.tensor([3, 4]), torch.tensor([1.0, 2])),
            x[k[0], :, None][:, [0, 2]], x[..., 1:5:2, None], x[torch.tensor([True, False, True, False])], x[:, -1], x[None, k[:, 0] > 1])


@form(r(7, 3), r(4, 4), r(1, 8, 6, 6), torch.tensor([[0.0, 0, 0, 5, 5], [0, 2, 1, 4, 9]]), i(256, 1, 3, 9, 7).to(torch.uint8))
def seldom(self, x, y, images, boxes, bytes):
    z = y.clone().fill_diagonal_(2.0)
    rows, columns = torch.ops.aten.nonzero_numpy(x > 0)
    vision = []
    try:
        import torchvision
        ops = torchvision.ops
        vision = [ops.ps_roi_align(images, boxes, 2, 0.5), ops.ps_roi_align(images, boxes, (2, 1), 1.0, 2), ops.ps_roi_pool(images, boxes, 2, 0.5),
                  torch.ops.torchvision.ps_roi_pool(images, boxes, 1.0, 2, 2)[1]]
    except ImportError:
        pass
    return (x.clone().fill_diagonal_(1.5, wrap=True), z, rows * 3 + columns, torch.chain_matmul(x, y[:3], z), torch.special.spherical_bessel_j0(x), vision,
            F.interpolate(bytes, (4, 5), mode="bilinear", antialias=True), F.interpolate(bytes, (12, 5), mode="bicubic"))


@form(r(4, 4))
def matrices(self, x):
    s = x @ x.t() + torch.eye(4)
    la = torch.linalg
    return (la.inv(s), la.det(s), la.slogdet(s), la.cholesky(s), la.eigvalsh(s), la.svdvals(x), la.solve(s, x), la.norm(x), la.vector_norm(x, 3, 1), la.matrix_norm(x), la.pinv(x), la.matrix_power(s, 3), la.matrix_exp(x),
            la.qr(s)[0].abs(), torch.logdet(s), torch.trace(x), torch.einsum("ij,kj->ik", x, s), torch.tensordot(x, s, 1), torch.kron(x, s), torch.block_diag(x, s), torch.cdist(x, s), torch.baddbmm(x[None], x[None], s[None], beta=0.5),
            la.solve_triangular(la.cholesky(s), x, upper=False), la.multi_dot([x, s, x]), torch.vander(x[0]), la.cross(x[:, :3], s[:, :3]), F.bilinear(x, s, torch.ones(2, 4, 4)), F.pairwise_distance(x, s))


@form(r(3, 4), i(9, 3, 4))
def special(self, x, k):
    p = x.abs() + 0.1
    return (torch.erfinv(x.tanh()), torch.lgamma(p), torch.digamma(p), torch.special.i0(x), torch.special.ndtr(x), torch.xlogy(p, p), torch.logaddexp(x, p), torch.hypot(x, p), torch.atan2(x, p), torch.fmod(x, 0.3), torch.remainder(x, -0.3),
            x.frac(), x.trunc(), torch.round(x, decimals=1), torch.copysign(x, -p), x.sign(), torch.nextafter(x, p), k // 2, k % 3, k >> 1, k & 3, k ^ 5, ~k, torch.gcd(k, k + 2), torch.float_power(p, 1.5), torch.floor_divide(x, 0.3),
            x.nan_to_num(), x.isfinite(), torch.isclose(x, p), x.heaviside(p), torch.clamp(x, p - 1, p), torch.lerp(x, p, 0.3), torch.addcdiv(x, x, p, value=0.5), torch.where(x > 0, 1, x), torch.ldexp(x, k), x.signbit(), torch.frexp(p)[0], torch.polygamma(1, p))


@form(r(3, 8), parts=lambda: dict(a=nn.Linear(8, 4)))
def narrow(self, x):
    with torch.autocast("cpu", torch.bfloat16):
        y = self.a(x)
        z = (y @ y.t()).softmax(-1)
    w = (x.bfloat16() @ x.bfloat16().t()).float()
    return y.float(), z.float(), w, (x.half() * 2 + 1).float(), x.bfloat16().sum(1).float(), F.layer_norm(x.bfloat16(), [8]).float()


@form(r(3, 8), parts=lambda: dict(a=nn.Linear(8, 16, dtype=torch.bfloat16), b=nn.LayerNorm(16, dtype=torch.bfloat16), c=nn.Linear(16, 4, dtype=torch.bfloat16)))
def bfloat(self, x):
    return self.c(F.gelu(self.b(self.a(x.bfloat16())))).float()


@form(r(3, 8).half(), r(1, 3, 9, 9).half(), parts=lambda: dict(a=nn.Linear(8, 16, dtype=torch.half), c=nn.Conv2d(3, 4, 3, dtype=torch.half)))
def halves(self, x, y):
    return F.silu(self.a(x)), self.c(y).relu()


@form(i(9, 5), parts=lambda: dict(a=nn.Embedding(9, 6)))
def tied(self, k):
    return self.head(self.a(k))


@form([r(3), r(2, 2)], [r(3), r(2, 2)])
def lists(self, a, b):
    f = torch
    c = f._foreach_mul(a, 2.0)
    d = f._foreach_add(c, b, alpha=0.5)
    f._foreach_add_(c, 1.0)
    f._foreach_mul_(c, [2.0, 3.0])
    return c, d, f._foreach_sqrt(f._foreach_abs(d)), f._foreach_norm(a), f._foreach_addcmul(a, b, d, value=0.3), f._foreach_lerp(a, b, 0.2), f._foreach_maximum(a, 0.1), f._foreach_neg(b)


@form(r(2, 3), i(2, 3))
def shapes(self, x, k):
    return (torch.meshgrid(x[0], x[1], indexing="ij"), torch.cartesian_prod(x[0], x[1]), torch.combinations(x[0]), torch.tril_indices(3, 3), x.unflatten(1, (3, 1)), x.movedim(0, 1), torch.atleast_3d(x), torch.hstack([x, x]), torch.dstack([x, x]),
            torch.broadcast_tensors(x, x[:1]), x.expand(4, 2, 3), x.tile(2, 2), torch.rot90(x), x.as_strided((2, 2), (1, 2)), torch.tensor_split(x, 2, 1), x.chunk(2, 1), x.unbind(1), torch.stack([x, x], 2), x.swapaxes(0, 1), x.ravel(), x.diagonal(),
            torch.diag_embed(x), torch.nn.functional.pad(x, (1, 2), value=3), F.pad(x[None], (1, 1), "reflect"), F.pad(x[None], (2, 1), "circular"), torch.eye(3)[k], torch.full((2,), 7), torch.logspace(0, 1, 4), torch.empty(2, 0), x.new_empty(0, 3), x.T, x.mT)


def build(name):
    function, parts, args, kwargs, sizes, stateful, train = FORMS[name]
    torch.manual_seed(1)
    made = parts() if parts else {}
    module = Form(function, made)
    if name == "tied":
        module.head = nn.Linear(6, 9, bias=False)
        module.head.weight = module.a.weight
    module.train(train)
    return module


def written_program(path, mode, name):
    """Writes the program; returns the module and its inputs."""
    function, parts, args, kwargs, sizes, stateful, train = FORMS[name]
    module = build(name)
    with torch.no_grad():
        program = torch.export.export(copy.deepcopy(module), copy.deepcopy(args), copy.deepcopy(kwargs), strict=mode == "strict",
                                      dynamic_shapes={"args": sizes()} if sizes else None)
    if mode == "core":
        program = program.run_decompositions()
    if mode == "plain":
        program = program.run_decompositions({})
    torch.export.save(program, path + ".pt2")
    return program, module, args, kwargs


def compare(test, folder, mode, name):
    path = os.path.join(folder, "form")
    try:
        program, module, args, kwargs = written_program(path, mode, name)
    except Exception as error:
        return "not exported", " ".join(str(error).split())[:160]
    arrays = {}
    names = iter(range(1000))
    for t in torch.utils._pytree.tree_leaves((args, kwargs)):
        if isinstance(t, torch.Tensor):
            arrays[f"input{next(names)}"] = array(t).copy()
    with torch.no_grad():
        inputs = copy.deepcopy((args, kwargs))
        for run in ("output", "again") if FORMS[name][5] else ("output",):
            for k, t in enumerate(tensors(module(*inputs[0], **inputs[1]))):
                arrays[f"{run}{k}"] = array(t).copy()
    np.savez(path + ".npz", **arrays)
    run = subprocess.run([test, path + ".pt2"], capture_output=True, text=True, timeout=100)
    if run.returncode == 0:
        return "agrees", ""
    lines = [line for line in (run.stdout + run.stderr).split("\n") if "FAILED" not in line and "===" not in line]
    return "wrong", " ".join(" ".join(lines).split())[:400]


def main(modes, test, folder, wanted):
    counts = collections.Counter()
    os.makedirs(folder, exist_ok=True)
    for name in wanted or FORMS:
        for mode in modes or ["exported"]:
            verdict, why = compare(test, folder, mode, name)
            counts[verdict] += 1
            print(name, mode, verdict, why, flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    return counts["wrong"] > 0


if __name__ == "__main__":
    given = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(given) < 2:
        sys.exit(__doc__)
    sys.exit(main([a[2:] for a in sys.argv[1:] if a.startswith("--")], os.path.abspath(given[0]), given[1], given[2:]))
