#!/usr/bin/env python3
"""Computes the polynomial coefficients in include/TH/vector/*.h, and src/TH/pointwise/THMathTables.h (needs mpmath;
run by hand).

    coefficients.py [NAME...]       prints each fit as C hexadecimal constants, constant term first
    coefficients.py wide            prints the tables of THMathTables.h

A fit is a minimax polynomial by Remez' exchange: it makes the largest |weight(x) * (p(x) - f(x))| on
[a, b] as small as the degree permits.  f is what multiplies the last power in the formula that the
header states, the weight turns its error into one relative to the function.  The printed error is
that of the coefficients as they are rounded: log2 of it, to compare with the 2^-24 and 2^-53 of float
and double.
"""
import struct
import sys
import textwrap
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
LOG2 = taylor(lambda r: log(1 + r, 2) / r, series_sum(lambda k: mpf((-1) ** k) / (k + 1) / log(2)))
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


def near_floats(f, a, b):
    """The float next to the middle of [a, b] where f and its slope are floats but for a 512th of a unit, if any is."""
    middle = rounded((a + b) / 2, 24)
    series = [float(c) for c in mp.taylor(f, middle, 9)]
    unit = float(mpf(2) ** (mp.frexp(f(middle))[1] - 24))
    slope_unit = float(mpf(2) ** (mp.frexp(mp.diff(f, middle))[1] - 24))

    ulp = mpf(2) ** (mp.frexp(middle)[1] - 24)
    from_float = lambda v, u: abs(v / u - round(v / u)) * u / unit
    best = 1, middle
    for step in (float(ulp), float(mp.ceil((b - a) / 60000 / ulp) * ulp)):
        for k in range(30000):
            e = (k + 1) // 2 * (-1) ** k * step
            value = slope = 0.
            for c in reversed(series):
                value, slope = value * e + c, slope * e + value
            off = max(from_float(value, unit), from_float(slope, slope_unit) * float(b - a) / 2)
            if off < best[0] and rounded(middle + e, 24) == middle + e:
                best = off, middle + e
                if off < 1 / 512:
                    return best[1]
    return best[1]


def table(name, f, slope, intervals):
    """f by 32 intervals: with d = x - m, f(x) = f(m) + f'(m) d + d^2 (c2 + c3 d + ... + c6 d^4).  The rows of the
    table are m, f(m), f'(m), c2 to c6; intervals are (column, from, to).  If f(0) is 0, f'(0) is counted as 1."""
    columns, worst = [None] * 32, 0
    for column, a, b in intervals:
        m = near_floats(f, a, b) if a > 0 else mpf(0)
        value_m, slope_m = f(m), slope(m)
        series = mp.taylor(f, m, 12)[2:]
        rest = taylor(lambda d: (f(m + d) - value_m - slope_m * d) / d ** 2,
                      lambda d: sum(c * d ** k for k, c in enumerate(series)))
        relative = lambda d: 1 / f(m + d) if f(m + d) else tiny
        c, grid, fg, wg = remez(rest, lambda d: max(d * d, tiny) * relative(d), a - m, b - m, 4)
        c = [rounded(k, 24) for k in c]
        parts = [rounded(k, 24) for k in (value_m, slope_m if value_m else 1)]
        lost = lambda d: abs(value_m - parts[0]) + abs((slope_m - parts[1]) * d) if m else 0
        worst = max([worst] + [w * abs(value(c, d) - y) + lost(d) * relative(d) for d, y, w in zip(grid, fg, wg)])
        columns[column] = [m] + parts + c
    print(f"\n/* {name[7:-5]}: relative error 2^{float(log(worst, 2)):.1f} */")
    print_table(name, "float", 24, zip(*columns))


