"""Distributions of real numbers."""

import math as _math

from .. import _C
from ..autograd import no_grad
from . import constraints
from .distribution import Distribution, broadcast, finfo_of, summed

_HALF_LOG_2PI = 0.5 * _math.log(2 * _math.pi)


def _normal(like, shape):
    """Standard normal numbers of that shape."""
    return _C.normal(like.new_zeros(shape), like.new_ones(shape))


class _LocScale(Distribution):
    """loc + scale * a standard number."""

    has_rsample = True
    _names = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=None):
        self._set(loc, scale)
        self._require(self.scale > 0, "scale", "above 0")

    def rsample(self, sample_shape=()):
        return self.loc + self._standard(self._extended(sample_shape)) * self.scale

    def _z(self, value):
        return (value - self.loc) / self.scale


class Normal(_LocScale):
    """exp(-((x - loc) / scale)^2 / 2) / (scale sqrt(2 pi))."""

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale ** 2)

    def _standard(self, shape):
        return _normal(self.loc, shape)

    def sample(self, sample_shape=()):
        with no_grad():
            shape = self._extended(sample_shape)
            return _C.normal(self.loc.expand(shape), self.scale.expand(shape))

    def log_prob(self, value):
        return -((value - self.loc) ** 2) / (2 * self.variance) - self.scale.log() - _HALF_LOG_2PI

    def cdf(self, value):
        return 0.5 * (1 + _C.erf((value - self.loc) * self.scale.reciprocal() / _math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * _C.erfinv(2 * value - 1) * _math.sqrt(2)

    def entropy(self):
        return 0.5 + _HALF_LOG_2PI + _C.log(self.scale)


class LogNormal(_LocScale):
    """The exponential of a normal number."""

    _shown = ()

    mean = property(lambda self: (self.loc + self.scale ** 2 / 2).exp())
    mode = property(lambda self: (self.loc - self.scale ** 2).exp())
    variance = property(lambda self: ((self.scale ** 2).exp() - 1) * (2 * self.loc + self.scale ** 2).exp())

    @property
    def base_dist(self):
        return Normal(self.loc, self.scale)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape).exp()

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape).exp()

    def log_prob(self, value):
        x = value.log()
        return self.base_dist.log_prob(x) - x

    def cdf(self, value):
        return self.base_dist.cdf(value.log())

    def icdf(self, value):
        return self.base_dist.icdf(value).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc


class HalfNormal(Distribution):
    """The absolute value of a normal number of mean 0."""

    _shown = ()

    has_rsample = True
    _names = ("scale",)

    def __init__(self, scale, validate_args=None):
        self._set(scale)
        self._require(self.scale > 0, "scale", "above 0")

    mean = property(lambda self: self.scale * _math.sqrt(2 / _math.pi))
    mode = property(lambda self: _C.zeros_like(self.scale))
    variance = property(lambda self: self.scale ** 2 * (1 - 2 / _math.pi))

    def rsample(self, sample_shape=()):
        return (_normal(self.scale, self._extended(sample_shape)) * self.scale).abs()

    def log_prob(self, value):
        density = -(value ** 2) / (2 * self.scale ** 2) - self.scale.log() - _HALF_LOG_2PI + _math.log(2)
        return _C.where(value >= 0, density, density.new_full((), -_math.inf))

    def cdf(self, value):
        return _C.erf(value / (self.scale * _math.sqrt(2)))

    def icdf(self, value):
        return self.scale * _C.erfinv(value) * _math.sqrt(2)

    def entropy(self):
        return 0.5 + _HALF_LOG_2PI + self.scale.log() - _math.log(2)


