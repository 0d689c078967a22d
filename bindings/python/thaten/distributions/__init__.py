"""Probability distributions: draws, densities, entropies, divergences.

A distribution has a batch_shape, the shape of its parameters, and an event_shape, that of one draw.  sample(shape) draws
without a gradient, rsample(shape) with one, where there is one; the numbers are PyTorch's after the same seed.
"""

from .continuous import (Beta, Cauchy, Dirichlet, Exponential, Gamma, Gumbel, HalfNormal, Laplace, LogNormal,
                         MultivariateNormal, Normal, StudentT, Uniform)
from .discrete import Bernoulli, Binomial, Categorical, Geometric, Multinomial, OneHotCategorical, Poisson
from .derived import (Chi2, ContinuousBernoulli, FisherSnedecor, GeneralizedPareto, HalfCauchy, InverseGamma, Kumaraswamy,
                      LKJCholesky, LogisticNormal, LowRankMultivariateNormal, MixtureSameFamily, NegativeBinomial,
                      OneHotCategoricalStraightThrough, Pareto, RelaxedBernoulli, RelaxedOneHotCategorical,
                      TransformedDistribution, VonMises, Weibull, Wishart)
from .distribution import Distribution, Independent
from .kl import kl_divergence, register_kl

from . import _supports, constraints, transforms
from .transforms import *  # noqa: F403
from .constraint_registry import biject_to, transform_to

_supports.install({**vars(transforms), **globals()})

__all__ = [name for name in dir() if not name.startswith("_")]
