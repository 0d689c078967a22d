"""Golden values of convolutions: small whole numbers, of which every sum is exact."""

import torch
import torch.nn.functional as F

import golden


def numbers(*shape):
    return torch.randint(-5, 6, shape).double()


def gradient(t, steps):
    """What the weights' gradient is made of: the gradient of an output."""
    grad = numbers(2, 4, (9 - 3) // steps[0] + 1, (11 - 4) // steps[1] + 1)
    return grad, torch.nn.grad.conv2d_weight(t, (4, 3, 3, 4), grad, stride=steps)


def rows(steps):
    """(name, input, kernel, result), in the shapes that TH has"""
    two = steps[1:]
    t, k = numbers(2, 3, 9, 11), numbers(4, 3, 3, 4)
    yield "conv2d", t, k, F.conv2d(t, k, stride=two)
    yield "conv2d_flipped", t, k, F.conv2d(t, k.flip(2, 3), stride=two)
    yield ("weight2d", t, *gradient(t, two))
    t = numbers(2, 3, 4, 5)
    yield "conv_transpose2d", t, k, F.conv_transpose2d(t, k.transpose(0, 1), stride=two)
    t, k = numbers(3, 9, 11), numbers(3, 2, 5)
    yield "depthwise2d", t, k, F.conv2d(t[None], k[:, None], stride=two, groups=3)[0]
    t, k = numbers(2, 6, 7, 8), numbers(3, 2, 2, 3, 3)
    yield "conv3d", t, k, F.conv3d(t[None], k, stride=steps)[0]
    t = numbers(2, 2, 3, 4)
    yield "conv_transpose3d", t, k, F.conv_transpose3d(t[None], k.transpose(0, 1), stride=steps)[0]
    t, k = numbers(2, 6, 7, 8), numbers(2, 2, 3, 2)
    yield "depthwise3d", t, k, F.conv3d(t[None], k[:, None], stride=steps, groups=2)[0]


with golden.Writer("convolutions", __file__) as out:
    torch.manual_seed(6)
    for step in (1, 2, 3):
        for name, t, k, r in rows((step, step, 1 + step % 3)):
            for part, value in ("input", t), ("kernel", k), ("result", r):
                out.put("Long/%s/%d/%s" % (name, step, part), value.round().long().contiguous())
