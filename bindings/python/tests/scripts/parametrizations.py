"""Weight norm, spectral norm, orthogonal matrices, parametrizations of one's own, and their removal."""

import copy

import torch
from torch import nn
from torch.nn import utils
from torch.nn.utils import parametrizations, parametrize
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
losses = []
x = torch.randn(4, 3)


def run(net):
    y = net(x).pow(2).sum()
    y.backward()
    losses.append(y.item())
    losses.extend(p.grad.abs().sum().item() for p in net.parameters())


net = nn.Sequential(parametrizations.weight_norm(nn.Linear(3, 5)), nn.Tanh(), parametrizations.spectral_norm(nn.Linear(5, 5)),
                    parametrizations.orthogonal(nn.Linear(5, 3)), parametrizations.orthogonal(nn.Linear(3, 3), orthogonal_map="cayley"))
losses.append(float(len(repr(net))))
run(net)
twin = copy.deepcopy(net)
run(twin)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
losses.append(twin(x).sum().item())
twin.load_state_dict(net.state_dict())
net.eval()
twin.eval()
losses.append(twin(x).sum().item() - net(x).sum().item())
with parametrize.cached():
    losses.append(net(x).sum().item())
before = net(x).sum().item()
for i in (0, 2, 3, 4):
    parametrize.remove_parametrizations(net[i], "weight")
losses.append(before - net(x).sum().item())
losses.append(float(len(list(net.parameters()))))
old = nn.Sequential(utils.weight_norm(nn.Linear(3, 5)), utils.spectral_norm(nn.Linear(5, 4)))
run(old)
old.eval()
before = old(x).sum().item()
utils.remove_weight_norm(old[0])
utils.remove_spectral_norm(old[1])
losses += [before, old(x).sum().item()]


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).t()

    def right_inverse(self, w):
        return w.triu()


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 3))

    def forward(self, x):
        return x @ self.w


own = parametrize.register_parametrization(Own(),"w", Symmetric())
run(own)
own.w = torch.ones(3, 3) * torch.arange(3.0)
losses.append(own(x).sum().item())
losses.append(float(parametrize.is_parametrized(own, "w")))
lin = nn.Linear(3, 3)
parametrize.register_parametrization(lin, "weight", Symmetric())
run(lin)
lin = lin.float()
losses.append(float(lin.weight.dtype == torch.float32) + lin(x.float()).sum().item())
losses.append(utils.get_total_norm([x, x[0]]).item())
torch.set_default_dtype(torch.float32)
