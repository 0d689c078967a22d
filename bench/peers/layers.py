"""Layers of THNN compared with PyTorch's."""

import torch
import torch.nn.functional as F
from torch import rand, randint, randn

from rows import Row, family
from th import Int64, Real

aten = torch.ops.aten

IMAGES = (32, 64, 56, 56)


def by(*sizes):
    return " x ".join(map(str, sizes))


# batch, planes, height = width, outputs, window, step, padding
CONVOLUTIONS = [
    (32, 64, 56, 64, 3, 1, 1),
    (32, 256, 14, 256, 3, 1, 1),
    (32, 512, 7, 512, 3, 1, 1),
    (32, 128, 56, 128, 3, 2, 1),
    (32, 3, 224, 64, 7, 2, 3),
    (32, 256, 56, 64, 1, 1, 0),
    (32, 512, 7, 2048, 1, 1, 0),
    (32, 256, 56, 512, 1, 2, 0),
]


def weighted_rows(lib, layer, shape, operands, after, theirs, name=None, tolerance=1e-5):
    """The rows of a layer with parameters, THNN_Float<layer>_...: operands are an input, an output,
    our weight, the bias and an output's gradient; after three lists of arguments that follow them
    (forward, back, and for the parameters), theirs three functions, the last of which returns the
    gradients of both parameters."""
    x, _, w, b, _ = operands
    tx, ty, tw, tb, tg = map(lib.tensor, operands)
    gx, gw, gb = map(lib.tensor, (x, w, b))
    function = f"THNN_Float{layer}_"
    output, back, parameters = after
    yield Row(
        name or layer,
        shape,
        lib.call(function + "updateOutput", None, tx, ty, tw, tb, output),
        theirs[0],
        [ty],
        tolerance=tolerance,
    )
    yield Row(
        "its gradInput",
        shape,
        lib.call(function + "updateGradInput", None, tx, tg, gx, tw, back),
        theirs[1],
        [gx],
        tolerance=tolerance,
    )
    yield Row(
        "its gradWeight",
        shape,
        lib.call(function + "accGradParameters", None, tx, tg, gw, gb, parameters, 1.0),
        theirs[2],
        [gw, gb],
        tolerance=1e-4,
    )


def convolution_rows(
    lib,
    name,
    layer,
    parameters,
    x,
    w,
    step,
    pad,
    groups=1,
    weight_of=lambda w: w,
    dilation=1,
    full=False,
    grown=0,
    buffers=2,
    tolerance=1e-5,
):
    """The rows of a layer, THNN_Float<layer>_...; parameters follow its buffers (on the way to
    gradInput, of that number).  A full one is what PyTorch calls transposed, grown at its ends."""
    axes = x.dim() - 2
    shape = f"{by(*x.shape)}, {w.shape[full]} of {by(*w.shape[2:])}"
    shape += f" by {step}" if step > 1 else ""
    shape += f", {dilation} apart" if dilation > 1 else ""
    b = rand(w.shape[1] if full else w.shape[0])
    how = [step] * axes, [pad] * axes, [dilation] * axes, full, [grown] * axes, groups
    y = aten.convolution(x, w, b, *how)
    g = randn(y.shape)

    def back(mask):
        return lambda: aten.convolution_backward(g, x, w, list(b.shape), *how, mask)

    yield from weighted_rows(
        lib,
        layer,
        shape,
        (x, y, weight_of(w), b, g),
        ([None, None, *parameters], [None] * buffers + parameters, [None, None, *parameters]),
        (
            lambda: aten.convolution(x, w, b, *how),
            back([True, False, False]),
            back([False, True, True]),
        ),
        name,
        tolerance,
    )


@family("convolution")
def convolution(lib):
    for n, planes, h, outputs, window, step, pad in CONVOLUTIONS:
        yield from convolution_rows(
            lib,
            "SpatialConvolutionMM",
            "SpatialConvolutionMM",
            [window, window, step, step, pad, pad],
            randn(n, planes, h, h),
            randn(outputs, planes, window, window) / (window * planes**0.5),
            step,
            pad,
        )


