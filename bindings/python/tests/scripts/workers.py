"""Batches that other processes make: their order, their random numbers, their errors."""

import random

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info


class Draws(Dataset):
    def __len__(self):
        return 23

    def __getitem__(self, i):
        info = get_worker_info()
        return i * 1.0, torch.rand(1).item(), torch.randint(100, (1,)).item(), random.random(), info.id, info.seed % 1000


class Counted(IterableDataset):
    def __iter__(self):
        first = get_worker_info().id * 100
        return iter(range(first, first + 7 + first // 16))


class Failing(Dataset):
    def __len__(self):
        return 23

    def __getitem__(self, i):
        if i == 5:
            raise KeyError("five")
        return i


def init(number):
    if number == 1:
        torch.rand(3)


def plain(batch):
    return [plain(x) for x in batch] if isinstance(batch, (list, tuple)) else batch.tolist() if hasattr(batch, "tolist") else batch


def load(dataset, **options):
    return DataLoader(dataset, multiprocessing_context="fork", **options)


torch.manual_seed(1)
losses, texts = [], []
for options in ({"shuffle": True, "batch_size": 4, "num_workers": 2},
                {"shuffle": True, "batch_size": 6, "num_workers": 3, "worker_init_fn": init},
                {"shuffle": True, "batch_size": 5, "num_workers": 2, "persistent_workers": True},
                {"batch_size": None, "num_workers": 2, "prefetch_factor": 1}):
    loader = load(Draws(), **options)
    texts += [repr([plain(batch) for batch in loader]) for _ in range(2)]
    losses.append(torch.rand(1).item())
for options in ({"batch_size": 4, "num_workers": 2}, {"batch_size": 4, "num_workers": 3, "drop_last": True, "persistent_workers": True},
                {"batch_size": None, "num_workers": 2}):
    loader = load(Counted(), **options)
    texts += [repr([plain(batch) for batch in loader]) for _ in range(2)]
seen = 0
try:
    for batch in load(Failing(), batch_size=2, num_workers=2):
        seen += 1
except KeyError as error:
    texts.append(str(error).split("\n")[0])
losses.append(seen)
loader = load(Draws(), batch_size=2, num_workers=2, persistent_workers=True)
next(iter(loader))  # a pass that is left
losses.append(len(list(loader)))
