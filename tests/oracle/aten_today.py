"""Cases of operations whose names, arguments and defaults are PyTorch's: a call is written with the
arguments of the row in src/ops/aten, and made with the operation of that name in torch.ops.aten.

    with Today("functions", __file__) as c:
        c("gelu", self=x, approximate="tanh")          every form of the row
        c("fold", function=F.fold, self=x, ...)        another function of the same arguments
"""

import glob
import os
import re

import torch

import aten_cases
from aten_cases import Default, Double, Doubles, Ints, Scalar, Text

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/ops/aten/*.ops")
TYPES = aten_cases.INTEGERS + aten_cases.FLOATS + aten_cases.SMALL_FLOATS + [torch.bool]
FLOATING = aten_cases.FLOATS + aten_cases.SMALL_FLOATS
WRAPPED = {"Scalar": Scalar, "double": Double, "String": Text}


def rows():
    """By name: rows of the arguments (kind, name, whether it is an option), the forms, the number of
    results, and whether they are a list."""
    found, last = {}, None
    for path in sorted(glob.glob(TABLES)):
        for line in open(path):
            match = re.match(r"(\w+(?:\.\w+)?)\((.*?)\) -> (.*)", line)
            if match:
                arguments = [re.match(r"(\w+)\??(?:\[\d\])? (\w+)(=)?", a.strip()).groups()
                             for a in match[2].split(",") if a.strip() not in ("", "*")]
                last = [arguments, [], match[3].count("Tensor ") or 1, match[3].startswith("TensorList")]
                found.setdefault(match[1], []).append(last)
            elif line.startswith("  forms"):
                last[1] = line.split()[1:]
    return found


ROWS = rows()


def written(kind, value):
    """The argument as the file of cases has it."""
    if value is None or value is Default:
        return value
    if kind == "IntList":
        return Ints(*([value] if isinstance(value, int) else value))
    if kind == "DoubleList":
        return Doubles(*value)
    if kind == "TensorList":
        return list(value)
    return WRAPPED[kind](value) if kind in WRAPPED else value


def copied(value):
    if isinstance(value, (list, tuple)):
        return [copied(v) for v in value]
    return value.clone() if isinstance(value, torch.Tensor) else value


class Today(aten_cases.Writer):
    def __call__(writer, name, /, function=None, within=None, forms=None, **given):
        fitting = [row for row in ROWS[name] if set(given) <= {n for _, n, _ in row[0]}]
        assert fitting, "%s has not all of %s" % (name, set(given))
        function = function or getattr(torch.ops.aten, name.split(".")[0])
        for row in fitting:
            writer.forms_of(row, name, function, within, [f for f in row[1] if not forms or f in forms], given)

    def forms_of(writer, row, name, function, within, forms, given):
        arguments, _, count, is_list = row
        values = [written(kind, given.get(n, Default)) for kind, n, _ in arguments]

        def call():
            plain = [copied(given[n]) for _, n, option in arguments if not option and n in given]
            options = {"dtype" if n == "type" else n: copied(given[n])
                       for _, n, option in arguments if option and n in given}
            result = function(*plain, **options)
            return list(result) if is_list else result

        for form in forms:
            if form == "function":
                writer.case(name, values, call, within)
            elif form == "inplace":
                writer.case(name + "_", values, lambda: in_place(call(), given[arguments[0][1]]), within)
            else:
                writer.case(name + "_out", outputs(call, count) + values, call, within)


def in_place(result, first):
    """What the form in place returns: only a result of self's shape and type fits."""
    if result.shape != first.shape or not torch.can_cast(result.dtype, first.dtype):
        raise RuntimeError("the result does not fit self")
    return result.to(first.dtype)


def outputs(call, count):
    try:
        results = call()
    except aten_cases.RAISES:
        return [torch.empty(0)] * count
    results = results if isinstance(results, tuple) else (results,)
    return [torch.empty(0, dtype=torch.float32 if r is None else r.dtype) for r in results]
