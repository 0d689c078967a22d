"""Golden values of loaders: the orders in which PyTorch's DataLoader takes samples in two shuffled passes."""

import torch
from torch.utils.data import DataLoader, TensorDataset

import golden

COUNT = 23
data = TensorDataset(torch.arange(COUNT))


def passes(loader):
    return torch.cat([batch for _ in range(2) for (batch,) in loader])


with golden.Writer("loader", __file__) as out:
    generator = torch.Generator()
    generator.manual_seed(7)
    out.put("own", passes(DataLoader(data, batch_size=4, shuffle=True, generator=generator)))
    torch.manual_seed(11)
    out.put("default", passes(DataLoader(data, batch_size=5, shuffle=True, drop_last=True)))
