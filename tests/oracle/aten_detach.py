"""Golden cases of detach and detach_copy, with what PyTorch returns."""

import torch

import aten_cases
from aten_cases import FLOATS, Views

SHAPES = [(), (5,), (0,), (2, 3), (2, 1, 3)]

with aten_cases.Writer("detach", __file__, seed=28) as out:
    for shape in SHAPES:
        for dtype in FLOATS:
            t = out.tensor(shape, dtype)
            out.case("detach", [t], lambda: Views(t.detach()))
            out.case("detach_copy", [t], lambda: t.detach().clone())
            out.case("detach_copy_out", [torch.empty(0, dtype=dtype), t], lambda: t.detach().clone())
