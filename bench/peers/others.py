"""Layers other than those of layers.py: what else THNN pools, resamples, adds up and looks up."""

import warnings

import torch
import torch.nn.functional as F
from torch import rand, randint, randn

from layers import IMAGES, aten, by, weighted_rows
from rows import Row, family
from th import Int64


def writing(operation, *arguments):
    """What an operation returns, as a list, and a call of it.  Of an overload that writes into
    memory (...out), arguments are those of the plain one: the call writes into these results."""
    plain, names = operation, []
    if hasattr(operation, "overloadpacket"):
        names = [argument.name for argument in operation._schema.arguments if argument.is_out]
        plain = operation.overloadpacket
    results = plain(*arguments)
    results = [results] if isinstance(results, torch.Tensor) else list(results)
    if not names:
        return results, lambda: operation(*arguments)
    into = dict(zip(names, [result.clone() for result in results]))
    return results, lambda: operation(*arguments, **into)


def by_default(tx, tg, gx, ty):
    return [tx, tg, gx, *ty[1:]]  # the indices, of layers that have them


def layer_rows(
    lib,
    name,
    note,
    x,
    after,
    forward,
    backward=None,
    back_after=None,
    operands=by_default,
    only_gradient=False,
    tolerance=1e-5,
):
    """The rows of a layer without parameters: after follows input and output(s), back_after the
    operands of updateGradInput.  forward is what writing takes, backward makes that of g and y."""
    y, theirs = writing(*forward)
    tx, ty = lib.tensor(x), [lib.tensor(result) for result in y]
    shape = by(*x.shape) + note
    if not only_gradient:
        yield Row(
            name,
            shape,
            lib.call(f"THNN_Float{name}_updateOutput", None, tx, ty, after),
            theirs,
            ty,
            tolerance=tolerance,
        )
    if backward:
        g = randn(y[0].shape)
        tg, gx = lib.tensor(g), lib.tensor(x)
        _, theirs = writing(*backward(g, *y))
        call = operands(tx, tg, gx, ty) + list(after if back_after is None else back_after)
        yield Row(
            f"{name}'s gradInput" if only_gradient else "its gradInput",
            shape,
            lib.call(f"THNN_Float{name}_updateGradInput", None, call),
            theirs,
            [gx],
            tolerance=tolerance,
        )


