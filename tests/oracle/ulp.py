"""The largest errors of the functions of one argument, ours at each instruction-set level and PyTorch's, in units of the
last place, as the table of docs/vector-math.md.

    ulp.py build/check [log2 of the number of floats, 24[,log2 of the number of doubles, 20] [functions, all]]

needs the targets TH and ulp_reference of that build.  The floats are as many of the 2^32, at even distances and
from there at random, so that all exponents and signs have their share; the doubles are of various sizes.
"""

import ctypes
import math
import os
import pathlib
import shutil
import sys
import tempfile

import numpy
import torch

LEVELS = ("avx512", "avx2", "default")
NAMES = """exp log sqrt tanh sigmoid sin cos tan expm1 log1p sinh cosh asin acos atan erf rsqrt lgamma erfinv digamma
           trigamma cinv neg abs ceil floor round trunc frac""".split()
THEIR_NAMES = {"cinv": torch.reciprocal, "trigamma": lambda t: torch.polygamma(1, t)}
BOUNDS = dict.fromkeys("exp log sqrt tanh sigmoid sin cos".split(), 1)
CHUNK = 1 << 20


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Reference:
    def __init__(self, path):
        self.lib = ctypes.CDLL(str(path))
        self.lib.float_worst.restype = self.lib.double_worst.restype = ctypes.c_double

    def want(self, name, x):
        y = numpy.empty(len(x), numpy.float64 if x.dtype == numpy.float32 else numpy.longdouble)
        call = self.lib.float_want if x.dtype == numpy.float32 else self.lib.double_want
        assert call(name.encode(), pointer(y), pointer(x), ctypes.c_ssize_t(len(x))), name
        return y

    def worst(self, got, want, x):
        at = ctypes.c_ssize_t(0)
        n = ctypes.c_ssize_t(len(x))
        if x.dtype == numpy.float32:
            off = self.lib.float_worst(pointer(got), pointer(want), n, ctypes.byref(at))
        else:
            off = self.lib.double_worst(pointer(got), pointer(want), n, ctypes.byref(at))
        return off, float(x[at.value])


def ours(library, folder):
    """The library once for each level, which it chooses when it is loaded."""
    libraries = {}
    for level in LEVELS:
        copy = pathlib.Path(folder, f"libTH-{level}.so")
        shutil.copy(library, copy)
        os.environ["TH_CPU_CAPABILITY"] = level
        libraries[level] = ctypes.CDLL(str(copy))

    def call(level, name, x):
        y = numpy.empty_like(x)
        kind = "Float" if x.dtype == numpy.float32 else "Double"
        getattr(libraries[level], f"TH{kind}Vector_{name}")(pointer(y), pointer(x), ctypes.c_ssize_t(len(x)))
        return y

    return call


def floats(count, seed):
    random = numpy.random.default_rng(seed)
    step = (1 << 32) // count
    for first in range(0, count, CHUNK):
        numbers = numpy.arange(first, min(first + CHUNK, count), dtype=numpy.uint64) * step
        yield (numbers + random.integers(0, step, len(numbers), dtype=numpy.uint64)).astype(numpy.uint32).view(numpy.float32)


def doubles(count, seed):
    random = numpy.random.default_rng(seed)
    n = min(count, CHUNK) // 4
    for _ in range(0, count, CHUNK):
        yield doubles_at_once(random, n)


def doubles_at_once(random, n):
    sizes = numpy.ldexp(random.uniform(1, 2, n), random.integers(-50, 12, n)) * random.choice((-1, 1), n)
    bits = random.integers(0, 1 << 64, n, dtype=numpy.uint64).view(numpy.float64)
    return numpy.concatenate([random.uniform(-1, 1, n), random.uniform(-30, 30, n), sizes, bits])


def show(off):
    return f"{off:.2f}" if off < 1e4 else f"{off:.1e}" if off < math.inf else "wrong"


def main():
    build = pathlib.Path(sys.argv[1])
    count, wide = (1 << int(bits) for bits in ((sys.argv[2:3] or ["24"])[0] + ",20").split(",")[:2])
    torch.set_num_threads(1)
    numpy.seterr(all="ignore")
    reference = Reference(build / "tests/TH/libulp_reference.so")
    with tempfile.TemporaryDirectory() as folder:
        call = ours(build / "src/TH/libTH.so", folder)
        print(f"PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()}), {count} floats\n")
        print("| function | bound | Float: " + " | ".join(LEVELS) + " | PyTorch | Double: " + " | ".join(LEVELS) + " | PyTorch |")
        print("|---|" + "---:|" * (3 + 2 * len(LEVELS)))
        worse = []
        for name in sys.argv[3:] or NAMES:
            theirs = THEIR_NAMES.get(name) or getattr(torch, name)
            cells = []
            for chunks in (floats(count, 1), doubles(wide, 2)):
                worst = {who: (0.0, 0.0) for who in LEVELS + ("PyTorch",)}
                for x in chunks:
                    want = reference.want(name, x)
                    for who in worst:
                        y = theirs(torch.from_numpy(x)).numpy() if who == "PyTorch" else call(who, name, x)
                        worst[who] = max(worst[who], reference.worst(y, want, x))
                cells += [show(off) for off, _ in worst.values()]
                limit = worst["PyTorch"][0]
                for level in LEVELS:
                    if worst[level][0] > limit:
                        worse.append(f"{name} {x.dtype} {level}: {worst[level][0]:.4f} at {worst[level][1].hex()}, "
                                     f"PyTorch {limit:.4f} at {worst['PyTorch'][1].hex()}")
            print(f"| {name} | {BOUNDS.get(name, 4)} | " + " | ".join(cells) + " |", flush=True)
    print("\nWorse than PyTorch:" if worse else "\nNowhere worse than PyTorch.")
    print("\n".join(worse))


main()
