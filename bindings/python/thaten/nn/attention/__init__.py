"""How attention is computed, of which there is one way; flex_attention has scores that a function changes."""

import contextlib as _contextlib
import enum as _enum


class SDPBackend(_enum.IntEnum):
    """The ways in PyTorch."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@_contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """scaled_dot_product_attention computes the same with any of them."""
    for backend in backends if isinstance(backends, (list, tuple)) else [backends]:
        if not isinstance(backend, SDPBackend):
            raise TypeError("sdpa_kernel() takes members of SDPBackend, and %r is none" % (backend,))
    yield {}



def can_use_flash_attention(params=None, debug=False):
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention
