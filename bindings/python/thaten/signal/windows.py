"""Windows of signals: windows.hann is the operation signal_windows_hann."""

from .. import _C, float32, float64, get_default_dtype

_NAMES = ("bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
          "kaiser", "nuttall")


def _window(name):
    made = getattr(_C, "signal_windows_" + name)

    def window(*args, **kwargs):
        dtype = kwargs.get("dtype") or get_default_dtype()
        if dtype not in (float32, float64):
            raise ValueError("%s expects float32 or float64 dtypes, got: %s" % (name, dtype))
        return made(*args, **kwargs)

    window.__name__, window.__doc__ = name, made.__doc__
    return window


globals().update({name: _window(name) for name in _NAMES})
__all__ = list(_NAMES)
