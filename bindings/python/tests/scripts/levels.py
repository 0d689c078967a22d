"""Gradients of functions: which results have a graph, alone and inside each other."""

import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, jvp

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
losses = []
w, x, y = torch.randn(3, requires_grad=True), torch.randn(3), torch.randn(3, requires_grad=True)


def alone(x):
    return (x.sin() * x).sum()


def weighted(x):
    return (x.sin() * w).sum()


results = [grad(alone)(x), grad(weighted)(x), *grad_and_value(alone)(x), *grad_and_value(weighted)(x), jacrev(torch.sin)(x),
           jacrev(lambda x: x * w)(x), hessian(alone)(x), jvp(torch.sin, (x,), (x,))[1], grad(alone)(y),
           grad(lambda x: grad(alone)(x).pow(2).sum())(x), grad(lambda x: grad(weighted)(x).pow(2).sum())(x),
           *grad(lambda x, a: (alone(x), a * 2), has_aux=True)(x, torch.ones(2))]
for result in results:
    losses += [float(result.requires_grad), result.sum().item()]
(grad(weighted)(x).sum() * 2 + grad(alone)(y).sum()).backward()
losses += w.grad.tolist() + y.grad.tolist()

layer = nn.Linear(3, 1)
own = dict(layer.named_parameters())
for given in (own, {name: t.detach() for name, t in own.items()}):
    found = grad(lambda p: functional_call(layer, p, (x,)).sum())(given)
    losses += [float(t.requires_grad) for t in found.values()] + [t.sum().item() for t in found.values()]
