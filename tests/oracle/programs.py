"""Programs that torch.export writes, with inputs and what PyTorch computes from them.

usage: programs.py make [NAME...]  writes the files in tests/golden/programs, or those
       programs.py models FOLDER [NAME...]
                                   writes larger ones to a folder, of torchvision where it is; test_ATen_programs, given such
                                   files as arguments, compares them

Each program NAME.pt2 has NAME.npz next to it: input0, input1, ..., output0, ... and, of a program with a state, again0,
..., what a second run with the same inputs gives; of Weights int8_0, ..., and bfloat16_0, ..., what rounded ones give. An
output that is None is left out. `make` was run with PyTorch 2.15.
"""

import copy
import os
import sys
import zipfile

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/programs")
DYNAMIC = torch.export.Dim.DYNAMIC


class Tiny(nn.Module):
    """What fuzzing begins with."""

    def forward(self, x):
        return x + 1


class Block(nn.Module):
    def __init__(self, width, stride):
        super().__init__()
        self.a = nn.Conv2d(width, width * stride, 3, stride, 1, bias=False)
        self.b = nn.BatchNorm2d(width * stride)
        self.c = nn.Conv2d(width * stride, width * stride, 3, 1, 1, bias=False)
        self.d = nn.BatchNorm2d(width * stride)
        self.down = nn.Conv2d(width, width * stride, 1, stride) if stride > 1 else nn.Identity()

    def forward(self, x):
        y = F.relu(self.b(self.a(x)), inplace=True)
        y = self.d(self.c(y))
        y += self.down(x)
        return F.relu(y)


class Residual(nn.Module):
    """A small ResNet."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 5, 2, 2), nn.BatchNorm2d(4), nn.ReLU(True), nn.MaxPool2d(3, 2, 1))
        self.blocks = Block(4, 2)
        self.head = nn.Conv2d(8, 5, 1)

    def forward(self, x):
        return self.head(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1)).flatten(1)


class Mobile(nn.Module):
    """An inverted residual of a MobileNetV3, with squeeze and excitation."""

    def __init__(self):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(3, 8, 1), nn.BatchNorm2d(8), nn.Hardswish(True))
        self.depth = nn.Sequential(nn.Conv2d(8, 8, 3, 2, 1, groups=8), nn.BatchNorm2d(8), nn.ReLU6(True))
        self.squeeze = nn.Conv2d(8, 2, 1)
        self.excite = nn.Conv2d(2, 8, 1)
        self.project = nn.Conv2d(8, 4, 1)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        y = self.depth(self.expand(x))
        s = F.hardsigmoid(self.excite(F.silu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))))
        return self.drop(self.project(y * s)).mean([2, 3])


class Encoder(nn.Module):
    """A layer of a transformer on tokens, with a padding mask."""

    def __init__(self, width=8, heads=2, layers=1):
        super().__init__()
        self.tokens = nn.Embedding(11, width)
        self.positions = nn.Parameter(torch.randn(12, width))
        self.heads = heads
        self.layers = nn.ModuleList(
            nn.ModuleDict(dict(norm=nn.LayerNorm(width), qkv=nn.Linear(width, 3 * width), out=nn.Linear(width, width),
                               norm2=nn.LayerNorm(width), up=nn.Linear(width, 2 * width),
                               down=nn.Linear(2 * width, width))) for _ in range(layers))

    def attention(self, q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    def forward(self, tokens, keep):
        n, length = tokens.shape
        x = self.tokens(tokens) + self.positions[:length]
        mask = keep[:, None, None, :].expand(n, 1, length, length)
        for layer in self.layers:
            qkv = layer["qkv"](layer["norm"](x)).view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            q, k, v = qkv.unbind(0)
            y = self.attention(q, k, v, mask).transpose(1, 2).reshape(n, length, -1)
            x = x + layer["out"](y)
            x = x + layer["down"](F.gelu(layer["up"](layer["norm2"](x))))
        return {"last": x, "scores": torch.log_softmax(x @ self.tokens.weight.t(), -1)}


class Plain(Encoder):
    """The same with attention written down."""

    def attention(self, q, k, v, mask):
        scores = (q @ k.transpose(-2, -1)) * (q.shape[-1] ** -0.5)
        return torch.softmax(scores.masked_fill(~mask, -1e9), -1) @ v


class Sizes(nn.Module):
    """Arithmetic with sizes, lists, and results that are numbers or None."""

    def forward(self, x, y, n, scale, words="two", k=2):
        half = x.shape[0] // 2
        pieces = torch.split(x, [half, x.shape[0] - half], 0)
        both = torch.cat([pieces[1], pieces[0]], 0).reshape(-1, x.shape[0])
        a, b = torch.chunk(y, 2, 1)
        filled = torch.full((half + 1, n), 3) + torch.arange(n)
        return [both * k, (a - b, None)], filled, x.shape[0] * n + 1, x[:n] * scale


class Pairs(nn.Module):
    """Two inputs of one size, and an assertion."""

    def forward(self, x, keep):
        count = keep.sum().item()
        torch._check(count >= 0)
        torch._check(count < 100)
        return torch.where(keep, x, torch.zeros_like(x)).cumsum(1) * count


class State(nn.Module):
    """Buffers and an input that change."""

    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(3), persistent=False)
        self.weights = torch.tensor([[1.0, 2.0, 3.0]])

    def forward(self, x, total):
        self.steps.add_(1)
        self.mean.mul_(0.9).add_(0.1 * x.mean(0))
        total.add_(x.sum())
        return (x - self.mean) * self.weights, self.steps * 2


class Nested(nn.Module):
    """Graphs inside of graphs: branches, a loop, and a map."""

    def forward(self, x, count):
        y = torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2 - torch.cond(
            x.max() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)), (x,))
        i, z = torch.while_loop(lambda i, z: i < count, lambda i, z: (i + 1, z * 0.5 + 1), (torch.zeros((), dtype=torch.int64), y))
        from torch._higher_order_ops.map import map as mapped
        m = mapped(lambda row, all: (row * all.mean(0)).cumsum(0), z, y)
        return y, z, i, m


class Regions(nn.Module):
    """Parts with and without gradients, which PyTorch makes graphs of their own."""

    def forward(self, x):
        y = x * 2
        with torch.enable_grad():
            z = y.exp()
        return y + z, z.sum(0)


class Values(nn.Module):
    """Element types, indices, comparisons, items and constants."""

    def __init__(self):
        super().__init__()
        self.table = torch.tensor([3, 1, 2, 0])

    def forward(self, x, index, mask):
        top, where = torch.topk(x, 2, dim=1)
        picked = x[self.table[:3]][:, index]
        chosen = torch.where(mask, x, torch.zeros_like(x)).to(torch.float64)
        number = index.max().item()
        written = x.clone()
        written[0] = 7
        written[:, 1:3] += 1
        return (top, where, picked, chosen.sum(1), number + 1, written, x.gather(1, where), (x > 0) & mask,
                x.to(torch.bfloat16) * 2, x.norm(dim=1), torch.max(x), x.std(0), ~mask, -index, x.argmax(1),
                torch.triu(x @ x.t()), 2 ** x, 1 - x, x.clamp(min=-0.5), torch.stack([x, x]).amax(0), x.pow(2),
                torch.ones_like(index), x.new_zeros(2, 3), index.float().mean())


@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: torch.Tensor, by: float, offsets: list[int]) -> torch.Tensor:
    return x * by + sum(offsets)


@scale.register_fake
def _(x, by, offsets):
    return torch.empty_like(x)


@torch.library.custom_op("mylib::accumulate", mutates_args=("total",))
def accumulate(total: torch.Tensor, x: torch.Tensor, by: float) -> torch.Tensor:
    total.add_(x * by)
    return x + by


class Accumulated(nn.Module):
    """An operation of a library that changes a tensor, parts of one, and a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(2, 3))

    def forward(self, x):
        total = torch.ones(3, 4)
        y = accumulate(total, x[:1, :1], 2.0)
        accumulate(total[1:], x[:, :1], 0.5)
        accumulate(total.t()[1:], y, -1.0)
        accumulate(self.sum, x, 3.0)
        return total * 2, self.sum + y


@accumulate.register_fake
def _(total, x, by):
    return torch.empty_like(x)


