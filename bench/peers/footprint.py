"""What it costs to start: time and resident memory of programs that do next to nothing, and the
size of libraries.

    python3 footprint.py BUILD PROGRAM-OF-PYTORCH

prints lines as th_torch does; the last field is memory in bytes.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile


def put(name, what, seconds, size):
    print(f"footprint\t{name}\t{what}\t1\t0\tfootprint\t{seconds:.6g}\t{size:.6g}", flush=True)


def left_out(name):
    print(f"footprint: no {name}: left out", file=sys.stderr)


def stripped(path):
    with tempfile.NamedTemporaryFile() as file:
        shutil.copyfile(path, file.name)
        subprocess.run(["strip", file.name], check=True)
        return os.path.getsize(file.name)


def starts(build, theirs):
    """Rows of programs: their time, and what they have resident at most."""
    python = sys.executable
    for name, what, command in (
        ("TH", "C program: 1,000 floats added", [os.path.join(build, "bench", "th_start")]),
        ("torch-c++", "C++ program: 1,000 floats added", [theirs]),
        ("python", "python3 -c pass", [python, "-c", "pass"]),
        ("numpy", "import numpy", [python, "-c", "import numpy"]),
        ("torch", "import torch", [python, "-c", "import torch"]),
    ):
        weigh = os.path.join(build, "bench", "th_weigh")
        done = subprocess.run([weigh, *command], capture_output=True, text=True)
        if done.returncode:
            left_out(f"load.{name}")
            continue
        seconds, size = map(float, done.stdout.split())
        put(f"load.{name}", what, seconds, 0)
        put(f"rss.{name}", what, 0, size)


def ours(build):
    total = 0
    for name in ("TH", "THNN", "ATen"):
        size = stripped(os.path.join(build, "src", name, f"lib{name}.so"))
        total += size
        put(f"disk.lib{name}", "stripped", 0, size)
    put("disk.all", "stripped", 0, total)


def python_libraries():
    try:
        from importlib.util import find_spec

        libraries = os.path.join(find_spec("torch").submodule_search_locations[0], "lib")
        for name in ("libtorch_cpu.so", "libc10.so", "libtorch_python.so"):
            put(f"disk.{name}", "", 0, os.path.getsize(os.path.join(libraries, name)))
    except (AttributeError, OSError):
        left_out("PyTorch's libraries")


def system_libraries():
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    for row, name in (
        ("libopenblas", "libopenblas"),
        ("libdnnl.so", "libdnnl"),
        ("libsleef.so", "libsleef"),
        ("libXNNPACK.so", "libXNNPACK"),
    ):
        if found := re.search(rf"^\s*{name}\.so\S* .*=> (\S+)$", known, re.MULTILINE):
            put(f"disk.{row}", os.path.basename(found[1]), 0, os.path.getsize(found[1]))
        else:
            left_out(f"disk.{row}")


def all_that_it_loads(row, program):
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    paths = set(re.findall(r"=> (/\S+)", loaded))
    if paths:
        put(row, f"{len(paths)} shared objects", 0, sum(map(os.path.getsize, paths)))
    else:
        left_out(row)


def main():
    build, theirs = sys.argv[1:3]
    starts(build, theirs)
    ours(build)
    all_that_it_loads("disk.TH.closure", os.path.join(build, "bench", "th_start"))
    python_libraries()
    system_libraries()
    all_that_it_loads("disk.torch-c++.closure", theirs)


main()
