"""Golden cases of src/ops/aten/statistics.ops."""

import math

import torch
import torch.nn.functional as F

from aten_cases import Default, Seed
from aten_today import FLOATING, TYPES, Today

NUMBERS = [t for t in TYPES if t != torch.bool]
SHAPES = [(), (5,), (1,), (2, 3), (3, 2, 4), (2, 0, 3)]


def loose(dtype):
    return {torch.float64: 2.0**-40, torch.float32: 2.0**-18}.get(dtype, 2.0**-6)


def binomial(c):
    """What PyTorch draws from a seed."""
    def case(count, prob):
        seed = c.random.randrange(1, 1000)
        c.case("binomial", [count, prob, Seed(seed)], lambda: torch.binomial(*(
            t.clone() for t in torch.broadcast_tensors(count, prob)), generator=torch.Generator().manual_seed(seed)))

    for dtype in (torch.float32, torch.float64):
        for shape in (5,), (2, 3), (40,), (3, 1, 7), (), (0,), (2, 0):
            for most in 4, 30, 5000:
                count = torch.randint(-1, most, shape, generator=torch.Generator().manual_seed(most)).to(dtype)
                prob = c.tensor(shape[-1:], dtype, -1, 10)
                case(count, prob)
                case(count, prob / 16)
        case(torch.tensor([2.5, 1e6, 70.25, 3e9 if dtype == torch.float64 else 1e7], dtype=dtype), torch.tensor([[0.5], [1e-3], [0.99]], dtype=dtype))
        case(torch.tensor([5.0], dtype=dtype), torch.tensor([float("nan")], dtype=dtype))
    sure = torch.tensor([3.0, 0.0, -2.0]), torch.tensor([1.0, 0.5, 0.5])
    c.case("binomial", [*sure, Default], lambda: torch.binomial(*sure))  # nothing is drawn
    case(torch.tensor([2]), torch.tensor([1]))
    case(torch.tensor([2.0]), torch.tensor([1.0], dtype=torch.float64))
    case(torch.zeros(2), torch.zeros(3))


