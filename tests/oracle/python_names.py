#!/usr/bin/env python3
"""Writes bindings/python/names.json: what the Python package takes from PyTorch's schemas.

usage: python_names.py aten-ops.json aten-api.json

positional: by operation and overload, how many arguments PyTorch takes without their names, where that
are more than ATen's description says, whose options are all given by name.

return_types: operations whose results have names.

layers: by layer, PyTorch's arguments and their defaults, where these are others than ATen's, device and dtype.
"""

import inspect
import json
import os
import sys

import torch

RENAMED = {"type": "dtype", "sizes": "size"}
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bindings", "python", "names.json")


def schemas():
    """PyTorch's schemas by the operation's name."""
    found = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            found.setdefault(schema.name[len("aten::"):], []).append(schema)
    return found


def agreeing(operation, schema):
    """How many leading arguments have the same names, and take no name in PyTorch."""
    count = 0
    for ours, theirs in zip(operation["arguments"], schema.arguments):
        name = RENAMED.get(ours["name"], ours["name"])
        if name != theirs.name or theirs.kwarg_only:
            break
        count += 1
    return count


def layers(functions):
    """The arguments of layers that are not ours: pairs of a name and a default, None for none."""
    found = {}
    for function in (f for f in functions if "members" in f):
        name = function["name"][len("at_"):]
        if not hasattr(torch.nn, name):
            continue
        theirs = list(inspect.signature(getattr(torch.nn, name).__init__).parameters.values())[1:]
        ours = [a["name"] for a in function["arguments"] if a["type"] != "Type"]
        ours += ["device", "dtype"] * (len(ours) < len(function["arguments"]))
        if all(p.kind is not p.VAR_POSITIONAL for p in theirs) and [p.name for p in theirs] != ours:
            found[name] = [[p.name, None if p.default is p.empty else repr(getattr(p.default, "__name__", p.default))] for p in theirs]
    return found


def return_types(operations):
    """Of our operations those whose results PyTorch names."""
    several = {f["name"] for o in operations if len(o["results"]) > 1 for f in o["functions"] if f["form"] == "function"}
    return sorted(n for n in several if isinstance(getattr(torch.return_types, n, None), type))


def names(operations, functions):
    """What names.json has."""
    theirs = schemas()
    positional = {}
    for operation in operations:
        arguments = operation["arguments"]
        before = sum(not a["keyword"] for a in arguments)
        required = sum(not a["option"] for a in arguments)
        counts = [agreeing(operation, s) for s in theirs.get(operation["name"], [])]
        most = max([c for c in counts if c >= required], default=0)
        if most > before:
            positional[operation["name"] + "." + operation["overload"]] = most
    return {"about": "Written by tests/oracle/python_names.py with PyTorch " + torch.__version__, "positional": positional,
            "layers": layers(functions), "return_types": return_types(operations)}


def main():
    with open(sys.argv[1]) as file:
        operations = json.load(file)["operations"]
    with open(sys.argv[2]) as file:
        functions = json.load(file)["functions"]
    with open(PATH, "w") as file:
        json.dump(names(operations, functions), file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
