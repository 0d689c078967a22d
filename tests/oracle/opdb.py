#!/usr/bin/env python3
"""Runs PyTorch's own samples of its operations (op_db) through the Python package and through C's table, and counts.

usage: PYTHONPATH=build/check/python opdb.py [--library=build/check/src/ATen/libATen.so] [--dtypes=float32,int64]
                                             [--samples=20] [--verbose] [--autocast] [NAME...]

Each sample is called as torch.NAME(input, *args, **kwargs) in PyTorch and in the package, with tensors and dtypes
exchanged, and as NAME in the table (table.py).  For each of the two the program prints how many operations are there
and how many agree in all samples, and the samples by outcome; then the operations of which the two say different things.

    same       the same shape, dtype and, within a tolerance, values; or both raise
    raises     the package raises and PyTorch does not
    differs    another shape, dtype or value
    random     of random results only shape and dtype are compared, and are the same

With --autocast both compute under autocast to BFloat16 on the CPU, without the table; values are compared within 5 %.
"""

import argparse
import collections
import functools
import importlib
import os
import sys
import types
import warnings

import table
import thaten
import torch
from torch.testing._internal.common_methods_invocations import op_db

DTYPES = {getattr(torch, n): getattr(thaten, n) for n in (
    "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "float16", "bool", "bfloat16", "complex64", "complex128",
    "uint16", "uint32", "uint64")}
RANDOM = {"bernoulli", "multinomial", "normal", "rand_like", "randn_like", "randint_like", "randn", "randint", "uniform",
          "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d", "nn.functional.rrelu", "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "cauchy", "exponential",
          "geometric", "log_normal", "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided",
          "empty_permuted", "svd_lowrank", "pca_lowrank", "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"}


class NotHere(Exception):
    """Something that the library has no object for."""


# What the database calls with arguments in another order, or that is no function.
CALLS = {"polygamma": lambda call, x, n, **k: call("polygamma", n, x, **k), "einsum": lambda call, tensors, text: call("einsum", text, tensors),
         "special.polygamma": lambda call, x, n, **k: call("special.polygamma", n, x, **k),
         "linalg.pinv.singular": lambda call, a, b, **k: call("linalg.pinv", call("matmul", a, call("transpose", b, -2, -1)), **k),
         "linalg.lstsq.grad_oriented": lambda call, a, b, driver: call("linalg.lstsq", a, b, driver=driver)[:2],
         "where": lambda call, x, condition, other: call("where", condition, x, other),
         "nn.functional.embedding": lambda call, w, x, **k: call("nn.functional.embedding", x, w, **k),
         "svd_lowrank": lambda call, a, b, **k: call("svd_lowrank", call("matmul", a, call("transpose", b, -2, -1)), **k),
         "pca_lowrank": lambda call, a, b, **k: call("pca_lowrank", call("matmul", a, call("transpose", b, -2, -1)), **k),
         "nn.functional.embedding_bag": lambda call, w, x, *a, **k: call("nn.functional.embedding_bag", x, w, *a, **k)}


class Package:
    """The Python package."""

    def taken(self, value):
        """PyTorch's value as the package's."""
        if isinstance(value, torch.Tensor):
            if value.dtype not in DTYPES or value.layout != torch.strided:
                raise NotHere(str(value.dtype))
            return thaten.from_dlpack(value.detach().contiguous().clone()).to(DTYPES[value.dtype])
        if isinstance(value, torch.dtype):
            if value not in DTYPES:
                raise NotHere(str(value))
            return DTYPES[value]
        return value

    def given(self, value):
        if not isinstance(value, thaten.Tensor):
            return value
        mine = torch.from_dlpack(value)
        return mine if DTYPES.get(mine.dtype) is value.dtype else mine.view(torch.bool)

    def find(self, name):
        """The function of that name, or None; a method, where PyTorch has only that."""
        if name in ("T", "H", "mT", "mH"):
            return lambda x: getattr(x, name)
        if not callable(getattr(torch, name, None)) and hasattr(thaten.Tensor, name):
            return getattr(thaten.Tensor, name)
        found = thaten
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None and "." not in name:
            return getattr(thaten.Tensor, name, None) or getattr(thaten.Tensor, name + "_", None)
        return found


