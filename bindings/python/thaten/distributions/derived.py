"""Distributions made of others: transformed, mixed, relaxed."""

import math as _math

from .. import _C, linalg as _linalg
from .._core.settings import finfo
from .._core.tensor import Size
from ..autograd import no_grad
from ..nn import functional as _functional
from .continuous import Beta, Cauchy, Exponential, Gamma, Normal, Uniform
from .discrete import Categorical, OneHotCategorical, _Odds
from .distribution import Distribution, Independent, broadcast, finfo_of, summed
from .transforms import (AbsTransform, AffineTransform, ComposeTransform, ExpTransform, PowerTransform, SigmoidTransform,
                         StickBreakingTransform, Transform, _placed)


class TransformedDistribution(Distribution):
    """What transforms make of the draws of base_distribution."""

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        whole = ComposeTransform(self.transforms)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(shape) < whole.domain_dims:
            raise ValueError("the transforms take %d dimensions, and the draws of base_distribution are of %s" % (whole.domain_dims, shape))
        changed = whole.forward_shape(shape)
        wider = whole.inverse_shape(changed)
        if tuple(shape) != tuple(wider):
            base_distribution = base_distribution.expand(wider[:len(wider) - len(base_distribution.event_shape)])
        grouped = whole.domain_dims - len(base_distribution.event_shape)
        if grouped > 0:
            base_distribution = Independent(base_distribution, grouped)
        self.base_dist = base_distribution
        events = max(whole.codomain_dims, len(base_distribution.event_shape) + whole.codomain_dims - whole.domain_dims)
        cut = len(changed) - events
        super().__init__(changed[:cut], changed[cut:])

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    def _through(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=()):
        with no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._through(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        events, total, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform._inv_call(y)
            events += transform.domain_dims - transform.codomain_dims
            total = total - summed(transform.log_abs_det_jacobian(x, y), events - transform.domain_dims)
            y = x
        return total + summed(self.base_dist.log_prob(y), events - len(self.base_dist.event_shape))

    def _monotone(self, value):
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform._inv_call(value)
        return self._monotone(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._through(self.base_dist.icdf(self._monotone(value)))

    def expand(self, batch_shape):
        shape = ComposeTransform(self.transforms).inverse_shape(Size(batch_shape) + self.event_shape)
        base = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        made = TransformedDistribution(base, self.transforms)
        made.__class__ = type(self)
        made.__dict__.update({k: v for k, v in self.__dict__.items() if k not in made.__dict__})
        return made

    def __repr__(self):
        return self._text(self._shown or ())


class MixtureSameFamily(Distribution):
    """Draws of one of several distributions, the last batch dimension of component_distribution, chosen by a Categorical."""

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError("mixture_distribution is no Categorical")
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        count = mixture_distribution.logits.shape[-1]
        if component_distribution.batch_shape[-1] != count:
            raise ValueError("mixture_distribution has %d classes, and component_distribution %d parts" % (
                count, component_distribution.batch_shape[-1]))
        self._events = len(component_distribution.event_shape)
        super().__init__(component_distribution.batch_shape[:-1], component_distribution.event_shape)

    def _shares(self):
        p = self.mixture_distribution.probs
        return p.reshape(tuple(p.shape) + (1,) * self._events)

    @property
    def mean(self):
        return (self._shares() * self.component_distribution.mean).sum(-1 - self._events)

    @property
    def variance(self):
        p, at = self._shares(), -1 - self._events
        mean = self.component_distribution.mean
        inner = (p * self.component_distribution.variance).sum(at)
        return inner + (p * (mean - self.mean.unsqueeze(at)) ** 2).sum(at)

    def cdf(self, x):
        x = x.unsqueeze(-1 - self._events)
        return (self.component_distribution.cdf(x) * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, value):
        value = value.unsqueeze(-1 - self._events)
        chosen = _C.log_softmax(self.mixture_distribution.logits, dim=-1)
        return _C.logsumexp(self.component_distribution.log_prob(value) + chosen, dim=-1)

    def sample(self, sample_shape=()):
        with no_grad():
            at = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            index = chosen.reshape(tuple(chosen.shape) + (1,) * (self._events + 1))
            index = index.expand(tuple(chosen.shape) + (1,) + tuple(self.event_shape))
            return _C.gather(drawn, at, index).squeeze(at)

    def expand(self, batch_shape):
        return MixtureSameFamily(self.mixture_distribution.expand(batch_shape),
                                 self.component_distribution.expand((*batch_shape, self.component_distribution.batch_shape[-1])))

    def __repr__(self):
        return "MixtureSameFamily(\n  %r,\n  %r)" % (self.mixture_distribution, self.component_distribution)


# --- positive numbers -------------------------------------------------------------------------------------


class Chi2(Gamma):
    """The sum of the squares of df normal numbers."""

    def __init__(self, df, validate_args=None):
        given = df if isinstance(df, _C.Tensor) else _C.tensor(float(df))
        super().__init__(0.5 * given, 0.5)

    df = property(lambda self: self.concentration * 2)

    def __repr__(self):
        return "Chi2()"


class InverseGamma(TransformedDistribution):
    """1 / x of numbers x of a Gamma distribution."""

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())))

    concentration = property(lambda self: self.base_dist.concentration)
    rate = property(lambda self: self.base_dist.rate)
    mode = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self):
        return _C.where(self.concentration > 1, self.rate / (self.concentration - 1), _math.inf)

    @property
    def variance(self):
        c = self.concentration
        return _C.where(c > 2, self.rate.square() / ((c - 1).square() * (c - 2)), _math.inf)

    def entropy(self):
        c = self.concentration
        return c + self.rate.log() + c.lgamma() - (1 + c) * c.digamma()