class Laplace(_LocScale):
    """exp(-|x - loc| / scale) / (2 scale)."""

    mean = mode = property(lambda self: self.loc)
    variance = property(lambda self: 2 * self.scale ** 2)
    stddev = property(lambda self: _math.sqrt(2) * self.scale)

    def rsample(self, sample_shape=()):
        u = self.loc.new_empty(self._extended(sample_shape)).uniform_(finfo_of(self.loc).eps - 1, 1)
        return self.loc - self.scale * u.sign() * _C.log1p(-u.abs())

    def log_prob(self, value):
        return -_C.log(2 * self.scale) - _C.abs(value - self.loc) / self.scale

    def cdf(self, value):
        return 0.5 - 0.5 * (value - self.loc).sign() * _C.expm1(-(value - self.loc).abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * _C.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + _C.log(2 * self.scale)


class Cauchy(_LocScale):
    """1 / (pi scale (1 + ((x - loc) / scale)^2))."""

    mean = property(lambda self: _C.full_like(self.loc, _math.nan))
    mode = property(lambda self: self.loc)
    variance = property(lambda self: _C.full_like(self.loc, _math.inf))

    def _standard(self, shape):
        return self.loc.new_empty(shape).cauchy_()

    def log_prob(self, value):
        return -_math.log(_math.pi) - self.scale.log() - _C.log1p(self._z(value) ** 2)

    def cdf(self, value):
        return _C.atan(self._z(value)) / _math.pi + 0.5

    def icdf(self, value):
        return _C.tan(_math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        return _math.log(4 * _math.pi) + self.scale.log()


class Gumbel(_LocScale):
    """exp(-(z + exp(-z))) / scale with z = (x - loc) / scale."""

    mean = property(lambda self: self.loc + self.scale * 0.57721566490153286060)
    mode = property(lambda self: self.loc)
    variance = property(lambda self: self.stddev ** 2)
    stddev = property(lambda self: _math.pi / _math.sqrt(6) * self.scale)

    def rsample(self, sample_shape=()):
        limits = finfo_of(self.loc)
        u = self.loc.new_empty(self._extended(sample_shape)).uniform_(limits.tiny, 1 - limits.eps)
        return self.loc - self.scale * (-u.log()).log()

    def log_prob(self, value):
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    def cdf(self, value):
        return (-(-self._z(value)).exp()).exp()

    def icdf(self, value):
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self):
        return self.scale.log() + 1.57721566490153286060


class Uniform(Distribution):
    """1 / (high - low) between low and high."""

    has_rsample = True
    _names = ("low", "high")

    def __init__(self, low, high, validate_args=None):
        self._set(low, high)
        self._require(self.high > self.low, "high", "above low")

    mean = property(lambda self: (self.high + self.low) / 2)
    mode = property(lambda self: _math.nan * self.high)
    variance = property(lambda self: (self.high - self.low) ** 2 / 12)
    stddev = property(lambda self: (self.high - self.low) / 12 ** 0.5)

    def rsample(self, sample_shape=()):
        u = _C.rand(self._extended(sample_shape), dtype=self.low.dtype)
        return self.low + u * (self.high - self.low)

    def log_prob(self, value):
        inside = (self.low <= value).type_as(self.low) * (self.high > value).type_as(self.low)
        return _C.log(inside) - _C.log(self.high - self.low)

    def cdf(self, value):
        return ((value - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return _C.log(self.high - self.low)


class Exponential(Distribution):
    """rate exp(-rate x)."""

    has_rsample = True
    _names = ("rate",)

    def __init__(self, rate, validate_args=None):
        self._set(rate)
        self._require(self.rate > 0, "rate", "above 0")

    mean = stddev = property(lambda self: self.rate.reciprocal())
    mode = property(lambda self: _C.zeros_like(self.rate))
    variance = property(lambda self: self.rate ** -2)

    def rsample(self, sample_shape=()):
        return self.rate.new_empty(self._extended(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        return 1 - _C.exp(-self.rate * value)

    def icdf(self, value):
        return -_C.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - _C.log(self.rate)


class Gamma(Distribution):
    """rate^c x^(c - 1) exp(-rate x) / gamma(c), of concentration c."""

    has_rsample = True
    _names = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=None):
        self._set(concentration, rate)
        self._require(self.concentration > 0, "concentration", "above 0")
        self._require(self.rate > 0, "rate", "above 0")

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate ** 2)

    def rsample(self, sample_shape=()):
        shape = self._extended(sample_shape)
        drawn = _C._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        with no_grad():
            floor = _C.clamp(drawn, min=finfo_of(drawn).tiny) - drawn
        return drawn + floor

    def log_prob(self, value):
        return (_C.xlogy(self.concentration, self.rate) + _C.xlogy(self.concentration - 1, value) - self.rate * value
                - _C.lgamma(self.concentration))

    def cdf(self, value):
        return _C.special_gammainc(self.concentration, self.rate * value)

    def entropy(self):
        return (self.concentration - _C.log(self.rate) + _C.lgamma(self.concentration)
                + (1.0 - self.concentration) * _C.digamma(self.concentration))


class Dirichlet(Distribution):
    """Shares that sum to 1: the product of x_i^(c_i - 1), scaled; concentration has a last dimension of them."""

    has_rsample = True
    _names = ("concentration",)
    _event_dims = 1

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("Dirichlet: concentration has no dimensions")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])
        self._require(concentration > 0, "concentration", "above 0")

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self):
        above = (self.concentration - 1).clamp(min=0.0)
        highest = _C.one_hot(above.argmax(-1), num_classes=above.shape[-1]).to(above.dtype)
        return _C.where((self.concentration < 1).all(-1, True), highest, above / above.sum(-1, True))

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total ** 2 * (total + 1))

    def rsample(self, sample_shape=()):
        drawn = _C._standard_gamma(self.concentration.expand(self._extended(sample_shape)))
        return drawn / drawn.sum(-1, True)

    def log_prob(self, value):
        return (_C.xlogy(self.concentration - 1.0, value).sum(-1) + _C.lgamma(self.concentration.sum(-1))
                - _C.lgamma(self.concentration).sum(-1))

    def entropy(self):
        k, total = self.concentration.shape[-1], self.concentration.sum(-1)
        return (_C.lgamma(self.concentration).sum(-1) - _C.lgamma(total) - (k - total) * _C.digamma(total)
                - ((self.concentration - 1.0) * _C.digamma(self.concentration)).sum(-1))


