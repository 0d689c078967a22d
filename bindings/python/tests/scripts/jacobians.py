"""Jacobians of functions of nests, by columns and by rows, adaptive pooling to sizes that are left open, and what modules refuse."""

import torch
from torch import nn
from torch.func import functional_call, hessian, jacfwd, jacrev, vmap

losses, texts = [], []
torch.manual_seed(0)
x, W = torch.randn(3, dtype=torch.float64), torch.randn(8, 3, dtype=torch.float64)


def note(value):
    if isinstance(value, torch.Tensor):
        losses.extend(value.detach().double().flatten().tolist())
        texts.append(str(tuple(value.shape)))
    elif isinstance(value, dict):
        texts.append(str(list(value)))
        note(list(value.values()))
    else:
        for one in value:
            note(one)


note(jacfwd(lambda x: (W @ x).sin())(x))
note(jacrev(lambda x: (W @ x).sin())(x))
note(jacrev(lambda p: {"a": p["w"] @ p["b"], "c": p["b"] * 2})({"w": torch.ones(2, 2), "b": torch.arange(2.)}))
note(jacfwd(lambda a, b: (a * b, b.sum()), argnums=(0, 1))(torch.arange(2.), torch.ones(2)))
note(jacrev(lambda x: (x ** 2, x.sum()), has_aux=True)(x))
note(jacfwd(lambda x: (x ** 2, x.sum()), has_aux=True)(x))
note(hessian(lambda x: (x ** 3).sum() * x[0])(x))
note(hessian(lambda p: (p["a"] ** 2 * p["b"]).sum())({"a": torch.ones(2), "b": torch.ones(2)}))
note(vmap(jacrev(lambda x: (W @ x).sin()))(torch.ones(2, 3, dtype=torch.float64)))
note(jacfwd(jacfwd(lambda x: torch.stack([x ** 3, x.exp()] * 4)))(torch.tensor(1., dtype=torch.float64)))
net = nn.Linear(3, 2).double()
note(jacrev(lambda p: functional_call(net, p, (x,)))(dict(net.named_parameters())))
note(jacrev(lambda x: torch.ones(2))(x))

image = torch.arange(96.).view(1, 2, 6, 8)
note(nn.AdaptiveAvgPool2d((1, None))(image))
note(nn.AdaptiveMaxPool2d((None, 2))(image))
note(nn.AdaptiveMaxPool2d((None, 2), return_indices=True)(image))
note(nn.AdaptiveAvgPool3d((None, 1, 2))(image))
texts += [repr(nn.AdaptiveAvgPool2d((1, None))), repr(nn.AdaptiveAvgPool2d(1)), repr(nn.AdaptiveMaxPool3d((1, 2, 3)))]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.ParameterList([torch.zeros(1)]), nn.ParameterList([torch.zeros(1), torch.ones(2)])
        self.layers = nn.ModuleList([nn.Linear(1, 1)])


net = Net()
texts.append(repr(net))
try:
    net.layers = 3
except TypeError:
    texts.append("TypeError")
net.layers = None
texts += [str(net.layers), torch.utils.dlpack.__name__.split(".")[-1], torch.utils.checkpoint.checkpoint.__name__]