@family("more pooling")
def pooling(lib):
    x, v, s = randn(8, 64, 56, 56), randn(4, 32, 16, 28, 28), randn(32, 256, 256)
    two, three = [2, 2], [2, 2, 2]
    how = [3, 3], [1, 1], [1, 1], [2, 2], False
    yield from layer_rows(
        lib,
        "SpatialDilatedMaxPooling",
        ", 3 x 3, 2 apart",
        x,
        [3, 3, 1, 1, 1, 1, 2, 2, 0],
        (aten.max_pool2d_with_indices.out, x, *how),
        lambda g, y, i, how=how: (aten.max_pool2d_with_indices_backward.grad_input, g, x, *how, i),
    )
    op = aten.max_pool3d_with_indices
    back = aten.max_pool3d_with_indices_backward.grad_input
    for name, pad, apart in (
        ("VolumetricMaxPooling", 0, 1),
        ("VolumetricDilatedMaxPooling", 1, 2),
    ):
        how = three, three, [pad] * 3, [apart] * 3, False
        yield from layer_rows(
            lib,
            name,
            ", 2 x 2 x 2 by 2" + (", 2 apart" if apart > 1 else ""),
            v,
            [2] * 6 + [pad] * 3 + ([apart] * 3 if apart > 1 else []) + [0],
            (op.out, v, *how),
            lambda g, y, i, how=how: (back, g, v, *how, i),
        )
    how = three, three, [0, 0, 0], False, True, None
    yield from layer_rows(
        lib,
        "VolumetricAveragePooling",
        ", 2 x 2 x 2 by 2",
        v,
        [2] * 6 + [0] * 3 + [0, 1],
        (aten.avg_pool3d.out, v, *how),
        lambda g, y: (aten.avg_pool3d_backward.grad_input, g, v, *how),
    )
    for axes, image, size in ((2, x, [7, 7]), (3, v, [4, 7, 7])):
        kind = "Spatial" if axes == 2 else "Volumetric"
        op, back = {
            2: (aten._adaptive_avg_pool2d, aten._adaptive_avg_pool2d_backward),
            3: (aten._adaptive_avg_pool3d, aten._adaptive_avg_pool3d_backward),
        }[axes]
        yield from layer_rows(
            lib,
            f"{kind}AdaptiveAveragePooling",
            f", to {by(*size)}",
            image,
            size,
            (op, image, size),
            lambda g, y, back=back, image=image: (back, g, image),
            [],
        )
        op, back = {
            2: (aten.adaptive_max_pool2d, aten.adaptive_max_pool2d_backward),
            3: (aten.adaptive_max_pool3d, aten.adaptive_max_pool3d_backward),
        }[axes]
        yield from layer_rows(
            lib,
            f"{kind}AdaptiveMaxPooling",
            f", to {by(*size)}",
            image,
            size,
            (op.out, image, size),
            lambda g, y, i, back=back, image=image: (back.grad_input, g, image, i),
            [],
        )
    # Samples follow the indices, and only on the way forward.
    for kind, image, window, size, op, back in (
        (
            "Spatial",
            x,
            two,
            [28, 28],
            aten.fractional_max_pool2d.output,
            aten.fractional_max_pool2d_backward.grad_input,
        ),
        (
            "Volumetric",
            v,
            three,
            [8, 14, 14],
            aten.fractional_max_pool3d.output,
            aten.fractional_max_pool3d_backward.grad_input,
        ),
    ):
        yield from fractional_rows(lib, kind, image, window, size, op, back)
    for kind, image, axes, op in (
        ("Spatial", x, 2, aten.max_unpool2d),
        ("Volumetric", v, 3, aten.max_unpool3d),
    ):
        yield from unpooling_rows(lib, kind, image, axes, op)
    # Sequences have their planes after the frames: pooling of images one plane wide.
    y, i = aten.max_pool2d_with_indices(s, [2, 1], [2, 1])
    g, ts, ty = randn(y.shape), lib.tensor(s), lib.tensor(y)
    ti, tg, gs = lib.tensor(i), lib.tensor(g), lib.tensor(s)
    out, out_i, out_g = torch.empty_like(y), torch.empty_like(i), torch.empty_like(s)
    where, into = {"out": out, "indices": out_i}, {"grad_input": out_g}
    how, name = ([2, 1], [2, 1], [0, 0], [1, 1], False), "THNN_FloatTemporalMaxPooling_"
    yield Row(
        "TemporalMaxPooling",
        by(*s.shape) + ", 2 by 2",
        lib.call(name + "updateOutput", None, ts, ty, ti, 2, 2),
        lambda: aten.max_pool2d_with_indices.out(s, *how, **where)[0],
        [ty],
    )
    yield Row(
        "its gradInput",
        by(*s.shape) + ", 2 by 2",
        lib.call(name + "updateGradInput", None, ts, tg, gs, ti, 2, 2),
        lambda: aten.max_pool2d_with_indices_backward.grad_input(g, s, *how, i, **into),
        [gs],
    )


def fractional_rows(lib, kind, x, window, size, op, back):
    samples = rand(*x.shape[:2], len(size))
    name = f"{kind}FractionalMaxPooling"
    (y, i), theirs = writing(op, x, window, size, samples)
    g = randn(y.shape)
    _, backward = writing(back, g, x, window, size, i)
    tx, ty, ti, tg, gx = map(lib.tensor, (x, y, i, g, x))
    # Ours has width and height, or time, width and height, which are the dimensions backwards, and
    # takes the samples of a volume in that order too.
    sizes = size[::-1] + window
    ours = samples if kind == "Spatial" else samples.flip(2)
    shape = f"{by(*x.shape)}, to {by(*size)}"
    call = f"THNN_Float{name}_"
    yield Row(
        name,
        shape,
        lib.call(call + "updateOutput", None, tx, ty, sizes, ti, lib.tensor(ours)),
        theirs,
        [ty, ti],
    )
    yield Row(
        "its gradInput",
        shape,
        lib.call(call + "updateGradInput", None, tx, tg, gx, sizes, ti),
        backward,
        [gx],
    )


def unpooling_rows(lib, kind, image, axes, op):
    pool = aten.max_pool2d_with_indices if axes == 2 else aten.max_pool3d_with_indices
    x, i = pool(image, [2] * axes, [2] * axes)
    size, steps = list(image.shape[2:]), ([[2] * 3, [0] * 3] if axes == 3 else [])
    y, theirs = writing(op.out, x, i, size, *steps)
    g = randn(y[0].shape)
    tx, ty, ti, tg, gx = map(lib.tensor, (x, y[0], i, g, x))
    ints = [*size[:-2], size[-1], size[-2]] + [value for part in steps for value in part]
    flat = g.view(*g.shape[:2], -1), i.view(*i.shape[:2], -1)
    name, shape = f"{kind}MaxUnpooling", f"{by(*x.shape)}, to {by(*size)}"
    yield Row(
        name,
        shape,
        lib.call(f"THNN_Float{name}_updateOutput", None, tx, ty, ti, ints),
        theirs,
        [ty],
    )
    out = torch.empty_like(flat[1], dtype=torch.float32)
    yield Row(
        "its gradInput",
        shape,
        lib.call(f"THNN_Float{name}_updateGradInput", None, tx, tg, gx, ti, ints),
        lambda: torch.gather(flat[0], 2, flat[1], out=out),
        [gx],
    )


