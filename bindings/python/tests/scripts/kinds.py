"""What distributions say of themselves: texts, parameters, moments and shapes."""

import torch
import torch.distributions as D

D.Distribution.set_default_validate_args(True)
texts, losses, t = [], [], torch.tensor
made = {
    "Uniform": lambda: D.Uniform(t([0., 1.]), t([2., 3.])),
    "Pareto": lambda: D.Pareto(t([1.]), t([2.])),
    "Normal": lambda: D.Normal(0., 1.),
    "Beta": lambda: D.Beta(1., 2.),
    "Binomial": lambda: D.Binomial(3, t(.5)),
    "Categorical": lambda: D.Categorical(t([.3, .7])),
    "Cauchy": lambda: D.Cauchy(0., 1.),
    "Chi2": lambda: D.Chi2(2.),
    "ContinuousBernoulli": lambda: D.ContinuousBernoulli(t(.3)),
    "Dirichlet": lambda: D.Dirichlet(torch.ones(2)),
    "Exponential": lambda: D.Exponential(1.),
    "FisherSnedecor": lambda: D.FisherSnedecor(1., 2.),
    "Gamma": lambda: D.Gamma(1., 1.),
    "Geometric": lambda: D.Geometric(.4),
    "Gumbel": lambda: D.Gumbel(0., 1.),
    "HalfCauchy": lambda: D.HalfCauchy(1.),
    "HalfNormal": lambda: D.HalfNormal(1.),
    "InverseGamma": lambda: D.InverseGamma(1., 1.),
    "Kumaraswamy": lambda: D.Kumaraswamy(1., 1.),
    "Laplace": lambda: D.Laplace(0., 1.),
    "LogNormal": lambda: D.LogNormal(0., 1.),
    "LogisticNormal": lambda: D.LogisticNormal(torch.zeros(2), torch.ones(2)),
    "Multinomial": lambda: D.Multinomial(3, t([.5, .5])),
    "MultivariateNormal": lambda: D.MultivariateNormal(torch.zeros(2), torch.eye(2)),
    "NegativeBinomial": lambda: D.NegativeBinomial(3, t(.5)),
    "OneHotCategorical": lambda: D.OneHotCategorical(t([.5, .5])),
    "Poisson": lambda: D.Poisson(2.),
    "RelaxedBernoulli": lambda: D.RelaxedBernoulli(t(1.), t(.5)),
    "StudentT": lambda: D.StudentT(2.),
    "VonMises": lambda: D.VonMises(t(0.), t(1.)),
    "Weibull": lambda: D.Weibull(1., 2.),
    "Wishart": lambda: D.Wishart(t(3.), torch.eye(2)),
    "LKJCholesky": lambda: D.LKJCholesky(3, 1.),
    "Bernoulli": lambda: D.Bernoulli(.3),
}
for name in sorted(made):
    d = made[name]()
    texts += [str(d), str(d.batch_shape), str(d.event_shape), str(d.support), str(d.has_rsample),
              str({k: str(v) for k, v in sorted(d.arg_constraints.items())})]
    for read in (lambda: d.mean, lambda: d.variance, lambda: d.mode, lambda: d.stddev, lambda: d.entropy()):
        try:
            texts.append(str(read()))
        except NotImplementedError:
            texts.append("none")
    s = d.sample((2,))
    texts += [str(tuple(s.shape)), str(tuple(d.log_prob(s).shape)), str(d.expand((3,) + tuple(d.batch_shape)).batch_shape)]
wrong = [lambda: D.Uniform(t([0., 3.]), t([1., 2.])), lambda: D.Pareto(t(-1.), t(1.)), lambda: D.Gamma(-1., 1.),
         lambda: D.Dirichlet(t([1., -1.])), lambda: D.MultivariateNormal(torch.zeros(2), -torch.eye(2)),
         lambda: D.Categorical(t([-1., 2.])), lambda: D.Uniform(0., 1.).log_prob(t(2.)), lambda: D.Beta(1., 1.).log_prob(t(1.5)),
         lambda: D.Wishart(t(0.5), torch.eye(2))]
for call in wrong:
    try:
        call()
        texts.append("fine")
    except ValueError:
        texts.append("ValueError")
for counts in (1, 4):
    losses.append(D.Multinomial(counts, t([0.2, 0.5, 0.3], dtype=torch.float64)).entropy().item())
