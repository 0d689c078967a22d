"""Training: steps of whole networks in TH, and of the same networks in PyTorch, eager and compiled.

usage: training.py TH_TRAINING [--filter=PART] [--threads=1,2] [--rounds=3] [--seconds=1] [--steps=10]
                   [--peers=eager,compiled] [--folder=build/bench/training] [--curves]

All begin with the same weights and train on one batch. They measure in turn, ROUNDS times, pinned to so many processors; a
time is the median of the rounds. The losses of the first STEPS steps are compared with those of PyTorch in Double, and so are
PyTorch's own in Float: a row is marked if one of TH's differs by more than 1e-4 of it. Memory is the most that a process
with ten steps has resident. With --curves nothing is measured: the losses of 50 steps in Double are compared. The table goes to standard output and,
unless a network or a number of threads was chosen, to bench/results/MACHINE/training.tsv.
"""

import argparse
import copy
import logging
import math
import os
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from timing import seconds

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS, LENGTH, WIDTH, HEADS, LAYERS = 1000, 64, 384, 6, 6


# --- networks, as in bench/training.c -----------------------------------------------------------------

class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cells, self.head = nn.Embedding(WORDS, 128), nn.LSTM(128, 256, batch_first=True), nn.Linear(256, WORDS)

    def forward(self, x):
        return self.head(self.cells(self.words(x))[0][:, -1])


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.mixed, self.joined = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norm2, self.wide, self.narrow = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        parts = self.mixed(self.norm1(x)).chunk(3, -1)
        q, k, v = (p.reshape(x.shape[0], LENGTH, HEADS, -1).transpose(1, 2) for p in parts)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.joined(seen.transpose(1, 2).reshape(x.shape))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, x):
        y = self.blocks(self.words(x) + self.positions(torch.arange(LENGTH)))
        return self.head(self.norm(y)).reshape(-1, WORDS)


class Basic(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (self.shortcut(x) if self.shortcut else x))


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                         nn.Linear(84, 10))


def resnet():
    blocks = [Basic(o // (2 if first and o > 64 else 1), o, 2 if first and o > 64 else 1)
              for o in (64, 128, 256, 512) for first in (True, False)]
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Linear(512, 1000))


def sgd(params):
    return torch.optim.SGD(params, lr=0.01, momentum=0.9)


def slow_sgd(params):
    """For a deep network, whose rounding grows a thousandfold in ten steps at the rate of the small ones."""
    return torch.optim.SGD(params, lr=1e-3, momentum=0.9)


def adamw(params):
    return torch.optim.AdamW(params, lr=1e-3)


def words(batch):
    return torch.randint(0, WORDS, (batch, LENGTH))


# What makes the network, its optimizer, and its batch.
NETWORKS = {
    "MLP": (mlp, sgd, lambda: (torch.randn(64, 784), torch.randint(0, 10, (64,)))),
    "LeNet-5": (lenet, sgd, lambda: (torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,)))),
    "LSTM": (Recurrent, adamw, lambda: (words(16), torch.randint(0, WORDS, (16,)))),
    "GPT": (Gpt, adamw, lambda: (words(8), torch.randint(0, WORDS, (8 * LENGTH,)))),
    "ResNet-18": (resnet, slow_sgd, lambda: (torch.randn(16, 3, 224, 224), torch.randint(0, 1000, (16,)))),
}


# --- systems ------------------------------------------------------------------------------------------

class Th:
    """The program in a process of its own."""

    def __init__(self, options, name, path, threads, steps):
        self.command = ["taskset", "-c", f"0-{threads - 1}", options.th_training, name, path + ".pt", path + ".npz", str(steps)]
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")

    def __call__(self, budget):
        lines = subprocess.run(self.command + [str(budget)], env=self.environment, capture_output=True, text=True, check=True).stdout.split("\n")
        took, self.memory = map(float, lines[0].split())
        self.losses = [float(word) for word in lines[1].split()]
        return took


class Torch:
    """PyTorch in this process; fast is the module or what torch.compile makes of it."""

    def __init__(self, module, make, batch, steps, compiles):
        self.module = copy.deepcopy(module)
        self.fast = torch.compile(self.module) if compiles else self.module
        self.optimizer, (self.x, self.y) = make(self.module.parameters()), batch
        self.losses = [float(self.step()) for _ in range(steps)]

    def step(self):
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.fast(self.x), self.y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def __call__(self, budget):
        return seconds(self.step, budget)


# --- measuring ----------------------------------------------------------------------------------------

def begin(name):
    torch.manual_seed(0)
    return NETWORKS[name][0](), NETWORKS[name][2]()


def doubled(module, batch):
    return module.double(), [t.double() if t.is_floating_point() else t for t in batch]


