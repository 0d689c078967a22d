"""Losses whose targets want gradients too, numbers before tensors, and tensors like others that want gradients."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
losses = []
x0, t0, w = torch.rand(4, 5) * 0.9 + 0.05, torch.rand(4, 5) * 0.9 + 0.05, torch.rand(5)
for reduction in ("none", "mean", "sum"):
    for loss in (lambda x, t: F.binary_cross_entropy(x, t, weight=w, reduction=reduction),
                 lambda x, t: F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=w + 1, reduction=reduction),
                 lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction=reduction),
                 lambda x, t: F.poisson_nll_loss(x, t * 3, log_input=True, full=True, reduction=reduction),
                 lambda x, t: F.poisson_nll_loss(x, t * 3, log_input=False, reduction=reduction),
                 lambda x, t: F.cross_entropy(x, t, weight=w, label_smoothing=0.1, reduction=reduction),
                 lambda x, t: F.kl_div(x.log(), t, reduction=reduction),
                 lambda x, t: F.margin_ranking_loss(x, 1 - x, t - 0.5, margin=0.1, reduction=reduction)):
        x, t = x0.clone().requires_grad_(), t0.clone().requires_grad_()
        loss(x, t).pow(2).sum().backward()
        losses += [x.grad.pow(2).sum().item(), t.grad.sum().item(), t.grad.pow(2).sum().item()]

d = torch.tensor([0.7, -1.3])
for value in (0.1 - d, 0.1 / d, 0.1 // d, torch.mul(0.1, d), torch.add(1, d), torch.sub(0.1, d), torch.div(0.1, d), 0.1 ** d.abs()):
    losses += value.tolist()
losses += [(0.1 - d[0]).item(), (1 - torch.tensor([2], dtype=torch.int8)).item()]
wanted = torch.zeros(2, requires_grad=True)
for like in (torch.ones(2, dtype=torch.int64).type_as(wanted), d.view_as(wanted), d.expand_as(wanted), d.reshape_as(wanted)):
    losses.append(float(like.requires_grad))
