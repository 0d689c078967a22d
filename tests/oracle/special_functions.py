"""Golden values of the functions in THMath.h and THLogAdd.h, computed with mpmath."""

import random

import mpmath
import torch

import golden

mpmath.mp.dps = 60


def put(out, name, function, points):
    """Points are doubles; values are rounded to double once, from 60 digits."""
    out.put(name + "/x", torch.tensor(points, dtype=torch.float64))
    values = [float(function(mpmath.mpf(x))) for x in points]
    out.put(name + "/y", torch.tensor(values, dtype=torch.float64))


def main():
    random.seed(20180228)
    between = lambda a, b, n: [random.uniform(a, b) for _ in range(n)]
    orders = lambda a, b, n: [10 ** random.uniform(a, b) for _ in range(n)]
    with golden.Writer("special_functions", __file__) as out:
        positive = between(1e-3, 30, 120) + between(1.4, 1.5, 40) + [1.0, 2.0, 9.75, 10.0, 10.25]
        # Away from the poles by a quarter at least, and from the zeros that lie between them.
        negative = [-k - random.uniform(0.25, 0.35) for k in range(20)]
        put(out, "digamma", mpmath.digamma, positive + orders(-300, 300, 40))
        put(out, "digammaNegative", mpmath.digamma, negative)
        trigamma = lambda x: mpmath.psi(1, x)
        put(out, "trigamma", trigamma, positive + orders(-150, 150, 40) + negative)
        tails = [1 - 10 ** random.uniform(-15.9, 0) for _ in range(40)]
        erfinv = between(-1, 1, 60) + orders(-300, 0, 40) + tails + [1 - 2.0**-53, 2.0**-53 - 1]
        put(out, "erfinv", mpmath.erfinv, erfinv)
        put(out, "sigmoid", lambda x: 1 / (1 + mpmath.exp(-x)), between(-700, 40, 60))

        pairs = [(random.uniform(-50, 50), random.uniform(0, 45)) for _ in range(40)]
        pairs += [(0.25, 2.0**-k) for k in range(1, 54, 4)]
        pairs = [(a, a - d) for a, d in pairs]
        out.put("log/a", torch.tensor([a for a, _ in pairs], dtype=torch.float64))
        out.put("log/b", torch.tensor([b for _, b in pairs], dtype=torch.float64))
        exp, log, mpf = mpmath.exp, mpmath.log, mpmath.mpf
        for name, sign in (("add", 1), ("sub", -1)):
            values = [float(log(exp(mpf(a)) + sign * exp(mpf(b)))) for a, b in pairs]
            out.put("log/" + name, torch.tensor(values, dtype=torch.float64))


main()
