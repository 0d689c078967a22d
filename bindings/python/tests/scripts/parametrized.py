"""Parametrizations: symmetric, skew, orthogonal, of a given norm; hooks after gradients; gradients of convolutions by shape."""

import copy

import torch
import torch.nn.functional as F
import torch.nn.utils.parametrize as parametrize
from torch import nn
from torch.nn.utils import parametrizations

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
losses, texts = [], []


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class Doubled(nn.Module):
    def forward(self, X):
        return X * 2

    def right_inverse(self, A):
        return A / 2


x = torch.randn(4, 3)
layer = nn.Linear(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
texts += [repr(layer), *layer.state_dict(), *(n for n, _ in layer.named_parameters()), type(layer).__name__]
losses.append(layer(x).sum().item())
parametrize.register_parametrization(layer, "weight", Doubled())
losses += [layer(x).sum().item(), layer.weight.sum().item(), layer.parametrizations.weight.original.sum().item()]
layer.weight = torch.arange(9.0).view(3, 3)
losses += layer.weight.flatten().tolist() + layer.parametrizations.weight.original.flatten().tolist()
optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
for _ in range(3):
    loss = F.mse_loss(layer(x).tanh(), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
losses.append(copy.deepcopy(layer)(x).sum().item())
with parametrize.cached():
    losses.append(float(layer.weight is layer.weight))
losses += [float(parametrize.is_parametrized(layer)), float(parametrize.is_parametrized(layer, "bias"))]
texts.append(parametrize.type_before_parametrizations(layer).__name__)
parametrize.remove_parametrizations(layer, "weight")
texts += [repr(layer), *layer.state_dict()]
losses.append(layer(x).sum().item())


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 3))

    def forward(self, x):
        return x @ self.w


own = Own()
parametrize.register_parametrization(own, "w", Symmetric())
losses.append(own(x).sum().item())
losses.append(copy.deepcopy(own)(x).sum().item())
parametrize.remove_parametrizations(own, "w", leave_parametrized=False)
losses.append(own(x).sum().item())

normed = parametrizations.weight_norm(nn.Conv1d(2, 3, 2))
texts += list(normed.state_dict())
losses += [normed(torch.ones(1, 2, 4)).sum().item(), normed.parametrizations.weight.original0.sum().item()]
recurrent = parametrizations.weight_norm(nn.LSTM(3, 4), name="weight_hh_l0")
losses.append(recurrent(x[:, None])[0].sum().item())
spectral = parametrizations.spectral_norm(nn.Linear(4, 5))
texts += list(spectral.state_dict())
losses += [spectral(torch.ones(1, 4)).sum().item() for _ in range(3)]
losses.append(torch.linalg.matrix_norm(spectral.eval().weight, 2).item())
for shape, given in (((4, 4), None), ((4, 4), "cayley"), ((5, 3), None), ((3, 5), "matrix_exp"), ((5, 3), "householder")):
    ortho = parametrizations.orthogonal(nn.Linear(shape[1], shape[0]), orthogonal_map=given)
    weight = ortho.weight if shape[0] >= shape[1] else ortho.weight.T
    losses.append(round(torch.dist(weight.T @ weight, torch.eye(min(shape))).item(), 10))
    ortho(torch.ones(1, shape[1])).sum().backward()
    losses.append(ortho.bias.grad.sum().item())
    if shape == (4, 4):
        losses += [ortho.weight.sum().item(), ortho.parametrizations.weight.original.grad.abs().sum().item()]

net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
steps = {p: torch.optim.Adam([p]) for p in net.parameters()}


def step(p):
    steps[p].step()
    steps[p].zero_grad()


handles = [p.register_post_accumulate_grad_hook(step) for p in net.parameters()]
for _ in range(3):
    loss = net(x).pow(2).mean()
    loss.backward()
    losses.append(loss.item())
for handle in handles:
    handle.remove()
net(x).sum().backward()
losses.append(net[0].weight.grad.sum().item())

image, kernel, ones = torch.rand(2, 4, 6, 6), torch.rand(6, 2, 3, 3), torch.ones(2, 6, 3, 3)
losses.append(torch.nn.grad.conv2d_weight(image, kernel.shape, ones, stride=2, padding=1, groups=2).sum().item())
losses.append(torch.nn.grad.conv2d_input(image.shape, kernel, ones, stride=2, padding=1, groups=2).pow(2).sum().item())
losses += [float(torch.arange(3.0).dtype == torch.float64), float(torch.fft.rfftfreq(8).dtype == torch.float64)]
losses += [float(n) for t in (torch.Tensor(2, 3), torch.Tensor(3), torch.Tensor([3]), torch.Tensor()) for n in t.shape]