class Own(nn.Module):
    """An operation of a library that is not PyTorch."""

    def forward(self, x):
        return scale(x, 2.5, [1, x.shape[0]]) - 1


class Passes(nn.Module):
    """What passes look for, and what only looks like it."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(6)
        self.shared = nn.Conv2d(6, 6, 1)
        self.other = nn.BatchNorm2d(6, affine=False)
        self.line = nn.utils.parametrizations.weight_norm(nn.Conv1d(6, 3, 3))
        self.line_norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.3)

    def forward(self, x, gate, flag):
        y = self.norm(self.conv(x))                             # folded
        y = F.relu(y, inplace=True)
        y = self.drop(y).to(torch.float32).contiguous().contiguous().expand(2, 6, 5, 7)
        z = self.shared(y)                                      # read twice: not folded
        z = self.other(z) + z.detach()
        z = (z * gate[:, None, None] + gate[0]) / 3             # repeated along rows
        g = 0.5 * z * (1 + torch.tanh(0.79 * (z + 0.045 * z.pow(3))))
        unused = torch.exp(g) * 2  # noqa: F841
        rows = g.flatten(2).transpose(1, 2)                     # 2 x 35 x 6, transposed
        rows = F.silu(rows) * gate + F.leaky_relu(rows, 0.1) - F.hardswish(rows)
        line = self.line_norm(self.line(rows.transpose(1, 2)))
        view = line[0]
        line.add_(1)                                            # changes view, which is read
        w = torch.clamp(x * 2, -1, 1)
        w.mul_(3)                                               # nobody can tell
        counts = flag.long() + torch.arange(3).cumsum(0)
        table = self.conv.weight.sum((1, 2, 3)) * 2             # of weights alone
        narrow = (x.double() + 1).relu()
        return (F.softplus(line), view * 1, w.abs().sqrt(), counts.relu() * 2, z.sigmoid() + table[:, None, None],
                narrow, torch.maximum(x, x[:1]).erf(), F.gelu(x) + F.gelu(x, approximate="tanh"), x * 0)


class Windows(nn.Module):
    """Convolutions whose weights are transformed, and others that look like them."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(16, 20, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(20)
        self.second = nn.Conv2d(20, 33, 3, padding=(2, 0))
        self.steps, self.groups = nn.Conv2d(33, 4, 3, 2), nn.Conv2d(20, 4, 3, groups=2)
        self.dilated, self.five = nn.Conv2d(20, 4, 3, dilation=2), nn.Conv2d(20, 4, (1, 3))

    def forward(self, x):
        y = F.relu(self.norm(self.first(x)))                    # folded, and transformed
        z = self.second(y)
        w = self.first(x[:1])                                   # the weight itself, too
        v = self.second(y[:, :, :5, :5])                        # too small
        u = F.conv2d(x, x[:1, :, :3, :3].expand(4, 16, 3, 3))   # no constant
        return z, w, v, u, self.steps(z), self.groups(y), self.dilated(y), self.five(y)


class Activations(nn.Module):
    """Activations behind convolutions, and others that look like them."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 20, 3, padding=1, bias=False), nn.BatchNorm2d(20)
        self.planes, self.steps = nn.Conv2d(20, 20, 3, padding=1, groups=20), nn.Conv2d(20, 20, 5, 2, 2, groups=20)
        self.mixed, self.wide = nn.Conv2d(20, 33, 1), nn.Conv2d(33, 9, 3, dilation=2)
        self.full, self.line = nn.ConvTranspose2d(9, 4, 3), nn.Conv1d(4, 4, 3)

    def forward(self, x):
        y = F.relu(self.norm(self.first(x)))                    # folded
        y = F.hardswish(self.planes(y)) + y
        y = F.relu6(self.steps(y))
        z = self.mixed(y)
        z = F.hardtanh(z, -0.5, 0.7) + z                        # read twice
        w = torch.clamp(self.wide(z), max=0.25)
        v = self.full(torch.clamp_min(self.wide(z * 2), -0.1))
        u = torch.relu_(v)                                      # transposed
        t = F.relu(self.line(u.flatten(2)))                     # of a sequence
        return y, z, w, u, t, F.hardswish(x), torch.clamp(self.mixed(y), x[0, 0, 0, 0], x[0, 0, 0, 1])


class Swaps(nn.Module):
    """One operation under its other names."""

    def forward(self, x):
        return x.swapaxes(0, 2) + 1, x.swapdims(-1, 1) * 2, x.transpose(0, 1).swapaxes(axis0=1, axis1=-1)


class Attend(nn.Module):
    """Attention in products and softmax; the last ones are something else."""

    def forward(self, q, k, v, mask, w):
        scores = q @ k.transpose(-1, -2)
        plain = torch.softmax(q * 0.5 @ k.transpose(2, 3), 3) @ v
        masked = torch.softmax(mask + scores / 8**0.5, -1, dtype=torch.float32) @ v
        flat = torch.bmm(torch.softmax(torch.bmm(w, w.transpose(1, 2)) * 2 + mask[0, 0, :, :5], -1), w)
        shared = torch.softmax(q @ k[:, :1].transpose(-1, -2), -1) @ v
        across = torch.softmax(q @ k.transpose(-1, -2), 2) @ v
        again = torch.softmax(q @ k.transpose(-1, -2) * 2, -1)
        return plain, masked.transpose(1, 2).flatten(2), flat, shared, across, again @ v, again


class Heads(nn.Module):
    """Attention of PyTorch's function and in products, with masks; of the last some has no sizes of attention."""

    def forward(self, q, k, v, keep, bias):
        sdpa = F.scaled_dot_product_attention
        some = keep | (torch.arange(k.shape[2]) == 0)
        scores = q @ k.transpose(-1, -2)
        filled = (scores / 2).masked_fill(~some, -1e9).softmax(-1) @ v
        chosen = F.dropout(torch.where(some, q @ k.mT, torch.tensor(-torch.inf)).softmax(-1), 0.1, False) @ v
        few = k[:, :1], v[:, :1]
        return (sdpa(q, k, v), sdpa(q, k, v, attn_mask=keep), sdpa(q, k, v, attn_mask=bias, scale=0.3), sdpa(q, q, q, is_causal=True),
                filled, chosen, sdpa(q, *few, enable_gqa=True), torch.softmax(q @ few[0].mT, -1) @ v)


class Head(nn.Module):
    """Attention to some of any number of keys."""

    def forward(self, q, k, keep):
        return F.scaled_dot_product_attention(q, k, k, attn_mask=keep)


class Trained(nn.Module):
    """Batch normalization in training, checks of factorizations, and products of three tensors: what decompositions make of them."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x, w):
        s = x.t() @ x + torch.eye(4)
        y = F.batch_norm(x, self.norm.running_mean, self.norm.running_var, self.norm.weight, self.norm.bias, True)
        return y, torch.linalg.inv(s), torch.linalg.cholesky(s), torch.linalg.det(s), F.bilinear(x, y, w), F.rrelu(x), torch.empty_like(x).exponential_() * 0


class Drawn(nn.Module):
    """Weights of attention that are left out at random."""

    def forward(self, q, k, v, keep):
        sdpa = F.scaled_dot_product_attention
        return (sdpa(q, k, v, dropout_p=0.4), sdpa(q, k[:, :1], v[:, :1], keep, 0.3, scale=0.2, enable_gqa=True),
                sdpa(q, q, q, None, 0.5, True), F.dropout(q, 0.5, True), F.dropout2d(q, 0.4, True), F.alpha_dropout(q, 0.3, True),
                F.feature_alpha_dropout(q, 0.3, True), F.dropout(q, 0.2, True))


class Anew(nn.Module):
    """Random numbers that no input has a part in: new ones in each run."""

    def forward(self, x):
        return torch.normal(0.5, 2.0, (64,)).exp(), torch.randn(64).exp(), torch.rand(64) + 1, torch.randint(0, 1000, (64,)), torch.randperm(64)


class Lists(nn.Module):
    """Operations on lists of tensors, an associative scan, and parts that are computed again for gradients."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 3)

    def forward(self, a, b):
        from torch._higher_order_ops.associative_scan import associative_scan
        from torch.utils.checkpoint import checkpoint
        each = torch._foreach_add(torch._foreach_mul([a, b], 2.0), [b, a], alpha=0.5)
        torch._foreach_mul_(each, [2.0, 3.0])
        torch._foreach_sqrt_(torch._foreach_abs(each))
        rows = associative_scan(lambda x, y: x * y, a, 0, combine_mode="pointwise")
        both = associative_scan(lambda x, y: (x[0] * y[0], x[1] + y[1]), (a, b), 1, reverse=True, combine_mode="pointwise")
        return (each, torch._foreach_norm([a, b]), torch._foreach_maximum([a, b], 0.1), rows, both,
                checkpoint(lambda x: self.line(x).relu() * 2, a, use_reentrant=False))