class Plain:
    """A tensor in Python's functions of several operations (bindings/python/thaten), when the table is to compute: they
    see what is here, and whatever else they do is an operation of the table."""

    def __init__(self, held):
        self.held = held

    shape = property(lambda self: list(self.held.shape))
    dtype = property(lambda self: self.held.dtype)

    def dim(self):
        return self.held.dim()

    def numel(self):
        return self.held.numel()

    def tolist(self):
        return self.held.tolist()

    def contiguous(self, memory_format=torch.contiguous_format):
        if memory_format not in (torch.channels_last, torch.channels_last_3d):
            return self.rows.contiguous(self)
        return self.rows.movedim(self.rows.contiguous(self.rows.movedim(self, 1, -1)), -1, 1)

    def __getattr__(self, name):  # a method is the operation of that name
        row = getattr(self.rows, name, None)
        if row is None:
            raise AttributeError(name)
        return functools.partial(row, self)

    def __getitem__(self, key):
        """As operations of the table: select, slice, unsqueeze, and index for what no view is."""
        rows, dim, indices, result = self.rows, 0, [], self
        keys = list(key) if isinstance(key, tuple) else [key]
        keys = [Plain(torch.tensor(k)) if isinstance(k, (bool, list)) else k for k in keys]
        used = sum(0 if k is None or k is ... else k.dim() if isinstance(k, Plain) and k.dtype is torch.bool else 1 for k in keys)
        for k in keys if any(k is ... for k in keys) else keys + [...]:
            if k is ...:
                rest = self.dim() - used
                dim, indices = dim + rest, indices + [None] * rest
            elif isinstance(k, Plain):
                if k.dtype is torch.bool and k.dim() == 0:
                    result, k = rows.unsqueeze(result, dim), rows.unsqueeze(k, 0)
                dim, indices = dim + (k.dim() if k.dtype is torch.bool else 1), indices + [k]
            elif k is None:
                result, dim, indices = rows.unsqueeze(result, dim), dim + 1, indices + [None]
            elif isinstance(k, slice):
                start, stop, step = k.indices(result.shape[dim])
                result = rows.slice(result, dim=dim, start=start, end=max(start, stop), step=step)
                dim, indices = dim + 1, indices + [None]
            else:
                result = rows.select(result, dim, int(k))
        return rows.index(result, indices) if any(k is not None for k in indices) else result


def operator(name, is_reflected):
    def call(self, other):
        if is_reflected:
            self, other = Plain(torch.tensor(other, dtype=self.dtype)), self
        return getattr(self.rows, name)(self, other)

    return call


for sign, row in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"), ("matmul", "matmul"), ("pow", "pow")):
    setattr(Plain, "__%s__" % sign, operator(row, False))
    setattr(Plain, "__r%s__" % sign, operator(row, True))


def each(change, value):
    """The value with that change of the tensors in it."""
    if isinstance(value, (list, tuple)):
        return [each(change, v) for v in value]
    return change(value)


