"""What the parameters and the draws of each distribution may be, and where transforms go from and to."""

from . import constraints as c

_LOC_SCALE = {"loc": c.real, "scale": c.positive}
_ODDS = {"probs": c.unit_interval, "logits": c.real}
_CLASSES = {"probs": c.simplex, "logits": c.real_vector}
_MATRIX = {"covariance_matrix": c.positive_definite, "precision_matrix": c.positive_definite, "scale_tril": c.lower_cholesky}


def _positive(*names):
    return {name: c.positive for name in names}


def _depends(support, **more):
    return c.dependent_property(support, **more)


def _pareto(self):
    return c.greater_than_eq(self.loc)


def _transformed(self):
    made = self.transforms[-1].codomain if self.transforms else self.base_dist.support
    events = len(self.event_shape) - (made.event_dim if isinstance(made.event_dim, int) else 0)
    return c.independent(made, events) if events > 0 else made


# By the name of a class: what its parameters have to be, and what its draws are.
SUPPORTS = {
    "Bernoulli": (_ODDS, c.boolean),
    "Beta": (_positive("concentration1", "concentration0"), c.unit_interval),
    "Binomial": ({"total_count": c.nonnegative_integer, **_ODDS},
                 _depends(lambda self: c.integer_interval(0, self.total_count), is_discrete=True, event_dim=0)),
    "Categorical": (_CLASSES, _depends(lambda self: c.integer_interval(0, self._num_events - 1), is_discrete=True, event_dim=0)),
    "Cauchy": (_LOC_SCALE, c.real),
    "Chi2": (_positive("df"), c.nonnegative),
    "ContinuousBernoulli": (_ODDS, c.unit_interval),
    "Dirichlet": ({"concentration": c.independent(c.positive, 1)}, c.simplex),
    "ExpRelaxedCategorical": (_CLASSES, c.real_vector),
    "Exponential": (_positive("rate"), c.nonnegative),
    "FisherSnedecor": (_positive("df1", "df2"), c.positive),
    "Gamma": (_positive("concentration", "rate"), c.nonnegative),
    "GeneralizedPareto": ({**_LOC_SCALE, "concentration": c.real}, _depends(_pareto, is_discrete=False, event_dim=0)),
    "Geometric": (_ODDS, c.nonnegative_integer),
    "Gumbel": (_LOC_SCALE, c.real),
    "HalfCauchy": (_positive("scale"), c.nonnegative),
    "HalfNormal": (_positive("scale"), c.nonnegative),
    "Independent": ({}, _depends(lambda self: c.independent(self.base_dist.support, self.reinterpreted_batch_ndims)
                                 if self.reinterpreted_batch_ndims else self.base_dist.support)),
    "InverseGamma": (_positive("concentration", "rate"), c.positive),
    "Kumaraswamy": (_positive("concentration1", "concentration0"), c.unit_interval),
    "LKJCholesky": (_positive("concentration"), c.corr_cholesky),
    "Laplace": (_LOC_SCALE, c.real),
    "LogNormal": (_LOC_SCALE, c.positive),
    "LogisticNormal": (_LOC_SCALE, c.simplex),
    "LogitRelaxedBernoulli": (_ODDS, c.real),
    "LowRankMultivariateNormal": ({"loc": c.real_vector, "cov_factor": c.independent(c.real, 2),
                                   "cov_diag": c.independent(c.positive, 1)}, c.real_vector),
    "MixtureSameFamily": ({}, _depends(lambda self: self.component_distribution.support)),
    "Multinomial": (_CLASSES, _depends(lambda self: c.multinomial(self.total_count), is_discrete=True, event_dim=1)),
    "MultivariateNormal": ({"loc": c.real_vector, **_MATRIX}, c.real_vector),
    "NegativeBinomial": ({"total_count": c.greater_than_eq(0), "probs": c.half_open_interval(0.0, 1.0), "logits": c.real},
                         c.nonnegative_integer),
    "Normal": (_LOC_SCALE, c.real),
    "OneHotCategorical": (_CLASSES, c.one_hot),
    "Pareto": (_positive("alpha", "scale"), _depends(lambda self: c.greater_than_eq(self.scale), is_discrete=False, event_dim=0)),
    "Poisson": ({"rate": c.nonnegative}, c.nonnegative_integer),
    "RelaxedBernoulli": (_ODDS, c.unit_interval),
    "RelaxedOneHotCategorical": (_CLASSES, c.simplex),
    "StudentT": ({"df": c.positive, **_LOC_SCALE}, c.real),
    "TransformedDistribution": ({}, _depends(_transformed)),
    "Uniform": (property(lambda self: {"low": c.less_than(self.high), "high": c.greater_than(self.low)}),
                _depends(lambda self: c.interval(self.low, self.high), is_discrete=False, event_dim=0)),
    "VonMises": ({"loc": c.real, "concentration": c.positive}, c.real),
    "Weibull": (_positive("scale", "concentration"), c.positive),
    "Wishart": (property(lambda self: {**_MATRIX, "df": c.greater_than(self.event_shape[-1] - 1)}), c.positive_definite),
}


def _composed(self):
    return self.parts[0].domain if self.parts else c.real


# By the name of a class: the constraints of what a transform takes, and of what it makes.
RANGES = {
    "ExpTransform": (c.real, c.positive), "PowerTransform": (c.positive, c.positive), "SigmoidTransform": (c.real, c.unit_interval),
    "SoftplusTransform": (c.real, c.positive), "TanhTransform": (c.real, c.interval(-1.0, 1.0)), "AbsTransform": (c.real, c.positive),
    "SoftmaxTransform": (c.real_vector, c.simplex), "StickBreakingTransform": (c.real_vector, c.simplex),
    "LowerCholeskyTransform": (c.independent(c.real, 2), c.lower_cholesky),
    "PositiveDefiniteTransform": (c.independent(c.real, 2), c.positive_definite),
    "CorrCholeskyTransform": (c.real_vector, c.corr_cholesky), "Transform": (c.real, c.real),
    "CumulativeDistributionTransform": (property(lambda self: self.distribution.support), c.unit_interval),
    "ComposeTransform": (property(_composed), property(lambda self: self.parts[-1].codomain if self.parts else c.real)),
    "_Inverse": (property(lambda self: self.inv.codomain), property(lambda self: self.inv.domain)),
    "_Parts": (property(lambda self: _joined(self, "domain")), property(lambda self: _joined(self, "codomain"))),
    "IndependentTransform": tuple(property(lambda self, end=end: c.independent(
        getattr(self.base_transform, end), self.reinterpreted_batch_ndims)) for end in ("domain", "codomain")),
    "ReshapeTransform": tuple(property(lambda self, shape=shape: c.independent(c.real, len(getattr(self, shape))))
                              for shape in ("in_shape", "out_shape")),
    "AffineTransform": tuple(property(lambda self: c.independent(c.real, self.event_dim) if self.event_dim else c.real)
                             for _ in range(2)),
}


def _joined(self, end):
    parts = [getattr(t, end) for t in self.transforms]
    return c.cat(parts, self.dim, self.lengths) if hasattr(self, "lengths") else c.stack(parts, self.dim)


def install(names):
    """Gives the classes among the names their constraints."""
    for name, (parameters, support) in SUPPORTS.items():
        if name in names:
            names[name].arg_constraints, names[name].support = parameters, support
    for name, (domain, codomain) in RANGES.items():
        if name in names:
            names[name].domain, names[name].codomain = domain, codomain
