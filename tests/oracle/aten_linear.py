"""Cases of the products of src/ops/aten/linear.ops."""

import torch

import aten_cases
from aten_cases import Default, Scalar

TYPES = aten_cases.INTEGERS + aten_cases.FLOATS * 3 + aten_cases.SMALL_FLOATS + [torch.bool]

# Operands that fit, and some that do not.
SHAPES = {
    "mm": [((2, 3), (3, 4)), ((1, 5), (5, 1)), ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((2, 3), (2, 3)), ((3,), (3, 2))],
    "mv": [((2, 3), (3,)), ((4, 1), (1,)), ((2, 0), (0,)), ((0, 2), (2,)), ((2, 3), (2,)), ((2, 3), (3, 1))],
    "dot": [((3,), (3,)), ((0,), (0,)), ((1,), (1,)), ((9,), (9,)), ((3,), (4,)), ((), (1,))],
    "ger": [((2,), (3,)), ((0,), (3,)), ((1,), (1,)), ((2, 1), (3,))],
    "bmm": [((2, 2, 3), (2, 3, 4)), ((1, 1, 1), (1, 1, 1)), ((0, 2, 3), (0, 3, 1)), ((2, 3, 0), (2, 0, 2)),
            ((2, 2, 3), (3, 3, 4)), ((2, 3), (3, 2))],
    "matmul": [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2)),
               ((2, 2, 3), (3, 4)), ((2, 3), (4, 3, 2)), ((2, 1, 2, 3), (4, 3, 2)), ((0, 2, 3), (3, 2)),
               ((2, 2, 0), (0, 2)), ((2, 3), (0, 3, 2)), ((), (2,)), ((2, 2, 3), (3, 3, 4)), ((2, 3), (2, 3)),
               ((1, 2, 3), (5, 3, 1)), ((3, 2, 2, 3), (3, 2, 3, 2))],
}
SHAPES.update(addmm=SHAPES["mm"], addmv=SHAPES["mv"], addr=SHAPES["ger"], baddbmm=SHAPES["bmm"], addbmm=SHAPES["bmm"])
ALSO = {"mm": ["_mm"], "mv": ["_mv"], "dot": ["_dot"], "ger": ["_ger", "outer"], "addmv": ["_addmv"], "addr": ["_addr"]}


def product_size(name, a, b):
    try:
        function = {"addmm": "mm", "addmv": "mv", "addr": "ger", "baddbmm": "bmm", "addbmm": "bmm"}[name]
        size = getattr(torch, function)(torch.ones(a), torch.ones(b)).shape
        return size[1:] if name == "addbmm" else size
    except aten_cases.RAISES:
        return (2, 2)


def strict(tensors, call):
    """PyTorch looks at types, and at Bool, only where there is something to multiply; ours always."""
    def checked():
        result = call()
        if len({t.dtype for t in tensors}) > 1 or tensors[0].dtype == torch.bool:
            raise TypeError("types")
        return result
    return checked


