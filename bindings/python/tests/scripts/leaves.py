"""Leaves found by their nodes, changes of tensors without gradient through views, and tensors of inference mode."""

import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
losses, texts = [], []


def note(*values):
    losses.extend(float(v) for one in values for v in one.reshape(-1).tolist())


# --- nodes of leaves ---------------------------------------------------------------------------------------
w = torch.randn(2, 3, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
y = torch.tanh(w @ torch.ones(3) + b).sum()


def leaves_of(fn, found):
    if hasattr(fn, "variable"):
        found.append(fn.variable)
    for following, _ in fn.next_functions:
        if following is not None:
            leaves_of(following, found)
    return found


found = leaves_of(y.grad_fn, [])
texts += [str([v is w for v in found]), str([v is b for v in found]), str(hasattr(y.grad_fn, "variable"))]
y.backward()
note(*(v.grad for v in found))
linear = torch.nn.Linear(3, 2)
names = {id(p): name for name, p in linear.named_parameters()}
texts.append(str(sorted(names[id(v)] for v in leaves_of(linear(torch.ones(1, 3)).sum().grad_fn, []))))

# --- changes through views ---------------------------------------------------------------------------------
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
base = torch.zeros(3, 3)
row, column, everything = base[1], base[:, 2], base.view(-1)
row.copy_(x)
texts += [str(base.requires_grad), base.grad_fn.name(), str(column.requires_grad), str(everything.is_leaf)]
base.t()[0].add_(x * x)
(base.sum(0) @ torch.arange(3.0) + column.pow(2).sum() + everything[3] * 5).backward()
note(x.grad, base, column, everything)

x.grad = None
states = torch.zeros(4, 3)
for step in range(3):
    states[step + 1] = torch.sin(states[step] + x)
(states * torch.arange(12.0).view(4, 3)).sum().backward()
note(x.grad, states)

x.grad = None
table = torch.ones(3, 4)
table[:, 1:3] *= x[:, None]
table[0, 0] += x[2]
table[[0, 2], [1, 3]] = x[:2]
upper = table.view(2, 6)[0]
upper.mul_(2)
table.diagonal().sub_(x)
table.pow(2).sum().backward()
note(x.grad, table, upper)

x.grad = None
only = torch.zeros(2, 3)[1]  # whose base is gone
rest = only[1:]
only.add_(x)
(rest * rest).sum().backward()
note(x.grad)

whole = torch.zeros(3)
apart = whole.detach()
part = whole[1:]
part.copy_(x[1:])
texts += [str(whole.requires_grad), str(apart.requires_grad), str(apart.tolist())]

leaf = torch.zeros(3, requires_grad=True)
try:
    leaf[0] = x[0]
    texts.append("no error")
except RuntimeError:
    texts.append("error")
with torch.no_grad():
    leaf[1] = 4
note(leaf)

# --- inference mode ----------------------------------------------------------------------------------------
with torch.inference_mode():
    made, view, product, spare = torch.ones(3), x[1:], x * 2, torch.ones(3)
    inner = made[1:]
    texts.append(str([t.is_inference() for t in (made, view, product, inner)]))
    texts.append(str([product.requires_grad, torch.is_inference_mode_enabled(), torch.is_grad_enabled()]))
    made.add_(1)
    with torch.inference_mode(False):
        texts.append(str([torch.ones(1).is_inference(), torch.is_grad_enabled()]))
texts.append(str([torch.is_inference(made), made[1:].is_inference(), made.clone().is_inference(), (made + 1).is_inference()]))


def outcome(function):
    try:
        function()
        return "fine"
    except RuntimeError:
        return "RuntimeError"


texts.append(str([outcome(f) for f in (lambda: spare.add_(1), lambda: made.requires_grad_(), lambda: (x * made).sum(),
                                       lambda: (x + made).sum().backward(), lambda: (x * made.clone()).sum().backward())]))


@torch.inference_mode()
def predict(t):
    return t * 3


texts.append(str([predict(x).is_inference(), predict(x).requires_grad]))
note(made, predict(x), x.grad)