@family("depth-wise convolution")
def depth_wise(lib):
    x, w = randn(32, 128, 28, 28), randn(128, 1, 3, 3)
    # Ours has the multiplier before the planes.
    rows = convolution_rows(
        lib,
        "SpatialDepthWiseConvolution",
        "SpatialDepthWiseConvolution",
        [3, 3, 1, 1, 1, 1],
        x,
        w,
        1,
        1,
        groups=128,
        weight_of=lambda w: w.transpose(0, 1),
    )
    yield from rows


@family("pooling")
def pooling(lib):
    x = randn(IMAGES)
    y, indices = F.max_pool2d(x, 3, 2, 1, return_indices=True)
    g = randn(y.shape)
    tx, ty, ti, tg, gx = (
        lib.tensor(x),
        lib.tensor(y),
        lib.tensor(indices),
        lib.tensor(g),
        lib.tensor(x),
    )
    shape, window = by(*IMAGES) + ", 3 x 3 by 2", [3, 3, 2, 2, 1, 1, 0]
    out, out_indices, out_g = torch.empty_like(y), torch.empty_like(indices), torch.empty_like(x)
    yield Row(
        "SpatialMaxPooling",
        shape,
        lib.call("THNN_FloatSpatialMaxPooling_updateOutput", None, tx, ty, ti, window),
        lambda: aten.max_pool2d_with_indices.out(
            x, [3, 3], [2, 2], [1, 1], out=out, indices=out_indices
        ),
        [ty, ti],
    )
    yield Row(
        "its gradInput",
        shape,
        lib.call("THNN_FloatSpatialMaxPooling_updateGradInput", None, tx, tg, gx, ti, window),
        lambda: aten.max_pool2d_with_indices_backward.grad_input(
            g, x, [3, 3], [2, 2], [1, 1], [1, 1], False, indices, grad_input=out_g
        ),
        [gx],
    )
    yield Row(
        "SpatialAveragePooling",
        shape,
        lib.call("THNN_FloatSpatialAveragePooling_updateOutput", None, tx, ty, window, 1),
        lambda: aten.avg_pool2d.out(x, [3, 3], [2, 2], [1, 1], out=out),
        [ty],
    )
    yield Row(
        "its gradInput",
        shape,
        lib.call("THNN_FloatSpatialAveragePooling_updateGradInput", None, tx, tg, gx, window, 1),
        lambda: aten.avg_pool2d_backward.grad_input(
            g, x, [3, 3], [2, 2], [1, 1], False, True, None, grad_input=out_g
        ),
        [gx],
    )


