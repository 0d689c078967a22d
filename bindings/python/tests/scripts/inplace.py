"""Views that are changed in place where gradients go through them, hooks of nodes, and results that functions save."""

import torch

losses, texts = [], []


def leaf(*sizes):
    return torch.arange(1.0, 1 + torch.Size(sizes).numel(), dtype=torch.double).reshape(sizes).requires_grad_()


def note(*tensors):
    for t in tensors:
        losses.extend(t.detach().flatten().tolist())


a = leaf(3)
x = a * 2
v = x[0]
v.mul_(5)
texts += [str(x), str(v)]
(x * torch.tensor([1.0, 10, 100])).sum().backward()
note(a.grad, v, x)

a = leaf(2, 3)
x = a * 1
row, column = x[0], x[:, 1]
row.sin_()
column.mul_(3)
texts += [str(row), x.grad_fn.name()]
(row.sum() * 2 + column.sum() * 3 + x.sum()).backward()
note(a.grad, row, column, x)

a = leaf(2, 3)
x = a.sin()
v = x.t()
v.add_(1).mul_(a.t())
v[1:, 0].pow_(2)
(x * x).sum().backward()
note(a.grad, x)

a, b = leaf(4), leaf(2)
x = a * 1
v = x[1:3]
v.copy_(b * b)
pairs = x.view(2, 2)
pairs[0].mul_(b)
x.mul_(2)
(v * pairs.reshape(-1)[1:3]).sum().backward()
note(a.grad, b.grad, x)

a = leaf(3, 3)
x = a * 1
x.diagonal().mul_(2)
twice = x.unsqueeze(0).expand(2, 3, 3)
x.add_(1)
twice.sum().backward()
note(a.grad)

a = leaf(3)
x = a * 1
v = x[:2]
del x
w = v[1:]
v.mul_(3)
w.sum().backward()
note(a.grad)

a = leaf(3)
for change in (lambda: a[0].mul_(2), lambda: (a * 1).unbind()[0].mul_(2), lambda: (a * 1).split(1)[0].mul_(2)):
    try:
        change()
    except RuntimeError:
        texts.append("an error")
x = a * 1
y = x * x
x[0].mul_(2)
try:
    y.sum().backward()
except RuntimeError:
    texts.append("an error")
with torch.no_grad():
    x[1].mul_(2)
x.sum().backward()
note(a.grad, x)

a = leaf(3)
x = a * 1
x[1:].mul_(a[1:])
first, = torch.autograd.grad((x ** 3).sum(), a, create_graph=True)
second, = torch.autograd.grad(first.sum(), a)
note(first, second)


def changed(t):
    q = t * 1
    q[1:].mul_(3)
    q[:2].mul_(q[1].clone())
    return q.sin()


texts += [str(torch.autograd.gradcheck(changed, a)), str(torch.autograd.gradgradcheck(changed, a))]

a = leaf(4)
x = a * 1
turned = x.view(2, 2).transpose(0, 1)
turned[0].fill_(3)
turned.mul_(2)
x.backward(torch.arange(1.0, 5, dtype=torch.double))
note(a.grad, x)

# Hooks of nodes.
a = torch.ones(2, dtype=torch.double, requires_grad=True)
b = a * 2
d = b.exp().sum()
exp = d.grad_fn.next_functions[0][0]
hook = exp.register_hook(lambda inputs, outputs: note(*inputs, *outputs))
d.backward(retain_graph=True)
hook.remove()
hook = exp.register_hook(lambda inputs, outputs: (inputs[0] * 3,))
before = b.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
end = b.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: texts.append("%d %s" % (len(inputs), outputs)))
d.backward(retain_graph=True)
note(a.grad)
for one in (hook, before, end):
    one.remove()
d.backward()
note(a.grad)


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(inputs):
        return inputs.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        result, = ctx.saved_tensors
        return grad * result


a = leaf(2)
first, = torch.autograd.grad(Exp.apply(a).sum(), a, create_graph=True)
second, = torch.autograd.grad(first.sum(), a)
note(first, second)
x = torch.ones(3)
x.add_(1)
x[0] = 5
texts.append("%d %d" % (x._version, x[1:]._version))
