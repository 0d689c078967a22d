#!/usr/bin/env python3
"""Writes tests/golden/aten/complex.txt: operations of complex numbers and of unsigned integers."""

import torch

from aten_cases import COMPLEX, Default, Double, Ints, Scalar, Seed, Text, Views, Writer

UNSIGNED = [torch.uint16, torch.uint32, torch.uint64]
REALS = [torch.float32, torch.float64]
# Loose where one side cancels: a few ulps of the larger part.
LOOSE = {torch.complex64: 1e-5, torch.complex128: 1e-13}


def conversions(out):
    everything = [torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16,
                  torch.bfloat16, *REALS, *COMPLEX, *UNSIGNED]
    for new in COMPLEX + UNSIGNED:
        for other in everything:
            t = out.tensor((2, 3), other, low=0)
            out.case("to", [t, new], lambda: t.to(new))
            t = out.tensor((2, 3), new, low=0)
            out.case("to", [t, other], lambda: t.to(other))
    top = torch.tensor([2**64 - 1, 2**63, 5, 2**53 + 1], dtype=torch.uint64)
    for other in [torch.int64, torch.int16, torch.bool, torch.uint16, *UNSIGNED]:
        out.case("to", [top.view(torch.int64).clone(), other], lambda: top.view(torch.int64).to(other))
    for dtype, most in zip(UNSIGNED, [2**16, 2**32, 2**64]):
        big = torch.tensor([most - 1, most // 2, most // 2 + 1, 3], dtype=dtype)
        for other in [torch.int64, torch.float32, torch.float64, torch.float16]:
            out.case("to", [big, other], lambda: big.to(other))


def parts(out):
    for dtype, real in zip(COMPLEX, REALS):
        for shape in [(2, 3), (), (0, 2), (3, 1, 2)]:
            t = out.tensor(shape, dtype)
            for name, call in [("view_as_real", torch.view_as_real), ("real", torch.real), ("imag", torch.imag)]:
                out.case(name, [t], lambda: Views(call(t)) if t.numel() else call(t))
            for name in ["conj", "_conj", "conj_physical", "_conj_physical", "resolve_conj", "angle", "abs", "sgn", "isreal", "neg"]:
                call = getattr(torch, name, None) or (lambda x: x)
                out.case(name, [t], lambda: call(t).resolve_conj())
            pairs = out.tensor((*shape, 2), real)
            out.case("view_as_complex", [pairs], lambda: torch.view_as_complex(pairs))
        x, y = out.tensor((3, 1), real), out.tensor((2,), real)
        out.case("complex", [x, y], lambda: torch.complex(x, y))
        out.case("polar", [x, y], lambda: torch.polar(x, y))
        m = out.tensor((2, 3, 4), dtype)
        out.case("mH", [m], lambda: m.mH.resolve_conj())
        out.case("is_complex", [m], lambda: m.is_complex())
        out.case("sgn", [x], lambda: torch.sgn(x))
        out.case("angle", [x], lambda: torch.angle(x))
        out.case("sign", [m], lambda: torch.sign(m))
        out.case("view_as_real", [x], lambda: torch.view_as_real(x))
        out.case("imag", [x], lambda: torch.imag(x))
        out.case("view_as_complex", [x], lambda: torch.view_as_complex(x))
        for name in ["angle", "sgn", "conj_physical"]:
            given = getattr(torch, name)(m).resolve_conj() * 0
            out.case(name + "_out", [given, m], lambda: getattr(torch, name)(m, out=given.clone()))
        for name in ["complex", "polar"]:
            given = torch.zeros(3, 2, dtype=dtype)
            out.case(name + "_out", [given, x, y], lambda: getattr(torch, name)(x, y, out=given.clone()))
        out.case("sgn_", [m.clone()], lambda: m.clone().sgn_())
        out.case("is_conj", [m], lambda: m.is_conj())
        out.case("is_neg", [m], lambda: m.is_neg())
        out.case("conj_physical_", [m.clone()], lambda: m.clone().conj_physical_())
        out.case("abs_", [m.clone()], lambda: m.clone().abs_())
    i = out.tensor((4,), torch.int32)
    out.case("angle", [i], lambda: torch.angle(i))
    out.case("complex", [out.tensor((2,), torch.float32), out.tensor((2,), torch.float64)],
             lambda: torch.complex(torch.zeros(2), torch.zeros(2).double()))


def elementwise(out):
    functions = ["reciprocal", "sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "sigmoid", "tanh", "sinh", "cosh",
                 "sin", "cos", "tan", "asin", "acos", "atan", "exp2", "log2", "log10", "asinh", "acosh", "atanh",
                 "square", "isnan", "isinf", "isfinite"]
    for dtype in COMPLEX:
        t = out.tensor((2, 3), dtype) + 0.3
        for name in functions:
            out.case(name, [t], lambda: getattr(torch, name)(t), within=LOOSE[dtype])
        for other in [dtype, torch.float32, torch.int64, torch.complex128, torch.bool]:
            y = out.tensor((3,), other) if other != torch.int64 else out.tensor((3,), other, low=1)
            for name in ["add", "sub", "mul", "div", "eq", "ne", "pow"]:
                if name in ("sub", "div", "pow") and other == torch.bool:
                    continue
                z = y + 2.5 if name in ("div", "pow") and y.is_floating_point() else y
                out.case(name, [t, z] + ([Default] if name in ("add", "sub") else []),
                         lambda: getattr(torch, name)(t, z), within=1e-4 if name == "pow" else LOOSE[dtype])
        scalar = out.tensor((), torch.complex128)
        wide = out.tensor((2,), torch.float32)
        out.case("mul", [wide, scalar], lambda: wide * scalar)
        for value in [2, 0.5, -1, 3]:
            for name in ["add", "sub", "mul", "div", "pow", "eq", "ne", "rsub"]:
                arguments = [t, Scalar(value)] + ([Default] if name in ("add", "sub", "rsub") else [])
                out.case(name + ".scalar", arguments, lambda: getattr(torch, name)(t, value), within=LOOSE[dtype])
        out.case("add", [t, t, Scalar(2)], lambda: torch.add(t, t, alpha=2))
        u, v = out.tensor((3,), dtype) + 1, out.tensor((2, 1), dtype) + 4
        out.case("addcmul", [t, u, v, Scalar(0.5)], lambda: torch.addcmul(t, u, v, value=0.5))
        out.case("addcdiv", [t, u, v, Scalar(2)], lambda: torch.addcdiv(t, u, v, value=2), within=LOOSE[dtype])
        for name in ["lt", "maximum", "floor", "clamp_min.tensor", "atan2", "fmod"]:
            out.case(name, [t, t] if name != "floor" else [t],
                     lambda: getattr(torch, name.split(".")[0])(*([t, t] if name != "floor" else [t])))
        add = torch.zeros(2, 3, dtype=dtype)
        out.case("add_out", [add, t, t, Default], lambda: torch.add(t, t, out=add))
        out.case("mul_", [t.clone(), t], lambda: t.clone().mul_(t))
        out.case("add_", [t.real.clone(), t, Default], lambda: t.real.clone().add_(t))
        mask = out.tensor((2, 3), torch.bool)
        double, part = t * 2, t.real.clone()
        out.case("where", [mask, t, double], lambda: torch.where(mask, t, double))
        out.case("where", [mask, t, part], lambda: torch.where(mask, t, part))
        out.case("masked_fill", [t, mask, Scalar(1.5)], lambda: t.masked_fill(mask, 1.5))
        out.case("masked_select", [t, mask], lambda: t.masked_select(mask))
        zeros = t * mask
        out.case("nonzero", [zeros], lambda: zeros.nonzero())
        out.case("equal", [t, t.clone()], lambda: torch.equal(t, t.clone()))
        out.case("equal", [t, t + 1], lambda: torch.equal(t, t + 1))


def moves(out):
    for dtype in COMPLEX + UNSIGNED:
        t = out.tensor((3, 4), dtype)
        index = torch.tensor([2, 0, 2])
        out.case("cat", [[t, t], 1], lambda: torch.cat([t, t], 1))
        out.case("stack", [[t, t], 1], lambda: torch.stack([t, t], 1))
        out.case("clone", [t], lambda: t.clone())
        out.case("transpose", [t, 0, 1], lambda: Views(t.transpose(0, 1)))
        out.case("repeat", [t, Ints(2, 1)], lambda: t.repeat(2, 1))
        out.case("flip", [t, Ints(0, 1)], lambda: t.flip(0, 1))
        out.case("roll", [t, Ints(1), Ints(1)], lambda: t.roll(1, 1))
        out.case("index_select", [t, 0, index], lambda: t.index_select(0, index))
        out.case("index", [t, [index]], lambda: t[index])
        out.case("index", [t, [None, index]], lambda: t[:, index])
        out.case("gather", [t, 1, index[None]], lambda: t.gather(1, index[None]))
        out.case("scatter", [t, 1, index[None][:, :2], t], lambda: t.scatter(1, index[None][:, :2], t))
        out.case("full", [Ints(2, 2), Scalar(3), dtype], lambda: torch.full((2, 2), 3, dtype=dtype))
        out.case("zeros", [Ints(2), dtype], lambda: torch.zeros(2, dtype=dtype))
        out.case("fill_", [t.clone(), Scalar(5)], lambda: t.clone().fill_(5))
        out.case("copy_", [t.clone(), t[0]], lambda: t.clone().copy_(t[0]))
        out.case("expand", [t[:1], Ints(3, 4)], lambda: t[:1].expand(3, 4))
        out.case("reshape", [t.t(), Ints(12)], lambda: t.t().reshape(12))
    for dtype in COMPLEX:
        t = out.tensor((3, 4), dtype)
        out.case("take", [t, index], lambda: t.take(index))
        row = out.tensor((4,), dtype)
        mask = out.tensor((3, 4), torch.bool)
        twice, first, second = t * 2, t[:2].clone(), t[1].clone()
        out.case("masked_scatter", [t, mask, twice], lambda: t.masked_scatter(mask, twice))
        out.case("index_fill", [t, -1, index[:2], Scalar(2)], lambda: t.index_fill(-1, index[:2], 2))
        out.case("put", [t, index[:2], row[:2], Default], lambda: t.put(index[:2], row[:2]))
        out.case("put", [t, index, row[:3], True], lambda: t.put(index, row[:3], True))
        out.case("scatter.value", [t, 1, index[None], Scalar(3)], lambda: t.scatter(1, index[None], 3))
        out.case("index_add", [t, 0, index, t, Default], lambda: t.index_add(0, index, t))
        out.case("index_copy", [t, 0, index[:2], first], lambda: t.index_copy(0, index[:2], first))
        out.case("scatter_add", [t, 1, index[None], t], lambda: t.scatter_add(1, index[None], t))
        out.case("index_put", [t, [index[:2]], second, Default], lambda: t.index_put((index[:2],), second))
        out.case("index_put", [t, [index], t, True], lambda: t.index_put((index,), t, True))
        out.case("index_put_", [t.clone(), [index], t, True], lambda: t.clone().index_put_((index,), t, True))
        out.case("constant_pad_nd", [t, Ints(1, 2), Scalar(0)], lambda: torch.constant_pad_nd(t, (1, 2), 0))
        out.case("as_strided", [t, Ints(2, 2), Ints(4, 1), 1], lambda: t.as_strided((2, 2), (4, 1), 1))


def sums(out):
    for dtype in COMPLEX:
        t = out.tensor((3, 2, 4), dtype)
        for name in ["sum", "mean"]:
            call = getattr(torch, name)
            out.case(name, [t, Default], lambda: call(t))
            for dims, keep in [((0,), False), ((-1, 0), True), ((1,), False)]:
                out.case(name + ".dim", [t, Ints(*dims), keep, Default], lambda: call(t, dims, keep))
        out.case("prod", [t, Default], lambda: torch.prod(t), within=LOOSE[dtype])
        out.case("prod.dim", [t, -1, True, Default], lambda: torch.prod(t, -1, True), within=LOOSE[dtype])
        out.case("cumprod", [t, -1, Default], lambda: torch.cumprod(t, -1), within=LOOSE[dtype])
        out.case("cumsum", [t, 1, Default], lambda: torch.cumsum(t, 1))
        out.case("any", [t], lambda: torch.any(t))
        out.case("all.dim", [t, Ints(0), Default], lambda: torch.all(t, 0))
        out.case("norm", [t, Default], lambda: torch.norm(t))
        out.case("norm.dim", [t, Scalar(1), Ints(1), False, Default], lambda: torch.norm(t, 1, 1))
        single = out.tensor((), dtype)
        out.case("sum", [single, Default], lambda: torch.sum(single))
        r = out.tensor((2, 2), torch.float32)
        out.case("sum", [r, dtype], lambda: torch.sum(r, dtype=dtype))
        for real in [torch.uint8, torch.float32, torch.float64]:
            near = (t.abs() + 1).to(dtype)
            out.case("sum", [single, real], lambda: torch.sum(single.real.to(real), dtype=real))
            out.case("sum.dim", [near, Ints(1), False, real], lambda: torch.sum(near, 1, dtype=real))
            out.case("prod", [single, real], lambda: torch.prod(single, dtype=real))
            out.case("prod.dim", [near, 1, True, real], lambda: torch.prod(near, 1, True, dtype=real))
        out.case("max", [t], lambda: torch.max(t))


def products(out):
    for dtype in COMPLEX:
        a, b, c = out.tensor((3, 4), dtype), out.tensor((4, 2), dtype), out.tensor((3, 2), dtype)
        v, w = out.tensor((4,), dtype), out.tensor((4,), dtype)
        out.case("mm", [a, b], lambda: a @ b)
        out.case("mv", [a, v], lambda: a @ v)
        out.case("dot", [v, w], lambda: torch.dot(v, w))
        out.case("vdot", [v, w], lambda: torch.vdot(v, w))
        out.case("ger", [v, w], lambda: torch.ger(v, w))
        out.case("addmm", [c, a, b, Scalar(2), Scalar(0.5)], lambda: torch.addmm(c, a, b, beta=2, alpha=0.5))
        x, y = out.tensor((2, 3, 4), dtype), out.tensor((2, 4, 2), dtype)
        out.case("bmm", [x, y], lambda: x @ y)
        out.case("baddbmm", [c, x, y, Default, Default], lambda: torch.baddbmm(c, x, y))
        out.case("matmul", [x, y], lambda: x @ y)
        out.case("matmul", [x, b], lambda: x @ b)
        out.case("matmul", [v, y], lambda: v @ y)
        out.case("mm", [a, b.real], lambda: a @ b.real)
        bias, m = out.tensor((4,), dtype), out.tensor((4, 4), dtype)
        out.case("linear", [x, m, bias], lambda: torch.nn.functional.linear(x, m, bias))
        out.case("linear", [a, v, Default], lambda: torch.nn.functional.linear(a, v))
        out.case("linear_out", [out.tensor((2, 3, 4), dtype), x, m, Default], lambda: torch.nn.functional.linear(x, m))
        for equation, operands in [("bij,bjk->bik", [x, y]), ("ii->i", [m]), ("bij,jk,bkl->il", [x, m, y]), ("...j,j->...", [x, v]),
                                   ("ij,kj->", [a, a])]:
            out.case("einsum", [Text(equation), operands], lambda: torch.einsum(equation, *operands))
        out.case("tensordot", [x, y, Ints(2, 0), Ints(1, 0)], lambda: torch.tensordot(x, y, ([2, 0], [1, 0])))
        out.case("inner", [x, a], lambda: torch.inner(x, a))
        out.case("kron", [c, v], lambda: torch.kron(c, v))


def unsigned(out):
    for dtype in UNSIGNED:
        x, y = out.tensor((2, 3), dtype), out.tensor((3,), dtype, low=1)
        big = torch.full((3,), 40000, dtype=dtype)
        for name in ["mul", "div", "eq", "ne", "bitwise_and", "bitwise_or", "bitwise_xor", "add", "lt"]:
            out.case(name, [x, y] + ([Default] if name == "add" else []), lambda: getattr(torch, name)(x, y))
        out.case("mul", [big, big], lambda: big * big)
        out.case("mul.scalar", [big, Scalar(3)], lambda: big * 3)
        out.case("div", [big, y], lambda: big / y)
        out.case("mul", [big, torch.tensor([2, 3, 4])], lambda: big * torch.tensor([2, 3, 4]))
        out.case("mul", [big, torch.tensor([2.5, 3, 4])], lambda: big * torch.tensor([2.5, 3, 4]))
        mask = out.tensor((3,), torch.bool)
        out.case("where", [mask, big, y], lambda: torch.where(mask, big, y))
        out.case("full", [Ints(2), Scalar(-1.5), dtype], lambda: torch.full((2,), -1.5, dtype=dtype))


def draws(out):
    seeds = iter(range(1, 1000))

    def case(name, given, call, within=1e-6):
        seed = next(seeds)
        out.case(name, [Seed(seed) if g is Seed else g for g in given], lambda: call(torch.Generator().manual_seed(seed)), within)

    for dtype in COMPLEX:
        for shape in [(3,), (2, 9), (), (0,), (3, 1, 7), (40,)]:
            t = torch.zeros(shape, dtype=dtype)
            for name in ["rand", "randn"]:
                call = getattr(torch, name)
                case(name, [Ints(*shape), Seed, dtype], lambda g: call(shape, generator=g, dtype=dtype))
                case(name + "_out", [t, Ints(*shape), Seed, Default], lambda g: call(shape, generator=g, out=t.clone()))
            case("rand_like", [t, Default, Seed], lambda g: t.clone().uniform_(generator=g))
            case("randn_like", [t.real.clone(), dtype, Seed], lambda g: t.clone().normal_(generator=g))
            case("uniform_", [t, Double(-2), Double(3), Seed], lambda g: t.clone().uniform_(-2, 3, generator=g))
            for mean, std in [(2, 3), (0, 1), (0.5, 0), (0, -1)]:
                case("normal_", [t, Double(mean), Double(std), Seed], lambda g: t.clone().normal_(mean, std, generator=g))
            mean, std = out.tensor(shape, dtype), out.tensor(shape, t.real.dtype, 0, 20)
            case("normal.mean", [mean, Double(2), Seed], lambda g: torch.normal(mean, 2.0, generator=g), 1e-5)
            case("normal.both", [mean, std, Seed], lambda g: torch.normal(mean, std, generator=g), 1e-5)
            case("normal.both_out", [t, mean, std, Seed], lambda g: torch.normal(mean, std, generator=g), 1e-5)
            case("normal.both", [std, mean, Seed], lambda g: torch.normal(std, mean, generator=g))
            case("normal.std", [Double(1), mean, Seed], lambda g: torch.normal(1.0, mean, generator=g))


def closeness(out):
    nan, inf = float("nan"), float("inf")
    for dtype in COMPLEX:
        x = torch.tensor([1 + 2j, 1 + 2j, 1 + 2j, 3 + 4j, complex(nan, 1), complex(inf, 1), complex(inf, 1), 0], dtype=dtype)
        y = torch.tensor([1 + 2j, 1 + 3j, 1.5 + 2j, 3 + 4.4j, complex(nan, 1), complex(inf, 1), complex(inf, 2), 0.01j], dtype=dtype)
        for rtol, atol, equal in [(1e-5, 1e-8, False), (0.1, 0.0, True), (0.0, 0.6, False), (0.0, 0.0, True), (-1.0, 0.0, False)]:
            for name in "isclose", "allclose":
                call, given = getattr(torch, name), [Double(rtol), Double(atol), equal]
                out.case(name, [x, y, *given], lambda: call(x, y, rtol, atol, equal))
                out.case(name, [x[:1].clone(), x, *given], lambda: call(x[:1], x, rtol, atol, equal))
                out.case(name, [x[:4].clone(), x[:4].clone(), *given], lambda: call(x[:4], x[:4], rtol, atol, equal))


def fills(out):
    for dtype in COMPLEX:
        t, value = out.tensor((3, 4), dtype), torch.tensor(2 - 1.5j, dtype=dtype)
        mask, index = out.tensor((3, 4), torch.bool), torch.tensor([2, 0])
        for one in [value, torch.tensor(3.5), torch.tensor(1 + 2j, dtype=torch.complex64)]:
            out.case("masked_fill.tensor", [t, mask, one], lambda: t.masked_fill(mask, one))
            out.case("masked_fill.tensor_", [t.clone(), mask, one], lambda: t.clone().masked_fill_(mask, one))
            out.case("index_fill.tensor", [t, 1, index, one.to(dtype)], lambda: t.index_fill(1, index, one.to(dtype)))
        out.case("masked_fill.tensor", [t[0], mask, value], lambda: t[0].masked_fill(mask, value))
        out.case("masked_fill.tensor", [value.clone(), torch.tensor(True), value * 2], lambda: value.masked_fill(torch.tensor(True), value * 2))
        out.case("masked_fill.tensor", [t.t(), mask.t(), value], lambda: t.t().masked_fill(mask.t(), value))
        out.case("index_fill.tensor", [t.t(), -1, index, value], lambda: t.t().index_fill(-1, index, value))


with Writer("complex", __file__) as out:
    conversions(out)
    parts(out)
    elementwise(out)
    moves(out)
    sums(out)
    products(out)
    unsigned(out)
    draws(out)
    closeness(out)
    fills(out)
