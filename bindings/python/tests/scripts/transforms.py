"""Distributions made of others, and transforms: moments, densities, cumulative distributions, draws."""

import torch
import torch.distributions as D
from torch import tensor as t
from torch import testing

torch.set_default_dtype(torch.float64)
losses, texts = [], []
a, b = t([0.7, 1.5, 2.0]), t([1.2, 0.8, 3.0])
ones, zeros = torch.ones, torch.zeros
made = [
    (D.Chi2(a * 2), t([0.5, 1.0, 2.0])),
    (D.InverseGamma(a + 2, b), t([0.5, 1.0, 2.0])),
    (D.HalfCauchy(a), t([0.5, 1.0, 2.0])),
    (D.Weibull(a, b), t([0.5, 1.0, 2.0])),
    (D.Pareto(a, b + 2), t([1.5, 2.0, 3.0])),
    (D.Kumaraswamy(a + 1, b + 0.5), t([0.5, 0.1, 0.2])),
    (D.FisherSnedecor(a + 5, b + 6), t([0.5, 1.0, 2.0])),
    (D.RelaxedBernoulli(t(0.5), probs=t([0.3, 0.6, 0.9])), t([0.5, 0.1, 0.2])),
    (D.RelaxedOneHotCategorical(t(0.7), logits=t([[0.3, 0.6, 0.9], [1.0, 2, 3]])), t([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])),
    (D.LogisticNormal(t([0.0, 0.5]), t([1.0, 0.3])), t([0.2, 0.3, 0.5])),
    (D.NegativeBinomial(t([3.0, 5.0, 2.0]), probs=t([0.3, 0.6, 0.5])), t([1.0, 2.0, 0.0])),
    (D.NegativeBinomial(t([3.0, 5.0, 2.0]), logits=t([0.3, 0.6, -0.5])), t([1.0, 2.0, 0.0])),
    (D.ContinuousBernoulli(probs=t([0.3, 0.5, 0.9])), t([0.2, 0.3, 0.7])),
    (D.LowRankMultivariateNormal(t([0.0, 1.0, 2.0]), t([[1.0], [0.5], [2.0]]), t([0.1, 0.2, 0.3])), t([0.1, 0.2, 0.3])),
    (D.LKJCholesky(3, t([0.5, 2.0])), t([[1.0, 0, 0], [0.6, 0.8, 0], [0.0, 0.6, 0.8]])),
    (D.Wishart(t(4.0), covariance_matrix=t([[2.0, 0.3], [0.3, 1.0]])), t([[3.0, 0.1], [0.1, 2.0]])),
    (D.OneHotCategoricalStraightThrough(probs=t([0.2, 0.3, 0.5])), t([0.0, 1.0, 0.0])),
    (D.MixtureSameFamily(D.Categorical(t([0.2, 0.8])), D.Normal(t([0.0, 2.0]), t([1.0, 0.5]))), t([0.1, 1.2])),
    (D.MixtureSameFamily(D.Categorical(t([[0.2, 0.8], [0.5, 0.5]])), D.Independent(
        D.Normal(t([[[0.0, 2.0], [1.0, 1.0]], [[0.0, 1.0], [2.0, 2.0]]]), 1.0), 1)), t([[0.1, 1.2], [0.0, 0.0]])),
    (D.TransformedDistribution(D.Normal(a, b), [D.TanhTransform(cache_size=1)]), t([0.1, 0.2, -0.5])),
    (D.TransformedDistribution(D.Uniform(zeros(3), ones(3)), [D.SigmoidTransform().inv, D.AffineTransform(loc=a, scale=b)]),
     t([0.1, 0.2, -0.5])),
    (D.TransformedDistribution(D.Independent(D.Normal(zeros(4), ones(4)), 1), [
        D.ReshapeTransform((4,), (2, 2)), D.AffineTransform(1.0, -2.0, event_dim=2)]), t([[0.1, 0.2], [-0.5, 1.0]])),
    (D.TransformedDistribution(D.Normal(zeros(2, 3), 1.0), D.StickBreakingTransform()), t([0.1, 0.2, 0.3, 0.4])),
    (D.TransformedDistribution(D.Normal(zeros(3), 1.0), D.CorrCholeskyTransform()),
     t([[1.0, 0, 0], [0.6, 0.8, 0], [0.0, 0.6, 0.8]])),
]


def given(what):
    """Numbers of a tensor, none of what a distribution does not have; infinities and NaN as words."""
    try:
        found = what().detach().flatten()
    except (NotImplementedError, AttributeError):
        return []
    texts.append(str([str(n) for n in found.tolist() if not abs(n) < float("inf")]))
    return found[found.abs() < float("inf")].tolist()


for d, value in made:
    texts.append("%s %s %s %s" % (type(d).__name__, tuple(d.batch_shape), tuple(d.event_shape), d.has_rsample))
    for name in ("mean", "variance", "mode", "stddev"):
        losses += given(lambda: getattr(d, name))
    losses += given(lambda: d.log_prob(value)) + given(lambda: d.entropy())
    if not isinstance(d, (D.RelaxedBernoulli, D.RelaxedOneHotCategorical)) and not d.event_shape:
        losses += given(lambda: d.cdf(value)) + given(lambda: d.icdf(torch.full(d.batch_shape, 0.3)))
    losses += given(lambda: d.expand((2, *d.batch_shape)).log_prob(value))
    if not isinstance(d, D.Wishart):  # PyTorch draws again what it takes for singular
        torch.manual_seed(3)
        losses += given(lambda: d.sample((2,)))
        if d.has_rsample:
            losses += given(lambda: d.rsample())

torch.manual_seed(4)
x = torch.randn(3, 3)
for transform in (D.ExpTransform(), D.PowerTransform(t(2.0)), D.SigmoidTransform(), D.SoftplusTransform(), D.TanhTransform(),
                  D.AffineTransform(1.0, t(-2.0)), D.SoftmaxTransform(), D.StickBreakingTransform(), D.CorrCholeskyTransform(),
                  D.LowerCholeskyTransform(), D.PositiveDefiniteTransform(), D.AbsTransform(),
                  D.ComposeTransform([D.ExpTransform(), D.AffineTransform(0.0, 2.0)]), D.IndependentTransform(D.ExpTransform(), 1),
                  D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=0, lengths=[1, 2]),
                  D.StackTransform([D.ExpTransform()] * 3, dim=0), D.CumulativeDistributionTransform(D.Normal(0.0, 1.0))):
    of = x.abs() if isinstance(transform, D.PowerTransform) else x
    y = transform(of)
    losses += y.flatten().tolist() + transform.inv(y).flatten().tolist()
    losses += given(lambda: transform.log_abs_det_jacobian(of, y))

m = zeros(7, 3)
losses += m.fill_diagonal_(2.0, wrap=True).flatten().tolist()
pair = [ones(2), ones(3)]
torch._foreach_mul_(pair, 2.0)
losses += [n for v in torch._foreach_add(pair, pair, alpha=3) for n in v.tolist()]
losses += torch.tensor([4, 9]).gcd_(torch.tensor([6, 6])).tolist()
testing.assert_close(ones(2), ones(2) + 1e-8)
for other in (ones(2) + 1, ones(3), [ones(2)], ones(2).int()):
    try:
        testing.assert_close(ones(2), other)
    except (AssertionError, TypeError) as error:
        texts.append(str(error).split(" <class")[0].split("torch")[0])