@family("batch normalization")
def batch_normalization(lib):
    x, g, w, b = randn(IMAGES), randn(IMAGES), rand(64), rand(64)
    mean, var = torch.zeros(64), torch.ones(64)
    tx, ty, tg, gx = lib.tensor(x), lib.tensor(x), lib.tensor(g), lib.tensor(x)
    tw, tb, gw, gb = lib.tensor(w), lib.tensor(b), lib.tensor(w), lib.tensor(b)
    tmean, tvar, save_mean, save_std = (lib.zeros(64) for _ in range(4))
    shape = by(*IMAGES)

    def prepare():
        mean.zero_(), var.fill_(1), tmean.torch.zero_(), tvar.torch.fill_(1)

    yield Row(
        "BatchNormalization",
        shape,
        lib.call(
            "THNN_FloatBatchNormalization_updateOutput",
            None,
            tx,
            ty,
            tw,
            tb,
            tmean,
            tvar,
            save_mean,
            save_std,
            1,
            0.1,
            1e-5,
        ),
        lambda: torch.native_batch_norm(x, w, b, mean, var, True, 0.1, 1e-5),
        [ty, save_mean, save_std],
        prepare,
    )
    _, m, s = torch.native_batch_norm(x, w, b, mean, var, True, 0.1, 1e-5)
    yield Row(
        "its gradients",
        shape,
        lib.call(
            "THNN_FloatBatchNormalization_backward",
            None,
            tx,
            tg,
            gx,
            gw,
            gb,
            tw,
            tmean,
            tvar,
            save_mean,
            save_std,
            1,
            1.0,
            1e-5,
        ),
        lambda: aten.native_batch_norm_backward(g, x, w, mean, var, m, s, True, 1e-5, [True] * 3),
        [gx, gw, gb],
        tolerance=1e-4,
    )
    prepare()
    yield Row(
        "BatchNormalization, not training",
        shape,
        lib.call(
            "THNN_FloatBatchNormalization_updateOutput",
            None,
            tx,
            ty,
            tw,
            tb,
            tmean,
            tvar,
            save_mean,
            save_std,
            0,
            0.1,
            1e-5,
        ),
        lambda: torch.native_batch_norm(x, w, b, mean, var, False, 0.1, 1e-5)[0],
        [ty],
    )


@family("softmax")
def softmax(lib):
    x, g = randn(1024, 1000), randn(1024, 1000)
    tx, ty, tg, gx = lib.tensor(x), lib.tensor(x), lib.tensor(g), lib.tensor(x)
    out, one = torch.empty_like(x), Int64(1)
    for name, forward, backward in (
        ("LogSoftMax", aten._log_softmax.out, aten._log_softmax_backward_data.out),
        ("SoftMax", aten._softmax.out, aten._softmax_backward_data.out),
    ):
        y = forward(x, 1, False, out=torch.empty_like(x))
        function = f"THNN_Float{name}_"
        yield Row(
            name,
            by(1024, 1000),
            lib.call(function + "updateOutput", None, tx, ty, one),
            lambda: forward(x, 1, False, out=out),
            [ty],
        )
        take = {"grad_input": out} if name == "SoftMax" else {"out": out}
        yield Row(
            "its gradInput",
            by(1024, 1000),
            lib.call(function + "updateGradInput", None, tx, tg, gx, ty, one),
            lambda: backward(g, y, 1, torch.float32, **take),
            [gx],
        )


@family("recurrent cells")
def cells(lib):
    x, h, c = randn(64, 512), randn(64, 512), randn(64, 512)
    for name, gates, theirs in (("LSTMFused", 4, torch.lstm_cell), ("GRUFused", 3, torch.gru_cell)):
        wx, wh = randn(gates * 512, 512) / 22, randn(gates * 512, 512) / 22
        bx, bh = randn(gates * 512), randn(gates * 512)
        tx, th, tc, twx, twh, tbx, tbh = map(lib.tensor, (x, h, c, wx, wh, bx, bh))
        across_x, across_h = lib.transposed(twx), lib.transposed(twh)
        from_x, from_h, y, z = (
            lib.zeros(64, gates * 512),
            lib.zeros(64, gates * 512),
            lib.zeros(64, 512),
            lib.zeros(64, 512),
        )
        product_x = lib.call("THFloatTensor_addmm", from_x, Real(0), from_x, Real(1), tx, across_x)
        product_h = lib.call("THFloatTensor_addmm", from_h, Real(0), from_h, Real(1), th, across_h)
        if name == "LSTMFused":
            fused = lib.call(
                "THNN_FloatLSTMFused_updateOutput", None, from_x, from_h, tbx, tbh, tc, y, z
            )
            state, results = (h, c), [y, z]
        else:
            kept = lib.zeros(64, 5 * 512)
            fused = lib.call(
                "THNN_FloatGRUFused_updateOutput", None, from_x, from_h, tbx, tbh, th, y, kept
            )
            state, results = h, [y]

        def ours():
            product_x()
            product_h()
            fused()

        yield Row(
            f"{name}, with its products",
            "64 x 512, to 512",
            ours,
            lambda: theirs(x, state, wx, wh, bx, bh),
            results,
        )
        if name == "LSTMFused":
            gx, gh, bias = from_x.torch.clone(), from_h.torch.clone(), bx + bh

            def pointwise():
                i, f, g, o = (gx + gh + bias).chunk(4, 1)
                cell = f.sigmoid_() * c + i.sigmoid_() * g.tanh_()
                return o.sigmoid_() * cell.tanh(), cell

            yield Row(
                "LSTMFused",
                "64 x 512",
                fused,
                pointwise,
                results,
                lambda: (product_x(), gx.copy_(from_x.torch), gh.copy_(from_h.torch)),
            )


