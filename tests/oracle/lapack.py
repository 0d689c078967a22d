"""Golden values of what LAPACK computes and is unique: solutions, inverses, factors, eigenvalues."""

import torch

import golden

TYPES = {"Float": torch.float32, "Double": torch.float64}


def put_all(out, name, a, b, wide, tall):
    """a: square; b: as many rows; wide, tall: rectangles."""
    right = b[: wide.shape[0]]
    definite = a @ a.T + torch.eye(len(a), dtype=a.dtype)
    lu, pivots = torch.linalg.lu_factor(a)
    values = {
        "a": a,
        "b": b,
        "wide": wide,
        "tall": tall,
        "definite": definite,
        "solve": torch.linalg.solve(a, b),
        "inverse": torch.linalg.inv(a),
        "lu": lu,
        "pivots": pivots,
        "upper_solve": torch.linalg.solve_triangular(a.triu(), b, upper=True),
        "cholesky": torch.linalg.cholesky(definite),
        "cholesky_inverse": torch.cholesky_inverse(torch.linalg.cholesky(definite)),
        "cholesky_solve": torch.cholesky_solve(b, torch.linalg.cholesky(definite)),
        "least_squares": torch.linalg.lstsq(tall, b, driver="gels").solution,
        "shortest": torch.linalg.lstsq(wide, right, driver="gels").solution,
        "symmetric_values": torch.linalg.eigvalsh(definite),
        "singular_values": torch.linalg.svdvals(wide),
    }
    for key, value in values.items():
        out.put(name + "/" + key, value.contiguous())


with golden.Writer("lapack", __file__) as out:
    torch.manual_seed(6)
    # Eighths, so that the operands are the same in both types, and exact.
    numbers = [
        torch.randint(-40, 41, size) / 8 for size in [(5, 5), (5, 2), (3, 5), (5, 3)]
    ]
    for name, dtype in TYPES.items():
        put_all(out, name, *[t.to(dtype) for t in numbers])