@family("weighted sums and norms of windows")
def sub_sampling(lib):
    # PyTorch: the sums of windows, then a factor and a term for each plane.
    def rows(name, x, windows, frames, ints):
        planes = x.shape[2] if frames else x.shape[1]
        shape = [planes] if frames else [planes, 1, 1]
        w, b = rand(planes), rand(planes)
        each = w.view(shape), b.view(shape)
        sums = aten.avg_pool2d(x, windows, windows, [0, 0], False, True, 1)
        g, summed = randn(sums.shape), torch.empty_like(sums)
        how = windows, windows, [0, 0], False, True, 1
        over = [0, 1] if frames else [0, 2, 3]
        out, gradient = torch.empty_like(sums), torch.empty_like(x)

        def forward():
            aten.avg_pool2d.out(x, *how, out=summed)
            return torch.addcmul(each[1], summed, each[0], out=out)

        def back():
            torch.mul(g, each[0], out=out)
            return aten.avg_pool2d_backward.grad_input(out, x, *how, grad_input=gradient)

        def gradients():
            aten.avg_pool2d.out(x, *how, out=summed)
            return torch.mul(summed, g, out=out).sum(over), g.sum(over)

        yield from weighted_rows(
            lib,
            name,
            by(*x.shape) + ", 2 by 2",
            (x, sums, w, b, g),
            (ints + ([planes] if frames else []), ints, ints),
            (forward, back, gradients),
        )

    yield from rows("SpatialSubSampling", randn(8, 64, 56, 56), [2, 2], False, [2, 2, 2, 2])
    yield from rows("TemporalSubSampling", randn(32, 256, 256), [2, 1], True, [2, 2])

    x = rand(16, 256, 28, 28)
    flat = x.view(16, 256, 28 * 28)
    how = [2, 1], [2, 1], [0, 0], False, True, 1

    def norms():
        return aten.avg_pool2d(flat.square(), *how).sqrt_().view(16, 128, 28, 28)

    def back(g, y):
        def gradient():
            g_y = (g / y).view(16, 128, 28 * 28)
            return aten.avg_pool2d_backward(g_y, flat, *how).mul_(flat)

        return (gradient,)

    yield from layer_rows(
        lib,
        "FeatureLPPooling",
        ", 2 by 2",
        x,
        [2.0, 2, 2, 1],
        (norms,),
        back,
        operands=lambda tx, tg, gx, ty: [tg, tx, ty[0], gx],
    )


