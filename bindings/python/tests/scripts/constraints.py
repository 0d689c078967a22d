"""What parameters and draws of distributions may be, the transforms to it, and values that are refused."""

import torch
import torch.distributions as D
from torch.distributions import biject_to, constraints, transform_to
from torch.distributions.categorical import Categorical
from torch.distributions.normal import Normal

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
losses, texts = [], []
vector, matrix = torch.randn(3), torch.randn(3, 3)
for c in (constraints.positive, constraints.unit_interval, constraints.simplex, constraints.lower_cholesky,
          constraints.interval(-2.0, 3.0), constraints.greater_than(1.0), constraints.real_vector, constraints.boolean,
          constraints.nonnegative_integer, constraints.corr_cholesky, constraints.positive_definite, constraints.less_than(4.0),
          constraints.half_open_interval(0.0, 1.0), constraints.integer_interval(1, 5), constraints.one_hot,
          constraints.symmetric, constraints.square, constraints.lower_triangular, constraints.real,
          constraints.independent(constraints.positive, 1)):
    texts.append("%s %s %s" % (c, c.event_dim, c.is_discrete))
    for registry in (transform_to, biject_to):
        try:
            transform = registry(c)
        except NotImplementedError:
            texts.append("none")
            continue
        y = transform(matrix if c.event_dim == 2 and c is not constraints.corr_cholesky else vector)
        losses += y.reshape(-1).tolist()
        texts.append("%s %s" % (type(transform).__name__, bool(c.check(y).all())))

for d in (Normal(0.0, 1.0), D.Beta(1.0, 2.0), Categorical(torch.ones(3)), D.Bernoulli(torch.tensor(0.3)), D.Uniform(1.0, 2.0),
          D.Dirichlet(torch.ones(3)), D.Gamma(1.0, 1.0), D.Poisson(3.0), D.MultivariateNormal(torch.zeros(2), torch.eye(2)),
          D.LogNormal(0.0, 1.0), D.Independent(Normal(torch.zeros(3), torch.ones(3)), 1), D.Geometric(torch.tensor(0.5)),
          D.TransformedDistribution(Normal(0.0, 1.0), [D.transforms.SigmoidTransform()]), D.HalfNormal(1.0),
          D.OneHotCategorical(torch.ones(3)), D.VonMises(0.0, 1.0), D.Weibull(1.0, 1.0), D.Multinomial(3, torch.ones(2))):
    texts.append("%s %s" % (type(d).__name__, d.support))

refused = [lambda: Normal(0.0, -1.0), lambda: Categorical(torch.tensor([-1.0, 2.0])),
           lambda: D.Beta(0.5, 0.5).log_prob(torch.tensor(1.5)), lambda: Categorical(torch.ones(3)).log_prob(torch.tensor(4)),
           lambda: Normal(torch.zeros(3), 1.0).log_prob(torch.zeros(4)), lambda: D.Bernoulli(torch.tensor(0.3)).log_prob(torch.tensor(0.5)),
           lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.tensor([0.5, 0.6, 0.1])), lambda: D.Poisson(torch.tensor(-1.0)),
           lambda: D.MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 2.0], [2.0, 1.0]])),
           lambda: D.Uniform(1.0, 2.0).log_prob(torch.tensor(3.0)), lambda: D.Gamma(1.0, 1.0).log_prob(torch.tensor(-1.0)),
           lambda: Normal(0.0, 1.0).log_prob(torch.tensor(0.5))]
for call in refused:
    try:
        call()
        texts.append("taken")
    except ValueError:
        texts.append("refused")
losses += [Normal(0.0, 1.0, validate_args=False).log_prob(torch.tensor(1.0)).item()]
for d in (D.Bernoulli(torch.tensor([0.3, 0.4])), D.OneHotCategorical(torch.ones(2)), D.Binomial(2, torch.tensor(0.1)), Categorical(torch.ones(2, 3))):
    losses += d.enumerate_support().reshape(-1).tolist()


class Doubled(D.Distribution):
    arg_constraints = {"a": constraints.positive}
    support = constraints.real

    def __init__(self, a, validate_args=None):
        self.a = a
        super().__init__(a.shape, validate_args=validate_args)

    def rsample(self, sample_shape=torch.Size()):
        return self.a.expand(self._extended_shape(sample_shape)) * 2


texts.append(str(Doubled(torch.tensor([1.0, 2.0]))))
losses += Doubled(torch.tensor([1.0, 2.0])).rsample((2,)).reshape(-1).tolist()
try:
    Doubled(torch.tensor([-1.0]))
except ValueError:
    texts.append("refused")