class Kept(nn.Module):
    """A decoder that keeps keys and values in buffers, next to weights that stay what they are."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(8, 3 * 8), nn.Linear(8, 70)
        self.register_buffer("keys", torch.zeros(1, 2, 6, 4), persistent=False)
        self.register_buffer("values", torch.zeros(1, 2, 6, 4), persistent=False)

    def forward(self, x, position):
        q, k, v = self.qkv(x).view(1, -1, 3, 2, 4).permute(2, 0, 3, 1, 4)
        self.keys.index_copy_(2, position, k)
        self.values[:, :, position] = v
        mask = torch.arange(6)[None, :] <= position[:, None]
        y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2)) * self.out.weight.norm(), self.keys.mean()


class Wrapped(nn.Module):
    """Numbers where tensors are expected, complex ones too; views of what has PyTorch's strides."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x):
        y = torch.stft(F.pad(x, (5, 3), mode="reflect"), 16, 4, window=self.window, center=False, return_complex=True)
        z = torch.exp(1j * y.abs()) * y
        return z.real, (z.imag**2).transpose(1, 2) @ torch.ones(9, 2), (x > 9).any(), x.unfold(-1, 4, 3).mean(-1)


class Shifted(nn.Module):
    """Attention in shifted windows, whose masks are added behind a view; masked weights are no normal numbers."""

    def __init__(self):
        super().__init__()
        self.bias, self.scores = nn.Parameter(torch.randn(2, 4, 4)), nn.Parameter(torch.randn(3, 3))
        self.register_buffer("mask", torch.where(torch.rand(3, 4, 4) < 0.4, -100.0, 0.0))

    def forward(self, q, k, v):
        scores = q @ k.transpose(-2, -1) + self.bias
        scores = (scores.view(2, 3, 2, 4, 4) + self.mask.unsqueeze(1).unsqueeze(0)).view(6, 2, 4, 4)
        others = torch.softmax(q[0, 0, :3, :3] @ self.scores - 3, -1)  # not of a product alone
        return torch.softmax(scores, -1) @ v, others, others @ self.scores


class Long(nn.Module):
    """Products of more terms than are added up at a time, and of no rows."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(600, 67)

    def forward(self, x):
        return self.line(x), self.line(x[x[:, 0] > 9])


class Weights(nn.Module):
    """Products with weights: those of few outputs, and with a bias that is computed, stay as they are."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(20, 70), nn.Linear(70, 130, bias=False), nn.Linear(64, 3)
        self.columns, self.shift = nn.Parameter(torch.randn(130, 65) / 11), nn.Parameter(torch.randn(65))
        self.square, self.mirror = nn.Parameter(torch.randn(65, 64) / 8), nn.Parameter(torch.randn(65, 64) / 8)
        self.first.weight.data[5] = 0

    def layers(self, x):
        x = self.second(F.gelu(self.first(x)))
        x = torch.addmm(self.shift, x.flatten(0, 1), self.columns)
        x = torch.addmm(x[:, :64], x.tanh(), self.square)
        return self.last(x), x.relu() @ self.mirror.t()

    def forward(self, few, many):
        return *self.layers(few), *self.layers(many), few[0, 0] @ self.first.weight.t()

    def rounded(self, kind):
        """The same with rounded weights."""
        copy = type(self)()
        copy.load_state_dict(self.state_dict())
        for weight, dim in (copy.first.weight, 1), (copy.second.weight, 1), (copy.columns, 0), (copy.mirror, 1):
            w = weight.data
            scale = w.abs().amax(dim, keepdim=True) / 127
            weight.data = w.bfloat16().float() if kind == "bfloat16" else torch.where(scale > 0, (w / scale).round() * scale, 0)
        return copy


class Scanned(nn.Module):
    """A scan with weights and two results, and one with two states along another dimension, backwards."""

    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 3)

    def forward(self, x, first):
        from torch._higher_order_ops.scan import scan

        def cell(h, row):
            h = torch.tanh(self.line(h) + row)
            return h, {"h": h * 2, "sum": h.sum(-1)}

        last, made = scan(cell, first, x)
        pair, sums = scan(lambda c, row: ((c[0] + row, c[1] * 0.5 + row), c[0] * row), (first[:, 0].clone(), first[:, 1].clone()),
                          x[:, :, 0], dim=0, reverse=True)
        return last, made, pair, sums


class Detected(nn.Module):
    """Boxes that overlap less, and what is in them."""

    def forward(self, x, boxes, scores):
        import torchvision
        ops = torchvision.ops
        rois = torch.cat([torch.zeros(len(boxes), 1), boxes], 1)
        rois[1, 0] = 1
        return (ops.nms(boxes, scores, 0.5), ops.nms(boxes, scores, 0.1), ops.roi_align(x, rois, (3, 2), 0.5, 2, True),
                ops.roi_align(x, rois, 2), ops.roi_pool(x, rois, (2, 3), 0.5))