def run(out, name, shown):
    r = out.random
    base = name
    for form in ["", "_", "_out"]:
        if form == "_" and not name.startswith("add") and name != "baddbmm":
            continue
        for k in range(8 if shown != name else 24):
            a, b = SHAPES[base][k % len(SHAPES[base])]
            dtype = r.choice(TYPES)
            other = r.choice(TYPES) if r.random() < 0.15 else dtype
            low, high = -6, 7
            x, y = out.tensor(a, dtype, low, high), out.tensor(b, other, low, high)
            if "add" not in name:
                if form == "" and name == "ger":
                    out.case(shown, [x, y], lambda: torch.outer(x, y))
                elif form == "":
                    out.case(shown, [x, y], strict([x, y], lambda: getattr(torch, name)(x, y)))
                else:
                    result = torch.empty(0, dtype=r.choice([dtype, dtype, torch.float32]))
                    if name == "ger":
                        if result.dtype != torch.bool and torch.can_cast(torch.result_type(x, y), result.dtype):
                            out.case(shown + form, [result, x, y], lambda: torch.outer(x, y).to(result.dtype))
                        continue
                    out.case(shown + form, [result, x, y],
                             strict([x, y], lambda: getattr(torch, name)(x, y, out=result)))
                continue
            size = product_size(name, a, b)
            shapes = [size, size[-1:], (1,) * len(size), ()] if form != "_" else [size, size, size, size[-1:]]
            if form == "_out" or name == "addmv" or (form == "_" and name == "addbmm"):
                shapes = [size]  # others take wrong turns in PyTorch
            self = out.tensor(r.choice(shapes), r.choice(TYPES) if r.random() < 0.1 else dtype, low, high)
            numbers = [2, -1, 0] if not dtype.is_floating_point else [2, 0.5, 0, -1.25]
            beta, alpha = r.choice(numbers + [None]), r.choice(numbers + [None])
            options = {n: v for n, v in (("beta", beta), ("alpha", alpha)) if v is not None}
            given = [Default if v is None else Scalar(v) for v in (beta, alpha)]
            if name == "addr":
                check = lambda call: call
            else:
                check = lambda call: strict([self, x, y] + ([result] if form == "_out" else []), call)
            result = torch.empty(0, dtype=r.choice([dtype, dtype, torch.float32]))
            if form == "_":
                out.case(shown + "_", [self.clone(), x, y] + given, check(lambda: getattr(self, name + "_")(x, y, **options)))
            elif form == "_out":
                out.case(shown + "_out", [result, self, x, y] + given,
                         check(lambda: getattr(torch, name)(self, x, y, out=result, **options)))
            else:
                out.case(shown, [self, x, y] + given, check(lambda: getattr(torch, name)(self, x, y, **options)))


with aten_cases.Writer("linear", __file__) as out:
    for name in ["mm", "mv", "dot", "ger", "bmm", "matmul", "addmm", "addmv", "addr", "addbmm", "baddbmm"]:
        for shown in [name] + ALSO.get(name, []):
            run(out, name, shown)
    nan = torch.full((2, 2), float("nan"))
    ones = torch.ones(2, 2)
    out.case("addmm", [nan, ones, ones, Scalar(0), Default], lambda: torch.addmm(nan, ones, ones, beta=0))
    for i in range(16):
        dtype = out.random.choice([torch.float32, torch.float64, torch.float64, torch.int64]) if i else torch.float64
        groups, depth, columns = out.random.choice([1, 2, 3]), out.random.choice([1, 3]), out.random.choice([1, 4])
        ends = sorted(out.random.choice(range(6)) for _ in range(groups))
        x = out.tensor((5, depth if i != 7 else depth + 1), dtype)
        y = out.tensor((groups, depth, columns), dtype)
        offs = torch.tensor(ends if i != 8 else [6] * groups, dtype=out.random.choice([torch.int32, torch.int64]))

        def grouped():
            result = torch.zeros(5, columns, dtype=dtype)
            for k, (start, end) in enumerate(zip([0] + offs.tolist(), offs.tolist())):
                if end > 5:
                    raise ValueError
                result[start:end] = x[start:end] @ y[k]
            return result

        out.case("_grouped_mm", [x, y, offs], grouped)
    big = out.tensor((37, 41), torch.float32), out.tensor((41, 29), torch.float32)
    out.case("mm", list(big), lambda: torch.mm(*big))
    for i in range(8):  # one matrix: groups of terms, as torch._grouped_mm takes them of BFloat16 on a GPU
        dtype = out.random.choice([torch.float32, torch.float64, torch.int64])
        groups, rows, columns = out.random.choice([1, 2, 3]), out.random.choice([1, 3]), out.random.choice([1, 4])
        ends = sorted(out.random.choice(range(6)) for _ in range(groups))
        x, y = out.tensor((rows, 5), dtype), out.tensor((5 if i != 3 else 4, columns), dtype)
        offs = torch.tensor(ends if i != 4 else [6] * groups, dtype=torch.int32)

        def terms():
            parts = []
            for start, end in zip([0] + offs.tolist(), offs.tolist()):
                if end > 5 or len(y) != 5:
                    raise ValueError
                parts.append(x[:, start:end] @ y[start:end])
            return torch.stack(parts)

        out.case("_grouped_mm", [x, y, offs], terms)
