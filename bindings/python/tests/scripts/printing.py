"""Tensors as text, of all types and sizes, with all options."""

import torch

state = 1
texts, losses = [], []


def draw(n):
    """The next of a sequence of integers below n, the same everywhere."""
    global state
    state = (state * 1103515245 + 12345) % 2**31
    return state // 8 % n


def numbers(count, kind):
    found = []
    for _ in range(count):
        x = draw(100000) / 1000 - 50
        if kind == "wide":
            x *= 10.0 ** (draw(9) - 4)
        elif kind == "whole":
            x = float(round(x))
        elif kind == "special":
            x = [x, float("nan"), float("inf"), -float("inf"), 0.0][draw(5)]
        elif kind == "small":
            x = x * 1e-6
        found.append(x)
    return found


KINDS = ("plain", "wide", "whole", "special", "small", "zeros")
OPTIONS = ({}, {}, {}, {"precision": 2}, {"sci_mode": True}, {"sci_mode": False}, {"threshold": 5}, {"linewidth": 40},
           {"edgeitems": 1, "threshold": 3}, {"profile": "short"}, {"profile": "full"}, {"edgeitems": 0, "threshold": 3})
SIZES = ([], [0], [1], [2, 0], [3], [7], [2, 3], [3, 9], [2, 2, 2], [1, 7, 2], [8, 8], [2, 1, 3, 2], [1001], [0, 3])
for number in range(210):
    dtype = [torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8,
             torch.bool, torch.complex64, torch.complex128][draw(11)]
    size, kind = SIZES[draw(len(SIZES))], KINDS[draw(len(KINDS))]
    count = 1
    for n in size:
        count *= n
    values = [0.0] * count if kind == "zeros" else numbers(count, kind)
    if dtype.is_complex:
        values = [complex(x, y) for x, y in zip(values, reversed(values))]
    elif dtype == torch.bool:
        values = [x > 0 for x in values]
    elif not dtype.is_floating_point:
        values = [int(abs(x)) % 256 if abs(x) < 1e9 else 7 for x in values]
    t = torch.tensor(values, dtype=dtype).reshape(size)
    if draw(4) == 0 and dtype.is_floating_point:
        t.requires_grad_()
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**OPTIONS[draw(len(OPTIONS))])
    texts.append(repr(t))
torch.set_printoptions(profile="default")
with torch._tensor_str.printoptions(precision=1):
    texts.append(str(torch.tensor([1.25])))
texts += [str(torch.tensor([1.25])), "%s" % torch.nn.Parameter(torch.ones(2)), f"{torch.tensor(1.5):.3f} {torch.tensor([1.5])}"]
