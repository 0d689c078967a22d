"""Writes cases for tests/ATen/table/operations.c, in the format that tests/ATen/table/cases.h describes.

    with aten_cases.Writer("reduce", __file__) as out:
        t = out.tensor((2, 3))                                  random values of a random type
        out.case("sum.dim", [t, Ints(0), Default], lambda: torch.sum(t, 0))
        out.case("sum.dim_out", [torch.empty(0), t, Ints(0), Default], lambda: torch.sum(t, 0))

The call says what is expected: a tensor, several, a list of them, a number; an error if it raises.
"""

import os
import random

import torch

import golden

FOLDER = os.path.join(golden.FOLDER, "aten")
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float32, torch.float64]
COMPLEX = [torch.complex64, torch.complex128]
UNSIGNED = [torch.uint8, torch.uint16, torch.uint32, torch.uint64]
SMALL_FLOATS = [torch.float16, torch.bfloat16]
NAMES = dict(golden.TYPES)
NAMES.update({torch.float16: "Half", torch.bool: "Bool", torch.bfloat16: "BFloat16",
              torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble",
              torch.uint16: "UInt16", torch.uint32: "UInt32", torch.uint64: "UInt64"})
RAISES = (RuntimeError, IndexError, TypeError, ValueError, NotImplementedError)


class Default:
    """An option that is not given."""


class Ints(list):
    """Ints(2, 3): a list of integers."""

    def __init__(self, *numbers):
        super().__init__(numbers)


class Scalar:
    def __init__(self, value):
        self.value = value


class Doubles(list):
    """Doubles(0.5, 2): a list of floating numbers."""

    def __init__(self, *numbers):
        super().__init__(numbers)


class Text(str):
    """A word."""


class Double:
    def __init__(self, value):
        self.value = value


class Seed(int):
    """A generator of its own, seeded with that."""


class Views:
    """A result whose strides are compared too."""

    def __init__(self, tensor):
        self.tensor = tensor


def words(t):
    values = torch.view_as_real(t.resolve_conj()) if t.is_complex() else t
    values = values.reshape(-1)
    values = values.to(torch.int64) if t.dtype == torch.bool else values
    values = values.double() if t.dtype in SMALL_FLOATS else values
    return "%s %d%s :%s" % (NAMES[t.dtype], t.dim(), "".join(" %d" % n for n in t.shape),
                            "".join(" " + golden.text(v) for v in values.tolist()))


def number(value):
    if isinstance(value, bool):
        return "bool %d" % value
    return "long %d" % value if isinstance(value, int) else "double " + golden.text(float(value))


def argument(value):
    """The line, or lines, of an argument."""
    if value is Default:
        return "default"
    if value is None:
        return "none"
    if isinstance(value, torch.Tensor):
        return "tensor " + words(value)
    if isinstance(value, torch.dtype):
        return "type " + NAMES[value]
    if isinstance(value, Scalar):
        return "scalar " + golden.text(value.value)
    if isinstance(value, Double):
        return "double " + golden.text(float(value.value))
    if isinstance(value, Doubles):
        return "doubles %d" % len(value) + "".join(" " + golden.text(float(n)) for n in value)
    if isinstance(value, Text):
        return "text " + value
    if isinstance(value, Seed):
        return "seed %d" % value
    if isinstance(value, Ints) or (isinstance(value, (list, tuple)) and value and isinstance(value[0], int)):
        return "ints %d" % len(value) + "".join(" %d" % n for n in value)
    if isinstance(value, (list, tuple)):
        return "\n".join(["tensors %d" % len(value)] + [argument(t) for t in value])
    return number(value)


def wanted(value):
    if value is None:
        return ["want undefined"]
    if isinstance(value, Views):
        strides = "strides" + "".join(" %d" % n for n in value.tensor.stride())
        return ["want " + words(value.tensor)] + ([strides] if value.tensor.numel() > 0 else [])
    if isinstance(value, torch.Tensor):
        return ["want " + words(value)]
    if isinstance(value, Scalar):
        return ["want scalar " + golden.text(value.value)]
    if isinstance(value, list):
        return ["want list %d" % len(value)] + [argument(t) for t in value]
    if isinstance(value, tuple):
        return [line for one in value for line in wanted(one)]
    return ["want " + number(value)]


class Writer:
    def __init__(self, name, script, seed=2018):
        os.makedirs(FOLDER, exist_ok=True)
        self.file = golden.NewFile(os.path.join(FOLDER, name + ".txt"))
        self.file.write("# Written by tests/oracle/%s with PyTorch %s.\n"
                        % (os.path.basename(script), torch.__version__))
        self.random = random.Random(seed)
        self.cases = self.errors = 0

    def tensor(self, shape, dtype=None, low=-20, high=21):
        """Multiples of an eighth, or integers: exact in every type."""
        r = self.random
        dtype = dtype or r.choice(INTEGERS + FLOATS * 2 + SMALL_FLOATS + [torch.bool])
        low = 0 if dtype in UNSIGNED else low
        if dtype.is_complex:
            parts = [self.tensor(shape, torch.float64, low, high) for _ in range(2)]
            return torch.complex(*parts).to(dtype)
        values = [r.randrange(low, high) for _ in range(torch.Size(shape).numel())]
        t = torch.tensor(values, dtype=torch.float64)
        if dtype.is_floating_point:
            t = t / 8
        if dtype == torch.bool:
            t = t > 0
        return t.to(dtype).reshape(shape)

    def case(self, name, arguments, call, within=None):
        """name: of the form, an overload behind a dot: max.dim, max.dim_out, add_."""
        lines = [argument(a) for a in arguments]  # before the call, which may change them
        stem, dot, overload = name.partition(".")
        for ending in ("_out", "_") if dot else ():
            if overload.endswith(ending):
                stem, overload = stem + ending, overload[:-len(ending)]
                break
        self.file.write("case %s%s%s\n" % (stem, dot, overload) + "\n".join(lines) + "\n")
        self.cases += 1
        try:
            results = wanted(call())
        except RAISES:
            self.file.write("error\n")
            self.errors += 1
            return
        if within:
            self.file.write("within %s\n" % golden.text(float(within)))
        self.file.write("\n".join(results) + "\n")

    def __enter__(self):
        return self

    def __exit__(self, error, *unused):
        self.file.close(error is None)
        print("%d cases, %d of them errors" % (self.cases, self.errors))
