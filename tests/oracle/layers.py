"""Golden values of the layers: what PyTorch computes forward and backward, in double.

Each case is written as LAYER/NUMBER/FIELD.  Operands are float32 numbers, so that they are the same
in both types.
"""

import torch
import torch.nn.functional as F

import golden


class Cases:
    def __init__(self, out):
        self.out = out
        self.count = {}

    def add(self, layer, function, args=(), target=None, given_index=None, **operands):
        """function(operands...) is the forward pass, which may return indices beside the output."""
        number = self.count.get(layer, 0)
        self.count[layer] = number + 1
        put = lambda field, t: self.out.put("%s/%d/%s" % (layer, number, field), t)
        put("args", torch.tensor([float(a) for a in args], dtype=torch.float64))
        leaves = {k: t.clone().requires_grad_() for k, t in operands.items()}
        output = function(**leaves)
        if isinstance(output, tuple):
            output, given_index = output
        gradient = rand(*output.shape)
        output.backward(gradient)
        for name, leaf in leaves.items():
            put(name, leaf.detach())
            if name in ("input", "weight", "bias", "grid", "hidden", "cell") and leaf.grad is not None:
                put("grad" + name.capitalize(), leaf.grad)
        if target is not None:
            put("target", target)
        if given_index is not None:
            put("index", given_index)
        put("output", output.detach())
        put("gradOutput", gradient)


def rand(*shape):
    return torch.randn(shape).to(torch.float64)


def reduction(average, reduce):
    return ("mean" if average else "sum") if reduce else "none"


def convolutions(cases):
    shapes = [  # batch (0: none), planes, outputs, height, width, kH, kW, dH, dW, padH, padW, flat, bias
        (2, 3, 4, 6, 7, 3, 2, 1, 1, 0, 0, 0, 1),
        (3, 2, 3, 5, 5, 3, 3, 2, 1, 1, 2, 1, 1),
        (0, 2, 3, 6, 5, 2, 3, 1, 2, 1, 1, 0, 0),
        (2, 5, 4, 3, 4, 1, 1, 1, 1, 0, 0, 1, 1),
        (0, 3, 2, 4, 4, 1, 1, 2, 2, 0, 0, 0, 1),
        (1, 1, 1, 3, 3, 3, 3, 1, 1, 0, 0, 0, 0),
        (2, 1, 2, 2, 2, 5, 5, 1, 1, 2, 2, 0, 1),
        (1, 2, 17, 4, 9, 2, 2, 1, 3, 0, 3, 1, 1),
    ]
    for b, i, o, h, w, kh, kw, dh, dw, ph, pw, flat, bias in shapes:
        operands = dict(input=rand(*([b] if b else []), i, h, w))
        operands["weight"] = rand(o, i * kh * kw) if flat else rand(o, i, kh, kw)
        if bias:
            operands["bias"] = rand(o)

        def forward(input, weight, bias=None):
            x = input if b else input[None]
            y = F.conv2d(x, weight.reshape(o, i, kh, kw), bias, (dh, dw), (ph, pw))
            return y if b else y[0]

        cases.add("SpatialConvolutionMM", forward, (kw, kh, dw, dh, pw, ph), **operands)


def max_pools(cases):
    shapes = [  # shape, kH, kW, dH, dW, padH, padW, ceil
        ((2, 3, 6, 6), 2, 2, 2, 2, 0, 0, 0),
        ((2, 2, 7, 5), 3, 2, 2, 1, 1, 1, 0),
        ((3, 7, 7), 3, 3, 2, 3, 1, 0, 1),
        ((1, 2, 5, 6), 2, 3, 3, 2, 0, 1, 1),
        ((2, 4, 4), 1, 4, 1, 1, 0, 2, 0),
    ]
    for number, (shape, kh, kw, dh, dw, ph, pw, ceil) in enumerate(shapes):
        count = torch.Size(shape).numel()
        x = (torch.randperm(count) - count // 2).to(torch.float64).reshape(shape) / 16
        if number == 3:
            x.view(-1)[7] = float("nan")
            x.view(-1)[33] = float("-inf")
        forward = lambda input: F.max_pool2d(
            input, (kh, kw), (dh, dw), (ph, pw), ceil_mode=bool(ceil), return_indices=True
        )
        cases.add("SpatialMaxPooling", forward, (kw, kh, dw, dh, pw, ph, ceil), input=x)


def pointwise(cases):
    for shape in ((3, 5), (2, 3, 4, 2), (7,)):
        cases.add("Tanh", torch.tanh, input=rand(*shape) * 3)
        for threshold, value in ((0, 0), (0.5, -0.25)):
            cases.add(
                "Threshold",
                lambda input: F.threshold(input, threshold, value),
                (threshold, value),
                input=rand(*shape),
            )
        for average, reduce in ((1, 1), (0, 1), (0, 0)):
            target = rand(*shape)
            cases.add(
                "MSECriterion",
                lambda input: F.mse_loss(input, target, reduction=reduction(average, reduce)),
                (average, reduce),
                target=target,
                input=rand(*shape),
            )


def soft_maxes(cases):
    for shape, dim in (((4, 5), 1), ((4, 5), 0), ((3, 2, 70), 1), ((2, 3, 4, 2), 1), ((6,), 0)):
        for name, function in (("SoftMax", F.softmax), ("LogSoftMax", F.log_softmax)):
            cases.add(name, lambda input: function(input, dim), (dim,), input=rand(*shape) * 2)
    special = torch.tensor(
        [[0, float("-inf"), 1], [float("nan"), 0, 1], [1000, 999, -1000], [float("inf"), 0, 1]],
        dtype=torch.float64,
    )
    for name, function in (("SoftMax", F.softmax), ("LogSoftMax", F.log_softmax)):
        cases.add(name, lambda input: function(input, 1), (1,), input=special)


def likelihoods(cases):
    for batch, classes, weighted, ignore in (
        (5, 4, 0, -100),
        (6, 3, 1, 1),
        (0, 4, 1, -100),
        (3, 2, 0, 0),
    ):
        for average, reduce in ((1, 1), (0, 1), (0, 0)):
            x = rand(*([batch] if batch else []), classes)
            index = torch.randint(0, classes, (batch or 1,))
            index[0] = classes - 1  # not all are ignored
            weights = torch.rand(classes).to(torch.float64) + 0.125 if weighted else None

            def forward(input):
                y = F.nll_loss(
                    input if batch else input[None],
                    index,
                    weights,
                    ignore_index=ignore,
                    reduction=reduction(average, reduce),
                )
                return y

            number = cases.count.get("ClassNLLCriterion", 0)
            cases.add(
                "ClassNLLCriterion",
                forward,
                (average, ignore, reduce),
                given_index=index,
                input=x,
            )
            if weighted:
                cases.out.put("ClassNLLCriterion/%d/weight" % number, weights)


def linears(cases):
    for batch, inputs, outputs, bias in ((4, 3, 5, 1), (3, 6, 2, 0), (0, 4, 3, 1), (1, 1, 1, 1)):
        operands = dict(input=rand(*([batch] if batch else []), inputs), weight=rand(outputs, inputs))
        if bias:
            operands["bias"] = rand(outputs)
        cases.add("Linear", F.linear, **operands)


def main():
    torch.manual_seed(20180228)
    with golden.Writer("layers", __file__) as out:
        cases = Cases(out)
        convolutions(cases)
        max_pools(cases)
        pointwise(cases)
        soft_maxes(cases)
        likelihoods(cases)
        linears(cases)


if __name__ == "__main__":
    main()
