"""Golden cases of src/ops/aten/linalg.ops.  Factors whose sign is free are compared by matrices whose
factors PyTorch and LAPACK agree on."""

import math

import torch

from aten_today import FLOATING, Today

A = torch.ops.aten


def triangular(self, B, upper, **options):
    return torch.linalg.solve_triangular(self, B, upper=upper, **options)


def loose(dtype):
    return {torch.float64: 2.0**-30, torch.float32: 2.0**-11}.get(dtype, 2.0**-4)


with Today("linalg", __file__) as c:
    r = c.random

    def regular(shape, dtype):
        """Matrices with large diagonals."""
        t = c.tensor(shape, dtype)
        n = min(shape[-2:])
        t[..., range(n), range(n)] += 6
        return t

    def positive(shape, dtype):
        t = c.tensor(shape, dtype)
        return t @ t.mT + 2 * torch.eye(shape[-1], dtype=dtype)

    for dtype in FLOATING[:2]:
        near = loose(dtype)
        for shape in [(3, 3), (2, 4, 4), (1, 1), (2, 1, 2, 2), (0, 3, 3), (3, 2)]:
            a = regular(shape, dtype)
            c("linalg_det", A=a, within=256 * near)
            c("linalg_slogdet", A=a, within=near)
            c("logdet", self=a, within=near)
            c("linalg_inv", A=a, within=near)
            c("linalg_cholesky", self=positive(shape, dtype) if shape[-1] == shape[-2] else a, within=near)
            c("linalg_matrix_exp", self=a / 8, within=near)
            for n in (0, 1, 3, -2):
                c("linalg_matrix_power", self=a / 4, n=n, within=8 * near)
            if shape[-1] != shape[-2]:
                continue
            s = positive(shape, dtype)
            c("linalg_cholesky", self=s, upper=True, within=near)
            c("linalg_eigvalsh", self=s, within=8 * near)
            c("linalg_eigvalsh", self=s, UPLO="U", within=8 * near)
            f = torch.linalg.cholesky(s)
            b = c.tensor(shape[:-1] + (2,), dtype)
            c("cholesky_solve", self=b, input2=f, within=near)
            c("cholesky_solve", self=b, input2=f.mT.contiguous(), upper=True, within=near)
            c("cholesky_inverse", self=f, within=near)
            c("linalg_solve", A=a, B=b, within=near)
            c("linalg_solve", A=a, B=b.mT.contiguous(), left=False, within=near)
            c("linalg_solve", A=a, B=c.tensor(shape[:-1], dtype), within=near)
            c("linalg_solve", A=a, B=c.tensor((2,) * (len(shape) > 3) + (3, 3), dtype), within=near)
            for upper in (True, False):
                t = torch.triu(a) if upper else torch.tril(a)
                c("linalg_solve_triangular", triangular, self=t, B=b, upper=upper, within=near)
                c("linalg_solve_triangular", triangular, self=t, B=b.mT.contiguous(), upper=upper, left=False, within=near)
                c("linalg_solve_triangular", triangular, self=t, B=b, upper=upper, unitriangular=True, within=64 * near)
        singular = torch.ones((3, 3), dtype=dtype)
        c("linalg_det", A=singular - torch.eye(3, dtype=dtype) * 0, within=near)
        c("linalg_slogdet", A=torch.zeros((2, 2), dtype=dtype))
        c("linalg_inv", A=torch.zeros((2, 2), dtype=dtype))
        c("logdet", self=torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=dtype))
        c("linalg_cholesky", self=-torch.eye(2, dtype=dtype))
        for shape in [(0, 0), (0, 3), (2, 3, 0)]:
            c("linalg_matrix_rank", self=torch.zeros(shape, dtype=dtype))
        for shape in [(3, 3), (4, 2), (2, 4), (2, 3, 2), (2, 2, 3)]:
            a = regular(shape, dtype)
            c("linalg_svdvals", A=a, within=near)
            c("linalg_pinv", self=a, rcond=1e-3, within=near)
            c("linalg_pinv.default", lambda self: torch.linalg.pinv(self), self=a, within=near)
            c("pinverse", self=a, within=near)
            c("linalg_matrix_rank", self=a)
            c("linalg_matrix_rank", self=a, tol=5.0)
            for name in ("linalg_matrix_norm", "linalg_norm"):
                for order in (1, -1, 2, -2, math.inf, -math.inf, 3):
                    if name == "linalg_matrix_norm" or a.dim() == 2:
                        c(name, getattr(A, name).default, self=a, ord=order, within=near)
                c(name, getattr(A, name).default, self=a, ord=2, dim=[0, -1], keepdim=True, within=near)
                for order in ("fro", "nuc", "max"):
                    if name == "linalg_matrix_norm" or a.dim() == 2:
                        c(name + ".name", getattr(A, name).str_ord if name == "linalg_matrix_norm" else A.linalg_norm.ord_str, self=a, ord=order, within=near)
                c(name + ".name", getattr(A, name).str_ord if name == "linalg_matrix_norm" else A.linalg_norm.ord_str, self=a, ord="fro", dim=[-1, 0], keepdim=True, within=near)
            c("linalg_norm", self=a, within=near)
            c("linalg_norm", self=a, ord=3, dim=[1], within=near)
            # Signs are LAPACK's; U and Vh beyond the rank are free, so that only square matrices are compared in full.
            c("linalg_qr", A=a, within=near)
            c("linalg_qr", A=a, mode="r", within=near)
            c("linalg_qr", A=a, mode="all", within=near)
            plain = torch.zeros(shape, dtype=dtype) # whose factors have no free signs
            for i in range(min(shape[-2:])):
                plain[..., i, i] = 4 - i
            c("linalg_svd", A=plain, full_matrices=False, within=near)
            if shape[-1] == shape[-2]:
                c("linalg_qr", A=a, mode="complete", within=near)
                c("linalg_svd", A=plain, within=near)
                c("linalg_eigh", self=positive(shape, dtype), within=near)
                c("linalg_eigh", self=positive(shape, dtype), UPLO="U", within=near)
        c("linalg_qr", A=regular((4, 3), dtype), mode="complete", within=near)
        c("linalg_vecdot", x=c.tensor((2, 3), dtype), y=c.tensor((3,), dtype), within=near)
        c("linalg_vecdot", x=c.tensor((2, 3), dtype), y=c.tensor((2, 3), dtype), dim=0, within=near)
        c("linalg_cross", self=c.tensor((2, 3), dtype), other=c.tensor((2, 3), dtype), within=near)
        c("linalg_cross", self=c.tensor((3, 2), dtype), other=c.tensor((3, 1), dtype), dim=0, within=near)
        c("linalg_cross", self=c.tensor((2, 2), dtype), other=c.tensor((2, 2), dtype))
    for dtype in FLOATING + [torch.int64]:
        near = loose(dtype) if dtype.is_floating_point else None
        c("linalg_vander", x=c.tensor((3,), dtype, -4, 5), within=near)
        c("linalg_vander", x=c.tensor((2, 2), dtype, -4, 5), N=4, within=near)
        c("linalg_vander", x=torch.tensor(3, dtype=dtype), N=2, within=near)
        a, b, d = c.tensor((2, 3), dtype), c.tensor((3, 4), dtype), c.tensor((4, 2), dtype)
        c("linalg_multi_dot", tensors=[a, b, d], within=8 * near if near else None)
        c("linalg_multi_dot", tensors=[c.tensor((3,), dtype), b, c.tensor((4,), dtype)], within=8 * near if near else None)
        c("linalg_multi_dot", tensors=[a, d])
    for dtype in FLOATING[2:]:
        c("linalg_matrix_power", self=c.tensor((2, 2), dtype), n=2, within=loose(dtype))
        c("linalg_matrix_norm.name", A.linalg_matrix_norm.str_ord, self=c.tensor((2, 2), dtype), within=loose(dtype))
        c("linalg_norm", self=c.tensor((2, 2), dtype), within=loose(dtype))
    for shape in [(0, 3), (3, 0), (0, 0), (2, 0, 3), (0, 2, 3)]:
        a = torch.zeros(shape)
        c("pinverse", self=a)
        c("linalg_pinv", self=a, rcond=1e-3)
        c("linalg_pinv.default", lambda self: torch.linalg.pinv(self), self=a)
