"""Golden cases of src/ops/aten/random.ops: what PyTorch draws from a seed.

Run it where PyTorch does not draw by MKL (see tests/golden/README.md), as it does elsewhere.  Draws that are not
PyTorch's are tested in tests/ATen/ops/random.c."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, Default, Double, Ints, Seed

SHAPES = [(5,), (2, 3), (40,), (3, 1, 7), (17,), (0,), (), (91,)]
HALVES = [torch.float16, torch.bfloat16]


class Cases:
    def __init__(self, out):
        self.out, self.r = out, out.random

    def __call__(self, name, given, call, within=None):
        """call takes a generator."""
        seed = self.r.randrange(1, 1000)

        def seeded():
            generator = torch.Generator()
            generator.manual_seed(seed)
            return call(generator)

        self.out.case(name, [Ints(*g) if isinstance(g, torch.Size) else Seed(seed) if g is Seed else g for g in given],
                      seeded, within)

    def shape(self):
        return self.r.choice(SHAPES)

    def zeros(self, types):
        return torch.zeros(self.shape(), dtype=self.r.choice(types))

    def option(self, values, default):
        value = self.r.choice(values)
        return (Default, default) if self.r.random() < 0.3 else (Double(value), value)


def above(parameter):
    """Newer versions of PyTorch check it."""
    if parameter <= 0:
        raise ValueError("not above 0")
    return parameter


def cases_fills(c):
    r = c.r
    for _ in range(24):
        t = c.zeros(INTEGERS + FLOATS + HALVES + [torch.bool])
        c("random_", [t, Seed], lambda g: t.clone().random_(generator=g))
        t = c.zeros(INTEGERS + FLOATS + [torch.bool])
        to = r.choice([1, 2, 100, 127, 256, 2**31, 1000, 0, -3])
        c("random.to_", [t, to, Seed], lambda g: t.clone().random_(to, generator=g))
        t = c.zeros(INTEGERS + FLOATS)
        start, end = r.choice([(0, 5), (-3, 4), (5, 5), (100, 200), (-70000, 1), (2, 1), (-2**40, 2**41)])
        c("random.between_", [t, start, end, Seed], lambda g: t.clone().random_(start, end, generator=g))
        t = c.zeros(FLOATS + HALVES)
        a, b = c.option([0, -2, 0.5], 0), c.option([1, 0.5, 3, -3, 65504, 65505, 1e39], 1)
        c("uniform_", [t, a[0], b[0], Seed], lambda g: t.clone().uniform_(a[1], b[1], generator=g))
        t = c.zeros(FLOATS)
        a, b = c.option([0, -2, 0.5], 0), c.option([1, 0.5, 3, -1, 0], 1)
        c("normal_", [t, a[0], b[0], Seed], lambda g: t.clone().normal_(a[1], b[1], generator=g), 1e-6)
        a, b = c.option([0, -2, 0.5], 1), c.option([1, 0.5, -1], 2)
        c("log_normal_", [t, a[0], b[0], Seed], lambda g: t.clone().log_normal_(a[1], b[1], generator=g), 1e-5)
        a = c.option([2, 0.5, 0, -1], 1)
        c("exponential_", [t, a[0], Seed], lambda g: t.clone().exponential_(above(a[1]), generator=g), 1e-6)
        a, b = c.option([0, -2, 0.5], 0), c.option([1, 0.5, -1], 1)
        c("cauchy_", [t, a[0], b[0], Seed], lambda g: t.clone().cauchy_(a[1], above(b[1]), generator=g), 1e-5)
        t = c.zeros(INTEGERS[2:] + FLOATS)
        p = r.choice([0.25, 0.5, 0.9, 0.05, 0, 1, 1.5])
        c("geometric_", [t, float(p), Seed], lambda g: t.clone().geometric_(p, generator=g))
        t = c.zeros(INTEGERS + FLOATS + HALVES + [torch.bool])
        p = c.option([0.25, 0.9, 0.0, 1.0, -0.1], 0.5)
        c("bernoulli.p_", [t, p[0], Seed], lambda g: t.clone().bernoulli_(p[1], generator=g))
        c("bernoulli.p", [t, Double(0.4), Seed], lambda g: torch.empty_like(t).bernoulli_(0.4, generator=g))
        p = torch.rand(t.shape, dtype=r.choice(FLOATS))
        c("bernoulli.tensor_", [t, p, Seed], lambda g: t.clone().bernoulli_(p, generator=g))
        c("bernoulli.tensor", [t, p, Seed], lambda g: torch.empty_like(t).bernoulli_(p, generator=g))
        p = torch.rand(c.shape(), dtype=r.choice(FLOATS)) + (r.random() < 0.1)
        c("bernoulli", [p, Seed], lambda g: torch.bernoulli(p, generator=g))
        c("bernoulli_out", [torch.empty(0, dtype=torch.int32), p, Seed],
          lambda g: torch.bernoulli(p, generator=g).to(torch.int32))
    for dtype in INTEGERS:
        t = torch.zeros(3, dtype=dtype)
        c("normal_", [t, Default, Default, Seed], lambda g: t.clone().normal_(generator=g))
        c("uniform_", [t, Default, Default, Seed], lambda g: t.clone().uniform_(generator=g))


def cases_new(c):
    r = c.r
    for _ in range(16):
        sizes = torch.Size(c.shape())
        dtype = r.choice([Default] + FLOATS)
        given = {} if dtype is Default else {"dtype": dtype}
        for name in ["rand", "randn"]:
            function = getattr(torch, name)
            c(name, [sizes, Seed, dtype], lambda g: function(sizes, generator=g, **given), 1e-6)
            target = torch.empty(0, dtype=r.choice(FLOATS))
            c(name + "_out", [target, sizes, Seed, Default],
              lambda g: function(sizes, generator=g, out=target.clone()), 1e-6)
            t = torch.zeros(sizes, dtype=r.choice(FLOATS))
            fill = (lambda s, g: s.uniform_(generator=g)) if name == "rand" else (lambda s, g: s.normal_(generator=g))
            c(name + "_like", [t, dtype, Seed], lambda g: fill(torch.empty_like(t, **given), g), 1e-6)
        n = r.choice([0, 1, 2, 5, 10, 100, 30, -1])
        dtype = r.choice([Default, torch.int64, torch.int32, torch.float32, torch.float16, torch.uint8])
        given = {} if dtype is Default else {"dtype": dtype}
        c("randperm", [n, Seed, dtype], lambda g: torch.randperm(n, generator=g, **given))
        c("randperm_out", [torch.empty(0, dtype=torch.int64), n, Seed, Default], lambda g: torch.randperm(n, generator=g))
    for _ in range(14):
        shape, dtype = c.shape(), r.choice(FLOATS)
        mean = c.out.tensor(shape, dtype)
        std = c.out.tensor(shape, dtype, 0, 20)
        if r.random() < 0.1 and std.numel() > 0:
            std.view(-1)[0] = -1
        number = c.option([0.5, 2, 3], 1)
        c("normal.mean", [mean, number[0], Seed], lambda g: torch.normal(mean, number[1], generator=g), 1e-5)
        c("normal.std", [Double(0.5), std, Seed], lambda g: torch.normal(0.5, std, generator=g), 1e-5)
        c("normal.both", [mean, std, Seed], lambda g: torch.normal(mean, std, generator=g), 1e-5)
        target = torch.empty(0, dtype=dtype)
        c("normal.mean_out", [target, mean, number[0], Seed], lambda g: torch.normal(mean, number[1], generator=g), 1e-5)
        c("normal.std_out", [target, Double(0.5), std, Seed], lambda g: torch.normal(0.5, std, generator=g), 1e-5)
        c("normal.both_out", [target, mean, std, Seed], lambda g: torch.normal(mean, std, generator=g), 1e-5)
        rates = torch.rand(shape, dtype=dtype) * r.choice([1, 8, 100])
        if r.random() < 0.1 and std.numel() > 0:
            rates.view(-1)[0] = -1
        c("poisson", [rates, Seed], lambda g: torch.poisson(rates, generator=g))
        a = torch.rand(shape, dtype=dtype) * r.choice([1, 8, 100]) + 0.01
        c("_standard_gamma", [a, Seed], lambda g: torch._standard_gamma(a, generator=g), 1e-5)
        c("_standard_gamma_out", [target, a, Seed], lambda g: torch._standard_gamma(a, generator=g), 1e-5)
        p = torch.rand(r.choice([(4,), (3, 5), (1, 9), (2, 1), (0, 3), (2, 3, 4)]), dtype=dtype) + 0.01
        samples = r.choice([1, 2, 3, 0, 9])
        c("multinomial", [p, samples, True, Seed], lambda g: torch.multinomial(p, samples, True, generator=g))
        c("multinomial", [p, samples, Default, Seed], lambda g: torch.multinomial(p, samples, False, generator=g))
        c("multinomial_out", [torch.empty(0, dtype=torch.int64), p, samples, True, Seed],
          lambda g: torch.multinomial(p, samples, True, generator=g))


def density_ratio(a, x):
    """How a gamma number moves with its parameter: by differences of the distribution function."""
    a, x = a.double(), x.double()
    f = lambda d: torch.special.gammainc(a + d, x)
    h = 2e-3 * a
    slope = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)
    return -slope / torch.exp((a - 1) * x.log() - x - torch.lgamma(a))


def cases_gradients(c):
    torch.manual_seed(3)
    for dtype in FLOATS:
        for scale in [0.3, 1, 3, 20, 200]:
            a = (torch.rand(12, dtype=dtype) + 0.1) * scale
            x = torch._standard_gamma(a)
            c("_standard_gamma_grad", [a, x], lambda g: density_ratio(a, x).to(dtype), 2e-6)
        x = torch.rand(10, dtype=dtype) * 0.9 + 0.05
        alpha, more = torch.rand(10, dtype=dtype) * 5 + 0.1, torch.rand(10, dtype=dtype) * 5 + 0.1
        c("_dirichlet_grad", [x, alpha, alpha + more], lambda g: torch._dirichlet_grad(x, alpha, alpha + more), 2e-2)
        c("_dirichlet_grad_out", [torch.empty(0, dtype=dtype), x, alpha, alpha + more],
          lambda g: torch._dirichlet_grad(x, alpha, alpha + more), 2e-2)
    a = torch.tensor([1.0, 2.0])
    c("_standard_gamma_grad", [a, a.double()], lambda g: torch._standard_gamma_grad(a, None))
    c("_standard_gamma", [a.int(), Seed], lambda g: torch._standard_gamma(a.int(), generator=g))


with aten_cases.Writer("random", __file__) as out:
    c = Cases(out)
    cases_fills(c)
    cases_new(c)
    cases_gradients(c)
