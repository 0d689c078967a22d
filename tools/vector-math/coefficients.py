#!/usr/bin/env python3
"""Computes the polynomial coefficients in include/TH/generic/THVector*.h (needs mpmath; run by hand).

    coefficients.py [NAME...]       prints each fit as C hexadecimal constants, constant term first

A fit is a minimax polynomial by Remez' exchange: it makes the largest |weight(x) * (p(x) - f(x))| on
[a, b] as small as the degree permits.  f is what multiplies the last power in the formula that the
header states, the weight turns its error into one relative to the function.  The printed error is
that of the coefficients as they are rounded: log2 of it, to compare with the 2^-24 and 2^-53 of float
and double.
"""
import sys
from mpmath import mp, mpf, matrix, lu_solve, log, exp, sin, cos, sqrt, atan, asin, erf, erfc, pi, quad

mp.dps = 50


def solve(f, weight, nodes, degree):
    """The polynomial whose weighted error is +-E at the nodes."""
    n = degree + 2
    a, b = matrix(n, n), matrix(n, 1)
    for i, x in enumerate(nodes):
        for k in range(degree + 1):
            a[i, k] = x ** k
        a[i, n - 1] = (-1) ** i / weight(x)
        b[i] = f(x)
    s = lu_solve(a, b)
    return [s[k] for k in range(degree + 1)]


def value(c, x):
    r = mpf(0)
    for k in reversed(c):
        r = r * x + k
    return r