class Mixed(nn.Module):
    """Regions of autocast, one inside of another, and dropout in training that leaves out nothing."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.LayerNorm(4)
        self.linear = nn.Linear(4, 5)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = F.dropout(self.linear(self.norm(F.relu(self.conv(x)))), 0.0, True)
            w = F.softmax(y, -1)
            joined = torch.cat([x[..., :5], w.mean(1, True).expand(-1, 3, 4, 5)], 2)
            with torch.autocast("cpu", enabled=False):
                z = (w.float() @ w.float().transpose(-1, -2)).exp()
            return z, y @ y.transpose(-1, -2), joined, F.mse_loss(y, w), F.dropout2d(x, 1.0, True)


class Mapped(nn.Module):
    """Functions of slices, along several dimensions and inside of each other."""

    def forward(self, x, y, w):
        inner = torch.vmap(lambda a, b: (a * b).sum() + a.max() * w.mean(), (None, 0))
        a = torch.vmap(inner, (0, None))(x, y)
        b, c = torch.vmap(lambda a: (F.linear(a, w), a.cumsum(0) + w.mean()), 1)(torch.stack([x, x + 1]))
        return a, b, c


class Filtered(nn.Module):
    """The operations of torchaudio that change what they are given, as lfilter and overdrive call them."""

    def __init__(self):
        super().__init__()
        library = torch.library.Library("torchaudio", "FRAGMENT")
        library.define("_lfilter_core_loop(Tensor input_signal_windows, Tensor a_coeff_flipped, Tensor(a!) padded_output_waveform) -> Tensor(a!)")

        def loop(x, a, y):
            for t in range(x.shape[2]):
                y[:, :, t + a.shape[1] - 1] = x[:, :, t] - (y[:, :, t:t + a.shape[1]] * a).sum(-1)
            return y
        library.impl("_lfilter_core_loop", loop, "CPU")
        library.impl("_lfilter_core_loop", lambda x, a, y: y, "Meta")
        library.define("_overdrive_core_loop(Tensor waveform, Tensor temp, Tensor(a!) last_in, Tensor(b!) last_out, "
                       "Tensor(c!) output_waveform) -> (Tensor(a!), Tensor(b!), Tensor(c!))")

        def overdrive(x, t, last, out, y):
            for i in range(x.shape[1]):
                out.copy_(t[:, i] - last + 0.995 * out)
                last.copy_(t[:, i])
                y[:, i] = x[:, i] * 0.5 + out * 0.75
            return last, out, y
        library.impl("_overdrive_core_loop", overdrive, "CPU")
        library.impl("_overdrive_core_loop", lambda x, t, last, out, y: (last, out, y), "Meta")
        self.library = library

    def forward(self, x, a):
        y = x.new_zeros(x.shape[0], x.shape[1], x.shape[2] + a.shape[1] - 1)
        torch.ops.torchaudio._lfilter_core_loop(x, a.flip(1), y)
        last, out, loud = a.new_zeros(3), a.new_ones(3), x.new_zeros(3, 9)
        torch.ops.torchaudio._overdrive_core_loop(x[0, :1].expand(3, 9) * 3, x.flatten(0, 1)[:3], last, out, loud)
        return y[:, :, a.shape[1] - 1:], y.sum(), last, out, loud.clamp(-1, 1)


class Quantized(nn.Module):
    """Numbers that are rounded to few values, as quantized programs of PyTorch have them."""

    def forward(self, x, w):
        import torch.ao.quantization.fx._decomposed  # noqa: F401
        q = torch.ops.quantized_decomposed
        scales, zeros = torch.tensor([0.02, 0.05]), torch.tensor([3, -4])
        a = q.quantize_per_tensor(x, 0.03, 5, -128, 127, torch.int8)
        b = q.quantize_per_tensor(x, 0.01, 100, 0, 255, torch.uint8)
        c = q.quantize_per_channel(w, scales, zeros, 0, -127, 127, torch.int8)
        product = F.linear(q.dequantize_per_tensor(a, 0.03, 5, -128, 127, torch.int8),
                           q.dequantize_per_channel(c, scales, zeros, 0, -127, 127, torch.int8))
        return (a, b, c, product, torch.fake_quantize_per_tensor_affine(x, 0.02, 7, -20, 90),
                torch.fake_quantize_per_channel_affine(x, scales.repeat(3)[:3], torch.tensor([1, 2, -3], dtype=torch.int32), 1, -50, 60))


class Affine(nn.Module):
    """Quantization in blocks, of torchao."""

    def forward(self, x, w):
        import torchao.quantization.quant_primitives  # noqa: F401
        q, outputs = torch.ops.torchao, []
        for kind, block, least in ("ASYMMETRIC", [1, 6], -128), ("SYMMETRIC", [2, 3], -127), ("SYMMETRIC_NO_CLIPPING_ERR", [4, 2], -8):
            most = 127 if least < -8 else 7
            scale, zero = q.choose_qparams_affine(x, kind, block, torch.int8, least, most, None, None, torch.int32, least == -127)
            a = q.quantize_affine(x, block, scale, zero, torch.int8, least, most)
            outputs += [scale, zero, a, q.dequantize_affine(a, block, scale, zero, torch.int8, least, most)]
        scale, zero = q.choose_qparams_affine(w, "ASYMMETRIC", [3, 2], torch.uint8, 0, 15, 1e-3, torch.float64)
        a = q.quantize_affine(w, [3, 2], scale, zero, torch.uint8)
        return outputs + [scale, zero, a, q.dequantize_affine(a, [3, 2], scale, None, torch.uint8, output_dtype=torch.bfloat16)]


class Packed(nn.Module):
    """Weights that are objects of torchao, of several tensors each."""

    def __init__(self):
        super().__init__()
        from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, IntxWeightOnlyConfig, quantize_
        from torchao.quantization.granularity import PerAxis
        self.first, self.second, self.third = nn.Linear(32, 8), nn.Linear(8, 6), nn.Linear(6, 4)
        quantize_(self.first, Int8WeightOnlyConfig(), filter_fn=None)
        quantize_(self.second, IntxWeightOnlyConfig(granularity=PerAxis(0)), filter_fn=None)
        quantize_(self.third, Int8DynamicActivationInt8WeightConfig(), filter_fn=None)

    def forward(self, x):
        y = self.first(x).relu()
        return y, self.second(y), self.third(self.second(y))


class Narrow(nn.Module):
    """Floats of 8 bits, as weights and in between."""

    def __init__(self):
        super().__init__()
        self.register_buffer("fine", torch.randn(4, 6).to(torch.float8_e4m3fn))
        self.register_buffer("wide", torch.randn(6, 4).to(torch.float8_e5m2).t())

    def forward(self, x):
        made = [x.to(getattr(torch, "float8_" + kind)).float() for kind in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz")]
        return made + [self.fine.float() * 0.5, self.wide.to(torch.bfloat16), F.linear(x, self.fine.t().float())]


class Sparse(nn.Module):
    """Sparse tensors of indices and values, some of them twice, and with values that are rows."""

    def forward(self, at, values, x):
        rows = values[:, None] * x[0]
        sparse = torch.sparse_coo_tensor(at, values, (5, 4))
        return torch.sparse.mm(sparse, x), sparse.coalesce().to_dense(), torch.sparse_coo_tensor(at[:1], rows, (5, 2), dtype=torch.float64).to_dense()


class Scaled(nn.Module):
    """Products of floats of 8 bits, with scales of the whole, and of rows and columns."""

    def forward(self, x, w, scales):
        rows, columns, bias = scales[:, None], scales[None], scales.bfloat16()
        a, b = x.to(torch.float8_e4m3fn), w.to(torch.float8_e4m3fn).t()
        two, half = torch.tensor(2.0), torch.tensor(0.375)
        return (torch._scaled_mm(a, b, two, half, out_dtype=torch.float32), torch._scaled_mm(a, b, two, half, bias, out_dtype=torch.bfloat16),
                torch._scaled_mm(a, b, rows, columns, out_dtype=torch.bfloat16))


class PackedNarrow(nn.Module):
    """Weights that are objects of torchao, of floats of 8 bits and scales."""

    def __init__(self):
        super().__init__()
        from torchao.quantization import Float8WeightOnlyConfig, quantize_
        self.first, self.second = nn.Linear(32, 8), nn.Linear(8, 6)
        quantize_(self.first, Float8WeightOnlyConfig(), filter_fn=None)
        quantize_(self.second, Float8WeightOnlyConfig(weight_dtype=torch.float8_e5m2), filter_fn=None)

    def forward(self, x):
        y = self.first(x).relu()
        return y, self.second(y)


class Bits(nn.Module):
    """Elements as others of the same bytes."""

    def forward(self, x, n):
        return (x.view(torch.int32) >> 23, x.t().view(torch.int32), x.view(torch.int16), x.view(torch.uint8)[..., ::2].clone(),
                n.view(torch.int64), n.view(torch.complex64).real)


class Deformed(nn.Module):
    """Convolutions whose taps are moved, with and without a mask."""

    def forward(self, x, offsets, mask, filters, grouped, bias):
        from torchvision.ops import deform_conv2d
        return (deform_conv2d(x, offsets, filters, padding=1, mask=mask),
                deform_conv2d(x, offsets.repeat(1, 2, 1, 1)[..., ::2, ::2].contiguous(), grouped, bias, stride=(2, 2), padding=(2, 2), dilation=2))


class Forms(nn.Module):
    """Windows, indices of what is true, scatter with a reduction, sampling, integers; a text among the results."""

    def forward(self, x, index, theta):
        windows = [torch.hann_window(6), torch.hann_window(5, False), torch.hamming_window(6, True, 0.6), torch.blackman_window(5),
                   torch.bartlett_window(6, periodic=False), torch.kaiser_window(6, True, 3.5, dtype=torch.float64)]
        rows, columns = torch.where(x > 0.3)
        ones = torch.randint(1, 2, (2, 3)) + torch.randint(1, (2, 3), dtype=torch.int32)
        image = x.reshape(1, 2, 2, 3).repeat(2, 1, 1, 1)
        grid = F.affine_grid(theta, [2, 2, 3, 2], align_corners=False)
        sampled = F.grid_sample(image, grid, align_corners=False), F.grid_sample(
            image[:, :, None], torch.cat([grid, grid[..., :1]], -1)[:, None], mode="nearest", padding_mode="border", align_corners=True)
        bytes = (x * 9).to(torch.int8).repeat(6, 4)[:17, :16]
        return (windows, rows, columns, ones, sampled, "text", torch._int_mm(bytes, bytes[:16, :8]), +x, x.scatter(1, index, x * 2, reduce="add"),
                x.scatter(0, index, 1.5, reduce="multiply"))


class Frozen(nn.Module):
    """The operations that layers of transformers are exported as when nothing wants a gradient."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 12, batch_first=True)
        self.first = nn.TransformerEncoderLayer(8, 4, 12, batch_first=True, norm_first=True, activation="gelu")

    def forward(self, x, pad, later):
        def encoded(b, heads, x, mask, kind):
            a = b.self_attn
            return torch.ops.aten._transformer_encoder_layer_fwd(
                x, 8, heads, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight, a.out_proj.bias, b is self.first, b is self.first, 1e-5, b.norm1.weight, b.norm1.bias,
                b.norm2.weight, b.norm2.bias, b.linear1.weight, b.linear1.bias, b.linear2.weight, b.linear2.bias, mask, kind)

        def attended(mask, kind, *weights):
            a = self.layer.self_attn
            return torch.ops.aten._native_multi_head_attention(x, x, x, 8, 2, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight, a.out_proj.bias, mask, *weights, mask_type=kind)
        return (encoded(self.layer, 2, x, None, None), encoded(self.layer, 2, x, pad, 1), encoded(self.first, 4, x, later, 0), attended(pad, 1, True, False),
                attended(later, 0, False)[0], attended(later.expand(2, 2, 5, 5), 2))


