"""The samples of one process of several."""

import math as _math

from ... import _C
from . import Sampler


class DistributedSampler(Sampler):
    """Every num_replicas-th index, from rank on, of the same order in all processes; set_epoch() chooses the order.
    Without drop_last the first indices come again, so that all have as many."""

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        if num_replicas is None or rank is None:
            from ... import distributed

            num_replicas = distributed.get_world_size() if num_replicas is None else num_replicas
            rank = distributed.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError("DistributedSampler: rank is %d, and has to be from 0 to %d" % (rank, num_replicas - 1))
        self.dataset, self.num_replicas, self.rank, self.epoch = dataset, num_replicas, rank, 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        count = len(dataset)
        self.num_samples = (_math.ceil((count - num_replicas) / num_replicas) if drop_last and count % num_replicas
                            else _math.ceil(count / num_replicas))
        self.total_size = self.num_samples * num_replicas

    def __iter__(self):
        count = len(self.dataset)
        if self.shuffle:
            generator = _C.Generator().manual_seed(self.seed + self.epoch)
            indices = _C.randperm(count, generator=generator).tolist()
        else:
            indices = list(range(count))
        while not self.drop_last and len(indices) < self.total_size:
            indices += indices[:self.total_size - len(indices)]
        return iter(indices[:self.total_size][self.rank::self.num_replicas])

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Chooses the order of the next pass."""
        self.epoch = epoch
