"""A network of one's own layers, trained with groups, a chain of schedules and averages; the modules where PyTorch defines its classes."""

import collections
import copy

import torch
from torch import Tensor, nn, optim
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd
from torch.nn.modules.loss import _Loss, _WeightedLoss
from torch.nn.modules.utils import _pair
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(9)
torch.set_default_dtype(torch.float64)
losses, texts = [], []


class Scaled(_Loss):
    def __init__(self, w=1.0, reduction="mean"):
        super().__init__(reduction=reduction)
        self.w = w

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.w * (x - y).abs()
        return loss.mean() if self.reduction == "mean" else loss.sum()


class DropPath(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        kept = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(1 - self.p)
        return x.div(1 - self.p) * kept

    def extra_repr(self):
        return "p=%.3f" % self.p


class Squeeze(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fc = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, c // 4, 1), nn.ReLU(inplace=True), nn.Conv2d(c // 4, c, 1),
                                nn.Hardsigmoid())

    def forward(self, x):
        return x * self.fc(x)


class Own(nn.Linear):
    def extra_repr(self):
        return "own, " + super().extra_repr()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(collections.OrderedDict([
            ("conv", nn.Conv2d(3, 8, 3, padding=1, bias=False)), ("norm", nn.BatchNorm2d(8, momentum=0.01, eps=1e-3)),
            ("act", nn.SiLU(inplace=True))]))
        self.squeeze = Squeeze(8)
        self.deep = nn.Conv2d(8, 8, _pair(3), padding=1, groups=8)
        self.drop = DropPath(0.3)
        self.norm = nn.GroupNorm(2, 8)
        self.head = Own(8, 4)
        self.gamma = nn.Parameter(1e-2 * torch.ones(8, 1, 1))
        for m in self.modules():
            if isinstance(m, _ConvNd):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (_BatchNorm, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
            elif isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.02)

    def forward(self, x):
        x = self.stem(x)
        x = x + self.drop(self.gamma * self.deep(self.squeeze(x)))
        return self.head(self.norm(x).mean((-2, -1)))


net = Net()
texts += [n for n, m in net.named_modules() if isinstance(m, _ConvNd)] + [repr(net.drop), repr(net.head), repr(net.squeeze)]
texts.append(str([isinstance(m, k) for m in (nn.MSELoss(), nn.CrossEntropyLoss(), Scaled(), nn.ReLU()) for k in (_Loss, _WeightedLoss)]))
plain, decayed = [], []
for name, p in net.named_parameters():
    (plain if p.ndim <= 1 or "gamma" in name else decayed).append(p)
optimizer = optim.AdamW([{"params": plain, "weight_decay": 0.0}, {"params": decayed}], lr=1e-2, weight_decay=0.05)
schedule = SequentialLR(optimizer, [LinearLR(optimizer, 0.1, total_iters=2), CosineAnnealingLR(optimizer, 5, eta_min=1e-4)],
                        milestones=[2])
x, y = torch.randn(12, 3, 8, 8), torch.randint(4, (12,))
mean = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
for _ in range(3):
    net.train()
    for a, b in DataLoader(TensorDataset(x, y), 6, shuffle=True, drop_last=True):
        loss = criterion(net(a), b)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        losses += [loss.item(), nn.utils.clip_grad_norm_(net.parameters(), 1.0, norm_type=2).item()]
        optimizer.step()
        mean.update_parameters(net)
    schedule.step()
    losses += schedule.get_last_lr()
torch.optim.swa_utils.update_bn(DataLoader(TensorDataset(x), 4), mean)
net.eval()
mean.eval()
losses += mean(x[:2]).flatten().tolist() + [Scaled(2.0)(net(x[:2]), mean(x[:2])).item()]
state = {k: v.clone() for k, v in net.state_dict().items()}
state["more"], state["head.bias"] = state.pop("gamma"), torch.zeros(5)
for strict in (True, False):
    try:
        net.load_state_dict(state, strict=strict)
    except RuntimeError as error:
        texts.append(str(error))
losses += [float(torch.zeros(1, 2, 3, 4).to(memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last))]

losses += [*net.stem.conv.kernel_size, *net.stem.conv.padding, *nn.ConvTranspose1d(2, 2, 3, 2).stride, *nn.Conv2d(1, 1, (3, 1)).kernel_size]
table = nn.Embedding.from_pretrained(torch.arange(6.0).view(3, 2), padding_idx=1)
bags = nn.EmbeddingBag.from_pretrained(torch.arange(6.0).view(3, 2), freeze=False, mode="sum")
losses += [float(table.weight.requires_grad), float(bags.weight.requires_grad), torch.rand(1).item(), table(torch.tensor([2, 1])).sum().item(),
           bags(torch.tensor([[0, 2]])).sum().item()]
texts += [repr(table), repr(bags), str((1,) + torch.zeros(2, 3).shape)]
table = nn.Embedding(5, 3)
table.weight = nn.Parameter(table.weight[:2])
table(torch.tensor([1])).sum().backward()
losses += [*table.weight.shape, table.weight.sum().item(), *table.weight.grad.sum(1).tolist(), torch.rand(1).item()]


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(9, 6)
        self.o = nn.Linear(6, 9, bias=False)
        self.o.weight = self.e.weight

    def forward(self, i):
        return self.o(self.e(i))


tied = copy.deepcopy(Tied())
losses += [float(tied.o.weight is tied.e.weight), len(list(tied.parameters())), len(tied.state_dict())]
nn.functional.cross_entropy(tied(torch.tensor([1, 2])), torch.tensor([2, 3])).backward()
losses += tied.e.weight.grad.sum(1).tolist()

# A schedule that goes back, and orders of a generator that is given, in two rounds.
loader = DataLoader(list(range(6)), 2, shuffle=True, generator=torch.Generator().manual_seed(7))
losses += [n for _ in range(2) for b in loader for n in b.tolist()]
net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.3), nn.Linear(3, 1))
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
schedule = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=8)
x = torch.randn(6, 4)


def step():
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    return [loss.item(), optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"]]


losses += step() + step()
kept = copy.deepcopy([net.state_dict(), optimizer.state_dict(), schedule.state_dict(), torch.get_rng_state()])
losses += step() + step()
for one, state in zip((net, optimizer, schedule), kept):
    one.load_state_dict(state)
torch.set_rng_state(kept[3])
losses += step() + step()
