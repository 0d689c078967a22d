"""Golden values of the convolution layers, as layers.py writes those of other layers: arguments are in
the order in which the layers take them.  Layers that PyTorch lacks are put together of those it has.
"""

import torch
import torch.nn.functional as F

import golden
from layers import Cases, rand


def lua(v):
    """(T, H, W) or (H, W), in the order of the layers' arguments."""
    return v[::-1] if len(v) == 2 else (v[0], v[2], v[1])


def batched(function, dims):
    """function of a batch, of one without a batch too."""

    def forward(input, **others):
        if input.dim() == dims + 2:
            return function(input, **others)
        return function(input[None], **others)[0]

    return forward


def convolution(cases, layer, shape, outputs, k, d, pad, dilation=None, flat=0, bias=1):
    dims = len(k)
    inputs = shape[-dims - 1]
    operands = dict(input=rand(*shape), weight=rand(outputs, inputs, *k))
    if flat:
        operands["weight"] = operands["weight"].reshape(outputs, -1)
    if bias:
        operands["bias"] = rand(outputs)
    function = F.conv2d if dims == 2 else F.conv3d

    def forward(input, weight, bias=None):
        w = weight.reshape(outputs, inputs, *k)
        return function(input, w, bias, d, pad, dilation or 1)

    args = lua(k) + lua(d) + lua(pad) + (lua(dilation) if dilation else ())
    if layer == "VolumetricConvolution":
        args = lua(d) + lua(pad)
    cases.add(layer, batched(forward, dims), args, **operands)


def full(cases, layer, shape, outputs, k, d, pad, adjust, dilation=None, flat=0, bias=1):
    dims = len(k)
    inputs = shape[-dims - 1]
    operands = dict(input=rand(*shape), weight=rand(inputs, outputs, *k))
    if flat:
        operands["weight"] = operands["weight"].reshape(inputs, -1)
    if bias:
        operands["bias"] = rand(outputs)
    function = F.conv_transpose2d if dims == 2 else F.conv_transpose3d

    def forward(input, weight, bias=None):
        w = weight.reshape(inputs, outputs, *k)
        return function(input, w, bias, d, pad, adjust, 1, dilation or 1)

    args = lua(k) + lua(d) + lua(pad) + (lua(dilation) if dilation else ()) + lua(adjust)
    cases.add(layer, batched(forward, dims), args, **operands)


def spatial(cases):
    c = lambda *a, **k: convolution(cases, "SpatialDilatedConvolution", *a, **k)
    c((2, 3, 7, 9), 4, (3, 2), (1, 1), (0, 0), (2, 3))
    c((3, 2, 6, 8), 3, (2, 3), (2, 1), (1, 2), (1, 2), bias=0)
    c((2, 8, 7), 7, (3, 3), (2, 3), (2, 2), (3, 2))
    c((2, 2, 5, 5), 1, (2, 2), (3, 2), (0, 1), (2, 4))
    f = lambda *a, **k: full(cases, "SpatialFullConvolution", *a, **k)
    f((2, 3, 4, 5), 2, (3, 2), (1, 1), (0, 0), (0, 0))
    f((2, 3, 3, 4), 7, (3, 4), (2, 3), (1, 1), (1, 0))
    f((4, 3, 3), 1, (2, 3), (3, 2), (0, 2), (2, 1), bias=0)
    f((2, 2, 4, 3), 3, (1, 1), (2, 2), (0, 0), (1, 1))
    f = lambda *a, **k: full(cases, "SpatialFullDilatedConvolution", *a, **k)
    f((2, 3, 4, 3), 2, (3, 2), (1, 2), (1, 0), (1, 1), (2, 3))
    f((2, 3, 3), 3, (2, 3), (2, 3), (0, 2), (1, 2), (3, 2), bias=0)
    f((2, 2, 4, 3), 7, (3, 3), (2, 1), (2, 3), (0, 0), (2, 2))