with Today("statistics", __file__) as c:
    r = c.random

    def a_dim(t):
        n = max(t.dim(), 1)
        return r.randrange(-n, n) if r.random() > 0.05 else n + 1

    def with_nan(shape, dtype):
        t = c.tensor(shape, dtype)
        if t.numel() > 1:
            t.view(-1)[r.randrange(t.numel())] = math.nan
        return t

    for dtype in FLOATING * 2:
        for shape in [(5,), (2, 3), (3, 2, 4)]:
            x = c.tensor(shape, dtype)
            for name in ("var_mean", "std_mean"):
                c(name, self=x, within=loose(dtype))
                c(name, self=x, unbiased=False, within=loose(dtype))
                c(name + ".dim", self=x, dim=[a_dim(x)], unbiased=r.random() < 0.5, keepdim=r.random() < 0.5, within=loose(dtype))
                c(name + ".correction", self=x, dim=[0], correction=r.choice([0, 1, 2]), keepdim=True, within=loose(dtype))
                c(name + ".correction", self=x, within=loose(dtype))
            for t in (x, with_nan(shape, dtype)):
                c("nansum", self=t, within=loose(dtype))
                c("nansum", self=t, dim=[a_dim(t)], keepdim=True, within=loose(dtype))
                c("nanmean", self=t, within=loose(dtype))
                c("nanmean", self=t, dim=[0], keepdim=r.random() < 0.5, within=loose(dtype))
                c("aminmax", self=t)
                c("cummax", self=t, dim=a_dim(t))
                c("cummin", self=t, dim=a_dim(t))
                c("logcumsumexp", self=t, dim=a_dim(t), within=max(loose(dtype), 2.0**-12 if dtype.itemsize == 2 else 0))
            c("linalg_vector_norm", self=x, within=loose(dtype))
            c("linalg_vector_norm", self=x, ord=r.choice([0, 1, 3, math.inf, -math.inf, 0.5]), dim=[a_dim(x)], keepdim=r.random() < 0.5, within=loose(dtype))
            if dtype == torch.float32:
                c("linalg_vector_norm", self=x, type=torch.float64, within=2.0**-18)
    for dtype in TYPES:
        for shape in SHAPES:
            x = c.tensor(shape, dtype)
            c("aminmax", self=x)
            c("aminmax", self=x, dim=a_dim(x), keepdim=r.random() < 0.5)
            c("count_nonzero", self=x)
            c("count_nonzero", self=x, dim=a_dim(x))
            c("count_nonzero.dims", self=x, dim=[0, -1] if x.dim() > 1 else [0])
            c("nansum", self=x, within=loose(dtype) if dtype.is_floating_point else None)
            c("cummax", self=x, dim=a_dim(x))
            c("cummin", self=x, dim=a_dim(x))
            c("msort", self=x)
            c("argwhere", self=x)
            c("argsort", function=lambda self, dim=-1, descending=False: torch.sort(self, dim=dim, descending=descending, stable=True)[1],
              self=x, dim=a_dim(x), descending=r.random() < 0.5)
        c("argsort", function=lambda self: torch.sort(self, stable=True)[1], self=x)
        c("nanmean", self=c.tensor((2, 2), dtype), within=loose(dtype))
        c("nansum", self=c.tensor((2, 2), dtype), type=torch.float64)

    for dtype in FLOATING[:2]:
        for shape in [(5,), (2, 3), (3, 2, 4), (1,), ()]:
            for t in (c.tensor(shape, dtype), with_nan(shape, dtype)):
                for name in ("quantile", "nanquantile"):
                    q = torch.tensor([0.0, 0.3, 0.5, 1.0, 0.9], dtype=dtype)
                    c(name, self=t, q=q, within=loose(dtype))
                    c(name, self=t, q=q[1], dim=a_dim(t), keepdim=r.random() < 0.5, within=loose(dtype))
                    c(name, self=t, q=q[:2], dim=a_dim(t), keepdim=r.random() < 0.5, within=loose(dtype),
                      interpolation=r.choice(["linear", "lower", "higher", "nearest", "midpoint"]))
                    c(name + ".scalar", self=t, q=0.25, within=loose(dtype))
                    c(name + ".scalar", self=t, q=0.6, dim=a_dim(t), interpolation="nearest")
    c("quantile.scalar", self=c.tensor((3,), torch.float32), q=1.5)
    c("quantile.scalar", self=c.tensor((3,), torch.float32), q=0.5, interpolation="cubic")

    for dtype in NUMBERS:
        x = c.tensor((3, 5), dtype)
        near = loose(dtype if dtype.is_floating_point else torch.float32)
        f = torch.tensor([1, 2, 0, 1, 3])
        a = c.tensor((5,), torch.float64 if dtype == torch.float64 else torch.float32, 1, 20)
        c("cov", self=x, within=near)
        c("cov", self=x, correction=0, within=near)
        c("cov", self=c.tensor((5,), dtype), within=near)
        if dtype in FLOATING[:2]:
            c("cov", self=x, fweights=f, within=near)
            c("cov", self=x, aweights=a, within=near)
            c("cov", self=x, fweights=f, aweights=a, correction=2, within=near)
            c("cov", self=x, fweights=-f, within=near)
        c("corrcoef", self=x, within=2 * near)
        c("cov", self=x[:1], within=near)
        c("corrcoef", self=x[:1], within=near)

    # Distances.
    for dtype in FLOATING:
        v, near = c.tensor((3, 4, 2), dtype), loose(dtype)
        for dim in (0, 1, -1):
            g = c.tensor((3, 1, 1) if dim == 0 else (1, 4, 1) if dim == 1 else (1,), dtype)
            c("_weight_norm", v=v, g=g, dim=dim, within=near)
        c("_weight_norm", v=v, g=c.tensor((3, 1, 1), dtype), within=near)
        x, y = c.tensor((3, 4), dtype), c.tensor((3, 4), dtype)
        c("cosine_similarity", x1=x, x2=y, within=near)
        c("cosine_similarity", x1=x, x2=c.tensor((4,), dtype), dim=-1, eps=1e-6, within=near)
        c("pairwise_distance", function=lambda x1, x2, p=2.0, eps=1e-6, keepdim=False: F.pairwise_distance(x1, x2, p, eps, keepdim),
          x1=x, x2=y, within=near)
        c("pairwise_distance", function=lambda x1, x2, p=2.0, eps=1e-6, keepdim=False: F.pairwise_distance(x1, x2, p, eps, keepdim),
          x1=x, x2=y, p=r.choice([1.0, 3.0]), keepdim=True, within=near)
    for dtype in FLOATING[:2]:
        near = 2.0**-10 if dtype == torch.float32 else 2.0**-20  # PyTorch uses products for distances of p = 2
        for p in (0.0, 1.0, 2.0, 3.0, 0.5, math.inf):
            c("cdist", x1=c.tensor((3, 4), dtype), x2=c.tensor((5, 4), dtype), p=p, within=near)
            c("cdist", x1=c.tensor((2, 3, 2), dtype), x2=c.tensor((2, 2), dtype), p=p, within=near)
            c("pdist", self=c.tensor((4, 3), dtype), p=p, within=near)
        c("cdist", x1=c.tensor((3, 4), dtype), x2=c.tensor((0, 4), dtype))
        c("cdist", x1=c.tensor((3, 4), dtype), x2=c.tensor((5, 3), dtype))
        c("cdist", x1=c.tensor((3, 4), dtype), x2=c.tensor((5, 4), dtype), p=-1.0)
        c("pdist", self=c.tensor((1, 3), dtype))

    # Searches.
    for dtype in NUMBERS:
        line = c.tensor((6,), dtype).sort()[0]
        lines = c.tensor((2, 5), dtype).sort(-1)[0]
        other = r.choice([dtype, dtype, torch.float32, torch.int64])
        for right in (False, True):
            same = c.tensor((2, 3), dtype)
            c("searchsorted", sorted_sequence=line, self=same, right=right)
            c("searchsorted", sorted_sequence=lines, self=same, side="right" if right else "left", out_int32=True)
            c("bucketize", self=same, boundaries=line, right=right)
        shuffled = c.tensor((6,), dtype)
        c("searchsorted", sorted_sequence=shuffled, self=c.tensor((3,), dtype), sorter=shuffled.argsort())
        c("searchsorted", sorted_sequence=lines, self=c.tensor((3, 2), dtype))
        c("bucketize", self=c.tensor((), dtype), boundaries=line, out_int32=True)
        for invert in (False, True):
            c("isin", elements=c.tensor((2, 4), dtype), test_elements=c.tensor((5,), other), invert=invert)
        c("isin", elements=c.tensor((2, 4), dtype), test_elements=c.tensor((0,), dtype))
        if not dtype.is_floating_point:
            x = c.tensor((6,), dtype, 0, 5)
            c("bincount", self=x)
            c("bincount", self=x, minlength=8)
            c("bincount", self=x, weights=c.tensor((6,), r.choice(NUMBERS[:7])), within=2.0**-18)
            c("bincount", self=c.tensor((0,), dtype), minlength=2)
            c("bincount", self=c.tensor((6,), dtype, -3, 3))
    for dtype in FLOATING[:2]:
        c("isin", elements=with_nan((4,), dtype), test_elements=with_nan((4,), dtype))
        c("searchsorted", sorted_sequence=torch.tensor([1.0, 2.0, math.nan], dtype=dtype), self=torch.tensor([math.nan, 1.5, 5], dtype=dtype))

    # Reductions by index.
    for dtype in NUMBERS:
        near = loose(dtype) if dtype.is_floating_point else None
        for reduce in ("sum", "prod", "mean", "amax", "amin", "median"):
            for include in (True, False):
                x, src = c.tensor((3, 4), dtype, -4, 5), c.tensor((3, 4), dtype, -4, 5)
                index = torch.randint(0, 3, (2, 4), generator=torch.Generator().manual_seed(r.randrange(99)))
                c("scatter_reduce", self=x, dim=0, index=index, src=src, reduce=reduce, include_self=include, within=near)
                c("scatter_reduce", self=x, dim=-1, index=index, src=src, reduce=reduce, within=near)
                rows = torch.tensor([r.randrange(3) for _ in range(4)])
                c("index_reduce", self=x, dim=0, index=rows, source=c.tensor((4, 4), dtype, -4, 5), reduce=reduce, include_self=include, within=near)
                c("index_reduce", self=x, dim=1, index=rows[:2], source=c.tensor((3, 2), dtype, -4, 5), reduce=reduce, within=near)
    c("scatter_reduce", self=c.tensor((3,), torch.float32), dim=0, index=torch.tensor([3]), src=c.tensor((1,), torch.float32), reduce="sum")
    one, other = c.tensor((), torch.float64), c.tensor((), torch.float64)
    for reduce in ("mean", "prod", "amax", "amin"):
        c("index_reduce", self=one, dim=0, index=torch.tensor([0]), source=other, reduce=reduce)
    for name in ("quantile", "nanquantile"):
        c(name + ".scalar", self=one, q=0.5, dim=0)
        c(name + ".scalar", self=one, q=0.5, dim=-1, keepdim=True)
        c(name, self=one, q=torch.tensor([0.5, 0.25], dtype=torch.float64), dim=0)
    binomial(c)
    flags = c.tensor((3, 4), torch.float64, -3, 4) > 0
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            index = torch.tensor([[0, 2, 1, 0], [0, 2, 2, 1]])
            c("scatter_reduce", self=flags, dim=0, index=index, src=~flags, reduce=reduce, include_self=include)
        c("index_reduce", self=flags, dim=0, index=index[0, :3], source=flags.flip(0), reduce=reduce)
