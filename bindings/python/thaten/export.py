"""Programs that torch.export.save wrote: `export.load("net.pt2")` is called like the exported module."""

from ._C import Program


def load(f):
    """The program in that file."""
    return Program(f)
