"""Golden cases of factorizations of complex matrices.  Vectors whose phases are free are compared by what they make:
polar factors, pseudoinverses, roots; or of matrices for which there is nothing to choose."""

import torch

from aten_today import Today

NEAR = {torch.complex64: 2.0**-11, torch.complex128: 2.0**-34}


def triangular(self, B, upper, **options):
    return torch.linalg.solve_triangular(self, B, upper=upper, **options)


def best(self, b, **options):
    return tuple(torch.linalg.lstsq(self, b, **options))


def factored(c, dtype):
    near = NEAR[dtype]

    def regular(shape):
        t = c.tensor(shape, dtype)
        n = min(shape[-2:])
        t[..., range(n), range(n)] += 6
        return t.flip(-2)  # rows are exchanged

    for shape in [(3, 3), (2, 2, 2), (4, 2), (2, 4), (0, 2, 3), (2, 0), (2, 0, 0)]:
        a = regular(shape)
        c("linalg_lu_factor_ex", torch.linalg.lu_factor_ex, A=a, within=near)
        c("linalg_lu_factor", torch.linalg.lu_factor, A=a, within=near)
        c("linalg_lu", torch.linalg.lu, A=a, within=near)
        c("linalg_qr", torch.linalg.qr, A=a, within=near)
        for mode in "complete", "r":
            c("linalg_qr", torch.linalg.qr, A=a, mode=mode, within=near)
        c("linalg_svdvals", torch.linalg.svdvals, A=a, within=near)
        c("linalg_matrix_rank", torch.linalg.matrix_rank, self=a)
        for n in 1, 2, float("inf"):
            c("linalg_matrix_norm", torch.linalg.matrix_norm, self=a, ord=n, within=near)
        for name in "fro", "nuc":
            c("linalg_matrix_norm.name", torch.linalg.matrix_norm, self=a, ord=name, within=near)
        if a.numel() > 0:
            c("linalg_pinv", torch.linalg.pinv, self=a, rcond=1e-3, within=near)
            c("linalg_pinv.default", torch.linalg.pinv, self=a, within=near)
            c("pinverse", self=a, within=near)
            for driver in "gels", "gelsd":
                c("linalg_lstsq", best, self=a, b=c.tensor(shape[:-1] + (2,), dtype), driver=driver, within=16 * near)
        if shape[-2] >= shape[-1] > 0:
            c("linalg_polar", A=a, within=16 * near)
            c("geqrf", torch.geqrf, self=a, within=near)
            reflectors, tau = torch.geqrf(a)
            c("linalg_householder_product", torch.linalg.householder_product, input=reflectors, tau=tau, within=near)
        lu, pivots = torch.linalg.lu_factor(a)
        c("lu_unpack", torch.lu_unpack, LU_data=lu, LU_pivots=pivots, within=near)
        if shape[-1] == shape[-2]:
            systems(c, dtype, a, lu, pivots)


def systems(c, dtype, a, lu, pivots):
    near = NEAR[dtype]
    b = c.tensor(a.shape[:-1] + (2,), dtype)
    for adjoint in (False, True):
        c("linalg_lu_solve", torch.linalg.lu_solve, LU=lu, pivots=pivots, B=b, adjoint=adjoint, within=16 * near)
        c("linalg_lu_solve", torch.linalg.lu_solve, LU=lu, pivots=pivots, B=b.mT.contiguous(), left=False, adjoint=adjoint, within=16 * near)
    c("lu_solve", torch.lu_solve, self=b, LU_data=lu, LU_pivots=pivots, within=16 * near)
    c("linalg_det", A=a, within=256 * near)
    c("linalg_slogdet", A=a, within=near)
    c("logdet", self=a, within=near)
    c("linalg_inv_ex", torch.linalg.inv_ex, A=a, within=near)
    c("linalg_solve_ex", torch.linalg.solve_ex, A=a, B=b, within=16 * near)
    c("linalg_matrix_exp", self=a / 8, within=near)
    for n in (0, 3, -2):
        c("linalg_matrix_power", self=a / 4, n=n, within=8 * near)
    c("linalg_eigvals", torch.linalg.eigvals, self=a.flip(-2), within=16 * near)
    for upper in (True, False):
        t = torch.triu(a.flip(-2)) if upper else torch.tril(a.flip(-2))
        c("linalg_solve_triangular", triangular, self=t, B=b, upper=upper, within=16 * near)
        c("linalg_solve_triangular", triangular, self=t, B=b.mT.contiguous(), upper=upper, left=False, unitriangular=True, within=2**10 * near)
        for transpose in (False, True):
            c("triangular_solve", torch.triangular_solve, self=b, A=t, upper=upper, transpose=transpose, within=16 * near)
    if a.numel() == 0:
        return
    for p in (1, 2, float("inf")):
        c("linalg_cond", torch.linalg.cond, self=a, p=p, within=64 * near)
    c("linalg_cond.name", torch.linalg.cond, self=a, p="fro", within=64 * near)
    positive = a @ a.mH + torch.eye(a.shape[-1], dtype=dtype)
    hermitian = a + a.mH
    c("linalg_matrix_sqrth", self=positive, within=16 * near)
    c("linalg_pinv.default", torch.linalg.pinv, self=hermitian, hermitian=True, within=16 * near)
    c("linalg_matrix_rank", torch.linalg.matrix_rank, self=hermitian, hermitian=True)
    if a.dim() == 2:  # its lower triangle, without the diagonal's imaginary part
        c("linalg_pinv", lambda self, rcond, **k: torch.linalg.pinv(self, rtol=rcond, **k), self=a + 1j, rcond=1e-3, hermitian=True, within=64 * near)
    for triangle in "L", "U":
        c("linalg_eigvalsh", torch.linalg.eigvalsh, self=hermitian, UPLO=triangle, within=16 * near)
    for upper in (False, True):
        c("linalg_cholesky", torch.linalg.cholesky, self=positive, upper=upper, within=near)
        c("linalg_cholesky_ex", torch.linalg.cholesky_ex, self=positive, upper=upper, within=near)
        factor = torch.linalg.cholesky(positive, upper=upper)
        c("cholesky_solve", self=b, input2=factor, upper=upper, within=16 * near)
        c("cholesky_inverse", self=factor, upper=upper, within=16 * near)
    for symmetric, flag in ((a + a.mT, False), (hermitian, True)):
        c("linalg_ldl_factor_ex", torch.linalg.ldl_factor_ex, self=symmetric, hermitian=flag, within=near)
        ld, rows = torch.linalg.ldl_factor(symmetric, hermitian=flag)
        c("linalg_ldl_solve", torch.linalg.ldl_solve, LD=ld, pivots=rows, B=b, hermitian=flag, within=16 * near)


