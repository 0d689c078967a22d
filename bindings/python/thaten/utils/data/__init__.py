"""Data sets and batches of them, in the orders of PyTorch's DataLoader with the same seed."""

import collections.abc as _abc
import itertools as _itertools
import sys as _sys
import types as _types

from ... import _C
from ..._C import Tensor
from ._workers import Workers as _Workers
from ._workers import get_worker_info
from ._workers import samples_of as _samples_of


class Dataset:
    """Samples by their index: __getitem__ and __len__."""

    def __class_getitem__(cls, item):
        return cls

    def __getitem__(self, index):
        raise NotImplementedError("__getitem__() of a Dataset")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Samples in an order of their own: __iter__."""


class TensorDataset(Dataset):
    """Sample i is element i of the first dimension of each tensor."""

    def __init__(self, *tensors):
        if any(t.shape[0] != tensors[0].shape[0] for t in tensors):
            raise AssertionError("the tensors have %s samples" % [t.shape[0] for t in tensors])
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class Subset(Dataset):
    """The samples with those indices."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices):
        return _samples_of(self.dataset, [self.indices[i] for i in indices])

    def __len__(self):
        return len(self.indices)


class ConcatDataset(Dataset):
    """Data sets one behind the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.cumulative_sizes = list(_itertools.accumulate(map(len, self.datasets)))

    def __getitem__(self, index):
        index += len(self) * (index < 0)
        if not 0 <= index < len(self):
            raise IndexError("sample %d of %d" % (index, len(self)))
        for dataset in self.datasets:
            if index < len(dataset):
                return dataset[index]
            index -= len(dataset)

    def __len__(self):
        return self.cumulative_sizes[-1] if self.cumulative_sizes else 0


class ChainDataset(IterableDataset):
    """Data sets with an order of their own, one behind the other."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        return _itertools.chain.from_iterable(self.datasets)

    def __len__(self):
        return sum(map(len, self.datasets))


class StackDataset(Dataset):
    """Sample i is sample i of each data set: a tuple, or by names a dictionary."""

    def __init__(self, *args, **kwargs):
        self.datasets = kwargs or args
        every = list(kwargs.values() or args)
        if not every or (args and kwargs):
            raise ValueError("data sets are given in order, or by names")
        if any(len(d) != len(every[0]) for d in every):
            raise ValueError("the data sets have %s samples" % [len(d) for d in every])
        self._length = len(every[0])

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: d[index] for name, d in self.datasets.items()}
        return tuple(d[index] for d in self.datasets)

    def __len__(self):
        return self._length


