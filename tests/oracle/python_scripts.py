#!/usr/bin/env python3
"""Writes tests/golden/python_scripts.txt and python_texts.json: what the scripts of bindings/python/tests/scripts compute with PyTorch.

usage: python_scripts.py

Each line has the name of a script and its list `losses`, as hexadecimal numbers; the other file has
their lists `texts`, where they have one.
"""

import json
import os
import runpy

import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = os.path.join(ROOT, "bindings", "python", "tests", "scripts")


def main():
    torch.set_num_threads(1)
    lines = ["# Written by tests/oracle/python_scripts.py with PyTorch " + torch.__version__]
    texts = {}
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".py"):
            torch.set_default_dtype(torch.float32)
            made = runpy.run_path(os.path.join(FOLDER, name))
            numbers = made["losses"]
            if "texts" in made:
                texts[name] = made["texts"]
            lines.append(" ".join([name] + [float(n).hex() for n in numbers]))
    with open(os.path.join(ROOT, "tests", "golden", "python_scripts.txt"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(ROOT, "tests", "golden", "python_texts.json"), "w") as file:
        json.dump(texts, file, indent=0)
        file.write("\n")


main()
