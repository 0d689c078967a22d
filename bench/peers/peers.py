"""TH compared with PyTorch, in one process and in turn, on the same elements.

    python3 peers.py BUILD [--threads N] [--rounds N] [--seconds S] [--filter FAMILY] [--check]

prints rows of a table.  Before a row is measured, its results are compared.
"""

import argparse
import ctypes
import gc
import math
import statistics

import torch

import convolutions
import layers
import others
import rows
import timing
from th import Library

assert layers and convolutions and others


def keep_memory():
    """Blocks of up to 32 MB stay with the process: PyTorch's new results need no new pages."""
    M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
    libc = ctypes.CDLL(None)
    libc.mallopt(M_MMAP_THRESHOLD, 32 << 20)
    libc.mallopt(M_TRIM_THRESHOLD, 1 << 30)


def measure(row, rounds, budget):
    """Medians of the rounds: seconds of ours and of theirs, and theirs over ours."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(timing.seconds(row.ours, budget))
        theirs.append(timing.seconds(row.theirs, budget))
    ratio = statistics.median(b / a for a, b in zip(ours, theirs))
    return statistics.median(ours), statistics.median(theirs), ratio


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--filter", default="")
    parser.add_argument("--check", action="store_true", help="compare results, measure nothing")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    keep_memory()
    lib = Library(options.build)
    lib.function("THSetNumThreads")(options.threads)
    gc.disable()
    means = []
    with torch.inference_mode():
        for family, make in rows.FAMILIES.items():
            if not family.startswith(options.filter):
                continue
            ratios = []
            for row in make(lib):
                row.check()
                if options.check:
                    continue
                ours, theirs, ratio = measure(row, options.rounds, options.seconds)
                ratios.append(ratio)
                print(
                    f"| {row.name} | {row.shape} | {options.threads} "
                    f"| {timing.text(ours)} | {timing.text(theirs)} | {ratio:.2f} |",
                    flush=True,
                )
            lib.free()
            if ratios:
                means.append(statistics.geometric_mean(ratios))
    if options.check:
        return
    mean = math.exp(sum(map(math.log, means)) / len(means))
    print(f"| geometric mean of the families' means | | {options.threads} | | | {mean:.2f} |")


main()
