#!/usr/bin/env python3
"""Compares gradients of PyTorch's own samples of its operations (op_db), and the gradients of these gradients, between
PyTorch and the Python package, and counts.

usage: PYTHONPATH=build/check/python opdb_gradients.py [--dtypes=float64,complex128] [--samples=8] [--verbose] [NAME...]

Each sample is called as in opdb.py.  The gradient is that of all results, weighted by numbers from -1 to 1, and the second
one that of these gradients, weighted again; what gives PyTorch no gradient is not counted.

    same      all gradients are the same, within a tolerance
    raises    the package raises and PyTorch does not
    differs   a gradient differs, or is not there
"""

import argparse
import collections
import math
import sys
import warnings

import opdb
import thaten
import torch
from torch.testing._internal.common_methods_invocations import op_db


class Tracked(opdb.Package):
    """The package, with leaves where PyTorch's tensors are leaves."""

    def __init__(self):
        self.leaves = []

    def taken(self, value):
        if not isinstance(value, torch.Tensor) or not value.requires_grad:
            return super().taken(value)
        if not value.is_leaf:
            raise opdb.NotHere("an operand that is no leaf")
        for known, mine in self.leaves:
            if known is value:
                return mine
        mine = super().taken(value).requires_grad_()
        self.leaves.append((value, mine))
        return mine


def weights(like, start):
    count = like.numel()
    values = torch.tensor([math.cos(start + 0.7 * i) for i in range(count)], dtype=torch.float64).reshape(like.shape)
    if like.dtype.is_complex:
        values = torch.complex(values, torch.tensor([math.sin(2 * start + 0.3 * i) for i in range(count)], dtype=torch.float64).reshape(like.shape))
    return values.to(like.dtype)


def is_wanted(t):
    return isinstance(t, torch.Tensor) and t.requires_grad and (t.dtype.is_floating_point or t.dtype.is_complex) and t.numel() > 0


def close(library, got, want):
    if want is None:
        return True
    if got is None:
        return not want.abs().max() > 1e-12
    got = library.given(got.detach())
    scale = max(1.0, want.abs().max().item()) if want.numel() else 1.0
    return got.shape == want.shape and torch.allclose(got.to(want.dtype), want, 1e-6, 1e-7 * scale, equal_nan=True)


def outcome(op, name, sample):
    """What becomes of the sample, for the first gradient and the second."""
    library = Tracked()
    mine = opdb.function(library, name)
    if mine is None:
        return None
    try:
        state = torch.get_rng_state()
        results = opdb.flat(op(sample.input, *sample.args, **sample.kwargs))
        arguments = opdb.taken(library, [sample.input, *sample.args])
        keywords = opdb.taken(library, sample.kwargs)
        leaves = [known for known, _ in library.leaves]
        wanted = [i for i, t in enumerate(results) if is_wanted(t)]
        if not wanted or not leaves:
            return None
        given = [weights(results[i], 1 + 3 * i) for i in wanted]
        want = torch.autograd.grad([results[i] for i in wanted], leaves, given, create_graph=op.supports_gradgrad, allow_unused=True)
    except (opdb.NotHere, RuntimeError, NotImplementedError, TypeError, ValueError):
        return None
    own = [leaf for _, leaf in library.leaves]
    try:
        torch.set_rng_state(state)
        got = opdb.flat(mine(*arguments, **keywords))
        first = thaten.autograd.grad([got[i] for i in wanted], own, [library.taken(w) for w in given], create_graph=op.supports_gradgrad, allow_unused=True)
    except opdb.NotHere:
        return None
    except Exception as error:
        return "raises", None, "%s: %s" % (type(error).__name__, str(error)[:160])
    for g, w in zip(first, want):
        if not close(library, g, w if w is None else w.detach()):
            return "differs", None, "first"
    again = [i for i, t in enumerate(want) if t is not None and is_wanted(t)]
    tracked = [i for i in again if first[i] is not None and first[i].requires_grad]  # PyTorch also tracks what is constant
    if not again or not op.supports_gradgrad:
        return "same", None, ""
    try:
        given = {i: weights(want[i], 2 + 3 * i) for i in again}
        want = torch.autograd.grad([want[i] for i in again], leaves, list(given.values()), allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return "same", None, ""
    try:
        got = [None] * len(own)
        if tracked:
            got = thaten.autograd.grad([first[i] for i in tracked], own, [library.taken(given[i]) for i in tracked], allow_unused=True)
    except Exception as error:
        return "same", "raises", "second: %s: %s" % (type(error).__name__, str(error)[:160])
    bad = [i for i, (g, w) in enumerate(zip(got, want)) if not close(library, g, w)]
    return "same", "differs" if bad else "same", "second of %s" % bad if bad else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtypes", default="float64,complex128")
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for word in options.dtypes.split(","):
        dtype, firsts, seconds, operations = getattr(torch, word), collections.Counter(), collections.Counter(), collections.Counter()
        for op in op_db:
            if options.names and op.name not in options.names or not op.supports_autograd or op.name in opdb.RANDOM:
                continue
            if not op.supports_dtype(dtype, "cpu"):
                continue
            torch.manual_seed(0)
            try:
                samples = list(op.sample_inputs("cpu", dtype, requires_grad=True))[:options.samples]
            except Exception:
                continue
            found, shown = collections.Counter(), False
            for sample in samples:
                one = outcome(op, opdb.own_name(op), sample)
                if one is None:
                    continue
                firsts[one[0]] += 1
                seconds[one[1]] += one[1] is not None
                is_bad = one[0] != "same" or one[1] not in (None, "same")
                found["bad" if is_bad else "good"] += 1
                if is_bad and options.verbose and not shown:
                    shown = True
                    print("%s %s.%s: %s; %s %s" % (word, op.name, op.variant_test_name, one, [tuple(a.shape) if isinstance(a, torch.Tensor) else a for a in (sample.input, *sample.args)], sample.kwargs), flush=True)
            operations["none" if not found else "agrees" if not found["bad"] else "partly" if found["good"] else "fails"] += 1
        print("%s: operations %s, first gradients %s, second ones %s" % (word, dict(operations), dict(firsts), dict(seconds)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