class HalfCauchy(TransformedDistribution):
    """The absolute value of a Cauchy number around 0."""

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale), AbsTransform())

    has_rsample = True
    scale = property(lambda self: self.base_dist.scale)
    mean = property(lambda self: _C.full(tuple(self._extended(())), _math.inf, dtype=self.scale.dtype))
    mode = property(lambda self: _C.zeros_like(self.scale))
    variance = property(lambda self: self.base_dist.variance)

    def log_prob(self, value):
        value = value if isinstance(value, _C.Tensor) else self.scale.new_tensor(value)
        density = self.base_dist.log_prob(value) + _math.log(2)
        return _C.where(value >= 0, density, -_math.inf)

    def cdf(self, value):
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - _math.log(2)


class Weibull(TransformedDistribution):
    """scale * x^(1 / concentration) of numbers x of an Exponential distribution."""

    _shown = ("scale", "concentration")

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        super().__init__(Exponential(_C.ones_like(self.scale)),
                         [PowerTransform(self.concentration_reciprocal), AffineTransform(0, self.scale)])

    @property
    def mean(self):
        return self.scale * _C.exp(_C.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self):
        c = self.concentration
        return self.scale * ((c - 1) / c) ** c.reciprocal()

    @property
    def variance(self):
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (_C.exp(_C.lgamma(1 + 2 * r)) - _C.exp(2 * _C.lgamma(1 + r)))

    def entropy(self):
        r = self.concentration_reciprocal
        return 0.57721566490153286060 * (1 - r) + _C.log(self.scale * r) + 1


class Pareto(TransformedDistribution):
    """scale * exp(x) of numbers x of an Exponential distribution of rate alpha."""

    _shown = ("alpha", "scale")

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast(scale, alpha)
        super().__init__(Exponential(self.alpha), [ExpTransform(), AffineTransform(0, self.scale)])

    mode = property(lambda self: self.scale)

    @property
    def mean(self):
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def variance(self):
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self):
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Kumaraswamy(TransformedDistribution):
    """(1 - (1 - u)^(1 / concentration0))^(1 / concentration1) of even numbers u."""

    _shown = ("concentration1", "concentration0")

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast(concentration1, concentration0)
        base = Uniform(_C.zeros_like(self.concentration0), _C.ones_like(self.concentration0))
        super().__init__(base, [PowerTransform(self.concentration0.reciprocal()), AffineTransform(1.0, -1.0),
                                PowerTransform(self.concentration1.reciprocal())])

    def _moment(self, n):
        a, b = self.concentration1, self.concentration0
        arg = 1 + n / a
        return _C.exp(_C.log(b) + _C.lgamma(arg) + _C.lgamma(b) - _C.lgamma(arg + b))

    @property
    def mean(self):
        return self._moment(1)

    @property
    def variance(self):
        return self._moment(2) - self.mean.pow(2)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        log = a.reciprocal() * (-b).log1p() - a.reciprocal() * (-a * b).log1p()
        log = log.masked_fill((b < 1) | (a < 1), _math.nan)
        return log.exp()

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = _C.digamma(b + 1) + 0.57721566490153286060
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - _C.log(a) - _C.log(b)


