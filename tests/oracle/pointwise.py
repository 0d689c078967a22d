"""Golden values of the pointwise operations: one entry TYPE/operation for those without a scalar,
TYPE/operation/K for scalar K of TYPE/scalars.  The inputs are TYPE/x, /y, /z and, for shifts and
integer powers, /n.

What is exact for the type is computed in the type; the functions of Float are computed as double
and rounded.  PyTorch has no shifts of floating tensors by these names and no addcdiv of integers:
they are written with its other operations.
"""

import numpy
import torch

import golden

INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
COUNT = 48


def inputs(dtype, generator):
    def draw(low, high):
        return torch.randint(low, high, (COUNT,), generator=generator)

    if dtype in INTEGERS:
        info = torch.iinfo(dtype)
        x, y, z = (draw(max(info.min, -50), 50).to(dtype) for _ in range(3))
        x[:4] = torch.tensor([info.max, info.min, info.max - 1, 0], dtype=dtype)
        y[y == 0], z[z == 0] = 3, 7
        y[y == 255], z[z == 255] = 3, 7
        y[0] = y[1] = 2  # the minimum over -1 is another test's
        return x, y, z, draw(0, 6).to(dtype), [2, 3]
    # Multiples of 1/8: sums and products are exact, whatever is fused.
    x, y, z = (draw(-48, 49).to(dtype) / 8 for _ in range(3))
    inf, nan = float("inf"), float("nan")
    x[:10] = torch.tensor([inf, -inf, nan, 0.0, -0.0, 1.0, 1e-30, -1e30, inf, nan], dtype=dtype)
    y[:10] = torch.tensor([1.0, -inf, 2.0, -0.0, 0.0, nan, 2.0, 2.5, inf, nan], dtype=dtype)
    z[:10] = torch.tensor([1.0, 2.0, 0.5, 0.0, -1.0, 4.0, 2.0, inf, -inf, nan], dtype=dtype)
    return x, y, z, draw(0, 6).to(dtype), [2.0, -1.5, 3.0]


def exactly(dtype, x, y, z, n):
    """name: result, of the operations without a scalar that are exact or rounded once."""
    yield "neg", -x
    yield "sign", torch.sign(x)
    yield "cmul", x * y
    yield "cfmod", torch.fmod(x, y)
    yield "cremainder", torch.remainder(x, y)
    yield "cmax", torch.maximum(x, y)
    yield "cmin", torch.minimum(x, y)
    for name in ["lt", "le", "gt", "ge", "ne", "eq"]:
        yield name + "Tensor", getattr(torch, name)(x, y).to(torch.uint8)
        yield name + "TensorT", getattr(torch, name)(x, y).to(dtype)
    if dtype not in [torch.uint8, torch.int8]:
        yield "abs", torch.abs(x)
    if dtype in INTEGERS:
        yield "cdiv", torch.div(x, y, rounding_mode="trunc")
        yield "cpow", torch.pow(x, n)
        yield "clshift", x << n
        yield "crshift", x >> n
        yield "cbitand", x & y
        yield "cbitor", x | y
        yield "cbitxor", x ^ y
    else:
        yield "cdiv", x / y
        yield "clshift", x * torch.pow(2, n)
        yield "crshift", x / torch.pow(2, n)
        yield "cinv", torch.reciprocal(x)
        with numpy.errstate(invalid="ignore"):  # MKL, which PyTorch's wheel calls, does not always round roots correctly
            yield "sqrt", torch.from_numpy(numpy.sqrt(x.numpy()))
        for name in ["ceil", "floor", "round", "trunc", "frac"]:
            yield name, getattr(torch, name)(x)


