"""Hooks, functions of functions, checkpoints, averages of gradients, and states of the generator."""

import copy

import torch
import torch.nn.functional as F
from torch import func, nn
from torch.autograd import functional
from torch.utils.checkpoint import checkpoint

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
losses = []
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(32, 3))
seen = {}
handles = [m.register_forward_hook(lambda m, i, o, name=name: seen.update({name: o.detach().sum()}))
           for name, m in net.named_modules() if name]
handles.append(net[0].register_forward_pre_hook(lambda m, given: (given[0] * 2,)))
handles.append(net[3].register_full_backward_hook(lambda m, gi, go: seen.update(inside=gi[0].sum(), outside=go[0].sum())))
handles.append(net[3].register_full_backward_pre_hook(lambda m, go: (go[0] * 3,)))
x = torch.randn(2, 1, 6, 6)
net(x).pow(2).sum().backward()
losses += [seen[name].item() for name in ("0", "1", "2", "3", "inside", "outside")]
losses.append(net[0].weight.grad.sum().item())
for handle in handles:
    handle.remove()
losses.append(net(x).sum().item())

twin = copy.deepcopy(net)
twin[3].reset_parameters()
vector = nn.utils.parameters_to_vector(twin.parameters())
losses += [vector.sum().item(), float(vector.numel())]
w = torch.randn(3, 3)
losses.append(torch.autograd.gradcheck(lambda a: torch.tanh(a @ w), torch.randn(2, 3, requires_grad=True)) * 1.0)

v = torch.randn(3)
cube = lambda t: (t ** 3).sum()  # noqa: E731
losses += func.grad(cube)(v).tolist() + functional.jacobian(lambda t: t ** 2, v).sum(1).tolist()
losses += functional.hessian(cube, v).sum(1).tolist() + func.vmap(torch.dot)(w, w).tolist()
losses += func.jacrev(lambda t: w @ t)(v).sum(0).tolist() + func.hessian(cube)(v).sum(0).tolist()
losses += functional.jvp(lambda t: t.sin(), v, torch.ones(3))[1].tolist()
losses += functional.vhp(cube, v, torch.ones(3))[1].tolist()
params = {k: t.detach() * 0.5 for k, t in net.named_parameters()}
losses.append(func.functional_call(net, params, (x,)).sum().item())
grads = func.grad(lambda p: func.functional_call(net, p, (x,)).pow(2).sum())(params)
losses.append(grads["0.weight"].sum().item())

y = torch.randn(2, 3, requires_grad=True)
drop = lambda t: F.dropout(torch.sin(t @ w), 0.5)  # noqa: E731
checkpoint(drop, y, use_reentrant=False).sum().backward()
losses.append(y.grad.sum().item())
nn.Dropout(0.0)(y)
state = torch.get_rng_state()
losses += torch.rand(2).tolist() + torch.randn(3).tolist()
torch.set_rng_state(state)
losses += torch.rand(2).tolist() + [state.long().sum().item() % 1000]
losses += torch.multinomial(torch.rand(6, 5), 1, True).flatten().tolist() + [torch.rand(1).item()]
scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(4):
    optimizer.zero_grad()
    scale = float("inf") if step == 2 else 1.0
    scaler.scale(net(x).pow(2).mean() * scale).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    losses += [scaler.get_scale(), net[0].weight.sum().item()]
losses += [(torch.arange(3) / 2).sum().item(), float((torch.arange(3) / 2).dtype == torch.float64)]
losses += [torch.full((2,), 7).sum().item() * (torch.full((2,), 7).dtype == torch.int64)]
losses.append(F.affine_grid(torch.tensor([[[1.0, 0.2, 0], [0, 1, 0.5]]]), [1, 1, 2, 3], align_corners=False).sum().item())
losses.append(F.gumbel_softmax(w, hard=True).sum().item())
losses.append(F.lp_pool2d(x, 2, 2).sum().item())
torch.set_default_dtype(torch.float32)
