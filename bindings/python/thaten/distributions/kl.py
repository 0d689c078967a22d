"""Kullback-Leibler divergences, the mean of log p(x) - log q(x) over draws of p."""

import math as _math

from .. import _C
from .continuous import Beta, Dirichlet, Exponential, Gamma, Gumbel, HalfNormal, Laplace, LogNormal, MultivariateNormal, Normal, Uniform
from .discrete import Bernoulli, Binomial, Categorical, Geometric, OneHotCategorical, Poisson
from .distribution import Independent, summed

_pairs = {}


def register_kl(type_p, type_q):
    """A decorator: the function gives the divergence of the two types and of those derived from them."""

    def register(function):
        _pairs[type_p, type_q] = function
        return function

    return register


def kl_divergence(p, q):
    """The divergence from q to p, for each element of the batch."""
    for a in type(p).__mro__:
        for b in type(q).__mro__:
            if (a, b) in _pairs:
                return _pairs[a, b](p, q)
    raise NotImplementedError("kl_divergence() of %s and %s" % (type(p).__name__, type(q).__name__))


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())


@register_kl(LogNormal, LogNormal)
def _log_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    soft = _C.softplus
    first = p.probs * (soft(-q.logits) - soft(-p.logits))
    first = first.masked_fill(q.probs == 0, _math.inf).masked_fill(p.probs == 0, 0)
    second = (1 - p.probs) * (soft(q.logits) - soft(p.logits))
    return first + second.masked_fill(q.probs == 1, _math.inf).masked_fill(p.probs == 1, 0)


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if bool((q.total_count < p.total_count).any()):
        raise NotImplementedError("kl_divergence() of Binomial whose total_count is the smaller one")
    return p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill((q.probs == 0).expand(terms.shape), _math.inf)
    return terms.masked_fill((p.probs == 0).expand(terms.shape), 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p, q)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - _C.log1p(-q.probs) / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    value = ((q.high - q.low) / (p.high - p.low)).log()
    return value.masked_fill((q.low > p.low) | (q.high < p.high), _math.inf)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * _C.exp(-distance / p.scale) - 1


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    distance = p.loc - q.loc
    mean = (_math.sqrt(2 / _math.pi) * p.scale * (-0.5 * (distance / p.scale) ** 2).exp()  # of |x - q.loc|
            + distance * (_math.sqrt(0.5) * distance / p.scale).erf())
    return -(p.scale / q.scale).log() + mean / q.scale - 0.5 * (1 + _math.log(_math.pi / 2))


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    ratio = (p.scale / q.scale) ** 2
    return 0.5 * (ratio - 1 - ratio.log())


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return -ratio.log() + distance + (ratio - 1) * 0.57721566490153286060 + (_C.lgamma(1 + ratio) - distance).exp() - 1


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    return (q.concentration * (p.rate / q.rate).log() + _C.lgamma(q.concentration) - _C.lgamma(p.concentration)
            + (p.concentration - q.concentration) * _C.digamma(p.concentration)
            + (q.rate - p.rate) * (p.concentration / p.rate))


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    return (total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
            + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1))


@register_kl(Beta, Beta)
def _beta(p, q):
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p, q):
    def solved(right):
        shape = (*right.shape[:-2], *q.scale_tril.shape[-2:])
        return summed(_C.linalg_solve_triangular(q.scale_tril.expand(shape), right, upper=False) ** 2, 2)

    distance = solved((q.loc - p.loc).unsqueeze(-1))
    return q._half_log_det() - p._half_log_det() + 0.5 * (solved(p.scale_tril) + distance - p.loc.shape[-1])


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("kl_divergence() of Independent with other numbers of dimensions")
    return summed(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# --- of two types: minus the entropy of p, and what the mean of log q(x) is made of ------------------------


def _to_normal(p, q):
    """Of any p with a mean and a variance."""
    return (q.scale * _math.sqrt(2 * _math.pi)).log() + (p.variance + (p.mean - q.loc) ** 2) / (2 * q.scale**2) - p.entropy()


def _to_exponential(p, q):
    return q.rate * p.mean - q.rate.log() - p.entropy()


def _to_gamma(p, q, mean_of_log):
    a = q.concentration
    return _C.lgamma(a) - a * q.rate.log() - (a - 1) * mean_of_log + q.rate * p.mean - p.entropy()


for _type in (Beta, Exponential, Gamma, Gumbel, Laplace, Uniform):
    register_kl(_type, Normal)(_to_normal)
for _type in (Beta, Gamma):
    register_kl(_type, Exponential)(_to_exponential)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    return _to_exponential(p, q).masked_fill(p.low < 0, _math.inf)


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    return _to_gamma(p, q, -p.rate.log() - 0.57721566490153286060)


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    return _to_gamma(p, q, _C.digamma(p.concentration1) - _C.digamma(p.concentration1 + p.concentration0))
