"""Signals: windows."""

from . import windows  # noqa: F401
