"""Checkpoints of all that Python's containers hold, which come back as they were."""

import collections
import io
import random

import torch
from torch import nn
from torch.utils.data.dataloader import DataLoader, default_collate
from torch.utils.data.dataset import Subset, TensorDataset

losses, texts = [], []


def again(obj, **options):
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return torch.load(file, **options)


for obj in ((1, 2), (torch.ones(2),), [(1, (2, 3))], {"a": (torch.ones(1), [torch.zeros(1)])}, (), None, True, -5, 10 ** 20, "é\u2603",
            {1: 2, "a": {0.5: 1}}, {(1, 2): 3}, nn.Parameter(torch.ones(2)), torch.ones(2, requires_grad=True), torch.float16,
            torch.Size([2, 3]), torch.device("cpu"), {1, 2}, b"abc\xff", 1 + 2j, collections.OrderedDict(a=1),
            torch.tensor(3.0), torch.empty(0, 3), torch.ones(2, dtype=torch.complex64), torch.tensor([True, False])):
    found = again(obj)
    texts.append("%s %s" % (type(found).__name__, found))

whole = torch.arange(6.0).view(2, 3)
first, row, turned = again([whole, whole[0], whole.t()])
row[1] = 100
texts += [str(first), str(turned), str(turned.stride())]
shared = ["x"]
pair = again((shared, shared))
pair[0].append(1)
texts.append(str(pair))
own = [1]
own.append(own)
own = again(own)
texts.append(str(own[1] is own))


class Mine:
    pass


try:
    again(Mine(), weights_only=True)
except Exception as error:
    texts.append(type(error).__name__)
texts.append(str(again(random.getstate()) == random.getstate()))

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.2), nn.Linear(4, 1)).double()
optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
inputs = torch.randn(8, 3, dtype=torch.float64)


def train(net, optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        loss = net(inputs).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())


train(net, optimizer)
state = again({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "random": torch.get_rng_state(), "at": (3, "x")})
texts += [type(state["net"]).__name__, str(list(state["net"])), str(state["at"])]
train(net, optimizer)
net.load_state_dict(state["net"])
optimizer.load_state_dict(state["optimizer"])
torch.set_rng_state(state["random"])
train(net, optimizer)


class Batches(TensorDataset):
    def __getitems__(self, indices):
        texts.append("batch %s" % indices)
        return [self[i] for i in indices]


for batch in DataLoader(Subset(Batches(torch.arange(5)), [4, 2, 0]), 2):
    texts.append(str(batch))
texts.append(str(default_collate([(1, 2.0), (3, 4.0)])))