def remez(f, weight, a, b, degree):
    a, b = mpf(a), mpf(b)
    n = degree + 2
    nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(pi * i / (12 * n)) for i in range(12 * n + 1)]
    fg = [f(x) for x in grid]
    wg = [weight(x) for x in grid]
    for _ in range(6):
        c = solve(f, weight, nodes, degree)
        e = [w * (value(c, x) - y) for x, y, w in zip(grid, fg, wg)]
        runs = []                                   # the largest error of each run of one sign
        for i, v in enumerate(e):
            if runs and (e[runs[-1]] > 0) == (v > 0):
                if abs(v) > abs(e[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n:
            runs.pop(0 if abs(e[runs[0]]) < abs(e[runs[-1]]) else -1)
        if len(runs) < n:
            break
        nodes = [grid[i] for i in runs]
    return c, grid, fg, wg


def rounded(c, bits):
    """c to so many bits, as C writes it."""
    m, x = mp.frexp(c)
    return mpf(int(mp.nint(m * mpf(2) ** bits))) * mpf(2) ** (x - bits)


def hexadecimal(c, bits):
    c = rounded(c, bits)
    return mp_float(c).hex() + ("f" if bits == 24 else "")


def mp_float(c):
    return float(c)


def clean(text):
    """0x1.5500000000000p-3 without its zeros."""
    suffix = "f" if text.endswith("f") and "p" in text and text[-1] == "f" else ""
    body, power = text.rstrip("f").split("p") if suffix else text.split("p")
    if "." in body:
        body = body.rstrip("0").rstrip(".")
    return f"{body}p{power}{suffix}"


def fit(name, f, weight, a, b, degree, bits):
    c, grid, fg, wg = remez(f, weight, a, b, degree)
    c = [rounded(k, bits) for k in c]
    error = max(abs(w * (value(c, x) - y)) for x, y, w in zip(grid, fg, wg))
    print(f"{name}: degree {degree}, error 2^{float(log(error, 2)):.1f}")
    print("  " + ", ".join(clean(hexadecimal(k, bits)) for k in c))
    for k in EXACTLY.get(f, []):
        print("  " + " + ".join(clean(hexadecimal(part, bits)) for part in (k, k - rounded(k, bits))))


def taylor(direct, series, small=mpf("1e-3")):
    """A function that is 0/0 at 0: its series near there."""
    return lambda x: series(x) if abs(x) < small else direct(x)


def series_sum(term, count=30):
    return lambda x: sum(term(k) * x ** k for k in range(count))


fac = mp.factorial
half_ln2 = log(2) / 2 * mpf("1.003")
EXP = taylor(lambda r: (exp(r) - 1 - r) / r ** 2, series_sum(lambda k: 1 / fac(k + 2)))
EXP4 = taylor(lambda r: (exp(r) - 1 - r - r ** 2 / 2 - r ** 3 / 6) / r ** 4, series_sum(lambda k: 1 / fac(k + 4)), mpf("1e-2"))
LOG = taylor(lambda f: (log(1 + f) - f + f ** 2 / 2) / f ** 3,
             series_sum(lambda k: mpf((-1) ** k) / (k + 3)))
log_weight = lambda f: f ** 2
low, high = sqrt(mpf("0.5")) - 1, sqrt(mpf(2)) - 1
SIN = taylor(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, series_sum(lambda k: mpf((-1) ** (k + 1)) / fac(2 * k + 3)))
COS = taylor(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z ** 2, series_sum(lambda k: mpf((-1) ** k) / fac(2 * k + 4)))
SIN7 = taylor(lambda z: (sin(sqrt(z)) / sqrt(z) - 1 + z / 6 - z ** 2 / 120) / z ** 3,
              series_sum(lambda k: mpf((-1) ** (k + 1)) / fac(2 * k + 7)), mpf("1e-2"))
COS6 = taylor(lambda z: (cos(sqrt(z)) - 1 + z / 2 - z ** 2 / 24) / z ** 3,
              series_sum(lambda k: mpf((-1) ** (k + 1)) / fac(2 * k + 6)), mpf("1e-2"))
ATAN = taylor(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, series_sum(lambda k: mpf((-1) ** (k + 1)) / (2 * k + 3)))
ASIN = taylor(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z,
              series_sum(lambda k: fac(2 * k + 2) / (4 ** (k + 1) * fac(k + 1) ** 2 * (2 * k + 3))))
ERF = taylor(lambda z: erf(sqrt(z)) / sqrt(z) - 1,
             lambda z: 2 / sqrt(pi) * sum(mpf((-1) ** k) * z ** k / (fac(k) * (2 * k + 1)) for k in range(30)) - 1)
middle = mpf(49) / 128
ERF_MIDDLE = lambda v: ERF(abs(middle - v))
ERF_VALUE, ERF_SLOPE = (mp.diff(lambda v: ERF(middle - v), 0, k) for k in (0, 1))
ERF_REST = taylor(lambda v: (ERF_MIDDLE(v) - ERF_VALUE - ERF_SLOPE * v) / v ** 2,
                  lambda v: mp.diff(lambda w: ERF(middle - w), 0, 2) / 2 +
                  v * mp.diff(lambda w: ERF(middle - w), 0, 3) / 6, mpf("1e-10"))
ATANH = taylor(lambda z: (mp.atanh(sqrt(z)) / sqrt(z) - 1 - z / 3 - z ** 2 / 5) / z ** 3,
               series_sum(lambda k: mpf(1) / (2 * k + 7)))
EXP2 = taylor(lambda x: (mpf(2) ** x - 1) / x, series_sum(lambda k: log(2) ** (k + 1) / fac(k + 1)))
tiny = mpf(10) ** -30
edge = mpf("0.875")
ERFC = taylor(lambda t: (log(erfc(edge)) - log(erfc(t + edge))) / t,
              lambda t: 2 / sqrt(pi) * exp(-edge ** 2) / erfc(edge), mpf("1e-12"))
EXACTLY = {ERF_REST: (ERF_VALUE, ERF_SLOPE)}
root5 = sqrt(mpf(5))
ERFINV = lambda w: mp.erfinv(sqrt(1 - exp(-w)))
ERFINV_NEAR = lambda t: ERFINV(t + mpf("2.5")) / sqrt(1 - exp(-t - mpf("2.5"))) if t > -mpf("2.5") else sqrt(pi) / 2
ERFINV_FAR = lambda s: ERFINV((s + mpf("3.125")) ** 2)
ERFINV_TAIL = lambda s: ERFINV((s + 4) ** 2)
FITS = {
    # exp(r) = 1 + r + r^2 p(r); the first coefficient is 1/2, which the headers leave out
    "expf": (EXP, lambda r: abs(r) + tiny, -half_ln2, half_ln2, 5, 24),
    "exp": (EXP, lambda r: abs(r) + tiny, -half_ln2, half_ln2, 10, 53),
    # exp(r) = 1 + r + r^2/2 + r^3/6 + r^4 p(r), for tanh of float
    "expfinef": (EXP4, lambda r: abs(r) ** 3 + tiny, -half_ln2, half_ln2, 4, 24),
    # log(1 + f) = f - f^2/2 + f^3 p(f)
    "logf": (LOG, log_weight, low, high, 8, 24),
    "log": (LOG, log_weight, low, high, 19, 53),
    # The same, and 2^x = 1 + x p(x), for pow of float in double
    "powf": (LOG, log_weight, low, high, 11, 53),
    "exp2f": (EXP2, lambda x: abs(x) + tiny, mpf("-0.501"), mpf("0.501"), 5, 53),
    # sin(r) = r + r^3 p(r^2) up to pi/2, for float in double; sin(r) = r - r^3/6 + r^5/120 + r^7 p(r^2) and
    # cos(r) = 1 - r^2/2 + r^4/24 + r^6 p(r^2) up to pi/4
    "sinf": (SIN, lambda z: z + tiny, 0, (pi / 2 * mpf("1.001")) ** 2, 4, 53),
    "sin": (SIN7, lambda z: z ** 3 + tiny, 0, (pi / 4 * mpf("1.001")) ** 2, 4, 53),
    "cos": (COS6, lambda z: z ** 3 + tiny, 0, (pi / 4 * mpf("1.001")) ** 2, 5, 53),
    "tansinf": (SIN, lambda z: z + tiny, 0, (pi / 4 * mpf("1.001")) ** 2, 3, 53),
    "tancosf": (COS, lambda z: z ** 2 + tiny, 0, (pi / 4 * mpf("1.001")) ** 2, 3, 53),
    "atanf": (ATAN, lambda z: z + tiny, 0, mpf("0.4143") ** 2, 4, 24),
    "atan": (ATAN, lambda z: z + tiny, 0, mpf("0.4143") ** 2, 10, 53),
    "asinf": (ASIN, lambda z: z + tiny, 0, mpf("0.25"), 5, 24),
    "asin": (ASIN, lambda z: z + tiny, 0, mpf("0.25"), 12, 53),
    # atanh(s) = s + s^3/3 + s^5/5 + s^7 p(s^2)
    "atanh": (ATANH, lambda z: z ** 3 + tiny, 0, mpf("0.1716") ** 2, 7, 53),
    # erf(x) = x + x (a + b v + v^2 p(v)), v = 49/128 - x^2, up to 7/8; a and b, of which what is lost is kept too,
    # are value and slope at v = 0
    "erff": (ERF_REST, lambda v: v ** 2 + tiny, -middle, middle, 5, 24),
    "erf": (ERF_REST, lambda v: v ** 2 + tiny, -middle, middle, 10, 53),
    # erfc(x) = exp(log(erfc(7/8)) - (x - 7/8) p(x - 7/8)) from there on; its absolute error counts
    "erfcf": (ERFC, lambda t: t * erfc(t + edge), 0, mpf("3.125"), 6, 24),
    "erfc": (ERFC, lambda t: t * erfc(t + edge), 0, mpf("5.125"), 19, 53),
    # erfinv(x) with w = -log(1 - x^2): x p(w - 5/2) up to w = 5, then p(sqrt(w) - 25/8), for float in double;
    # of degree 9, and p(sqrt(w) - 4), where TH_erfinv begins
    "erfinvf": (ERFINV_NEAR, lambda t: 1 / ERFINV_NEAR(t), mpf("-2.5"), mpf("2.5"), 13, 53),
    "erfinvfarf": (ERFINV_FAR, lambda s: 1 / ERFINV_FAR(s), root5 - mpf("3.125"), mpf("0.875"), 11, 53),
    "erfinv": (ERFINV_NEAR, lambda t: 1 / ERFINV_NEAR(t), mpf("-2.5"), mpf("2.5"), 9, 53),
    "erfinvtail": (ERFINV_TAIL, lambda s: 1 / ERFINV_TAIL(s), root5 - 4, mpf("2.01"), 9, 53),
}

def digamma():
    """digamma(x) = (x - zero) (1 + p(x - 3/2) / q(x - 3/2)) on [1, 2], in TH_digamma."""
    zero, n = mp.findroot(mp.digamma, mpf("1.46")), 6
    f = lambda t: mp.digamma(t + 1.5) / (t + 1.5 - zero) - 1
    nodes = [mp.cos(pi * (2 * i + 1) / (4 * n + 2)) / 2 for i in range(2 * n + 1)]
    a, b = matrix(2 * n + 1, 2 * n + 1), matrix(2 * n + 1, 1)
    for i, t in enumerate(nodes):
        b[i] = f(t)
        for k in range(n + 1):
            a[i, k] = t ** k
        for k in range(1, n + 1):
            a[i, n + k] = -b[i] * t ** k
    s = lu_solve(a, b)
    print("digamma, highest power first")
    for c in ([s[k] for k in range(n + 1)], [mpf(1)] + [s[n + k] for k in range(1, n + 1)]):
        print("  " + ", ".join(mp.nstr(k, 22) for k in reversed(c)))


if __name__ == "__main__":
    for name in sys.argv[1:] or [*FITS, "digamma"]:
        digamma() if name == "digamma" else fit(name, *FITS[name])