def random_split(dataset, lengths, generator=None):
    """Subsets of those lengths, or fractions of all, drawn without repetition."""
    if all(0 <= n <= 1 for n in lengths) and abs(sum(lengths) - 1) < 1e-9 and len(dataset) > 1:
        sizes = [int(len(dataset) * n) for n in lengths]
        for i in range(len(dataset) - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != len(dataset):
        raise ValueError("the lengths %s are not those of %d samples" % (list(lengths), len(dataset)))
    order = _C.randperm(len(dataset), generator=generator).tolist()
    ends = list(_itertools.accumulate(lengths))
    return [Subset(dataset, order[end - n:end]) for n, end in zip(lengths, ends)]


class Sampler:
    """The indices of a pass, in order."""

    def __init__(self, data_source=None):
        pass

    def __class_getitem__(cls, item):
        return cls


class SequentialSampler(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


def _seed(generator=None):
    return _C.empty([], dtype=_C.int64).random_(generator=generator).item()


class RandomSampler(Sampler):
    """All indices in a random order, or with replacement num_samples of them."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self.num_samples = len(data_source) if num_samples is None else num_samples

    def __iter__(self):
        generator = self.generator or _C.Generator().manual_seed(_seed())
        count = len(self.data_source)
        if self.replacement:
            for first in range(0, self.num_samples, 32):
                size = min(32, self.num_samples - first)
                yield from _C.empty([size], dtype=_C.int64).random_(0, count, generator=generator).tolist()
            return
        for _ in range(self.num_samples // count):
            yield from _C.randperm(count, generator=generator).tolist()
        # PyTorch draws this order also where nothing of it is used: it shows in a generator that is given.
        yield from _C.randperm(count, generator=generator).tolist()[:self.num_samples % count]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in a random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in _C.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """num_samples indices, each as often as its weight says, with or without replacement."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        self.weights = _C.tensor(weights, dtype=_C.float64)
        if num_samples <= 0 or self.weights.dim() != 1:
            raise ValueError("num_samples is %r, and weights have %d dimensions" % (num_samples, self.weights.dim()))
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        yield from _C.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of batch_size indices."""

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
            raise ValueError("batch_size is %r, and has to be an integer above 0" % (batch_size,))
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(_itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size


def default_collate(batch):
    """A batch of samples: tensors along a new first dimension, numbers as a tensor, of tuples and dictionaries each part."""
    first = batch[0]
    if isinstance(first, Tensor):
        return _C.stack(list(batch), 0)
    if hasattr(first, "__array_interface__"):
        return _C.stack([_C.tensor(one) for one in batch], 0)
    if hasattr(first, "dtype") and hasattr(first, "item"):  # numbers of NumPy
        return _C.stack([_C.tensor(one) for one in batch], 0)
    if isinstance(first, (bool, int, float)):
        return _C.tensor(list(batch), dtype=_C.float64 if isinstance(first, float) else None)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, _abc.Mapping):
        return {key: default_collate([one[key] for one in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(default_collate, zip(*batch)))
    if isinstance(first, (tuple, list)):
        return [default_collate(part) for part in zip(*batch)]
    raise TypeError("default_collate() of %s" % type(first).__name__)


def default_convert(data):
    """An array as a tensor, all else as it is."""
    return _C.tensor(data) if hasattr(data, "__array_interface__") else data


class DataLoader:
    """Batches of a data set, made as they are asked for, or in advance by num_workers processes."""

    _workers = None

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None, generator=None, *,
                 prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True):
        if num_workers < 0 or timeout < 0:
            raise ValueError("DataLoader: num_workers is %r, and timeout %r" % (num_workers, timeout))
        if num_workers == 0 and (prefetch_factor is not None or persistent_workers):
            raise ValueError("DataLoader: prefetch_factor and persistent_workers are for num_workers above 0")
        self.dataset, self.batch_size, self.drop_last, self.generator = dataset, batch_size, drop_last, generator
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.multiprocessing_context, self.persistent_workers = multiprocessing_context, persistent_workers
        self.prefetch_factor, self.pin_memory = 2 if prefetch_factor is None and num_workers else prefetch_factor, pin_memory
        self._is_iterable = isinstance(dataset, IterableDataset)
        if sampler is None and not isinstance(dataset, IterableDataset):
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        elif shuffle:
            raise ValueError("shuffle is not for a sampler of one's own")
        self.sampler, self.batch_sampler = sampler, batch_sampler
        if batch_sampler is None and batch_size is not None and sampler is not None:
            self.batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.collate_fn = collate_fn or (default_collate if batch_size is not None else default_convert)

    def __iter__(self):
        if self._workers is not None:
            self._workers.restart()
            return self._workers.batches(self._indices())
        seed = _seed(self.generator)
        if self.num_workers == 0:
            return self._batches()
        workers = _Workers(self, seed)
        if self.persistent_workers:
            self._workers = workers
        return self._passing(workers)

    def _passing(self, workers):
        """A pass, at whose end the workers end unless they are persistent."""
        made = workers.batches(self._indices())

        def batches():
            try:
                yield from made
            finally:
                if self._workers is not workers:
                    workers.close()

        return batches()

    def _indices(self):
        if self._is_iterable:
            return _itertools.repeat(None)
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def _for_workers(self):
        """What a worker needs, without the processes themselves and what may not be in another process."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.sampler = copy.generator = copy._workers = None
        copy.batch_sampler = None if self.batch_sampler is None else ()
        return copy

    def __class_getitem__(cls, item):
        return cls

    def _batches(self):
        if isinstance(self.dataset, IterableDataset):
            samples = iter(self.dataset)
            if self.batch_size is None:
                yield from map(self.collate_fn, samples)
            while self.batch_size and (batch := list(_itertools.islice(samples, self.batch_size))):
                if len(batch) == self.batch_size or not self.drop_last:
                    yield self.collate_fn(batch)
        elif self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
        else:
            for indices in self.batch_sampler:
                yield self.collate_fn(_samples_of(self.dataset, indices))

    def __len__(self):
        if isinstance(self.dataset, IterableDataset):
            length, size = len(self.dataset), self.batch_size or 1
            return length // size if self.drop_last else -(-length // size)
        return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)


from .distributed import DistributedSampler  # noqa: E402

# PyTorch's modules of this package.
for _name, _has in (("dataset", (ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split)),
                    ("sampler", (BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler)),
                    ("dataloader", (DataLoader, default_collate, default_convert, get_worker_info))):
    _module = _types.ModuleType("%s.%s" % (__name__, _name), "Part of utils.data.")
    _module.__dict__.update({one.__name__: one for one in _has})
    globals()[_name] = _sys.modules[_module.__name__] = _module
