"""Forward passes that keep nothing of what they compute on the way: it is computed again for the gradients."""

import contextlib as _contextlib

from .. import _C
from ..autograd import enable_grad as _enable_grad
from ..autograd.graph import saved_tensors_hooks as _saved_tensors_hooks
from ..random import get_rng_state, set_rng_state

_early_stop = [True]


class CheckpointError(RuntimeError):
    """The function did not compute the same again."""


class _Enough(BaseException):
    """Everything that was saved is there again."""


class _Kept:
    """What is kept instead of a tensor that was saved: its number among those of the call."""

    def __init__(self, frame):
        self.frame, self.number = frame, frame.count
        frame.count += 1
        frame.wanted.add(self.number)

    def __del__(self):
        self.frame.wanted.discard(self.number)
        self.frame.found.pop(self.number, None)


class _Frame:
    """A call: how many tensors it has saved, which of them a pass may still want, and those of them that are there again."""

    def __init__(self, run, stops):
        self.run, self.stops, self.count, self.wanted, self.found = run, stops, 0, set(), {}

    def tensor(self, kept):
        if kept.number not in self.found:
            self.again()
        return self.found[kept.number]

    def again(self):
        seen = []

        def collect(tensor):
            if len(seen) in self.wanted:
                self.found[len(seen)] = tensor
            seen.append(None)
            if self.stops and len(seen) == self.count:
                raise _Enough
            return tensor

        try:
            with _saved_tensors_hooks(collect, lambda tensor: tensor), _enable_grad():
                self.run()
        except _Enough:
            pass
        if len(seen) != self.count:
            raise CheckpointError("checkpoint(): the function saved %d tensors for gradients, and %d when it ran again" % (
                self.count, len(seen)))


class _autocast_as:
    """The types that operations choose, as they were."""

    def __init__(self):
        self.types = [_C._autocast(device) for device in range(2)]

    def _set(self):
        before = [_C._autocast(device) for device in range(2)]
        for device, dtype in enumerate(self.types):
            _C._set_autocast(device, dtype)
        self.types = before

    __enter__ = _set

    def __exit__(self, *_):
        self._set()


def checkpoint(function, *args, use_reentrant=None, context_fn=None, determinism_check="default", debug=False, early_stop=True,
               preserve_rng_state=True, **kwargs):
    """function(*args, **kwargs), whose results in between are not kept; its gradients are the same.  What it draws, it draws
    again unless preserve_rng_state is False.  context_fn() returns two contexts, for the call and for that which computes
    again."""
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    first, second = context_fn() if context_fn else (_contextlib.nullcontext(), _contextlib.nullcontext())
    state = get_rng_state() if preserve_rng_state else None
    autocast = _autocast_as()

    def run():
        now = get_rng_state()
        if state is not None:
            set_rng_state(state)
        try:
            with autocast, second:
                function(*args, **kwargs)
        finally:
            if state is not None:
                set_rng_state(now)

    frame = _Frame(run, early_stop and _early_stop[0])
    with _saved_tensors_hooks(lambda tensor: _Kept(frame), frame.tensor), first:
        return function(*args, **kwargs)


@_contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Whether computing again ends with the last tensor that is wanted, for calls in the with statement."""
    before, _early_stop[0] = _early_stop[0], enable
    try:
        yield
    finally:
        _early_stop[0] = before


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """The functions, or the modules of a Sequential, one after the other, in so many parts, all but the last with
    checkpoint()."""
    functions = list(functions)
    size = len(functions) // segments

    def run(part):
        def forward(value):
            for function in part:
                value = function(value)
            return value

        return forward

    for i in range(segments - 1):
        input = checkpoint(run(functions[i * size:(i + 1) * size]), input, **kwargs)
    return run(functions[(segments - 1) * size:])(input)