class FisherSnedecor(Distribution):
    """The ratio of two Chi2 numbers, each divided by its degrees of freedom."""

    has_rsample = True
    _names = ("df1", "df2")

    def __init__(self, df1, df2, validate_args=None):
        self._set(df1, df2)
        self._gamma1, self._gamma2 = Gamma(self.df1 * 0.5, self.df1), Gamma(self.df2 * 0.5, self.df2)

    def rsample(self, sample_shape=()):
        tiny = finfo_of(self.df2).tiny
        first = self._gamma1.rsample(sample_shape)
        second = self._gamma2.rsample(sample_shape).clamp(min=tiny)
        return (first / second).clamp(min=tiny)

    @property
    def mean(self):
        d = _C.where(self.df2 <= 2, _math.nan, self.df2)
        return d / (d - 2)

    @property
    def mode(self):
        value = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return _C.where(self.df1 <= 2, _math.nan, value)

    @property
    def variance(self):
        d = _C.where(self.df2 <= 4, _math.nan, self.df2)
        return 2 * d.pow(2) * (self.df1 + d - 2) / (self.df1 * (d - 2).pow(2) * (d - 4))

    def log_prob(self, value):
        a, b = self.df1 * 0.5, self.df2 * 0.5
        ratio = self.df1 / self.df2
        start = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return start + a * ratio.log() + (a - 1) * _C.log(value) - (a + b) * _C.log1p(ratio * value)

    def expand(self, batch_shape):
        return FisherSnedecor(self.df1.expand(batch_shape), self.df2.expand(batch_shape))


# --- relaxed ones ------------------------------------------------------------------------------------------


class LogitRelaxedBernoulli(_Odds):
    """The logit of a RelaxedBernoulli number."""

    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._start(probs, logits)

    def rsample(self, sample_shape=()):
        shape = self._extended(sample_shape)
        p, u = (_clamped(t) for t in (self.probs.expand(shape), _C.rand(tuple(shape), dtype=self.probs.dtype)))
        return (u.log() - (-u).log1p() + p.log() - (-p).log1p()) / self.temperature

    def log_prob(self, value):
        difference = self.logits - value * self.temperature
        t = self.temperature
        log = t.log() if isinstance(t, _C.Tensor) else _math.log(t)
        return log + difference - 2 * difference.exp().log1p()


def _clamped(p):
    eps = finfo(p.dtype).eps
    return p.clamp(min=eps, max=1 - eps)


class RelaxedBernoulli(TransformedDistribution):
    """A number between 0 and 1, near its ends where temperature is small; gradients pass to probs or logits."""

    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform())

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


