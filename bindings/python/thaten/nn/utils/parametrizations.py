"""Weight norm, spectral norm and orthogonal matrices: torch.nn.utils.parametrizations."""

from ... import _C
from ..module import Module
from ...autograd import no_grad
from . import parametrize


def _unit(t, eps):
    return t / t.norm().clamp_min(eps)


def norm_but_dim(v, dim):
    """The norms of v over all dimensions but dim, or with None and -1 over all."""
    if dim is None or dim == -1:
        return _C.linalg_vector_norm(v)
    others = [i for i in range(v.dim()) if i != dim % v.dim()]
    return _C.linalg_vector_norm(v, dim=others, keepdim=True) if others else v.abs()


def as_matrix(weight, dim):
    return weight.movedim(dim, 0).flatten(1)


def iterate(matrix, u, v, steps, eps, first="u"):
    """Improves singular vectors in place."""
    with no_grad():
        for _ in range(steps):
            if first == "u":
                u.copy_(_unit(_C.mv(matrix, v), eps))
            v.copy_(_unit(_C.mv(matrix.t(), u), eps))
            if first == "v":
                u.copy_(_unit(_C.mv(matrix, v), eps))


def default_dim(module):
    kinds = [k.__name__ for k in type(module).__mro__]
    return 1 if any(k.startswith("ConvTranspose") for k in kinds) else 0


class _WeightNorm(Module):
    def __init__(self, dim=0):
        super().__init__()
        self.dim = dim

    def forward(self, weight_g, weight_v):
        return weight_v * (weight_g / norm_but_dim(weight_v, self.dim))

    def right_inverse(self, weight):
        return norm_but_dim(weight, self.dim), weight.clone()


def weight_norm(module, name="weight", dim=0):
    """The parameter is g * v / |v|, with the norm over all dimensions but dim: original0 is g, original1 is v."""
    return parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)


class _SpectralNorm(Module):
    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        if not -weight.dim() <= dim < weight.dim():
            raise IndexError("dim is %d, and the weight has %d dimensions" % (dim, weight.dim()))
        if n_power_iterations <= 0:
            raise ValueError("n_power_iterations is %d" % n_power_iterations)
        self.dim, self.eps, self.n_power_iterations = dim, eps, n_power_iterations
        if weight.dim() > 1:
            with no_grad():
                matrix = as_matrix(weight.detach(), dim)
                u, v = (_unit(_C.normal_(matrix.new_empty(n)), eps) for n in matrix.shape)
                self.register_buffer("_u", u)
                self.register_buffer("_v", v)
                iterate(matrix, u, v, 15, eps)

    def forward(self, weight):
        if weight.dim() == 1:
            return _unit(weight, self.eps)
        matrix, u, v = as_matrix(weight, self.dim), self._u, self._v
        if self.training:
            iterate(matrix.detach(), u, v, self.n_power_iterations, self.eps)
            u, v = u.clone(), v.clone()
        return weight / _C.dot(u, _C.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """The parameter is divided by its largest singular value, as a matrix of dim by all other dimensions."""
    dim = default_dim(module) if dim is None else dim
    parametrize.register_parametrization(module, name, _SpectralNorm(getattr(module, name), n_power_iterations, dim, eps))
    return module


def _orthonormal(t):
    q, r = _C.linalg_qr(t)
    return q * r.diagonal(0, -2, -1).sign().unsqueeze(-2)


class _Orthogonal(Module):
    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        wide = X.size(-2) < X.size(-1)
        X = X.mT if wide else X
        n, k = X.size(-2), X.size(-1)
        if self.orthogonal_map == "householder":
            A = X.tril(-1)
            Q = _C.linalg_householder_product(A, 2.0 / (1.0 + (A * A).sum(-2)))
            Q = Q * X.detach().diagonal(0, -2, -1).trunc().unsqueeze(-2)
        else:
            X = _C.pad(X.tril(), (0, n - k))
            A = X - X.mT
            if self.orthogonal_map == "matrix_exp":
                Q = _C.linalg_matrix_exp(A)[..., :k]
            else:
                one = _C.eye(n, dtype=A.dtype)
                Q = _C.linalg_solve(one - A / 2, one + A / 2)[..., :k]
        if "base" in self._buffers:
            Q = self.base @ Q
        return Q.mT if wide else Q

    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError("a matrix of %s, and not %s" % (tuple(self.shape), tuple(Q.shape)))
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        n, k = tall.size(-2), tall.size(-1)
        if "base" not in self._buffers:
            if self.orthogonal_map != "householder":
                raise NotImplementedError("use_trivialization is False, and %s has no inverse" % self.orthogonal_map)
            if tall.dim() > 2:
                raise NotImplementedError("use_trivialization is False, and there are several matrices")
            A, tau = _C.geqrf(tall)
            signs = A.diagonal().sign()
            A.diagonal().copy_(_C.where(tau == 0, -signs, signs))
            return (A.mT if wide else A).contiguous()
        if n == k:
            eps = 10 * n * _C.finfo(Q.dtype).eps if hasattr(_C, "finfo") else 10 * n * (2.2e-16 if Q.dtype == _C.float64 else 1.2e-7)
            square = tall.mT @ tall
            done = _C.allclose(square, _C.eye(k, dtype=Q.dtype).expand(*square.shape), atol=eps)
            tall = tall.clone() if done else _orthonormal(tall)
        else:
            more = _C.normal_(tall.new_empty(*tall.shape[:-1], n - k))
            tall = _orthonormal(_C.cat([tall, more], -1))
        self.base = tall
        made = _C.zeros_like(Q)
        made.diagonal(0, -2, -1).fill_(-1.0)
        return made


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Matrices of orthonormal columns, or rows if those are fewer."""
    weight = getattr(module, name)
    if weight.dim() < 2:
        raise ValueError("%s has %d dimensions, and has to be matrices" % (name, weight.dim()))
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError("orthogonal_map is %r, and not matrix_exp, cayley or householder" % (orthogonal_map,))
    map = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, map, unsafe=True)
