"""Golden cases of complex numbers, of rows that are for real ones too."""

import torch
import torch.nn.functional as F

from aten_today import Today

NEAR = {torch.complex64: 2.0**-17, torch.complex128: 2.0**-40}


def moves(c, dtype):
    x, y, v = c.tensor((3, 4), dtype), c.tensor((3, 4), dtype), c.tensor((3,), dtype)
    for name in "triu", "tril":
        c(name, self=x, diagonal=1)
        c(name, self=x, diagonal=-1)
    c("diag", self=v, diagonal=1)
    c("diag", self=x)
    c("rot90", self=x, k=1, dims=[0, 1])
    c("repeat_interleave", self=x, repeats=2, dim=1)
    c("take_along_dim", self=x, indices=torch.tensor([[1, 3], [0, 0], [2, 1]]), dim=1)
    c("channel_shuffle", self=c.tensor((1, 4, 2, 2), dtype), groups=2)
    for name in "atleast_1d", "atleast_2d", "atleast_3d":
        c(name, self=v)
    c("pad", F.pad, self=x, pad=[1, 2, 0, -1])
    for mode in "reflect", "replicate", "circular":
        c("pad", F.pad, self=x.reshape(1, 3, 4), pad=[2, 1], mode=mode)
    c("block_diag", lambda tensors: torch.block_diag(*tensors), tensors=[x, v])
    c("cartesian_prod", lambda tensors: torch.cartesian_prod(*tensors), tensors=[v, c.tensor((2,), dtype)])
    c("combinations", lambda self, r=2, with_replacement=False: torch.combinations(self, r, with_replacement), self=v, r=2)
    c("as_strided_scatter", torch.as_strided_scatter, self=x, src=c.tensor((2, 2), dtype), size=[2, 2], stride=[4, 2], storage_offset=1)
    holes = x.clone()
    holes[0, 1:] = 0
    for name in "argwhere", "logical_not", "count_nonzero":
        c(name, self=holes)
    for name in "logical_and", "logical_or", "logical_xor":
        c(name, self=holes, other=y)
    near = x.clone()
    near[0, 0] += 1
    c("isclose", self=x, other=near)
    c("gradient.scalararray", lambda self, **k: torch.gradient(self, spacing=k["spacing"], dim=k["dim"]), self=x, spacing=[2.0], dim=[0])
    c("cumulative_trapezoid", torch.cumulative_trapezoid, y=x, dim=1, within=NEAR[dtype])
    c("dropout", torch.dropout, input=x, p=0.5, train=False)


def numbers(c, dtype):
    near = NEAR[dtype]
    x, y, v, w = c.tensor((3, 4), dtype), c.tensor((3, 4), dtype), c.tensor((3,), dtype), c.tensor((4,), dtype)
    c("trace", self=x, within=near)
    c("lerp", self=x, end=y, weight=0.25, within=near)
    c("diff", self=x, n=1, dim=0, within=near)
    c("trapezoid", torch.trapezoid, y=x, dim=1, within=near)
    c("linalg_multi_dot", lambda tensors: torch.linalg.multi_dot(tensors), tensors=[x, y.T.contiguous(), x], within=8 * near)
    c("pairwise_distance", F.pairwise_distance, x1=x, x2=y, within=near)
    c("dist", torch.dist, self=x, other=y, p=2, within=near)
    for order in 2, 1, 3, float("inf"):
        c("linalg_vector_norm", self=x, ord=order, dim=[1], within=near)
    c("linalg_vector_norm", self=x, within=near)
    c("linalg_norm", torch.linalg.norm, self=x, within=near)
    for order in 1, float("inf"):
        c("linalg_matrix_norm", torch.linalg.matrix_norm, self=x, ord=order, within=near)
    for name in "var", "std":
        call = getattr(torch, name)
        c(name, call, self=x, unbiased=True, within=near)
        c(name + ".dim", lambda self, dim, **k: call(self, dim, **k), self=x, dim=[1], unbiased=False, keepdim=True, within=near)
        c(name + ".correction", lambda self, **k: call(self, **k), self=x, dim=[0], correction=2, within=near)
        both = getattr(torch, name + "_mean")
        c(name + "_mean.dim", lambda self, dim, **k: both(self, dim, **k), self=x, dim=[1], unbiased=True, within=near)