def volumetric(cases):
    for layer, flat in (("VolumetricConvolutionMM", 1), ("VolumetricConvolution", 0)):
        c = lambda *a, **k: convolution(cases, layer, *a, **k)
        c((2, 2, 3, 4, 5), 3, (2, 3, 2), (1, 1, 1), (0, 0, 0))
        c((2, 4, 5, 4), 2, (3, 2, 3), (2, 1, 2), (1, 0, 2), flat=flat, bias=0)
        c((1, 1, 4, 3, 4), 7, (2, 2, 1), (1, 3, 2), (0, 2, 0))
        c((2, 3, 2, 2, 2), 2, (1, 1, 1), (1, 1, 1), (0, 0, 0), flat=flat)
    c = lambda *a, **k: convolution(cases, "VolumetricDilatedConvolution", *a, **k)
    c((2, 2, 4, 5, 6), 2, (2, 2, 3), (1, 1, 1), (0, 1, 0), (2, 3, 1))
    c((2, 5, 4, 4), 7, (3, 2, 2), (2, 1, 2), (1, 1, 0), (1, 2, 3), bias=0)
    f = lambda *a, **k: full(cases, "VolumetricFullConvolution", *a, **k)
    f((2, 2, 2, 3, 2), 3, (2, 3, 2), (1, 2, 1), (0, 1, 0), (0, 1, 0))
    f((3, 2, 2, 3), 2, (3, 2, 1), (2, 2, 3), (1, 0, 0), (1, 0, 2), flat=1, bias=0)
    f = lambda *a, **k: full(cases, "VolumetricFullDilatedConvolution", *a, **k)
    f((2, 2, 2, 3, 2), 2, (2, 2, 3), (1, 2, 2), (1, 0, 1), (1, 1, 0), (2, 1, 3))
    f((2, 2, 2, 2), 7, (2, 3, 2), (2, 1, 3), (0, 2, 0), (0, 0, 3), (1, 2, 4), bias=0)


def depth_wise(cases):
    for shape, multiplier, k, d, pad, flat, bias in (
        ((2, 3, 5, 6), 1, (3, 3), (1, 1), (1, 1), 0, 1),
        ((2, 2, 6, 7), 2, (3, 2), (2, 3), (0, 1), 0, 1),
        ((3, 5, 5), 7, (2, 3), (1, 2), (2, 0), 1, 0),
        ((2, 3, 4, 3), 2, (1, 1), (1, 1), (0, 0), 0, 1),
    ):
        planes = shape[-3]
        operands = dict(input=rand(*shape), weight=rand(multiplier, planes, *k))
        if flat:
            operands["weight"] = operands["weight"].reshape(multiplier, -1)
        if bias:
            operands["bias"] = rand(multiplier, planes)

        def forward(input, weight, bias=None):
            w = weight.reshape(multiplier, planes, *k).transpose(0, 1)
            w = w.reshape(planes * multiplier, 1, *k)
            b = None if bias is None else bias.t().reshape(-1)
            return F.conv2d(input, w, b, d, pad, groups=planes)

        cases.add(
            "SpatialDepthWiseConvolution",
            batched(forward, 2),
            lua(k) + lua(d) + lua(pad),
            **operands,
        )


def local(cases):
    for shape, outputs, k, d, pad, flat in (
        ((2, 3, 5, 4), 2, (2, 3), (1, 1), (0, 0), 0),
        ((3, 2, 4, 5), 3, (3, 2), (2, 1), (1, 1), 1),
        ((2, 4, 4), 1, (2, 2), (1, 3), (0, 2), 0),
    ):
        rows = (shape[-2] + 2 * pad[0] - k[0]) // d[0] + 1
        columns = (shape[-1] + 2 * pad[1] - k[1]) // d[1] + 1
        weight = rand(rows, columns, outputs, shape[-3], *k)
        if flat:
            weight = weight.reshape(rows * columns, outputs, -1)

        def forward(input, weight, bias):
            windows = F.unfold(input, k, 1, pad, d)
            w = weight.reshape(rows * columns, outputs, -1)
            y = torch.einsum("bkp,pok->bop", windows, w)
            return y.reshape(-1, outputs, rows, columns) + bias

        cases.add(
            "SpatialConvolutionLocal",
            batched(forward, 2),
            (*lua(k), *lua(d), *lua(pad), shape[-1], shape[-2], columns, rows),
            input=rand(*shape),
            weight=weight,
            bias=rand(outputs, rows, columns),
        )


def mapped(cases):
    """Tables are written from 0."""
    for shape, inputs, outputs, k, d, table in (
        ((2, 3, 5, 6), 3, 2, (2, 3), (1, 1), [(0, 0), (1, 0), (2, 1), (0, 1)]),
        ((2, 4, 7, 6), 3, 4, (3, 2), (2, 3), [(2, 3), (0, 0), (1, 3), (2, 3), (1, 1)]),
        ((2, 4, 4), 2, 3, (2, 2), (3, 1), [(1, 2), (0, 2), (1, 0)]),
    ):
        for layer in ("SpatialConvolutionMap", "SpatialFullConvolutionMap"):

            def forward(input, weight, bias):
                planes = [[] for _ in range(outputs)]
                for row, (i, o) in enumerate(table):
                    x, w = input[:, i : i + 1], weight[row][None, None]
                    if layer == "SpatialConvolutionMap":
                        planes[o].append(F.conv2d(x, w, None, d))
                    else:
                        planes[o].append(F.conv_transpose2d(x, w, None, d))
                like = next(p[0] for p in planes if p)
                sums = [sum(p, torch.zeros_like(like)) + bias[o] for o, p in enumerate(planes)]
                return torch.cat(sums, 1)

            number = cases.count.get(layer, 0)
            cases.add(
                layer,
                batched(forward, 2),
                (inputs, outputs, *lua(d)),
                input=rand(*shape),
                weight=rand(len(table), *k),
                bias=rand(outputs),
            )
            cases.out.put(
                "%s/%d/table" % (layer, number), torch.tensor(table, dtype=torch.float64)
            )


