"""Golden cases of functions that are not real everywhere, where they are."""

import torch

import aten_cases

# name, the range in eighths, PyTorch's
FUNCTIONS = [
    ("acosh", 9, 30, torch.acosh),
    ("erfinv", -7, 8, torch.erfinv),
    ("log", 1, 30, torch.log),
    ("log1p", -7, 20, torch.log1p),
    ("log2", 1, 30, torch.log2),
    ("rsqrt", 1, 30, torch.rsqrt),
    ("special_entr", 1, 30, torch.special.entr),
]

with aten_cases.Writer("domains", __file__, seed=29) as out:
    for name, low, high, function in FUNCTIONS:
        for dtype in (torch.float64, torch.float32):
            t = out.tensor((2, 3), dtype, low, high)
            out.case(name, [t], lambda: function(t), within=1e-5 if dtype == torch.float32 else 1e-13)
