"""Golden values of the activations and losses: what PyTorch computes forward and backward, in double.

Each case is written as LAYER/NUMBER/FIELD.  Operands are float32 numbers, so that they are the same
in both types.
"""

import torch
import torch.nn.functional as F

import golden
from layers import Cases, rand, reduction

NAN, INF = float("nan"), float("inf")
SHAPES = ((3, 5), (2, 3, 4, 2), (7,))
SPECIAL = (NAN, INF, -INF, 0.0, -0.0, 1e-30, -1e-30, 1.0, -1.0, 0.5, -0.5, 40.0, -40.0, 99.0, -99.0)


def narrow(t):
    return t.to(torch.float32).to(torch.float64)


def uniform(low, high, *shape):
    return narrow(low + (high - low) * torch.rand(shape))


def signs(*shape):
    return (torch.randint(0, 2, shape) * 2 - 1).to(torch.float64)


def put(cases, layer, field, tensor):
    """Another field of the case that was added last."""
    cases.out.put("%s/%d/%s" % (layer, cases.count[layer] - 1, field), tensor)


def activations(cases):
    rows = (  # name, function of the input and parameters, sets of parameters, scale of the input
        ("Abs", torch.abs, [()], 1),
        ("ELU", torch.ops.aten.elu, [(1, 1), (0.5, 1), (1.75, 1.0625)], 1),
        ("HardShrink", F.hardshrink, [(0.5,), (0.125,)], 1),
        ("HardTanh", F.hardtanh, [(-1, 1), (-0.25, 0.75)], 1),
        ("LeakyReLU", F.leaky_relu, [(0.01,), (-0.5,)], 1),
        ("LogSigmoid", F.logsigmoid, [()], 3),
        ("Sigmoid", torch.sigmoid, [()], 3),
        ("SoftPlus", F.softplus, [(1, 20), (2.5, 3)], 3),
        ("SoftShrink", F.softshrink, [(0.5,), (0.125,)], 1),
        ("Square", torch.square, [()], 1),
    )
    for name, function, sets, scale in rows:
        for parameters in sets:
            parameters = [float(narrow(torch.tensor(p))) for p in parameters]
            forward = lambda input: function(input, *parameters)
            for shape in SHAPES:
                cases.add(name, forward, parameters, input=rand(*shape) * scale)
            cases.add(name, forward, parameters, input=narrow(torch.tensor(SPECIAL)))
    for shape in SHAPES:
        cases.add("Sqrt", torch.sqrt, (0,), input=uniform(0.01, 4, *shape))


def gates(cases):
    for shape, dim in (((4, 3), 0), ((3, 6), 1), ((2, 4, 3, 2), 1), ((2, 3, 4), 2), ((8,), 0)):
        cases.add("GatedLinear", lambda input: F.glu(input, dim), (dim,), input=rand(*shape) * 2)
    for shape, planes in (((3, 5), 5), ((2, 3, 4, 2), 3), ((7,), 7), ((2, 3, 4), 1), ((40, 3), 3)):

        def prelu(input, weight):
            if input.dim() > 1:
                return F.prelu(input, weight)
            return torch.where(input > 0, input, weight * input)

        cases.add("PReLU", prelu, input=rand(*shape), weight=uniform(-0.5, 0.5, planes))
    for lower, upper in ((0.125, 0.375), (-0.5, 0.75), (0.25, 0.25)):
        for train in (1, 0):
            for seed, shape in enumerate(SHAPES):
                x = rand(*shape)
                if shape == (7,) and lower != upper:
                    x[1], x[3], x[5] = NAN, 0.0, -INF
                noise = torch.zeros(shape, dtype=torch.float64)

                def rrelu(input):
                    torch.manual_seed(seed)
                    return torch._C._nn.rrelu_with_noise(input, noise, lower, upper, bool(train))

                cases.add("RReLU", rrelu, (lower, upper, train, seed), input=x)
                if train:
                    put(cases, "RReLU", "total", noise)


def bce(cases, name, x, target, weight, average, reduce):
    function = lambda input: F.binary_cross_entropy(
        input, target, weight, reduction=reduction(average, reduce)
    )
    cases.add(name, function, (average, reduce), target=target, input=x)
    if weight is not None:
        put(cases, name, "weight", weight)


REDUCTIONS = ((1, 1), (0, 1), (0, 0))


