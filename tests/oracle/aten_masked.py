"""Golden cases of src/ops/aten/masked.ops: operations with masks, and windows of signals."""

import math

import torch

from aten_today import FLOATING, Today

M, W = torch.masked, torch.signal.windows


def loose(dtype):
    return {torch.float64: 2.0**-40, torch.float32: 2.0**-17}.get(dtype, 2.0**-6)


def of(name):
    """PyTorch's function, whose argument of the element type is called dtype."""
    function = getattr(M, name)

    def call(self, *given, **options):
        return function(self, *given, **options)

    return call


def median(self, dim=-1, **options):
    return M.median(self, dim, **options)


with Today("masked", __file__) as c:
    r = c.random
    for dtype in FLOATING[:2] + [torch.float16, torch.int32, torch.int64, torch.uint8]:
        is_float, near = dtype.is_floating_point, loose(dtype)
        for shape, dims in (((2, 3, 4), ([1], [0, 2], None)), ((4,), ([0], None)), ((), (None,))):
            for dim in dims:
                x, mask = c.tensor(shape, dtype, -9, 10), c.tensor(shape, torch.bool)
                if shape:
                    mask.view(-1)[0] = True
                given = dict(self=x, mask=mask, keepdim=r.random() < 0.5)
                if dim is not None:
                    given["dim"] = dim
                for name in ("sum", "prod", "amax", "amin"):
                    if dtype.itemsize >= 4 or name.startswith("a"):
                        c("masked_" + name, of(name), within=near, **given)
                if is_float and dtype.itemsize >= 4:
                    for name in ("mean", "logsumexp", "var", "std"):
                        c("masked_" + name, of(name), within=near, **given)
                    for order in (1.0, 2.0, 3.0, math.inf, -math.inf):
                        c("masked_norm", of("norm"), ord=order, within=near, **given)
        x, mask = c.tensor((3, 4), dtype, -9, 10), c.tensor((3, 4), torch.bool)
        mask[0] = True
        for name in ("sum", "amax"):
            c("masked_" + name, of(name), self=x, dim=[1])
            c("masked_" + name, of(name), self=x, mask=mask[0])
        c("masked_sum", of("sum"), self=x, mask=mask, dim=[0], type=torch.float64)
        for name in ("argmax", "argmin"):
            distinct = torch.arange(12, dtype=dtype).reshape(3, 4).flip(1)
            c("masked_" + name, of(name), self=distinct, mask=mask)
            c("masked_" + name, of(name), self=distinct, mask=mask, dim=1, keepdim=True)
        for name in ("cumsum", "cumprod"):
            if dtype.itemsize >= 4:
                whole = c.tensor((3, 4), dtype, 1, 10)  # cumprod has no second derivative at 0
                c("masked_" + name, of(name), self=whole, dim=1, mask=mask, within=near)
                c("masked_" + name, of(name), self=whole, dim=0, within=near)
        if is_float and dtype.itemsize >= 4:
            for name in ("softmax", "log_softmax", "softmin"):
                c("masked_" + name, of(name), self=x, dim=1, mask=mask, within=near)
                c("masked_" + name, of(name), self=x, dim=0, within=near)
            c("masked_median", median, self=x, dim=1, mask=mask)
            c("masked_median", median, self=x, keepdim=True)
            for order in (1.0, 2.0):
                c("masked_normalize", lambda self, ord, dim, **k: M.normalize(self, ord, dim, **k), self=x, ord=order, dim=1, mask=mask, within=near)
            c("masked_logaddexp", lambda self, other, **k: M.logaddexp(self, other, **k), self=x, other=c.tensor((3, 4), dtype),
              input_mask=mask, other_mask=mask.logical_not(), within=near)
            c("masked_mean", of("mean"), self=x, dim=[0], within=near)
            c("masked_var", of("var"), self=x, unbiased=False, mask=mask, within=near)

    for count in (0, 1, 2, 7, 8, -1):
        for sym in (True, False):
            for name in ("bartlett", "cosine", "exponential", "gaussian", "kaiser", "general_hamming", "hamming", "hann", "blackman", "nuttall"):
                if (name, count, sym) == ("kaiser", 1, False):
                    continue
                c("signal_windows_" + name, getattr(W, name), M=count, sym=sym, within=2.0**-20)
    for dtype in FLOATING[:2]:
        near = 2.0**-20 if dtype == torch.float32 else 2.0**-44
        c("signal_windows_gaussian", W.gaussian, M=6, std=2.5, type=dtype, within=near)
        c("signal_windows_kaiser", W.kaiser, M=6, beta=3.0, type=dtype, within=near)
        c("signal_windows_exponential", W.exponential, M=6, tau=2.0, center=1.5, sym=False, type=dtype, within=near)
        c("signal_windows_general_hamming", W.general_hamming, M=6, alpha=0.75, type=dtype, within=near)
        for weights in ([0.5, 0.25, 0.125], [1.0]):
            c("signal_windows_general_cosine", lambda M, a, **k: W.general_cosine(M, a=a, **k), M=6, a=weights, type=dtype, within=near)
    c("signal_windows_exponential", W.exponential, M=6, tau=2.0, center=1.5)
    c("signal_windows_gaussian", W.gaussian, M=6, std=-1.0)
    c("signal_windows_kaiser", W.kaiser, M=6, beta=-1.0)
