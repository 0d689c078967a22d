"""Functions of images that other scripts leave out: windows that are drawn, and grids in all modes, with two gradients."""

import torch
import torch.nn.functional as F

torch.manual_seed(6)
torch.set_default_dtype(torch.float64)
losses = []
images, volumes = torch.randn(2, 2, 6, 7), torch.randn(2, 2, 5, 6, 7)
for pool, x in ((F.fractional_max_pool2d, images), (F.fractional_max_pool3d, volumes)):
    losses.append(pool(x, 2, output_ratio=(0.5,) * (x.dim() - 2)).sum().item())
    made, indices = pool(x, 2, output_size=3, return_indices=True)
    losses += [made.sum().item(), float(indices.sum().item())]
losses += [float(F.fractional_max_pool3d_with_indices(volumes[0], 2, output_size=2)[1].sum().item())]
losses.append(F.upsample(images, scale_factor=2).sum().item())
x = images.clone().requires_grad_()
grid = (torch.randn(2, 3, 4, 2) * 0.8).requires_grad_()
w = torch.randn(2, 2, 3, 4)
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for aligns in (False, True):
            y = F.grid_sample(x, grid, mode, padding, aligns)
            gx, gg = torch.autograd.grad((y * y * w).sum(), (x, grid), create_graph=True)
            losses += [y.sum().item(), gx.abs().sum().item(), gg.abs().sum().item()]
            if mode != "bicubic":
                s = torch.autograd.grad((gx * gx).sum() + (gg ** 3).sum(), (x, grid), allow_unused=True)
                losses += [t.abs().sum().item() for t in s if t is not None]
torch.set_default_dtype(torch.float32)