def pairs(cases):
    rows = (  # name, function, input, target
        ("AbsCriterion", F.l1_loss, rand, rand),
        ("SmoothL1Criterion", F.smooth_l1_loss, rand, rand),
        ("SoftMarginCriterion", F.soft_margin_loss, rand, signs),
        ("DistKLDivCriterion", F.kl_div, rand, lambda *shape: uniform(0, 1, *shape)),
    )
    for shape in SHAPES:
        for average, reduce in REDUCTIONS:
            for name, function, make, make_target in rows:
                target = make_target(*shape)
                if name == "DistKLDivCriterion":
                    target.view(-1)[2] = 0
                forward = lambda input: function(input, target, reduction=reduction(average, reduce))
                cases.add(name, forward, (average, reduce), target=target, input=make(*shape))
            for weighted in (0, 1):
                target, weight = uniform(0, 1, *shape), uniform(0.5, 2, *shape)
                bce(cases, "BCECriterion", uniform(0.125, 0.875, *shape), target,
                    weight if weighted else None, average, reduce)
        for average, margin in ((1, 1), (0, 0.5)):
            target = signs(*shape)

            def hinge(input):
                each = torch.clamp(margin - input * target, min=0)
                return each.mean() if average else each.sum()

            cases.add("MarginCriterion", hinge, (average, margin), target=target, input=rand(*shape))
        cases.add("L1Cost", lambda input: input.abs().sum(), input=rand(*shape))


def edges(cases):
    x = torch.tensor([0, 0, 0, 1, 1, 1, 2**-126, 1 - 2**-24], dtype=torch.float64)
    target = torch.tensor([0, 0.5, 1, 0, 0.25, 1, 0.5, 0.5], dtype=torch.float64)
    bce(cases, "BCEEdges", x, target, None, 0, 0)
    bce(cases, "BCEEdges", x, target, uniform(0.5, 2, 8), 1, 1)


def classes(cases):
    for average, reduce in REDUCTIONS:
        mode = reduction(average, reduce)
        for batch, count, height, width, weighted, ignore in (
            (2, 3, 4, 5, 0, -100),
            (3, 4, 1, 2, 1, 2),
            (1, 2, 3, 1, 1, -100),
        ):
            index = torch.randint(0, count, (batch, height, width))
            index[0, 0, 0] = count - 1  # not all are ignored
            weights = uniform(0.25, 2, count) if weighted else None
            forward = lambda input: F.nll_loss(
                input, index, weights, ignore_index=ignore, reduction=mode
            )
            cases.add(
                "SpatialClassNLLCriterion",
                forward,
                (average, ignore, reduce),
                given_index=index,
                input=rand(batch, count, height, width),
            )
            if weighted:
                put(cases, "SpatialClassNLLCriterion", "weight", weights)
        for batch, count, p, margin, weighted in (
            (5, 4, 1, 1, 0),
            (3, 6, 2, 0.5, 1),
            (0, 4, 1, 1.5, 1),
            (0, 5, 2, 1, 0),
        ):
            shape = ([batch] if batch else []) + [count]
            index = torch.randint(0, count, (batch or 1,))
            weights = uniform(0.25, 2, count) if weighted else None
            forward = lambda input: F.multi_margin_loss(
                input, index if batch else index[0], p, margin, weights, reduction=mode
            )
            cases.add(
                "MultiMarginCriterion",
                forward,
                (average, p, margin, reduce),
                given_index=index,
                input=rand(*shape),
            )
            if weighted:
                put(cases, "MultiMarginCriterion", "weight", weights)
        for shape in ((4, 6), (3, 1), (5,)):
            rows = 1 if len(shape) == 1 else shape[0]
            index = torch.full((rows, shape[-1]), -1)
            for row in range(rows):  # row 0 lists none, and what is behind an end does not count
                labels = torch.randperm(shape[-1])[: min(row, shape[-1])]
                index[row, : len(labels)] = labels
                if len(labels) + 1 < shape[-1]:
                    index[row, -1] = row % shape[-1]
            if rows == 1:
                index[0, :2] = torch.tensor([3, 1])
            index = index.reshape(shape)
            forward = lambda input: F.multilabel_margin_loss(input, index, reduction=mode)
            x = rand(*shape)
            cases.add(
                "MultiLabelMarginCriterion", forward, (average, reduce), given_index=index, input=x
            )
            marks = torch.ops.aten.multilabel_margin_loss_forward(x, index, 0)[1]
            put(cases, "MultiLabelMarginCriterion", "total", marks)


def main():
    torch.manual_seed(20180228)
    with golden.Writer("elementwise", __file__) as out:
        cases = Cases(out)
        activations(cases)
        gates(cases)
        pairs(cases)
        edges(cases)
        classes(cases)


main()
