"""Distributions: draws, densities, entropies and divergences, and a policy that learns."""

import torch
from torch import distributions as D
from torch import nn

torch.manual_seed(5)
torch.set_default_dtype(torch.float64)
losses = []


def rates(*shape):
    return torch.rand(*shape) + 0.5


made = [D.Normal(rates(3), rates(3)), D.Normal(0.5, 2.0), D.LogNormal(rates(3), rates(3)), D.HalfNormal(rates(2)),
        D.Laplace(rates(3), rates(3)), D.Cauchy(rates(2), rates(2)), D.Gumbel(rates(2), rates(2)),
        D.Uniform(rates(3), rates(3) + 2), D.Exponential(rates(3)), D.Gamma(rates(3), rates(3)), D.Dirichlet(rates(2, 3)),
        D.Beta(rates(3), rates(3)), D.StudentT(rates(3) + 2, rates(3), rates(3)),
        D.MultivariateNormal(rates(3), scale_tril=torch.tril(rates(3, 3))),
        D.MultivariateNormal(rates(2), covariance_matrix=torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
        D.MultivariateNormal(rates(2), precision_matrix=torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
        D.Bernoulli(torch.rand(3)), D.Bernoulli(logits=rates(3)), D.Geometric(torch.rand(3)), D.Poisson(rates(3)),
        D.Categorical(torch.rand(2, 4)), D.Categorical(logits=rates(4)), D.OneHotCategorical(torch.rand(2, 3)),
        D.Multinomial(4, torch.rand(3)), D.Independent(D.Normal(rates(2, 3), rates(2, 3)), 1)]
for d in made:
    x = d.sample()
    more = d.sample((2, 2))
    losses += [x.double().sum().item(), more.double().sum().item(), d.log_prob(x).sum().item(),
               d.expand((4, *d.batch_shape)).log_prob(x).sum().item(), float(len(d.event_shape))]
    if not isinstance(d, (D.Cauchy, D.Categorical)):
        losses += [d.mean.sum().item(), d.variance.sum().item(), d.stddev.sum().item()]
    if not isinstance(d, (D.Poisson, D.Multinomial)):
        losses.append(d.entropy().sum().item())
    if isinstance(d, (D.Normal, D.Laplace, D.Cauchy, D.Uniform, D.Exponential, D.HalfNormal)):
        losses += [d.cdf(x).sum().item(), d.icdf(torch.full_like(x, 0.3)).sum().item()]
counts = D.Binomial(5, torch.tensor([0.2, 0.7]))
losses += [counts.log_prob(torch.tensor([1.0, 4.0])).sum().item(), counts.mean.sum().item(), counts.entropy().sum().item()]

pairs = [(D.Normal, 2), (D.Laplace, 2), (D.Gamma, 2), (D.Beta, 2), (D.Exponential, 1), (D.Poisson, 1), (D.Dirichlet, 1),
         (D.LogNormal, 2)]
for kind, count in pairs:
    p, q = (kind(*[rates(3) for _ in range(count)]) for _ in range(2))
    losses.append(D.kl_divergence(p, q).sum().item())
for p, q in ((D.Bernoulli(torch.rand(2)), D.Bernoulli(torch.rand(2))), (D.Geometric(torch.rand(2)), D.Geometric(torch.rand(2))),
             (D.Categorical(torch.rand(3)), D.Categorical(torch.rand(3))), (made[13], D.MultivariateNormal(
                 rates(3), scale_tril=torch.tril(rates(3, 3)))), (D.Uniform(1.0, 2.0), D.Uniform(0.0, 4.0)),
             (made[-1], D.Independent(D.Normal(rates(2, 3), rates(2, 3)), 1))):
    losses.append(D.kl_divergence(p, q).sum().item())

policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(5):
    choice = D.Categorical(logits=policy(torch.rand(6, 4)))
    action = choice.sample()
    loss = -(choice.log_prob(action) * (action.double() - 0.5)).mean() - 0.01 * choice.entropy().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
shape = torch.tensor([0.7, 1.5], requires_grad=True)
D.Normal(shape, shape).rsample((3,)).sum().backward()
losses += shape.grad.tolist()
try:
    D.Normal(torch.zeros(1), -torch.ones(1))
except ValueError:
    losses.append(1.0)
torch.set_default_dtype(torch.float32)
