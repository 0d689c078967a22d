"""Golden values of pooling, up-sampling, padding and grid samplers, as layers.py writes those of other
layers: arguments are in the order in which the layers take them.
"""

import torch
import torch.nn.functional as F

import golden
import layers
from layers import Cases


def rand(*shape):
    """Numbers of few digits."""
    return (torch.randn(shape) * 16).round().to(torch.float64) / 16


layers.rand = rand  # for gradients too


def distinct(*shape):
    """No two elements are near each other."""
    count = torch.Size(shape).numel()
    return (torch.randperm(count) - count // 2).to(torch.float64).reshape(shape) / 16


def max_pools(cases):
    shapes = [  # shape, k, d, pad, dilation, ceil: each T, H, W or H, W
        ((2, 3, 9, 8), (2, 3), (2, 1), (1, 0), (2, 3), 0),
        ((2, 7, 10), (3, 2), (1, 3), (0, 1), (2, 1), 1),
        ((1, 2, 8, 7), (3, 3), (2, 2), (1, 1), (1, 2), 1),
        ((2, 2, 5, 6, 7), (2, 3, 2), (1, 2, 2), (1, 0, 1), (2, 1, 3), 0),
        ((2, 6, 5, 6), (3, 2, 3), (2, 2, 1), (1, 1, 0), (1, 2, 2), 1),
        ((2, 2, 4, 5, 6), (2, 2, 3), (2, 2, 3), (0, 1, 1), (1, 1, 1), 0),
        ((3, 5, 5, 4), (2, 3, 2), (3, 2, 1), (1, 0, 1), (1, 1, 1), 1),
    ]
    for number, (shape, k, d, pad, dilation, ceil) in enumerate(shapes):
        x = distinct(*shape)
        if number in (2, 5):
            x.view(-1)[7] = float("nan")
            x.view(-1)[33] = float("-inf")
        order = lambda v: (v[-2:][::-1]) if len(v) == 2 else (v[0], v[2], v[1])
        pool = F.max_pool2d if len(k) == 2 else F.max_pool3d
        kind = "Spatial" if len(k) == 2 else "Volumetric"
        forward = lambda input: pool(
            input, k, d, pad, dilation, ceil_mode=bool(ceil), return_indices=True
        )
        args = (*order(k), *order(d), *order(pad))
        cases.add(kind + "DilatedMaxPooling", forward, (*args, *order(dilation), ceil), input=x)
        if set(dilation) == {1}:
            cases.add(kind + "MaxPooling", forward, (*args, ceil), input=x)


def temporal_max_pools(cases):
    for shape, k, d in (((2, 7, 3), 3, 2), ((9, 4), 2, 3), ((1, 5, 1), 5, 1)):
        x = distinct(*shape)

        def forward(input):
            y, index = F.max_pool1d(input.transpose(-1, -2), k, d, return_indices=True)
            offset = index - torch.arange(y.shape[-1]) * d
            return y.transpose(-1, -2), offset.transpose(-1, -2)

        cases.add("TemporalMaxPooling", forward, (k, d), input=x)


def adaptive_pools(cases):
    for shape, out in (
        ((2, 3, 7, 9), (3, 4)),
        ((2, 5, 4), (1, 1)),
        ((1, 2, 3, 4), (5, 6)),
        ((2, 2, 5, 6, 7), (2, 3, 4)),
        ((3, 4, 5, 3), (4, 1, 5)),
    ):
        kind = "Spatial" if len(out) == 2 else "Volumetric"
        args = out[::-1] if len(out) == 2 else (out[0], out[2], out[1])
        most = F.adaptive_max_pool2d if len(out) == 2 else F.adaptive_max_pool3d
        mean = F.adaptive_avg_pool2d if len(out) == 2 else F.adaptive_avg_pool3d
        cases.add(
            kind + "AdaptiveMaxPooling",
            lambda input: most(input, out, return_indices=True),
            args,
            input=distinct(*shape),
        )
        cases.add(
            kind + "AdaptiveAveragePooling", lambda input: mean(input, out), args, input=rand(*shape)
        )


def fractional_pools(cases):
    for shape, out, k in (
        ((2, 3, 9, 11), (4, 5), (2, 3)),
        ((2, 7, 8), (3, 1), (3, 2)),
        ((1, 2, 6, 5), (5, 4), (2, 2)),
        ((2, 2, 7, 8, 9), (3, 4, 5), (2, 3, 2)),
        ((3, 6, 6, 5), (2, 1, 3), (3, 2, 2)),
    ):
        axes = len(out)
        planes = shape[:-axes] if len(shape) == axes + 2 else (1, shape[0])
        samples = torch.rand(*planes, axes).to(torch.float64)
        x = distinct(*shape)
        # PyTorch's numbers are for width, height, but for depth, height, width.
        theirs = samples if axes == 2 else samples.flip(-1)
        pool = F.fractional_max_pool2d if axes == 2 else F.fractional_max_pool3d
        kind = ("Spatial" if axes == 2 else "Volumetric") + "FractionalMaxPooling"
        number = cases.count.get(kind, 0)
        cases.add(
            kind,
            lambda input: pool(
                input, k, output_size=out, return_indices=True, _random_samples=theirs
            ),
            (*out[::-1], *k[::-1]),
            input=x,
        )
        single = pool(
            x.float(), k, output_size=out, return_indices=True, _random_samples=theirs.float()
        )
        double = pool(x, k, output_size=out, return_indices=True, _random_samples=theirs)
        assert torch.equal(single[1], double[1])  # in both types
        cases.out.put("%s/%d/samples" % (kind, number), samples)


def unpools(cases):
    for shape, k, d, pad in (
        ((2, 3, 6, 8), (2, 2), (2, 2), (0, 0)),
        ((2, 7, 9), (2, 3), (3, 3), (1, 0)),
        ((2, 2, 4, 6, 5), (2, 2, 2), (2, 2, 2), (0, 0, 0)),
        ((3, 5, 4, 6), (2, 2, 3), (3, 2, 3), (1, 0, 1)),
    ):
        axes = len(k)
        pool = F.max_pool2d if axes == 2 else F.max_pool3d
        unpool = F.max_unpool2d if axes == 2 else F.max_unpool3d
        pooled, index = pool(distinct(*shape), k, d, pad, return_indices=True)
        size = shape[-axes:]
        args = size[::-1]
        if axes == 3:
            order = lambda v: (v[0], v[2], v[1])
            args = (*order(size), *order(d), *order(pad))
        cases.add(
            ("Spatial" if axes == 2 else "Volumetric") + "MaxUnpooling",
            lambda input: unpool(input, index, k, d, pad, output_size=size),
            args,
            given_index=index,
            input=rand(*pooled.shape),
        )


def average_pools(cases):
    for shape, k, d, pad, ceil in (
        ((2, 3, 7, 8), (3, 2), (2, 2), (1, 1), 0),
        ((2, 6, 9), (2, 4), (1, 3), (0, 2), 1),
        ((1, 2, 5, 5), (5, 5), (1, 1), (0, 0), 0),
        ((2, 2, 5, 6, 7), (2, 3, 3), (2, 1, 2), (1, 1, 0), 0),
        ((2, 6, 5, 4), (3, 3, 2), (2, 3, 2), (1, 0, 1), 1),
    ):
        for padded in (0, 1):
            axes = len(k)
            pool = F.avg_pool2d if axes == 2 else F.avg_pool3d
            order = lambda v: v[::-1] if axes == 2 else (v[0], v[2], v[1])
            cases.add(
                ("Spatial" if axes == 2 else "Volumetric") + "AveragePooling",
                lambda input: pool(input, k, d, pad, bool(ceil), bool(padded)),
                (*order(k), *order(d), *order(pad), ceil, padded),
                input=rand(*shape),
            )


def sub_samplings(cases):
    for shape, k, d in (((2, 3, 6, 7), (2, 3), (2, 1)), ((2, 5, 5), (3, 2), (1, 3))):
        planes = shape[-3]
        cases.add(
            "SpatialSubSampling",
            lambda input, weight, bias: F.avg_pool2d(input, k, d, divisor_override=1)
            * weight[:, None, None]
            + bias[:, None, None],
            (*k[::-1], *d[::-1]),
            input=rand(*shape),
            weight=rand(planes),
            bias=rand(planes),
        )
    for shape, k, d in (((7, 3), 2, 2), ((2, 6, 4), 3, 1)):
        cases.add(
            "TemporalSubSampling",
            lambda input, weight, bias: input.unfold(-2, k, d).sum(-1) * weight + bias,
            (k, d),
            input=rand(*shape),
            weight=rand(shape[-1]),
            bias=rand(shape[-1]),
        )


def lp_pools(cases):
    for shape, batch, power, width, stride in (
        ((2, 6, 3), 1, 2, 3, 2),
        ((5,), 0, 3, 2, 1),
        ((6, 3, 2), 0, 1.5, 4, 1),
        ((2, 4, 3, 2), 1, 1, 2, 2),
        ((3, 7), 1, 4, 7, 3),
    ):
        x = rand(*shape) if power in (1, 2) else rand(*shape).abs() + 0.125
        cases.add(
            "FeatureLPPooling",
            lambda input: input.unfold(batch, width, stride).pow(power).sum(-1).pow(1 / power),
            (power, width, stride, batch),
            input=x,
        )


def up_samplings(cases):
    kinds = ("Temporal", "Spatial", "Volumetric")
    for shape, axes, scale in (
        ((2, 3, 4), 1, 3),
        ((3, 5), 1, 2),
        ((2, 3, 4, 5), 2, 2),
        ((2, 3, 2), 2, 3),
        ((2, 2, 3, 2, 4), 3, 2),
        ((2, 2, 3, 2), 3, 1),
    ):

        def nearest(input):
            x = input if len(shape) == axes + 2 else input[None]
            y = F.interpolate(x, scale_factor=scale, mode="nearest")
            return y if len(shape) == axes + 2 else y[0]

        cases.add(kinds[axes - 1] + "UpSamplingNearest", nearest, (scale,), input=rand(*shape))
    for shape, out in (
        ((2, 3, 5), (9,)),
        ((1, 2, 4), (3,)),
        ((1, 1, 1), (4,)),
        ((2, 3, 4, 5), (7, 11)),
        ((1, 2, 6, 3), (1, 3)),
        ((2, 1, 5, 7), (3, 4)),
        ((2, 2, 3, 4, 5), (5, 4, 9)),
        ((1, 2, 4, 1, 3), (2, 3, 1)),
    ):
        name = ("TemporalUpSamplingLinear", "SpatialUpSamplingBilinear", "VolumetricUpSamplingTrilinear")
        mode = ("linear", "bilinear", "trilinear")[len(out) - 1]
        cases.add(
            name[len(out) - 1],
            lambda input: F.interpolate(input, size=out, mode=mode, align_corners=True),
            out,
            input=rand(*shape),
        )


def grid_samplers(cases):
    for shape, out in (
        ((2, 3, 5, 6), (3, 4)),
        ((1, 2, 1, 4), (2, 40)),
        ((2, 2, 3, 4, 5), (2, 3, 4)),
        ((1, 1, 2, 3, 1), (1, 5, 15)),
    ):
        kind = "Spatial" if len(out) == 2 else "Volumetric"
        for mode, name in enumerate(("zeros", "border", "reflection")):
            grid = torch.randn(shape[0], *out, len(out)).to(torch.float64) * 1.5
            cases.add(
                kind + "GridSamplerBilinear",
                lambda input, grid: F.grid_sample(
                    input, grid, "bilinear", padding_mode=name, align_corners=True
                ),
                (mode,),
                input=rand(*shape),
                grid=grid,
            )


def paddings(cases):
    for name, shape, pad in (
        ("TemporalReflection", (2, 3, 5), (4, 1)),
        ("TemporalReflection", (2, 4), (0, 3)),
        ("SpatialReflection", (2, 3, 4, 5), (1, 4, 3, 0)),
        ("SpatialReflection", (2, 3, 3), (2, 2, 1, 2)),
        ("TemporalReplication", (2, 3, 4), (2, 5)),
        ("TemporalReplication", (2, 5), (-1, 3)),
        ("SpatialReplication", (2, 2, 3, 4), (1, 2, 5, 0)),
        ("SpatialReplication", (3, 4, 5), (-2, 1, 2, -1)),
        ("VolumetricReplication", (1, 2, 3, 2, 4), (1, 2, 3, 1, 0, 2)),
        ("VolumetricReplication", (2, 3, 4, 5), (-1, -2, 1, 0, 2, -1)),
    ):
        mode = "reflect" if "Reflection" in name else "replicate"
        cases.add(
            name + "Padding", lambda input: F.pad(input, pad, mode=mode), pad, input=rand(*shape)
        )


def main():
    torch.manual_seed(20180301)
    with golden.Writer("pooling", __file__) as out:
        cases = Cases(out)
        max_pools(cases)
        temporal_max_pools(cases)
        adaptive_pools(cases)
        fractional_pools(cases)
        unpools(cases)
        average_pools(cases)
        sub_samplings(cases)
        lp_pools(cases)
        up_samplings(cases)
        grid_samplers(cases)
        paddings(cases)


main()
