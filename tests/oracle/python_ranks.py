#!/usr/bin/env python3
"""Writes tests/golden/python_ranks.json: what the scripts of bindings/python/tests/ranks compute on two ranks with PyTorch.

usage: python_ranks.py

It runs itself, once for each rank, with the name of a script and of a file for the results.
"""

import json
import os
import runpy
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.join(ROOT, "bindings", "python", "tests", "ranks")


def run(name, path):
    import torch

    torch.set_num_threads(1)
    made = runpy.run_path(os.path.join(FOLDER, name))
    with open(path + os.environ["RANK"], "w") as file:
        json.dump({"losses": [float(n).hex() for n in made["losses"]], "texts": made.get("texts", [])}, file)


def main():
    found = {}
    starter = os.path.join(ROOT, "tests", "ATen", "distributed", "ranks")
    for name in sorted(n for n in os.listdir(FOLDER) if n.endswith(".py")):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rank")
            subprocess.run([starter, "tcp", "2", sys.executable, "-B", __file__, name, path], check=True)
            found[name] = [json.load(open(path + str(rank))) for rank in range(2)]
    with open(os.path.join(ROOT, "tests", "golden", "python_ranks.json"), "w") as file:
        json.dump(found, file, indent=0)
        file.write("\n")


if len(sys.argv) > 1:
    run(*sys.argv[1:])
else:
    main()
