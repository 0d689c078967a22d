"""What scripts ask before they choose a device: the package is for the CPU.  Without a device PyTorch too answers these, and
raises an error for others."""

import contextlib as _contextlib


def is_available():
    return False


is_initialized = is_bf16_supported = is_current_stream_capturing = is_available


def device_count():
    return 0


def manual_seed_all(seed):
    """There is no generator but the CPU's."""


manual_seed = manual_seed_all


def synchronize(device=None):
    """Nothing runs elsewhere."""


def empty_cache():
    """There is no memory of a device."""


ipc_collect = reset_peak_memory_stats = reset_max_memory_allocated = reset_max_memory_cached = init = empty_cache


def memory_allocated(device=None):
    """Bytes of a device's memory: none."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = max_memory_cached = memory_allocated


def memory_stats(device=None):
    return {}


def get_rng_state_all():
    return []


def set_rng_state_all(new_states):
    """There is no device whose state could be set."""
    if new_states:
        raise RuntimeError("set_rng_state_all(): there is no device cuda for %d states" % len(new_states))


def get_arch_list():
    return []


def set_device(device):
    """A negative number means none."""
    if not isinstance(device, int) or device >= 0:
        _no_device()


def _no_device(*args, **kwargs):
    raise RuntimeError("there is no device cuda: the package computes on the CPU")


get_device_name = get_device_properties = get_device_capability = current_device = current_stream = default_stream = _no_device
get_rng_state = set_rng_state = mem_get_info = memory_summary = initial_seed = seed = seed_all = _no_device


class Stream:
    """Work of a device in order; without one there is none."""

    def __init__(self, *args, **kwargs):
        _no_device()


class Event(Stream):
    """A point in a stream."""


class CUDAGraph(Stream):
    """Recorded work of a device."""


class OutOfMemoryError(RuntimeError):
    """A device has no memory left."""


@_contextlib.contextmanager
def device(device):
    """Nothing changes for None or a negative number."""
    if device is not None and (not isinstance(device, int) or device >= 0):
        _no_device()
    yield


@_contextlib.contextmanager
def stream(stream):
    """Nothing changes for None."""
    if stream is not None:
        _no_device()
    yield


from . import amp  # noqa: E402
