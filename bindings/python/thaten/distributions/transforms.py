"""Invertible functions of random numbers, and the logarithms of their derivatives."""

import math as _math

from .. import _C
from .._C import Tensor
from .._core.settings import finfo
from .._core.tensor import Size
from ..nn import functional as _functional
from .distribution import summed


def _clipped(p):
    limits = finfo(p.dtype)
    return p.clamp(limits.tiny, 1 - limits.eps)


class Transform:
    """The base: a subclass has _call, _inverse and log_abs_det_jacobian.  domain_dims and codomain_dims are the numbers of
    the last dimensions that belong together; bijective says whether there is an inverse, sign that of the derivative."""

    bijective = False
    sign = None
    domain_dims = codomain_dims = 0

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size is %r, and has to be 0 or 1" % (cache_size,))
        self._cache_size, self._last = cache_size, (None, None)

    def __call__(self, x):
        """What x becomes."""
        if self._cache_size and x is self._last[0]:
            return self._last[1]
        y = self._call(x)
        if self._cache_size:
            self._last = x, y
        return y

    def _inv_call(self, y):
        if self._cache_size and y is self._last[1]:
            return self._last[0]
        x = self._inverse(y)
        if self._cache_size:
            self._last = x, y
        return x

    @property
    def inv(self):
        """The inverse."""
        return _Inverse(self)

    def with_cache(self, cache_size=1):
        return self

    def log_abs_det_jacobian(self, x, y):
        """The logarithm of the determinant's absolute value, y being what x becomes."""
        raise NotImplementedError("%s has no log_abs_det_jacobian()" % type(self).__name__)

    def _call(self, x):
        raise NotImplementedError("%s has no function" % type(self).__name__)

    def _inverse(self, y):
        raise NotImplementedError("%s has no inverse" % type(self).__name__)

    def forward_shape(self, shape):
        return shape

    def inverse_shape(self, shape):
        return shape

    def __eq__(self, other):
        return type(self) is type(other)

    __hash__ = object.__hash__

    def __repr__(self):
        return type(self).__name__ + "()"


class _Inverse(Transform):
    def __init__(self, of):
        super().__init__()
        self._of = of
        self.bijective, self.domain_dims, self.codomain_dims = of.bijective, of.codomain_dims, of.domain_dims

    inv = property(lambda self: self._of)
    sign = property(lambda self: self._of.sign)

    def __call__(self, x):
        return self._of._inv_call(x)

    def _inv_call(self, y):
        return self._of(y)

    def log_abs_det_jacobian(self, x, y):
        return -self._of.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._of.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._of.forward_shape(shape)

    def __eq__(self, other):
        return isinstance(other, _Inverse) and self._of == other._of

    __hash__ = object.__hash__

    def __repr__(self):
        return "_InverseTransform(%r)" % self._of