class Overloads(nn.Module):
    """Operations under seldom overloads: numbers in place of tensors, complex factors, random numbers that leave no choice."""

    def forward(self, x, order, z, w):
        ties = torch.argsort(order, dim=-1, stable=True), torch.argsort(order, dim=0, descending=True, stable=True)
        turned = x.clone()
        turned.t_().mul_(2)
        return (ties, torch.isin(order, 2), torch.isin(1, order), torch.special.softmax(x, 1), torch.special.log_softmax(x, 0, dtype=torch.float64),
                torch.bucketize(0.3, x[0].sort()[0]), torch.searchsorted(x[0].sort()[0], 0.1), torch.slogdet(x[:3, :3]), z.abs() ** 2j, z ** (1 - 0.5j),
                torch.einsum("bix,iox->box", z, w), F.linear(z, w[:, 0]), torch.tensordot(z, w, 2), torch.randint_like(x, 3, 4), torch.randint_like(order, 1),
                torch.normal(1.5, 0.0, (2,)), torch.full((2, 2), 1 - 1j), torch.full_like(z, 2j), torch.scalar_tensor(1 - 2j, dtype=torch.complex64), z.masked_fill(z.abs() < 1, 0), turned, torch.where(x > 0, x, 2))


class BoolOperands(nn.Module):
    """Bools of Python as operands: with tensors of bools they give bools. Singular values of batches, by the old name."""

    def forward(self, x, count, z):
        yes, counts = x > 0, count * True
        u, s, v = torch.svd(x.reshape(2, 3, 4))
        p, q, r = torch.svd(z, some=False)
        return (yes ^ True, yes | True, yes & False, yes + True, yes * True, yes == True, torch.where(yes, True, False), torch.where(yes, x > 1, True),
                counts, count + True, x + True, torch.where(yes, x, True), count ** True, yes.masked_fill(x > 1, False), u @ torch.diag_embed(s) @ v.mT,
                s, torch.svd(z, compute_uv=False)[0].abs(), q, torch.view_as_real(p[..., :2] * q[..., None, :] @ r[..., :2].mH))