@family("more images of other sizes")
def resampling(lib):
    s, x, v = randn(32, 64, 256), randn(8, 64, 56, 56), randn(2, 32, 16, 28, 28)
    for name, image, ours, forward, backward in (
        (
            "TemporalUpSamplingNearest",
            s,
            [2],
            (aten.upsample_nearest1d.out, s, [512]),
            lambda g, y: (aten.upsample_nearest1d_backward.grad_input, g, [512], s.shape),
        ),
        (
            "VolumetricUpSamplingNearest",
            v,
            [2],
            (aten.upsample_nearest3d.out, v, [32, 56, 56]),
            lambda g, y: (aten.upsample_nearest3d_backward.grad_input, g, [32, 56, 56], v.shape),
        ),
        (
            "TemporalReflectionPadding",
            s,
            [2, 2],
            (aten.reflection_pad1d.out, s, [2, 2]),
            lambda g, y: (aten.reflection_pad1d_backward.grad_input, g, s, [2, 2]),
        ),
        (
            "TemporalReplicationPadding",
            s,
            [2, 2],
            (aten.replication_pad1d.out, s, [2, 2]),
            lambda g, y: (aten.replication_pad1d_backward.grad_input, g, s, [2, 2]),
        ),
        (
            "SpatialReplicationPadding",
            x,
            [2] * 4,
            (aten.replication_pad2d.out, x, [2] * 4),
            lambda g, y: (aten.replication_pad2d_backward.grad_input, g, x, [2] * 4),
        ),
        (
            "VolumetricReplicationPadding",
            v,
            [2] * 6,
            (aten.replication_pad3d.out, v, [2] * 6),
            lambda g, y: (aten.replication_pad3d_backward.grad_input, g, v, [2] * 6),
        ),
    ):
        note = ", by 2" if "UpSampling" in name else ", 2 on each side"
        yield from layer_rows(lib, name, note, image, ours, forward, backward)
    for name, image, ours, forward, backward in (
        (
            "SpatialUpSamplingNearest",
            x,
            [2],
            (aten.upsample_nearest2d, x, [112, 112]),
            lambda g, y: (aten.upsample_nearest2d_backward.grad_input, g, [112, 112], x.shape),
        ),
        (
            "SpatialReflectionPadding",
            x,
            [2] * 4,
            (aten.reflection_pad2d, x, [2] * 4),
            lambda g, y: (aten.reflection_pad2d_backward.grad_input, g, x, [2] * 4),
        ),
    ):
        note = ", by 2" if "UpSampling" in name else ", 2 on each side"
        yield from layer_rows(lib, name, note, image, ours, forward, backward, only_gradient=True)
    for kind, image, op, back in (
        (
            "TemporalUpSamplingLinear",
            s,
            aten.upsample_linear1d.out,
            aten.upsample_linear1d_backward.grad_input,
        ),
        (
            "SpatialUpSamplingBilinear",
            x,
            aten.upsample_bilinear2d.out,
            aten.upsample_bilinear2d_backward.grad_input,
        ),
        (
            "VolumetricUpSamplingTrilinear",
            v,
            aten.upsample_trilinear3d.out,
            aten.upsample_trilinear3d_backward.grad_input,
        ),
    ):
        size = [2 * n for n in image.shape[2:]]
        yield from layer_rows(
            lib,
            kind,
            f", to {by(*size)}",
            image,
            size,
            (op, image, size, True),
            lambda g, y, back=back, image=image, size=size: (back, g, size, image.shape, True),
            [*image.shape, *size],
            operands=lambda tx, tg, gx, ty: [tg, gx],
            only_gradient=kind.startswith("Spatial"),
            tolerance=1e-4,
        )
    for kind, image, op, back in (
        ("Spatial", x, aten.grid_sampler_2d, aten.grid_sampler_2d_backward),
        ("Volumetric", v, aten.grid_sampler_3d, aten.grid_sampler_3d_backward),
    ):
        yield from grid_rows(lib, kind, image, op, back)


def grid_rows(lib, kind, x, op, back):
    size = x.shape[2:]
    grid = rand(x.shape[0], *size, len(size)) * 2.2 - 1.1
    g = randn(x.shape)
    tx, ty, tgrid, tg, gx, ggrid = map(lib.tensor, (x, x, grid, g, x, grid))
    call = f"THNN_Float{kind}GridSamplerBilinear_"
    if kind != "Spatial":
        yield Row(
            f"{kind}GridSamplerBilinear",
            by(*x.shape),
            lib.call(call + "updateOutput", None, tx, tgrid, ty, 0),
            lambda: op(x, grid, 0, 0, True),
            [ty],
            tolerance=1e-4,
        )
    yield Row(
        f"{kind}GridSamplerBilinear's gradients",
        by(*x.shape),
        lib.call(call + "updateGradInput", None, tx, gx, tgrid, ggrid, tg, 0),
        lambda: back(g, x, grid, 0, 0, True, [True, True]),
        [gx, ggrid],
        tolerance=1e-4,
    )


