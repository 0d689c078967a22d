"""Probability distributions: draws, densities, entropies, divergences.

A distribution has a batch_shape, the shape of its parameters, and an event_shape, that of one draw.  sample(shape) draws
without a gradient, rsample(shape) with one, where there is one; the numbers are PyTorch's after the same seed.
"""

from .continuous import (Beta, Cauchy, Dirichlet, Exponential, Gamma, Gumbel, HalfNormal, Laplace, LogNormal,
                         MultivariateNormal, Normal, StudentT, Uniform)
from .discrete import Bernoulli, Binomial, Categorical, Geometric, Multinomial, OneHotCategorical, Poisson
from .derived import (Chi2, ContinuousBernoulli, FisherSnedecor, GeneralizedPareto, HalfCauchy, InverseGamma, Kumaraswamy,
                      LKJCholesky, LogisticNormal, LowRankMultivariateNormal, MixtureSameFamily, NegativeBinomial,
                      LogitRelaxedBernoulli, ExpRelaxedCategorical, OneHotCategoricalStraightThrough, Pareto, RelaxedBernoulli, RelaxedOneHotCategorical,
                      TransformedDistribution, VonMises, Weibull, Wishart)
from .distribution import Distribution, Independent
from .kl import kl_divergence, register_kl

from . import _supports, constraints, transforms
from .transforms import *  # noqa: F403
from .constraint_registry import biject_to, transform_to

_supports.install({**vars(transforms), **globals()})

# PyTorch has a module for each: distributions.normal.Normal.
_MODULES = {"studentT": ["StudentT"], "fishersnedecor": ["FisherSnedecor"], "lkj_cholesky": ["LKJCholesky"],
            "lowrank_multivariate_normal": ["LowRankMultivariateNormal"],
            "one_hot_categorical": ["OneHotCategorical", "OneHotCategoricalStraightThrough"],
            "relaxed_bernoulli": ["RelaxedBernoulli", "LogitRelaxedBernoulli"],
            "relaxed_categorical": ["RelaxedOneHotCategorical", "ExpRelaxedCategorical"]}


def _modules():
    import re
    import sys
    import types

    known = {name for names in _MODULES.values() for name in names}
    for name, kind in list(globals().items()):
        if isinstance(kind, type) and issubclass(kind, Distribution) and kind is not Distribution and name not in known:
            _MODULES[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()] = [name]
    for name, classes in _MODULES.items():
        module = types.ModuleType("%s.%s" % (__name__, name), "The distributions of that name.")
        module.__dict__.update({c: globals()[c] for c in classes if c in globals()}, Distribution=Distribution, constraints=constraints)
        sys.modules[module.__name__] = globals()[name] = module


_modules()

__all__ = [name for name in dir() if not name.startswith("_")]
