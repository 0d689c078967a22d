"""Uniform numbers, to the last bit."""

import torch

torch.manual_seed(11)
losses, texts = [], []
for low, high in ((5, 9.1), (-0.5477225575051661, 0.5477225575051661), (-1e-3, 2e5), (-0.1, 0.1), (0, 1)):
    for dtype in (torch.float32, torch.float64):
        for count in (7, 40):
            texts.append(" ".join(x.hex() for x in torch.empty(count, dtype=dtype).uniform_(low, high).tolist()))
linear = torch.nn.Linear(30, 3)
texts += [" ".join(x.hex() for x in p.flatten().tolist()) for p in linear.parameters()]
