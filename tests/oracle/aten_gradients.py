"""Gradients of the golden cases of tests/golden/aten: the scripts aten_*.py run again, with operands that want gradients.

For a few calls of each operation: the file of the case, its number there, the argument's index (3.1 is tensor 1 of the list
that is argument 3), and the gradient of the sum of all results of floating and complex types, each number with a weight
(weighted below, and in autograd/golden.c); a complex element is two numbers.  And for one of these calls the same of the
weighted sum of these gradients: second_gradients.txt."""

import glob
import math
import os
import runpy
import sys

import torch

import aten_cases
import golden

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS, ELEMENTS = 2, 150
WIDE = (torch.float32, torch.float64, torch.complex64, torch.complex128)
written, found, twice, seconds = {}, [], set(), []


def real(t):
    """A complex tensor as pairs of numbers."""
    return torch.view_as_real(t.resolve_conj()) if t.is_complex() else t


def weighted(results):
    total = 0
    for number, t in enumerate(map(real, results)):
        weights = [math.cos(1 + 3 * number + 0.7 * i) for i in range(t.numel())]
        total = total + (t * torch.tensor(weights, dtype=torch.float64).reshape(t.shape)).sum()
    return total


def tensors(result):
    if isinstance(result, aten_cases.Views):
        result = result.tensor
    results = [result] if isinstance(result, torch.Tensor) else list(result)
    return [t for t in results if isinstance(t, torch.Tensor) and t.dtype in WIDE]


def operands(arguments):
    """The tensors among the arguments, each with its index."""
    for i, value in enumerate(arguments):
        if isinstance(value, torch.Tensor):
            yield "%d" % i, value
        elif isinstance(value, (list, tuple)):
            yield from (("%d.%d" % (i, k), t) for k, t in enumerate(value) if isinstance(t, torch.Tensor))


