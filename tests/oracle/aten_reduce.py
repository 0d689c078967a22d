"""Golden cases of reductions, sorting, cumulative sums and histograms (reduce.ops): random calls of every form of every
row, with what PyTorch returns for them, or that it raises."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Double, Ints, Scalar

TYPES = INTEGERS + FLOATS * 2 + SMALL_FLOATS + [torch.bool]
SHAPES = [(), (1,), (5,), (2, 3), (3, 1), (4, 3), (0,), (0, 3), (2, 0), (2, 3, 4), (3, 2, 2), (2, 1, 3, 2), (2, 2, 1, 2, 2)]
SPECIAL = [float("nan"), float("inf"), -float("inf")]
ATEN = torch.ops.aten

with aten_cases.Writer("reduce", __file__) as out:
    r = out.random

    def tensor(shape=None, dtype=None, low=-20, high=21, special=0.3):
        t = out.tensor(r.choice(SHAPES) if shape is None else shape, dtype or r.choice(TYPES), low, high)
        if t.dtype.is_floating_point and t.numel() > 0 and r.random() < special:
            t.reshape(-1)[r.randrange(t.numel())] = r.choice(SPECIAL)
        if r.random() < 0.3 and t.dim() > 1:  # another layout
            a, b = r.sample(range(t.dim()), 2)
            t = t.transpose(a, b)
        return t

    def distinct(shape=None, dtype=None):
        """Without equal elements, so that indices are unique."""
        shape = r.choice(SHAPES) if shape is None else shape
        count = torch.Size(shape).numel()
        dtype = dtype or r.choice(TYPES[:-1])
        values = list(range(count)) if dtype == torch.uint8 else list(range(-(count // 2), count - count // 2))
        r.shuffle(values)
        t = torch.tensor(values, dtype=torch.float64) / (2 if dtype.is_floating_point else 1)
        t = t.to(dtype).reshape(shape)
        if dtype.is_floating_point and count > 0 and r.random() < 0.3:
            t.reshape(-1)[r.randrange(count)] = r.choice(SPECIAL)
        return t

    def one_dim(t):
        """Mostly a dimension that is there."""
        count = max(t.dim(), 1)
        return r.randrange(-count, count) if r.random() < 0.9 else r.choice([count, -count - 1])

    def many_dims(t):
        count = max(t.dim(), 1)
        dims = r.sample(range(count), r.randint(0, count))
        dims = [d - count if r.random() < 0.3 else d for d in dims]
        if r.random() < 0.07:
            dims = dims + [r.choice([count, dims[0] if dims else -count - 1])]
        return dims

    def maybe(value, odds=0.5):
        return value if r.random() < odds else Default

    def option(value, default):
        return default if value is Default else value

    def result(choices, count=1):
        """What the out form writes to."""
        targets = []
        for i in range(count):
            dtype = torch.int64 if i else r.choice(choices)
            targets.append(r.choice([torch.empty(0, dtype=dtype), torch.zeros((2, 3), dtype=dtype)]))
        return targets

    def case(name, given, call, targets=(), within=None):
        """call gets the results to write to, if any.  Where PyTorch does not convert to their type, they are left out."""
        copies = [t.clone() for t in targets]
        if targets and not targets[0].is_floating_point() and not given[0].double().isfinite().all():
            return False  # what NaN becomes as an integer is nobody's promise
        try:
            made, problem = call(*copies), None
        except aten_cases.RAISES as raised:
            problem = raised
            words = ("Expected out tensor to have dtype", "Expected the dtype for input and out to match")
            parts = ("histogram(): input tensor and hist", "std_var_all: Unsupported dtype")
            if str(raised).startswith(words) or any(word in str(raised) for word in parts):
                return False

        def again():
            if problem:
                raise problem
            if not targets:  # computed again, of operands that may want gradients now
                again = call()
                return tuple(again) if isinstance(again, (tuple, list)) else again
            return tuple(made) if isinstance(made, (tuple, list)) else made

        out.case(name, [t.clone() for t in targets] + [Scalar(g) if isinstance(g, float) else g for g in given], again, within)
        return True

    def both(name, draw, count=1, own=False, times=(22, 8), kinds=TYPES):
        """A function and its out form.  draw gives the arguments, a call with an argument out, and the tensor."""
        for form, n in zip(["", "_out"], times):
            done = 0
            while done < n:
                given, call, t, *within = draw()
                if form:
                    targets = result([t.dtype] if own else kinds, count)
                    wrapped = lambda *targets: call(out=targets[0] if count == 1 else targets)
                else:
                    targets, wrapped = (), lambda: call()
                done += case(name + form, given, wrapped, targets, *within)

    # Sums and products.
    for name in ["sum", "prod", "mean"]:
        function = getattr(torch, name)
        types = TYPES if name != "mean" else FLOATS * 4 + SMALL_FLOATS + [torch.int64, torch.bool]

        def draw_all():
            t = tensor(dtype=r.choice(types), low=-9, high=10)
            type = maybe(r.choice(types if name != "prod" else FLOATS + INTEGERS), 0.3)
            if t.dtype.is_floating_point and not option(type, t.dtype).is_floating_point:
                t = torch.nan_to_num(t, 1.0, 2.0, 3.0)
            if name == "prod" and option(type, t.dtype) in SMALL_FLOATS + [torch.float32]:
                t = t.reshape(-1)[:5].clone()
            return [t, type], lambda **o: function(t, dtype=option(type, None), **o), t

        if name == "sum":
            both(name, draw_all, times=(30, 0))
            t = tensor((2, 3), torch.float32, special=0)
            case("sum_out", [t, Default], lambda target: torch.sum(t, (0, 1), out=target), [torch.empty(0)])
            case("sum_out", [t, Default], lambda target: torch.sum(t, (0, 1), out=target), [torch.zeros(2, dtype=torch.float64)])
        else:
            both(name, draw_all, times=(30, 0))
            t = tensor((2, 3), torch.float32, special=0)
            want = function(t)
            case(name + "_out", [t, Default], lambda target: want, [torch.empty(0)])

        def draw_dims():
            t = tensor(dtype=r.choice(types), low=-9, high=10)
            if name == "prod" and t.dtype in SMALL_FLOATS:
                t = t.float()
            type, keepdim = maybe(r.choice(types), 0.3), maybe(True)
            if t.dtype.is_floating_point and r.random() < 0.8 or type is not Default:
                t = torch.nan_to_num(t, 1.0, 2.0, 3.0)
            if name == "prod" and type in SMALL_FLOATS:
                type = torch.float64
            dims = one_dim(t) if name == "prod" else many_dims(t)
            given = [t, dims if name == "prod" else Ints(*dims), keepdim, type]

            return given, lambda **o: function(t, dims, option(keepdim, False), dtype=option(type, None), **o), t

        both(name + ".dim", draw_dims, times=(50, 16), kinds=FLOATS * 3 + TYPES if name != "mean" else FLOATS + SMALL_FLOATS)
    # Numbers that Float does not hold are summed in more than Float.
    t = torch.tensor([2.0**24] + [1.0] * 8)
    case("sum", [t, Default], lambda: t.double().sum().float())
    for t in [torch.full((300,), 200, dtype=torch.uint8), torch.full((3, 4), 2**31 - 1, dtype=torch.int32)]:
        case("sum", [t, Default], lambda: torch.sum(t))
        case("sum.dim", [t, Ints(0), Default, Default], lambda: torch.sum(t, 0))

    # Variances and norms.
    def spread_types():
        return r.choice(FLOATS * 5 + SMALL_FLOATS + [torch.int32])

    for name in ["var", "std"]:
        function = getattr(torch, name)

        def draw_all():
            t, unbiased = tensor(dtype=spread_types(), special=0.1), maybe(r.random() < 0.5)
            return [t, unbiased], lambda **o: function(t, unbiased=option(unbiased, True)), t, 4e-3 if t.dtype == torch.bfloat16 else None

        both(name, draw_all, times=(24, 0))
        t = tensor((2, 3), torch.float32, special=0)
        want = function(t)
        case(name + "_out", [t, Default], lambda target: want, [torch.empty(0)])

        def draw_dims():
            t = tensor(dtype=spread_types(), special=0.1)
            dims, unbiased, keepdim = many_dims(t), maybe(r.random() < 0.5), maybe(True)
            call = lambda **o: function(t, dims, unbiased=option(unbiased, True), keepdim=option(keepdim, False), **o)
            return [t, Ints(*dims), unbiased, keepdim], call, t

        both(name + ".dim", draw_dims, times=(30, 10), kinds=FLOATS)

        def draw_correction():
            t = tensor(dtype=spread_types(), special=0.1)
            dims, keepdim = maybe(many_dims(t)), maybe(True)
            correction = maybe(r.choice([0.0, 1.0, 2.0, 0.5, 3.0, -1.0]), 0.8)
            call = lambda **o: function(t, dim=option(dims, None), correction=option(correction, 1), keepdim=option(keepdim, False), **o)
            return [t, Default if dims is Default else Ints(*dims), correction, keepdim], call, t

        both(name + ".correction", draw_correction, times=(30, 10), kinds=FLOATS)

    POWERS = [2.0, 1.0, 0.0, 3.0, -1.0, 0.5, float("inf"), -float("inf"), 2.5]

    def draw_norm():
        t, p = tensor(dtype=spread_types(), special=0.2), maybe(r.choice(POWERS), 0.8)
        return [t, p], lambda **o: ATEN.norm.Scalar(t, option(p, 2)), t, 1e-5 if t.dtype == torch.float32 else None

    both("norm", draw_norm, times=(30, 0))
    t = tensor((2, 3), torch.float32, special=0)
    case("norm_out", [t, 3.0], lambda target: torch.norm(t, 3), [torch.empty(0)], 1e-5)

    def draw_norm_dims():
        t = tensor(dtype=spread_types(), special=0.2)
        dims, p, keepdim, type = many_dims(t), r.choice(POWERS), maybe(True), maybe(r.choice(FLOATS), 0.2)
        given = [t, p, Ints(*dims), keepdim, type]
        if type is Default:
            return given, lambda **o: (ATEN.norm.out if o else ATEN.norm.ScalarOpt_dim)(t, p, dims, option(keepdim, False), **o), t, 1e-5
        return given, lambda **o: (ATEN.norm.dtype_out if o else ATEN.norm.ScalarOpt_dim_dtype)(
            t, p, dims, option(keepdim, False), dtype=type, **o), t, 1e-5

    both("norm.dim", draw_norm_dims, times=(60, 12), kinds=FLOATS)

    # Dimensions that do not lie in each other: partial results are reduced further.
    for shape, dims in [((2, 3, 4), (0, 2)), ((3, 2, 2, 3), (1, 3)), ((2, 2, 3, 2), (0, 1, 3)), ((2, 3, 2, 2), (0, 2))]:
        t = tensor(shape, torch.float32, special=0)
        for name in ["sum", "mean"]:
            case(name + ".dim", [t, Ints(*dims), Default, Default], lambda: getattr(torch, name)(t, dims))
        for name in ["var", "std"]:
            case(name + ".dim", [t, Ints(*dims), Default, True], lambda: getattr(torch, name)(t, dims, keepdim=True))
        for p in POWERS:
            case("norm.dim", [t, p, Ints(*dims), Default, Default], lambda: ATEN.norm.ScalarOpt_dim(t, p, dims, False), within=1e-5)
        for name in ["amax", "amin"]:
            case(name, [t, Ints(*dims), Default], lambda: getattr(torch, name)(t, dims))
        for name in ["all", "any"]:
            case(name + ".dim", [t > 2, Ints(*dims), Default], lambda: getattr(torch, name)(t > 2, dims))

    def draw_logsumexp():
        t = tensor(special=0.2)
        dims, keepdim = many_dims(t), maybe(True)
        if not dims:
            dims = [0]
        within = 3e-2 if t.dtype == torch.bfloat16 else 4e-3 if t.dtype == torch.float16 else None
        return [t, Ints(*dims), keepdim], lambda **o: torch.logsumexp(t, dims, option(keepdim, False), **o), t, within

    both("logsumexp", draw_logsumexp, times=(40, 12), kinds=FLOATS)
    for values in [[float("inf"), 1.0], [-float("inf")] * 2, [1000.0, 1000.0], [-1000.0, -1001.0]]:
        t = torch.tensor(values)
        case("logsumexp", [t, Ints(0), Default], lambda: torch.logsumexp(t, 0))

    # Maxima and booleans.
    for name in ["max", "min"]:
        function, whole = getattr(torch, name), getattr(torch, "a" + name)

        def draw_all():
            t = tensor()

            def call(**o):
                if t.numel() == 0:  # with a result, PyTorch makes it -inf
                    raise RuntimeError("no elements")
                return function(t, **o)

            return [t], call, t

        both(name, draw_all, times=(24, 8), kinds=FLOATS * 3 + TYPES)

        def draw_dim():
            t = tensor()
            dim, keepdim = one_dim(t), maybe(True)
            return [t, dim, keepdim], lambda **o: function(t, dim, option(keepdim, False), **o), t

        both(name + ".dim", draw_dim, 2, own=True, times=(40, 12))

        def draw_dims():
            t = tensor()
            dims, keepdim = maybe(many_dims(t), 0.8), maybe(True)
            call = lambda **o: whole(t, option(dims, ()), option(keepdim, False), **o)
            return [t, Default if dims is Default else Ints(*dims), keepdim], call, t

        both("a" + name, draw_dims, own=True, times=(40, 10))

        def draw_place():
            t = tensor()
            dim, keepdim = maybe(one_dim(t), 0.7), maybe(True)
            if t.numel() > 1 and dim is Default:
                keepdim = maybe(True, 0.3)
            return [t, dim, keepdim], lambda **o: getattr(torch, "arg" + name)(t, option(dim, None), option(keepdim, False), **o), t

        both("arg" + name, draw_place, times=(40, 10), kinds=[torch.int64])

    for name in ["all", "any"]:
        function = getattr(torch, name)

        def draw_all():
            t = tensor(low=r.choice([0, 1, -1]), high=3)
            return [t], lambda **o: function(t, **o), t

        def draw_dims():
            t = tensor(low=r.choice([0, 1, -1]), high=3)
            dims, keepdim = many_dims(t), maybe(True)
            return [t, Ints(*dims), keepdim], lambda **o: function(t, dims, option(keepdim, False), **o), t

        # A result of Byte: PyTorch converts the elements to it first, so that 0.5 is false.
        both(name, draw_all, times=(24, 6), kinds=[torch.bool])
        both(name + ".dim", draw_dims, times=(40, 10), kinds=[torch.bool])

    # Sorting and picking.
    def draw_sort():
        t = tensor(low=-3, high=4)
        dim, descending = maybe(one_dim(t)), maybe(True)
        call = lambda **o: torch.sort(t, dim=option(dim, -1), descending=option(descending, False), stable=True, **o)
        return [t, dim, descending, maybe(True)], call, t

    both("sort", draw_sort, 2, own=True, times=(40, 12))

    def draw_topk():
        t = distinct()
        dim, largest = maybe(one_dim(t)), maybe(False)
        k = r.choice([0, 1, 1, 2, 3, 5])
        return [t, k, dim, largest, Default], lambda **o: torch.topk(t, k, option(dim, -1), option(largest, True), **o), t

    both("topk", draw_topk, 2, own=True, times=(50, 14))
    t = torch.tensor([[3.0, 1.0, 4.0, 2.0], [0.0, 9.0, 8.0, 7.0]])
    case("topk", [t, 2, Default, Default, False], lambda: (torch.tensor([[3.0, 4.0], [9.0, 8.0]]), torch.tensor([[0, 2], [1, 2]])))

    def draw_kth():
        t = distinct()
        dim, keepdim = maybe(one_dim(t)), maybe(True)
        k = r.choice([0, 1, 1, 2, 2, 3, 5])
        return [t, k, dim, keepdim], lambda **o: torch.kthvalue(t, k, option(dim, -1), option(keepdim, False), **o), t

    both("kthvalue", draw_kth, 2, own=True, times=(50, 14))
    t = torch.tensor([True, False])
    case("kthvalue", [t, 1, Default, Default], lambda: torch.kthvalue(t, 1))

    def draw_median_all():
        t = tensor(special=0.15)
        if t.numel() == 0 and not t.dtype.is_floating_point:
            t = tensor((5,), torch.int32)  # PyTorch returns what NaN happens to become
        return [t], lambda **o: torch.median(t), t

    both("median", draw_median_all, times=(30, 0))
    t = tensor((5,), torch.float32, special=0)
    want = torch.median(t)
    case("median_out", [t], lambda target: want, [torch.empty(0)])

    def draw_median():
        t = distinct()
        dim, keepdim = one_dim(t), maybe(True)
        return [t, dim, keepdim], lambda **o: torch.median(t, dim, option(keepdim, False), **o), t

    both("median.dim", draw_median, 2, own=True, times=(40, 12))
    t = torch.tensor([True, False])
    case("median.dim", [t, 0, Default], lambda: torch.median(t, 0))

    def draw_mode():
        t = tensor(low=-2, high=3, special=0)  # of NaN, PyTorch returns now this and now that
        dim, keepdim = maybe(one_dim(t)), maybe(True)
        return [t, dim, keepdim], lambda **o: torch.mode(t, option(dim, -1), option(keepdim, False), **o), t

    both("mode", draw_mode, 2, own=True, times=(40, 12))

    # Cumulative sums.
    for name in ["cumsum", "cumprod"]:
        function = getattr(torch, name)

        def draw_running():
            t = tensor(dtype=r.choice(TYPES[:-1] if name == "cumprod" else TYPES), low=-6, high=7, special=0.1)
            if t.dtype in SMALL_FLOATS and name == "cumprod":
                t = t.double()
            dim, type = one_dim(t), maybe(r.choice(FLOATS + INTEGERS), 0.3)
            if t.dtype.is_floating_point and not option(type, t.dtype).is_floating_point:
                t = torch.nan_to_num(t, 1.0, 2.0, 3.0)
            return [t, dim, type], lambda **o: function(t, dim, dtype=option(type, None), **o), t

        both(name, draw_running, times=(40, 0))

        def draw_out():
            t = tensor(dtype=r.choice(FLOATS + INTEGERS), low=-6, high=7, special=0.0)
            dim = one_dim(t)
            return [t, dim, Default], lambda **o: function(t, dim, **o), t

        both(name, draw_out, times=(0, 14), kinds=FLOATS + INTEGERS)
        for _ in range(14):
            (t, dim, type), _, _ = draw_running()
            given = [t.clone(), dim, type]
            case(name + "_", given, lambda: getattr(t, name + "_")(dim, dtype=option(type, None)))

    # Norms and histograms.
    def draw_renorm():
        t = tensor(r.choice(SHAPES[3:]), r.choice(FLOATS * 3 + SMALL_FLOATS + [torch.int32]), special=0)
        dim, p, most = one_dim(t), r.choice([2.0, 1.0, 3.0, float("inf"), 2.0, 1.0, 0.0]), r.choice([1.0, 2.5, 0.0, 1.0, 4.0, -1.0])
        p = 2.0 if t.numel() == 0 else p  # of the others, some do not exist for slices of nothing
        return [t, p, dim, most], lambda **o: torch.renorm(t, p, dim, most, **o), t

    both("renorm", draw_renorm, own=True, times=(30, 10))
    for _ in range(10):
        (t, p, dim, most), _, _ = draw_renorm()
        case("renorm_", [t.clone(), p, dim, most], lambda: t.renorm_(p, dim, most))

    def draw_histc():
        t = tensor(dtype=r.choice(FLOATS * 4 + [torch.int64]), special=0.1)
        bins, low, high = maybe(r.choice([1, 2, 4, 5, 8, 0]), 0.9), maybe(r.choice([0.0, -1.0, -2.0])), maybe(r.choice([0.0, 1.0, 2.0, -0.5]))
        if option(bins, 100) not in (0, 1, 2, 4, 8) and option(low, 0.0) == option(high, 0.0):
            bins = 4  # edges that are exact in every type
        if bins == 5:
            low, high = -2.5, 2.5
        return [t, bins, low, high], lambda **o: torch.histc(t, option(bins, 100), option(low, 0.0), option(high, 0.0), **o), t

    both("histc", draw_histc, own=True, times=(40, 10))

    # The norm of a difference.
    for _ in range(16):
        dtype = r.choice(FLOATS)
        a, b = (out.tensor(r.choice([(2, 3), (3,), (), (2, 1), (0, 3)]), dtype) for _ in range(2))
        p = r.choice([2.0, 1.0, 3.0, 0.0])
        case("dist", [a, b, p], lambda: torch.dist(a, b, p))
