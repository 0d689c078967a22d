"""Golden cases of the different elements and slices (unique, unique_dim, unique_consecutive in reduce.ops), with what PyTorch
returns for them, or that it raises."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default

TYPES = INTEGERS + FLOATS * 2 + SMALL_FLOATS + [torch.bool]
SHAPES = [(), (1,), (7,), (30,), (2, 3), (4, 3), (5, 2), (0,), (0, 3), (2, 0), (2, 3, 4), (3, 2, 2), (2, 1, 3, 2)]
SPECIAL = [float("nan"), float("inf"), -float("inf")]

with aten_cases.Writer("unique", __file__) as out:
    r = out.random

    def tensor():
        t = out.tensor(r.choice(SHAPES), r.choice(TYPES), *r.choice([(-2, 3), (0, 2), (-20, 21)]))
        if t.dtype in (torch.int32, torch.int64) and r.random() < 0.3:  # a range that no table holds
            t = t * 100003
        if t.dtype.is_floating_point and t.numel() > 0 and r.random() < 0.3:
            for _ in range(2):
                t.reshape(-1)[r.randrange(t.numel())] = r.choice(SPECIAL)
        if r.random() < 0.3 and t.dim() > 1:  # another layout
            t = t.transpose(*r.sample(range(t.dim()), 2))
        return t

    def maybe(value, odds=0.5):
        return value if r.random() < odds else Default

    def given(results, flags):
        """What the function returns; what was not asked for is not there."""
        return tuple(t if i == 0 or flags[i - 1] is True else None for i, t in enumerate(results))

    def case(name, arguments, call, flags, t):
        """A function, or the form with results, of which those that are None are not wanted."""
        if r.random() < 0.7:
            out.case(name, arguments + flags if name != "unique_consecutive" else arguments, lambda: given(call(), flags))
            return
        wanted = [True, r.random() < 0.6, r.random() < 0.6]
        targets = [torch.zeros(r.choice([(0,), (2, 3)]), dtype=torch.int64 if i else t.dtype) if w else None
                   for i, w in enumerate(wanted)]

        def results():
            return tuple(made if w else None for made, w in zip(call(), wanted))

        out.case(name + "_out", targets + (arguments + flags if name != "unique_consecutive" else arguments), results)

    for _ in range(150):
        t = tensor()
        flags = [maybe(True), maybe(True)]
        case("unique", [t, Default], lambda: torch._unique2(t, True, True, True), flags, t)

    for _ in range(110):
        t = tensor()
        if t.dtype.is_floating_point:  # in which order slices with NaN are is nobody's promise
            t = torch.nan_to_num(t, 1.0, 2.0, 3.0)
        dim = r.randrange(-max(t.dim(), 1), max(t.dim(), 1)) if r.random() < 0.9 else r.choice([4, -5])
        flags = [maybe(True), maybe(True)]
        case("unique_dim", [t, dim, Default], lambda: torch.ops.aten.unique_dim(t, dim, True, True, True), flags, t)

    for _ in range(130):
        t = tensor()
        dim = Default
        if r.random() < 0.5:
            dim = r.randrange(-max(t.dim(), 1), max(t.dim(), 1)) if r.random() < 0.9 else r.choice([4, -5])
        flags = [maybe(True), maybe(True)]
        case("unique_consecutive", [t] + flags + [dim],
             lambda: torch.ops.aten.unique_consecutive(t, True, True, None if dim is Default else dim), flags, t)

    for _ in range(20):  # sorting without indices
        t = out.tensor(r.choice(SHAPES), r.choice(TYPES[:-1]), -4, 5)
        dim, descending = maybe(-1), maybe(True)
        values = torch.sort(t, -1, descending is True)[0]
        target = torch.zeros(r.choice([(0,), (2, 3), t.shape]), dtype=t.dtype)
        out.case("sort_out", [target, None, t, dim, descending, Default], lambda: (values, None))
