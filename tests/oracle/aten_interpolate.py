"""Golden cases of interpolation and windows: sections of those names in src/ops/aten/nn_image.ops and
nn_pooling.ops."""

import torch

from aten_today import FLOATING, TYPES, Today

SHAPES = {1: [(1, 2, 5), (2, 1, 3), (1, 1, 1)], 2: [(1, 2, 4, 5), (2, 1, 3, 3), (1, 1, 1, 6)], 3: [(1, 2, 3, 2, 4)]}
SIZES = {1: [[7], [3], [1]], 2: [[6, 7], [2, 3], [1, 9], [4, 5]], 3: [[4, 3, 6], [2, 1, 3]]}
FACTORS = {1: [[2.0], [0.6]], 2: [[2.0, 1.5], [0.5, 0.7]], 3: [[1.5, 2.0, 0.5]]}
SCALES = {1: ["scales"], 2: ["scales_h", "scales_w"], 3: ["scales_d", "scales_h", "scales_w"]}


def loose(dtype):
    return {torch.float64: 2.0**-20, torch.float32: 2.0**-16}.get(dtype, 2.0**-6)


with Today("interpolate", __file__) as c:
    r = c.random

    def both(name, axes, types, align=(), sized=""):
        packet = getattr(torch.ops.aten, name)
        for dtype in types:
            near = loose(dtype) if dtype.is_floating_point else None
            for shape in SHAPES[axes]:
                x = c.tensor(shape, dtype)
                for corners in align or (None,):
                    options = {} if corners is None else {"align_corners": corners}
                    size = r.choice(SIZES[axes])
                    c(name + sized, packet.default, self=x, output_size=size, **options, within=near)
                    factors = r.choice(FACTORS[axes])
                    c(name + sized, packet.default, self=x, output_size=[int(n * f) for n, f in zip(shape[2:], factors)], **options,
                      **dict(zip(SCALES[axes], factors)), within=near)
                    c(name + ".vec", lambda *a: packet.vec(*a[:-1], None), input=x, output_size=size, **options,
                      scale_factors=[], within=near)
                    c(name + ".vec", lambda input, size, *a: packet.vec(input, None, *a), input=x, output_size=[], **options,
                      scale_factors=r.choice(FACTORS[axes]), within=near)
        x = c.tensor(SHAPES[axes][0], torch.float32)
        options = {"align_corners": False} if align else {}
        c(name + sized, packet.default, self=x, output_size=[2] * (axes + 1), **options)
        c(name + sized, packet.default, self=x, output_size=[0] * axes, **options)
        c(name + ".vec", packet.vec, input=x, output_size=[], **options, scale_factors=[])

    for axes in (1, 2, 3):
        kinds = FLOATING + [torch.uint8]
        both("upsample_nearest%dd" % axes, axes, kinds, sized=".size")
        both("_upsample_nearest_exact%dd" % axes, axes, kinds)
    both("upsample_linear1d", 1, FLOATING, (False, True), ".size")
    both("upsample_bilinear2d", 2, FLOATING, (False, True), ".size")
    both("upsample_trilinear3d", 3, FLOATING, (False, True), ".size")
    both("upsample_bicubic2d", 2, FLOATING, (False, True))
    both("_upsample_bilinear2d_aa", 2, FLOATING[:2], (False, True))
    both("_upsample_bicubic2d_aa", 2, FLOATING[:2], (False, True))

    # Windows.
    for dtype in FLOATING:
        near = loose(dtype)
        for shape in [(2, 2, 4, 5), (3, 4, 4), (1, 1, 3, 3)]:
            x = c.tensor(shape, dtype)
            for kernel, dilation, padding, stride in [([2, 2], [1, 1], [0, 0], [1, 1]), ([2, 3], [1, 1], [1, 1], [2, 1]),
                                                      ([2, 1], [2, 1], [0, 1], [1, 2]), ([5, 5], [1, 1], [0, 0], [1, 1])]:
                options = dict(kernel_size=kernel, dilation=dilation, padding=padding, stride=stride)
                c("im2col", self=x, **options)
                try:
                    columns = torch.ops.aten.im2col(x, kernel, dilation, padding, stride)
                except RuntimeError:
                    continue
                c("col2im", self=columns, output_size=list(shape[-2:]), **options, within=near)
            c("im2col", self=x, kernel_size=[2], dilation=[1, 1], padding=[0, 0], stride=[1, 1])
        volumes = [(1, 2, 4, 5, 3)] * (dtype.itemsize > 2)  # PyTorch has none of 16 bits
        for axes, shapes in ((2, [(2, 2, 5, 6), (2, 5, 4)]), (3, volumes)):
            for shape in shapes:
                x = c.tensor(shape, dtype)
                name = "avg_pool%dd.divisor" % axes
                for ceil in (False, True):
                    for override in (None, 3, -2, 0):
                        how = {} if override is None else {"divisor_override": override}
                        c(name, self=x, kernel_size=[2] * axes, ceil_mode=ceil, **how, within=near)
                        c(name, self=x, kernel_size=[3] * axes, stride=[2] * axes, padding=[1] * axes, ceil_mode=ceil,
                          count_include_pad=False, **how, within=near)
    # Bytes: each bit counts.
    for name, sized in (("upsample_bilinear2d", ".size"), ("upsample_bicubic2d", ""), ("_upsample_bilinear2d_aa", ""), ("_upsample_bicubic2d_aa", "")):
        packet = getattr(torch.ops.aten, name)
        for shape, size in (((1, 3, 9, 7), [4, 5]), ((2, 5, 6, 8), [13, 9]), ((1, 1, 17, 5), [3, 11]), ((1, 3, 6, 6), [6, 4])):
            for corners in (False, True):
                c(name + sized, packet.default, self=c.tensor(shape, torch.uint8, 0, 256), output_size=size, align_corners=corners)
        c(name + sized, packet.default, self=c.tensor((1, 2, 4, 4), torch.uint8, 0, 256), output_size=[7, 3], align_corners=False, scales_h=1.8, scales_w=0.9)
        c(name + ".vec", lambda input, size, *a: packet.vec(input, None, *a), input=c.tensor((1, 2, 7, 5), torch.uint8, 0, 256), output_size=[],
          align_corners=False, scale_factors=[0.6, 1.7])
    # Filters much wider than the image.
    for name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        for scale in (2.0**-6, 2.0**-14):
            c(name, getattr(torch.ops.aten, name).default, self=c.tensor((2, 1, 3, 3), torch.float32), output_size=[1, 2], align_corners=False,
              scales_h=0.5, scales_w=scale, within=loose(torch.float32))
    # Windows of Bool.
    flags = c.tensor((2, 2, 4, 5), torch.float32) > 0
    options = dict(kernel_size=[2, 3], dilation=[1, 1], padding=[1, 0], stride=[1, 2])
    c("im2col", self=flags, **options)
    c("col2im", self=torch.ops.aten.im2col(flags, **options), output_size=[4, 5], **options)
