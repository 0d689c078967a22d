"""Windows of signals: windows.hann is the operation signal_windows_hann."""

from .. import _C

_NAMES = ("bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
          "kaiser", "nuttall")
globals().update({name: getattr(_C, "signal_windows_" + name) for name in _NAMES})
__all__ = list(_NAMES)
