"""Linear algebra: linalg.solve is the operation linalg_solve."""

from . import _C
from ._C import LinAlgError  # noqa: F401

globals().update({name[len("linalg_"):]: getattr(_C, name) for name in dir(_C) if name.startswith("linalg_")})


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """How many singular values are above tol: the larger of atol and rtol times the largest singular value."""
    if atol is None and rtol is None:
        given = {} if tol is None else {"tol": tol}
        return _C.linalg_matrix_rank(A, hermitian=hermitian, out=out, **given)
    values = _C.linalg_eigvalsh(A).abs() if hermitian else _C.linalg_svdvals(A)
    absolute, relative = (0.0 if one is None else one for one in (atol, rtol))
    limit = (values.amax(-1, keepdim=True) * _spread(relative)).maximum(_C.zeros_like(values[..., :1]) + _spread(absolute))
    return (values > limit).sum(-1)


def _spread(limit):
    """A limit for each matrix, beside its singular values."""
    return limit.unsqueeze(-1) if isinstance(limit, _C.Tensor) and limit.dim() else limit


def pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The pseudo-inverse, without singular values up to the larger of atol and rtol times the largest one."""
    rtol = rcond if rtol is None else rtol
    if atol is None:
        result = _C.linalg_pinv(A, *(() if rtol is None else (rtol,)), hermitian=hermitian)
    else:
        result = _C.linalg_pinv(A, atol=atol, rtol=rtol, hermitian=hermitian)
    return result if out is None else _C.alias_copy(result, out=out)
