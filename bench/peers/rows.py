"""What is measured: a row for each operation, ours and PyTorch's, on the same elements."""

from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Row:
    name: str
    shape: str
    ours: Callable  # computes into results
    theirs: Callable  # returns the same, as one tensor or several
    results: list = field(default_factory=list)  # tensors of th.py
    prepare: Callable = None  # puts what calls change as it was; without it, results become 0
    tolerance: float = 1e-5  # relative, in norm

    def reset(self):
        if self.prepare:
            self.prepare()
        else:
            for result in self.results:
                result.torch.zero_()

    def check(self):
        """Raises unless both compute the same."""
        self.reset()
        expected = self.theirs()
        if hasattr(expected, "shape"):
            expected = [expected]
        expected = [tensor for tensor in expected if tensor is not None]
        self.reset()
        self.ours()
        if len(expected) != len(self.results):
            raise ValueError(
                f"{self.name}: {len(self.results)} results, PyTorch has {len(expected)}"
            )
        for ours, theirs in zip(self.results, expected):
            theirs = theirs.double().reshape(-1)
            difference = float((ours.torch.double().reshape(-1) - theirs).norm() / theirs.norm())
            if not difference <= self.tolerance:
                raise ValueError(
                    f"{self.name}, {self.shape}: relative difference of {difference:.1e}"
                )


FAMILIES = {}


def family(name):
    """Decorates a generator of rows; it is called with the library of th.py."""

    def add(function):
        FAMILIES[name] = function
        return function

    return add
