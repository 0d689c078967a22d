"""Golden cases of symmetric matrices: their factors L D L', what these solve, pseudoinverses and ranks of a triangle; and of
decompositions of low rank, of which the random vectors decide all but sizes."""

import torch

from aten_today import Today


def loose(dtype):
    return {torch.float64: 2.0**-34, torch.float32: 2.0**-12}[dtype]


def pseudoinverse(self, rcond=None, **options):
    return torch.linalg.pinv(self, **({} if rcond is None else {"rtol": rcond}), **options)


with Today("ldl", __file__) as c:
    for dtype in (torch.float32, torch.float64):
        near = loose(dtype)

        def symmetric(shape):
            t = c.tensor(shape, dtype)
            return t + t.mT

        blocks = torch.tensor([[0.0, 2.0, 1.0], [2.0, 0.0, -1.0], [1.0, -1.0, 3.0]], dtype=dtype)  # D has a block of 2 x 2
        for a in (symmetric((3, 3)), symmetric((2, 4, 4)), blocks, symmetric((2, 1, 2, 2)), symmetric((0, 2, 2)), symmetric((0, 0)), symmetric((1, 1))):
            c("linalg_ldl_factor_ex", torch.linalg.ldl_factor_ex, self=a, within=near)
            c("linalg_ldl_factor", torch.linalg.ldl_factor, self=a, hermitian=True, within=near)
            ld, pivots = torch.linalg.ldl_factor(a)
            ld = ld.contiguous()
            if a.shape[-1] == 0:  # PyTorch's own ldl_solve divides by 0
                continue
            b = c.tensor(a.shape[:-1] + (2,), dtype)
            c("linalg_ldl_solve", torch.linalg.ldl_solve, LD=ld, pivots=pivots, B=b, within=2**8 * near)
            c("linalg_ldl_solve", torch.linalg.ldl_solve, LD=ld, pivots=pivots, B=c.tensor((a.shape[-1], 3), dtype), hermitian=True, within=2**8 * near)
        triangle = symmetric((3, 3)).tril()  # the rest is not read
        c("linalg_ldl_factor_ex", torch.linalg.ldl_factor_ex, self=triangle + torch.ones((3, 3), dtype=dtype).triu(1), within=near)
        ld, pivots = torch.linalg.ldl_factor(symmetric((2, 3, 3)))
        ld = ld.contiguous()
        c("linalg_ldl_solve", torch.linalg.ldl_solve, LD=ld, pivots=pivots, B=c.tensor((2, 2, 1), dtype))
        zeros = torch.zeros((2, 2), dtype=dtype)
        c("linalg_ldl_factor_ex", torch.linalg.ldl_factor_ex, self=zeros)
        c("linalg_ldl_factor_ex", torch.linalg.ldl_factor_ex, self=zeros, check_errors=True)
        c("linalg_ldl_factor", torch.linalg.ldl_factor, self=zeros)
        c("linalg_ldl_factor_ex", torch.linalg.ldl_factor_ex, self=c.tensor((2, 3), dtype))

        for shape in ((3, 3), (2, 2, 2), (0, 0), (2, 0, 0)):
            a = c.tensor(shape, dtype)
            if a.numel() > 0:
                a[..., 0, 0] += 4
            c("linalg_pinv.default", pseudoinverse, self=a, hermitian=True, within=16 * near)
            c("linalg_pinv", pseudoinverse, self=a, rcond=0.25, hermitian=True, within=16 * near)
            c("linalg_pinv.atol_rtol_float", pseudoinverse, self=a, hermitian=True, atol=0.5, within=16 * near)
            if a.numel() > 0:
                c("linalg_matrix_rank", lambda self, **k: torch.linalg.matrix_rank(self, **k), self=a, hermitian=True)
        tall = torch.tensor([[4.0, 0.0], [0.0, 1.0], [0.0, 0.0]], dtype=dtype)
        for options in ({}, {"atol": 0.5}, {"rtol": 0.125}, {"atol": 0.5, "rtol": 0.125}, {"atol": 0.0}):
            c("linalg_pinv.atol_rtol_float", pseudoinverse, self=tall, within=near, **options)
        for options in ({"atol": 2.0}, {"rtol": 0.5}):
            c("linalg_pinv.atol_rtol_float", pseudoinverse, self=tall[:2].contiguous(), hermitian=True, within=near, **options)
        c("linalg_pinv.default", pseudoinverse, self=tall, hermitian=True)
        lower = torch.tensor([[1.0, 7.0], [1.0, 1.0]], dtype=dtype)  # of rank 1 by its lower triangle
        c("linalg_matrix_rank", lambda self, **k: torch.linalg.matrix_rank(self, **k), self=lower, hermitian=True)
        c("linalg_matrix_rank", lambda self, **k: torch.linalg.matrix_rank(self, **k), self=lower)

        for shape in ((4, 3), (2, 3, 5)):
            a = c.tensor(shape, dtype)
            c("svd_lowrank", torch.svd_lowrank, A=a, q=0)
            c("svd_lowrank", torch.svd_lowrank, A=a, q=0, niter=0, M=c.tensor(shape[-1:], dtype))
            c("pca_lowrank", torch.pca_lowrank, A=a, q=0)
            c("pca_lowrank", torch.pca_lowrank, A=a, q=7)
            c("pca_lowrank", torch.pca_lowrank, A=a, q=-1)
            c("pca_lowrank", torch.pca_lowrank, A=a, niter=-1)