@family("more activations")
def activations(lib):
    x = randn(IMAGES)
    positive = rand(IMAGES) + 0.1
    noise = rand(IMAGES) + 0.1

    def of_output(tx, tg, gx, ty):
        return [tg, gx, ty[0]]

    def also_output(tx, tg, gx, ty):
        return [tx, tg, gx, ty[0]]

    def of(back, *arguments):
        return lambda g, y: (back, g, x, *arguments)

    for name, after, forward, backward in (
        ("Abs", [], (aten.abs.out, x), lambda g, y: (lambda: torch.sgn(x).mul_(g),)),
        ("Square", [], (lambda: x * x,), lambda g, y: (lambda: torch.mul(x, g).mul_(2),)),
        (
            "HardShrink",
            [0.5],
            (aten.hardshrink.out, x, 0.5),
            of(aten.hardshrink_backward.grad_input, 0.5),
        ),
        (
            "SoftShrink",
            [0.5],
            (aten.softshrink.out, x, 0.5),
            of(aten.softshrink_backward.grad_input, 0.5),
        ),
    ):
        yield from layer_rows(lib, name, "", x, after, forward, backward)
    for name, after, forward, backward in (
        (
            "Threshold",
            [0.0, 0.0, 0],
            (aten.threshold, x, 0, 0),
            of(aten.threshold_backward.grad_input, 0),
        ),
        (
            "LeakyReLU",
            [0.01, 0],
            (aten.leaky_relu, x, 0.01),
            of(aten.leaky_relu_backward.grad_input, 0.01, False),
        ),
        (
            "HardTanh",
            [-1.0, 1.0, 0],
            (aten.hardtanh, x, -1, 1),
            of(aten.hardtanh_backward.grad_input, -1, 1),
        ),
    ):
        yield from layer_rows(lib, name, "", x, after, forward, backward, only_gradient=True)
    root = positive.sqrt()
    yield from layer_rows(lib, "Sqrt", "", positive, [0.0], (aten.sqrt.out, positive))
    yield from gradient_rows(
        lib,
        "Sqrt",
        positive,
        root,
        also_output,
        [],
        lambda g: (lambda: torch.div(g, root).mul_(0.5),),
    )
    y = torch.tanh(x)
    yield from gradient_rows(
        lib, "Tanh", x, y, of_output, [], lambda g: (aten.tanh_backward.grad_input, g, y)
    )
    e = F.elu(x)
    yield from gradient_rows(
        lib,
        "ELU",
        x,
        e,
        of_output,
        [1.0, 1.0],
        lambda g: (aten.elu_backward.grad_input, g, 1.0, 1.0, 1.0, True, e),
    )
    p = F.softplus(x)
    yield from gradient_rows(
        lib,
        "SoftPlus",
        x,
        p,
        also_output,
        [1.0, 20.0],
        lambda g: (aten.softplus_backward.grad_input, g, x, 1.0, 20.0),
    )
    _, buffer = aten.log_sigmoid_forward(x)
    yield from gradient_rows(
        lib,
        "LogSigmoid",
        x,
        x,
        lambda tx, tg, gx, ty: [tx, tg, gx, None],
        [],
        lambda g: (aten.log_sigmoid_backward.grad_input, g, x, buffer),
    )
    yield from gradient_rows(
        lib,
        "RReLU",
        x,
        noise,
        also_output,
        [0.125, 0.375, 1, 0],
        lambda g: (aten.rrelu_with_noise_backward, g, x, noise, 0.125, 0.375, True, False),
    )
    w = rand(64)
    each = w.view(64, 1, 1)
    g = randn(IMAGES)
    tx, ty, tg, gx, tw, gw = map(lib.tensor, (x, x, g, x, w, w))
    yield Row(
        "PReLU",
        by(*IMAGES),
        lib.call("THNN_FloatPReLU_updateOutput", None, tx, ty, tw),
        lambda: aten._prelu_kernel(x, each),
        [ty],
    )
    into = lib.call("THNN_FloatPReLU_updateGradInput", None, tx, tg, gx, tw)
    add = lib.call("THNN_FloatPReLU_accGradParameters", None, tx, tg, gx, tw, gw, 1.0)

    def both():
        gradient, weight = aten._prelu_kernel_backward(g, x, each)
        return gradient, weight.sum((0, 2, 3))

    yield Row(
        "its gradients",
        by(*IMAGES),
        lambda: (into(), add()),
        both,
        [gx, gw],
        tolerance=1e-4,
    )


def gradient_rows(lib, name, x, y, operands, after, backward):
    g = randn(x.shape)
    tx, tg, gx, ty = lib.tensor(x), lib.tensor(g), lib.tensor(x), [lib.tensor(y)]
    _, theirs = writing(*backward(g))
    call = operands(tx, tg, gx, ty) + after
    yield Row(
        f"{name}'s gradInput",
        by(*x.shape),
        lib.call(f"THNN_Float{name}_updateGradInput", None, call),
        theirs,
        [gx],
    )


