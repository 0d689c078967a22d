"""Golden values of batch normalization and of the fused cells, as layers.py writes those of other
layers; and of the rows of a table that PyTorch keeps below a norm.
"""

import torch
import torch.nn.functional as F

import golden
from layers import Cases, rand


def batch_norms(cases):
    shapes = [  # shape, affine, train, momentum, eps, shift
        ((6, 4), 1, 1, 0.25, 1e-5, 0),
        ((3, 2, 5, 4), 1, 1, 0.1, 1e-3, 0),
        ((5, 70), 1, 1, 0.5, 1e-5, 2),
        ((2, 3, 7), 0, 1, 0.125, 1e-5, 100),
        ((4, 3), 1, 0, 0.25, 1e-5, 0),
        ((2, 3, 2, 3, 2), 1, 0, 0.25, 1e-3, 1),
        ((2, 2, 3), 0, 0, 0.25, 1e-5, 0),
        ((1, 2, 2, 3, 2, 3), 1, 1, 0.75, 1e-2, 0),
        ((2, 3, 9, 8), 1, 0, 0.25, 1e-5, 0),
    ]
    for number, (shape, affine, train, momentum, eps, shift) in enumerate(shapes):
        channels = shape[1]
        x = (rand(*shape) + shift).float().double()
        operands = dict(input=x)
        if affine:
            operands.update(weight=rand(channels), bias=rand(channels))
        mean, variance = rand(channels), torch.rand(channels).double() + 0.5
        put = lambda field, t: cases.out.put("BatchNormalization/%d/%s" % (number, field), t)
        put("mean", mean)
        put("variance", variance)

        def forward(input, weight=None, bias=None):
            m, v = mean.clone(), variance.clone()
            y = F.batch_norm(input, m, v, weight, bias, bool(train), momentum, eps)
            if train:
                put("newMean", m)
                put("newVariance", v)
            return y

        cases.add("BatchNormalization", forward, (train, momentum, eps), **operands)
        if train:
            others = [d for d in range(len(shape)) if d != 1]
            put("saveMean", x.mean(others))
            put("saveStd", 1 / torch.sqrt(x.var(others, unbiased=False) + eps))


def renorms(out):
    for number, (most, p) in enumerate(((2, 2), (3.5, 1), (1.25, 3), (1, float("inf")), (2, 0.5))):
        put = lambda field, t: out.put("LookupTable_renorm/%d/%s" % (number, field), t)
        weight = rand(7, 4)
        index = torch.tensor([5, 0, 3, 5, 6, 0, 5])
        put("args", torch.tensor([most, p], dtype=torch.float64))
        put("weight", weight)
        put("index", index)
        if p == float("inf"):  # PyTorch 1.13 has no infinite norm here
            w = weight.clone()
            norm = w[index.unique()].abs().amax(1, keepdim=True)
            w[index.unique()] *= torch.where(norm > most, most / (norm + 1e-7), torch.ones(()).double())
            put("result", w)
        else:
            put("result", torch.embedding_renorm_(weight.clone(), index, most, p))


def main():
    torch.manual_seed(20180230)
    with golden.Writer("normalization", __file__) as out:
        batch_norms(Cases(out))
        renorms(out)


if __name__ == "__main__":
    main()
