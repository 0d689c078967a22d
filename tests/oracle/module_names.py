"""Compares the names of PyTorch's modules with those that this library has: prints which modules of torch.nn, and which of
their arguments, have no row in src/ops/module.

usage: module_names.py"""

import glob
import inspect
import os
import re

from torch import nn

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/ops/module/*.ops")
# Containers that are functions or structs in C, and what every module has.
ELSEWHERE = {"Module", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Container"}
ALL = {"self", "device", "dtype", "size_average", "reduce", "inplace"}


def rows():
    """The names of the arguments of each row; of a row with axes, for each of them; and of its lazy layer."""
    found, axes, names = {}, [], set()
    for path in sorted(glob.glob(TABLES)):
        text = open(path).read()
        for match in re.finditer(r"^(\w+\$?\w*)\((.*)\)(?: -> Module)?\n((?:  .*\n)*)", text, re.M):
            steps = match[3]
            names = {re.sub(r"=.*", "", a.strip()).split()[-1] for a in match[2].split(",") if a.strip() not in ("", "*")}
            axes = re.search(r"^  axes +(.*)", steps, re.M)
            for number in axes[1].split() if axes else [""]:
                name = match[1].replace("$", number)
                found[name] = names
                lazy = re.search(r"^  lazy +(\w+):", steps, re.M)
                if lazy:
                    found["Lazy" + name] = names - {lazy[1]}
    return found


def main():
    ours, missing = rows(), []
    theirs = {name: value for name, value in vars(nn).items()
              if inspect.isclass(value) and issubclass(value, nn.Module) and name not in ELSEWHERE}
    for name in sorted(theirs):
        if name not in ours:
            missing.append(name)
            continue
        wanted = set(inspect.signature(theirs[name].__init__).parameters) - ALL - {"args", "kwargs"}
        lacking = sorted(wanted - ours[name])
        if lacking:
            print("%s: without %s" % (name, ", ".join(lacking)))
    print("%d of %d modules; without a row: %s" % (len(theirs) - len(missing), len(theirs), ", ".join(missing) or "none"))


if __name__ == "__main__":
    main()