@family("tables")
def tables(lib):
    w, index, g = randn(50000, 256), randint(50000, (8192,)), randn(8192, 256)
    tw, ti, tg, ty, gw = (
        lib.tensor(w),
        lib.tensor(index),
        lib.tensor(g),
        lib.tensor(g),
        lib.tensor(w),
    )
    yield Row(
        "LookupTable",
        "8192 of 50000 x 256",
        lib.call("THFloatTensor_indexSelect", ty, tw, 0, ti),
        lambda: F.embedding(index, w),
        [ty],
    )
    add = lib.call(
        "THNN_FloatLookupTable_accGradParameters", None, ti, tg, gw, None, None, None, 0, -1, 1.0
    )

    def ours():  # PyTorch's gradient is a new one each time
        gw.torch.zero_()
        add()

    yield Row(
        "its gradWeight, from 0",
        "8192 of 50000 x 256",
        ours,
        lambda: aten.embedding_dense_backward(g, index, 50000, -1, False),
        [gw],
    )


@family("activations")
def activations(lib):
    x, g = randn(IMAGES), randn(IMAGES)
    tx, ty, tg, gx = lib.tensor(x), lib.tensor(x), lib.tensor(g), lib.tensor(x)
    half = lib.zeros(32, 32, 56, 56)
    out, out_half = torch.empty_like(x), torch.empty_like(half.torch)
    for name, arguments, result, theirs in (
        ("Threshold", [0.0, 0.0, 0], ty, lambda: aten.threshold.out(x, 0, 0, out=out)),
        ("LeakyReLU", [0.01, 0], ty, lambda: aten.leaky_relu.out(x, 0.01, out=out)),
        ("HardTanh", [-1.0, 1.0, 0], ty, lambda: aten.hardtanh.out(x, -1, 1, out=out)),
        ("ELU", [1.0, 1.0, 0], ty, lambda: aten.elu.out(x, 1, 1, out=out)),
        ("Sigmoid", [], ty, lambda: torch.sigmoid(x, out=out)),
        ("Tanh", [], ty, lambda: torch.tanh(x, out=out)),
        ("SoftPlus", [1.0, 20.0], ty, lambda: aten.softplus.out(x, 1, 20, out=out)),
        ("LogSigmoid", [None], ty, lambda: aten.log_sigmoid.out(x, out=out)),
        ("GatedLinear", [1], half, lambda: aten.glu.out(x, 1, out=out_half)),
    ):
        yield Row(
            name,
            by(*IMAGES),
            lib.call(f"THNN_Float{name}_updateOutput", None, tx, result, arguments),
            theirs,
            [result],
        )
    s = torch.sigmoid(x)
    ts = lib.tensor(s)
    yield Row(
        "Sigmoid's gradInput",
        by(*IMAGES),
        lib.call("THNN_FloatSigmoid_updateGradInput", None, tg, gx, ts),
        lambda: aten.sigmoid_backward.grad_input(g, s, grad_input=out),
        [gx],
    )
    tg_half = lib.tensor(g[:, :32])
    g_half = tg_half.torch
    yield Row(
        "GatedLinear's gradInput",
        by(*IMAGES),
        lib.call("THNN_FloatGatedLinear_updateGradInput", None, tx, tg_half, gx, 1),
        lambda: aten.glu_backward.grad_input(g_half, x, 1, grad_input=out),
        [gx],
    )