class Beta(Distribution):
    """x^(a - 1) (1 - x)^(b - 1), scaled, of concentration1 a and concentration0 b."""

    _shown = ()

    has_rsample = True
    _names = ("concentration1", "concentration0")

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._set(concentration1, concentration0)
        for name in self._names:
            self._require(getattr(self, name) > 0, name, "above 0")

    @property
    def _dirichlet(self):
        return Dirichlet(_C.stack([self.concentration1, self.concentration0], -1))

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total ** 2 * (total + 1))

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        return self._dirichlet.log_prob(_C.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()


class StudentT(Distribution):
    """Student's t of df degrees of freedom, times scale, plus loc."""

    has_rsample = True
    _names = ("df", "loc", "scale")

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self._set(df, loc, scale)
        self._require(self.df > 0, "df", "above 0")
        self._require(self.scale > 0, "scale", "above 0")

    mean = property(lambda self: _C.where(self.df > 1, self.loc, self.loc.new_full((), _math.nan)))
    mode = property(lambda self: self.loc)

    @property
    def variance(self):
        large = self.scale ** 2 * self.df / (self.df - 2)
        small = _C.where(self.df > 1, self.df.new_full((), _math.inf), self.df.new_full((), _math.nan))
        return _C.where(self.df > 2, large, small)

    def rsample(self, sample_shape=()):
        shape = self._extended(sample_shape)
        x = _normal(self.loc, shape)
        z = Gamma(self.df * 0.5, self.df.new_full((), 0.5)).rsample(sample_shape)
        return self.loc + self.scale * (x * _C.rsqrt(z / self.df))

    def log_prob(self, value):
        y = (value - self.loc) / self.scale
        norm = (self.scale.log() + 0.5 * self.df.log() + 0.5 * _math.log(_math.pi) + _C.lgamma(0.5 * self.df)
                - _C.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * _C.log1p(y ** 2.0 / self.df) - norm

    def entropy(self):
        half = 0.5 * (self.df + 1)
        beta = _C.lgamma(0.5 * self.df) + _math.lgamma(0.5) - _C.lgamma(half)
        return self.scale.log() + half * (_C.digamma(half) - _C.digamma(0.5 * self.df)) + 0.5 * self.df.log() + beta


def _factor(self, covariance, precision, lower):
    """The Cholesky factor of the covariance, which one of the matrices gives."""
    if lower is not None:
        return lower
    given = covariance if covariance is not None else precision
    if self._validate_args and not bool(constraints.positive_definite.check(given).all()):
        raise ValueError("%s: %s has to be positive definite, and is %s" % (
            type(self).__name__, "covariance_matrix" if covariance is not None else "precision_matrix", given))
    return _C.linalg_cholesky(covariance if covariance is not None else _C.linalg_inv(precision))


class MultivariateNormal(Distribution):
    """Normal vectors of a mean and a covariance, which one of three matrices gives."""

    has_rsample = True
    _names = ("loc", "covariance_matrix")

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if sum(m is not None for m in (covariance_matrix, precision_matrix, scale_tril)) != 1:
            raise ValueError("MultivariateNormal: one of covariance_matrix, precision_matrix and scale_tril is needed")
        lower = _factor(self, covariance_matrix, precision_matrix, scale_tril)
        shape = broadcast(loc.unsqueeze(-1), lower)[0].shape[:-2]
        n = loc.shape[-1]
        self.loc, self.scale_tril = loc.expand((*shape, n)), lower.expand((*shape, n, n))
        super().__init__(shape, (n,))

    mean = mode = property(lambda self: self.loc)
    covariance_matrix = property(lambda self: self.scale_tril @ self.scale_tril.mT)
    precision_matrix = property(lambda self: _C.linalg_inv(self.covariance_matrix))
    variance = property(lambda self: (self.scale_tril ** 2).sum(-1))

    def rsample(self, sample_shape=()):
        eps = _normal(self.loc, self._extended(sample_shape))
        return self.loc + (self.scale_tril @ eps.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        difference = (value - self.loc).unsqueeze(-1)
        lower = self.scale_tril.expand((*difference.shape[:-2], *self.scale_tril.shape[-2:]))
        solved = _C.linalg_solve_triangular(lower, difference, upper=False).squeeze(-1)
        return -0.5 * summed(solved ** 2, 1) - self._half_log_det() - self.loc.shape[-1] * _HALF_LOG_2PI

    def _half_log_det(self):
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def entropy(self):
        return 0.5 * self.loc.shape[-1] * (1.0 + _math.log(2 * _math.pi)) + self._half_log_det()

    def expand(self, batch_shape):
        return MultivariateNormal(self.loc.expand((*batch_shape, *self.event_shape)), scale_tril=self.scale_tril.expand(
            (*batch_shape, *self.event_shape, *self.event_shape)))