class Written(nn.Module):
    """Operations that write to an operand, of which here are functions alone: parts, buffers, and results that are given."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sums", torch.zeros(3, 4))
        self.register_buffer("sorted", torch.zeros(3, 4))

    def forward(self, x, k, b):
        y, n, flags, sums = x.clone(), k.clone(), b.clone(), torch.empty(3, 4)
        y[1:].round_(decimals=1)
        y.t()[0].heaviside_(x[0, 0])
        n.gcd_(k + 4)
        n[0].lcm_(k[1])
        flags += b[0]
        swapped = x.clone().swapaxes_(0, 1)
        y[:2].scatter_(0, k[:1] % 2, 2.5, reduce="multiply")
        torch.cumsum(x, 0, out=self.sums)
        torch.add(y, x, alpha=2, out=sums)
        z = torch.view_as_complex(torch.stack([x, y], -1))
        z.addcmul_(z, z, value=0.5j)
        rows, where = torch.zeros(2, 3, 4), torch.empty(0, dtype=torch.long)
        torch.max(x, 1, out=(rows[1, :, 2], where))
        torch.sort(x, stable=True, dim=1, out=(self.sorted, torch.empty(3, 4, dtype=torch.long)))
        q, r = torch.linalg.qr(x, out=(torch.empty(3, 3), torch.empty(0)))
        rank, ends = torch.ones((), dtype=torch.long), torch.zeros(3)
        torch.linalg.matrix_rank(x, atol=1e-3, rtol=1e-3, out=rank)
        torch.linspace(x[0, 0], x[0, 1], 3, out=ends)
        mantissas, exponents = torch.frexp(x, out=(torch.empty(3, 4), torch.empty(3, 4, dtype=torch.int32)))
        return (y, n, flags, swapped, sums, self.sums * 2, torch.view_as_real(z), rows, where, self.sorted * 2, q @ r, mantissas,
                exponents, rank, ends)


class Along(nn.Module):
    """Derivatives along directions, one inside of another, and by the functions beneath."""

    def forward(self, x, v, w):
        def layer(a):
            return F.layer_norm(F.linear(a, w).relu() + a.sin(), (4,))

        def pair(a, b):
            return (a @ b.mT).softmax(-1), b.cumsum(1)
        y, along = torch.func.jvp(layer, (x,), (v,))
        second = torch.func.jvp(lambda a: torch.func.jvp(lambda b: b.sin() * b.exp(), (a,), (v,))[1], (x,), (v,))
        with torch.autograd.forward_ad.dual_level():
            both = torch.autograd.forward_ad.unpack_dual(torch.autograd.forward_ad.make_dual(x, y).pow(3))
        return y, along, torch.func.jvp(pair, (x, y), (v, along)), second, both.primal, both.tangent


class Layouts(nn.Module):
    """Layouts, which are hints, and storages of another size."""

    def forward(self, x, y):
        sparse = x.relu().to_sparse()
        return (sparse.to_dense(), x.to_sparse(1).to_dense(), torch.sparse.mm(sparse, y), torch.ops.aten.resize(x, [2, 5]), torch.ops.aten.resize_as(y, x[:2, 1:]),
                x.clone().resize_(2, 3) * 2)


class ComplexNumbers(nn.Module):
    """Complex numbers as arguments: factors, values to fill with, ends of ranges."""

    def forward(self, x, k):
        z = torch.view_as_complex(x)
        row, end = z[0], z[0, 0]
        made = [torch.add(z, z, alpha=2j), torch.sub(z, z.conj(), alpha=1 + 1j), torch.rsub(z, z.abs(), alpha=0.5j),
                torch.addmm(z, z, z, beta=1j, alpha=2), torch.addmm(row, z, z, beta=0j, alpha=1 - 1j),
                torch.addmv(row, z, row, beta=2j, alpha=3), torch.addr(z, row, row, alpha=1j),
                torch.addbmm(z, z[None], z[None], alpha=2 + 1j), torch.baddbmm(z[None], z[None], z[None], beta=0.5j),
                torch.addcmul(z, z, z, value=2j), torch.addcdiv(z, z, z, value=0.5j), torch.index_add(z, 0, k[:, 0], z, alpha=2j),
                torch.constant_pad_nd(z, [1, 0, 0, 2], 2 - 3j), torch.scatter(z, 0, k, 1j), torch.scatter(z, 0, k, 2j, reduce="add"),
                torch.lerp(z, z.conj(), 0.5j), torch.lerp(z, z.conj(), z), torch.linspace(end, 1j, 4, dtype=torch.complex64),
                torch.logspace(end, 2, 3, base=2, dtype=torch.complex64), torch.stft(row.repeat(5), 6, center=False, onesided=False, return_complex=True)]
        return [torch.view_as_real(t) for t in made]


class Grouped(nn.Module):
    """Attention to keys with more dimensions than queries have, shared by heads, and grids without points."""

    def forward(self, q, k, image):
        attend = F.scaled_dot_product_attention
        one = attend(q, k.repeat_interleave(2, 1), k.repeat_interleave(2, 1), is_causal=True, enable_gqa=True)
        grid = image.new_zeros(2, 1, 0, 2)
        return one, attend(q, k, k[0], enable_gqa=True), F.grid_sample(image, grid, align_corners=True), F.grid_sample(image, grid, align_corners=False)


class Histograms(nn.Module):
    """Counts of points, in intervals that are given, or of which there are numbers."""

    def forward(self, x, a, b):
        return (torch.histogramdd(x, [3, 2]), torch.histogramdd(x, 4), torch.histogramdd(x, [a, b]),
                torch.histogramdd(x, [3, 2], range=[-1.0, 1.0, -2.0, 2.0], weight=x[:, 0].abs(), density=True))


class Factored(nn.Module):
    """Complex matrices, rows that are scaled, statistics that a batch changes."""

    def forward(self, z, table, order, mean, var):
        a, linalg = z @ z.mH + torch.eye(3), torch.linalg
        weight, bias, mean, var = var + 0.5, mean + 0.25, mean.clone(), var.clone()
        normal = torch.ops.aten._batch_norm_with_update(table, weight, bias, mean, var, 0.1, 1e-5)
        rows = F.embedding(order, table.clone(), max_norm=1.0)
        return (linalg.det(z), linalg.slogdet(z), linalg.cholesky(a), linalg.eigvalsh(a), linalg.inv(z), linalg.solve(z, a), linalg.svdvals(z),
                linalg.matrix_exp(z / 4), linalg.pinv(z), linalg.pinv(table[:4], hermitian=True), linalg.pinv(z, hermitian=True), linalg.lu_factor(z)[0], linalg.matrix_power(z, 3), linalg.qr(z)[1], rows, normal[0], mean, var)


class Seldom(nn.Module):
    """Regions with channels for each cell, diagonals, bytes of images."""

    def forward(self, x, y, images, boxes, bytes):
        import torchvision
        ops = torchvision.ops
        z = y.clone().fill_diagonal_(2.0)
        rows, columns = torch.ops.aten.nonzero_numpy(x > 0)
        return (x.clone().fill_diagonal_(1.5, wrap=True), z, rows * 3 + columns, torch.chain_matmul(x, y[:3], z), torch.special.spherical_bessel_j0(x),
                ops.ps_roi_align(images, boxes, 2, 0.5), ops.ps_roi_align(images, boxes, (2, 1), 1.0, 2), torch.ops.torchvision.ps_roi_pool(images, boxes, 1.0, 2, 2),
                F.interpolate(bytes, (4, 5), mode="bilinear", antialias=True), F.interpolate(bytes, (12, 5), mode="bicubic"))


class Single(nn.Module):
    """Exported with several rows, and run with one."""

    def forward(self, x):
        n = x.shape[0]
        return x.mean(0), x @ x.t() / n, torch.cat([x, x.new_ones(n, 2)], 1), x.reshape(n * 2, -1), torch.arange(n), F.pad(x, (0, n % 2))


class Composed(nn.Module):
    """Operations that are forms or compositions of others."""

    def forward(self, x, z, k, classes, bytes, scales, where):
        A = torch.ops.aten
        q = x.reshape(1, 2, 2, 6)
        bag = torch.tensor([0, 1, 1, 3]), torch.tensor([0, 2])
        atol, rtol = torch.tensor(0.5, dtype=torch.float64), torch.tensor(0.1, dtype=torch.float64)
        square = x[:, :4] @ x[:, :4].t()
        return (nn.utils.rnn.pad_sequence([x, x[:2], x[:1]]), nn.utils.rnn.pad_sequence([x, x[:2]], True, 2.0, padding_side="left"),
                A._weight_int8pack_mm(x, bytes, scales), torch.norm(x, "fro"), torch.norm(x, "nuc"), A.frobenius_norm(x, [1], True),
                A.nuclear_norm(x, [0, 1], True), A._stack([x, x], 1), A._dim_arange(x, 1), A._cast_Int(x), A._cast_Half(x),
                A._masked_softmax(x, x > 1, 1), A._masked_softmax(square.reshape(1, 1, 4, 4), torch.tensor([[True] + [False] * 3]), 3, 1), z.H + 1, A._conj_copy(z) + 1,
                A.view_as_real_copy(z), A.view_as_complex_copy(x.reshape(4, 3, 2)), torch.special.polygamma(2, x.abs() + 1),
                torch.special.round(x), torch.special.round(x, decimals=2), A.split_copy(x, 4, 1), A._neg_view_copy(x), A._euclidean_dist(x, x + 1),
                A._convolution(x.reshape(1, 2, 3, 4), x.reshape(3, 2, 2, 2), None, [1, 1], [0, 1], [1, 1], False, [0, 0], 1, False, False, False, False),
                A._aminmax(x), A._aminmax.dim(x, 1), A._logcumsumexp(x, 1), A._fake_quantize_learnable_per_tensor_affine(x, scales[:1], x[0, :1] * 9, 0, 255),
                A._fake_quantize_learnable_per_channel_affine(x, scales[:4], x[:, 0], 0, -4, 5), torch.norm_except_dim(x, 2, 0),
                torch.norm_except_dim(x, 1, 1), torch.norm_except_dim(x, 2, -1), torch.atleast_1d([x, x[0, 0]]), torch.atleast_3d([x, x[0]]),
                torch.tensor_split(x, where, 1), torch.linspace(x[0, 0], x[0, 1], 5), torch.logspace(1, x[0, 1], 4, base=2.0),
                torch.linalg.matrix_rank(square, atol=0.5), torch.linalg.matrix_rank(square, atol=atol, rtol=rtol, hermitian=True),
                torch.linalg.pinv(x, rtol=rtol), torch.linalg.pinv(x, atol=atol), torch.gradient(x, spacing=2.0), torch.gradient(x, dim=1, spacing=0.5),
                F.multi_margin_loss(x, k, reduction="none"), F.multi_margin_loss(x, k, p=2, margin=0.5, weight=scales[:6], reduction="sum"),
                F.multilabel_margin_loss(x, classes, reduction="none"), F.embedding_bag(bag[0], x, bag[1], mode="mean", padding_idx=-1),
                F.embedding_bag(bag[0], x, bag[1], mode="max", padding_idx=-3), x[0, 0].nonzero(as_tuple=True), A._lu_with_info(square)[0],
                A._scaled_dot_product_attention_math(q, q, q)[0], A._scaled_dot_product_attention_math(q, q, q, None, 0.0, True, scale=0.5)[0])


class Stepped(nn.Module):
    """Nodes that only steps of training have."""

    def forward(self, q, k, v, x, w, table, order, offsets):
        A = torch.ops.aten
        attention, backward = A._scaled_dot_product_flash_attention_for_cpu, A._scaled_dot_product_flash_attention_for_cpu_backward
        y, sums = attention(q, k, v, 0.0, True)
        z, others = attention(q, k, v, attn_mask=q @ k.transpose(2, 3), scale=0.3)
        bag = A._embedding_bag(table, order, offsets, False, 1)
        back = A._embedding_bag_backward(x[:2, :3], order, offsets, bag[1], bag[2], bag[3], 7, False, 1, False, None)
        return (backward(y * 2, q, k, v, y, sums, 0.0, True), backward(z * 2, q, k, v, z, others, 0.0, False, attn_mask=q @ k.transpose(2, 3), scale=0.3),
                back, A._addmm_activation(w, x, w, beta=0.5, alpha=2), A._addmm_activation(w, x, w, use_gelu=True), A.zero(x),
                A.slice_backward(x, [4, 9], 1, 1, 9, 2), A.select_backward(x, [4, 3, 4], 1, 2))


class Loss(nn.Module):
    """A step of training: with its gradients (write_step)."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.LayerNorm(16), nn.Linear(16, 5))
        self.layers.get_submodule("0").bias = None  # its gradient is 0

    def forward(self, x, classes):
        return F.cross_entropy(self.layers(x), classes)


def write_step(folder, name, module, inputs):
    """Exports a loss with the gradients of all parameters, and saves what PyTorch computes."""
    from torch.export.experimental import _export_forward_backward
    program = _export_forward_backward(torch.export.export(copy.deepcopy(module), inputs))
    program._example_inputs = None
    for graph in [g.graph for g in program.graph_module.modules() if hasattr(g, "graph")]:
        for node in graph.nodes:
            for key in ("stack_trace", "nn_module_stack", "source_fn_stack", "torch_fn", "from_node"):
                node.meta.pop(key, None)
    torch.export.save(program, os.path.join(folder, name + ".pt2"))
    loss = module(*inputs)
    loss.backward()
    arrays = {f"input{i}": array(t) for i, t in enumerate(inputs)}
    arrays |= {f"output{i}": array(t) for i, t in enumerate([loss, *(p.grad for p in module.parameters())])}
    np.savez(os.path.join(folder, name + ".npz"), **arrays)


