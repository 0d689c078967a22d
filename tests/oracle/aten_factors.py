"""Golden cases of src/ops/aten/factors.ops, of histograms, and of what is computed along several dimensions."""

import torch

from aten_today import Today


def loose(dtype):
    return {torch.float64: 2.0**-34, torch.float32: 2.0**-12}[dtype]


def named(function, *positional):
    """The function, which has other names for its arguments or takes them by position."""
    return lambda *given, **options: function(*given, *[options.pop(n) for n in positional if n in options], **options)


def eig(self):
    """Of matrices for which LAPACKs agree in the signs of the vectors, which are free."""
    return tuple(torch.linalg.eig(self))


with Today("factors", __file__) as c:
    for dtype in (torch.float32, torch.float64):
        near = loose(dtype)

        def regular(shape):
            t = c.tensor(shape, dtype)
            n = min(shape[-2:])
            t[..., range(n), range(n)] += 6
            return t.flip(-2)  # rows are exchanged

        for shape in [(3, 3), (2, 2, 2), (4, 2), (2, 4), (2, 1, 3, 2), (0, 2, 3), (2, 0)]:
            a = regular(shape)
            c("linalg_lu_factor_ex", torch.linalg.lu_factor_ex, A=a, within=near)
            c("linalg_lu_factor", torch.linalg.lu_factor, A=a, within=near)
            c("linalg_lu", torch.linalg.lu, A=a, within=near)
            lu, pivots = torch.linalg.lu_factor(a)
            c("lu_unpack", torch.lu_unpack, LU_data=lu, LU_pivots=pivots, within=near)
            c("lu_unpack", torch.lu_unpack, LU_data=lu, LU_pivots=pivots, unpack_data=False)
            if shape[-1] != shape[-2]:
                continue
            b = c.tensor(shape[:-1] + (2,), dtype)
            for adjoint in (False, True):
                c("linalg_lu_solve", torch.linalg.lu_solve, LU=lu, pivots=pivots, B=b, adjoint=adjoint, within=16 * near)
                c("linalg_lu_solve", torch.linalg.lu_solve, LU=lu, pivots=pivots, B=b.mT.contiguous(), left=False, adjoint=adjoint, within=16 * near)
            c("lu_solve", torch.lu_solve, self=b, LU_data=lu, LU_pivots=pivots, within=16 * near)
            c("linalg_inv_ex", torch.linalg.inv_ex, A=a, within=near)
            c("linalg_solve_ex", torch.linalg.solve_ex, A=a, B=b, within=16 * near)
            c("linalg_solve_ex", torch.linalg.solve_ex, A=a, B=b.mT.contiguous(), left=False, within=16 * near)
            c("linalg_solve_ex", torch.linalg.solve_ex, A=a, B=c.tensor(shape[:-1], dtype), within=16 * near)
            s = a @ a.mT + torch.eye(shape[-1], dtype=dtype)
            c("linalg_cholesky_ex", torch.linalg.cholesky_ex, self=s, within=near)
            c("linalg_cholesky_ex", torch.linalg.cholesky_ex, self=s, upper=True, within=near)
            c("linalg_matrix_sqrth", self=s, within=16 * near)
            for upper in (True, False):
                for transpose in (False, True):
                    c("triangular_solve", torch.triangular_solve, self=b, A=a.flip(-2).contiguous(), upper=upper, transpose=transpose, within=16 * near)
            c("triangular_solve", torch.triangular_solve, self=b, A=a.flip(-2).contiguous(), unitriangular=True, within=2**10 * near)
            for p in (1, -1, 2, -2, float("inf")):
                c("linalg_cond", torch.linalg.cond, self=a, p=p, within=64 * near)
            c("linalg_cond", torch.linalg.cond, self=a, within=64 * near)
            for p in ("fro", "nuc"):
                c("linalg_cond.name", torch.linalg.cond, self=a, p=p, within=64 * near)
        singular = torch.ones((2, 2), dtype=dtype)
        c("linalg_lu_factor_ex", torch.linalg.lu_factor_ex, A=singular)
        c("linalg_lu_factor_ex", torch.linalg.lu_factor_ex, A=singular, check_errors=True)
        c("linalg_lu_factor_ex", torch.linalg.lu_factor_ex, A=singular, pivot=False)
        c("linalg_lu_factor", torch.linalg.lu_factor, A=singular)
        c("linalg_cond", torch.linalg.cond, self=torch.zeros((2, 2), dtype=dtype), p=1)
        for function in ("inv_ex", "cholesky_ex"):
            argument = "A" if function == "inv_ex" else "self"
            c("linalg_" + function, getattr(torch.linalg, function), **{argument: -singular}, check_errors=True)
        two = torch.stack([2 * torch.eye(2, dtype=dtype), singular])

        def inverse_or_nan(A):
            inverse, info = torch.linalg.inv_ex(A)
            inverse[1] = float("nan")
            return inverse, info
        c("linalg_inv_ex", inverse_or_nan, A=two)

        def factor_or_nan(self):
            factor, info = torch.linalg.cholesky_ex(self)
            factor[1] = float("nan")
            return factor, info
        c("linalg_cholesky_ex", factor_or_nan, self=torch.stack([two[0], -two[0]]))
        c("linalg_lu_solve", torch.linalg.lu_solve, LU=two[0], pivots=torch.tensor([1, 7], dtype=torch.int32), B=two[1])
        for shape in [(3, 3), (4, 2), (2, 3, 2), (2, 0)]:
            a = c.tensor(shape, dtype)
            reflectors, tau = torch.geqrf(a)
            c("linalg_householder_product", torch.linalg.householder_product, input=reflectors, tau=tau, within=near)
            c("linalg_householder_product", torch.linalg.householder_product, input=reflectors, tau=tau[..., :1].contiguous(), within=near)
            c("linalg_polar", A=regular(shape), within=16 * near)

        def best(*given, **options):
            return tuple(torch.linalg.lstsq(*given, **options))
        for shape in [(4, 2), (3, 3), (2, 4), (2, 3, 2)]:
            a, b = regular(shape), c.tensor(shape[:-1] + (2,), dtype)
            for driver in ("gels", "gelsy", "gelsd", "gelss"):
                c("linalg_lstsq", best, self=a, b=b, driver=driver, within=16 * near)
        low = torch.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], dtype=dtype)
        c("linalg_lstsq", best, self=low, b=c.tensor((3, 2), dtype), within=16 * near)
        c("linalg_lstsq", best, self=low, b=c.tensor((3, 1), dtype), rcond=1e-3, driver="gelsd", within=2**10 * near)
        c("linalg_lstsq", best, self=low, b=c.tensor((2, 1), dtype))
        diagonal = torch.diag(torch.tensor([1.0, 2.0, 4.0], dtype=dtype))
        turn, other = torch.tensor([[0.0, 1.0], [-4.0, 0.0]], dtype=dtype), torch.tensor([[2.0, -1.0], [5.0, 1.0]], dtype=dtype)
        for a in (diagonal, turn, torch.stack([other, diagonal[1:, 1:]]), torch.zeros((0, 2, 2), dtype=dtype)):
            c("linalg_eig", eig, self=a, within=near)
            c("linalg_eigvals", torch.linalg.eigvals, self=a, within=near)
        c("linalg_eigvals", torch.linalg.eigvals, self=c.tensor((2, 3), dtype))

        x, w = c.tensor((3, 7), dtype), c.tensor((3, 7), dtype)
        for density in (False, True):
            c("histogram", named(torch.histogram, "bins"), self=x, bins=5, density=density, within=near)
            c("histogram", named(torch.histogram, "bins"), self=x, bins=3, range=[-1.0, 1.0], weight=w, density=density, within=near)
            edges = torch.tensor([-2.0, -0.5, 0.25, 1.5], dtype=dtype)
            c("histogram.bins_tensor", torch.histogram, self=x, bins=edges, weight=w.abs(), density=density, within=near)
            points = c.tensor((4, 5, 2), dtype)
            weight = c.tensor((4, 5), dtype, 1, 9)
            c("_histogramdd_bin_edges", self=points, bins=[2, 3], within=near)
            c("_histogramdd_from_bin_cts", self=points, bins=[2, 3], weight=weight, density=density, within=near)
            c("_histogramdd_from_bin_cts", self=points, bins=[3, 2], range=[-1.0, 1.0, 0.0, 2.0], within=near)
            c("_histogramdd_from_bin_tensors", self=points, bins=[edges, edges[1:].contiguous()], density=density, within=near)
        c("histogram", named(torch.histogram, "bins"), self=torch.full((2,), 3.0, dtype=dtype), bins=2)
        c("histogram", named(torch.histogram, "bins"), self=x, bins=0)
        c("histogram", named(torch.histogram, "bins"), self=x, bins=2, range=[1.0, 0.0])
        c("_histogramdd_bin_edges", self=points, bins=[2])
    for dtype in (torch.float32, torch.float64, torch.int64):
        near = loose(dtype) if dtype.is_floating_point else 2.0**-12
        x = c.tensor((4, 3), dtype)
        for order in (1, 2):
            c("gradient.scalararray", lambda self, **k: torch.gradient(self, **k), self=x, edge_order=order, within=near)
            c("gradient.scalararray", lambda self, **k: torch.gradient(self, **k), self=x, spacing=[0.5, 2.0], dim=[1, 0], edge_order=order, within=near)
            c("gradient.scalararray", lambda self, **k: torch.gradient(self, **{**k, "spacing": 0.5}), self=x, spacing=[0.5], dim=[-1], edge_order=order, within=near)
            c("gradient.scalararray", lambda self, **k: torch.gradient(self, **{**k, "spacing": 0.5}), self=x, spacing=[0.5], dim=[1, -1])
        at = [torch.tensor([0.0, 1.0, 1.5, 4.0]), torch.tensor([-1.0, 0.5, 1.0])]
        at = [t.to(dtype if dtype.is_floating_point else torch.float32) for t in at]
        for order in (1, 2):
            c("gradient.tensorarray", lambda self, spacing, **k: torch.gradient(self, spacing=spacing, **k), self=x, spacing=at, edge_order=order, within=near)
        c("gradient.scalararray", lambda self, **k: torch.gradient(self, **k), self=c.tensor((1, 3), dtype))
        c("split_with_sizes_copy", self=x, split_sizes=[1, 2], dim=1)
        c("split_with_sizes_copy", self=x, split_sizes=[1, 2], dim=0)
        c("unbind_copy", self=x)
        c("unbind_copy", self=x, dim=-1)
        x, y = c.tensor((1, 3, 2), dtype), c.tensor((2, 1, 4), dtype)
        c("tensordot", self=x, other=y, dims_self=[0, 1], dims_other=[0, 1], within=near)
        c("tensordot", self=x, other=y, dims_self=[1, -1], dims_other=[-2, 0], within=near)
        c("tensordot", self=x, other=y, dims_self=[1], dims_other=[2])
        if dtype.is_floating_point:
            shape = {"kernel_size": [2, 2], "dilation": [1, 1], "padding": [0, 0], "stride": [1, 1]}
            c("im2col", self=torch.zeros((0, 1, 3, 4), dtype=dtype), **shape)
            c("im2col", self=torch.zeros((0, 1, 0, 4), dtype=dtype), **shape)
            c("col2im", self=torch.zeros((0, 4, 6), dtype=dtype), output_size=[3, 4], **shape)
