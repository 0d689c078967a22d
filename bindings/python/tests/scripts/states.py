"""Hooks of modules' states, spectral norms between calls, and smaller things that scripts use."""

import torch
from torch import nn
from torch.distributions import Gumbel, HalfNormal, Laplace, Normal, kl_divergence
from torch.func import vjp
from torch.nn import functional as F
from torch.nn.modules.module import _IncompatibleKeys

losses, texts = [], []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.zeros(2))
        self.inner = nn.Linear(2, 1)
        self.none = None


net = Net()
del net.none
texts.append(str(hasattr(net, "none")))
handles = [net.register_load_state_dict_post_hook(lambda module, keys: texts.append(str(keys))),
           net.inner.register_load_state_dict_pre_hook(
               lambda module, state, prefix, *more: state.update({prefix + "bias": torch.full((1,), 7.0)})),
           net.register_state_dict_pre_hook(lambda module, prefix, keep_vars: texts.append("before %r" % prefix)),
           net._register_state_dict_hook(lambda module, state, prefix, more: state.update(extra=torch.ones(1)))]
state = net.state_dict()
texts.append(str(list(state)))
del state["extra"]
texts.append(str(isinstance(net.load_state_dict(state), _IncompatibleKeys)))
losses.append(net.inner.bias.item())
for handle in handles:
    handle.remove()
net.load_state_dict(state)
texts.append(str(list(net.state_dict())))
try:
    net.load_state_dict([1])
except TypeError:
    texts.append("an error")

torch.manual_seed(0)
layer = nn.utils.spectral_norm(nn.Conv2d(1, 4, 3).double())
images = torch.randn(2, 1, 5, 5, dtype=torch.float64)
texts.append(str(isinstance(layer.weight, nn.Parameter)))
for _ in range(3):
    losses += [layer.weight.sum().item(), layer(images).sum().item()]
losses += layer.weight_u.tolist() + [layer.eval()(images).sum().item(), layer.weight.sum().item()]

x = torch.linspace(-1, 1, 12, dtype=torch.float64)
for shape in ((12,), (3, 4), (2, 3, 2)):
    losses += F.softmax(x.reshape(shape), dim=None).flatten().tolist() + F.log_softmax(x.reshape(shape), dim=None).flatten().tolist()
losses += F.softmin(torch.tensor([0, 1, 250], dtype=torch.uint8), dim=0, dtype=torch.float64).tolist()  # of numbers that wrap around
losses += F.softmax(torch.complex(x, -x), dim=0, dtype=torch.float64).tolist()

one, two = torch.tensor(0.5, dtype=torch.float64), torch.tensor(1.5, dtype=torch.float64)
losses += [kl_divergence(Normal(one, two), Laplace(two, one)).item(), kl_divergence(Gumbel(one, two), Gumbel(two, one)).item(),
           kl_divergence(HalfNormal(one), HalfNormal(two)).item(), Gumbel(one, two).cdf(one).item(), Gumbel(one, two).icdf(one).item()]
mean, deviation = one.clone().requires_grad_(), two.clone().requires_grad_()
normal = Normal(mean, deviation)
torch.manual_seed(1)
normal.rsample((4,)).sum().backward()
losses += [normal.loc.grad.item(), normal.scale.grad.item()]
texts.append(str(vjp(torch.exp, x[:2])[0]))
try:
    "%s" % format(x, ".2f")
except TypeError:
    texts.append("an error")
