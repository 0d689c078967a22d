"""What it costs to start: time and resident memory of programs that do next to nothing, and the
size of the libraries.

    python3 footprint.py BUILD PROGRAM-OF-PYTORCH

prints lines as th_torch does; the last field is memory in bytes.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

STARTS = 9


def start(command):
    """Medians of seconds and of resident bytes."""
    seconds, sizes = [], []
    for _ in range(STARTS):
        begin = time.perf_counter()
        process = os.posix_spawn(command[0], command, os.environ)
        _, status, usage = os.wait4(process, 0)
        seconds.append(time.perf_counter() - begin)
        sizes.append(usage.ru_maxrss * 1024)
        if status:
            return None
    return statistics.median(seconds), statistics.median(sizes)


def put(name, what, seconds, size):
    print(f"footprint\t{name}\t{what}\t1\t0\tfootprint\t{seconds:.6g}\t{size:.6g}", flush=True)


def stripped(path):
    with tempfile.NamedTemporaryFile() as file:
        shutil.copyfile(path, file.name)
        subprocess.run(["strip", file.name], check=True)
        return os.path.getsize(file.name)


def main():
    build, theirs = sys.argv[1:3]
    started = [
        ("load.TH", "C program: 1,000 floats added", [os.path.join(build, "bench", "th_start")]),
        ("load.torch-c++", "C++ program: 1,000 floats added", [theirs]),
        ("load.python", "python3 -c pass", [sys.executable, "-c", "pass"]),
        ("load.numpy", "import numpy", [sys.executable, "-c", "import numpy"]),
        ("load.torch", "import torch", [sys.executable, "-c", "import torch"]),
    ]
    for name, what, command in started:
        if os.path.exists(command[0]) and (cost := start(command)):
            put(name, what, *cost)
        else:
            print(f"footprint: no {name}: left out", file=sys.stderr)
    total = 0
    for name in ("TH", "THNN", "ATen"):
        size = stripped(os.path.join(build, "src", name, f"lib{name}.so"))
        total += size
        put(f"disk.lib{name}", "stripped", 0, size)
    put("disk.all", "stripped", 0, total)
    try:
        from importlib.util import find_spec

        libraries = os.path.join(find_spec("torch").submodule_search_locations[0], "lib")
        for name in ("libtorch_cpu.so", "libc10.so", "libtorch_python.so"):
            put(f"disk.{name}", "", 0, os.path.getsize(os.path.join(libraries, name)))
    except (AttributeError, OSError):
        pass


main()
