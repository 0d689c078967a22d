"""An optimizer of one's own, every schedule, averages, and what is saved of them."""

import io

import torch
from torch import nn
from torch.optim import lr_scheduler as S
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn

losses = []


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), momentum=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, momentum=momentum))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["average"] = torch.zeros_like(p)
                mean, (b1, b2) = state["average"], group["betas"]
                p.add_((mean * b1 + p.grad * (1 - b1)).sign_(), alpha=-group["lr"])
                mean.mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


makers = [lambda o: S.StepLR(o, 2), lambda o: S.MultiStepLR(o, [2, 4]), lambda o: S.ExponentialLR(o, 0.9),
          lambda o: S.LambdaLR(o, lambda e: 0.5 ** e), lambda o: S.MultiplicativeLR(o, lambda e: 0.9),
          lambda o: S.CosineAnnealingLR(o, 5), lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2), lambda o: S.PolynomialLR(o, 4, 2),
          lambda o: S.ConstantLR(o, 0.3, 2), lambda o: S.LinearLR(o, 0.1, total_iters=3),
          lambda o: S.OneCycleLR(o, 2.0, total_steps=8, cycle_momentum=False),
          lambda o: S.CyclicLR(o, 0.1, 1.0, step_size_up=2, mode="triangular2", cycle_momentum=False),
          lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, total_iters=3), S.CosineAnnealingLR(o, 5)], milestones=[3]),
          lambda o: S.ChainedScheduler([S.ExponentialLR(o, 0.9), S.ConstantLR(o, 0.1, 2)]),
          lambda o: SWALR(o, 0.05, anneal_epochs=3)]
for kind in (torch.optim.SGD, Lion):
    for make in makers:
        p = torch.zeros(1, requires_grad=True)
        p.grad = torch.ones(1)
        optimizer = kind([p], lr=1.0, momentum=0.9)
        schedule = make(optimizer)
        for _ in range(7):
            losses.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
    optimizer = kind([p], lr=1.0)
    plateau = S.ReduceLROnPlateau(optimizer, patience=1)
    for metric in (1, 2, 3, 4.0, 5):
        plateau.step(metric)
        losses.append(optimizer.param_groups[0]["lr"])

torch.set_default_dtype(torch.float64)  # signs of Float would depend on its last bit
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))
optimizer = Lion(net.parameters(), lr=1e-2)
data = [torch.randn(6, 3) for _ in range(3)]
mean, ema = AveragedModel(net), AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))


def closure():
    optimizer.zero_grad()
    loss = net(data[0]).pow(2).mean()
    loss.backward()
    return loss


for _ in range(4):
    losses.append(optimizer.step(closure).item())
    mean.update_parameters(net)
    ema.update_parameters(net)
update_bn(data, mean)
mean.eval()
ema.eval()
losses += [mean(data[1]).sum().item(), ema(data[1]).sum().item(), float(mean.n_averaged)]
file = io.BytesIO()
torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, file)
file.seek(0)
saved = torch.load(file)
other = Lion(net.parameters(), lr=3.0)
other.load_state_dict(saved["optimizer"])
losses += [other.param_groups[0]["lr"], other.state[net[0].weight]["average"].sum().item(), float(saved["epoch"])]
adam = torch.optim.Adam(net.parameters())
net(data[0]).sum().backward()
adam.step()
losses += [adam.state[net[0].weight]["exp_avg"].sum().item(), float(adam.state[net[0].weight]["step"])]
torch.set_default_dtype(torch.float32)
