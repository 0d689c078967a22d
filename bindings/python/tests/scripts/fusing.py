"""Normalization fused into the layer before it, and older names of functions."""

import warnings

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn import utils

torch.manual_seed(5)
losses = []


def normalized(make, shape):
    bn = make.double()
    bn.train()
    for _ in range(2):
        bn(torch.randn(shape).double())
    with torch.no_grad():
        for p in bn.parameters():
            p.copy_(torch.rand(p.shape).double())
    return bn.eval()


def compare(layer, bn, x, fuse, **options):
    layer = layer.double().eval()
    fused = fuse(layer, bn, **options)
    assert torch.allclose(fused(x), bn(layer(x)), rtol=1e-12, atol=1e-12)
    assert fused is not layer and fused.weight.requires_grad
    losses.append(fused(x).square().mean())
    losses.append(float(fused.bias.requires_grad))


x = torch.randn(2, 3, 6, 5).double()
compare(nn.Conv2d(3, 4, 3, bias=False), normalized(nn.BatchNorm2d(4), (3, 4, 2, 2)), x, utils.fusion.fuse_conv_bn_eval)
compare(nn.Conv2d(3, 4, 3), normalized(nn.BatchNorm2d(4, eps=0.1), (3, 4, 2, 2)), x, utils.fuse_conv_bn_eval)
compare(nn.ConvTranspose2d(3, 4, 2), normalized(nn.BatchNorm2d(4), (3, 4, 2, 2)), x, utils.fuse_conv_bn_eval, transpose=True)
compare(nn.Linear(5, 4), normalized(nn.BatchNorm1d(4), (6, 4)), torch.randn(2, 5).double(), utils.fuse_linear_bn_eval)
try:
    utils.fuse_linear_bn_eval(nn.Linear(5, 4), nn.BatchNorm1d(4))
except AssertionError:
    losses.append(1.0)

y = torch.randn(4, 3)
y_was = y.clone()
assert F.rrelu_(y, 0.25, 0.25) is y
losses.append(y.double().sum())
assert torch.equal(y, F.leaky_relu(y_was, 0.25))
layer = utils.skip_init(nn.Linear, 3, 2)
losses.append(float(layer.weight.shape[0]))
w = torch.empty(3, 4)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    losses.append(nn.init.xavier_normal(w).double().sum())
    losses.append(nn.init.kaiming_uniform(w, nonlinearity="relu").double().sum())
    nn.init.constant(w, 2.5)
assert len(seen) == 3 and all(issubclass(s.category, FutureWarning) for s in seen)
losses.append(w.sum())