def temporal(cases):
    for shape, outputs, k, d in (
        ((2, 7, 3), 4, 3, 1),
        ((8, 2), 3, 4, 3),
        ((3, 5, 4), 17, 2, 2),
        ((2, 9, 1), 2, 2, 4),
        ((2, 3, 2), 2, 3, 1),
        ((6, 5), 2, 1, 1),
    ):
        frame = shape[-1]

        def forward(input, weight, bias):
            w = weight.reshape(outputs, k, frame).transpose(1, 2)
            return F.conv1d(input.transpose(1, 2), w, bias, d).transpose(1, 2)

        cases.add(
            "TemporalConvolution",
            batched(forward, 1),
            (k, d, frame, outputs),
            input=rand(*shape),
            weight=rand(outputs, k * frame),
            bias=rand(outputs),
        )
    for shape, k, d, pad, first, middle, bias in (
        ((2, 6, 3), 3, 1, 0, 0, 1, 1),
        ((2, 3, 6), 3, 1, 1, 1, 1, 1),
        ((7, 2), 2, 2, 1, 0, 0, 0),
        ((4, 5), 4, 3, 2, 1, 0, 1),
    ):
        features = shape[-2] if first else shape[-1]

        def forward(input, weight, bias=None):
            x = input if first else input.transpose(1, 2)
            y = F.conv1d(x, weight.reshape(features, 1, k), bias, d, pad, groups=features)
            return y if first else y.transpose(1, 2)

        operands = dict(input=rand(*shape))
        operands["weight"] = rand(features, 1, k) if middle else rand(features, k)
        if bias:
            operands["bias"] = rand(features)
        cases.add("TemporalRowConvolution", batched(forward, 1), (k, d, pad, first), **operands)


def columns(cases):
    for shape, k, dilation, pad, step in (
        ((2, 3, 5, 6), (2, 3), (1, 1), (0, 0), (1, 1)),
        ((2, 2, 7, 6), (3, 2), (2, 3), (1, 2), (2, 3)),
        ((3, 4, 5), (2, 2), (1, 2), (0, 1), (3, 1)),
    ):
        args = (*k, *dilation, *pad, *step)
        cases.add(
            "Im2Col",
            batched(lambda input: F.unfold(input, k, dilation, pad, step), 2),
            args,
            input=rand(*shape),
        )
        size = F.unfold(rand(1, *shape[-3:]), k, dilation, pad, step).shape[1:]
        cases.add(
            "Col2Im",
            batched(lambda input: F.fold(input, shape[-2:], k, dilation, pad, step), 1),
            (*shape[-2:], *args),
            input=rand(*shape[:-3], *size),
        )


def grouped(cases):
    for shape, outputs, groups, k, d, pad, dilation, adjust, bias in (
        ((2, 4, 5, 6), 6, 2, (3, 2), (1, 2), (1, 0), (1, 2), None, 1),
        ((3, 5, 5), 3, 3, (3, 3), (2, 1), (1, 1), (1, 1), None, 0),
        ((2, 6, 4, 4), 3, 3, (1, 1), (1, 1), (0, 0), (1, 1), None, 1),
        ((2, 4, 3, 4), 6, 2, (3, 2), (2, 3), (1, 0), (1, 2), (1, 2), 1),
        ((2, 3, 3), 4, 2, (2, 2), (1, 1), (0, 0), (1, 1), (0, 0), 0),
    ):
        inputs = shape[-3]
        weight = (inputs, outputs // groups) if adjust else (outputs, inputs // groups)
        operands = dict(input=rand(*shape), weight=rand(*weight, *k))
        if bias:
            operands["bias"] = rand(outputs)

        def forward(input, weight, bias=None):
            if adjust:
                return F.conv_transpose2d(input, weight, bias, d, pad, adjust, groups, dilation)
            return F.conv2d(input, weight, bias, d, pad, dilation, groups)

        args = lua(k) + lua(d) + lua(pad) + lua(dilation) + lua(adjust or (0, 0))
        cases.add("Groups", batched(forward, 2), args + (int(bool(adjust)), groups), **operands)


def main():
    torch.manual_seed(20180301)
    with golden.Writer("convolution_layers", __file__) as out:
        cases = Cases(out)
        spatial(cases)
        volumetric(cases)
        depth_wise(cases)
        local(cases)
        mapped(cases)
        temporal(cases)
        columns(cases)
        grouped(cases)


main()
