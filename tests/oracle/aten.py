"""Golden cases of ATen's operations: random calls of every row of src/ops/aten.ops, with what PyTorch
returns for them, or that it raises.

    case add            the form: add, add_ or add_out; an overload stands behind a dot
    tensor Float 2 2 3 : 0x1p+0 ...         dimensions, sizes, values in row-major order
    long 3 | double 0x1p-1 | bool 1 | scalar 2 | scalar 0x1p-1 | ints 2 -1 3 | type Double | default
    want Float 2 2 3 : ...                  or: error
    strides 3 1                             of views
"""

import os
import random
import re

import torch

import golden

HERE = os.path.dirname(os.path.abspath(__file__))
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float32, torch.float64]
VIEWS = "select slice narrow transpose permute squeeze unsqueeze expand expand_as view view_as".split()
NAMES = {t: n for t, n in golden.TYPES.items()}
CASES = {"function": 14, "inplace": 6, "out": 6}

SPECIAL = {
    "zero_": lambda self: self.zero_(),
    "fill_": lambda self, value: self.fill_(value),
    "copy_": lambda self, src: self.copy_(src),
    "slice": lambda self, dim, start, end, step: torch.ops.aten.slice(self, dim, start, end, step),
    "to": lambda self, type: self.to(type),
    "type_as": lambda self, other: self.type_as(other),
    "full": lambda sizes, value, type: torch.full(sizes, float(value), dtype=type or torch.float32),
    "full_like": lambda self, value, type: torch.full_like(self, value, dtype=type),
    "zeros": lambda sizes, type: torch.zeros(sizes, dtype=type or torch.float32),
    "ones": lambda sizes, type: torch.ones(sizes, dtype=type or torch.float32),
    "zeros_like": lambda self, type: torch.zeros_like(self, dtype=type),
    "ones_like": lambda self, type: torch.ones_like(self, dtype=type),
}
METHODS = "expand expand_as view view_as contiguous".split()


def rows():
    for line in open(os.path.join(HERE, "../../src/ops/aten.ops")):
        match = re.match(r"(\w+)(?:\.(\w+))?\((.*)\) -> Tensor", line)
        if match:
            arguments = [re.match(r"(\w+\??) (\w+)(?:=(\S+))?", a.strip()).groups()
                         for a in match[3].split(",") if a.strip() not in ("", "*")]
            row = match[1], match[2], arguments
        elif line.startswith("  forms"):
            yield row + (line.split()[1:],)


def tensor(r, shape, dtype=None):
    dtype = dtype or r.choice(INTEGERS + FLOATS * 2)
    low, high = (0 if dtype == torch.uint8 else -20), 21
    values = [r.randrange(low, high) for _ in range(torch.Size(shape).numel())]
    t = torch.tensor(values, dtype=torch.float64)
    if dtype in FLOATS:
        t = t / 8
    return t.to(dtype).reshape(shape)


SHAPES = [
    [(2, 3), (2, 3), (2, 3)],
    [(2, 3), (3,), (2, 1)],
    [(2, 1, 2), (3, 1), (1,)],
    [(), (2, 3), ()],
    [(2, 3), (), (3,)],
    [(), (), ()],
    [(0, 3), (1, 3), (3,)],
    [(4,), (1,), (4,)],
    [(2, 3), (2, 4), (2, 3)],
    [(1, 3, 1, 2), (1, 3, 1, 2), (2,)],
]


def draw(r, name, kind, shape, values):
    """A value, and the words that name it in the file."""
    if kind == "Tensor":
        t = tensor(r, shape)
        if name in ("fmod", "remainder") and values and isinstance(values[-1], torch.Tensor):
            t[t == 0] = 3
        return t, None
    if kind == "Scalar":
        v = r.choice([2, 3, -1, 5, 0.5, -1.25, 2.0])
        return v, "scalar " + golden.text(v)
    if kind == "int64_t":
        v = r.choice([0, 1, 2, -1, -2, 3, 0, 1])
        return v, "long %d" % v
    if kind == "bool":
        v = r.random() < 0.5
        return v, "bool %d" % v
    if kind == "IntList":
        own = list(values[0].shape) if values else [2, 3]
        choices = [own, [-1], own[::-1], [2] + own, own[:-1] + [-1, 1], [1, -1],
                   list(range(len(own)))[::-1], [r.randrange(-1, 3) for _ in own], [3, 2], [6], []]
        v = [n for n in r.choice(choices)]
        if not values:
            v = r.choice([[2, 3], [], [0, 2], [4], [2, 1, 2]])
        return v, "ints %d" % len(v) + "".join(" %d" % n for n in v)
    if kind == "Type":
        v = r.choice(INTEGERS + FLOATS)
        return v, "type " + NAMES[v]
    raise SystemExit("no values for " + kind)


DEFAULTS = {"alpha": 1, "value": 1, "dim": 0, "start": 0, "end": 2**63 - 1, "step": 1, "type": None}


def words(t):
    return "%s %d%s :%s" % (NAMES[t.dtype], t.dim(), "".join(" %d" % n for n in t.shape),
                            "".join(" " + golden.text(v) for v in t.reshape(-1).tolist()))


def call(form, name, values, names):
    full = name + {"function": "", "inplace": "_", "out": "_out"}[form]
    if full in SPECIAL:
        return SPECIAL[full](*values)
    plain = [v for v, n in zip(values, names) if n not in ("alpha", "value") or name == "full_like"]
    options = {n: v for v, n in zip(values, names) if n in ("alpha", "value")}
    if form == "inplace":
        return getattr(values[0], full)(*plain[1:], **options)
    if name in METHODS:
        return getattr(values[0], name)(*plain[1:])
    if form == "out":
        options["out"] = torch.empty(0, dtype=OUT[0])
    return getattr(torch, name)(*plain, **options)


OUT = [None]

with open(os.path.join(golden.FOLDER, "aten.txt"), "w") as file:
    file.write("# Written by tests/oracle/aten.py with PyTorch %s.\n" % torch.__version__)
    r = random.Random(2018)
    for name, overload, arguments, forms in rows():
        if name in ("empty", "empty_like"):
            continue  # any contents
        for form in forms:
            for i in range(CASES[form]):
                shapes = r.choice(SHAPES)
                values, lines, names = [], [], []
                for k, (kind, argument, default) in enumerate(arguments):
                    names.append(argument)
                    if default is not None and r.random() < 0.4:
                        values.append(DEFAULTS[argument])
                        lines.append("default")
                        continue
                    v, text = draw(r, name, kind, shapes[min(k, 2)], values)
                    values.append(v)
                    lines.append(text or "tensor " + words(v))
                OUT[0] = r.choice(INTEGERS + FLOATS * 4)
                if form == "out":
                    lines.insert(0, "tensor %s 1 0 :" % NAMES[OUT[0]])
                try:
                    result = call(form, name, values, names)
                except (RuntimeError, IndexError, TypeError, ValueError) as problem:
                    result = None
                    if str(problem).startswith("Found dtype"):
                        continue  # neg and sign do not convert their results; here all do
                suffix = {"function": "", "inplace": "_", "out": "_out"}[form]
                file.write("case %s%s%s\n" % (name, suffix, "." + overload if overload else ""))
                file.write("\n".join(lines) + "\n")
                if result is None:
                    file.write("error\n")
                else:
                    file.write("want " + words(result) + "\n")
                    if name in VIEWS and result.numel() > 0:
                        file.write("strides" + "".join(" %d" % n for n in result.stride()) + "\n")
