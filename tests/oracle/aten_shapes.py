"""Golden cases of src/ops/aten/joining.ops, shapes.ops and of the views that they add: random calls,
with what PyTorch returns or that it raises."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Ints, Views

TYPES = INTEGERS + FLOATS + SMALL_FLOATS + [torch.bool]
SHAPES = [(), (5,), (0,), (1,), (2, 3), (1, 3), (3, 2, 4), (2, 0, 3), (2, 1, 3), (2, 3, 2, 2), (2, 1, 2, 3, 2)]
A = torch.ops.aten


class Cases:
    def __init__(self, out):
        self.out, self.r = out, out.random

    def chance(self, p):
        return self.r.random() < p

    def tensor(self, shape=None, dtype=None):
        return self.out.tensor(self.r.choice(SHAPES) if shape is None else shape, dtype)

    def dim(self, t, more=0):
        n = max(t.dim() + more, 1)
        return self.r.randrange(-n, n) if not self.chance(0.05) else n + 1

    def view(self, name, given, call, forms=("function", "inplace")):
        """A function whose result is a view of its first argument."""
        form = self.r.choice(forms)
        name += {"function": "", "inplace": "_", "out": "_out"}[form]

        def now():
            result = call(*given)
            return Views(result) if isinstance(result, torch.Tensor) and form != "out" else result

        extra = [torch.empty(0, dtype=given[0].dtype)] if form == "out" else []
        self.out.case(name, extra + [tagged(g) for g in given], now)

    def plain(self, name, given, call):
        self.out.case(name, [tagged(g) for g in given], lambda: call(*given))


def tagged(value):
    return Ints(*value) if isinstance(value, tuple) else value


def or_default(c, value, default):
    """The option given, or not given and what that means."""
    return (value, value) if c.chance(0.6) else (Default, default)


def cases_joining(c):
    r = c.r
    for name in ["cat", "cat_out", "_cat", "_cat_out", "stack", "stack_out"]:
        for _ in range(40 if name[0] != "_" else 12):
            stacks = name.startswith("stack")
            like = c.tensor()
            given, dim = or_default(c, c.dim(like, stacks), 0)
            list_ = []
            for _ in range(r.randrange(1, 5)):
                shape = list(like.shape)
                if not stacks and shape and -len(shape) <= dim < len(shape):
                    shape[dim] = r.randrange(0, 4)
                if shape and c.chance(0.03):
                    shape[0] += 1
                if not stacks and c.chance(0.1):
                    shape = [0]
                list_.append(c.tensor(shape, like.dtype if c.chance(0.85) else None))
            if c.chance(0.02):
                list_ = []
            function = torch.stack if stacks else torch.cat
            if name.endswith("_out"):
                out = torch.empty(0, dtype=r.choice(TYPES) if c.chance(0.3) else list_[0].dtype if list_ else torch.float32)
                if c.chance(0.5):
                    try:
                        out = torch.zeros_like(function(list_, dim=dim)).to(out.dtype)
                    except aten_cases.RAISES:
                        pass
                c.out.case(name, [out, list_, given], lambda: function(list_, dim=dim, out=out.clone()))
            else:
                c.out.case(name, [list_, given], lambda: function(list_, dim=dim))
    for _ in range(30):
        self = c.tensor()
        given, dim = or_default(c, c.dim(self), 0)
        chunks = r.choice([1, 2, 3, 2, 7, 0])
        c.out.case("chunk", [self, chunks, given], lambda: list(torch.chunk(self, chunks, dim)))
        size = r.choice([1, 2, 3, 0, -1, 9])
        given, dim = or_default(c, c.dim(self), 0)
        c.out.case("split", [self, size, given], lambda: list(torch.split(self, size, dim)))
        given, dim = or_default(c, c.dim(self), 0)
        c.out.case("unbind", [self, given], lambda: list(torch.unbind(self, dim)))
    for name in ["split.sizes", "split_with_sizes"]:
        for _ in range(24):
            self = c.tensor()
            given, dim = or_default(c, c.dim(self), 0)
            own = self.shape[dim] if -self.dim() <= dim < self.dim() else 2
            first = r.randrange(own + 1)
            sizes = r.choice([(first, own - first), (own,), (first, 0, own - first), (own, -1, 1)])
            if c.chance(0.1):
                sizes = sizes + (1,)
            c.out.case(name, [self, Ints(*sizes), given], lambda: list(torch.split_with_sizes(self, sizes, dim)))
    for _ in range(40):
        self = c.tensor()
        repeats = tuple(r.choice([1, 2, 1, 3, 0]) for _ in range(self.dim() + r.choice([0, 0, 1, 2])))
        if repeats and c.chance(0.1):
            repeats = repeats[1:] if c.chance(0.5) else (-1,) + repeats[1:]
        c.plain("repeat", [self, repeats], lambda s, n: s.repeat(n))


def cases_views(c):
    r = c.r
    for _ in range(24):
        self = c.tensor()
        c.view("alias", [self], lambda s: A.alias(s), ["function"])
        self = c.tensor(r.choice([(), (3,), (2, 3), (1, 2), (0, 2), (2, 1, 2)]))
        c.view("t", [self], lambda s: s.t())
        self = c.tensor()
        c.view("transpose", [self, c.dim(self), c.dim(self)], lambda s, a, b: s.transpose(a, b), ["inplace"])
        c.view("squeeze", [c.tensor()], lambda s: s.squeeze(), ["inplace"])
        self = c.tensor()
        dim = c.dim(self)
        c.out.case("squeeze.dim_", [self, dim], lambda: Views(self.squeeze(dim)))
        self = c.tensor()
        dims = tuple(c.dim(self) for _ in range(r.randrange(3)))
        ending = "_" if c.chance(0.5) else ""
        c.out.case("squeeze.dims" + ending, [self, Ints(*dims)], lambda: Views(self.squeeze(dims)))
        self = c.tensor()
        c.view("unsqueeze", [self, c.dim(self, 1)], lambda s, d: s.unsqueeze(d), ["inplace"])
        self = c.tensor()
        c.view("unfold", [self, c.dim(self), r.choice([1, 2, 3, 0, 1, 9]), r.choice([1, 2, 3, 1, 0])],
               lambda s, d, n, k: s.unfold(d, n, k), ["function"])
        self = c.tensor()
        sizes = r.choice([(self.numel(),), (1, self.numel()), (-1,), tuple(self.shape[::-1]), (self.numel() + 1,)])
        c.view("_unsafe_view", [self, sizes], lambda s, n: A._unsafe_view(s, n), ["function"])
        self = c.tensor()
        start, end = or_default(c, c.dim(self), 0), or_default(c, c.dim(self), -1)
        c.out.case("flatten", [self, start[0], end[0]], lambda: Views(self.flatten(start[1], end[1])))
        self = c.tensor()
        given, dim = or_default(c, c.dim(self), 0)
    for _ in range(40):
        self = c.tensor((12,) if c.chance(0.5) else (3, 4))
        sizes = r.choice([(2, 3), (4,), (), (0, 2), (3, 2), (2, 2, 2), (2,)])
        strides = tuple(r.choice([1, 2, 0, 3, 4, 1]) for _ in sizes)
        if c.chance(0.05):
            strides += (1,)
        if strides and c.chance(0.05):
            strides = (-1,) + strides[1:]
        given, offset = or_default(c, r.choice([0, 1, 2, 3, 9]), None)
        form = r.choice(["", "_", "_out"])
        call = lambda: torch.as_strided(self, sizes, strides, offset)
        c.out.case("as_strided" + form, ([torch.empty(0, dtype=self.dtype)] if form == "_out" else [])
                   + [self, Ints(*sizes), Ints(*strides), given], call)


def cases_shapes(c):
    r = c.r
    for _ in range(24):
        self = c.tensor()
        n = self.numel()
        sizes = r.choice([(n,), (1, n), (max(0, n - 1),), (1,), (0, 3), tuple(self.shape[::-1]), (2, -1)])
        if torch.Size(sizes).numel() <= n:
            c.plain("resize_", [self, sizes], lambda s, k: s.clone().resize_(k))
        other = c.tensor()
        if other.numel() <= n:
            c.plain("resize_as_", [self, other], lambda s, t: s.clone().resize_as_(t))
        self = c.tensor((12,))
        sizes, strides = r.choice([((2, 3), (3, 1)), ((2, 3), (1, 2)), ((4,), (2,)), ((), ()), ((2, 0), (1, 1)), ((2,), (1, 1)), ((2, 2), (4, -1))])
        c.out.case("reshape.strided_", [self, Ints(*sizes), Ints(*strides)], lambda: torch.as_strided(self, sizes, strides))
        self = c.tensor()
        c.plain("set_", [self], lambda s: s.clone().set_())
        source = c.tensor(dtype=self.dtype if c.chance(0.9) else None)
        c.out.case("set.tensor_", [self, source], lambda: Views(self.clone().set_(source)))
        other = self if c.chance(0.5) else c.tensor()
        c.plain("is_set_to", [self, other.clone()], lambda s, t: s.is_set_to(t))
        dim = c.dim(self)
        c.plain("size", [self, dim], lambda s, d: s.size(d))
        c.plain("numel", [self], lambda s: s.numel())
        c.plain("dim", [self], lambda s: s.dim())
        for name in ["is_cuda", "is_sparse"]:
            c.plain(name, [self], lambda s: getattr(s, name))
        c.plain("is_distributed", [self], lambda s: torch.is_distributed(s))
        c.plain("get_device", [self], lambda s: s.get_device())
    for _ in range(12):
        sizes = r.choice([(2, 3), (0,), (), (3, 0, 2), (4,), (-1,)])
        for name in ["zeros", "ones"]:
            out = torch.empty(r.choice([(0,), sizes if min(sizes + (0,)) >= 0 else (1,)]), dtype=c.r.choice(TYPES))
            c.out.case(name + "_out", [out, Ints(*sizes), Default], lambda: getattr(torch, name)(sizes, out=out.clone()))
    c.out.case("tensor.empty", [Default], lambda: torch.tensor([]))
    c.out.case("tensor.empty", [torch.int32], lambda: torch.tensor([], dtype=torch.int32))
    for sizes in [(0, 3), (2, 0), (-1,), (-2, 3)]:
        c.out.case("tensor.sized", [Ints(*sizes), torch.float64], lambda: torch.empty(sizes, dtype=torch.float64))
        c.out.case("tensor.strided", [Ints(*sizes), Ints(*[1 for _ in sizes]), Default],
                   lambda: torch.empty_strided(sizes, [1 for _ in sizes]))


with aten_cases.Writer("shapes", __file__) as out:
    c = Cases(out)
    cases_joining(c)
    cases_views(c)
    cases_shapes(c)