def with_scalar(dtype, x, y, z, a, b):
    yield "fill", torch.full_like(x, a)
    yield "add", x + a
    yield "sub", x - a
    yield "add_scaled", x + a * b
    yield "sub_scaled", x - a * b
    yield "mul", x * a
    yield "fmod", torch.fmod(x, a)
    yield "remainder", torch.remainder(x, a)
    yield "cmaxValue", torch.clamp(x, min=a)
    yield "cminValue", torch.clamp(x, max=a)
    yield "clamp", torch.clamp(x, min(a, b), max(a, b))
    yield "cadd", x + y * a
    yield "csub", x - y * a
    yield "addcmul", x + y * a * z
    for name in ["lt", "le", "gt", "ge", "ne", "eq"]:
        yield name + "Value", getattr(torch, name)(x, a).to(torch.uint8)
        yield name + "ValueT", getattr(torch, name)(x, a).to(dtype)
    if dtype in INTEGERS:
        yield "div", torch.div(x, a, rounding_mode="trunc")
        # C computes the product of narrow integers in int.
        wide = dtype if dtype == torch.int64 else torch.int32
        x1, y1, z1 = x.to(wide), y.to(wide), z.to(wide)
        yield "addcdiv", (x1 + torch.div(y1 * a, z1, rounding_mode="trunc")).to(dtype)
        yield "lshift", x << a
        yield "rshift", x >> a
        yield "bitand", x & a
        yield "bitor", x | a
        yield "bitxor", x ^ a
    else:
        yield "div", x / a
        yield "addcdiv", x + y * a / z


def trigamma(x):
    """PyTorch's is good to 9 digits; its zeta function is better, and covers x > 0."""
    zeta = torch.special.zeta(torch.tensor(2.0).double(), torch.where(x > 0, x, 1 - x))
    zeta[x.isinf()] = 0  # where PyTorch has NaN
    mirrored = (torch.pi / torch.sin(torch.pi * torch.remainder(x, 1))) ** 2 - zeta
    pole = torch.full_like(x, float("inf"))
    is_pole = (x == torch.floor(x)) & x.isfinite()
    return torch.where(x > 0, zeta, torch.where(is_pole, pole, mirrored))


def functions(x, y):
    for name in ["exp", "expm1", "log", "log1p", "sigmoid", "tanh", "sinh", "cosh", "sin", "cos"]:
        yield name, getattr(torch, name)(x)
    for name in ["tan", "asin", "acos", "atan", "erf", "erfinv", "lgamma", "digamma", "rsqrt"]:
        yield name, getattr(torch, name)(x)
    yield "trigamma", trigamma(x)
    yield "cpow", torch.pow(x, y)
    yield "atan2", torch.atan2(x, y)


def functions_with_scalar(x, y, a):
    yield "pow", torch.pow(x, a)
    yield "tpow", torch.pow(a, x)
    yield "lshift", x * 2.0**a
    yield "rshift", x / 2.0**a
    yield "lerp", torch.lerp(x, y, a)


with golden.Writer("pointwise", __file__) as out:
    for dtype, name in golden.TYPES.items():
        x, y, z, n, scalars = inputs(dtype, torch.Generator().manual_seed(2018))
        for key, tensor in [("x", x), ("y", y), ("z", z), ("n", n)]:
            out.put("%s/%s" % (name, key), tensor)
        out.put("%s/scalars" % name, torch.tensor(scalars, dtype=dtype))
        for key, tensor in exactly(dtype, x, y, z, n):
            out.put("%s/%s" % (name, key), tensor)
        floating = dtype not in INTEGERS
        if floating:
            for key, tensor in functions(x.double(), y.double()):
                out.put("%s/%s" % (name, key), tensor.to(dtype))
        for k, a in enumerate(scalars):
            b = scalars[(k + 1) % len(scalars)]
            for key, tensor in with_scalar(dtype, x, y, z, a, b):
                assert tensor.dtype in (dtype, torch.uint8), key
                out.put("%s/%s/%d" % (name, key, k), tensor)
            if floating:
                for key, tensor in functions_with_scalar(x.double(), y.double(), a):
                    out.put("%s/%s/%d" % (name, key, k), tensor.to(dtype))
