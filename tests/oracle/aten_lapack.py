"""Cases of src/ops/aten/lapack.ops.  Each LAPACK has signs of its own for the vectors of an SVD and of eigenvalues, so that these
are compared where there is nothing to choose; tests/ATen/linear/factors.c has those of other matrices."""

import torch

import aten_cases
from aten_cases import Default, Scalar

WITHIN = {torch.float32: 2.0**-14, torch.float64: 2.0**-40}


def well_posed(out, n, dtype, batch=()):
    """Values in steps of an eighth with a heavy diagonal: far from singular."""
    return out.tensor(batch + (n, n), dtype, -16, 17) + 6 * torch.eye(n, dtype=dtype)


def plain(rows, columns, dtype):
    """Its singular vectors are unit vectors."""
    t = torch.zeros(rows, columns, dtype=dtype)
    for i in range(min(rows, columns)):
        t[i, i] = 8 - i
    return t


def definite(out, n, dtype):
    a = out.tensor((n, n), dtype, -8, 9)
    return a @ a.t() + torch.eye(n, dtype=dtype)


def lu(a):
    factors, pivots = torch.linalg.lu_factor(a)
    return factors, pivots


def raises(*unused):
    raise RuntimeError("as it has to")


with aten_cases.Writer("lapack", __file__) as out:
    r = out.random

    def both(name, arguments, call, results):
        """The function and the form that writes to given tensors."""
        out.case(name, arguments, call, within)
        empty = [torch.empty(0, dtype=d) for d in results]
        out.case(name + "_out", empty + arguments, call, within)

    for dtype in aten_cases.FLOATS:
        within = WITHIN[dtype]
        for n in [1, 2, 3, 5]:
            a, d = well_posed(out, n, dtype), definite(out, n, dtype)
            b, column = out.tensor((n, 2), dtype), out.tensor((n, 1), dtype)
            both("gesv", [b, a], lambda: (torch.linalg.solve(a, b), lu(a)[0]), [dtype] * 2)
            out.case("gesv", [column[:, 0], a], lambda: (torch.linalg.solve(a, column), lu(a)[0]), within)
            for upper in [Default, True, False]:
                for transpose in [False, True]:
                    for ones in [False, True]:
                        t = torch.tril(a) if upper is False else torch.triu(a)

                        def solved():
                            used = t.t() if transpose else t
                            x = torch.linalg.solve_triangular(
                                used, b, upper=(upper is not False) != transpose, unitriangular=ones)
                            return x, t
                        both("trtrs", [b, t, upper, transpose, ones], solved, [dtype] * 2)
                factor = torch.linalg.cholesky(d)
                factor = factor if upper is False else factor.t().contiguous()
                both("potrf", [d, upper], lambda: factor, [dtype])
                both("potri", [factor, upper], lambda: torch.linalg.inv(d), [dtype])
                both("potrs", [b, factor, upper], lambda: torch.linalg.solve(d, b), [dtype])
                for vectors, m in (True, plain(n, n, dtype)), (False, d):
                    values, v = torch.linalg.eigh(m, UPLO="L" if upper is False else "U")
                    v = v if vectors else torch.zeros_like(v)
                    both("symeig", [m, vectors, upper], lambda: (values, v), [dtype] * 2)
            both("inverse", [a], lambda: torch.linalg.inv(a), [dtype])
            tall = out.tensor((n + 2, n), dtype)
            for m in [a, tall, tall.t().contiguous()]:
                both("qr", [m], lambda: torch.linalg.qr(m), [dtype] * 2)
                both("geqrf", [m], lambda: torch.geqrf(m), [dtype] * 2)
                one = plain(*m.shape, dtype)
                for some in [Default, True] + [False] * (m is a):
                    def decomposed():
                        u, s, vh = torch.linalg.svd(one, full_matrices=some is False)
                        return u, s, vh.mH
                    both("svd", [one, some], decomposed, [dtype] * 3)
            factors, tau = torch.geqrf(tall)
            both("orgqr", [factors, tau], lambda: torch.orgqr(factors, tau), [dtype])
            q = torch.linalg.qr(tall, mode="complete").Q
            c = out.tensor((n + 2, 3), dtype)
            for left in [Default, True, False]:
                for transpose in [Default, True]:
                    used = c.t().contiguous() if left is False else c
                    both("ormqr", [factors, tau, used, left, transpose],
                         lambda: torch.ormqr(factors, tau, used, left is not False, transpose is True), [dtype])
            y = out.tensor((n + 2, 2), dtype)

            def nearest():
                rows = q.t() @ y  # the distance is in the rows of Q'y that R does not reach
                x = torch.linalg.lstsq(tall, y).solution
                return torch.cat([x, rows[n:]]), factors
            both("gels", [y, tall], nearest, [dtype] * 2)
            batch = well_posed(out, n, dtype, (3,))
            factored = [lu(m) for m in batch]
            f, p = torch.stack([x[0] for x in factored]), torch.stack([x[1] for x in factored])
            pivots = [dtype, torch.int32, torch.int32]
            both("btrifact", [batch, Default], lambda: (f, p), pivots[:2])
            both("btrifact_with_info", [batch, True], lambda: (f, p, torch.zeros(3, dtype=torch.int32)), pivots)
            for shape in [(3, n), (3, n, 2)]:
                s = out.tensor(shape, dtype)
                wide = s if s.dim() == 3 else s.unsqueeze(2)
                both("btrisolve", [s, f, p], lambda: torch.linalg.solve(batch, wide).reshape(shape), [dtype])
            for m in [a, batch, batch.reshape(3, 1, n, n), out.tensor((0, n, n), dtype)]:
                out.case("det", [m], lambda: torch.linalg.det(m), within)
                both("inverse", [m], lambda: torch.linalg.inv(m), [dtype])

            square = plain(n, n, dtype)

            def with_svd():
                u, s, vh = torch.linalg.svd(square)
                return torch.linalg.det(square), u, s, vh.mH
            out.case("_det_with_svd", [square], with_svd, within)
        turn = torch.tensor([[0, -1], [1, 0]], dtype=dtype)
        values = torch.tensor([[0, 1], [0, -1]], dtype=dtype)
        both("eig", [turn, False], lambda: (values, torch.empty(0, dtype=dtype)), [dtype] * 2)
        stretched = torch.tensor([[2, 0, 0], [0, 3, 0], [0, 0, 5]], dtype=dtype)
        values = torch.tensor([[2, 0], [3, 0], [5, 0]], dtype=dtype)
        both("eig", [stretched, True], lambda: (values, torch.eye(3, dtype=dtype)), [dtype] * 2)
        ordered = torch.diag(torch.tensor([4, 16, 1], dtype=dtype))
        factor = torch.diag(torch.tensor([4, 2, 1], dtype=dtype))
        order = torch.tensor([2, 1, 3], dtype=torch.int32)
        both("pstrf", [ordered, True, Scalar(-1)], lambda: (factor, order), [dtype, torch.int32])
        both("pstrf", [ordered, False, Default], lambda: (factor, order), [dtype, torch.int32])

        # What there is no answer to, and what is no question.
        singular, flat = torch.ones(2, 2, dtype=dtype), out.tensor((2, 3), dtype)
        two = out.tensor((2, 2), dtype)
        out.case("det", [singular], lambda: torch.zeros((), dtype=dtype), within)
        for name, arguments in {
            "gesv": [two, singular], "inverse": [singular], "potrf": [-singular, Default], "det": [flat],
            "btrifact": [singular.expand(2, 2, 2), Default], "btrisolve": [flat, two, two],
            "symeig": [flat, True, Default], "eig": [flat, Default], "svd": [flat[0], Default],
            "qr": [flat[0]], "geqrf": [flat[0]], "orgqr": [flat, flat], "potrs": [flat, flat, Default],
            "gels": [flat, torch.ones(3, 2, dtype=dtype)], "pstrf": [-singular, Default, Default],
        }.items():
            out.case(name, arguments, raises)
            whole = [a.int() if isinstance(a, torch.Tensor) else a for a in arguments]
            out.case(name, whole, raises)
        out.case("inverse", [torch.ones((), dtype=dtype)], raises)
        out.case("gesv", [two, two.to(torch.float64 if dtype == torch.float32 else torch.float32)], raises)
        out.case("btrifact", [two.expand(2, 2, 2), False], raises)
