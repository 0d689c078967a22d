"""Golden cases of at_toString: random tensors with what PyTorch prints for them.

    2800 cases
    2 Float 2 3 : 0x1p+0 inf 0x1.8p+1     lines of the text; type, sizes, and values that are repeated
    tensor([[1., inf, 3.],                until the tensor is full
            [1., inf, 3.]])

To compare more of them with a library, and write nothing:

    print.py build/src/ATen/libATen.so 100000
"""

import ctypes
import os
import random
import sys

import torch

import golden

TYPES = {**golden.TYPES, torch.float16: "Half", torch.bfloat16: "BFloat16", torch.bool: "Bool"}
NUMBERS = {name: number for number, name in enumerate(
    "Byte Char Short Int Long Float Double Half Bool BFloat16".split())}
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
CASES = 2800
SPECIAL = [0.0, -0.0, float("nan"), float("inf"), -float("inf")]
EDGES = [1e-4, 9.99e-5, 1e8, 1e8 + 8, 99999999.5, 1000.0, 1000.5, 1.0, 0.001, 0.99995, 9.99995, 0.5,
         2.5, 99999.99995, 1e5, 5e-324, 1e-45, 1.7e308, 3e38, 65504.0, 6e-8, 16777216.0, 123456.789]

# --- cases -----------------------------------------------------------------------------------------


def shape(r):
    kind = r.random()
    if kind < 0.05:
        return []
    if kind < 0.3:
        return [r.choice([1, 2, 3, 5, 6, 7, r.randrange(1, 40), r.randrange(1, 150)])]
    if kind < 0.36:
        return [r.choice([1000, 1001, 1001 + r.randrange(5000)])]
    if kind < 0.44:
        sizes = [r.randrange(4) for _ in range(r.choice([1, 1, 2, 2, 3, 4, 7, 20, 25]))]
        sizes[r.randrange(len(sizes))] = 0
        return sizes
    if kind < 0.55:
        return r.choice([[30, 40], [7, 150], [6, 200], [2, 600], [501, 2], [1001, 1], [1, 1001],
                         [8, 9, 20], [2, 2, 300], [7, 6, 25], [300, 2, 2], [2, 3, 4, 50],
                         [1, 1, 1, 1001], [r.randrange(1, 60), r.randrange(100, 200)]])
    if kind < 0.57:
        return [1] * r.choice([10, 30, 60, 61, 61, 62, 63, 63]) + [r.randrange(1, 30)]
    return [r.choice([1, 2, 3, 4, 7]) for _ in range(r.choice([2, 2, 2, 3, 3, 4, 5]))][:5]


def float_values(r, count):
    """Some of one manner: the rules look at what is whole, at the least and at the most."""
    manner = r.randrange(10)
    scale = 10.0 ** r.randrange(-8, 10)
    draw = [
        lambda: float(r.randrange(-9, 10)),
        lambda: float(r.randrange(-1200, 1201)),
        lambda: r.gauss(0, 1),
        lambda: r.gauss(0, 1) * scale,
        lambda: r.uniform(0.001, 1) * scale,
        lambda: r.uniform(1, 10) * r.choice([1, -1]),
        lambda: r.choice(EDGES) * r.choice([1, 1, 1, -1]),
        lambda: r.gauss(0, 1) * 10.0 ** r.randrange(-300, 300),
        lambda: float(r.randrange(10**8 - 3, 10**8 + 3)),
        lambda: r.randrange(-5, 6) * 0.5,
    ][manner]
    special = r.choice([0, 0, 0, 0.1, 0.5, 1])
    return [r.choice(SPECIAL) if r.random() < special else draw() for _ in range(count)]


def integer_values(r, count, dtype):
    limits = torch.iinfo(dtype)
    most = r.choice([9, 9, 99, 1000, 10**6, limits.max])
    low, high = max(limits.min, r.choice([-most - 1, 0])), min(limits.max, most)
    return [r.randint(low, high) for _ in range(count)]


def case(r):
    """A tensor, and the values that are repeated in it."""
    dtype = r.choice(list(TYPES) + FLOATS * 2)
    sizes = shape(r)
    total = torch.Size(sizes).numel()
    count = min(total, r.choice([1, 2, 3, 7, 13, 31]))
    if dtype == torch.bool:
        values = [r.random() < r.choice([0, 0.5, 1]) for _ in range(count)]
    elif dtype in FLOATS:
        values = float_values(r, count)
    else:
        values = integer_values(r, count, dtype)
    some = torch.tensor(values, dtype=torch.float64 if dtype in FLOATS else dtype).to(dtype)
    repeated = some.repeat(total // max(count, 1) + 1)[:total]
    return repeated.reshape(sizes), some


def write(path):
    r = random.Random(2018)
    with open(path, "w") as file:
        file.write("# Written by tests/oracle/print.py with PyTorch %s.\n" % torch.__version__)
        file.write("%d cases\n" % CASES)
        written = 0
        while written < CASES:
            t, some = case(r)
            text = str(t)
            if len(text) > 1200 and r.random() < 0.9:
                continue
            values = [int(v) if t.dtype == torch.bool else v for v in some.tolist()]
            file.write("%d %s%s :%s\n%s\n" % (
                text.count("\n") + 1, TYPES[t.dtype], "".join(" %d" % n for n in t.shape),
                "".join(" " + golden.text(v) for v in values), text))
            written += 1


# --- comparing a library ---------------------------------------------------------------------------


class Ints(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_int)]


class Options(ctypes.Structure):
    _fields_ = [("type", ctypes.c_void_p)]


def ints(values):
    return Ints((ctypes.c_int64 * len(values))(*values), len(values))


def load(path):
    at = ctypes.CDLL(path)
    pointer = ctypes.c_void_p
    for name, result, arguments in [
        ("at_getType", pointer, [ctypes.c_int, ctypes.c_int]),
        ("at_empty", pointer, [Ints, ctypes.POINTER(Options)]),
        ("at_permute", pointer, [pointer, Ints]),
        ("at_data", pointer, [pointer]),
        ("at_release", None, [pointer]),
        ("at_toString", pointer, [pointer]),
        ("at_string_free", None, [pointer]),
    ]:
        getattr(at, name).restype = result
        getattr(at, name).argtypes = arguments
    return at


def printed(at, t, order):
    """What the library prints for t with its dimensions in that order."""
    options = Options(at.at_getType(0, NUMBERS[TYPES[t.dtype]]))
    made = at.at_empty(ints(t.shape), ctypes.byref(options))
    if t.numel() > 0:
        ctypes.memmove(at.at_data(made), t.data_ptr(), t.numel() * t.element_size())
    view = at.at_permute(made, ints(order))
    string = at.at_toString(view)
    text = ctypes.string_at(string).decode()
    at.at_string_free(string)
    at.at_release(view)
    at.at_release(made)
    return text


def compare(path, count):
    at = load(path)
    seed = random.randrange(2**32)
    r = random.Random(seed)
    print("seed", seed)
    for i in range(count):
        t = case(r)[0]
        order = r.sample(range(t.dim()), t.dim())
        want, got = str(t.permute(order)), printed(at, t, order)
        if got != want:
            raise SystemExit("%s of %s:\n%s\n\nPyTorch:\n%s" % (t.dtype, list(t.shape), got, want))
    print(count, "are the same")


torch.set_num_threads(1)
if len(sys.argv) == 3:
    compare(sys.argv[1], int(sys.argv[2]))
else:
    write(os.path.join(golden.FOLDER, "print.txt"))
