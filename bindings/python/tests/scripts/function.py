"""Functions with gradients of their own, hooks, second derivatives, and gradients that are added up."""

import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * ctx.scale * x ** 2, None


class SinCos(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        s, c = x.sin(), x.cos()
        ctx.save_for_backward(s, c)
        return s, c

    @staticmethod
    def backward(ctx, ds, dc):
        s, c = ctx.saved_tensors
        return ds * c - dc * s


x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
losses = []
Cube.apply(x, 2.0).sum().backward()
losses += x.grad.tolist()
x.grad = None
s, c = SinCos.apply(x)
(s * 3 + c).sum().backward()
losses += x.grad.tolist()
(g,) = torch.autograd.grad((x ** 4).sum(), x, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), x)
losses += h.tolist()
y = x * 2
seen = []
handle = y.register_hook(lambda grad: seen.append(grad.sum().item()))
scaled = x.register_hook(lambda grad: grad * 10)
x.grad.zero_()
(y ** 2).sum().backward()
losses += seen + x.grad.tolist()
handle.remove()
scaled.remove()
y = x * 2
y.retain_grad()
(y ** 2).sum().backward()
losses += y.grad.tolist() + x.grad.tolist() + [float(len(seen))]
with torch.no_grad():
    x -= 0.1 * x.grad
losses += x.tolist() + [float(x.requires_grad), float((x * 2).requires_grad), float(x.detach().requires_grad)]
w = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
for _ in range(2):
    (w * torch.arange(4, dtype=torch.float64).view(2, 2)).sum().backward()
losses += w.grad.flatten().tolist()