def systems(c, dtype):
    near = 64 * NEAR[dtype]
    a = c.tensor((2, 3, 3), dtype) + 3 * torch.eye(3, dtype=dtype)
    c("linalg_solve", torch.linalg.solve, A=a, B=c.tensor((2, 3, 2), dtype), within=near)
    c("linalg_solve", torch.linalg.solve, A=a[0], B=c.tensor((3,), dtype), within=near)
    c("linalg_solve", torch.linalg.solve, A=a, B=c.tensor((2, 4, 3), dtype), left=False, within=near)
    c("linalg_inv", torch.linalg.inv, A=a, within=near)
    c("linalg_inv_ex", torch.linalg.inv_ex, A=a, within=near)
    c("linalg_solve_ex", torch.linalg.solve_ex, A=a, B=c.tensor((2, 3, 2), dtype), within=near)


def convolutions(c, dtype):
    near = 16 * NEAR[dtype]
    for axes in 1, 2, 3:
        image, weight = c.tensor((2, 4, 5, 6, 4)[: 2 + axes], dtype), c.tensor((6, 2, 3, 2, 2)[: 2 + axes], dtype)
        bias, full = c.tensor((6,), dtype), c.tensor((4, 3, 3, 2, 2)[: 2 + axes], dtype)
        c(f"conv{axes}d", input=image, weight=weight, bias=bias, stride=[2, 1, 1][:axes], padding=[1, 0, 1][:axes], groups=2, within=near)
        c(f"conv{axes}d", input=image, weight=c.tensor((1, 4, 2, 2, 2)[: 2 + axes], dtype), dilation=[2] * axes, within=near)
        c(f"conv_transpose{axes}d", input=image, weight=full, bias=bias, stride=[2, 1, 1][:axes], groups=2, within=near)


