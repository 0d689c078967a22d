"""Data sets of all kinds, samplers and batches in PyTorch's orders."""

import torch
from torch.utils.data import (BatchSampler, ChainDataset, ConcatDataset, DataLoader, Dataset, IterableDataset, Sampler,
                              SequentialSampler, StackDataset, Subset, SubsetRandomSampler, TensorDataset, WeightedRandomSampler,
                              random_split)

torch.manual_seed(6)
losses = []


class Squares(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return {"x": torch.tensor([i, i * i], dtype=torch.float32), "y": i}


class Counted(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return iter(range(self.count))

    def __len__(self):
        return self.count


class Backwards(Sampler):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        return iter(range(len(self.source) - 1, -1, -1))

    def __len__(self):
        return len(self.source)


def take(loader):
    losses.append(float(len(loader)))
    for batch in loader:
        losses.extend(torch.as_tensor(batch["y"] if isinstance(batch, dict) else batch).flatten().double().tolist())


squares = Squares(10)
for options in (dict(batch_size=4), dict(batch_size=4, shuffle=True, drop_last=True), dict(batch_size=3, sampler=Backwards(squares)),
                dict(batch_size=2, sampler=SubsetRandomSampler([1, 4, 7])), dict(batch_size=None),
                dict(batch_size=4, sampler=WeightedRandomSampler([0.1, 0.9, 0.0, 2.0], 9)),
                dict(batch_size=2, sampler=WeightedRandomSampler([0.1, 0.9, 0.5], 2, replacement=False)),
                dict(batch_sampler=BatchSampler(SequentialSampler(squares), 3, True)),
                dict(batch_size=5, shuffle=True, generator=torch.Generator().manual_seed(3))):
    take(DataLoader(squares, **options))
for part in random_split(squares, [7, 3]) + random_split(squares, [0.75, 0.25], torch.Generator().manual_seed(1)):
    take(DataLoader(part, batch_size=4))
take(DataLoader(ConcatDataset([squares, Subset(squares, [3, 5])]), batch_size=7))
take(DataLoader(squares + squares, batch_size=20))
take(DataLoader(Counted(7), batch_size=3))
losses += [float(i) for i in ChainDataset([Counted(2), Counted(3)])]
pairs = StackDataset(TensorDataset(torch.arange(4.0)), squares.__class__(4))
losses += [pairs[2][0][0].item(), pairs[2][1]["x"].sum().item(), float(len(pairs))]
losses.append(torch.rand(1, dtype=torch.float64).item())
