"""Golden cases of layers of integers: convolutions and average pooling, with elements that wrap around, and what else PyTorch
takes them for."""

import torch
import torch.nn.functional as F

import aten_cases
from aten_cases import Default, Ints

with aten_cases.Writer("integers", __file__) as out:
    r = out.random

    def numbers(shape, most=None):
        most = most or r.choice([5, 5, 2**31, 2**62])
        x = torch.tensor([r.randrange(-most, most) for _ in range(torch.Size(shape).numel())], dtype=torch.int64)
        return x.reshape(shape)

    for axes in (1, 2, 3):
        convolve = [F.conv1d, F.conv2d, F.conv3d][axes - 1]
        transposed = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][axes - 1]
        average = [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][axes - 1]
        for i in range(9 if axes < 3 else 5):
            groups = r.choice([1, 1, 2])
            planes, outputs = groups * r.choice([1, 2]), groups * r.choice([1, 2])
            kernel, stride, padding, dilation = [[r.randrange(*span) for _ in range(axes)] for span in ((1, 4), (1, 3), (0, 2), (1, 3))]
            batch = [r.choice([0, 1, 2])] if r.random() < 0.8 else []
            x = numbers(batch + [planes] + [r.randrange(5, 8) if axes < 3 else 4 for _ in range(axes)])
            weight = numbers([outputs, planes // groups] + kernel)
            bias = numbers([outputs]) if r.random() < 0.6 else None
            out.case("conv%dd" % axes, [x, weight, bias, Ints(*stride), Ints(*padding), Ints(*dilation), groups],
                     lambda: convolve(x, weight, bias, stride, padding, dilation, groups))
            weight = numbers([planes, outputs // groups] + kernel)
            out.case("conv_transpose%dd" % axes, [x, weight, bias, Ints(*stride), Ints(*padding), Default, groups, Ints(*dilation)],
                     lambda: transposed(x, weight, bias, stride, padding, 0, groups, dilation))
            padding = [min(p, k // 2) for p, k in zip(padding, kernel)]
            ceil, include = r.random() < 0.5, r.random() < 0.5
            out.case("avg_pool%dd" % axes, [x, Ints(*kernel), Ints(*stride), Ints(*padding), ceil, include],
                     lambda: average(x, kernel, stride, padding, ceil, include))
        x, weight = numbers([1, 3] + [4] * axes, 2**40), numbers([2, 3] + [2] * axes, 2**40)
        for other in (weight.to(torch.int32), weight.double()):
            out.case("conv%dd" % axes, [x, other, None, Default, Default, Default, Default], lambda: convolve(x, other))
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32):
            y, w, b = x.to(dtype), weight.to(dtype), numbers([2], 100).to(dtype)
            out.case("conv%dd" % axes, [y, w, b, Default, Default, Default, Default], lambda: convolve(y, w, b))
        out.case("avg_pool%dd" % axes, [x, Ints(*[9] * axes), Default, Default, Default, Default], lambda: average(x, [9] * axes))

    x = numbers([3, 4], 5)
    mask = x > -2
    out.case("masked_logsumexp", [x, Ints(1), False, mask], lambda: torch.masked.logsumexp(x, 1, mask=mask), 2.0**-20)
    out.case("masked_logsumexp", [x, Ints(0, 1), True, Default], lambda: torch.masked.logsumexp(x, (0, 1), keepdim=True), 2.0**-20)
    for name in "feature_dropout", "alpha_dropout", "feature_alpha_dropout":
        out.case(name, [x, 0.5, False], lambda: getattr(torch, name)(x, 0.5, False))
        out.case(name, [x, 0.5, True], lambda: getattr(torch, name)(x, 0.5, True)) if "alpha" in name else None

    for axes in (2, 3):
        average = [F.avg_pool2d, F.avg_pool3d][axes - 2]
        for ceil, include, divisor in ((False, True, 3), (True, False, -2), (True, True, -1099511627776), (False, False, 0), (False, True, 1)):
            x = numbers([2, 2] + [5] * axes)
            out.case("avg_pool%dd.divisor" % axes, [x, Ints(*[3] * axes), Ints(*[2] * axes), Ints(*[1] * axes), ceil, include, divisor],
                     lambda: average(x, 3, 2, 1, ceil, include, divisor))
        empty = numbers([7, 2] + [1] * (axes - 1) + [0])
        out.case("avg_pool%dd.divisor" % axes, [empty, Ints(*[8] * axes), Default, Default, Default, Default, 2],
                 lambda: average(empty, 8, divisor_override=2))

    x, y = numbers([3, 4], 5).to(torch.int32), numbers([4], 5).to(torch.int32)
    for equation, operands in (("ij->i", (x,)), ("ij->ji", (x,)), ("ij->", (x.to(torch.uint8),)), ("ij,j->i", (x, y)), ("ij,k->k", (x, y)),
                               ("ij,ij->", (x, x)), ("ij,kj->ik", (x, x[:, :1])), ("ij,k->ijk", (x.to(torch.uint8), y.to(torch.uint8))),
                               ("ij,i->i", (x[:, :1], x[:, 0])), ("ij->i", (x[:, :1] > 0,))):
        out.case("einsum", [aten_cases.Text(equation), list(operands)], lambda: torch.einsum(equation, *operands))
    for z in x[0, 0], x[0, 0] > 0:
        out.case("sum_to_size", [z, Ints()], lambda: z.sum_to_size(()))
    out.case("sum_to_size", [x, Ints(1, 4)], lambda: x.sum_to_size((1, 4)))
    for log in True, False:
        for full in True, False:
            a, b = numbers([3, 2], 5).abs(), numbers([3, 2], 5).abs()
            out.case("poisson_nll_loss", [a, b, log, full, 1e-8, 1], lambda: F.poisson_nll_loss(a, b, log_input=log, full=full), 2.0**-18)
    a, b = numbers([3, 4], 5), numbers([3, 4], 5)
    out.case("cosine_embedding_loss", [a, b, torch.tensor([1, -1, 1]), Default, Default],
             lambda: F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1])), 2.0**-18)

    # Integers have no gradients: a convolution of them in one of gradients is refused.
    x, weight = numbers([1, 2, 4], 5), numbers([2, 2, 3], 5)

    def refused():
        raise RuntimeError("the gradient of integers")

    for some in (x, None), (None, weight):
        out.case("_convolution_double_backward", [*some, None, numbers([1, 2, 2], 5).float(), weight, x, Ints(1), Ints(0), Ints(1), False, Ints(0), 1,
                                                  False, True, False, Ints(1, 1, 1)], refused)
