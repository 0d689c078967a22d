#!/usr/bin/env python3
"""Computes the tables of src/TH/pointwise/THDoubleTables.h, and the coefficients in THDoubleMathAvx512.h (needs mpmath; run by
hand; a minute).

    wide_doubles.py > tables          prints both: tables as they stand in the header, fits as coefficients.py prints them

Functions by intervals have, for each of 16, a number m, f(m), f'(m) and the coefficients from d^2 on, d = x - m.  The m
are chosen among 24,000 so that f(m) and f'(m) are next to doubles: then the first two terms err by nothing that counts.
The other terms are minimax polynomials of f's Taylor series about m.
"""
from mpmath import mp, mpf, log, exp, sin, cos, sqrt, atan, erf, erfc, pi

from coefficients import SIN, clean, fac, fit, hexadecimal, print_table, remez, rounded, series_sum, taylor, tiny, value

POINTS = 12000


def fraction_lost(v, unit):
    return abs(v / unit - mp.nint(v / unit))


def unit_of(v):
    return mpf(2) ** (mp.frexp(v)[1] - 53)


def next_to_doubles(series, a, b):
    """The best m near the middle of [a, b]; where the function hardly changes they have to be further apart."""
    m = rounded((a + b) / 2, 53)
    t = series(m, 6)
    unit, slope_unit, step = unit_of(t[0]), unit_of(t[1]), 97 * unit_of(m)
    flat = t[1] < mpf("1e-6")
    if flat:
        step = mp.floor((b - a) / POINTS / 8 / step) * step
    best = 1, m
    for k in range(-POINTS, POINTS + 1):
        e = k * step
        v = series(m + e, 2)[0] if flat else t[0] + e * (t[1] + e * (t[2] + e * t[3]))
        off = fraction_lost(v, unit)
        if off < mpf(1) / 200:
            slope = t[1] + e * (2 * t[2] + 3 * t[3] * e)
            best = min(best, (max(off, fraction_lost(slope, slope_unit) * slope_unit * (b - a) / 2 / unit), m + e))
    return best[1]


def by_intervals(name, series, intervals, degree):
    """series(m, n) are n terms about m; the intervals (column, from, to)."""
    columns, worst = [None] * 16, 0
    for column, a, b in intervals:
        m = next_to_doubles(series, a, b) if a > 0 else mpf(0)
        terms = series(m, degree + 20)
        f = lambda d: sum(c * d ** k for k, c in enumerate(terms))
        rest = lambda d: sum(c * d ** k for k, c in enumerate(terms[2:]))
        weight = (lambda d: max(d * d, mpf("1e-12")) / f(d)) if m else (lambda d: abs(d) + mpf("1e-9"))
        c, grid, fg, wg = remez(rest, weight, a - m, b - m, degree)
        c = [rounded(k, 53) for k in c]
        worst = max([worst] + [w * abs(value(c, d) - y) for d, y, w in zip(grid, fg, wg)])
        slope = rounded(terms[1], 53)
        if not m:
            print(f"{name}: the slope at 0 lacks", clean(hexadecimal(terms[1] - slope, 53)))
        columns[column] = [m, rounded(terms[0], 53) if m else mpf(0), slope] + c
    print(f"\n/* {name}: relative error 2^{float(log(worst, 2)):.1f} */")
    print_table(f"THWide_{name}Table", "double", 53, zip(*columns))


def of_floats(name, series, intervals, degree):
    """All coefficients, for intervals (column, from, to, m), good enough for floats."""
    columns, worst = [None] * 16, 0
    for column, a, b, m in intervals:
        terms = series(m, degree + 20)
        zero = [mpf(0)] if not terms[0] else []
        f = lambda d: sum(c * d ** k for k, c in enumerate(terms[len(zero):]))
        c, grid, fg, wg = remez(f, lambda d: abs(1 / f(d)), a - m, b - m, degree - len(zero))
        c = [rounded(k, 53) for k in c]
        worst = max([worst] + [abs(w * (value(c, d) - y)) for d, y, w in zip(grid, fg, wg)])
        columns[column] = [m] + zero + c
    print(f"\n/* {name} of floats: relative error 2^{float(log(worst, 2)):.1f}, from the constant term on */")
    print_table(f"THWide_{name}Table", "double", 53, zip(*columns))


