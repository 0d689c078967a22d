"""Versions: of the package, and None of what is not there."""

from . import __version__

cuda = hip = xpu = None
