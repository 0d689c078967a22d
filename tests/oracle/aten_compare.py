"""Golden cases of comparisons, bits, booleans, choices, powers and limits (compare.ops, functions.ops): random calls
of every form of every row, with what PyTorch returns for them, or that it raises."""

import operator

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Double, Scalar

TYPES = INTEGERS + FLOATS + SMALL_FLOATS + [torch.bool]
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
    [(1, 2, 1, 2, 2), (1, 3, 1, 2), (2,)],
]
NUMBERS = [0, 1, 2, 3, -1, -2, 5, 0.5, -1.25, 2.0, 0.0]
SPECIAL = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0]
CASES = {"function": 14, "inplace": 7, "out": 6}
METHODS = "is_signed is_floating_point __and__ __or__ __xor__ __lshift__ __rshift__".split()
INPLACE = {"__and__": "__iand__", "__or__": "__ior__", "__xor__": "__ixor__", "__lshift__": "__ilshift__",
           "__rshift__": "__irshift__"}
COMPARISONS = "eq ne lt le gt ge".split()
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift".split()
OLD_BITS = "__and__ __or__ __xor__ __lshift__ __rshift__".split()

with aten_cases.Writer("compare", __file__) as out:
    r = out.random

    def special(t):
        """Some elements of a floating tensor become NaN, infinite, 0."""
        if t.dtype.is_floating_point and t.numel() > 0 and r.random() < 0.5:
            flat = t.reshape(-1)
            for _ in range(2):
                flat[r.randrange(t.numel())] = r.choice(SPECIAL)
        return t

    def tensor(shape, dtype=None):
        return special(out.tensor(shape, dtype, low=-3, high=4))

    def run(name, overload, form, given, call):
        """call takes the values that given holds, and out if the form writes to a tensor."""
        suffix = {"function": "", "inplace": INPLACE.get(name, name + "_")[len(name):], "out": "_out"}[form]
        full = name + suffix
        if form == "inplace" and name in INPLACE:
            full = INPLACE[name]
        tagged = [Scalar(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v for v in given]
        values = [None if v is Default else v for v in given]
        copies = [v.clone() if isinstance(v, torch.Tensor) else v for v in values]
        if form == "out":
            target = torch.empty(0, dtype=r.choice(TYPES + FLOATS * 4 + [torch.bool] * 2))
            if r.random() < 0.4 and isinstance(given[0], torch.Tensor):
                target = target.to(given[0].dtype)
            if r.random() < 0.3:
                target = torch.zeros((2, 3), dtype=target.dtype)
            tagged.insert(0, target)
            target = target.clone()
        try:
            result = call(form, copies, target if form == "out" else None)
            problem = None
        except aten_cases.RAISES as raised:
            problem = raised
            if str(raised).startswith(("Found dtype", "Expected out type")):
                return  # those functions do not convert their results; here all do

        def again():
            if problem:
                raise problem
            return call(form, values, None) if form == "function" else result  # of operands that may want gradients now

        out.case(full + ("." + overload if overload else ""), tagged, again)

    def plain(name):
        """Calls torch.NAME, or the method."""

        def call(form, values, target):
            if form == "inplace":
                return getattr(values[0], INPLACE.get(name, name + "_"))(*values[1:])
            if form == "out":
                return getattr(torch, name)(*values, out=target)
            if name in METHODS:
                return getattr(values[0], name)(*values[1:])
            return getattr(torch, name)(*values)

        return call

    def pairs(name, forms, types=TYPES, second=None):
        for form in forms:
            for _ in range(CASES[form]):
                shapes = r.choice(SHAPES)
                a, b = (tensor(shapes[i], r.choice(types)) for i in range(2))
                if r.random() < 0.3:
                    b = tensor(shapes[1], a.dtype)
                run(name, second, form, [a, b], plain(name))

    def numbered(name, forms, types=TYPES, numbers=NUMBERS, overload="scalar"):
        for form in forms:
            for _ in range(CASES[form]):
                a = tensor(r.choice(SHAPES)[0], r.choice(types))
                run(name, overload, form, [a, r.choice(numbers)], plain(name))

    ALL = ["function", "inplace", "out"]
    for name in COMPARISONS:
        pairs(name, ALL)
        numbered(name, ALL, numbers=NUMBERS + SPECIAL)
    for a, number in [(torch.tensor([1, 44, 0, 255], dtype=torch.uint8), 300), (torch.tensor([1, 255], dtype=torch.uint8), -1),
                      (torch.tensor([0.1]).half(), 0.1), (torch.tensor([0.1]).bfloat16(), 0.1), (torch.tensor([0.1]), 0.1),
                      (torch.tensor([2**53 + 1, 2**53]), 2**53 + 1), (torch.tensor([True, False]), 2)]:
        run("eq", "scalar", "function", [a, number], plain("eq"))
        run("bitwise_and", "scalar", "function", [a, number], plain("bitwise_and"))

    for name in ["equal", "is_same_size"]:
        for _ in range(CASES["function"]):
            a = tensor(r.choice(SHAPES)[0])
            b = r.choice([a.clone(), a.clone(), tensor(a.shape), a.double(), tensor(r.choice(SHAPES)[1])])
            run(name, None, "function", [a, b], plain(name))
    for name in ["is_signed", "is_floating_point"]:
        for dtype in TYPES:
            run(name, None, "function", [tensor((2, 3), dtype)], plain(name))
    for shape in [(), (1,), (1, 1), (2,), (0,)]:
        for dtype in r.sample(TYPES, 4):
            run("is_nonzero", None, "function", [tensor(shape, dtype)], plain("is_nonzero"))

    for name in ["isclose", "allclose"]:
        for _ in range(20):
            a = tensor(r.choice(SHAPES)[0])
            b = r.choice([a.clone(), tensor(a.shape, a.dtype), tensor((1,), a.dtype), tensor(a.shape)])
            if a.dtype.is_floating_point and r.random() < 0.5:
                b = a * (1 + r.choice([0.5, 1e-6, 2.0**-4]))
            options = [r.choice([None, 0.5, 0.125, 1e-5, -1.0]), r.choice([None, 0.25, 1e-3, 0.0]), r.choice([None, True])]
            settings = {n: v for n, v in zip(["rtol", "atol", "equal_nan"], options) if v is not None}
            given = [a, b] + [Default if v is None else Double(v) if isinstance(v, float) else v for v in options]
            out.case(name, given, lambda: getattr(torch, name)(a, b, **settings))

    for name in BITS + OLD_BITS:
        forms = ALL if name in BITS else ["function", "inplace"]
        pairs(name, forms + forms[1:2], INTEGERS * 2 + [torch.bool, torch.float32])
        numbered(name, forms, INTEGERS * 4 + [torch.bool, torch.float32], [0, 1, 2, 3, 5, 5, 7, 100, -1, 1.5])
    for name in OLD_BITS:  # their out forms are those of today's names
        today = BITS[OLD_BITS.index(name)]
        for overload, other in [("", torch.tensor([1, 2, 3])), (".scalar", 3)]:
            a = tensor((2, 3), torch.int64)
            out.case(name + "_out" if not overload else name + overload + "_out",
                     [torch.empty(0, dtype=torch.int64), a, Scalar(other) if overload else other],
                     lambda: getattr(torch, today)(a, other))

    for form in ALL:
        for _ in range(CASES[form]):
            run("logical_not", None, form, [tensor(r.choice(SHAPES)[0])], plain("logical_not"))
    for name in ["logical_and", "logical_or", "logical_xor"]:
        pairs(name, ALL)

    # Choices.
    for form in ["function", "out"]:
        for _ in range(3 * CASES[form]):
            shapes = r.choice(SHAPES)
            condition = tensor(shapes[0], r.choice([torch.bool] * 8 + [torch.uint8, torch.float32]))
            given = [condition, tensor(shapes[1]), tensor(shapes[2])]
            if r.random() < 0.3:
                given[2] = tensor(shapes[2], given[1].dtype)
            run("where", None, form, given, plain("where"))
    condition = tensor((2, 3), torch.bool)
    a = tensor((2, 3), torch.float32)
    out.case("_s_where", [condition, a, a + 1], lambda: torch.where(condition, a, a + 1))
    out.case("_s_where_out", [torch.empty(0), condition, a, a + 1], lambda: torch.where(condition, a, a + 1))
    for overload in ["self_scalar", "other_scalar", "scalar"]:
        for _ in range(CASES["function"]):
            shapes = r.choice(SHAPES)
            given = [tensor(shapes[0], torch.bool), tensor(shapes[1]), tensor(shapes[2])]
            if overload != "other_scalar":
                given[1] = r.choice(NUMBERS)
            if overload != "self_scalar":
                given[2] = r.choice(NUMBERS)
            run("where", overload, "function", given, plain("where"))

    # Functions.
    for name in ["abs", "frac"]:
        for form in ALL:
            for _ in range(CASES[form] + 4):
                run(name, None, form, [tensor(r.choice(SHAPES)[0])], plain(name))
    run("abs", None, "function", [torch.tensor([-128, 127, -1], dtype=torch.int8)], plain("abs"))
    pairs("pow", ALL, TYPES + FLOATS * 4)
    pairs("pow", ["function"] * 2, INTEGERS)
    numbered("pow", ALL, TYPES + FLOATS * 4, [0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.5, 2.0, -1.25])
    numbered("pow", ["function"] * 2, INTEGERS, [0, 1, 2, 3, 4, 7, -1, 300])

    def base(form, values, target):
        return torch.pow(*values, out=target) if form == "out" else torch.pow(*values)

    for form in ["function", "out"]:
        for _ in range(2 * CASES[form]):
            run("pow", "base", form, [r.choice([0, 1, 2, 3, -1, -2, 0.5, -1.5, 2.5, 300]), tensor(r.choice(SHAPES)[0])], base)

    for form in ALL:
        for _ in range(CASES[form]):
            n = r.choice([0, 1, 1, 2, 2, 3, 4, 7, -1])
            a = out.tensor(r.choice(SHAPES)[0], r.choice(FLOATS * 2 + [torch.int64, torch.bool]), low=-9 if n > 1 else 1, high=40)  # for n 1, PyTorch's poles are finite
            target = torch.empty(0, dtype=r.choice(FLOATS))
            if form == "inplace":
                out.case("polygamma_", [a.clone(), n], lambda: a.polygamma_(n), within=1e-5)
            elif form == "out":
                out.case("polygamma_out", [target, n, a], lambda: torch.polygamma(n, a, out=target), within=1e-5)
            else:
                out.case("polygamma", [n, a], lambda: torch.polygamma(n, a), within=1e-5)

    for weight in ["number", "tensor"]:
        for form in ALL:
            for _ in range(2 * CASES[form]):
                shapes = r.choice(SHAPES)
                dtype = r.choice(FLOATS * 3 + SMALL_FLOATS + [torch.int32])
                given = [tensor(shapes[0], dtype), tensor(shapes[1], r.choice([dtype] * 5 + [torch.float64]))]
                given.append(r.choice([0, 1, 0.25, 0.5, 2.0, -0.5]) if weight == "number"
                             else out.tensor(shapes[2], r.choice([dtype] * 5 + [torch.float32])))
                run("lerp", None if weight == "number" else "tensor", form, given, plain("lerp"))

    # Limits.
    def clamp(form, values, target):
        if form == "inplace":
            return values[0].clamp_(*values[1:])
        return torch.clamp(*values, out=target) if form == "out" else torch.clamp(*values)

    BOUNDS = [0, 1, -1, 2, -2, 0.5, -1.25, 3, float("nan"), float("inf")]
    for form in ALL:
        for _ in range(3 * CASES[form]):
            a = tensor(r.choice(SHAPES)[0])
            bounds = [r.choice(BOUNDS), r.choice(BOUNDS)]
            if r.random() < 0.5:
                bounds[r.randrange(2)] = Default
            if r.random() < 0.1:
                bounds = [Default, Default]
            run("clamp", None, form, [a] + bounds, clamp)
    for dtype, bounds in [(torch.uint8, (-5, Default)), (torch.uint8, (-5, 300)), (torch.int8, (Default, 200)), (torch.int8, (-1000, 3))]:
        run("clamp", None, "function", [tensor((2, 3), dtype)] + list(bounds), clamp)
    for form in ALL:
        for _ in range(3 * CASES[form]):
            shapes = r.choice(SHAPES)
            given = [tensor(s) for s in shapes]
            if r.random() < 0.6:
                given[1 + r.randrange(2)] = Default
            run("clamp", "tensor", form, given, clamp)
    for name in ["clamp_min", "clamp_max"]:
        numbered(name, ALL, numbers=BOUNDS, overload=None)
        pairs(name, ALL, second="tensor")
    run("clamp_min", None, "function", [tensor((2, 3), torch.uint8), 300], plain("clamp_min"))
    run("clamp_max", None, "function", [tensor((2, 3), torch.uint8), -5], plain("clamp_max"))