def in_parts(values):
    high = [rounded(v, 53) if v else v for v in values]
    return [high, [v - h for v, h in zip(values, high)]]


# --- erf and its inverse -----------------------------------------------------------------------


def erf_series(m, n):
    """f'' = -2 x f'."""
    c = [erf(m), 2 / sqrt(pi) * exp(-m * m)]
    for k in range(n - 2):
        slope = lambda j: (j + 1) * c[j + 1] if j >= 0 else 0
        c.append(-2 * (m * slope(k) + slope(k - 1)) / ((k + 2) * (k + 1)))
    return c


def erfinv_series(m, n):
    """f'' = 2 f f'^2."""
    y = mp.findroot(lambda y: erf(y) - m, mp.erfinv(float(m))) if m else mpf(0)
    c = [y, sqrt(pi) / 2 * exp(y * y)]
    for k in range(n - 2):
        slopes = [(j + 1) * c[j + 1] for j in range(k + 1)]
        squares = [sum(slopes[i] * slopes[j - i] for i in range(j + 1)) for j in range(k + 1)]
        c.append(2 * sum(c[i] * squares[k - i] for i in range(k + 1)) / ((k + 2) * (k + 1)))
    return c


def tail_series(m, n):
    """f(s) = erfinv(1 - exp(-s^2)), and for g = f': s g' = g (2 f g s + 1 - 2 s^2)."""
    y = mp.findroot(lambda y: log(erfc(y)) + m * m, m - mpf("0.1"))
    f = [y, sqrt(pi) * m * exp(y * y - m * m)]
    g = [f[1]]
    outer = [1 - 2 * m * m, -4 * m, mpf(-2)]
    for k in range(n - 2):
        both = [sum(f[i] * g[j - i] for i in range(j + 1)) for j in range(k + 1)]
        factor = [2 * (m * both[j] + (both[j - 1] if j else 0)) + (outer[j] if j < 3 else 0) for j in range(k + 1)]
        g.append((sum(g[i] * factor[k - i] for i in range(k + 1)) - k * g[k]) / (m * (k + 1)))
        f.append(g[k + 1] / (k + 2))
    return f


def erf_intervals():
    """Those whose numbers a have the same integer next to a (3.78 - 0.2 a)."""
    at = lambda y: min(mpf(6), (mpf("3.78") - sqrt(mpf("3.78") ** 2 - mpf("0.8") * y)) / mpf("0.4")) if y > 0 else mpf(0)
    return [(i, at(i - mpf("0.5")), at(min(i + mpf("0.5"), mpf("15.47"))) if i < 15 else mpf(6)) for i in range(16)]


def erfinv_intervals():
    """Those of the exponent of 1 - a, from 1/2 down, and two bits more."""
    for e in range(4):
        for q in range(4):
            ends = [1 - mpf(2) ** -e * (1 - mpf(q + k) / 8) for k in (0, 1)]
            yield (0x3fe - e << 2 | 3 - q) & 15, *ends


def lgamma_series(m, n):
    return [mp.loggamma(m) if m not in (1, 2) else mpf(0)] + [mp.psi(k - 1, m) / fac(k) for k in range(1, n)]


def lgamma_intervals():
    """Those of the exponent of x / 0.9, and two bits more; m is a zero where there is one."""
    for e in range(4):
        for q in range(4):
            a, b = (mpf("0.45") * mpf(2) ** e * (1 + mpf(q + k) / 4) for k in (0, 1))
            yield (0x3fe + e << 2 | q) & 15, a, b, next((mpf(z) for z in (1, 2) if a < z < b), rounded((a + b) / 2, 20))


def tail_intervals():
    width = mpf("0.275")
    return [(i, mpf("1.64") + i * width, mpf("1.66") + (i + 1) * width) for i in range(16)]


# --- logarithms, turns, angles -----------------------------------------------------------------


