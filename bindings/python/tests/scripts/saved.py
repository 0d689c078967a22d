"""Tensors that are saved for gradients, in another form, and checkpoints that compute again."""

import torch
from torch import nn
from torch.autograd.graph import disable_saved_tensors_hooks, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

losses, texts, shapes = [], [], []


def pack(t):
    shapes.append(tuple(t.shape))
    texts.append("pack %s" % torch.is_grad_enabled())
    return t * 2


def unpack(t):
    texts.append("unpack")
    return t / 2


x = torch.linspace(0.1, 1, 6, dtype=torch.float64).reshape(2, 3).requires_grad_()
w = torch.linspace(-1, 1, 3, dtype=torch.float64).requires_grad_()
with saved_tensors_hooks(pack, unpack):
    y = (x * w).exp()
    with saved_tensors_hooks(lambda t: (texts.append("inner"), t), lambda t: t[1]):
        z = y.sin()
z.sum().backward(retain_graph=True)
z.sum().backward()
texts.append(str(sorted(shapes)))
losses += x.grad.flatten().tolist() + w.grad.tolist()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a ** 3

    @staticmethod
    def backward(ctx, grad):
        a, = ctx.saved_tensors
        return 3 * a * a * grad


x.grad = None
with saved_tensors_hooks(lambda t: t + 1, lambda t: t):
    cubes = Cube.apply(x)
cubes.sum().backward()
losses += x.grad.flatten().tolist()
try:
    with disable_saved_tensors_hooks("not here"):
        with saved_tensors_hooks(pack, unpack):
            pass
except RuntimeError as error:
    texts.append(str(error))


def failing(t):
    raise KeyError("no room")


try:
    with saved_tensors_hooks(failing, unpack):
        x.exp()
except KeyError as error:
    texts.append(repr(error))
with saved_tensors_hooks(lambda t: t, failing):
    y = x.exp()
try:
    y.sum().backward()
except KeyError as error:
    texts.append(repr(error))

calls = []


def block(a, *, more, options):
    calls.append(torch.is_grad_enabled())
    b = torch.dropout(a * more["scale"], 0.5, True).tanh()
    return {"b": b, "c": [b.exp() * options[0], b.sum()]}


scale = torch.tensor([0.5, 2.0, 1.0], dtype=torch.float64, requires_grad=True)
x.grad = scale.grad = None
torch.manual_seed(4)
made = checkpoint(block, x, more={"scale": scale}, options=[3.0], use_reentrant=False)
value = made["c"][0].sum() + made["b"].square().sum() + made["c"][1]
drawn = torch.rand(2, dtype=torch.float64)
found = torch.autograd.grad(value, [x, scale], retain_graph=True, create_graph=True)
(found[0].sum() + found[1].square().sum()).backward(retain_graph=True)
value.backward()
losses += [g.sum().item() for g in found] + x.grad.flatten().tolist() + scale.grad.tolist() + drawn.tolist()

torch.manual_seed(6)
net = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.Tanh()) for _ in range(5)]).double()
out = checkpoint_sequential(net, 3, x.detach(), use_reentrant=False)
out.sum().backward()
losses += [p.grad.sum().item() for p in net.parameters()]
inner = checkpoint(lambda a: checkpoint(net, a, use_reentrant=False).sum() * a.sum(), x, use_reentrant=False)
x.grad = None
inner.backward()
losses += x.grad.flatten().tolist()

turn = [0]


def changing(a):
    turn[0] += 1
    return (a * a).sum() if turn[0] == 1 else a.sum()


try:
    checkpoint(changing, x, use_reentrant=False).backward()
except RuntimeError as error:
    texts.append(type(error).__name__)
with torch.no_grad():
    texts.append(str(checkpoint(changing, x, use_reentrant=False).requires_grad))