@family("more losses")
def losses(lib):
    size = 1024, 1000
    x, y, sign = rand(size), rand(size) + 0.01, randn(size).sign()
    loss, out = lib.zeros(1), torch.empty(size)
    one = torch.ones(())
    tone = lib.tensor(torch.ones(1))
    tx, ty, tsign, gx = map(lib.tensor, (x, y, sign, x))
    n = x.numel()

    for name, target, ttarget, after, g, forward, backward in (
        (
            "AbsCriterion",
            y,
            ty,
            [1, 1],
            [tone],
            lambda: F.l1_loss(x, y),
            lambda: torch.sub(x, y, out=out).sgn_().mul_(1 / n),
        ),
        (
            "DistKLDivCriterion",
            y,
            ty,
            [1, 1],
            [tone],
            lambda: F.kl_div(x, y, reduction="sum") / n,
            lambda: torch.mul(y, -1 / n, out=out),
        ),
        (
            "SoftMarginCriterion",
            sign,
            tsign,
            [1, 1],
            [tone],
            lambda: aten.soft_margin_loss(x, sign, 1),
            lambda: aten.soft_margin_loss_backward.grad_input(one, x, sign, 1, grad_input=out),
        ),
        (
            "MarginCriterion",
            sign,
            tsign,
            [1, 1.0],
            [],
            lambda: torch.mul(x, sign, out=out).neg_().add_(1).clamp_min_(0).mean(),
            lambda: torch.mul(torch.mul(x, sign, out=out).lt(1), sign).mul_(-1 / n),
        ),
    ):
        yield Row(
            name,
            by(*size),
            lib.call(f"THNN_Float{name}_updateOutput", None, tx, ttarget, loss, after),
            forward,
            [loss],
        )
        yield Row(
            "its gradInput",
            by(*size),
            lib.call(f"THNN_Float{name}_updateGradInput", None, tx, ttarget, g, gx, after),
            backward,
            [gx],
        )
    yield Row(
        "L1Cost",
        by(*size),
        lib.call("THNN_FloatL1Cost_updateOutput", None, tx, loss),
        lambda: torch.abs(x, out=out).sum(),
        [loss],
    )
    yield Row(
        "its gradInput",
        by(*size),
        lib.call("THNN_FloatL1Cost_updateGradInput", None, tx, None, gx),
        lambda: torch.sgn(x, out=out),
        [gx],
    )
    for name, backward in (
        ("BCECriterion", aten.binary_cross_entropy_backward.grad_input),
        ("SmoothL1Criterion", aten.smooth_l1_loss_backward.grad_input),
    ):
        binary = name == "BCECriterion"
        arguments = (one, x, y, None, 1) if binary else (one, x, y, 1, 1.0)
        ours = [1, None, 1] if binary else [1, 1]
        yield Row(
            f"{name}'s gradInput",
            by(*size),
            lib.call(f"THNN_Float{name}_updateGradInput", None, tx, ty, tone, gx, ours),
            lambda backward=backward, arguments=arguments: backward(*arguments, grad_input=out),
            [gx],
        )
    classes = randint(1000, (1024,))
    tc, total = lib.tensor(classes), lib.tensor(torch.full((1,), 1024.0))
    theirs_total = torch.tensor(1024.0)
    yield Row(
        "ClassNLLCriterion's gradInput",
        by(*size),
        lib.call(
            "THNN_FloatClassNLLCriterion_updateGradInput",
            None,
            tx,
            tc,
            tone,
            gx,
            1,
            None,
            total,
            Int64(-100),
            1,
        ),
        lambda: aten.nll_loss_backward.grad_input(
            one, x, classes, None, 1, -100, theirs_total, grad_input=out
        ),
        [gx],
    )
    yield Row(
        "MultiMarginCriterion",
        by(*size),
        lib.call(
            "THNN_FloatMultiMarginCriterion_updateOutput", None, tx, tc, loss, 1, 1, None, 1.0, 1
        ),
        lambda: aten.multi_margin_loss(x, classes, 1, 1, None, 1),
        [loss],
    )
    yield Row(
        "its gradInput",
        by(*size),
        lib.call(
            "THNN_FloatMultiMarginCriterion_updateGradInput",
            None,
            tx,
            tc,
            tone,
            gx,
            1,
            1,
            None,
            1.0,
            1,
        ),
        lambda: aten.multi_margin_loss_backward.grad_input(
            one, x, classes, 1, 1, None, 1, grad_input=out
        ),
        [gx],
        tolerance=1e-4,
    )
    # Five labels of each, then -1.
    labels = torch.full(size, -1)
    labels[:, :5] = rand(size).argsort(1)[:, :5]
    tl, of_target = lib.tensor(labels), lib.zeros(*size)
    yield Row(
        "MultiLabelMarginCriterion",
        by(*size) + ", 5 labels",
        lib.call(
            "THNN_FloatMultiLabelMarginCriterion_updateOutput", None, tx, tl, loss, of_target, 1, 1
        ),
        lambda: aten.multilabel_margin_loss_forward(x, labels, 1)[0],
        [loss],
    )
    _, marks = aten.multilabel_margin_loss_forward(x, labels, 1)
    yield Row(
        "its gradInput",
        by(*size) + ", 5 labels",
        lib.call(
            "THNN_FloatMultiLabelMarginCriterion_updateGradInput",
            None,
            tx,
            tl,
            tone,
            gx,
            of_target,
            1,
            1,
        ),
        lambda: aten.multilabel_margin_loss_backward.grad_input(
            one, x, labels, 1, marks, grad_input=out
        ),
        [gx],
    )
    # A label for each pixel.
    z, pixels = rand(8, 21, 128, 128), randint(21, (8, 128, 128))
    count = torch.tensor(float(pixels.numel()))
    tz, tp, gz = map(lib.tensor, (z, pixels, z))
    all_, into = lib.tensor(count.view(1)), torch.empty_like(z)
    ours = [1, None, all_, Int64(-100), 1]
    yield Row(
        "SpatialClassNLLCriterion",
        by(*z.shape),
        lib.call("THNN_FloatSpatialClassNLLCriterion_updateOutput", None, tz, tp, loss, ours),
        lambda: aten.nll_loss2d_forward(z, pixels, None, 1, -100)[0],
        [loss],
    )
    yield Row(
        "its gradInput",
        by(*z.shape),
        lib.call(
            "THNN_FloatSpatialClassNLLCriterion_updateGradInput", None, tz, tp, tone, gz, ours
        ),
        lambda: aten.nll_loss2d_backward.grad_input(
            one, z, pixels, None, 1, -100, count, grad_input=into
        ),
        [gz],
    )