def programs():
    """Name, function, inputs, sizes that vary, whether it is decomposed, whether it has a state."""
    image = torch.randn(2, 3, 17, 17)
    tokens = torch.randint(0, 11, (2, 7))
    keep = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
    pair = {"x": {0: DYNAMIC, 1: DYNAMIC}, "keep": {0: DYNAMIC, 1: DYNAMIC}}
    two = {"tokens": {0: DYNAMIC, 1: DYNAMIC}, "keep": {0: DYNAMIC, 1: DYNAMIC}}
    batch = {"x": {0: torch.export.Dim("batch", min=1, max=64)}}
    yield "tiny", Tiny(), (torch.randn(2, 3),), None, False, False
    yield "residual", Residual(), (image,), batch, False, False
    yield "residual_core", Residual(), (image,), None, True, False
    yield "mobile", Mobile(), (image,), batch, False, False
    yield "encoder", Encoder(), (tokens, keep), two, False, False
    yield "encoder_plain", Plain(), (tokens, keep), two, False, False
    yield "encoder_core", Plain(), (tokens, keep), None, True, False
    free = {"x": {0: DYNAMIC}, "y": None, "n": DYNAMIC, "scale": None, "words": None, "k": None}
    yield "sizes", Sizes(), (torch.randn(7, 2), torch.randn(3, 4), 3, 2.5, "two", 4), free, False, False
    yield "pairs", Pairs(), (tokens, keep), pair, False, False
    yield "state", State(), (torch.randn(4, 3), torch.zeros(2)), None, False, True
    yield "state_core", State(), (torch.randn(4, 3), torch.zeros(2)), None, True, True
    yield "nested", Nested(), (torch.randn(3, 4) - 1, torch.tensor(3)), None, False, False
    yield "own", Own(), (torch.randn(2, 3),), {"x": {0: DYNAMIC}}, False, False
    yield "accumulated", Accumulated(), (torch.randn(2, 3),), None, False, True
    yield "accumulated_core", Accumulated(), (torch.randn(2, 3),), None, True, True
    yield "regions", Regions(), (torch.randn(2, 3),), None, False, False
    yield "values", Values(), (torch.randn(4, 5), torch.tensor([2, 0, -1]), torch.rand(4, 5) > 0.4), None, False, False
    given = torch.randn(2, 4, 5, 7), torch.randn(6), torch.tensor([True, False, True])
    yield "passes", Passes(), given, None, False, False
    yield "passes_core", Passes(), given, None, True, False
    yield "swaps", Swaps(), (torch.randn(2, 3, 4),), None, False, False
    heads = [torch.randn(2, 3, n, 8) for n in (5, 7, 7)]
    attend = (*heads, torch.randn(1, 1, 5, 7), torch.randn(2, 5, 4))
    attend[3][..., 5:] = -1e30
    yield "attend", Attend(), attend, None, False, False
    heads = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 7, 8), torch.randn(2, 3, 7, 8)
    auto = torch.export.Dim.AUTO
    masks = torch.rand(2, 1, 5, 7) < 0.6, torch.randn(1, 3, 5, 7)
    masks[0][0, 0, 3] = False
    lengths = {"q": {0: auto, 2: auto}, "k": {0: auto, 2: auto}, "keep": {0: auto, 2: auto, 3: auto}}
    yield "heads", Heads(), (*heads, *masks), None, False, False
    yield "heads_core", Heads(), (*heads, *masks), None, True, False
    yield "head_core", Head(), (*heads[:2], masks[0]), lengths, True, False
    yield "trained_core", Trained(), (torch.randn(5, 4), torch.randn(2, 4, 4)), None, True, True
    yield "drawn", Drawn(), (*heads, masks[0]), None, False, False
    yield "anew", Anew(), (torch.randn(2),), None, False, False
    composed = (torch.randn(4, 6), torch.complex(torch.randn(3, 4), torch.randn(3, 4)), torch.randint(0, 6, (4,)),
                torch.tensor([[1, 3, -1, 0, 0, 0]] * 2 + [[0, 5, 2, -1, 1, 1]] * 2), torch.randint(-99, 99, (16, 6), dtype=torch.int8), torch.rand(16) + 0.1,
                torch.tensor([1, 4]))
    yield "single", Single(), (torch.randn(3, 4),), {"x": {0: DYNAMIC}}, False, False
    yield "composed", Composed(), composed, None, False, False
    yield "composed_core", Composed(), composed, None, True, False
    yield "lists", Lists(), (torch.randn(4, 3), torch.randn(4, 3)), None, False, False
    yield "kept", Kept(), (torch.randn(1, 2, 8), torch.tensor([3, 1])), None, False, True
    yield "kept_core", Kept(), (torch.randn(1, 2, 8), torch.tensor([3, 1])), None, True, True
    yield "wrapped", Wrapped(), (torch.randn(2, 40),), None, False, False
    yield "wrapped_core", Wrapped(), (torch.randn(2, 40),), None, True, False
    rows = torch.randn(2, 3, 20), torch.randn(9, 3, 20)
    yield "weights", Weights(), rows, None, False, False
    yield "weights_core", Weights(), rows, None, True, False
    shifted = torch.randn(3, 6, 2, 4, 5)
    yield "shifted", Shifted(), (*shifted,), None, False, False
    yield "long", Long(), (torch.randn(13, 600),), None, False, False
    yield "scanned", Scanned(), (torch.randn(4, 2, 3), torch.randn(2, 3)), None, False, False
    boxes = torch.tensor([[0, 0, 8, 9], [1, 1, 8, 9.5], [10, 9, 17, 18], [9, 10, 17, 17], [2, 12, 3, 12.5]])
    detected = torch.randn(2, 3, 10, 9), boxes, torch.tensor([0.4, 0.9, 0.3, 0.6, 0.1])
    yield "detected", Detected(), detected, None, False, False
    yield "bits", Bits(), (torch.randn(3, 4), torch.randint(0, 2 ** 30, (3, 4), dtype=torch.int32)), None, False, False
    deformed = (torch.randn(2, 4, 6, 6), torch.randn(2, 18, 6, 6), torch.rand(2, 9, 6, 6), torch.randn(5, 4, 3, 3),
                torch.randn(6, 2, 3, 3), torch.randn(6))
    yield "deformed", Deformed(), deformed, None, False, False
    coefficients = torch.tensor([[1, 0.5, -0.25], [1, -0.3, 0.1]])
    yield "filtered", Filtered(), (torch.randn(2, 2, 9), coefficients), None, False, False
    yield "mixed", Mixed(), (torch.randn(2, 3, 6, 6),), None, False, False
    yield "mapped", Mapped(), (torch.randn(4, 5), torch.randn(3, 5), torch.randn(2, 5)), None, False, False
    yield "quantized", Quantized(), (torch.randn(4, 3), torch.randn(2, 3)), None, False, False
    yield "quantized_core", Quantized(), (torch.randn(4, 3), torch.randn(2, 3)), None, True, False
    yield "forms", Forms(), (torch.randn(3, 4), torch.tensor([[0, 2, 2, 1], [1, 0, 1, 2]]), torch.randn(2, 2, 3) / 2), None, False, False
    pad, later = torch.tensor([[False] * 5, [False] * 3 + [True] * 2]), torch.ones(5, 5).triu(1).bool()
    yield "frozen", Frozen(), (torch.randn(2, 5, 8), pad, later), None, False, False
    waves = torch.randn(2, 3, 4, dtype=torch.complex64), torch.randn(3, 4, 4, dtype=torch.complex64)
    overloads = torch.randn(3, 4), torch.tensor([[2, 1, 2, 1, 1], [0, 3, 0, 3, 2]]), *waves
    yield "overloads", Overloads(), overloads, None, False, False
    yield "overloads_core", Overloads(), overloads, None, True, False
    factored = (torch.randn(3, 3, dtype=torch.complex64) + torch.eye(3), torch.randn(5, 4), torch.tensor([0, 3, 3]), torch.zeros(4), torch.ones(4))
    for name in "factored", "factored_core":
        yield name, Factored(), factored, None, name == "factored_core", False
    boxes = torch.tensor([[0.0, 0, 0, 5, 5], [0, 2, 1, 4, 9]])
    yield "seldom", Seldom(), (torch.randn(7, 3), torch.randn(4, 4), torch.randn(1, 8, 6, 6), boxes, torch.randint(0, 256, (1, 3, 9, 7), dtype=torch.uint8)), None, False, False
    stepped = (*(torch.randn(2, 3, 4, 4) for _ in range(3)), torch.randn(4, 4), torch.randn(4, 4), torch.randn(7, 3), torch.tensor([1, 5, 5, 2, 0]),
               torch.tensor([0, 3]))
    yield "stepped", Stepped(), stepped, None, False, False
    windows = torch.randn(2, 16, 12, 13),
    yield "windows", Windows(), windows, None, False, False
    yield "windows_core", Windows(), windows, None, True, False
    yield "bool_operands", BoolOperands(), (torch.randn(6, 4), torch.randint(-3, 4, (5,), dtype=torch.int32), torch.randn(2, 3, 2, dtype=torch.complex64)), None, False, False
    yield "written", Written(), (torch.randn(3, 4), torch.randint(1, 9, (3, 4)), torch.rand(3, 4) > 0.5), None, False, True
    yield "complex_numbers", ComplexNumbers(), (torch.randn(3, 3, 2), torch.tensor([[0, 1, 2], [2, 0, 1], [1, 1, 0]])), None, False, False
    yield "histograms", Histograms(), (torch.randn(20, 2), torch.tensor([-1.0, 0, 1]), torch.tensor([-2.0, 0, 1, 3])), None, False, False
    yield "grouped", Grouped(), (torch.randn(4, 3, 8), torch.randn(2, 2, 5, 8), torch.randn(2, 2, 6, 7)), None, False, False
    yield "affine", Affine(), (torch.randn(4, 6), torch.randn(3, 4)), None, False, False
    yield "packed", Packed(), (torch.randn(3, 32),), None, False, False
    sparse = torch.tensor([[0, 4, 2, 4, 1], [1, 3, 0, 3, 2]]), torch.randn(5), torch.randn(4, 2)
    yield "sparse", Sparse(), sparse, None, False, False
    yield "sparse_core", Sparse(), sparse, None, True, False
    yield "scaled", Scaled(), (torch.randn(16, 32), torch.randn(16, 32), torch.rand(16)), None, False, False
    yield "packed_narrow", PackedNarrow(), (torch.randn(3, 32),), None, False, False
    yield "narrow", Narrow(), (torch.randn(5, 4) * torch.tensor([1, 9, 60, 1e-3]),), None, False, False
    yield "narrow_core", Narrow(), (torch.randn(5, 4) * torch.tensor([1, 9, 60, 1e-3]),), None, True, False
    along = torch.randn(3, 4), torch.randn(3, 4), torch.randn(4, 4)
    yield "along", Along(), along, None, False, False
    yield "layouts", Layouts(), (torch.randn(3, 4), torch.randn(4, 2)), None, False, False
    yield "layouts_core", Layouts(), (torch.randn(3, 4), torch.randn(4, 2)), None, True, False
    pictures = torch.randn(2, 3, 17, 13),
    yield "activations", Activations(), pictures, None, False, False
    yield "activations_core", Activations(), pictures, None, True, False