class Table:
    """C's table of operations, whose arguments are as PyTorch's Python functions have them: those of
    bindings/python/thaten call it."""

    REFLECTED = {"__radd__": "add", "__rmul__": "mul", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
                 "__rsub__": "sub", "__rdiv__": "div", "__rmatmul__": "matmul", "__rmod__": "remainder", "__rpow__": "pow"}

    def __init__(self, path):
        self.library = table.Library(path)
        operations = types.ModuleType("tabled._C")
        for name in self.library.rows:
            setattr(operations, name, self.operation(name))
        operations.Tensor, operations.dtype, operations.bool = Plain, torch.dtype, torch.bool
        Plain.rows = operations
        operations.Generator = operations.ArgumentError = operations.ElementTypeError = operations.LinAlgError = type(None)
        operations._set_size = operations._set_result_text = lambda function: None  # of the package's own tensors
        operations._get_default_dtype = torch.get_default_dtype
        for dtype in DTYPES:
            setattr(operations, str(dtype).split(".")[1], dtype)
        folder = os.path.dirname(thaten.__file__)
        for name, path in (("tabled", folder), ("tabled.nn", os.path.join(folder, "nn"))):
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [path]
        sys.modules["tabled._C"] = sys.modules["tabled"]._C = operations
        sys.modules["tabled"].get_default_dtype = torch.get_default_dtype
        for dtype in DTYPES:
            setattr(sys.modules["tabled"], str(dtype).split(".")[1], dtype)
        self.modules = {name: importlib.import_module("tabled." + name) for name in (
            "_core.tensor", "_core.composed", "nn.functional", "linalg", "special", "fft", "masked", "signal.windows")}
        self.rows = operations

    def operation(self, name):
        def call(*given, **named):
            def plain(value):
                return value.held if isinstance(value, Plain) else value

            def held(value):
                return Plain(value) if isinstance(value, torch.Tensor) else value

            named = {k: each(plain, v) for k, v in named.items()}
            return each(held, self.call(name, [each(plain, v) for v in given], named))

        call.__name__ = name
        return call

    def taken(self, value):
        if isinstance(value, torch.Tensor):
            if value.dtype not in DTYPES or value.layout != torch.strided:
                raise NotHere(str(value.dtype))
            return Plain(value.detach().clone())
        if isinstance(value, torch.dtype) and value not in DTYPES:
            raise NotHere(str(value))
        return value

    def given(self, value):
        return value.held if isinstance(value, Plain) else value

    def find(self, name):
        if name in self.REFLECTED:
            return lambda x, other: getattr(self.rows, self.REFLECTED[name])(
                Plain(torch.tensor(other)) if not isinstance(other, Plain) else other, x)
        if name == "T":
            return self.rows.t
        if name == "__getitem__":
            return lambda x, key: x[key]
        if name == "polygamma":  # whose method has its arguments the other way around
            return self.rows.polygamma
        if name == "H":
            return lambda x: x.H
        if name == "item":
            return lambda x: self.library.item(x.held)
        room, _, last = name.rpartition(".")
        for module in ([self.modules[room]] if room in self.modules else [self.modules["_core.composed"], self.modules["_core.tensor"]]):
            if callable(getattr(module, last, None)) and not isinstance(getattr(module, last), type):
                return getattr(module, last)
        whole = name.replace(".", "_")
        for owner, key in ((Plain, name), (self.rows, whole), (self.rows, whole + "_")):
            if callable(getattr(owner, key, None)):
                return getattr(owner, key)
        return None

    def call(self, name, given, named):
        usual = {"device": ["cpu"], "requires_grad": [False], "layout": [torch.strided], "pin_memory": [False], "non_blocking": [False],
                 "memory_format": [torch.contiguous_format, torch.preserve_format], "generator": []}
        named = {k: v for k, v in named.items() if v is not None and v not in usual.get(k, [])}
        return self.library.call(name, given, named)


def taken(library, value):
    """PyTorch's value, with what is inside of lists, as the library's."""
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, (list, tuple)):
        entries = [taken(library, v) for v in value]
        return tuple(entries) if isinstance(value, tuple) else entries
    if isinstance(value, dict):
        return {k: taken(library, v) for k, v in value.items()}
    if value is torch.nn.functional.pairwise_distance or isinstance(value, torch.nn.PairwiseDistance):
        return library.find("nn.functional.pairwise_distance")
    if isinstance(value, complex):
        raise NotHere("complex")
    return library.taken(value)


def function(library, name):
    def call(name, *given, **named):
        return library.find(name)(*given, **named)

    if name in CALLS:
        own = library.find(name.removesuffix(".singular").removesuffix(".grad_oriented"))
        return own and (lambda *given, **named: CALLS[name](call, *given, **named))
    return library.find(name)


def flat(result):
    if isinstance(result, (list, tuple)):
        return [one for entry in result for one in flat(entry)]
    return [result]


def agree(library, got, want, is_random):
    got, want = [library.given(g) for g in flat(got)], flat(want)
    if len(got) != len(want):
        return False
    for g, w in zip(got, want):
        if isinstance(w, torch.Tensor):
            if not isinstance(g, torch.Tensor) or w.dtype is not g.dtype or g.shape != w.shape:
                return False
            tolerance = 5e-2 if torch.is_autocast_enabled("cpu") else 2e-2 if w.dtype in (torch.float16, torch.bfloat16) else 2e-4
            wide = torch.complex128 if w.dtype.is_complex else torch.float64
            if not is_random and not torch.allclose(g.to(wide), w.to(wide), tolerance, tolerance, equal_nan=True):
                return False
        elif g != w and not (g != g and w != w):
            return False
    return True


