"""Golden cases of src/ops/aten/index.ops: random calls, with what PyTorch returns or that it raises."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Ints, Scalar

TYPES = INTEGERS + FLOATS + SMALL_FLOATS + [torch.bool]
A = torch.ops.aten
SHAPES = [(), (5,), (0,), (1,), (2, 3), (3, 2, 4), (2, 0, 3), (2, 1, 3), (2, 3, 2, 2), (2, 1, 2, 3, 2)]


class Cases:
    def __init__(self, out):
        self.out, self.r = out, out.random

    def wrong(self):
        return self.r.random() < 0.06

    def type(self):
        return self.r.choice(TYPES)

    def tensor(self, shape, dtype):
        return self.out.tensor(shape, dtype)

    def other(self, dtype):
        return self.r.choice([t for t in TYPES if t != dtype]) if self.r.random() < 0.03 else dtype

    def indices(self, shape, size, wraps=False, unique=False, types=(torch.int64,)):
        """Indices of a dimension; sometimes one that is out of range, which cannot be had of none."""
        r = self.r
        count = torch.Size(shape).numel()
        low = -size if wraps else 0
        values = [r.randrange(low, size) if size else 0 for _ in range(count)]
        if unique and count:
            values = r.sample(range(max(size, count)), count)
            values = [v - size if wraps and r.random() < 0.3 else v for v in values]
        if count and self.wrong():
            values[r.randrange(count)] = r.choice([size, low - 1, size + 7])
        dtype = r.choice(types) if not count or self.r.random() < 0.97 else torch.float32
        return torch.tensor(values, dtype=torch.int64).reshape(shape).to(dtype)

    def write(self, name, overload, given, call, forms, result=None):
        """All forms of a call: call(self, *rest) is in place where it is the function of that name."""
        ending = "." + overload if overload else ""
        if "function" in forms:
            self.out.case(name + ending, given, lambda: call(*[copied(g) for g in given]))
        if "inplace" in forms:
            self.out.case(name + ending + "_", given,
                          lambda: checked(call(*[copied(g) for g in given]), given[0]))
        if "out" in forms:
            dtype = given[0].dtype if result is None else result
            out = torch.empty((0,), dtype=self.other(dtype))
            if self.r.random() < 0.3:
                try:
                    out = torch.zeros_like(call(*[copied(g) for g in given])).to(out.dtype)
                except aten_cases.RAISES:
                    pass

            def of_type():
                if out.dtype != dtype:
                    raise TypeError("another type")
                return call(*[copied(g) for g in given])

            self.out.case(name + ending + "_out", [out] + given, of_type)


def copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, Scalar):
        return value.value
    return value


def checked(result, self):
    if result.shape != self.shape:
        raise ValueError("the shape of self stays")
    return result


BOTH = (torch.int64, torch.int64, torch.int32)


def index_list(c, shape):
    r = c.r
    dims = len(shape)
    broadcast = r.choice([(3,), (2, 2), (), (1,), (0,), (2, 3)])
    list_, d = [], 0
    while d < dims:
        pick = r.random()
        if pick < 0.3:
            list_.append(None)
            d += 1
        elif pick < 0.75:
            own = [n if r.random() < 0.8 else 1 for n in broadcast][r.randrange(2) if len(broadcast) > 1 else 0:]
            if c.wrong():
                own = [4]
            list_.append(c.indices(own, shape[d], True, types=BOTH))
            d += 1
        else:
            span = r.randrange(1, min(3, dims - d) + 1)
            sizes = list(shape[d:d + span])
            if c.wrong():
                sizes[0] += 1
            mask = c.tensor(sizes, torch.bool)
            if r.random() < 0.15:
                mask = mask.to(torch.uint8)
            list_.append(mask)
            d += span
        if r.random() < 0.2:
            break
    if c.wrong():
        list_.append(c.indices((1,), 1))
    return list_


def usable(list_, shape):
    """Not calls that PyTorch does not define."""
    takes = sum(i.dim() if i is not None and i.dtype in (torch.bool, torch.uint8) else 1 for i in list_)
    if takes > len(shape) >= len(list_):
        return False
    return any(i is not None for i in list_) or not list_


def cases_index(c):
    for _ in range(180):
        shape = c.r.choice(SHAPES[1:] + SHAPES[4:])
        dtype = c.type()
        self = c.tensor(shape, dtype)
        list_ = index_list(c, shape)
        if not usable(list_, shape):
            continue
        try:
            if A.index(self, list_).numel() == 0 and any(i is not None and i.dtype in BOTH for i in list_):
                continue  # PyTorch does not look at indices then
        except aten_cases.RAISES:
            pass
        c.write("index", "", [self, list_], lambda s, l: A.index(s, l), c.r.choice([["function"], ["function", "out"]]))


def cases_index_put(c):
    done = 0
    while done < 150:
        shape = c.r.choice(SHAPES[1:] + SHAPES[4:])
        dtype = c.type()
        self = c.tensor(shape, dtype)
        list_ = index_list(c, shape)
        accumulate = c.r.random() < 0.4
        if not usable(list_, shape):
            continue
        try:
            positions = A.index(torch.arange(self.numel()).reshape(shape), list_)
        except aten_cases.RAISES:
            positions = torch.zeros(1)
        if positions.numel() == 0:
            continue
        if not accumulate and positions.numel() != positions.unique().numel():
            continue  # which of several stays is not defined
        sizes = [n if c.r.random() < 0.8 else 1 for n in positions.shape]
        sizes = sizes[c.r.randrange(len(sizes) + 1) if c.r.random() < 0.3 else 0:]
        values = c.tensor(sizes, c.other(dtype))
        given = accumulate if accumulate or c.r.random() < 0.5 else Default
        c.write("index_put", "", [self, list_, values, given],
                lambda s, l, v, a: A.index_put(s, l, v, a is True), ["function", "inplace"][c.r.randrange(2):])
        done += 1


def slices(c, wraps, unique, types=(torch.int64,)):
    shape = c.r.choice(SHAPES)
    dtype = c.type()
    self = c.tensor(shape, dtype)
    dim = c.r.randrange(-max(len(shape), 1), max(len(shape), 1))
    size = shape[dim] if shape else 1
    types = types if self.numel() else (torch.int64,)
    if c.wrong():
        dim = len(shape) + 2
    count = c.r.choice([size, max(0, size - 1), 1, 0, size] + ([] if unique else [4]))
    count = min(count, size) if unique else count
    sizes = [count] if c.r.random() < 0.95 else ([] if c.r.random() < 0.7 else [1, count])
    index = c.indices(sizes, size, wraps, unique, types)
    if self.numel() == 0 and index.numel() > 0 and not wraps:
        index = index.clamp(0, size - 1) if size else index.reshape(-1)[:0]  # PyTorch does not look at them
    return self, dim, index


def source_for(c, self, dim, index):
    sizes = list(self.shape)
    if sizes and -len(sizes) <= dim < len(sizes):
        sizes[dim] = index.numel()
    if sizes and c.wrong():
        sizes[c.r.randrange(len(sizes))] += 1
    return c.tensor(sizes, c.other(self.dtype))


def cases_slices(c):
    for _ in range(50):
        self, dim, index = slices(c, False, False, BOTH)
        c.write("index_select", "", [self, dim, index], lambda s, d, i: torch.index_select(s, d, i), ["function", "out"][c.r.randrange(2):] + ["function"][:c.r.randrange(2)])
    for _ in range(50):
        self, dim, index = slices(c, False, True)
        c.write("index_copy", "", [self, dim, index, source_for(c, self, dim, index)],
                lambda s, d, i, x: s.index_copy(d, i, x), [c.r.choice(["function", "inplace", "out"])])
    for _ in range(60):
        self, dim, index = slices(c, False, False, BOTH)
        alpha = c.r.choice([Default, Default, 2, -1, 0.5, 1]) if self.dtype != torch.bool else c.r.choice([Default, True])
        if not self.is_floating_point() and alpha == 0.5:
            alpha = 3
        given = alpha if alpha is Default else Scalar(int(alpha) if alpha is True else alpha)
        c.write("index_add", "", [self, dim, index, source_for(c, self, dim, index), given],
                lambda s, d, i, x, a: s.index_add(d, i, x) if a is Default else s.index_add(d, i, x, alpha=(bool(a) if s.dtype == torch.bool else a)),
                [c.r.choice(["function", "inplace", "out"])])
    for _ in range(50):
        self, dim, index = slices(c, True, False)
        value = c.r.choice([2, 3.0, 1, 0, 7])
        c.write("index_fill", "", [self, dim, index, Scalar(value)], lambda s, d, i, v: s.index_fill(d, i, v),
                [c.r.choice(["function", "inplace"])])
        value = c.tensor(() if c.r.random() < 0.9 else (1,), self.dtype)
        c.write("index_fill", "tensor", [self, dim, index, value], lambda s, d, i, v: s.index_fill(d, i, v),
                [c.r.choice(["function", "inplace"])])


def along(c, unique):
    shape = c.r.choice(SHAPES)
    dtype = c.type()
    self = c.tensor(shape, dtype)
    dim = c.r.randrange(-max(len(shape), 1), max(len(shape), 1))
    size = shape[dim] if shape else 1
    sizes = [c.r.randrange(1, n + 1) if n else 0 for n in shape]
    if shape:
        sizes[dim] = min(size, c.r.choice([1, 2, 3])) if unique else c.r.choice([1, 2, 3])
        if c.wrong():
            sizes[(dim - 1) % len(sizes)] += 1
    if not shape and c.r.random() < 0.3:
        sizes = [1]
    if c.r.random() < 0.05:
        sizes = [0]
    index = c.indices(sizes, size, types=BOTH)
    if unique and sizes and index.numel() and size:
        ranks = torch.rand([max(n, size) if d == dim % len(sizes) else n for d, n in enumerate(sizes)]).argsort(dim)
        index = torch.where(index < size, ranks.narrow(dim, 0, sizes[dim]).to(index.dtype), index)
    if self.numel() == 0 and index.numel() > 0:
        index = index[:0]
    return self, dim, index


def cases_along(c):
    torch.manual_seed(7)
    for _ in range(60):
        self, dim, index = along(c, False)
        c.write("gather", "", [self, dim, index], lambda s, d, i: torch.gather(s, d, i), [c.r.choice(["function", "out"])])
    for name, unique in [("scatter", True), ("scatter_add", False)]:
        for _ in range(70):
            self, dim, index = along(c, unique)
            sizes = [n + c.r.randrange(2) for n in index.shape]
            if sizes and c.wrong():
                sizes[0] = max(0, sizes[0] - 2)
            src = c.tensor(sizes, c.other(self.dtype))
            c.write(name, "", [self, dim, index, src], lambda s, d, i, x: getattr(s, name)(d, i, x),
                    [c.r.choice(["function", "inplace", "out"])])
    for _ in range(60):
        self, dim, index = along(c, False)
        c.write("scatter", "value", [self, dim, index, Scalar(c.r.choice([2, 3.0, 1, 0, 7]))],
                lambda s, d, i, v: s.scatter(d, i, v), [c.r.choice(["function", "inplace", "out"])])


def cases_places(c):
    for _ in range(40):
        self = c.tensor(c.r.choice(SHAPES), c.type())
        sizes = c.r.choice([(), (3,), (2, 2), (0,), (2, 1, 2)])
        index = c.indices(sizes, self.numel(), True)
        c.write("take", "", [self, index], lambda s, i: torch.take(s, i), [c.r.choice(["function", "out"])])
    for _ in range(50):
        self = c.tensor(c.r.choice(SHAPES), c.type())
        accumulate = c.r.random() < 0.5
        count = min(self.numel(), c.r.choice([1, 2, 3, 4]))
        index = c.indices((count,), self.numel(), True, not accumulate)
        if index.numel() == 4:
            index = index.reshape(2, 2)
        if not accumulate and (index % max(1, self.numel())).unique().numel() != index.numel():
            continue
        source = c.tensor((count + c.wrong(),), c.other(self.dtype))
        c.write("put", "", [self, index, source, accumulate if accumulate else Default],
                lambda s, i, x, a: s.put(i, x, a is True), [c.r.choice(["function", "inplace"])])


def masked(c, grows):
    shape = c.r.choice(SHAPES)
    self = c.tensor(shape, c.type())
    sizes = [n if c.r.random() < 0.8 else 1 for n in shape]
    sizes = sizes[c.r.randrange(len(sizes) + 1) if c.r.random() < 0.4 else 0:]
    if grows and c.r.random() < 0.3:
        sizes = [2] + [n for n in shape]
    if sizes and c.wrong():
        sizes[-1] += 1
    mask = c.tensor(sizes, torch.bool if c.r.random() < 0.96 else torch.int32)
    return self, mask


def cases_masks(c):
    for _ in range(40):
        form = c.r.choice(["function", "inplace"])
        self, mask = masked(c, form == "function")
        c.write("masked_fill", "", [self, mask, Scalar(c.r.choice([2, 3.0, 1, 0, 7]))], lambda s, m, v: s.masked_fill(m, v), [form])
        value = c.tensor(() if c.r.random() < 0.9 else (1,), self.dtype)
        c.write("masked_fill", "tensor", [self, mask, value], lambda s, m, v: s.masked_fill(m, v), [form])
    for _ in range(50):
        form = c.r.choice(["function", "inplace"])
        self, mask = masked(c, form == "function")
        try:
            count = int(mask.expand(torch.broadcast_shapes(mask.shape, self.shape)).sum())
        except RuntimeError:
            count = 3
        source = c.tensor((max(0, count + c.r.choice([0, 0, 1, 2]) - 2 * c.wrong()),), c.other(self.dtype))
        c.write("masked_scatter", "", [self, mask, source], lambda s, m, x: s.masked_scatter(m, x), [form])
    for _ in range(50):
        self, mask = masked(c, True)
        c.write("masked_select", "", [self, mask], lambda s, m: torch.masked_select(s, m), [c.r.choice(["function", "out"])])
    for _ in range(40):
        self = c.tensor(c.r.choice(SHAPES), c.type(), )
        if self.is_floating_point() and self.numel() > 1:
            self.view(-1)[0], self.view(-1)[1] = float("nan"), -0.0
        c.write("nonzero", "", [self], lambda s: torch.nonzero(s), [c.r.choice(["function", "out"])], torch.int64)


with aten_cases.Writer("index", __file__) as out:
    c = Cases(out)
    cases_index(c)
    cases_index_put(c)
    cases_slices(c)
    cases_along(c)
    cases_places(c)
    cases_masks(c)
    for dtype in (torch.uint8, torch.bool, torch.float32):  # of an empty index the type does not matter
        for shape in [(0, 2), (0,), (3, 0)]:
            c.write("gather", "", [torch.randn(3, 4), 1, torch.zeros(shape, dtype=dtype)],
                    lambda s, d, i: torch.gather(s, d, i), ["function"])
