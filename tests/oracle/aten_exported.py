"""Golden cases of operations that exported programs call beyond those of the other files."""

import torch
import torch.nn.functional as F

from aten_cases import Views
from aten_today import FLOATING, Today

A = torch.ops.aten
WITHIN = {torch.float64: 2.0**-40, torch.float32: 2.0**-16}

with Today("exported", __file__) as c:
    r = c.random

    def sized(axes, dtype, batch, groups):
        """An input, a weight and a bias that fit, but for one in sixteen."""
        wide = groups * r.randrange(1, 3)
        wrong = r.random() < 0.06
        size = [r.randrange(1, 7) for _ in range(axes)]
        kernel = [r.choice([1, 2, 3, 4]) for _ in range(axes)]
        x = c.tensor((batch or []) + [wide + wrong] + size, dtype, -12, 13)
        weight = c.tensor([2 * groups, wide // groups] + kernel, dtype, -8, 9)
        return x, weight, r.choice([None, c.tensor([2 * groups], dtype)])

    for axes in 1, 2, 3:
        for k in range(36):
            dtype = r.choice([torch.float32, torch.float64] * 2 + FLOATING)
            groups = r.choice([1, 2, 3])
            x, weight, bias = sized(axes, dtype, r.choice([[2], [1], []]), groups)
            given = dict(input=x, weight=weight, bias=bias, padding="full" if k == 7 else ["same", "valid", "same"][k % 3])
            if groups > 1:
                given["groups"] = groups
            if k % 2:
                given["dilation"] = r.choice([1, 2, [r.randrange(1, 3) for _ in range(axes)]])
            if k % 8 == 0:
                given["stride"] = r.choice([1, 2])
            try:
                y = getattr(F, "conv%dd" % axes)(**given)
                if y.numel() == 0:
                    continue
            except RuntimeError:
                pass
            c("conv%dd.padding" % axes, function=getattr(F, "conv%dd" % axes), **given, within=WITHIN.get(dtype, 2.0**-6))

    for shape in (), (3,), (0,), (2, 3), (2, 1, 3), (2, 0, 3), (2, 3, 4, 2):
        for dtype in torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16:
            x = c.tensor(shape, dtype)
            for name, function in [("numpy_T", A.numpy_T), ("mT", A.mT), ("mH", A.mH), ("adjoint", A.adjoint)]:
                if len(shape) == 1 or (len(shape) == 0 and name != "numpy_T"):
                    continue  # PyTorch returns such a tensor with a warning, or differs between the names
                c.case(name, [x], lambda function=function: Views(function(x)))

    # Steps that are too small to be seen beside where they begin.
    for start, end, step, dtype in (10.0, 10.0, 1e-40, torch.float32), (1e16, 1e16 + 4, 1.0, torch.float64), (1.0, 1.0 + 2e-16, 1e-16, torch.float64):
        c("range", function=lambda start, end, step, dtype: torch.range(start, end, step, dtype=dtype), start=start, end=end, step=step, type=dtype)
