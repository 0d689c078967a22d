"""Fourier transforms: fft.rfft is the operation fft_rfft."""

from . import _C

globals().update({name[len("fft_"):]: getattr(_C, name) for name in dir(_C) if name.startswith("fft_")})