class ExpRelaxedCategorical(Distribution):
    """The logarithm of a RelaxedOneHotCategorical vector."""

    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, (self._categorical.logits.shape[-1],))

    logits = property(lambda self: self._categorical.logits)
    probs = property(lambda self: self._categorical.probs)

    def rsample(self, sample_shape=()):
        u = _clamped(_C.rand(tuple(self._extended(sample_shape)), dtype=self.logits.dtype))
        scores = (self.logits - (-(u.log())).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        n, t = self.event_shape[-1], _C.full_like(self.logits[..., 0], float(self.temperature))
        score = self.logits - value * self.temperature
        score = (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1)
        return score + _math.lgamma(n) - t.log().mul(-(n - 1))

    def expand(self, batch_shape):
        made = type(self).__new__(type(self))
        made._categorical, made.temperature = self._categorical.expand(batch_shape), self.temperature
        Distribution.__init__(made, batch_shape, self.event_shape)
        return made


class RelaxedOneHotCategorical(TransformedDistribution):
    """A vector of shares of 1, near a corner where temperature is small; gradients pass to probs or logits."""

    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(ExpRelaxedCategorical(temperature, probs, logits), ExpTransform())

    temperature = property(lambda self: self.base_dist.temperature)
    logits = property(lambda self: self.base_dist.logits)
    probs = property(lambda self: self.base_dist.probs)


class LogisticNormal(TransformedDistribution):
    """Shares of 1, broken off by normal numbers."""

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale)
        super().__init__(base if base.batch_shape else base.expand([1]), StickBreakingTransform())

    loc = property(lambda self: self.base_dist.base_dist.loc)
    scale = property(lambda self: self.base_dist.base_dist.scale)


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose draws have the gradient of probs."""

    has_rsample = True

    def rsample(self, sample_shape=()):
        drawn = self.sample(sample_shape)
        return drawn + (self.probs - self.probs.detach())


# --- others -----------------------------------------------------------------------------------------------


class NegativeBinomial(_Odds):
    """The successes, of probability probs, before total_count failures."""

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        self.total_count = self._start(probs, logits, total_count)[1]

    mean = property(lambda self: self.total_count * _C.exp(self.logits))
    mode = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance = property(lambda self: self.mean / _C.sigmoid(-self.logits))

    def sample(self, sample_shape=()):
        with no_grad():
            rate = Gamma(self.total_count, _C.exp(-self.logits)).sample(sample_shape)
            return _C.poisson(rate)

    def log_prob(self, value):
        n = self.total_count
        weight = n * _functional.logsigmoid(-self.logits) + value * _functional.logsigmoid(self.logits)
        start = -_C.lgamma(n + value) + _C.lgamma(1.0 + value) + _C.lgamma(n)
        return weight - start.masked_fill(n + value == 0.0, 0.0)


class ContinuousBernoulli(_Odds):
    """A number between 0 and 1 of the density proportional to probs^x (1 - probs)^(1 - x)."""

    has_rsample = True

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._lims = lims
        self._start(probs, logits)

    def _outside(self, p):
        return (p <= self._lims[0]) | (p > self._lims[1])

    def _cut(self, p):
        """p, and where it is near 1/2 the lower limit."""
        return _C.where(self._outside(p), p, self._lims[0] * _C.ones_like(p))

    def _log_norm(self):
        p = _clamped(self.probs)
        cut = self._cut(p)
        below = _C.where(cut <= 0.5, cut, _C.zeros_like(cut))
        above = _C.where(cut >= 0.5, cut, _C.ones_like(cut))
        log = _C.log(_C.abs(_C.log1p(-cut) - _C.log(cut))) - _C.where(
            cut <= 0.5, _C.log1p(-2.0 * below), _C.log(2.0 * above - 1.0))
        x = (p - 0.5) ** 2
        return _C.where(self._outside(p), log, _math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        p = _clamped(self.probs)
        cut = self._cut(p)
        value = cut / (2.0 * cut - 1.0) + 1.0 / (_C.log1p(-cut) - _C.log(cut))
        x = p - 0.5
        return _C.where(self._outside(p), value, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x ** 2) * x)

    @property
    def variance(self):
        p = _clamped(self.probs)
        cut = self._cut(p)
        value = cut * (cut - 1.0) / (1.0 - 2.0 * cut) ** 2 + 1.0 / (_C.log1p(-cut) - _C.log(cut)) ** 2
        x = (p - 0.5) ** 2
        return _C.where(self._outside(p), value, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def rsample(self, sample_shape=()):
        return self.icdf(_C.rand(tuple(self._extended(sample_shape)), dtype=self.probs.dtype))

    def icdf(self, value):
        p = _clamped(self.probs)
        cut = self._cut(p)
        inverse = (_C.log1p(-cut + value * (2.0 * cut - 1.0)) - _C.log1p(-cut)) / (_C.log(cut) - _C.log1p(-cut))
        return _C.where(self._outside(p), inverse, value)

    def cdf(self, value):
        p = _clamped(self.probs)
        cut = self._cut(p)
        inside = (_C.pow(cut, value) * _C.pow(1.0 - cut, 1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        even = _C.where(self._outside(p), inside, value)
        return even.masked_fill(value <= 0.0, 0.0).masked_fill(value >= 1.0, 1.0)

    def log_prob(self, value):
        logits, value = broadcast(self.logits, value)
        return -_functional.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._log_norm()

    def entropy(self):
        log0, log1 = _C.log1p(-_clamped(self.probs)), _C.log(_clamped(self.probs))
        return self.mean * (log0 - log1) - self._log_norm() - log0


class LowRankMultivariateNormal(Distribution):
    """Normal vectors of the covariance cov_factor cov_factor^T + diag(cov_diag)."""

    has_rsample = True

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if cov_factor.shape[-2:-1] != tuple(loc.shape[-1:]) or cov_diag.shape[-1:] != loc.shape[-1:]:
            raise ValueError("cov_factor is of %s and cov_diag of %s, and loc of %s" % (
                tuple(cov_factor.shape), tuple(cov_diag.shape), tuple(loc.shape)))
        self.loc, self.cov_diag = broadcast(loc, cov_diag)
        self.cov_factor = cov_factor.expand(tuple(self.loc.shape) + (cov_factor.shape[-1],))
        over = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        inner = over @ self.cov_factor + _C.eye(cov_factor.shape[-1], dtype=loc.dtype)
        self._factor = _linalg.cholesky(inner)
        super().__init__(self.loc.shape[:-1], self.loc.shape[-1:])

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self):
        return self.cov_factor.pow(2).sum(-1) + self.cov_diag

    @property
    def covariance_matrix(self):
        return self.cov_factor @ self.cov_factor.mT + self.cov_diag.diag_embed()

    @property
    def precision_matrix(self):
        over = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        a = _linalg.solve_triangular(self._factor, over, upper=False)
        return self.cov_diag.reciprocal().diag_embed() - a.mT @ a

    @property
    def scale_tril(self):
        return _linalg.cholesky(self.covariance_matrix)

    def rsample(self, sample_shape=()):
        shape = self._extended(sample_shape)
        w = _C.normal(self.loc.new_zeros((*shape[:-1], self.cov_factor.shape[-1])), 1.0)
        d = _C.normal(self.loc.new_zeros(tuple(shape)), 1.0)
        return self.loc + (self.cov_factor @ w.unsqueeze(-1)).squeeze(-1) + self.cov_diag.sqrt() * d

    def _log_det(self):
        return 2 * self._factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self.cov_diag.log().sum(-1)

    def log_prob(self, value):
        difference = value - self.loc
        over = self.cov_factor.mT / self.cov_diag.unsqueeze(-2)
        part = (over @ difference.unsqueeze(-1))
        shape = tuple(part.shape[:-2])
        solved = _linalg.solve_triangular(self._factor.expand(shape + tuple(self._factor.shape[-2:])), part, upper=False)
        distance = (difference.pow(2) / self.cov_diag).sum(-1) - solved.squeeze(-1).pow(2).sum(-1)
        return -0.5 * (self.event_shape[0] * _math.log(2 * _math.pi) + self._log_det() + distance)

    def entropy(self):
        return 0.5 * (self.event_shape[0] * (1.0 + _math.log(2 * _math.pi)) + self._log_det())

    def expand(self, batch_shape):
        n, k = self.cov_factor.shape[-2:]
        return LowRankMultivariateNormal(self.loc.expand((*batch_shape, n)), self.cov_factor.expand((*batch_shape, n, k)),
                                         self.cov_diag.expand((*batch_shape, n)))


class VonMises(Distribution):
    """Angles of the density exp(concentration cos(x - loc)) / (2 pi I0(concentration)); draws by rejection (Best and
    Fisher, 1979)."""

    _names = ("loc", "concentration")

    def __init__(self, loc, concentration, validate_args=None):
        self._set(loc, concentration)
        self._require(self.concentration > 0, "concentration", "above 0")

    mean = mode = property(lambda self: self.loc)

    @property
    def variance(self):
        return 1 - _C.special_i1e(self.concentration) / _C.special_i0e(self.concentration)

    def log_prob(self, value):
        k = self.concentration
        return k * _C.cos(value - self.loc) - _math.log(2 * _math.pi) - (_C.special_i0e(k).log() + k)

    def _radius(self):
        k = self.concentration.double()
        tau = 1 + (1 + 4 * k ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        return _C.where(k < 1e-5, k.reciprocal() + k, (1 + rho ** 2) / (2 * rho))

    def sample(self, sample_shape=()):
        with no_grad():
            shape = tuple(self._extended(sample_shape))
            loc, k, r = self.loc.double(), self.concentration.double(), self._radius()
            x, done = _C.empty(shape, dtype=k.dtype), _C.zeros(shape, dtype=_C.bool)
            while not bool(done.all()):
                u1, u2, u3 = _C.rand((3, *shape), dtype=k.dtype).unbind(0)
                z = _C.cos(_math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
                x = _C.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + _math.pi + loc) % (2 * _math.pi) - _math.pi).to(self.loc.dtype)


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices whose density is det^(concentration - 1) (Lewandowski, Kurowicka, Joe,
    2009), by the onion method."""

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError("LKJCholesky: dim is %d, and has to be at least 2" % dim)
        self.dim, (self.concentration,) = dim, broadcast(concentration)
        super().__init__(self.concentration.shape, (dim, dim))
        marginal = self.concentration + 0.5 * (dim - 2)
        offset = _C.arange(dim - 1, dtype=self.concentration.dtype)
        offset = _C.cat([offset.new_zeros(1), offset])
        self._beta = Beta(offset + 0.5, marginal.unsqueeze(-1) - 0.5 * offset)

    def sample(self, sample_shape=()):
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            u = _C.normal(y.new_zeros(tuple(self._extended(sample_shape))), 1.0).tril(-1)
            u = u / u.norm(dim=-1, keepdim=True)
            u[..., 0, :].fill_(0.0)
            w = _C.sqrt(y) * u
            return w + (1 - (w ** 2).sum(-1)).clamp(min=finfo_of(w).tiny).sqrt().diag_embed()

    def log_prob(self, value):
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - _C.arange(2, self.dim + 1)
        total = (order * diagonal.log()).sum(-1)
        n = self.dim - 1
        alpha = self.concentration + 0.5 * n
        below = _C.mvlgamma(alpha - 0.5, n)
        return total - (0.5 * n * _math.log(_math.pi) + below - _C.lgamma(alpha) * n)

    def expand(self, batch_shape):
        return LKJCholesky(self.dim, self.concentration.expand(batch_shape))


