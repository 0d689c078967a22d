"""Golden gradients of Dirichlet samples: from mpmath, by their definition, and from PyTorch."""

import random

import mpmath
import torch

import golden

mpmath.mp.dps = 60


def gradient(x, a, total):
    """The derivative of x of Beta(a, total - a) by a, at a fixed quantile, over 1 - x."""
    x, a, b = mpmath.mpf(x), mpmath.mpf(a), mpmath.mpf(total) - mpmath.mpf(a)
    density = x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b)
    if x < a / (a + b):
        change = mpmath.diff(lambda c: mpmath.betainc(c, b, 0, x, regularized=True), a)
    else:  # what is left of 1 would lose its digits
        change = -mpmath.diff(lambda c: mpmath.betainc(b, c, 0, 1 - x, regularized=True), a)
    return float(-change / density / (1 - x))


def floats(values):
    """Numbers that float and double both have."""
    return torch.tensor(values, dtype=torch.float32).double()


random.seed(3)
points = []
for low, high, count in ((-2, 0.5, 60), (-1, 1.5, 60), (0, 2.5, 40), (3, 3.5, 10)):
    for _ in range(count):
        a, b = 10 ** random.uniform(low, high), 10 ** random.uniform(low, high)
        sampled = random.random() < 0.7
        x = random.betavariate(a, b) if sampled else random.random()
        if 1e-6 < x < 1 - 1e-6:
            points.append((x, a, a + b, sampled))
x, alpha, total, sampled = (floats(list(column)) for column in zip(*points))
with golden.Writer("dirichlet", __file__) as out:
    out.put("x", x)
    out.put("alpha", alpha)
    out.put("total", total)
    exact = [gradient(*point) for point in zip(x.tolist(), alpha.tolist(), total.tolist())]
    out.put("gradient", torch.tensor(exact, dtype=torch.float64))
    # PyTorch's formulas are for x that the distribution makes likely.
    out.put("sampled", sampled)
    out.put("PyTorch", torch._dirichlet_grad(x, alpha, total))
