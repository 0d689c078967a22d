"""Functions of slices: nests of dimensions, gradients inside and outside, learning to learn, and schedules with a rate for each
group."""

from functools import partial

import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jacrev, stack_module_state, vjp, vmap
from torch.optim.lr_scheduler import CyclicLR, OneCycleLR

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
losses, texts = [], []


def note(*values):
    losses.extend(float(v) for one in values for v in one.detach().reshape(-1).tolist())


# --- learning to learn -------------------------------------------------------------------------------------
net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))
params = dict(net.named_parameters())


def loss_of(params, x, y):
    return nn.functional.mse_loss(functional_call(net, params, (x,)), y)


def after_step(params, x, y, further_x, further_y):
    gradients = grad(loss_of)(params, x, y)
    return loss_of({name: p - 0.1 * gradients[name] for name, p in params.items()}, further_x, further_y)


optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    x = torch.rand(4, 6, 1) * 10 - 5
    y = torch.sin(x + torch.rand(4)[:, None, None])
    tasks = vmap(partial(after_step, params))(x[:, :3], y[:, :3], x[:, 3:], y[:, 3:])
    optimizer.zero_grad()
    tasks.mean().backward()
    optimizer.step()
    note(tasks)

each = vmap(grad(lambda p, a, b: loss_of(p, a[None], b[None])), in_dims=(None, 0, 0))(
    {name: p.detach() for name, p in params.items()}, x[0], y[0])
texts += [str(sorted((name, tuple(g.shape)) for name, g in each.items()))]
note(*(each[name] for name in sorted(each)))

# --- dimensions --------------------------------------------------------------------------------------------
base, several = nn.Linear(3, 2), [nn.Linear(3, 2) for _ in range(3)]
parameters, buffers = stack_module_state(several)
note(vmap(lambda p, b, one: functional_call(base, (p, b), (one,)), in_dims=(0, 0, None))(parameters, buffers, torch.ones(3)))
note(vmap(vmap(torch.mul, in_dims=(None, 0)), in_dims=(0, None))(torch.arange(3.0), torch.arange(4.0)))
a, b = torch.randn(2, 3), torch.randn(3, 2)
found = vmap(lambda d, k: {"s": d["a"].sum() * k, "t": (d["b"] * 2, d["a"])}, in_dims=({"a": 0, "b": -1}, None), out_dims={
    "s": 0, "t": (1, 0)})({"a": a, "b": b}, 3)
texts.append(str([tuple(t.shape) for t in (found["s"], *found["t"])]))
note(found["s"], *found["t"])
note(vmap(lambda one, *, k: one * k)(a, k=torch.arange(3.0)), vmap(torch.mv, in_dims=(None, 1), out_dims=1)(a, torch.randn(3, 2)))
note(vmap(jacrev(lambda v: v.sin().cumsum(0)))(a), vmap(hessian(lambda v: v.prod()))(a))
state = torch.get_rng_state()
same = vmap(lambda v: v + torch.randn(2), randomness="same")(torch.zeros(3, 2))
torch.set_rng_state(state)
texts.append(str([bool((same[0] == same[2]).all()), bool((same[0] == torch.randn(2)).all())]))
for bad in (lambda: vmap(torch.dot)(torch.ones(2, 3), torch.ones(3, 3)), lambda: vmap(lambda v: v)(3), lambda: vmap(lambda v: 1.0)(a),
            lambda: vmap(lambda v: torch.randn(1) + v)(a), lambda: vmap(lambda v: v, in_dims=2)(a),
            lambda: vmap(lambda v: v, in_dims=None)(a), lambda: vmap(lambda v, w: v, in_dims=(0,))(a, a)):
    try:
        bad()
        texts.append("fine")
    except (RuntimeError, ValueError) as error:
        texts.append(type(error).__name__)
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * w * w[0]
note(torch.autograd.grad(y, w, torch.eye(2), is_grads_batched=True)[0], *vmap(vjp(lambda p, q: p * q, w, w)[1])(torch.eye(2)))

# --- schedules ---------------------------------------------------------------------------------------------
for make in (lambda o: OneCycleLR(o, max_lr=[0.1, 0.01], total_steps=9), lambda o: OneCycleLR(o, 0.1, total_steps=9),
             lambda o: CyclicLR(o, [0.01, 0.02], [0.1, 0.2], step_size_up=3, mode="triangular2"),
             lambda o: CyclicLR(o, 0.01, 0.1, step_size_up=2, scale_fn=lambda n: 0.5 ** n, scale_mode="cycle"),
             lambda o: CyclicLR(o, 0.01, 0.1, step_size_up=2, scale_fn=lambda n: 0.9 ** n, scale_mode="iterations")):
    ps = [nn.Parameter(torch.ones(2)) for _ in range(2)]
    sgd = torch.optim.SGD([{"params": [p], "lr": 0.1 * (i + 1)} for i, p in enumerate(ps)], momentum=0.9)
    schedule = make(sgd)
    for _ in range(8):
        sgd.step()
        schedule.step()
        losses += [g[name] for g in sgd.param_groups for name in ("lr", "momentum", "initial_lr")]

weight = nn.Parameter(torch.ones(2))
adam = torch.optim.Adam([weight], lr=0.1)
before = adam.register_step_pre_hook(lambda o, args, kwargs: texts.append("before %d" % len(o.state)))
behind = adam.register_step_post_hook(lambda o, args, kwargs: texts.append("behind %d" % len(o.state)))
for _ in range(2):
    weight.sum().backward()
    adam.step()
    before.remove()
