"""Convolutions other than the plain ones: of one and three axes, dilated, full, by tables, local."""

import torch
import torch.nn.functional as F
from torch import rand, randn

from layers import aten, by, convolution_rows, weighted_rows
from rows import Row, family
from th import Int64


@family("full and dilated convolution")
def full_and_dilated(lib):
    x = randn(32, 64, 28, 28)
    for name, parameters, window, step, pad, dilation, grown in (
        ("SpatialFullConvolution", [4, 4, 2, 2, 1, 1, 0, 0], 4, 2, 1, 1, 0),
        ("SpatialFullDilatedConvolution", [3, 3, 2, 2, 2, 2, 2, 2, 1, 1], 3, 2, 2, 2, 1),
    ):
        w = randn(64, 32, window, window) / 32
        yield from convolution_rows(
            lib,
            name,
            name,
            parameters,
            x,
            w,
            step,
            pad,
            dilation=dilation,
            full=True,
            grown=grown,
            buffers=1,
        )
    name = "SpatialDilatedConvolution"
    x, w = randn(8, 256, 28, 28), randn(256, 256, 3, 3) / 48
    parameters = [3, 3, 1, 1, 2, 2, 2, 2]
    yield from convolution_rows(lib, name, name, parameters, x, w, 1, 2, dilation=2, buffers=1)


@family("convolution of volumes")
def volumes(lib):
    x, w = randn(8, 16, 16, 28, 28), randn(32, 16, 3, 3, 3) / 20
    for name, parameters, pad, dilation, buffers in (
        ("VolumetricConvolutionMM", [3, 3, 3, 1, 1, 1, 1, 1, 1], 1, 1, 2),
        ("VolumetricConvolution", [1, 1, 1, 1, 1, 1], 1, 1, 1),
        ("VolumetricDilatedConvolution", [3, 3, 3, 1, 1, 1, 2, 2, 2, 2, 2, 2], 2, 2, 1),
    ):
        yield from convolution_rows(
            lib, name, name, parameters, x, w, 1, pad, dilation=dilation, buffers=buffers
        )
    x = randn(4, 32, 8, 14, 14)
    for name, parameters, window, pad, dilation, grown in (
        ("VolumetricFullConvolution", [4, 4, 4, 2, 2, 2, 1, 1, 1, 0, 0, 0], 4, 1, 1, 0),
        (
            "VolumetricFullDilatedConvolution",
            [3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1],
            3,
            2,
            2,
            1,
        ),
    ):
        w = randn(32, 16, window, window, window) / 40
        yield from convolution_rows(
            lib,
            name,
            name,
            parameters,
            x,
            w,
            2,
            pad,
            dilation=dilation,
            full=True,
            grown=grown,
        )


@family("convolution of sequences")
def sequences(lib):
    # Planes before frames, as PyTorch has them: a depth-wise convolution.
    x, w = randn(16, 512, 256), randn(512, 1, 5)
    yield from convolution_rows(
        lib,
        "TemporalRowConvolution, channels-first",
        "TemporalRowConvolution",
        [5, 1, 2, 1],
        x,
        w,
        1,
        2,
        groups=512,
        weight_of=lambda w: w.view(512, 5),
    )
    # Frames before planes: PyTorch's takes a view.
    x, w, b = randn(16, 256, 512), randn(512, 1, 5), rand(512)
    one = [1], [2], [1], False, [0], 512
    yield from transposed_rows(
        lib, "TemporalRowConvolution", x, w, b, one, w.view(512, 5), [5, 1, 2, 0], 2
    )
    x, w, b = randn(16, 256, 256), randn(256, 256, 5) / 36, rand(256)
    one = [1], [0], [1], False, [0], 1
    # Our windows have the frames outside, the planes of each within.
    flat = w.transpose(1, 2).reshape(256, 5 * 256)
    yield from transposed_rows(
        lib, "TemporalConvolution", x, w, b, one, flat, [5, 1], 0, [256, 256]
    )


def transposed_rows(lib, name, x, w, b, how, weight, parameters, buffers, frames=()):
    """A layer of batch x frames x planes compared with PyTorch's of batch x planes x frames."""
    across = x.transpose(1, 2)
    y = aten.convolution(across, w, b, *how).transpose(1, 2)
    g = randn(y.shape)
    g_across = g.transpose(1, 2)
    shape = f"{by(*x.shape)}, {w.shape[0]} of {w.shape[2]}"
    after = [None] * buffers + parameters

    def back(*mask):
        return aten.convolution_backward(g_across, across, w, list(b.shape), *how, list(mask))

    def gradients():
        _, gradient, bias = back(False, True, True)
        return (gradient if buffers else gradient.transpose(1, 2)), bias

    yield from weighted_rows(
        lib,
        name,
        shape,
        (x, y, weight, b, g),
        (after + list(frames), after, after),
        (
            lambda: aten.convolution(across, w, b, *how).transpose(1, 2),
            lambda: back(True, False, False)[0].transpose(1, 2),
            gradients,
        ),
    )