@family("linear layers")
def linear(lib):
    x, w, b, g = randn(256, 1024), randn(512, 1024) / 32, rand(512), randn(256, 512)
    tx, ty, tw, tb, tg, gx, gw, gb = map(lib.tensor, (x, g, w, b, g, x, w, b))
    out, out_x, out_w = map(torch.empty_like, (g, x, w))
    call, shape = "THNN_FloatLinear_", "256 x 1024, to 512"
    yield Row(
        "Linear",
        shape,
        lib.call(call + "updateOutput", None, tx, ty, tw, tb, None),
        lambda: torch.addmm(b, x, w.t(), out=out),
        [ty],
    )
    yield Row(
        "its gradInput",
        shape,
        lib.call(call + "updateGradInput", None, tx, tg, gx, tw),
        lambda: torch.mm(g, w, out=out_x),
        [gx],
    )
    yield Row(
        "its gradWeight",
        shape,
        lib.call(call + "accGradParameters", None, tx, tg, None, tw, tb, gw, gb, None, 1.0),
        lambda: (torch.mm(g.t(), x, out=out_w), g.sum(0)),
        [gw, gb],
        tolerance=1e-4,
    )


@family("sparse linear layers")
def sparse(lib):
    batch, inputs, outputs, entries = 256, 20000, 256, 64
    columns = rand(batch, inputs).topk(entries, 1).indices.sort(1).values
    values, b, g = randn(batch, entries), rand(outputs), randn(batch, outputs)
    w = randn(outputs, inputs) / 8
    rows = torch.arange(batch).repeat_interleave(entries)
    lengths = torch.full((batch,), entries)
    starts = torch.arange(batch + 1) * entries
    with warnings.catch_warnings():  # that the format is new
        warnings.simplefilter("ignore")
        matrix = torch.sparse_csr_tensor(starts, columns.view(-1), values.view(-1), (batch, inputs))
        across = matrix.to_sparse_coo().t().to_sparse_csr()
    ones = [(columns + 1).float(), values]
    legacy = torch.stack(ones, 2)
    triples = torch.stack([(rows + 1).float(), *(part.view(-1) for part in ones)], 1)
    ty, tw, tb, tg, gw, gb = map(lib.tensor, (g, w, b, g, w, b))
    shape = f"{batch} x {inputs}, {entries} in each, to {outputs}"
    for prefix, entries_ in (("", triples), ("legacy", legacy)):

        def named(name, prefix=prefix):
            return "THNN_FloatSparseLinear_" + (
                prefix + name if prefix else name[0].lower() + name[1:]
            )

        tx = lib.tensor(entries_)
        title = "SparseLinear" + (", legacy" if prefix else "")
        yield Row(
            title,
            shape,
            lib.call(named("UpdateOutput"), None, tx, ty, tw, tb),
            lambda: torch.addmm(b, matrix, w.t()),
            [ty],
        )
        zero = lib.call(named("ZeroGradParameters"), None, gw, gb, tx)
        add = lib.call(named("AccGradParameters"), None, tx, tg, gw, gb, tw, tb, 0.0, 1.0)
        yield Row(
            "its gradWeight, from 0",
            shape,
            lambda zero=zero, add=add: (zero(), add()),
            lambda: ((across @ g).t(), g.sum(0)),
            [gw, gb],
            tolerance=1e-4,
        )

    # The same lists; a row of weights for each input, as in tables.
    table = w.t().contiguous()
    keys, sums = lib.tensor(columns.view(-1)), lib.tensor(lengths.cumsum(0))
    tv, sizes, ttable = map(lib.tensor, (values.view(-1), lengths, table))
    flat, weights = columns.view(-1), values.view(-1)
    of_keys = lib.zeros(batch * entries, outputs)
    lists = [keys, Int64(0), tv, sizes, sums]
    yield Row(
        "IndexLinear",
        shape,
        lib.call("THNN_FloatIndexLinear_updateOutput", None, lists, ty, ttable, tb, None, 0),
        lambda: aten._embedding_bag(table, flat, starts[:-1], False, 0, False, weights)[0].add_(b),
        [ty],
    )
    out = torch.empty_like(of_keys.torch)
    one = weights.view(-1, 1)
    yield Row(
        "its gradWeight",
        shape,
        lib.call(
            "THNN_FloatIndexLinear_accGradParameters",
            None,
            lists,
            tg,
            of_keys,
            gb,
            ttable,
            tb,
            None,
            0.0,
            1.0,
        ),
        lambda: (torch.index_select(g, 0, rows, out=out).mul_(one), g.sum(0)),
        [of_keys, gb],
    )
    fresh, step = table.clone(), out.copy_(randn(out.shape))
    tstep = lib.tensor(step)

    def prepare():
        ttable.torch.copy_(table), gb.torch.zero_(), tb.torch.copy_(b)

    yield Row(
        "its step",
        shape,
        lib.call(
            "THNN_FloatIndexLinear_updateParameters",
            None,
            tstep,
            gb,
            ttable,
            tb,
            keys,
            sums,
            Int64(0),
            0.0,
            0.125,
        ),
        lambda: fresh.index_add_(0, flat, step, alpha=-0.125),
        [ttable],
        prepare,
    )

    w, index = randn(50000, 256), randint(50000, (8192,))
    table, tindex, theirs = lib.tensor(w), lib.tensor(index), w.clone()
    yield Row(
        "LookupTable's renorm",
        "8192 of 50000 x 256",
        lib.call("THNN_FloatLookupTable_renorm", None, tindex, table, 15.0, 2.0),
        lambda: aten.embedding_renorm_(theirs, index, 15.0, 2.0),
        [table],
        lambda: table.torch.copy_(w),
    )