with Today("complex_rows", __file__) as c:
    for dtype in NEAR:
        moves(c, dtype)
        numbers(c, dtype)
        systems(c, dtype)
        convolutions(c, dtype)
    for dtype in NEAR:
        x, near = c.tensor((3, 4), dtype), 16 * NEAR[dtype]
        c("softsign", torch.nn.functional.softsign, self=x, within=near)
        c("tanhshrink", torch.nn.functional.tanhshrink, self=x, within=near)
        for name in "trapezoid", "cumulative_trapezoid":
            c(name, getattr(torch, name), y=x, dx=0.5, dim=0, within=near)
            c(name + ".x", lambda y, x, dim, name=name: getattr(torch, name)(y, x, dim=dim), y=x, x=c.tensor((4,), dtype), dim=1, within=near)
    for dtype in NEAR:
        x, y, v, near = c.tensor((3, 4), dtype), c.tensor((3, 4), dtype), c.tensor((3,), dtype), 32 * NEAR[dtype]
        mask = torch.tensor([[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1]]).bool()
        for name in "sum", "prod", "mean", "var", "std":
            call = getattr(torch.masked, name)
            c("masked_" + name, lambda self, call=call, **k: call(self, **k), self=x, dim=[1], mask=mask, within=near, type=dtype)
        for name in "cumsum", "cumprod":
            call = getattr(torch.masked, name)
            c("masked_" + name, lambda self, dim, call=call, **k: call(self, dim, **k), self=x, dim=1, mask=mask, within=near)
        c("masked_normalize", lambda self, ord, dim, **k: torch.masked.normalize(self, ord, dim, **k), self=x, ord=2.0, dim=1, mask=mask, within=near)
        c("silu", F.silu, self=x, within=near)
        holes = x.clone()
        holes[1, 2] = 0
        c("sinc", self=holes, within=near)
        holes[0, 1], holes[2, 2] = complex(float("nan"), float("inf")), complex(float("-inf"), 3)
        c("nan_to_num", self=holes)
        c("nan_to_num", self=holes, nan=2.0, posinf=3.0, neginf=-4.0)
        c("float_power", self=x, exponent=y, within=near)
        c("float_power.scalar", torch.float_power, self=x, exponent=2.5, within=near)
        c("float_power.base", torch.float_power, self=1.5, exponent=x, within=near)
        c("ldexp", self=x, other=torch.tensor([1, 2, -3, 0]), within=near)
        c("logaddexp", self=x, other=y, within=near)
        c("addr", self=x, vec1=v, vec2=c.tensor((4,), dtype), beta=2, alpha=3, within=near)
        c("logsumexp", self=x, dim=[1], within=near)
        c("logsumexp", self=x, dim=[0, 1], keepdim=True, within=near)
        c("renorm", self=x, p=2, dim=1, maxnorm=2.0, within=near)
        c("l1_loss.reduction", lambda self, target, **k: F.l1_loss(self, target), self=x, target=y, within=near)
        c("rms_norm", torch.rms_norm, input=x, normalized_shape=[4], within=near)
        c("normalize", F.normalize, self=x, p=2.0, dim=1, within=near)
        image = c.tensor((1, 2, 4, 5), dtype)
        window = dict(kernel_size=[2, 3], dilation=[1, 1], padding=[1, 0], stride=[2, 1])
        c("im2col", torch.ops.aten.im2col, self=image, **window)
        c("col2im", torch.ops.aten.col2im, self=torch.ops.aten.im2col(image, **window), output_size=[4, 5], **window, within=near)
        for name in "feature_dropout", "alpha_dropout", "feature_alpha_dropout", "dropout":
            c(name, getattr(torch, name), input=x, p=0.5, train=False)
        c("triplet_margin_loss", lambda anchor, positive, negative: F.triplet_margin_loss(anchor, positive, negative), anchor=x, positive=y, negative=c.tensor((3, 4), dtype), within=near)
        c("cov", self=x, within=near)
        c("cov", self=x, correction=0, fweights=torch.tensor([1, 2, 1, 3]), aweights=torch.tensor([1.0, 0.5, 2.0, 1.5], dtype=torch.float64).to(x.real.dtype), within=near)
        c("corrcoef", self=x, within=near)
        single, index = c.tensor((), dtype), torch.tensor([0])
        c("index_select", self=single, dim=0, index=index)
        c("index_copy", self=single, dim=0, index=index, source=v[:1])
        c("index_add", self=single, dim=0, index=torch.tensor(0), source=v[0], alpha=2)
        c("gather", self=single, dim=0, index=index)
        c("scatter", self=single, dim=0, index=index, src=v[:1])
        c("logcumsumexp", self=x, dim=1, within=near)
        c("logcumsumexp", self=60 * x, dim=0, within=near)
        c("logcumsumexp", self=single, dim=0)
        c("logcumsumexp", self=x, dim=2)
        c("logcumsumexp", self=x, dim=-3)
        c("stft.center", lambda self, n_fft, **k: torch.stft(self, n_fft, return_complex=False), self=c.tensor((20,), dtype), n_fft=8, within=near,
          return_complex=False)
    for dtype in NEAR:
        near = NEAR[dtype]
        x, y = c.tensor((3, 4), dtype), c.tensor((3, 4), dtype)
        c("_stft_frames", lambda self, n_fft, **k: torch.stft(self, n_fft, center=False, onesided=False, return_complex=True), self=c.tensor((20,), dtype), n_fft=8, within=near,
          onesided=False)
        for weight in c.tensor((4,), dtype), c.tensor((), dtype):
            c("lerp.tensor", torch.lerp, self=x, end=y, weight=weight, within=near)
    for dtype in NEAR:
        x = c.tensor((3, 4), dtype)
        for name in "softmax", "log_softmax":  # without a real type there is none
            c(name, getattr(torch, name), self=x, dim=1)
            c(name, getattr(torch, name), self=x, dim=1, type=torch.float64, within=NEAR[torch.complex128])
            c(name, getattr(torch, name), self=x, dim=0, type=torch.float32, within=NEAR[torch.complex64])