@family("convolution by a table")
def by_tables(lib):
    # Four inputs for each output: PyTorch's weight has all of them, the others 0.
    planes, fan = 64, 4
    table = torch.tensor(
        [[(i * 7 + i // planes) % planes, i % planes] for i in range(fan * planes)]
    )
    ttable = lib.tensor(table.float())
    for name, size, window, step, full in (
        ("SpatialConvolutionMap", 56, 3, 1, False),
        ("SpatialFullConvolutionMap", 28, 4, 2, True),
    ):
        x, b = randn(8, planes, size, size), rand(planes)
        own = randn(len(table), window, window) / window
        to, of = (table[:, 0], table[:, 1]) if full else (table[:, 1], table[:, 0])
        w = torch.zeros(planes, planes, window, window)
        w[to, of] = own
        how = [step] * 2, [0] * 2, [1] * 2, full, [0] * 2, 1
        y = aten.convolution(x, w, b, *how)
        g = randn(y.shape)
        shape = f"{by(*x.shape)}, 4 to each of {planes}, {window} x {window}"
        shape += f" by {step}" if step > 1 else ""
        after = [ttable, planes, planes, step, step]

        def back(*mask, g=g, x=x, w=w, how=how):
            return aten.convolution_backward(g, x, w, [planes], *how, list(mask))

        def gradients(back=back, to=to, of=of):
            _, gradient, bias = back(False, True, True)
            return gradient[to, of], bias

        yield from weighted_rows(
            lib,
            name,
            shape,
            (x, y, own, b, g),
            (after, [lib.tensor(b), *after], after),
            (
                lambda x=x, w=w, b=b, how=how: aten.convolution(x, w, b, *how),
                lambda back=back: back(True, False, False)[0],
                gradients,
            ),
        )


@family("local convolution")
def local(lib):
    # PyTorch has none: the products of its columns with the weights of each position.
    n, planes, size = 32, 32, 28
    x, w = randn(n, planes, size, size), randn(size, size, planes, planes, 3, 3) / 17
    b = rand(planes, size, size)
    each = w.view(size * size, planes, planes * 9)

    def columns():  # positions x batch x column
        return F.unfold(x, 3, padding=1).permute(2, 0, 1)

    def forward():
        y = torch.bmm(columns(), each.transpose(1, 2))
        return y.permute(1, 2, 0).reshape(n, planes, size, size).add_(b)

    g = randn(n, planes, size, size)
    of_places = g.view(n, planes, size * size).permute(2, 0, 1)

    def back():
        gradient = torch.bmm(of_places, each).permute(1, 2, 0)
        return F.fold(gradient, (size, size), 3, padding=1)

    def gradients():
        return torch.bmm(of_places.transpose(1, 2), columns()), g.sum(0)

    after = [None, None, 3, 3, 1, 1, 1, 1] + [Int64(size)] * 4
    yield from weighted_rows(
        lib,
        "SpatialConvolutionLocal",
        f"{by(*x.shape)}, {planes} of 3 x 3",
        (x, g, w, b, g),
        (after, after, after),
        (forward, back, gradients),
    )


@family("columns")
def columns(lib):
    x, c = randn(8, 64, 56, 56), randn(8, 64 * 9, 56 * 56)
    window = [[3, 3], [1, 1], [1, 1], [1, 1]]
    out, out_c = torch.empty_like(x), torch.empty_like(c)
    ints, size = [3, 3, 1, 1, 1, 1, 1, 1], [56, 56]
    unfolded = [3, 3, 1, 1, 1, 1, 64, 56, 56, 56, 56]

    def fold(c, out):
        return lambda: aten.col2im.out(c, size, *window, out=out)

    def unfold(x, out):
        return lambda: aten.im2col.out(x, *window, out=out)

    for name, operand, between, after, theirs in (
        ("Im2Col_updateOutput", x, [], ints, unfold(x, out_c)),
        ("Im2Col_updateGradInput", c, size, ints, fold(c, out)),
        ("Col2Im_updateOutput", c, size, ints, fold(c, out)),
        ("Col2Im_updateGradInput", x, [], ints, unfold(x, out_c)),
    ):
        result = lib.tensor(theirs())
        yield Row(
            name,
            f"{by(*operand.shape)}, 3 x 3",
            lib.call(f"THNN_Float{name}", None, lib.tensor(operand), result, between, after),
            theirs,
            [result],
        )
    # Of one image; finput comes first, whichever is the result.
    tc, tx = lib.tensor(c[0]), lib.tensor(x[0])
    yield Row(
        "unfolded_copy",
        "64 x 56 x 56, 3 x 3",
        lib.call("THNN_Floatunfolded_copy", tc, tx, unfolded),
        unfold(x[:1], torch.empty_like(c[:1])),
        [tc],
    )
    tc = lib.tensor(c[0])

    def add():  # it adds to what there is
        tx.torch.zero_()
        accumulate()

    accumulate = lib.call("THNN_Floatunfolded_acc", tc, tx, unfolded)
    yield Row(
        "unfolded_acc, from 0",
        "64 x 56 x 56, 3 x 3",
        add,
        fold(c[:1], torch.empty_like(x[:1])),
        [tx],
    )