class ComposeTransform(Transform):
    """One after the other, the first one first."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = list(parts)
        self.bijective = all(p.bijective for p in self.parts)
        self.domain_dims = self._dims(self.parts)
        self.codomain_dims = self._dims([p.inv for p in reversed(self.parts)])

    @staticmethod
    def _dims(parts):
        dims = 0
        for part in reversed(parts):
            dims = max(part.domain_dims, dims + part.domain_dims - part.codomain_dims)
        return dims

    @property
    def sign(self):
        product = 1
        for part in self.parts:
            product = product * part.sign
        return product

    @property
    def inv(self):
        return ComposeTransform([p.inv for p in reversed(self.parts)])

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y):
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return _C.zeros_like(x)
        total, dims = 0, self.domain_dims
        for part in self.parts:
            following = part(x)
            total = total + summed(part.log_abs_det_jacobian(x, following), dims - part.domain_dims)
            dims += part.codomain_dims - part.domain_dims
            x = following
        return total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = object.__hash__

    def __repr__(self):
        return "ComposeTransform(\n    %s\n)" % ",\n    ".join(map(repr, self.parts))


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose last dimensions count as one: their logarithms are added."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform, self.reinterpreted_batch_ndims = base_transform, reinterpreted_batch_ndims
        self.bijective = base_transform.bijective
        self.domain_dims = base_transform.domain_dims + reinterpreted_batch_ndims
        self.codomain_dims = base_transform.codomain_dims + reinterpreted_batch_ndims

    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x):
        return self.base_transform(x)

    def _inverse(self, y):
        return self.base_transform._inv_call(y)

    def log_abs_det_jacobian(self, x, y):
        return summed(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)

    def __repr__(self):
        return "IndependentTransform(%r, %d)" % (self.base_transform, self.reinterpreted_batch_ndims)


class ReshapeTransform(Transform):
    """The last dimensions in another shape."""

    bijective = True
    sign = 1

    def __init__(self, in_shape, out_shape, cache_size=0):
        super().__init__(cache_size)
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape %s and out_shape %s have other numbers of elements" % (in_shape, out_shape))
        self.domain_dims, self.codomain_dims = len(self.in_shape), len(self.out_shape)

    def _batch(self, shape, dims):
        return tuple(shape)[:len(shape) - dims]

    def _call(self, x):
        return x.reshape(self._batch(x.shape, self.domain_dims) + tuple(self.out_shape))

    def _inverse(self, y):
        return y.reshape(self._batch(y.shape, self.codomain_dims) + tuple(self.in_shape))

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(self._batch(x.shape, self.domain_dims))

    def forward_shape(self, shape):
        return Size(self._batch(shape, self.domain_dims) + tuple(self.out_shape))

    def inverse_shape(self, shape):
        return Size(self._batch(shape, self.codomain_dims) + tuple(self.in_shape))


class ExpTransform(Transform):
    """exp(x)."""

    bijective = True
    sign = 1

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class PowerTransform(Transform):
    """x^exponent, of positive x."""

    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else _C.tensor(exponent)

    @property
    def sign(self):
        return self.exponent.sign()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    __hash__ = object.__hash__


class SigmoidTransform(Transform):
    """1 / (1 + exp(-x))."""

    bijective = True
    sign = 1

    def _call(self, x):
        return _clipped(_C.sigmoid(x))

    def _inverse(self, y):
        y = _clipped(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -_functional.softplus(-x) - _functional.softplus(x)


class SoftplusTransform(Transform):
    """log(1 + exp(x))."""

    bijective = True
    sign = 1

    def _call(self, x):
        return _functional.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -_functional.softplus(-x)


class TanhTransform(Transform):
    """tanh(x)."""

    bijective = True
    sign = 1

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return _C.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (_math.log(2.0) - x - _functional.softplus(-2.0 * x))


class AbsTransform(Transform):
    """|x|, whose inverse is taken to be positive."""

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(Transform):
    """loc + scale * x."""

    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim
        self.domain_dims = self.codomain_dims = event_dim

    @property
    def sign(self):
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        scale = self.scale
        value = _C.log(_C.abs(scale)) if isinstance(scale, Tensor) else _C.full_like(x, _math.log(abs(scale)))
        if self.event_dim:
            value = summed(value.expand(x.shape), self.event_dim)
        return value.expand(x.shape[:x.dim() - self.event_dim])

    def __eq__(self, other):
        def same(a, b):
            return bool((_C.tensor(a) if not isinstance(a, Tensor) else a).eq(b).all())

        return isinstance(other, AffineTransform) and same(self.loc, other.loc) and same(self.scale, other.scale)

    __hash__ = object.__hash__

    def __repr__(self):
        return "AffineTransform()"


class SoftmaxTransform(Transform):
    """Softmax over the last dimension; the inverse is the logarithm."""

    domain_dims = codomain_dims = 1

    def _call(self, x):
        p = (x - x.max(-1, True)[0]).exp()
        return p / p.sum(-1, True)

    def _inverse(self, y):
        return y.log()


class StickBreakingTransform(Transform):
    """A vector of n numbers to n + 1 shares of 1: each takes a part of what is left."""

    bijective = True
    domain_dims = codomain_dims = 1

    def _offset(self, n, like):
        return (n - like.new_ones(n).cumsum(-1) + 1).log()

    def _call(self, x):
        z = _clipped(_C.sigmoid(x - self._offset(x.shape[-1], x)))
        left = (1 - z).cumprod(-1)
        return _functional.pad(z, [0, 1], value=1) * _functional.pad(left, [1, 0], value=1)

    def _inverse(self, y):
        share = y[..., :-1]
        left = (1 - share.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return share.log() - left.log() + self._offset(share.shape[-1], y)

    def log_abs_det_jacobian(self, x, y):
        x = x - self._offset(x.shape[-1], x)
        return (-x + _functional.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        return Size(tuple(shape)[:-1] + (shape[-1] + 1,))

    def inverse_shape(self, shape):
        return Size(tuple(shape)[:-1] + (shape[-1] - 1,))


class LowerCholeskyTransform(Transform):
    """A matrix to a lower triangular one with a positive diagonal."""

    domain_dims = codomain_dims = 2

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """A matrix to a positive definite one, by its Cholesky factor."""

    domain_dims = codomain_dims = 2

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(_C.linalg_cholesky(y))


class CorrCholeskyTransform(Transform):
    """A vector of n (n - 1) / 2 numbers to the Cholesky factor of an n x n correlation matrix, whose rows have norm 1."""

    bijective = True
    domain_dims, codomain_dims = 1, 2

    @staticmethod
    def _size(count):
        n = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if n * (n - 1) // 2 != count:
            raise ValueError("%d numbers are not those below the diagonal of a square matrix" % count)
        return n

    def _call(self, x):
        x = _C.tanh(x)
        eps = finfo(x.dtype).eps
        x = x.clamp(min=-1 + eps, max=1 - eps)
        n = self._size(x.shape[-1])
        rows, columns = _C.tril_indices(n, n, -1).unbind(0)
        r = _C.zeros((*x.shape[:-1], n, n), dtype=x.dtype)
        r = _placed(r, rows, columns, x)
        left = (1 - r ** 2).sqrt().cumprod(-1)
        r = r + _C.eye(n, dtype=r.dtype)
        return r * _functional.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = 1 - _C.cumsum(y * y, -1)
        n = y.shape[-1]
        shifted = _functional.pad(left[..., :-1], [1, 0], value=1)
        rows, columns = _C.tril_indices(n, n, -1).unbind(0)
        t = y[..., rows, columns] / shifted[..., rows, columns].sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y):
        n = y.shape[-1]
        left = 1 - (y * y).cumsum(-1)
        rows, columns = _C.tril_indices(n, n, -2).unbind(0)
        below = 0.5 * left[..., rows, columns].log().sum(-1) if n > 2 else 0.0
        tanh = -2 * (x + _functional.softplus(-2 * x) - _math.log(2.0)).sum(-1)
        return below + tanh

    def forward_shape(self, shape):
        n = self._size(shape[-1])
        return Size(tuple(shape)[:-1] + (n, n))

    def inverse_shape(self, shape):
        return Size(tuple(shape)[:-2] + (shape[-1] * (shape[-1] - 1) // 2,))


def _placed(matrix, rows, columns, values):
    """The matrix with the values at these indices of its last dimensions."""
    n = matrix.shape[-1]
    flat = matrix.reshape(*matrix.shape[:-2], n * n)
    return flat.index_copy(-1, rows * n + columns, values).reshape(matrix.shape)


class _Parts(Transform):
    """Transforms of parts of a dimension."""

    def __init__(self, transforms, dim=0, cache_size=0):
        super().__init__(cache_size)
        self.transforms, self.dim = list(transforms), dim
        self.bijective = all(t.bijective for t in self.transforms)

    def _each(self, function, *tensors):
        return self._join([function(t, *parts) for t, *parts in zip(self.transforms, *map(self._split, tensors))])

    def _call(self, x):
        return self._each(lambda t, a: t(a), x)

    def _inverse(self, y):
        return self._each(lambda t, a: t._inv_call(a), y)

    def log_abs_det_jacobian(self, x, y):
        return self._each(lambda t, a, b: t.log_abs_det_jacobian(a, b), x, y)


class CatTransform(_Parts):
    """The parts of lengths along dim, each by its transform."""

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)

    def _split(self, t):
        return t.split(self.lengths, self.dim)

    def _join(self, parts):
        return _C.cat(parts, self.dim)


class StackTransform(_Parts):
    """Each index of dim by its transform."""

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    def _split(self, t):
        return t.unbind(self.dim)

    def _join(self, parts):
        return _C.stack(parts, self.dim)


class CumulativeDistributionTransform(Transform):
    """The cumulative distribution of a distribution."""

    bijective = True
    sign = 1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size)
        self.distribution = distribution

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)


__all__ = ["identity_transform"] + [name for name, kind in list(globals().items())
                                  if isinstance(kind, type) and issubclass(kind, Transform) and not name.startswith("_")]
