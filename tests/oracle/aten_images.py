"""Random images, and what scripts that write cases of layers of images have in common."""

import math

import torch

import aten_cases
from aten_cases import Default, Ints


def gradient(forward, x, grad):
    """By autograd; of an input without elements there are no numbers."""
    x = x.detach().clone().requires_grad_(True)
    y = forward(x)
    return torch.autograd.grad(y, x, grad)[0]


class Images:
    """Random operands of a layer with that many axes."""

    def __init__(self, out, axes):
        self.out, self.r, self.axes = out, out.random, axes

    def shape(self):
        r = self.r
        low, high = (3, 7) if self.axes == 1 else (3, 6) if self.axes == 2 else (2, 5)
        size = [r.choice([1, 2, 3])] + [r.randrange(low, high) for _ in range(self.axes)]
        if r.random() < 0.75:
            size = [r.choice([0, 1, 2, 2])] + size
        elif r.random() < 0.1:
            size = [1, 1] + size
        if r.random() < 0.06:
            size[r.randrange(len(size))] = 0
        return size

    def image(self, dtype, special=True):
        r = self.r
        x = self.out.tensor(self.shape(), dtype, low=-40, high=41)
        if special and x.dtype.is_floating_point and x.numel() and r.random() < 0.2:
            x.reshape(-1)[r.randrange(x.numel())] = r.choice([math.nan, math.inf, -math.inf])
        return x

    def numbers(self, low, high, optional=True, count=None):
        """What is given, and what the option is."""
        r = self.r
        if optional and r.random() < 0.35:
            return None, Default
        if optional and r.random() < 0.08:
            n = r.randrange(max(low, 1), high)
            return [n] * self.axes, Ints(n)
        values = [r.randrange(low, high) for _ in range(self.axes)]
        if optional and not any(values):
            return None, Default
        return values, Ints(*values)

    def flag(self, default):
        choice = self.r.choice([Default, True, False])
        return default if choice is Default else choice, choice


def raised(call):
    try:
        return call()
    except aten_cases.RAISES:
        return None


def out_of(t, r):
    """A tensor to write to: of its size, or of another."""
    return torch.empty(r.choice([tuple(t.shape), (0,), (2, 3)]), dtype=t.dtype)


def is_ours(call):
    """Whether we compute what PyTorch refuses, or refuse images of integers without elements."""
    try:
        y = call()
        return isinstance(y, torch.Tensor) and not y.dtype.is_floating_point and y.numel() == 0
    except aten_cases.RAISES as error:
        return "smaller than kernel size" in str(error)


def forms(out, name, arguments, call, outs=True, within=None):
    """The function, and perhaps the out form.  outs may say what is written to."""
    if is_ours(call):
        return
    out.case(name, arguments, call, within)
    if not outs or out.random.random() < 0.6:
        return
    result = raised(call)
    if result is None:
        return
    results = result if isinstance(result, tuple) else (result,)
    given = outs(results) if callable(outs) else [torch.zeros_like(out_of(t, out.random)) for t in results]
    stem, dot, overload = name.partition(".")
    out.case(stem + "_out" + dot + overload, given + arguments, lambda: result, within)