def by_exponent(start):
    """The intervals where float(x + start) has the same exponent and 3 bits after it, by the last 5 of those bits."""
    e = mp.frexp(start)[1] - 1
    first = int((start / mpf(2) ** e - 1) * 8) + 8 * e
    edge = lambda i: mpf(2) ** (i // 8) * (1 + mpf(i % 8) / 8) - start
    return [((i + 127 * 8) % 32, edge(i), edge(i + 1)) for i in range(first, first + 32)]


def by_multiple(width):
    """The intervals about multiples of width."""
    return [(i, max(0, (i - mpf(1) / 2) * width), (i + mpf(1) / 2) * width) for i in range(32)]


def print_table(name, kind, bits, rows):
    rows = [[clean(hexadecimal(mpf(c), bits)) if c else "0" for c in row] for row in rows]
    print(f"static const {kind} {name}[{len(rows)}][{len(rows[0])}] = {{")
    for row in rows:
        print("\n".join(textwrap.wrap("{" + ", ".join(row) + "},", 98, initial_indent="  ", subsequent_indent="   ")))
    print("};")


def power_tables():
    """log2(x) = log2(1/c) + log2(1 + r), r = c x - 1, and 2^x = 2^k 2^r, by sixteenths of [1, 2).  Those of [3/2, 2)
    are meant for half the number, so that around 1 the c is 1 and nothing cancels."""
    halves = [1] * 8 + [2] * 8
    middle = [(1 + mpf(2 * j + 1) / 32) / h for j, h in enumerate(halves)]
    c = [mpf(1) if j in (0, 15) else rounded(1 / m, 9) for j, m in enumerate(middle)]
    ends = [(1 + mpf(j + k) / 16) / halves[j] * c[j] - 1 for j in range(16) for k in (0, 1)]
    print("\n/* c, log2(1/c), and 2^(j/16) less j 2^48 as an integer */")
    root = lambda j: struct.unpack("<d", struct.pack(
        "<q", struct.unpack("<q", struct.pack("<d", float(mpf(2) ** (mpf(j) / 16))))[0] - (j << 48)))[0]
    print_table("THWide_powTable", "double", 53, [c, [-log(k, 2) for k in c], [mpf(root(j)) for j in range(16)]])
    fit("log2(1 + r) = r p(r)", LOG2, lambda r: 1 / LOG2(r), min(ends), max(ends), 6, 53)
    fit("2^r = 1 + r p(r)", EXP2, lambda x: abs(x) + tiny, -mpf("0.03126"), mpf("0.03126"), 3, 53)


def exp_table():
    roots = [mpf(2) ** (mpf(j) / 32) for j in range(32)]
    high = [rounded(r, 24) for r in roots]
    print("\n/* 2^(j/32), and how much of itself it lacks */")
    print_table("THWide_expTable", "float", 24, [high, [r / h - 1 for r, h in zip(roots, high)]])
    high = [rounded(r, 53) for r in roots[::2]]
    print("\n/* 2^(j/16) of double */")
    print_table("THWide_exp2Table", "double", 53, [high, [r / h - 1 for r, h in zip(roots[::2], high)]])
    half = mpf(log(2)) / 32 * mpf("1.001")
    fit("e^r = 1 + r + r^2 p(r), float", EXP, lambda r: r * r + tiny, -half / 2, half / 2, 1, 24)
    fit("e^r = 1 + r + r^2 p(r), double", EXP, lambda r: r * r + tiny, -half, half, 5, 53)


def log_table():
    """log(x) = n log(2) + log(1/c) + log(1 + r), r = c x / 2^n - 1, by 32nds of [1, 2) as above.  Around 1, from 31/32
    to 17/16, c is 1; elsewhere it is a float whose log(1/c) is next to a multiple of 2^-17: in the sum with
    n log(2) nothing is rounded."""
    unit = mpf(2) ** -17

    def next_to(m):
        off = lambda c: abs(log(c) / unit - mp.nint(log(c) / unit))
        return min((rounded(1 / m + k * mpf(2) ** -24, 24) for k in range(-20000, 20000)), key=off)

    halves = [1] * 16 + [2] * 16
    middle = [(1 + mpf(2 * j + 1) / 64) / h for j, h in enumerate(halves)]
    c = [mpf(1) if j in (0, 1, 30, 31) else next_to(m) for j, m in enumerate(middle)]
    logs = [-mp.nint(log(k) / unit) * unit for k in c]
    ends = [(1 + mpf(j + k) / 32) / halves[j] * c[j] - 1 for j in range(32) for k in (0, 1)]
    lost = max(abs(log(k) + l) for k, l in zip(c, logs))
    print(f"\n/* c and log(1/c), less than 2^{float(log(lost, 2)):.1f} off */")
    print_table("THWide_logTable", "float", 24, [c, logs])
    f = taylor(lambda r: (log(1 + r) - r) / r ** 2, series_sum(lambda k: mpf((-1) ** (k + 1)) / (k + 2)))
    fit("log(1 + r) = r + r^2 p(r)", f, lambda r: abs(r) + tiny, min(ends), max(ends), 3, 24)


def angle_table():
    """atan(k/32) and pi/2 less that, and what is left of atan between."""
    angles = [atan(mpf(j) / 32) for j in range(32)]
    rows = []
    for values in (angles, [pi / 2 - a for a in angles]):
        high = [rounded(v, 24) if v else v for v in values]
        rows += [high, [v - h for v, h in zip(values, high)]]
    print("\n/* atan(k/32) and pi/2 less that, in two parts each */")
    print_table("THWide_angleTable", "float", 24, rows)
    fit("atan(r) = r + r^3 p(r^2)", ATAN, lambda z: z + tiny, 0, mpf("0.03126") ** 2, 1, 24)


def wide():
    falling = lambda x: 1 / (1 + exp(x))
    table("THWide_tanhTable", mp.tanh, lambda x: 1 - mp.tanh(x) ** 2, by_exponent(mpf("0.625")))
    table("THWide_erfTable", erf, lambda x: 2 / sqrt(pi) * exp(-x ** 2), by_exponent(mpf("0.28125")))
    table("THWide_sigmoidTable", falling, lambda x: -falling(x) * falling(-x), by_multiple(mpf("0.375")))
    table("THWide_atanTable", atan, lambda x: 1 / (1 + x ** 2), by_exponent(mpf("0.0703125")))
    angle_table()
    exp_table()
    log_table()
    power_tables()


OTHERS = {"digamma": digamma, "wide": wide}

if __name__ == "__main__":
    for name in sys.argv[1:] or [*FITS, *OTHERS]:
        OTHERS[name]() if name in OTHERS else fit(name, *FITS[name])
