"""What scripts met that did not compute as in PyTorch: truth values, options that are integers, states of schedules, hooks of all modules,
functions that change their argument."""

import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils.data import default_collate

losses, texts = [], []
m = torch.tensor([True, False])
for value in (m & True, m | False, m ^ True, True & m, m * True, m + False):
    texts.append(str(value))
m &= True
texts.append(str(m))
x = torch.arange(6.0).reshape(2, 3) ** 2
for values in (torch.var_mean(x, 1), torch.std_mean(x, 0), torch.var_mean(x, False), x.std(1), x.var(False)):
    texts.append(str(tuple(values) if isinstance(values, tuple) else values))
texts.append(str(default_collate([(1, "a"), (2, "b")])))
texts.append(repr(nn.ParameterDict({"a": nn.Parameter(torch.ones(1))})))
texts.append(repr(nn.ParameterDict({"a": nn.Parameter(torch.ones(1)), "b": nn.Parameter(torch.ones(2, 3))})))
texts += [repr(nn.init.calculate_gain(name)) for name in ("linear", "sigmoid", "relu", "tanh")]

w = nn.Parameter(torch.ones(2))
for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop, torch.optim.Adagrad, torch.optim.Adadelta):
    optimizer = make([w], lr=1)
    texts += [repr(optimizer), str(sorted(optimizer.defaults))]
optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.param_groups[0]["weight_decay"] = 0.5
texts.append(repr(optimizer))
for schedule in (lr_scheduler.StepLR(optimizer, 2, gamma=0.5), lr_scheduler.CosineAnnealingLR(optimizer, 7, eta_min=0.01),
                 lr_scheduler.LinearLR(optimizer, 0.5, total_iters=4), lr_scheduler.ExponentialLR(optimizer, gamma=0.9)):
    state = schedule.state_dict()
    texts.append(str([(k, state[k]) for k in ("step_size", "gamma", "T_max", "eta_min", "start_factor", "end_factor", "total_iters",
                                              "last_epoch", "_step_count") if k in state]))
for wrong in (lambda: torch.optim.SGD([w], lr=-1), lambda: torch.optim.Adam([w * 2]), lambda: nn.init.xavier_uniform_(torch.ones(2))):
    try:
        wrong()
    except ValueError:
        texts.append("ValueError")
try:
    x[0.5]
except IndexError:
    texts.append("IndexError")

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
seen = []
handles = [nn.modules.module.register_module_forward_hook(lambda module, args, out: seen.append("out " + type(module).__name__)),
           nn.modules.module.register_module_forward_pre_hook(lambda module, args: seen.append("in " + type(module).__name__)),
           nn.modules.module.register_module_full_backward_hook(lambda module, gi, go: seen.append("back " + type(module).__name__))]
net(torch.ones(1, 2, requires_grad=True)).sum().backward()
for handle in handles:
    handle.remove()
net(torch.ones(1, 2))
texts += seen


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2)
        ctx.mark_dirty(a)
        return a

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


leaf = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
inner = leaf * 3
outer = Double.apply(inner)
texts.append(str(outer is inner))
(inner * inner).sum().backward()
losses += leaf.grad.tolist() + inner.tolist()
try:
    Double.apply(leaf)
except RuntimeError:
    texts.append("leaf")

texts += [str(torch.atleast_2d(torch.tensor(1.0))), str(torch.atleast_1d(torch.tensor(1.0), torch.ones(1, 2))),
          str(torch.atleast_3d([torch.ones(2)])), type((leaf * 2).exp().grad_fn).__name__, type(outer.grad_fn.next_functions[0][0]).__name__]
texts += [str(isinstance(x, torch.FloatTensor)), str(isinstance(x, torch.LongTensor)), str(torch.FloatTensor([1, 2])), str(torch.LongTensor(2, 3).shape)]
upsample = torch._C._nn._upsample_bilinear2d_aa if hasattr(torch._C, "_nn") else torch._upsample_bilinear2d_aa
image = torch.arange(16.0).reshape(1, 1, 4, 4)
for arguments in ({"output_size": (3, 3), "scale_factors": None}, {"output_size": None, "scale_factors": [1.5, 0.5]}):
    texts.append(str(upsample(image, align_corners=False, **arguments)))
texts += [repr(torch.iinfo(torch.int32)), repr(torch.iinfo(torch.int8)), repr(torch.device("cpu", 0)), repr(torch.device("cpu:1")),
          str(torch.device("cpu:1").index), repr(torch.device("cpu")), str(torch.device("cpu", 0))]
for size in (0, -1, 1.5):
    try:
        torch.utils.data.DataLoader([1, 2], batch_size=size)
    except ValueError:
        texts.append("size")
texts += [str(part.shape) for part in (*torch.pca_lowrank(torch.eye(5), 2), *torch.svd_lowrank(torch.eye(4), 3))]
texts.append(str(torch.optim.SGD([w], lr=1e-3, momentum=0.9).state_dict()["param_groups"]))
texts.append(str(torch.optim.Adam([w], lr=1, betas=(0.0, 0.9)).state_dict()["param_groups"]))

held = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
held[0] = nn.Identity()
setattr(held, "1", nn.Linear(2, 2, bias=False))
held.weight, held.bias = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(2))
held.weight = nn.Parameter(torch.zeros(3))
texts += [repr(held), str([(name, tuple(p.shape)) for name, p in held.named_parameters()])]
texts.append(str([y is x for y in (x.contiguous(), x.type_as(x), x.real, x.t().contiguous(), x.type_as(torch.ones(1, dtype=torch.float64)))]))
optimizer = torch.optim.SGD([w], lr=0.1)
plateau = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, factor=0.5)
for metric in (1.0, 2.0):
    plateau.step(metric)
linear = lr_scheduler.LinearLR(optimizer, 0.1, total_iters=2)
for _ in range(3):
    losses.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    linear.step()
texts += [repr(layer) for layer in (nn.Threshold(1, 2), nn.ELU(2), nn.Hardtanh(-2, 2.5), nn.Dropout(0), nn.LPPool2d(2, 3), nn.LayerNorm(3, 1), nn.ELU(2.0), nn.Upsample(scale_factor=2),
                                   nn.MultiheadAttention(8, 2).out_proj)]
