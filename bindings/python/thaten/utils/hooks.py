"""What a hook that was registered is removed by."""

from ..autograd import RemovableHandle  # noqa: F401