def outcome(library, op, mine, sample, is_random):
    is_random = is_random or sample.kwargs.get("dropout_p", 0) not in (0, 1)
    try:
        want = op(sample.input, *sample.args, **sample.kwargs)
    except Exception:  # whatever the oracle raises
        want = None
    try:
        arguments = taken(library, [sample.input, *sample.args])
        got = mine(*arguments, **taken(library, sample.kwargs))
    except NotHere:
        return None
    except Exception as error:
        return ("same", "") if want is None else ("raises", "%s: %s" % (type(error).__name__, str(error)[:200]))
    if want is None:
        return ("differs", "does not raise")
    if any(isinstance(w, torch.Tensor) and (w.dtype not in DTYPES or w.layout != torch.strided) for w in flat(want)):
        return None
    if agree(library, got, want, is_random):
        return ("random" if is_random else "same", "")
    return ("differs", "")


def own_name(op):
    """What the operation of the database is called here."""
    variants = {"in_place": op.name + "_", "lengths": "segment_reduce", "offsets": "segment_reduce", "singular": "linalg.pinv.singular", "grad_oriented": "linalg.lstsq.grad_oriented"}
    return variants.get(op.variant_test_name, op.name.removeprefix("torch.ops.aten.").removesuffix(".default"))


def run(library, op, options, counts):
    mine = function(library, own_name(op))
    if mine is None:
        return "missing"
    found, first = collections.Counter(), ""
    for word in options.dtypes.split(","):
        dtype = getattr(torch, word)
        if not op.supports_dtype(dtype, "cpu"):
            continue
        try:
            samples = list(op.sample_inputs("cpu", dtype, requires_grad=False))[:options.samples]
        except Exception:
            continue
        for sample in samples:
            one = outcome(library, op.op, mine, sample, op.name in RANDOM)
            if one:
                found[one[0]] += 1
                if one[0] in ("raises", "differs") and not first:
                    first = "%s: %s %s %s" % (one[0], one[1], sample.args, sample.kwargs)
    counts.update(found)
    bad = found["raises"] + found["differs"]
    if options.verbose and bad:
        print("%s %s%s: %d of %d; %s" % (type(library).__name__, op.name, "." + op.variant_test_name if op.variant_test_name else "", bad,
                                      sum(found.values()), first.replace("\n", " ")[:400]), flush=True)
    return "none" if not found else "agrees" if not bad else "partly" if found["same"] + found["random"] else "fails"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", default="build/check/src/ATen/libATen.so")
    parser.add_argument("--dtypes", default="float32,int64")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--autocast", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    libraries = [Package()] if options.autocast else [Package(), Table(options.library)]
    counts, verdicts, missing = {}, {}, set()
    if options.autocast:
        torch.autocast("cpu", torch.bfloat16).__enter__()
        thaten.autocast("cpu", thaten.bfloat16).__enter__()
    for library in libraries:
        samples, found = counts.setdefault(library, collections.Counter()), verdicts.setdefault(library, {})
        for op in op_db:
            if not options.names or op.name in options.names:
                torch.manual_seed(0)
                found[op.name, op.variant_test_name] = run(library, op, options, samples)
        missing |= {name for (name, _), verdict in found.items() if verdict == "missing"}
    for library in libraries:
        print("%s: operations %s, samples %s" % (type(library).__name__, dict(collections.Counter(verdicts[library].values())),
                                                 dict(counts[library])))
    first, second = (list(verdicts.values()) * 2)[:2]
    for key, verdict in first.items():
        if second[key] != verdict:
            print("%s: %s through the package, %s through the table" % (".".join(filter(None, key)), verdict, second[key]))
    if options.verbose:
        print("missing:", " ".join(sorted(missing)))


if __name__ == "__main__":
    sys.exit(main())
