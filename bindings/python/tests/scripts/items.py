"""Items that are written where a gradient goes through the tensor or the value."""

import torch

losses, texts = [], []
x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)


def note(value, *more):
    x.grad = None
    value.backward()
    losses.extend(x.grad.tolist() + [n for t in more for n in t.detach().flatten().tolist()])


y = x.clone()
y[0] = 5
note(y.sum(), y)
z = torch.zeros(3, dtype=torch.float64)
z[:] = x
note((z * z).sum(), z)
out = torch.zeros(4, 3, dtype=torch.float64)
for t in range(4):
    out[t] = x * t
out[1:3, ::2] = 7
out[0, torch.tensor([0, 1])] = x[1:]
out[..., -1] += 1
out[2] *= x
out[3, 1:] -= x[:2] ** 2
note((out ** 2).sum(), out)
h = x * 2
h[h > 3] = 0
h[-1] = x[0] * 10
note(h.sum(), h)
a = torch.zeros(2, 3)
a[0] = x
b = torch.zeros(2, 2, dtype=torch.float64)
b[:, 0] = x[:2][None]
e = torch.zeros(0, 3, dtype=torch.float64)
e[:] = x
texts += [str(a.dtype), str(a.requires_grad), str(b.tolist()), str(e.shape)]
note(b.sum() + a[0].sum(), a)
try:
    x[0] = 1
except RuntimeError:
    texts.append("leaf")
try:
    b[0] = x
except RuntimeError:
    texts.append("sizes")
with torch.no_grad():
    y[0] = 9
    x[1] = 4
texts += [str(y.tolist()), str(x.tolist())]
losses += torch.normal(0, 1, size=(2, 1), requires_grad=True, generator=torch.Generator().manual_seed(1)).tolist()[0]
texts += [str(torch.normal(0, 1, size=(2,), requires_grad=True).requires_grad), str(x.new_tensor([1.0], requires_grad=True).requires_grad)]
