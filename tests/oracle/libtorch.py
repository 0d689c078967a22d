"""Writes tests/golden/libtorch: what bindings/cpp/tests/libtorch prints with the libtorch of Python's torch.

usage: python tests/oracle/libtorch.py [NAME ...]
"""

import os
import subprocess
import sys
import tempfile

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "bindings", "cpp", "tests", "libtorch")
LIBTORCH = os.path.dirname(torch.__file__)


def main():
    names = sys.argv[1:] or sorted(name[:-4] for name in os.listdir(SOURCES) if name.endswith(".cpp"))
    include, library = os.path.join(LIBTORCH, "include"), os.path.join(LIBTORCH, "lib")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, name)
            subprocess.run(["g++", "-std=c++20", "-w", "-O0", "-DLIBTORCH", "-isystem", include, "-isystem",
                            os.path.join(include, "torch", "csrc", "api", "include"), os.path.join(SOURCES, name + ".cpp"), "-o", program,
                            "-L" + library, "-Wl,-rpath," + library, "-ltorch", "-ltorch_cpu", "-lc10", "-pthread"], check=True)
            text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        with open(os.path.join(ROOT, "tests", "golden", "libtorch", name + ".txt"), "w") as file:
            file.write(text)


main()