def tensors(values):
    """Flattened: tensors, and numbers as tensors; None is left out."""
    flat = torch.utils._pytree.tree_leaves(values)
    return [v if isinstance(v, torch.Tensor) else torch.tensor(v, dtype=torch.float64 if isinstance(v, float) else None)
            for v in flat if v is not None and not isinstance(v, str)]


def array(t):
    t = t.detach()
    return (t.float() if t.dtype == torch.bfloat16 else t.resolve_conj().resolve_neg()).numpy()


def write(folder, name, module, inputs, sizes, decomposed):
    """Exports the module, and saves the program and what it computes."""
    module = module.eval()
    for m in module.modules():  # as if it had been trained
        if isinstance(m, nn.modules.batchnorm._BatchNorm):
            m.running_mean.uniform_(-0.5, 0.5)
            m.running_var.uniform_(0.5, 2)
    with torch.no_grad():
        program = torch.export.export(module, inputs, dynamic_shapes=sizes)
    if decomposed:
        program = program.run_decompositions()
    for graph in [g.graph for g in program.graph_module.modules() if hasattr(g, "graph")]:
        for node in graph.nodes:
            for key in ("stack_trace", "nn_module_stack", "source_fn_stack", "torch_fn", "from_node"):
                node.meta.pop(key, None)
    program._example_inputs = None
    torch.export.save(program, os.path.join(folder, name + ".pt2"))
    return program


def write_flat(folder, name, program):
    """The layout of PyTorch 2.5 to 2.7: weights and constants are files of torch.save."""
    from torch._export.serde import schema, serialize
    parts = serialize.serialize(program)
    path = os.path.join(folder, name + ".pt2")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("serialized_exported_program.json", parts.exported_program)
        archive.writestr("serialized_state_dict.pt", parts.state_dict)
        archive.writestr("serialized_constants.pt", parts.constants)
        archive.writestr("serialized_example_inputs.pt", parts.example_inputs)
        archive.writestr("version", ".".join(str(n) for n in schema.SCHEMA_VERSION))
    torch.export.load(path)  # PyTorch takes it for such a file too


def write_saved(folder, name, program):
    """The layout of PyTorch 2.8: an archive with two files of torch.save in it."""
    from torch._export.serde import serialize
    parts = serialize.serialize(program)
    path = os.path.join(folder, name + ".pt2")
    torch.export.save(program, path)
    with zipfile.ZipFile(path) as archive:
        kept = {n: archive.read(n) for n in archive.namelist() if "/data/" not in n and "/.data/" not in n}
    kept[name + "/data/weights/model.pt"] = parts.state_dict
    kept[name + "/data/constants/model.pt"] = parts.constants
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in kept.items():
            archive.writestr(member, content)


def record(folder, name, module, inputs, constants, stateful):
    """Saves inputs and outputs; an input of the graph that is constant is not among them."""
    arrays = {}
    given = [v for k, v in enumerate(inputs) if k not in constants]
    for i, t in enumerate(tensors(given)):
        arrays[f"input{i}"] = array(t).copy()
    if name in ("drawn", "anew"):
        torch.manual_seed(3)
    with torch.no_grad():
        for run in ("output", "again") if stateful else ("output",):
            for i, t in enumerate(tensors(module(*inputs))):
                arrays[f"{run}{i}"] = array(t).copy()
        for kind in ("int8", "bfloat16") if isinstance(module, Weights) else ():
            for i, t in enumerate(module.rounded(kind)(*inputs)):
                arrays[f"{kind}_{i}"] = array(t).copy()
    np.savez(os.path.join(folder, name + ".npz"), **arrays)


def make(names):
    os.makedirs(FOLDER, exist_ok=True)
    for name, module, inputs, sizes, decomposed, stateful in programs():
        if names and name not in names:
            continue
        fresh = copy.deepcopy(module) if stateful else module
        program = write(FOLDER, name, module, inputs, sizes, decomposed)
        if name == "state":
            for older, writer in ("flat", write_flat), ("saved", write_saved):
                writer(FOLDER, older, program)
                record(FOLDER, older, type(module)(), inputs, [], True)
        constants = [3, 4, 5] if name == "sizes" else []
        inputs = tuple(x[:1] for x in inputs) if name == "single" else inputs
        record(FOLDER, name, fresh, inputs, constants, stateful)
        print(name, os.path.getsize(os.path.join(FOLDER, name + ".pt2")))
    if not names or "step" in names:
        write_step(FOLDER, "step", Loss(), (torch.randn(2, 3, 6, 6), torch.tensor([3, 0])))


def models(folder, names):
    """Classifiers of torchvision with random weights."""
    import torchvision
    os.makedirs(folder, exist_ok=True)
    for name in names or torchvision.models.list_models(torchvision.models):
        torch.manual_seed(0)
        size = 299 if name == "inception_v3" else 224
        try:
            module = torchvision.models.get_model(name, weights=None)
            image = torch.randn(1, 3, size, size)
            write(folder, name, module, (image,), None, False)
            record(folder, name, module, (image,), [], False)
            print(name, flush=True)
        except Exception as error:  # what PyTorch does not export is no case
            print(name, "is left out:", str(error).split("\n")[0], flush=True)


if __name__ == "__main__":
    torch.manual_seed(1)
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2:])
    elif sys.argv[1:2] == ["models"] and len(sys.argv) > 2:
        models(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__)