@family("losses")
def losses(lib):
    x, y = rand(1024, 1000), rand(1024, 1000)
    classes = randint(1000, (1024,))
    tx, ty, tc, loss, total = (
        lib.tensor(x),
        lib.tensor(y),
        lib.tensor(classes),
        lib.zeros(1),
        lib.zeros(1),
    )
    one = lib.tensor(torch.ones(1))
    gx, out = lib.tensor(x), torch.empty_like(x)
    for name, arguments, theirs in (
        ("MSECriterion", [1, 1], lambda: F.mse_loss(x, y)),
        ("BCECriterion", [1, None, 1], lambda: F.binary_cross_entropy(x, y)),
        ("SmoothL1Criterion", [1, 1], lambda: F.smooth_l1_loss(x, y)),
    ):
        yield Row(
            name,
            by(1024, 1000),
            lib.call(f"THNN_Float{name}_updateOutput", None, tx, ty, loss, arguments),
            theirs,
            [loss],
        )
    yield Row(
        "MSECriterion's gradInput",
        by(1024, 1000),
        lib.call("THNN_FloatMSECriterion_updateGradInput", None, tx, ty, one, gx, 1, 1),
        lambda: aten.mse_loss_backward.grad_input(one.torch, x, y, 1, grad_input=out),
        [gx],
    )
    yield Row(
        "ClassNLLCriterion",
        by(1024, 1000),
        lib.call(
            "THNN_FloatClassNLLCriterion_updateOutput",
            None,
            tx,
            tc,
            loss,
            1,
            None,
            total,
            Int64(-100),
            1,
        ),
        lambda: F.nll_loss(x, classes),
        [loss],
    )


@family("images of other sizes")
def resampling(lib):
    x = randn(8, 64, 56, 56)
    y = randn(8, 64, 112, 112)
    tx, ty, out = lib.tensor(x), lib.tensor(y), torch.empty_like(y)
    yield Row(
        "SpatialUpSamplingNearest",
        "8 x 64 x 56 x 56, by 2",
        lib.call("THNN_FloatSpatialUpSamplingNearest_updateOutput", None, tx, ty, 2),
        lambda: aten.upsample_nearest2d.out(x, [112, 112], out=out),
        [ty],
    )
    yield Row(
        "SpatialUpSamplingBilinear",
        "8 x 64 x 56 x 56, to 112 x 112",
        lib.call("THNN_FloatSpatialUpSamplingBilinear_updateOutput", None, tx, ty, 112, 112),
        lambda: aten.upsample_bilinear2d.out(x, [112, 112], True, out=out),
        [ty],
        tolerance=1e-4,
    )
    grid = rand(8, 56, 56, 2) * 2.2 - 1.1
    tgrid, tz = lib.tensor(grid), lib.tensor(x)
    yield Row(
        "SpatialGridSamplerBilinear",
        "8 x 64 x 56 x 56",
        lib.call("THNN_FloatSpatialGridSamplerBilinear_updateOutput", None, tx, tgrid, tz, 0),
        lambda: torch.grid_sampler(x, grid, 0, 0, True),
        [tz],
        tolerance=1e-4,
    )
    tp = lib.zeros(8, 64, 60, 60)
    out_p = torch.empty_like(tp.torch)
    yield Row(
        "SpatialReflectionPadding",
        "8 x 64 x 56 x 56, 2 on each side",
        lib.call("THNN_FloatSpatialReflectionPadding_updateOutput", None, tx, tp, 2, 2, 2, 2),
        lambda: aten.reflection_pad2d.out(x, [2, 2, 2, 2], out=out_p),
        [tp],
    )