def save(options, name, module, batch):
    """Writes what TH begins with; returns the beginning of the paths."""
    path = os.path.join(options.folder, name)
    torch.save(module.state_dict(), path + ".pt")
    np.savez(path + ".npz", x=batch[0].numpy(), y=batch[1].numpy())
    return path


def systems(options, name, threads):
    optimizer, (module, batch) = NETWORKS[name][1], begin(name)
    found = {"TH": Th(options, name, save(options, name, module, batch), threads, options.steps)}
    wide, wide_batch = doubled(copy.deepcopy(module), batch)
    exact = Torch(wide, optimizer, wide_batch, options.steps, False)
    for peer in options.peers.split(","):
        try:
            found[peer] = Torch(module, optimizer, batch, options.steps, peer == "compiled")
        except Exception as error:
            print(f"{peer} is left out: {str(error).strip().splitlines()[0][:100]}", file=sys.stderr)
    return found, exact.losses


def difference(losses, exact):
    """The largest difference of a loss from that in Double, as a part of it."""
    return max((abs(a - b) / abs(b) for a, b in zip(losses, exact)), default=math.nan)


def resident(name, threads):
    """The most that eager PyTorch has resident, in MB, in a process of its own."""
    code = (f"import resource, torch, training as t; torch.set_num_threads({threads}); module, batch = t.begin({name!r})\n"
            f"t.Torch(module, t.NETWORKS[{name!r}][1], batch, 10, False)\n"
            f"print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6)")
    return float(subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True,
                                text=True, check=True).stdout)


def curves(options, names):
    """Prints how far losses of 50 steps in Double are from PyTorch's; returns whether one is more than 1e-8 of it."""
    wrong = False
    for name in names:
        module, batch = doubled(*begin(name))
        th = Th(options, name, save(options, name, module, batch), torch.get_num_threads(), 50)
        th(0)
        away = difference(th.losses, Torch(module, NETWORKS[name][1], batch, 50, False).losses)
        wrong |= not away <= 1e-8
        print(f"{name}: losses of {len(th.losses)} steps from {th.losses[0]:.3f} to {th.losses[-1]:.3f}, {away:.1e} away", flush=True)
    return wrong


def measured(options, name, threads):
    os.sched_setaffinity(0, range(threads))
    torch.set_num_threads(threads)
    found, exact = systems(options, name, threads)
    times = {system: [] for system in found}
    for _ in range(options.rounds):
        for system, call in found.items():
            times[system].append(call(options.seconds))
    middle = {system: statistics.median(t) for system, t in times.items()}
    best = min((middle[p] for p in found if p != "TH"), default=math.nan)
    ours = difference(found["TH"].losses, exact)
    theirs = difference(found["eager"].losses, exact) if "eager" in found else math.nan
    differs = " (differs)" if not ours <= 1e-4 else ""
    row = [name, str(threads)] + [f"{middle[s] * 1e3:.2f}" if s in middle else "" for s in ["TH", "eager", "compiled"]]
    row += [f"{best / middle['TH']:.2f}", f"{ours:.1e}{differs}", f"{theirs:.1e}", f"{found['TH'].memory / 1e6:.0f}",
            f"{resident(name, threads):.0f}"]
    return row, best / middle["TH"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("th_training")
    for name, default in dict(filter="", threads="1,2", peers="eager,compiled", folder="build/bench/training").items():
        parser.add_argument("--" + name, default=default)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--curves", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    names = [name for name in NETWORKS if options.filter.lower() in name.lower()]
    if options.curves:
        sys.exit(curves(options, names))
    head = ["network", "threads", "TH", "eager", "compiled", "best peer / TH", "losses from Double", "eager's", "memory", "eager's memory"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    print("milliseconds of a step; most resident memory in MB\n" + "\n".join(lines), flush=True)
    means = {}
    for threads in map(int, options.threads.split(",")):
        for name in names:
            row, ratio = measured(options, name, threads)
            lines.append("| " + " | ".join(row) + " |")
            means.setdefault(threads, []).append(ratio)
            print(lines[-1], flush=True)
    for threads, ratios in means.items():
        print(f"best peer / TH, geometric mean on {threads} thread{'s' * (threads > 1)}: {statistics.geometric_mean(ratios):.2f}")
    if not options.filter and options.threads == "1,2":
        about = "Training in TH and in PyTorch: milliseconds of a step, and MB."
        subprocess.run([os.path.join(TOP, "bench/store"), "training", about], input="\n".join(lines), text=True, check=True)


if __name__ == "__main__":
    started = time.time()
    main()
    print(f"measured in {time.time() - started:.0f} s", file=sys.stderr)
