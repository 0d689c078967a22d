"""The profiler under its older name."""

from .. import profiler as _profiler
from ..profiler import record_function  # noqa: F401


class profile(_profiler.profile):
    """Records the operations of its with statement."""

    def __init__(self, enabled=True, *, use_cuda=False, record_shapes=False, **_):
        super().__init__(record_shapes=record_shapes)
        self._enabled = enabled

    def start(self):
        if self._enabled:
            super().start()
