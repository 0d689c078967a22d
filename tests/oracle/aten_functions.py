"""Golden cases of src/ops/aten/special.ops and of the newer activations."""

import math

import torch

from aten_today import FLOATING, TYPES, Today

UNARY = "exp2 log2 log10 asinh acosh atanh erfc sinc rad2deg deg2rad special_ndtr special_entr".split()
TESTS = "isnan isinf isfinite isposinf isneginf signbit square".split()
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -3.0, 100.0, -100.0, 1e30]
SHAPES = [((2, 3), (2, 3)), ((2, 3), (3,)), ((), (4,)), ((2, 1), (2,)), ((0, 2), (2,)), ((3,), ()), ((2, 3), (4,))]


def special(dtype):
    return torch.tensor(SPECIAL, dtype=dtype)


with Today("functions", __file__) as c:
    r = c.random
    for name in UNARY + TESTS:
        for dtype in TYPES:
            c(name, self=c.tensor((2, 3), dtype))
        for dtype in FLOATING:
            c(name, self=special(dtype))
        c(name, self=c.tensor((), torch.float32))
        c(name, self=c.tensor((0, 2), torch.float64))
    for dtype in TYPES:
        x = c.tensor((2, 3), dtype)
        c("logit", self=x)
        c("logit", self=x, eps=0.25)
        c("nan_to_num", self=x)
    for dtype in FLOATING:
        c("logit", self=special(dtype))
        c("logit", self=torch.tensor([0.1, 0.5, 0.75, 1.0, 0.0], dtype=dtype), eps=0.125)
        c("nan_to_num", self=special(dtype))
        c("nan_to_num", self=special(dtype), nan=1.5, posinf=7, neginf=-2.0)

    for name in "maximum minimum fmax fmin copysign xlogy special_xlog1py".split():
        for _ in range(24):
            a, b = r.choice(SHAPES)
            dtype = r.choice(TYPES)
            c(name, self=c.tensor(a, dtype), other=c.tensor(b, dtype if r.random() < 0.6 else r.choice(TYPES)))
        for dtype in FLOATING:
            c(name, self=special(dtype), other=special(dtype)[r.randrange(13):13].flip(0).repeat(13)[:13])
    for name in "logaddexp logaddexp2 hypot nextafter".split():
        for dtype in FLOATING[:2] * 3 if name == "nextafter" else FLOATING * 2:
            a, b = r.choice(SHAPES)
            c(name, self=c.tensor(a, dtype), other=c.tensor(b, dtype))
            c(name, self=special(dtype), other=special(dtype).roll(r.randrange(1, 13)))
        c(name, self=c.tensor((3,), torch.int32), other=c.tensor((3,), torch.int32))
    for name in "copysign xlogy special_xlog1py".split():
        for dtype in TYPES:
            for number in (2, -1.5, 0):
                c(name + ".scalar", self=c.tensor((2, 2), dtype), other=number)
                if name != "copysign":
                    c(name + ".self_scalar", self=number, other=c.tensor((2, 2), dtype))

    for name in "silu mish hardsigmoid hardswish".split():
        for dtype in TYPES:
            c(name, self=c.tensor((2, 3), dtype, -40, 41))
        for dtype in FLOATING:
            c(name, self=special(dtype)[1:])
            x = c.tensor((3, 4), dtype, -40, 41)
            sixth = 2.0**-22 if name == "hardsigmoid" and dtype == torch.float64 else None  # PyTorch's 1 / 6 is of Float
            c(name + "_backward", grad_output=c.tensor((3, 4), dtype), self=x, within=sixth)
    for dtype in TYPES:
        x = c.tensor((2, 5), dtype, -40, 41)
        c("gelu", self=x)
        c("gelu", self=x, approximate="tanh")
        c("gelu", self=x, approximate="none")
        if dtype.is_floating_point:
            for approximate in ("none", "tanh"):
                c("gelu_backward", grad_output=c.tensor((2, 5), dtype), self=x, approximate=approximate)
            c("celu", self=x)
            c("elu.input_scale", self=x)
            c("elu.input_scale", self=x, alpha=1.5, scale=2, input_scale=0.5)
            c("celu", self=x, alpha=0.5)
            c("celu", self=x, alpha=0)
            c("logit_backward", grad_output=c.tensor((2, 5), dtype), self=x)
            c("logit_backward", grad_output=c.tensor((2, 5), dtype), self=x, eps=0.25)
    c("gelu", self=x.float(), approximate="sometimes")

    # Division, powers and bits.
    def divisor(shape, dtype):
        t = c.tensor(shape, dtype)
        t[t == 0] = 3
        return t

    for dtype in TYPES:
        for other in (dtype, torch.float32, torch.int64):
            x, y = c.tensor((2, 4), dtype), divisor((4,), other)
            for mode in ("trunc", "floor", None):
                options = {"rounding_mode": mode} if mode else {}
                c("div.mode", function=lambda self, other, rounding_mode=None: torch.div(self, other, rounding_mode=rounding_mode),
                  self=x, other=y, **options)
            c("floor_divide", self=x, other=y)
            c("rsub", self=x, other=y)
            c("rsub", self=x, other=y, alpha=2)
            c("float_power", self=x, exponent=c.tensor((4,), other, 0, 3))
            c("ldexp", self=x, other=c.tensor((4,), other, -3, 4))
        for number in (3, -2, 1.5):
            for mode in ("trunc", "floor", None):
                options = {"rounding_mode": mode} if mode else {}
                c("div.scalar_mode", function=lambda self, other, rounding_mode=None: torch.div(self, other, rounding_mode=rounding_mode),
                  self=x, other=number, **options)
            c("floor_divide.scalar", self=x, other=number)
            c("rsub.scalar", self=x, other=number)
            c("rsub.scalar", self=x, other=number, alpha=2)
            c("float_power.scalar", self=x, exponent=number)
            c("float_power.base", self=number, exponent=x)
        c("bitwise_not", self=x)
        c("heaviside", self=x, values=c.tensor((4,), dtype))
        c("heaviside", self=x, values=c.tensor((4,), torch.float32))
    for dtype in FLOATING:
        x, y = special(dtype), special(dtype).roll(5)
        c("div.mode", function=lambda self, other, rounding_mode: torch.div(self, other, rounding_mode=rounding_mode),
          self=x, other=y, rounding_mode="floor")
        c("floor_divide", self=torch.tensor([1.0, -1.0, 0.3, 5.0], dtype=dtype), other=torch.tensor([0.1, 0.1, 0.1, -0.5], dtype=dtype))
    c("div.mode", function=lambda self, other, rounding_mode: torch.div(self, other, rounding_mode=rounding_mode),
      self=x, other=y, rounding_mode="up")
    for dtype in torch.float16, torch.bfloat16:
        edges = torch.tensor([0, -0.0, 1, -1, 2, 65504, -65504, 2.0**-14, 2.0**-24, 3 * 2.0**-24, 2.0**-133, 3.3895e38, math.inf, -math.inf, 0.7])
        for other in 0, 3, math.inf, -math.inf, math.nan:
            c("nextafter", self=edges.to(dtype), other=torch.full((15,), other, dtype=dtype))
        c("nextafter", self=special(dtype), other=special(dtype).roll(4))
