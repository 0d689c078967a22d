"""Gradients and losses of the exported programs of tests/golden/programs, for tests/ATen/autograd/programs.c.

For each program NAME it writes NAME_training.npz: the gradient of each parameter, by its name, of the first output
times weights (weight below), summed; and "losses", of a few steps of gradient descent on the square of that sum less 1, with "rate"."""

import os

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/programs")
PROGRAMS = ["residual", "residual_core", "mobile", "encoder", "encoder_core", "encoder_plain"]
STEPS = 4


def loss_of(module, inputs):
    y = module(*inputs)
    y = tree_leaves(y)[0]
    weights = torch.cos(1 + 0.7 * torch.arange(y.numel(), dtype=torch.float64)).reshape(y.shape)
    return (y * weights.to(y.dtype)).sum()


for name in PROGRAMS:
    path = os.path.join(FOLDER, name)
    module = torch.export.load(path + ".pt2").module()
    stored = np.load(path + ".npz")
    inputs = [torch.from_numpy(stored["input%d" % i]) for i in range(sum(k.startswith("input") for k in stored.files))]
    parameters = dict(module.named_parameters())
    for p in parameters.values():
        p.requires_grad_(True)
    loss_of(module, inputs).backward()
    out = {key: p.grad.numpy().copy() for key, p in parameters.items() if p.grad is not None}
    losses = []
    rate = 1e-5 if name.startswith("encoder") else 0.01
    for _ in range(STEPS):
        for p in parameters.values():
            p.grad = None
        loss = (loss_of(module, inputs) - 1) ** 2
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for p in parameters.values():
                if p.grad is not None:
                    p -= rate * p.grad
    out["losses"], out["rate"] = np.array(losses), np.array([rate])
    np.savez(path + "_training.npz", **out)
    print(name, len(out) - 1, "gradients, losses", losses)