@family("gradients of recurrent cells")
def cells(lib):
    batch, n = 64, 512
    r, z, hidden = rand(batch, n), rand(batch, n), randn(batch, n)
    new, h, g, g_cell = randn(batch, n).tanh(), randn(batch, n), randn(batch, n), randn(batch, n)
    kept = lib.tensor(torch.cat([r, z, new, h, hidden], 1))
    tg, gh = lib.tensor(g), lib.tensor(g)
    gx, g_hidden = lib.zeros(batch, 3 * n), lib.zeros(batch, 3 * n)

    def gru():
        through_z = torch.mul(g, z)
        g_new = aten.tanh_backward(g - through_z, new)
        g_r = aten.sigmoid_backward(g_new * hidden, r)
        g_z = aten.sigmoid_backward((h - new).mul_(g), z)
        return torch.cat([g_r, g_z, g_new], 1), torch.cat([g_r, g_z, g_new * r], 1), through_z

    yield Row(
        "GRUFused's gradients",
        "64 x 512",
        lib.call("THNN_FloatGRUFused_updateGradInput", None, gx, g_hidden, tg, gh, kept),
        gru,
        [gx, g_hidden, gh],
    )
    gates = torch.cat([rand(batch, 2 * n), randn(batch, n).tanh(), rand(batch, n)], 1)
    i, f, cell, o = gates.chunk(4, 1)
    after = f * h + i * cell
    tgates, tc, tcy, tgc, gc = map(lib.tensor, (gates, h, after, g_cell, h))
    g_gates = lib.zeros(batch, 4 * n)

    def lstm():
        bent = torch.tanh(after)
        through = aten.tanh_backward(g * o, bent).add_(g_cell)
        return (
            torch.cat(
                [
                    aten.sigmoid_backward(through * cell, i),
                    aten.sigmoid_backward(through * h, f),
                    aten.tanh_backward(through * i, cell),
                    aten.sigmoid_backward(bent.mul_(g), o),
                ],
                1,
            ),
            through * f,
        )

    yield Row(
        "LSTMFused's gradients",
        "64 x 512",
        lib.call(
            "THNN_FloatLSTMFused_updateGradInput", None, tgates, g_gates, tc, tcy, tg, tgc, gc
        ),
        lstm,
        [g_gates, gc],
    )
