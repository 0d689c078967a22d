"""The state of the default generator."""

import contextlib as _contextlib

from . import _C


def seed():
    """Seeds the default generator from the system's entropy, and returns the seed."""
    return _C.default_generator.seed()


def initial_seed():
    """The seed of the default generator."""
    return _C.default_generator.initial_seed()


def get_rng_state():
    """The state of the default generator: bytes in a tensor, as PyTorch has them."""
    return _C.default_generator.get_state()


def set_rng_state(new_state):
    """Continues with a state of get_rng_state(), of here or of PyTorch."""
    _C.default_generator.set_state(new_state)


manual_seed = _C.manual_seed


@_contextlib.contextmanager
def fork_rng(devices=None, enabled=True, **_):
    """Gives the generator its state back at the end of the with statement."""
    before = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(before)
