"""Golden cases of making, views and pointwise operations: random calls of every row of some tables of
src/ops/aten, with what PyTorch returns for them, or that it raises."""

import os
import re

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Ints, Scalar, Views

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/ops/aten/%s.ops")
VIEWS = "select slice narrow transpose permute squeeze unsqueeze expand expand_as view view_as".split()
TYPES = INTEGERS + FLOATS + SMALL_FLOATS + [torch.bool]
CASES = {"function": 14, "inplace": 9, "out": 14}

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
NEWEST = {"copy": "inplace", "fill": "inplace", "zero": "inplace"}
METHODS = "expand expand_as view view_as contiguous".split()


def rows(table):
    """Name, overload, arguments, forms."""
    for line in open(TABLES % table):
        match = re.match(r"(\w+)(?:\.(\w+))?\((.*)\) -> Tensor", line)
        if match:
            arguments = [re.match(r"(\w+\??) (\w+)(?:=(\S+))?", a.strip()).groups()
                         for a in match[3].split(",") if a.strip() not in ("", "*")]
            row = match[1], match[2], arguments
        elif line.startswith("  forms"):
            yield row + (line.split()[1:],)


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


def draw(out, name, kind, shape, values):
    r = out.random
    if kind == "Tensor":
        t = out.tensor(shape)
        if name in ("fmod", "remainder") and values and isinstance(values[-1], torch.Tensor):
            t[t == 0] = 3
        return t
    if kind == "Scalar":
        return r.choice([2, 3, -1, 5, 0.5, -1.25, 2.0])
    if kind == "int64_t":
        return r.choice([0, 1, 2, -1, -2, 3, 0, 1])
    if kind == "bool":
        return r.random() < 0.5
    if kind == "IntList":
        own = list(values[0].shape) if values else [2, 3]
        choices = [own, [-1], own[::-1], [2] + own, own[:-1] + [-1, 1], [1, -1],
                   list(range(len(own)))[::-1], [r.randrange(-1, 3) for _ in own], [3, 2], [6], []]
        if not values:
            choices = [[2, 3], [], [0, 2], [4], [2, 1, 2]]
        return list(r.choice(choices))
    if kind == "Type":
        return r.choice(TYPES)
    raise SystemExit("no values for " + kind)


def tagged(kind, value):
    if kind == "Scalar":
        return Scalar(value)
    return Ints(*value) if kind == "IntList" else value


DEFAULTS = {"alpha": 1, "value": 1, "dim": 0, "start": 0, "end": 2**63 - 1, "step": 1, "type": None}


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


def units(name, result):
    """PyTorch's digamma of Float is a few units in the last place off; that of Double is not."""
    return 2.0**-20 if name == "digamma" and result is not None and result.dtype == torch.float32 else None


with aten_cases.Writer("pointwise", __file__) as out:
    r = out.random
    for table, (name, overload, arguments, forms) in [
            (t, row) for t in ("making", "views", "arithmetic", "unary") for row in rows(t)]:
        if name in ("empty", "empty_like"):
            continue  # any contents
        if overload == "decimals":
            continue  # a keyword: aten_composed.py
        if table == "views" and (name not in VIEWS + ["reshape"] or (overload or "dim") != "dim"):
            continue  # cases of its own: aten_shapes.py
        for form in forms:
            if table in ("making", "views") and form != NEWEST.get(name, "function"):
                continue
            for i in range(CASES[form]):
                shapes = r.choice(SHAPES)
                values, given, names = [], [], []
                for k, (kind, argument, default) in enumerate(arguments):
                    names.append(argument)
                    if default is not None and r.random() < 0.4:
                        values.append(DEFAULTS[argument])
                        given.append(Default)
                        continue
                    values.append(draw(out, name, kind, shapes[min(k, 2)], values))
                    given.append(tagged(kind, values[-1]))
                OUT[0] = r.choice(TYPES + FLOATS * 4)
                if form == "out":
                    given.insert(0, torch.empty(0, dtype=OUT[0]))
                result, problem = None, None
                copies = [v.clone() if isinstance(v, torch.Tensor) else v for v in values]
                try:
                    result = call(form, name, copies, names)
                except aten_cases.RAISES as raised:
                    problem = raised
                    if str(problem).startswith("Found dtype"):
                        continue  # neg and sign do not convert their results; here all do
                suffix = {"function": "", "inplace": "_", "out": "_out"}[form]

                def again():
                    if problem:
                        raise problem
                    made = call(form, name, values, names) if form == "function" else result  # of operands that may want gradients now
                    return Views(made) if name in VIEWS else made

                out.case(name + (("." + overload) if overload else "") + suffix, given, again,
                         units(name, result))