def others(c, dtype):
    near = NEAR[dtype]
    ones, eye = torch.ones((2, 2), dtype=dtype), torch.eye(2, dtype=dtype)
    c("linalg_slogdet", A=0 * ones)
    for check in (False, True):
        c("linalg_lu_factor_ex", torch.linalg.lu_factor_ex, A=ones, check_errors=check)
    c("linalg_inv", A=0 * ones)
    c("linalg_cholesky", torch.linalg.cholesky, self=-eye)
    c("linalg_cholesky_ex", torch.linalg.cholesky_ex, self=-eye, check_errors=True)
    c("linalg_solve_triangular", triangular, self=eye, B=c.tensor((3, 2), dtype), upper=True)
    a, b = c.tensor((3, 3), dtype), c.tensor((2, 3, 4), dtype)
    for name in "linalg_eig", "linalg_eigh", "linalg_svd", "linalg_qr", "linalg_det":
        c(name, **{"A" if name[7:] in ("svd", "qr", "det") else "self": c.tensor((3,), dtype)})
    diagonal = torch.diag(torch.tensor([1 + 1j, 2 - 1j, 4j], dtype=dtype))
    c("linalg_eig", torch.linalg.eig, self=diagonal, within=near)
    c("linalg_eigh", torch.linalg.eigh, self=torch.diag(torch.tensor([1.0, 2, 3], dtype=dtype)), within=near)
    c("linalg_vecdot", torch.linalg.vecdot, x=b, y=c.tensor((2, 3, 4), dtype), dim=1, within=near)
    c("linalg_cross", torch.linalg.cross, self=b, other=c.tensor((2, 3, 4), dtype), dim=1, within=near)
    c("cross", torch.cross, self=b, other=c.tensor((2, 3, 4), dtype), dim=1, within=near)
    c("linalg_vander", torch.linalg.vander, x=c.tensor((3,), dtype), N=4, within=64 * near)
    wide = c.tensor((6, 2, 3), dtype)
    c("linalg_tensorinv", torch.linalg.tensorinv, self=wide, ind=1, within=64 * near)
    c("linalg_tensorsolve", torch.linalg.tensorsolve, self=wide, other=c.tensor((6,), dtype), within=64 * near)
    c("inverse", self=a + 3 * torch.eye(3, dtype=dtype), within=near)
    c("det", self=a, within=64 * near)
    reflectors, tau = torch.geqrf(c.tensor((4, 3), dtype))
    c("orgqr", self=reflectors, input2=tau, within=near)
    for transpose in (False, True):
        c("ormqr", self=reflectors, input2=tau, input3=c.tensor((4, 2), dtype), transpose=transpose, within=16 * near)
        c("ormqr", self=reflectors, input2=tau, input3=c.tensor((2, 4), dtype), left=False, transpose=transpose, within=16 * near)


def norms_of_nothing(c, dtype):
    for shape in (2, 0), (0, 2), (3, 0, 0):
        for order in 1, 2, -1, -2, float("inf"), -float("inf"):
            c("linalg_matrix_norm", torch.linalg.matrix_norm, self=torch.zeros(shape, dtype=dtype), ord=order)


with Today("complex_lapack", __file__) as c:
    for dtype in NEAR:
        factored(c, dtype)
        others(c, dtype)
        norms_of_nothing(c, dtype)
    norms_of_nothing(c, torch.float32)
    for shape in (2, 4, 3), (2, 1, 2, 3), (0, 3, 2):
        c("geqrf", torch.geqrf, self=c.tensor(shape, torch.float64), within=2.0**-40)
    for dtype in NEAR | {torch.float32: 2.0**-18, torch.float64: 2.0**-44}:
        near = (NEAR | {torch.float32: 2.0**-18, torch.float64: 2.0**-44})[dtype]
        reflectors, tau = torch.geqrf(c.tensor((2, 3, 4, 2), dtype))
        c("orgqr", self=reflectors, input2=tau, within=16 * near)
        for transpose in (False, True):
            c("ormqr", self=reflectors, input2=tau, input3=c.tensor((2, 3, 4, 2), dtype), transpose=transpose, within=16 * near)
            c("ormqr", self=reflectors, input2=tau, input3=c.tensor((2, 3, 1, 4), dtype), left=False, transpose=transpose, within=16 * near)
        c("ormqr", self=reflectors, input2=tau, input3=c.tensor((3, 4, 2), dtype))
        c("ormqr", self=reflectors, input2=tau, input3=c.tensor((1, 3, 4, 2), dtype))