class Writer(aten_cases.Writer):
    def __init__(self, name, script, seed=2018):
        self.name, self.number = name, -1
        self.random = aten_cases.random.Random(seed)
        self.cases = self.errors = 0

    def case(self, name, arguments, call, within=None):
        self.number += 1
        stem = name.partition(".")[0]
        given = [t for _, t in operands(arguments)]
        floats = [t for t in given if t.dtype.is_floating_point or t.dtype.is_complex]
        kind = name, any(t.is_complex() for t in floats)
        if stem.endswith(("_", "_out")) or written.get(kind, 0) >= CALLS or not floats:
            return self.run(call)
        # one tensor twice, or one computed from another: the gradient is a sum
        if len({id(t) for t in given}) < len(given) or stem == "_s_where":
            return self.run(call)
        if any(t.dtype not in WIDE or t.numel() > ELEMENTS or t.numel() == 0 for t in floats):
            return self.run(call)
        # ours are not PyTorch's: what triangle of a factor is not read has no gradient, nor have LU factors of gesv; and
        # other numbers are drawn here
        if stem in ("cholesky_solve", "cholesky_inverse", "gesv", "_standard_gamma"):
            return self.run(call)
        # what is below the solution has no gradient here
        if stem == "gels":
            return self.run(call)
        # ours is the symmetric part of PyTorch's: both are right where a change of the matrix is symmetric
        if stem == "linalg_pinv" and any(a is True for a in arguments):
            return self.run(call)
        # ours is the hermitian part of PyTorch's: both are right where a change of the matrix is hermitian
        if stem.startswith("linalg_cholesky") and arguments[0].is_complex():
            return self.run(call)
        # PyTorch's is that of the absolute value of abs
        if stem == "polar" and (arguments[0] <= 0).any():
            return self.run(call)
        # PyTorch's of both parts is 0 where one of them is not finite
        if stem == "nan_to_num" and arguments[0].is_complex() and not torch.isfinite(arguments[0]).all():
            return self.run(call)
        # PyTorch's has zeros at the elements that src did not replace
        if stem == "as_strided_scatter":
            return self.run(call)
        # it is PyTorch's bessel_y1, which is good to 1e-6 in Double
        if stem == "special_bessel_y0":
            return self.run(call)
        # PyTorch's leaves the counts out by which scale_grad_by_freq divides, and those of means, deviations and buffers
        if stem in ("native_layer_norm", "log_sigmoid_forward") or stem.startswith("embedding_") and any(a is True for a in arguments):
            return self.run(call)
        # PyTorch's divides by the elements of the operand, not by those of the result
        if stem == "mse_loss" and given[0].shape != given[1].shape:
            return self.run(call)
        # PyTorch's squares integers in their own type
        if stem == "atan2" and len(floats) < len(given):
            return self.run(call)
        # near a pole PyTorch has large numbers
        if stem == "digamma" and (arguments[0] <= 0).any():
            return self.run(call)
        # which of equal elements has the gradient is not defined
        if stem.endswith("quantile") and arguments[0].unique().numel() < arguments[0].numel():
            return self.run(call)
        called = False
        try:
            for t in floats:
                t.requires_grad_(True)
            made, called = call(), True
            results = tensors(made)
            weighted(results).backward()
            lines = [(self.name, self.number, i, self.text(t.grad))
                     for i, t in operands(arguments) if t.grad is not None and torch.isfinite(t.grad).all()]
        except Exception:
            self.errors += not called
            lines = []
        # PyTorch's of log_ndtr loses half of a float's digits, and that of _weight_norm is not that of v * (g / norm)
        # selu has no second derivative at 0
        if lines and kind not in twice and stem not in ("special_log_ndtr", "_weight_norm", "selu"):
            again = self.second(arguments, floats, call)
            twice.update([kind] if again else [])
            seconds.extend(again)
        for t in floats:
            t.requires_grad_(False)
            t.grad = None
        if lines:
            found.extend(lines)
            written[kind] = written.get(kind, 0) + 1

    def second(self, arguments, floats, call):
        """The same of the weighted sum of these gradients, where PyTorch has one."""
        drawn = torch.get_rng_state()
        try:
            firsts = torch.autograd.grad(weighted(tensors(call())), floats, create_graph=True, allow_unused=True)
            firsts = [t for t in firsts if t is not None and t.requires_grad and torch.isfinite(t).all()]
            made = torch.autograd.grad(weighted(firsts), floats, allow_unused=True)
        except Exception:
            return []
        finally:
            torch.set_rng_state(drawn)
        at = {id(t): g for t, g in zip(floats, made)}
        return [(self.name, self.number, i, self.text(torch.zeros(t.shape, dtype=t.dtype) + at[id(t)])) for i, t in operands(arguments)
                if at.get(id(t)) is not None and torch.isfinite(at[id(t)]).all()]

    def text(self, t):
        t = real(t)
        return "%d %s" % (t.numel(), " ".join(golden.text(float(v)) for v in t.reshape(-1).tolist()))

    def run(self, call):
        """What follows may depend on what the call drew or changed, and on how many raised errors."""
        try:
            call()
        except Exception:
            self.errors += 1

    def __exit__(self, *unused):
        print("%s: %d cases" % (self.name, self.number + 1), len(written))


aten_cases.Writer = Writer
for script in sorted(glob.glob(os.path.join(HERE, "aten_*.py"))):
    if os.path.basename(script)[5:-3] not in ("cases", "images", "gradients"):
        torch.manual_seed(67280421310721)  # with which PyTorch begins, as the script did by itself
        try:
            runpy.run_path(script, run_name="__main__")
        except Exception as e:
            print(os.path.basename(script), repr(e)[:200], file=sys.stderr)
for file, lines in (("gradients", found), ("second_gradients", seconds)):
    with open(os.path.join(golden.FOLDER, file + ".txt"), "w") as out:
        out.write("# Written by tests/oracle/aten_gradients.py with PyTorch %s.\n" % torch.__version__)
        out.writelines("%s %d %s %s\n" % line for line in sorted(lines, key=lambda line: (*line[:2], [int(n) for n in line[2].split(".")])))
