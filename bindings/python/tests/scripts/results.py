"""Functions of one's own with several results: of different types, without gradients, changed arguments, forward mode aside."""

import torch
from torch.autograd import Function

losses, texts = [], []


class Kinds(Function):
    """Two results of different floating types, an order, numbers without gradient, and a text."""

    @staticmethod
    def forward(ctx, x, factor):
        half, order, count = (x * 0.5).float(), x.argsort(), x.floor()
        ctx.mark_non_differentiable(count)
        ctx.factor = factor
        ctx.save_for_backward(x, half)
        return x * factor, half, order, count, "text"

    @staticmethod
    def backward(ctx, *grads):
        texts.append(str([None if g is None else (tuple(g.shape), str(g.dtype), float(g.sum())) for g in grads]))
        x, half = ctx.saved_tensors
        return grads[0] * ctx.factor + grads[1].to(x.dtype) * 0.5 + 0 * half.to(x.dtype), None


class Lazy(Kinds):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.set_materialize_grads(False)
        return Kinds.forward(ctx, x, factor)

    @staticmethod
    def backward(ctx, *grads):
        texts.append(str([g is None for g in grads]))
        return sum(g.to(torch.float64) * k for g, k in zip(grads, (ctx.factor, 0.5)) if g is not None), None


x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
for kind in (Kinds, Lazy):
    a, b, order, count, text = kind.apply(x, 3.0)
    texts.append(str([a.requires_grad, b.requires_grad, order.requires_grad, count.requires_grad, text, str(b.dtype), type(a.grad_fn).__name__]))
    texts.append(str(a.grad_fn is b.grad_fn or a.grad_fn == b.grad_fn))
    losses += a.tolist() + b.tolist() + order.tolist() + count.tolist()
    for loss in ((b * 2).sum(), a.sum() + b.sum(), (a * a).sum()):
        x.grad = None
        loss.backward(retain_graph=True)
        losses += x.grad.tolist()


class Two(Function):
    """Results that are saved, and whose gradients have gradients."""

    @staticmethod
    def forward(ctx, x):
        e, s = x.exp(), x.sin()
        ctx.save_for_backward(x, e)
        return e, s

    @staticmethod
    def backward(ctx, ge, gs):
        x, e = ctx.saved_tensors
        return ge * e + gs * x.cos()


e, s = Two.apply(x)
(g,) = torch.autograd.grad((e * s).sum(), x, create_graph=True)
losses += g.tolist()
(h,) = torch.autograd.grad(g.sum(), x)
losses += h.tolist()


class Swap(Function):
    """Both arguments change, and are results."""

    @staticmethod
    def forward(ctx, a, b):
        keep = a.clone()
        a.copy_(b)
        b.copy_(keep)
        ctx.mark_dirty(a, b)
        return a, b, keep.sum()

    @staticmethod
    def backward(ctx, ga, gb, gs):
        return gb + gs, ga


p, q = x * 2, x * x
first, second, total = Swap.apply(p, q)
texts.append(str([first is p, second is q, p.requires_grad]))
x.grad = None
(first * 3 + second * 5 + total * x).sum().backward()
losses += x.grad.tolist() + p.tolist() + q.tolist() + [float(total)]


class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x + 1

    @staticmethod
    def backward(ctx, g):
        return g


class Short(Two):
    @staticmethod
    def backward(ctx, ge, gs):
        return ge, gs, ge


for call in (lambda: Wrong.apply(x * 1), lambda: sum(Short.apply(x)).sum().backward()):
    try:
        call()
    except RuntimeError:
        texts.append("RuntimeError")
z = torch.tensor([1.0 + 2.0j, 0.5j], requires_grad=True)


class Nothing(Function):
    """No result has a gradient."""

    @staticmethod
    def forward(ctx, x, marks):
        signs = x.sign()
        if marks:
            ctx.mark_non_differentiable(signs)
        return (signs, x.argsort(), None, "text") if marks else x.argsort()

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("there is nothing to go back through")


signs, order, nothing, text = Nothing.apply(x, True)
texts.append(str([signs.requires_grad, signs.grad_fn, order.requires_grad, nothing, text, Nothing.apply(x, False).requires_grad]))
losses += signs.tolist() + order.tolist() + Nothing.apply(x, False).tolist()


class Turned(Function):
    @staticmethod
    def forward(ctx, z):
        return z * 1j, z.abs()

    @staticmethod
    def backward(ctx, gz, ga):
        return gz * -1j + ga * 0


u, v = Turned.apply(z)
(u.real.sum() + v.sum()).backward()
losses += torch.view_as_real(z.grad).flatten().tolist()