def log_table():
    """c of 6 bits, or 5 above 1, and log(1/c) to 2^-42, to which multiples of log(2) are added exactly."""
    halves = [1] * 8 + [2] * 8
    middle = [(1 + mpf(2 * j + 1) / 32) / h for j, h in enumerate(halves)]
    c = [mpf(1) if j in (0, 15) else mp.nint(64 / h / m) / 64 * h for j, (m, h) in enumerate(zip(middle, halves))]
    ends = [(1 + mpf(j + k) / 16) / halves[j] * c[j] - 1 for j in range(16) for k in (0, 1)]
    high = [-mp.nint(log(k) * mpf(2) ** 42) / mpf(2) ** 42 for k in c]
    print("\n/* c, log(1/c) to 2^-42, and the rest */")
    print_table("THWide_log2Table", "double", 53, [c, high, [-log(k) - h for k, h in zip(c, high)]])
    f = taylor(lambda r: (log(1 + r) - r) / r ** 2, series_sum(lambda k: mpf((-1) ** (k + 1)) / (k + 2)), mpf("1e-4"))
    fit("log(1 + r) = r + r^2 p(r)", f, lambda r: abs(r) + tiny, min(ends), max(ends), 9, 53)


def turn_table():
    print("\n/* sin(k pi/16) and cos(k pi/16), in two parts each */")
    rows = in_parts([mp.sinpi(mpf(k) / 16) for k in range(16)]) + in_parts([mp.cospi(mpf(k) / 16) for k in range(16)])
    print_table("THWide_turnTable", "double", 53, rows)
    for bits in ((38, 38, 53), (30, 30, 30, 53)):
        rest, parts = pi / 16, []
        for b in bits:
            parts.append(rounded(rest, b))
            rest -= parts[-1]
        print("pi/16 =", " + ".join(clean(hexadecimal(p, 53)) for p in parts))
    most = (pi / 32 * mpf("1.001")) ** 2
    sine = taylor(lambda z: (sin(sqrt(-2 * z)) / sqrt(-2 * z) - 1) / z,
                  series_sum(lambda k: 2 * mpf(2) ** k / fac(2 * k + 3)), mpf("1e-6"))
    cosine = taylor(lambda z: (cos(sqrt(-2 * z)) - 1 - z) / z ** 2,
                    series_sum(lambda k: 4 * mpf(2) ** k / fac(2 * k + 4)), mpf("1e-6"))
    tangent = taylor(lambda z: (mp.tan(sqrt(z)) / sqrt(z) - 1) / z,
                     lambda z: mpf(1) / 3 + 2 * z / 15 + 17 * z ** 2 / 315 + 62 * z ** 3 / 2835, mpf("1e-6"))
    fit("sin(r) = r + r z p(z), z = -r^2 / 2", sine, lambda z: abs(z) + tiny, -most / 2, 0, 3, 53)
    fit("cos(r) = 1 + z + z^2 p(z)", cosine, lambda z: z * z + tiny, -most / 2, 0, 2, 53)
    for degree in (5, 2):  # of doubles, of floats
        fit("tan(r) = r + r^3 p(r^2)", tangent, lambda z: z + tiny, 0, most, degree, 53)


def angle_table():
    angles = [atan(mpf(j) / 16) for j in range(16)]
    print("\n/* atan(k/16) and pi/2 less that, in two parts each */")
    print_table("THWide_angleTable2", "double", 53, in_parts(angles) + in_parts([pi / 2 - a for a in angles]))
    f = taylor(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, series_sum(lambda k: mpf((-1) ** (k + 1)) / (2 * k + 3)),
               mpf("1e-4"))
    fit("atan(r) = r + r^3 p(r^2)", f, lambda z: z + tiny, 0, mpf("0.0626") ** 2, 4, 53)


if __name__ == "__main__":
    log_table()
    turn_table()
    angle_table()
    of_floats("erfinv", erfinv_series, [(c, a, b, (a + b) / 2 if a else mpf(0)) for c, a, b in erfinv_intervals()], 7)
    of_floats("lgamma", lgamma_series, lgamma_intervals(), 8)
    by_intervals("erf2", erf_series, erf_intervals(), 10)
    by_intervals("erfinv2", erfinv_series, erfinv_intervals(), 11)
    by_intervals("erfinvFar2", tail_series, tail_intervals(), 9)
