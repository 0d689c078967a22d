"""Cases of RoiPooling2d, which torch no longer has: computed here pixel by pixel from the definition in
Fast R-CNN (Girshick, 2015)."""

import math

import torch

import aten_cases
from aten_cases import Double


def away(x):
    """Halves away from zero, as C rounds."""
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def cells(start, end, count, limit):
    size = max(end - start + 1, 1)
    for i in range(count):
        first = math.floor(i * size / count) + start
        last = math.ceil((i + 1) * size / count) + start
        yield [p for p in range(first, last) if 0 <= p < limit]


def pooled(images, rois, height, width, scale):
    n, channels, rows, columns = images.shape
    output = torch.zeros(len(rois), channels, height, width, dtype=images.dtype)
    argmax = torch.full(output.shape, -1, dtype=torch.int32)
    for k, (image, x1, y1, x2, y2) in enumerate(rois.tolist()):
        if not 0 <= image < n:
            raise ValueError("no such image")
        x1, y1, x2, y2 = (away(v * scale) for v in (x1, y1, x2, y2))
        for i, ys in enumerate(cells(y1, y2, height, rows)):
            for j, xs in enumerate(cells(x1, x2, width, columns)):
                for c in range(channels):
                    found = [(images[int(image), c, y, x].item(), -(y * columns + x)) for y in ys for x in xs]
                    if found:
                        value, index = max(found)
                        output[k, c, i, j], argmax[k, c, i, j] = value, -index
    return output, argmax


def back(images, rois, gradient, argmax):
    result = torch.zeros_like(images, dtype=torch.float64)
    for k, (image, *_) in enumerate(rois.tolist()):
        for c in range(images.shape[1]):
            plane = result[int(image), c].reshape(-1)
            for g, index in zip(gradient[k, c].reshape(-1).tolist(), argmax[k, c].reshape(-1).tolist()):
                if index >= 0:
                    plane[index] += g
    return result.to(images.dtype)


with aten_cases.Writer("roi", __file__) as out:
    r = out.random
    for i in range(30):
        dtype = r.choice(aten_cases.FLOATS * 2 + aten_cases.SMALL_FLOATS)
        images = out.tensor((2, r.choice([1, 3]), r.choice([1, 5, 6]), r.choice([4, 7])), dtype)
        rois = torch.tensor([[r.choice([0, 1] if i % 10 else [0, 2]), r.randrange(-2, 8), r.randrange(-2, 8),
                              r.randrange(-1, 12), r.randrange(-1, 12)] for _ in range(r.choice([0, 1, 3]))],
                            dtype=dtype).reshape(-1, 5)
        height, width, scale = r.choice([1, 2, 3]), r.choice([1, 2, 4]), r.choice([1.0, 0.5, 0.75])
        given = [images, rois, height, width, Double(scale)]
        out.case("RoiPooling2d_forward", given, lambda: pooled(images, rois, height, width, scale))
        try:
            _, argmax = pooled(images, rois, height, width, scale)
        except ValueError:
            continue
        gradient = out.tensor(argmax.shape, dtype)
        out.case("RoiPooling2d_backward", given + [gradient, argmax], lambda: back(images, rois, gradient, argmax))
