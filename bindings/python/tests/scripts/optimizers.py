"""Optimizers that other scripts leave out: ASGD, Rprop and Adafactor, with their states."""

import torch
from torch import nn

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
losses = []
x, y = torch.randn(8, 3), torch.randn(8, 2)


def run(kind, **options):
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    optimizer = kind(net.parameters(), **options)
    for step in range(6):
        optimizer.zero_grad()
        loss = (net(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    losses.append(float(sum(sum(v.sum().item() for v in s.values()) for s in optimizer.state_dict()["state"].values())))
    losses.append(float(len(optimizer.state_dict()["param_groups"][0])))


run(torch.optim.ASGD, lr=0.1, lambd=0.01, t0=2)
run(torch.optim.Rprop, lr=0.05, etas=(0.4, 1.3))
run(torch.optim.Adafactor, lr=0.1)
run(torch.optim.Adafactor, lr=0.3, weight_decay=0.1, d=2.0, eps=(1e-4, 1e-2), beta2_decay=-0.5, maximize=True)
torch.set_default_dtype(torch.float32)
