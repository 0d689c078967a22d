"""Golden values of what makes tensors, multiplies them and sums them up whole.

Values are small integers, so that every type computes them exactly, in any order.
"""

import torch

import golden

FLOATS = [torch.float32, torch.float64]


def draw(dtype, generator, *sizes):
    low = 0 if dtype == torch.uint8 else -3
    return torch.randint(low, 4, sizes, generator=generator).to(dtype)


def products(t):
    """t: name -> tensor.  PyTorch computes products of small integers in int64, which then wrap."""
    dtype = t["matrix"].dtype
    w = {name: tensor if dtype in FLOATS else tensor.long() for name, tensor in t.items()}
    scaled = dict(beta=2, alpha=3)
    yield "addmv", torch.addmv(w["vector3"], w["matrix"], w["vector4"], **scaled)
    yield "addmm", torch.addmm(w["square"], w["matrix"], w["other"], **scaled)
    yield "addr", torch.addr(w["matrix"], w["vector3"], w["vector4"], **scaled)
    yield "addbmm", torch.addbmm(w["square"], w["batch"], w["batch2"], **scaled)
    yield "baddbmm", torch.baddbmm(w["squares"], w["batch"], w["batch2"], **scaled)
    yield "cross", torch.cross(w["triples"], w["triples2"], dim=1)
    yield "match", 2 * ((w["matrix"][:, None] - w["rows"][None]) ** 2).sum(2)


def shapes(t):
    m, dtype = t["matrix"], t["matrix"].dtype
    yield "zeros", torch.zeros(2, 3, dtype=dtype)
    yield "ones", torch.ones(2, 3, dtype=dtype)
    yield "eye", torch.eye(3, 5, dtype=dtype)
    yield "diag_vector", torch.diag(t["vector4"], -1)
    yield "diag_matrix", torch.diag(m, 1)
    yield "tril", torch.tril(m, -1)
    yield "triu", torch.triu(m, 1)
    yield "arange", torch.arange(2, 20, 3, dtype=dtype)
    yield "range", torch.arange(2, 21, 3, dtype=dtype)
    yield "linspace", torch.linspace(1, 9, 5, dtype=dtype)
    yield "reshape", torch.reshape(m, (2, 6))
    yield "cat0", torch.cat([m, t["rows"]], 0)
    yield "cat1", torch.cat([m, t["square"]], 1)
    if dtype in FLOATS:
        yield "logspace", torch.logspace(-1, 3, 5, dtype=torch.float64).to(dtype)


def numbers(t):
    m = t["matrix"]
    w = m if m.dtype in FLOATS else m.long()
    yield "sumall", w.sum()
    yield "prodall", (w + 4).prod()
    yield "minall", m.min()
    yield "maxall", m.max()
    yield "medianall", m.reshape(-1).median()
    yield "trace", w.trace()
    yield "dot", (t["vector4"].to(w.dtype) * w[1]).sum()
    if m.dtype in FLOATS:
        d = m.double()
        yield "meanall", d.mean()
        yield "varall", d.var()
        yield "varall_biased", d.var(unbiased=False)
        yield "stdall", d.std()
        yield "normall", d.norm(3)
        yield "dist", torch.dist(d, d.flip(0), 2.5)
        yield "normall0", d.norm(0)


def along(t):
    """Dimension 1 of what has ties."""
    m = t["matrix"]
    yield "kthvalue_index", torch.sort(m, dim=1, stable=True)[1][:, 1:2]
    if m.dtype in FLOATS:
        yield "std", m.double().std(1, keepdim=True).to(m.dtype)
        yield "bhistc", torch.stack([torch.histc(row, 4, -3, 3) for row in m])


SIZES = {
    "vector3": [3],
    "vector4": [4],
    "matrix": [3, 4],
    "rows": [5, 4],
    "other": [4, 3],
    "square": [3, 3],
    "batch": [2, 3, 4],
    "batch2": [2, 4, 3],
    "squares": [2, 3, 3],
    "triples": [4, 3],
    "triples2": [4, 3],
}

with golden.Writer("whole", __file__) as out:
    for dtype, name in golden.TYPES.items():
        generator = torch.Generator().manual_seed(2018)
        t = {key: draw(dtype, generator, *sizes) for key, sizes in SIZES.items()}
        for key, tensor in t.items():
            out.put("%s/%s" % (name, key), tensor)
        for family in [products, shapes, along]:
            for key, tensor in family(t):
                keep = tensor.dtype in FLOATS or tensor.dtype == dtype or "index" in key
                out.put("%s/%s" % (name, key), tensor if keep else tensor.to(dtype))
        for key, tensor in numbers(t):
            out.put("%s/%s" % (name, key), tensor.reshape(1))
