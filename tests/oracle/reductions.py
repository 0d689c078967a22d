"""Golden values of reductions, scans and sorts."""

import torch

import golden

TYPES = {"Float": torch.float32, "Double": torch.float64}


def per_dimension(out, name, t, dim):
    def put(op, value):
        out.put("%s/%s/%d" % (name, op, dim), value.contiguous())

    def put_both(op, pair):
        put(op, pair[0])
        put(op + "_index", pair[1])

    put("sum", t.sum(dim))
    put("prod", t.prod(dim))
    put("mean", t.mean(dim))
    put("var", t.var(dim))
    put("std_biased", t.std(dim, unbiased=False))
    put("norm2", t.norm(2, dim))
    put("norm2.5", t.norm(2.5, dim))
    put("cumsum", t.cumsum(dim))
    put("cumprod", t.cumprod(dim))
    put("renorm", t.renorm(2, dim, 1))
    put_both("max", t.max(dim))
    put_both("min", t.min(dim))
    put_both("sort", t.sort(dim=dim, stable=True))
    put_both("sort_down", t.sort(dim=dim, descending=True, stable=True))
    put("topk", t.topk(2, dim)[0])
    put("kthvalue", t.kthvalue(2, dim)[0])
    put("median", t.median(dim)[0])
    put_both("mode", t.mode(dim))


with golden.Writer("reductions", __file__) as out:
    torch.manual_seed(4)
    # Quarters, many of them equal; no sum of two is rounded.
    numbers = torch.randint(-9, 10, (5, 4, 6)) / 4
    for name, dtype in TYPES.items():
        t = numbers.to(dtype)
        out.put(name + "/input", t)
        for dim in range(t.dim()):
            per_dimension(out, name, t, dim)
        out.put(name + "/histc/0", t.histc(6))
        out.put(name + "/histc_range/0", t.histc(5, -1, 2))
