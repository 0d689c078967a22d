"""Divergences of two types of distributions."""

import torch
from torch import distributions as D

torch.set_default_dtype(torch.float64)
beta, exponential, gamma, uniform = D.Beta(2.0, 3.0), D.Exponential(1.5), D.Gamma(2.0, 3.0), D.Uniform(0.5, 2.0)
normal = D.Normal(0.3, 1.2)
losses = [D.kl_divergence(p, normal).item() for p in (beta, exponential, gamma, uniform, D.Laplace(1.0, 2.0), D.Gumbel(0.5, 2.0))]
losses += [D.kl_divergence(p, exponential).item() for p in (beta, gamma, uniform)]
losses += [D.kl_divergence(p, gamma).item() for p in (exponential, beta)]
texts = [str(D.kl_divergence(D.Uniform(-1.0, 1.0), exponential).item())]
