"""Golden cases of rows that other operations compute (src/ATen/composed)."""

import torch
import torch.nn.functional as F

from aten_today import FLOATING, Today

REDUCTIONS = ["none", "mean", "sum"]


def loose(dtype):
    return {torch.float64: 2.0**-40, torch.float32: 2.0**-17}.get(dtype, 2.0**-6)


def rounded(self, decimals):
    return torch.round(self, decimals=decimals)


with Today("composed", __file__) as c:
    for dtype in FLOATING[:2]:
        near = loose(dtype)
        x = c.tensor((2, 5, 3), dtype)
        c("normalize", F.normalize, self=x, within=near)
        c("normalize", F.normalize, self=x, p=3.0, dim=-1, eps=0.5, within=near)
        c("local_response_norm", F.local_response_norm, self=x, size=3, within=near)
        c("local_response_norm", F.local_response_norm, self=c.tensor((2, 4, 2, 3), dtype), size=2, alpha=0.5, beta=0.5, k=2.0, within=near)
        c("local_response_norm", F.local_response_norm, self=c.tensor((4, 4), dtype), size=2)
        c("softmin", lambda self, dim, **k: F.softmin(self, dim, **k), self=x, dim=1, within=near)
        c("softsign", F.softsign, self=x, within=near)
        c("tanhshrink", F.tanhshrink, self=x, within=near)
        target, var = c.tensor((2, 5, 3), dtype), c.tensor((2, 5, 3), dtype, 1, 20)
        for number, word in enumerate(REDUCTIONS):
            c("gaussian_nll_loss", lambda input, target, var, full=False, eps=1e-6, reduction=1:
              F.gaussian_nll_loss(input, target, var, full, eps, REDUCTIONS[reduction]),
              input=x, target=target, var=var, full=number == 1, reduction=number, within=near)
            c("multilabel_soft_margin_loss", lambda self, target, weight=None, reduction=1:
              F.multilabel_soft_margin_loss(self, target, weight, reduction=REDUCTIONS[reduction]),
              self=c.tensor((2, 4), dtype), target=c.tensor((2, 4), torch.bool).to(dtype), weight=c.tensor((4,), dtype, 1, 9), reduction=number, within=near)
        for p, train in ((0.5, False), (0.0, True)):
            for name, function in (("feature_dropout", torch.feature_dropout), ("alpha_dropout", torch.alpha_dropout),
                                   ("feature_alpha_dropout", torch.feature_alpha_dropout)):
                c(name, function, input=x, p=p, train=train)
        c("alpha_dropout", torch.alpha_dropout, input=x, p=1.5, train=True)
        for decimals in (0, 1, 2, -1):
            c("round.decimals", rounded, self=c.tensor((2, 3), dtype, -99, 100), decimals=decimals, within=near)
        c("trapezoid", lambda y, dx=1, dim=-1: torch.trapezoid(y, dx=dx, dim=dim), y=x, dx=0.5, dim=1, within=near)
        c("cumulative_trapezoid", lambda y, dx=1, dim=-1: torch.cumulative_trapezoid(y, dx=dx, dim=dim), y=x, within=near)
        for name in ("trapezoid", "cumulative_trapezoid"):
            function = getattr(torch, name)
            c(name + ".x", lambda y, x, dim=-1: function(y, x, dim=dim), y=x, x=c.tensor((5,), dtype), dim=1, within=near)
            c(name + ".x", lambda y, x, dim=-1: function(y, x, dim=dim), y=x, x=c.tensor((2, 5, 3), dtype), within=near)
        distinct = torch.tensor([[3.0, float("nan"), 1.0, 2.0], [float("nan")] * 4], dtype=dtype)
        c("nanmedian", torch.nanmedian, self=distinct)
        c("nanmedian", torch.nanmedian, self=torch.tensor([4.0, 2.0, 3.0, 9.0], dtype=dtype))
        c("nanmedian.dim", lambda self, dim, keepdim=False: tuple(torch.nanmedian(self, dim, keepdim)), self=distinct[:1], dim=1)
        c("nanmedian.dim", lambda self, dim, keepdim=False: tuple(torch.nanmedian(self, dim, keepdim)),
          self=torch.tensor([[4.0, 2.0, 3.0, 9.0], [1.0, 5.0, 0.0, -1.0]], dtype=dtype), dim=-1, keepdim=True)
        a = c.tensor((4, 2, 2), dtype) + 4 * torch.eye(4, dtype=dtype).reshape(4, 2, 2)
        c("linalg_tensorinv", torch.linalg.tensorinv, self=a, ind=1, within=16 * near)
        c("linalg_tensorinv", torch.linalg.tensorinv, self=a, within=16 * near)
        c("linalg_tensorsolve", torch.linalg.tensorsolve, self=a, other=c.tensor((4,), dtype), within=16 * near)
        c("linalg_tensorsolve", torch.linalg.tensorsolve, self=a, other=c.tensor((2, 2), dtype), dims=[0], within=16 * near)
        c("linalg_tensorsolve", torch.linalg.tensorsolve, self=a, other=c.tensor((3,), dtype))
        low = c.tensor((3, 4), dtype)
        low[0] = -float("inf")
        low[1, 0] = -float("inf")
        c("_safe_softmax", self=low, dim=1, within=near)
        out = torch.softmax(c.tensor((3, 4), dtype), 1)
        c("_softmax_backward_data", grad_output=c.tensor((3, 4), dtype), output=out, dim=1, input_dtype=dtype, within=near)
        c("native_dropout_backward", grad_output=c.tensor((3, 4), dtype), mask=c.tensor((3, 4), torch.bool), scale=2.0)
        for size in (0, 2, 20, -1):
            c("nonzero_static", lambda self, size, **k: torch.nonzero_static(self, size=size, **k), self=c.tensor((3, 4), dtype), size=size, fill_value=7)
        for norm in ("backward", "forward", "ortho"):
            c("fft_ihfftn", lambda self, **k: torch.fft.ihfftn(self, **k), self=c.tensor((3, 4), dtype), norm=norm, within=near)
            c("fft_ihfft2", lambda self, **k: torch.fft.ihfft2(self, **k), self=c.tensor((2, 3, 4), dtype), norm=norm, within=near)
            c("fft_hfftn", lambda self, **k: torch.fft.hfftn(self, **k), self=c.tensor((3, 4), dtype), norm=norm, within=32 * near)
            c("fft_hfft2", lambda self, **k: torch.fft.hfft2(self, **k), self=c.tensor((2, 3, 4), torch.complex128), norm=norm, within=32 * near)
    for dtype in FLOATING[:2] + [torch.int64]:
        x, y, z = c.tensor((2, 3), dtype), c.tensor((2,), dtype), c.tensor((), dtype)
        c("block_diag", lambda tensors: torch.block_diag(*tensors), tensors=[x, y, z])
        c("block_diag", lambda tensors: torch.block_diag(*tensors), tensors=[x])
        c("cartesian_prod", lambda tensors: torch.cartesian_prod(*tensors), tensors=[y, c.tensor((3,), dtype), c.tensor((2,), dtype)])
        c("cartesian_prod", lambda tensors: torch.cartesian_prod(*tensors), tensors=[y])
        for count in (2, 3, 1, 0):
            for again in (False, True):
                c("combinations", lambda self, r=2, with_replacement=False: torch.combinations(self, r, with_replacement),
                  self=c.tensor((4,), dtype), r=count, with_replacement=again)
        c("sum_to_size", lambda self, size: self.sum_to_size(size), self=x, size=[1, 3])
        c("sum_to_size", lambda self, size: self.sum_to_size(size), self=x, size=[3])
        c("sum_to_size", lambda self, size: self.sum_to_size(size), self=x, size=[2])
        c("as_strided_scatter", torch.as_strided_scatter, self=c.tensor((3, 4), dtype), src=c.tensor((2, 2), dtype),
          size=[2, 2], stride=[4, 2], storage_offset=1)
    c.case("empty_permuted", [[0, 2, 3], [2, 0, 1], torch.float64], lambda: torch.empty_permuted((0, 2, 3), (2, 0, 1), dtype=torch.float64))
    c.case("empty_permuted", [[0, 2], [0, 0], torch.float64], lambda: torch.empty_permuted((0, 2), (0, 0)))
    same = torch.tensor([[1.5, -2.0], [0.25, 3.0]])
    c.case("sum_to_size", [same, [2, 2]], lambda: same.sum_to_size(2, 2))
    for dtype in FLOATING[:2] + [torch.int64, torch.complex64]:
        for shape, wrap in (((3, 4), False), ((9, 2), True), ((7, 3), True), ((7, 3), False), ((2, 2, 2), True), ((0, 3), False), ((2, 3, 2), False), ((4,), False)):
            c("fill_diagonal", lambda self, value, **k: self.fill_diagonal_(value, **k), self=c.tensor(shape, dtype), fill_value=3, wrap=wrap)
    for dtype in (torch.complex64, torch.complex128):
        x = c.tensor((2, 3), dtype)
        for size in ([1, 3], [3], [2, 3], [1, 1]):
            c("sum_to_size", lambda self, size: self.sum_to_size(size), self=x, size=size)
