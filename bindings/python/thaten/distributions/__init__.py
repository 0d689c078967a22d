"""Probability distributions: draws, densities, entropies, divergences.

A distribution has a batch_shape, the shape of its parameters, and an event_shape, that of one draw.  sample(shape) draws
without a gradient, rsample(shape) with one, where there is one; the numbers are PyTorch's after the same seed.
"""

from .continuous import (Beta, Cauchy, Dirichlet, Exponential, Gamma, Gumbel, HalfNormal, Laplace, LogNormal,
                         MultivariateNormal, Normal, StudentT, Uniform)
from .discrete import Bernoulli, Binomial, Categorical, Geometric, Multinomial, OneHotCategorical, Poisson
from .distribution import Distribution, Independent
from .kl import kl_divergence, register_kl

__all__ = ["Bernoulli", "Beta", "Binomial", "Categorical", "Cauchy", "Dirichlet", "Distribution", "Exponential", "Gamma",
           "Geometric", "Gumbel", "HalfNormal", "Independent", "Laplace", "LogNormal", "Multinomial", "MultivariateNormal",
           "Normal", "OneHotCategorical", "Poisson", "StudentT", "Uniform", "kl_divergence", "register_kl"]
