"""Golden cases of padding, up-sampling, sampling at grids and stft: random calls, forward and
backward, with what PyTorch returns for them, or that it raises."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Ints
from aten_images import Images, forms, gradient, raised

aten = torch.ops.aten
TYPES = FLOATS * 4 + SMALL_FLOATS
# Sums of some numbers of a few bits, each rounded.
WITHIN = {torch.float64: 2.0**-44, torch.float32: 2.0**-18, torch.float16: 2.0**-7, torch.bfloat16: 2.0**-4}


def scaled(x, axes, factor):
    if factor < 1:
        raise ValueError("no such factor")
    return getattr(aten, "upsample_nearest%dd" % axes)(x, [n * factor for n in x.shape[2:]])


def stft(x, length, hop, size, onesided, window, pad_end):
    """Frames x frequencies x 2."""
    if length < 1 or size < 1 or hop < 1 or pad_end < 0 or x.dim() not in (1, 2) or x.dtype.is_floating_point is False:
        raise ValueError("no such frames")
    if window is not None and (window.dtype != x.dtype or tuple(window.shape) != (length,)):
        raise ValueError("no such window")
    padded = torch.nn.functional.pad(x.double(), (0, pad_end))
    frames = padded.unfold(-1, length, hop)
    frames = frames * window.double() if window is not None else frames
    n, k = torch.arange(length).double(), torch.arange(size // 2 + 1 if onesided else size).double()
    waves = torch.exp(torch.complex(torch.zeros(()).double(), -2 * torch.pi * torch.outer(n, k) / size))
    if length <= size and padded.numel():
        transformed = (torch.fft.rfft if onesided else torch.fft.fft)(frames, size)
        assert torch.allclose(transformed, frames.to(torch.complex128) @ waves)
    return torch.view_as_real(frames.to(torch.complex128) @ waves).to(x.dtype)


with aten_cases.Writer("image", __file__) as out:
    r = out.random
    for kind, dims in (("reflection", (1, 2)), ("replication", (1, 2, 3))):
        for axes in dims:
            images = Images(out, axes)
            name = "%s_pad%dd" % (kind, axes)
            pad, back = getattr(aten, name), getattr(aten, name + "_backward")
            for i in range([24, 20, 12][axes - 1]):
                dtype = r.choice(TYPES + INTEGERS * 2 + [torch.bool])
                x = images.image(dtype)
                if dtype == torch.int64 and x.numel():
                    x.reshape(-1)[0] = r.choice([2**63 - 1, 2**62 + 1, -1])
                low = 0 if kind == "reflection" else -1
                padding = [r.randrange(low, 4) for _ in range(2 * axes - (r.random() < 0.05))]
                arguments = [x, Ints(*padding)]
                forms(out, name, arguments, lambda: pad(x, padding))
                y = raised(lambda: pad(x, padding))
                if y is not None:
                    g = out.tensor(y.shape if r.random() < 0.9 else x.shape, dtype)
                    forms(out, name + "_backward", [g] + arguments, lambda: back(g, x, padding))

    for axes, ending in ((1, "linear1d"), (2, "bilinear2d"), (3, "trilinear3d")):
        images = Images(out, axes)
        name = "upsample_" + ending
        linear, back = getattr(aten, name), getattr(aten, name + "_backward")
        for i in range([24, 18, 14][axes - 1]):
            dtype = r.choice(TYPES + [torch.int32])
            x = images.image(dtype, special=False)
            size = [r.randrange(1, 9 - 2 * axes + axes // 2) if r.random() < 0.97 else 0 for _ in range(axes)]
            if dtype == torch.int32:
                continue
            forms(out, name, [x, Ints(*size)], lambda: linear(x, size, True), within=WITHIN[dtype])
            y = raised(lambda: linear(x, size, True))
            if y is not None:
                g = out.tensor(y.shape if r.random() < 0.9 else x.shape, dtype)
                given = list(x.shape) if r.random() < 0.95 else list(x.shape)[:-1]
                forms(out, name + "_backward", [g, Ints(*size), Ints(*given)],
                      lambda: back(g, size, given, True), within=WITHIN[dtype])

        name = "upsample_nearest%dd" % axes
        for i in range([20, 16, 10][axes - 1]):
            dtype = r.choice(TYPES + [torch.uint8, torch.bool])
            x = images.image(dtype)
            factor = r.choice([1, 2, 3, 2, 0, 3, 2, 1, 2, 1])
            forms(out, name, [x, factor], lambda: scaled(x, axes, factor))
            y = raised(lambda: scaled(x, axes, factor))
            if y is not None and dtype != torch.uint8:
                g = out.tensor(y.shape if r.random() < 0.9 else x.shape + (1,), dtype)
                forms(out, name + "_backward", [g, x, factor],
                      lambda: gradient(lambda t: scaled(t, axes, factor), x, g))

    for axes in (2, 3):
        images = Images(out, axes)
        name = "grid_sampler_%dd" % axes
        sample, back = getattr(aten, name), getattr(aten, name + "_backward")
        for i in range(40 if axes == 2 else 21):
            isOther = i >= (20 if axes == 2 else 11)
            # PyTorch's positions of the other modes have the precision of the type, ours that of float.
            dtype = r.choice(FLOATS * 3 + ([] if isOther else SMALL_FLOATS))
            x = images.image(dtype, special=False)
            points = [r.randrange(1, 4) for _ in range(axes)]
            batch = x.shape[0] if r.random() < 0.95 else 5
            # Away from the points where a gradient jumps.
            grid = (out.tensor([batch] + points + [axes], torch.float64, -10, 11) + 0.0371).to(dtype)
            mode = r.choice([0, 1, 2])
            # Positions of the other modes are rounded in another order, and cubic weights multiply the difference.
            loose = 2.0**-13 if isOther and dtype == torch.float32 else WITHIN[dtype]
            given = r.choice([[0, mode, True], [Default, mode, Default], [0, mode, Default]])
            how, aligns = 0, True
            if isOther:
                how, aligns = (i % 3 if axes == 2 else i % 2), bool(i // 3 % 2)
                given = [how, mode, aligns]
            if i == 0:
                mode, given = 0, [Default] * 3
            if x.numel() == 0 and x.dim() > 1 and x.shape[1] == 0:
                continue  # images without planes: PyTorch returns nothing, of the size
            forms(out, name, [x, grid] + given, lambda: sample(x, grid, how, mode, aligns), within=loose)
            y = raised(lambda: sample(x, grid, how, mode, aligns))
            if y is None or dtype in SMALL_FLOATS:
                continue
            g = out.tensor(y.shape, dtype)
            mask = r.choice([[True, True], [True, True], [True, False], [False, True]])

            def call():
                both = back(g, x, grid, how, mode, aligns, [True, True])
                return tuple(t if m else None for t, m in zip(both, mask))

            forms(out, name + "_backward", [g, x, grid] + given + [Ints(*map(int, mask))], call,
                  lambda results: [None if t is None else torch.zeros_like(t) for t in results], loose)

    for i in range(60):
        dtype = r.choice(FLOATS * 5 + SMALL_FLOATS + [torch.int64])
        shape = r.choice([(12,), (2, 10), (3, 7), (0, 8), (20,), (1, 9)] if i < 50 else [(), (2, 2, 5), (0,)])
        x = out.tensor(shape, dtype)
        length, hop, size = r.randrange(1, 8), r.randrange(1, 4), r.choice([4, 5, 8, 3, 16, 7, 1])
        if r.random() < 0.1:
            length, hop, size = r.choice([(0, 1, 4), (30, 1, 4), (3, 0, 4), (3, 1, 0), (3, -1, 4)])
        onesided = r.choice([Default, True, False])
        window = r.choice([Default, None, out.tensor([length if r.random() < 0.9 else 9], dtype)])
        pad_end = r.choice([Default, 0, 1, 3, 5])
        whole = [length, hop, size, onesided is not False, None if window is Default else window,
                 0 if pad_end is Default else pad_end]
        loose = WITHIN.get(dtype)
        out.case("stft", [x, length, hop, size, onesided, window, pad_end], lambda: stft(x, *whole), loose)
