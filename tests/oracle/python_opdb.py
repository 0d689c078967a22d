#!/usr/bin/env python3
"""Runs PyTorch's own samples of its operations (op_db) through the Python package, and counts.

usage: PYTHONPATH=build/check/python python_opdb.py [--dtypes=float32,int64] [--samples=20] [--verbose] [NAME...]

Each sample is called as torch.NAME(input, *args, **kwargs) in both libraries, with tensors and dtypes exchanged.  Of
each operation of the database the program prints whether all samples agree; at the end how many operations are there,
how many agree in all samples, and the samples by outcome:

    same       the same shape, dtype and, within a tolerance, values; or both raise
    raises     the package raises and PyTorch does not
    differs    another shape, dtype or value
    random     of random results only shape and dtype are compared, and are the same
"""

import argparse
import collections
import sys
import warnings

import thaten
import torch
from torch.testing._internal.common_methods_invocations import op_db

DTYPES = {getattr(torch, n): getattr(thaten, n) for n in (
    "uint8", "int8", "int16", "int32", "int64", "float32", "float64", "float16", "bool", "bfloat16", "complex64", "complex128",
    "uint16", "uint32", "uint64")}
RANDOM = {"bernoulli", "multinomial", "normal", "rand_like", "randn_like", "randint_like", "randn", "randint", "uniform",
          "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d", "nn.functional.rrelu", "nn.functional.alpha_dropout", "cauchy", "exponential",
          "geometric", "log_normal", "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided",
          "empty_permuted", "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d"}


class NotHere(Exception):
    """Something that the package has no object for."""


def taken(value):
    """PyTorch's value as the package's."""
    if isinstance(value, torch.Tensor):
        if value.dtype not in DTYPES or value.layout != torch.strided:
            raise NotHere(str(value.dtype))
        return thaten.from_dlpack(value.detach().contiguous().clone()).to(DTYPES[value.dtype])
    if isinstance(value, torch.dtype):
        if value not in DTYPES:
            raise NotHere(str(value))
        return DTYPES[value]
    if isinstance(value, torch.device):
        return str(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(taken, value)) if not hasattr(value, "_fields") else tuple(map(taken, value))
    if isinstance(value, dict):
        return {k: taken(v) for k, v in value.items()}
    if isinstance(value, complex):
        raise NotHere("complex")
    return value


# What the database calls with arguments in another order, or that is no function.
CALLS = {"polygamma": lambda x, n, **k: thaten.polygamma(n, x, **k), "einsum": lambda tensors, text: thaten.einsum(text, *tensors),
         "where": lambda x, condition, other: thaten.where(condition, x, other),
         "nn.functional.embedding": lambda table, x, **k: thaten.nn.functional.embedding(x, table, **k),
         "nn.functional.embedding_bag": lambda table, x, *a, **k: thaten.nn.functional.embedding_bag(x, table, *a, **k),
         "T": lambda x: x.T, "H": lambda x: x.H, "mT": lambda x: x.mT, "mH": lambda x: x.mH}


def function(name):
    """The function of that name in the package, or None; a method, where PyTorch has only that."""
    if name in CALLS:
        return CALLS[name]
    if not callable(getattr(torch, name, None)) and hasattr(thaten.Tensor, name):
        return getattr(thaten.Tensor, name)
    found = thaten
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None and "." not in name and hasattr(thaten.Tensor, name):
        return getattr(thaten.Tensor, name)
    return found


def flat(result):
    if isinstance(result, (list, tuple)):
        return [one for entry in result for one in flat(entry)]
    return [result]


def agree(got, want, is_random):
    got, want = flat(got), flat(want)
    if len(got) != len(want):
        return False
    for g, w in zip(got, want):
        if isinstance(w, torch.Tensor):
            if not isinstance(g, thaten.Tensor) or DTYPES.get(w.dtype) is not g.dtype or g.shape != tuple(w.shape):
                return False
            mine = torch.from_dlpack(g)
            tolerance = 2e-2 if w.dtype in (torch.float16, torch.bfloat16) else 2e-4
            wide = torch.complex128 if w.dtype.is_complex else torch.float64
            if not is_random and not torch.allclose(mine.to(wide), w.to(wide), tolerance, tolerance, equal_nan=True):
                return False
        elif g != w and not (g != g and w != w):
            return False
    return True


def outcome(op, mine, sample, is_random):
    is_random = is_random or sample.kwargs.get("dropout_p", 0) not in (0, 1)
    try:
        want = op(sample.input, *sample.args, **sample.kwargs)
    except Exception:  # whatever the oracle raises
        want = None
    try:
        arguments = taken([sample.input, *sample.args])
        got = mine(*arguments, **taken(sample.kwargs))
    except NotHere:
        return None
    except Exception as error:
        return ("same", "") if want is None else ("raises", "%s: %s" % (type(error).__name__, str(error)[:200]))
    if want is None:
        return ("differs", "does not raise")
    if any(isinstance(w, torch.Tensor) and (w.dtype not in DTYPES or w.layout != torch.strided) for w in flat(want)):
        return None
    if agree(got, want, is_random):
        return ("random" if is_random else "same", "")
    return ("differs", "")


def run(op, options, counts):
    mine = function(op.name)
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
            one = outcome(op.op, mine, sample, op.name in RANDOM)
            if one:
                found[one[0]] += 1
                if one[0] in ("raises", "differs") and not first:
                    first = "%s: %s %s %s" % (one[0], one[1], sample.args, sample.kwargs)
    counts.update(found)
    bad = found["raises"] + found["differs"]
    if options.verbose and bad:
        print("%s%s: %d of %d; %s" % (op.name, "." + op.variant_test_name if op.variant_test_name else "", bad,
                                      sum(found.values()), first.replace("\n", " ")[:400]), flush=True)
    return "none" if not found else "agrees" if not bad else "partly" if found["same"] + found["random"] else "fails"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtypes", default="float32,int64")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts, operations, missing = collections.Counter(), collections.Counter(), set()
    for op in op_db:
        if options.names and op.name not in options.names:
            continue
        verdict = run(op, options, counts)
        operations[verdict] += 1
        if verdict == "missing":
            missing.add(op.name)
    print("operations:", dict(operations))
    print("samples:", dict(counts))
    if options.verbose:
        print("missing:", " ".join(sorted(missing)))


if __name__ == "__main__":
    sys.exit(main())