class GeneralizedPareto(Distribution):
    """loc + scale ((1 - u)^(-concentration) - 1) / concentration of even numbers u."""

    has_rsample = True
    _names = ("loc", "scale", "concentration")

    def __init__(self, loc, scale, concentration, validate_args=None):
        self._set(loc, scale, concentration)
        self._require(self.scale > 0, "scale", "above 0")

    def rsample(self, sample_shape=()):
        return self.icdf(_C.rand(tuple(self._extended(sample_shape)), dtype=self.loc.dtype))

    def _parts(self, value):
        z = (value - self.loc) / self.scale
        is_zero = _C.isclose(self.concentration, _C.zeros_like(self.concentration))
        return z, is_zero, _C.where(is_zero, _C.ones_like(self.concentration), self.concentration)

    def log_prob(self, value):
        z, is_zero, k = self._parts(value)
        density = _C.where(is_zero, -z, -(1 / k + 1) * _C.log1p(k * z)) - self.scale.log()
        return _C.where(z >= 0, density, -_math.inf)

    def log_survival_function(self, value):
        z, is_zero, k = self._parts(value)
        return _C.where(is_zero, -z, -_C.log1p(k * z) / k)

    def log_cdf(self, value):
        return _C.log1p(-_C.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return 1 - _C.exp(self.log_survival_function(value))

    def icdf(self, value):
        _, is_zero, k = self._parts(self.loc)
        rest = _C.log1p(-value)
        return self.loc + self.scale * _C.where(is_zero, -rest, _C.expm1(-k * rest) / k)

    @property
    def mean(self):
        return _C.where(self.concentration < 1, self.loc + self.scale / (1 - self.concentration), _math.inf)

    @property
    def variance(self):
        k = self.concentration
        value = self.scale.pow(2) / ((1 - k).pow(2) * (1 - 2 * k))
        return _C.where(k < 0.5, value, _math.inf)

    @property
    def mode(self):
        return self.loc

    def entropy(self):
        return (self.scale.log() + self.concentration + 1).expand(tuple(self._batch_shape))


class Wishart(Distribution):
    """The sum of outer products of df normal vectors: matrices, by Bartlett's decomposition."""

    has_rsample = True

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(given) != 1:
            raise ValueError("Wishart: one of covariance_matrix, precision_matrix and scale_tril is given")
        n = given[0].shape[-1]
        self._shown = ("scale_tril" if scale_tril is not None else "covariance_matrix" if covariance_matrix is not None
                       else "precision_matrix", "df")
        self.df = df if isinstance(df, _C.Tensor) else given[0].new_tensor(float(df))
        if bool((self.df <= n - 1).any()):
            raise ValueError("Wishart: df is %s, and has to be above %d" % (self.df, n - 1))
        if scale_tril is not None:
            factor = scale_tril
        elif covariance_matrix is not None:
            factor = _linalg.cholesky(covariance_matrix)
        else:
            factor = _linalg.cholesky(_linalg.inv(precision_matrix))
        batch = _C.broadcast_tensors([self.df, factor[..., 0, 0]])[0].shape
        self.df, self.scale_tril = self.df.expand(batch), factor.expand((*batch, n, n))
        super().__init__(batch, (n, n))
        k = _C.arange(n, dtype=factor.dtype)
        self._chi2 = Chi2(self.df.unsqueeze(-1) - k)

    covariance_matrix = property(lambda self: self.scale_tril @ self.scale_tril.mT)
    precision_matrix = property(lambda self: _linalg.inv(self.covariance_matrix))
    mean = property(lambda self: self.df[..., None, None] * self.covariance_matrix)

    @property
    def mode(self):
        factor = self.df - self.event_shape[-1] - 1
        return factor.masked_fill(factor <= 0, _math.nan)[..., None, None] * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        d = v.diagonal(dim1=-2, dim2=-1)
        return self.df[..., None, None] * (v.pow(2) + d.unsqueeze(-1) * d.unsqueeze(-2))

    def rsample(self, sample_shape=()):
        n = self.event_shape[-1]
        diagonal = self._chi2.rsample(sample_shape).clamp(min=finfo_of(self.df).tiny).sqrt()
        rows, columns = _C.tril_indices(n, n, -1).unbind(0)
        below = _C.normal(diagonal.new_zeros((*diagonal.shape[:-1], n * (n - 1) // 2)), 1.0)
        factor = self.scale_tril @ _placed(diagonal.diag_embed(), rows, columns, below)
        return factor @ factor.mT

    def entropy(self):
        n, nu = self.event_shape[-1], self.df
        log_det = self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        digammas = _C.digamma(nu.unsqueeze(-1) / 2 - _C.arange(n, dtype=nu.dtype) / 2).sum(-1)
        return ((n + 1) * (n * _math.log(2.0) / 2 + log_det) + _C.mvlgamma(nu / 2, n) - (nu - n - 1) / 2 * digammas
                + nu * n / 2)

    def expand(self, batch_shape):
        return Wishart(self.df.expand(batch_shape), scale_tril=self.scale_tril.expand((*batch_shape, *self.event_shape)))

    def log_prob(self, value):
        n, nu = self.event_shape[-1], self.df
        log_det = self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        value, factor = broadcast(value, self.scale_tril)
        solved = _C.cholesky_solve(value, factor)
        trace = solved.diagonal(dim1=-2, dim2=-1).sum(-1)
        return (-nu * (n * _math.log(2.0) / 2 + log_det) - _C.mvlgamma(nu / 2, n)
                + (nu - n - 1) / 2 * _linalg.slogdet(value)[1] - trace / 2)
