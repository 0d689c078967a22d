"""The cases of tests/golden/aten, whose format tests/ATen/table/cases.h describes, as calls of the package."""

import json
import os

import thaten
from thaten import _C

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "golden")
TYPES = {"Byte": _C.uint8, "Char": _C.int8, "Short": _C.int16, "Int": _C.int32, "Long": _C.int64, "Float": _C.float32,
         "Double": _C.float64, "Half": _C.float16, "Bool": _C.bool, "BFloat16": _C.bfloat16,
         "ComplexFloat": _C.complex64, "ComplexDouble": _C.complex128, "UInt16": _C.uint16, "UInt32": _C.uint32,
         "UInt64": _C.uint64}
DIGITS = {_C.float64: 2.0**-49, _C.complex128: 2.0**-49, _C.float16: 2.0**-10, _C.bfloat16: 2.0**-7}
DEFAULT = object()


def number(word):
    return float.fromhex(word) if any(c in word for c in "pxin") else int(word)


def tensor(words):
    """Of `Float 2 1 3 : 0x1p+0 ...`: the type, the number of dimensions, sizes, elements."""
    dims = int(words[1])
    sizes = [int(w) for w in words[2:2 + dims]]
    values = [number(w) for w in words[3 + dims:]]
    if words[0] == "UInt64":  # as the Long of the same bits
        values = [v - 2**64 if v >= 2**63 else v for v in values]
    if words[0].startswith("Complex"):
        values = [complex(*pair) for pair in zip(values[::2], values[1::2])]
        return thaten.tensor(values, dtype=_C.complex128).to(TYPES[words[0]]).reshape(sizes)
    wide = _C.float64 if words[0] in ("Float", "Double", "Half", "BFloat16") else _C.int64
    return thaten.tensor(values, dtype=wide).to(TYPES[words[0]]).reshape(sizes)


class Case:
    def __init__(self, name, line):
        self.name, self.line, self.arguments, self.wanted = name, line, [], []
        self.error, self.within = False, 0


class Reader:
    """Cases of a file, one after the other."""

    def __init__(self, path):
        with open(path) as file:
            self.lines = [line.split() for line in file]
        self.at = 0

    def __iter__(self):
        case = None
        while self.at < len(self.lines):
            words = self.lines[self.at]
            self.at += 1
            if words[0] == "case":
                if case:
                    yield case
                case = Case(words[1], self.at)
            elif words[0] == "want":
                case.wanted.append(self.value(words[1:], case))
            elif words[0] == "error":
                case.error = True
            elif words[0] == "within":
                case.within = number(words[1])
            elif words[0] not in ("#", "strides"):
                case.arguments.append(self.value(words, case))
        if case:
            yield case

    def several(self, count):
        """The tensors on the next lines."""
        lines = self.lines[self.at:self.at + count]
        self.at += count
        return [None if words[0] == "none" else tensor(words[1:] if words[0] == "tensor" else words) for words in lines]

    def value(self, words, case):
        kind = words[0]
        if kind in TYPES:
            return tensor(words)
        if kind == "tensor":
            return tensor(words[1:])
        if kind in ("tensors", "list"):
            return tuple(self.several(int(words[1])))
        if kind in ("none", "undefined"):
            return None
        if kind == "default":
            return DEFAULT
        if kind == "type":
            return TYPES[words[1]]
        if kind == "seed":
            return thaten.Generator().manual_seed(int(words[1]))
        if kind in ("ints", "doubles"):
            return [number(w) for w in words[2:]]
        if kind == "text":
            return " ".join(words[1:])
        if kind == "bool":
            return words[1] == "1"
        return number(words[1])


def functions():
    """By name and overload: the operation, and what it is of it."""
    with open(os.environ["TH_DESCRIPTION"]) as file:
        operations = json.load(file)["operations"]
    return {(f["name"], o["overload"]): (o, f) for o in operations for f in o["functions"]}


def call(case, known):
    """Calls the case's operation with arguments by their names; returns a tuple of results."""
    name, _, overload = case.name.partition(".")
    operation, function = known[name, overload]
    outputs = len(function["outputs"])
    names = ["dtype" if a["name"] == "type" else a["name"] for a in operation["arguments"]]
    given = {n: v for n, v in zip(names, case.arguments[outputs:]) if v is not DEFAULT}
    if outputs:
        given["out"] = case.arguments[0] if outputs == 1 else tuple(case.arguments[:outputs])
        name = name[:-len("_out")]
    result = getattr(_C, name)(**given)
    several = len(operation["results"]) > 1
    return tuple(result) if several else (result,)


def near(a, b, units):
    return a == b or (a != a and b != b) or abs(a - b) <= units * max(1, abs(b))


def flat(t):
    return t.reshape([-1]).tolist()


def difference(got, want, units):
    """What is different, or None."""
    if isinstance(want, tuple):
        if len(got) != len(want):
            return "%d tensors for %d" % (len(got), len(want))
        return next(filter(None, (difference(g, w, units) for g, w in zip(got, want))), None)
    if not isinstance(want, thaten.Tensor):
        if want is None or isinstance(want, int):
            return None if got == want else "%r for %r" % (got, want)
        return None if near(got, want, units) else "%r for %r" % (got, want)
    if not isinstance(got, thaten.Tensor) or (got.dtype, got.shape) != (want.dtype, want.shape):
        return "%r for %r" % (got, want)
    exact = not (want.dtype.is_floating_point or want.dtype.is_complex)
    for a, b in zip(flat(got), flat(want)):
        if (a != b) if exact else not near(a, b, units):
            return "%r for %r" % (a, b)
    return None


def tolerance(case):
    if case.within:
        return case.within
    tensors = [v for v in case.arguments + case.wanted if isinstance(v, thaten.Tensor)]
    return max([DIGITS.get(t.dtype, 2.0**-22) for t in tensors], default=2.0**-49)
