"""Pooling layers that return indices, or whose sizes are left open, and copies of them."""

import copy

import torch
from torch import nn

losses, texts = [], []
torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8, dtype=torch.float64)
for layer in (nn.MaxPool2d(2, return_indices=True), nn.MaxPool2d(3, 2, 1, 1, True, False), nn.MaxPool2d((2, 3), stride=(1, 2), ceil_mode=True),
              nn.AdaptiveMaxPool2d(3, True), nn.AdaptiveMaxPool2d((None, 4)), nn.AdaptiveMaxPool2d((None, 4), return_indices=True),
              nn.FractionalMaxPool2d(2, output_size=(4, 4), return_indices=True), copy.deepcopy(nn.MaxPool2d(2, return_indices=True))):
    torch.manual_seed(3)
    made = layer(x)
    made = made if isinstance(made, tuple) else (made,)
    losses += [n for t in made for n in t.double().flatten().tolist()]
    texts += [repr(layer), str([tuple(t.shape) for t in made])]
for layer, given in ((nn.MaxPool1d(2, return_indices=True), x[0]), (nn.MaxPool3d(2, return_indices=True), x[None]),
                     (nn.AdaptiveMaxPool1d(3, return_indices=True), x[0])):
    losses.append(layer(given)[1].double().sum().item())
leaf = x.clone().requires_grad_()
output, indices = nn.MaxPool2d(2, return_indices=True)(leaf)
unpooled = nn.MaxUnpool2d(2)(output, indices)
(unpooled ** 2).sum().backward()
losses += leaf.grad.flatten().tolist()
texts += [str(nn.MaxPool2d(2).kernel_size), str(nn.MaxPool2d(2, return_indices=True).return_indices)]
try:
    nn.MaxPool2d(2, wrong=1)
except TypeError:
    texts.append("TypeError")
