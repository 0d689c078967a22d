"""Processes that make the batches of a DataLoader.

Each worker gets lists of indices in turn and answers in order, so batches come in the order of the sampler. A worker of an
IterableDataset has a copy of the data set, and its batches come in turn with those of the others.
"""

import itertools as _itertools
import multiprocessing as _multiprocessing
import os as _os
import queue as _queue
import random as _random
import sys as _sys
import traceback as _traceback
import weakref as _weakref

from ... import _C

_END, _BATCH, _ERROR, _READY = range(4)  # what a worker answers
_PATIENCE = 5.0  # seconds after which a worker looks whether its parent is alive

_info = None


class WorkerInfo:
    """What a worker knows of itself: id, num_workers, seed and dataset."""

    def __init__(self, id, num_workers, seed, dataset):
        self.id, self.num_workers, self.seed, self.dataset = id, num_workers, seed, dataset

    def __repr__(self):
        return "WorkerInfo(id=%d, num_workers=%d, seed=%d, dataset=%r)" % (self.id, self.num_workers, self.seed, self.dataset)


def get_worker_info():
    """In a worker of a DataLoader what it knows of itself; None elsewhere."""
    return _info


def samples_of(dataset, indices):
    """The samples of a batch, all at once where the data set can."""
    several = getattr(dataset, "__getitems__", None)
    return [dataset[i] for i in indices] if several is None else several(indices)


def _fetcher(loader):
    """What makes a batch of indices, or of an IterableDataset's next samples; StopIteration at its end."""
    collate, size = loader.collate_fn, loader.batch_size
    if not loader._is_iterable:
        if loader.batch_sampler is None:
            return lambda index: collate(loader.dataset[index])
        return lambda indices: collate(samples_of(loader.dataset, indices))
    samples = iter(loader.dataset)
    if size is None:
        return lambda _: collate(next(samples))

    def several(_):
        batch = list(_itertools.islice(samples, size))
        if not batch or (loader.drop_last and len(batch) < size):
            raise StopIteration
        return collate(batch)

    return several


def _work(loader, number, base_seed, wanted, answers):
    """The worker's process: a list of indices after the other, until None; a True begins a pass anew."""
    global _info
    parent, seed = _os.getppid(), base_seed + number
    _C.set_num_threads(1)  # threads of the parent are not there after a fork
    _random.seed(seed)
    _C.manual_seed(seed)
    _info = WorkerInfo(number, loader.num_workers, seed, loader.dataset)
    fetch, failed = None, None
    try:
        if loader.worker_init_fn is not None:
            loader.worker_init_fn(number)
    except Exception:
        failed = _failure(number)
    while True:
        try:
            given = wanted.get(timeout=_PATIENCE)
        except _queue.Empty:
            if _os.getppid() != parent:
                return
            continue
        if given is None:
            return
        if given is True:
            fetch = None
            answers.send((_READY, None))
            continue
        answers.send(failed or _answer(loader, number, given[0], fetch := fetch or _begin(loader)))
        failed = None


def _begin(loader):
    try:
        return _fetcher(loader)
    except Exception as error:
        return error


def _answer(loader, number, given, fetch):
    try:
        if isinstance(fetch, Exception):
            raise fetch
        return _BATCH, fetch(given)
    except StopIteration:
        return _END, None
    except Exception:
        return _failure(number)


def _failure(number):
    kind, error, _ = _sys.exc_info()
    text = "Caught %s in DataLoader worker process %d.\nOriginal %s" % (kind.__name__, number, _traceback.format_exc())
    return _ERROR, (kind, text)


def _end(owner, processes, queues):
    """Ends the workers; a fork of the owner leaves them alone."""
    if _os.getpid() != owner:
        return
    for queue in queues:
        queue.cancel_join_thread()
        queue.put(None)
    for process in processes:
        process.join(_PATIENCE)
        if process.is_alive():
            process.terminate()


class Workers:
    """The processes of one loader, and the pass over its data that they are at."""

    def __init__(self, loader, base_seed):
        context = loader.multiprocessing_context
        if not hasattr(context, "Process"):
            context = _multiprocessing.get_context(context)
        self.loader, self.queues, self.pipes, self.processes = loader, [], [], []
        for number in range(loader.num_workers):
            wanted = context.Queue()
            inlet, outlet = context.Pipe(duplex=False)
            process = context.Process(target=_work, args=(loader._for_workers(), number, base_seed, wanted, outlet), daemon=True)
            process.start()
            outlet.close()  # so that the end of the worker is the end of the pipe
            self.queues.append(wanted)
            self.pipes.append(inlet)
            self.processes.append(process)
        self.close = _weakref.finalize(self, _end, _os.getpid(), self.processes, self.queues)
        self.asked = []  # the workers whose answers are awaited, in order

    def _receive(self, number):
        pipe, seconds = self.pipes[number], self.loader.timeout
        if seconds and not pipe.poll(seconds):
            raise RuntimeError("DataLoader timed out after %s seconds" % seconds)
        try:
            return pipe.recv()
        except EOFError:
            pid = self.processes[number].pid
            raise RuntimeError("DataLoader worker (pid(s) %d) exited unexpectedly" % pid) from None

    def restart(self):
        """What was asked for in a pass that was left is thrown away, and a pass begins anew."""
        for number in self.asked:
            self._receive(number)
        self.asked = []
        for queue in self.queues:
            queue.put(True)
        for number in range(len(self.queues)):
            self._receive(number)

    def batches(self, indices):
        """The batches of the lists of indices, an iterator; each worker has some of them in advance."""
        alive, number = [True] * len(self.queues), 0
        indices = iter(indices)

        def ask():
            nonlocal number
            for _ in alive:
                chosen, number = number, (number + 1) % len(alive)
                if alive[chosen]:
                    for given in indices:
                        self.queues[chosen].put((given,))
                        self.asked.append(chosen)
                        return
                    return

        for _ in range(self.loader.prefetch_factor * len(alive)):
            ask()
        while self.asked:
            chosen = self.asked.pop(0)
            kind, made = self._receive(chosen)
            if kind == _END:
                alive[chosen] = False
                ask()
                continue
            if kind == _ERROR:
                raise _error(*made)
            ask()
            yield made


def _error(kind, text):
    """The exception of a worker, with its text where the class takes one."""
    if issubclass(kind, KeyError):
        return type("KeyError", (KeyError,), {"__str__": lambda self: self.args[0]})(text)
    try:
        return kind(text)
    except Exception:
        return RuntimeError(text)
