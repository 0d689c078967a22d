"""Golden cases of pooling: random images and windows, forward and backward, with what PyTorch returns
for them, or that it raises."""

import torch
import torch.nn.functional as F

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Ints
from aten_images import Images, forms, gradient, raised

aten = torch.ops.aten
TYPES = FLOATS * 4 + SMALL_FLOATS

with aten_cases.Writer("pooling", __file__) as out:
    r = out.random

    def sliding(images, axes, dilated, fixed=False):
        """Windows: their numbers, and as arguments."""
        kernel = [r.randrange(1, 4) for _ in range(axes)]
        kernel = [kernel[0]] * axes if r.random() < 0.1 else kernel
        stride, given_stride = images.numbers(1, 4)
        padding, given_padding = images.numbers(0, 2)
        if padding and r.random() < 0.8:
            padding = [min(p, k // 2) for p, k in zip(padding, kernel)]
            given_padding = Ints(*padding) if any(padding) else Default
        dilation, given_dilation = images.numbers(1, 3) if dilated else (None, Default)
        ceil, given_ceil = images.flag(False)
        values = {"kernel": kernel, "stride": stride or [], "padding": padding or [0] * axes,
                  "dilation": dilation or [1] * axes, "ceil": ceil}
        given = [Ints(*(kernel[:1] if len(set(kernel)) == 1 else kernel)), given_stride, given_padding]
        given += [given_dilation] if dilated else []
        whole = [Ints(*kernel), Ints(*(stride or kernel)), Ints(*values["padding"])]
        whole += [Ints(*values["dilation"])] if dilated else []
        return values, given + [given_ceil], whole + [ceil]

    for axes in (1, 2, 3):
        images = Images(out, axes)
        average = [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][axes - 1]
        for i in range(34 if axes == 2 else 22):
            dtype = r.choice(TYPES if axes < 3 else FLOATS)
            if i > 30:
                dtype = r.choice([torch.int32, torch.bool])
            x = images.image(dtype)
            v, given, whole = sliding(images, axes, False)
            pad, given_pad = images.flag(True)

            def call(x=x, pad=pad, v=v):
                return average(x, v["kernel"], v["stride"] or None, v["padding"], v["ceil"], pad)

            forms(out, "avg_pool%dd" % axes, [x] + given + [given_pad], call, axes > 1)
            y = raised(call)
            if axes > 1 and y is not None and x.dtype.is_floating_point:
                g = out.tensor(y.shape if r.random() < 0.9 else x.shape, dtype)
                back = getattr(aten, "avg_pool%dd_backward" % axes)
                forms(out, "avg_pool%dd_backward" % axes, [g, x] + whole + [pad],
                      lambda: back(g, x, v["kernel"], v["stride"], v["padding"], v["ceil"], pad, None))

        largest = getattr(aten, "max_pool%dd_with_indices" % axes)
        for i in range(36 if axes == 2 else 24):
            dtype = r.choice(TYPES + INTEGERS if i < 30 else INTEGERS + [torch.bool])
            x = images.image(dtype)
            v, given, whole = sliding(images, axes, True)

            def call(x=x, v=v):
                return tuple(largest(x, v["kernel"], v["stride"], v["padding"], v["dilation"], v["ceil"]))

            forms(out, "max_pool%dd" % axes, [x] + given, call, axes > 1)
            y = raised(call)
            if axes > 1 and y is not None and x.dtype.is_floating_point:
                g = out.tensor(y[0].shape if r.random() < 0.9 else x.shape, dtype)
                back = getattr(aten, "max_pool%dd_with_indices_backward" % axes)
                forms(out, "max_pool%dd_backward" % axes, [g, x] + whole + [y[1]],
                      lambda: back(g, x, v["kernel"], v["stride"], v["padding"], v["dilation"], v["ceil"], y[1]))

        for kind in ("avg", "max"):
            name = "adaptive_%s_pool%dd" % (kind, axes)
            adaptive = getattr(aten, name)
            for i in range(20):
                x = images.image(r.choice(TYPES if i < 18 else [torch.int64, torch.bool]))
                size = [r.randrange(1, 6) for _ in range(axes)]

                def call(x=x, size=size):
                    y = adaptive(x, size)
                    return tuple(y) if kind == "max" else y

                forms(out, name, [x, Ints(*size)], call, axes > 1)
                y = raised(call)
                if axes == 1 or y is None:
                    continue
                if kind == "avg":
                    g = out.tensor(y.shape if r.random() < 0.9 else x.shape[:-1], x.dtype)
                    forms(out, name + "_backward", [g, x], lambda: gradient(lambda t: adaptive(t, size), x, g))
                else:
                    g = out.tensor(y[0].shape if r.random() < 0.9 else x.shape[:-1], x.dtype)
                    back = getattr(aten, name + "_backward")
                    forms(out, name + "_backward", [g, x, y[1]], lambda: back(g, x, y[1]))

        if axes == 1:
            continue
        name = "max_unpool%dd" % axes
        unpool = getattr(aten, name)
        for i in range(24):
            dtype = r.choice(TYPES)
            x = images.image(dtype, False)
            pooled = raised(lambda: largest(x, [2] * axes, [2] * axes, [0] * axes, [1] * axes, False))
            if pooled is None:
                continue
            y, positions = pooled
            size = list(x.shape[-axes:])
            if r.random() < 0.15:
                size[0] = 1
            if r.random() < 0.1:
                positions = positions[..., :1]
            more, given = ([], []) if axes == 2 else ([[2] * 3, [0] * 3], [Ints(2, 2, 2), Ints(0, 0, 0)])
            arguments = [y, positions, Ints(*size)] + given
            forms(out, name, arguments, lambda: unpool(y, positions, size, *more))
            z = raised(lambda: unpool(y, positions, size, *more))
            if z is not None:
                g = out.tensor(z.shape if r.random() < 0.9 else y.shape, dtype)
                forms(out, name + "_backward", [g] + arguments,
                      lambda: gradient(lambda t: unpool(t, positions, size, *more), y, g))

    images = Images(out, 2)
    for i in range(30):
        x = images.image(r.choice(TYPES), False)
        kernel, size = [r.randrange(1, 3) for _ in "hw"], [r.randrange(1, 5) for _ in "hw"]
        batch = list(x.shape[:2]) if x.dim() == 4 else [1, x.shape[0]]
        samples = out.tensor(batch + [2] if r.random() < 0.95 else [2], x.dtype, low=0, high=8)
        arguments = [x, Ints(*kernel), Ints(*size), samples]

        def call():
            return tuple(aten.fractional_max_pool2d(x, kernel, size, samples))

        forms(out, "fractional_max_pool2d", arguments, call)
        y = raised(call)
        if y is not None:
            g = out.tensor(y[0].shape, x.dtype)
            forms(out, "fractional_max_pool2d_backward", [g, x, Ints(*kernel), Ints(*size), y[1]],
                  lambda: aten.fractional_max_pool2d_backward(g, x, kernel, size, y[1]))

    for i in range(16):
        shape = [r.randrange(1, 3)] + [r.randrange(5, 7) for _ in "thw"]
        x = out.tensor(shape if r.random() < 0.3 else [2] + shape, r.choice(TYPES), -99, 99)
        kernel, size = [r.randrange(1, 3) for _ in "thw"], [r.randrange(1, 4) for _ in "thw"]
        batch = list(x.shape[:2]) if x.dim() == 5 else [1, x.shape[0]]
        samples = out.tensor(batch + [3] if r.random() < 0.95 else [3], x.dtype, low=0, high=8)

        def volumes():
            return tuple(aten.fractional_max_pool3d(x, kernel, size, samples))

        forms(out, "fractional_max_pool3d", [x, Ints(*kernel), Ints(*size), samples], volumes)
        y = raised(volumes)
        if y is not None:
            g = out.tensor(y[0].shape, x.dtype)
            forms(out, "fractional_max_pool3d_backward", [g, x, Ints(*kernel), Ints(*size), y[1]],
                  lambda: aten.fractional_max_pool3d_backward(g, x, kernel, size, y[1]))
