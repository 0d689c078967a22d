"""Golden cases of src/ops/aten/sequences.ops: random calls, with what PyTorch returns or that it
raises."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Scalar

TYPES = INTEGERS + FLOATS * 2 + SMALL_FLOATS


def optional(r, values, p=0.5):
    """What the case says, and the options that PyTorch takes."""
    return r.choice(values) if r.random() < p else Default


def options(**given):
    return {name: value for name, value in given.items() if value is not Default}


def form_of(out, name, given, call):
    """The function, or the form with a result."""
    r = out.random
    if r.random() < 0.6:
        out.case(name, given, call)
        return
    plain = [g for g in given if not isinstance(g, torch.dtype)]
    try:
        result = call()
    except aten_cases.RAISES:
        result = None
    shape = tuple(result.shape) if result is not None and r.random() < 0.5 else (0,)
    dtype = result.dtype if result is not None else torch.float32
    target = torch.zeros(shape, dtype=dtype)
    stem, dot, overload = name.partition(".")
    out.case(stem + dot + overload + "_out", [target] + given[:len(given)], call)
    del plain


def cases_numbers(out):
    r = out.random
    for _ in range(40):
        end = r.choice([0, 1, 5, 7, 3.5, 4.0, 0.25, -1])
        dtype = optional(r, TYPES)
        form_of(out, "arange", [Scalar(end), dtype], lambda: torch.arange(end, **options(dtype=dtype)))
    for _ in range(70):
        start, end = r.choice([0, 1, -3, 2.5, 0.5, 10]), r.choice([5, 10, 7.25, -2, 0, 2])
        step = optional(r, [1, 2, 3, 0.5, -1, -1.5, 0, 0.3], 0.8)
        dtype = optional(r, TYPES)
        given = [Scalar(start), Scalar(end), step if step is Default else Scalar(step), dtype]
        if dtype == torch.uint8 and (start < 0 or step is not Default and step < 0):
            continue
        if dtype in INTEGERS and step is not Default and int(step) != step:
            continue
        one = 1 if step is Default else step
        form_of(out, "arange.start", given, lambda: torch.arange(start, end, one, **options(dtype=dtype)))
        form_of(out, "range", given, lambda: torch.range(start, end, one, **options(dtype=dtype)))
    for name in ["linspace", "logspace"]:
        for _ in range(40):
            start, end = r.choice([0, 1, -2, 2.5, 3]), r.choice([3, 2, 0.25, -1, 0])
            steps = optional(r, [1, 2, 3, 4, 5, 10, 17, 0, -1], 0.95)
            dtype = optional(r, [torch.float32, torch.float64, torch.int32, torch.int64])
            if dtype in (torch.int32, torch.int64) and (start != int(start) or end != int(end) or name == "logspace"):
                dtype = torch.float64
            count = 100 if steps is Default else steps
            given = [Scalar(start), Scalar(end), steps]
            more = {}
            if name == "logspace":
                base = optional(r, [2, 3, 10], 0.6)
                given.append(base if base is Default else aten_cases.Double(base))
                more = options(base=base)
            function = getattr(torch, name)
            form_of(out, name, given + [dtype], lambda: function(start, end, count, **more, **options(dtype=dtype)))
    for _ in range(30):
        n, m, dtype = r.choice([0, 1, 2, 3, 4, -1]), optional(r, [0, 1, 2, 3, 5, -1]), optional(r, TYPES + [torch.bool])
        form_of(out, "eye", [n, m, dtype], lambda: torch.eye(n, **options(m=m, dtype=dtype)))


def cases_matrices(out):
    r = out.random
    for _ in range(50):
        self = out.tensor(r.choice([(3,), (0,), (1,), (2, 3), (3, 3), (0, 2), (4, 2), (), (1, 1, 1)]))
        k = optional(r, [0, 1, -1, 2, -2, 5, -7])
        form_of(out, "diag", [self, k], lambda: torch.diag(self, **options(diagonal=k)))
        self = out.tensor(r.choice([(2, 3), (3, 3), (0, 2), (4, 2), (2, 3, 4), (2, 0, 3, 3), (2, 2, 3, 1), (3,), ()]))
        for name in ["tril", "triu"]:
            k = optional(r, [0, 1, -1, 2, -2, 5, -7])
            call = lambda: getattr(torch, name)(self, **options(diagonal=k))
            if r.random() < 0.3:
                out.case(name + "_", [self, k], call)
            else:
                form_of(out, name, [self, k], call)
        self = out.tensor(r.choice([(2, 3), (3, 3), (0, 2), (4, 2), (1, 1), (3,), (1, 2, 2)]))
        out.case("trace", [self], lambda: torch.trace(self))
    for _ in range(50):
        shape = r.choice([(3,), (2, 3), (3, 2), (3, 3), (2, 3, 2), (0, 3), (2, 2), (1, 3, 4)])
        self = out.tensor(shape)
        sizes = [n if r.random() < 0.85 or n == 3 else 1 for n in shape]
        if r.random() < 0.05:
            sizes = sizes + [3]
        other = out.tensor(sizes, self.dtype if r.random() < 0.95 else None)
        d = optional(r, [0, 1, -1, -2, 2])
        form_of(out, "cross", [self, other, d], lambda: torch.cross(self, other, **options(dim=d)))


with aten_cases.Writer("sequences", __file__) as out:
    cases_numbers(out)
    cases_matrices(out)
