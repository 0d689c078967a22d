"""Golden values of random numbers: what PyTorch's CPU generator draws.

Run it where PyTorch does not draw by MKL (see tests/golden/README.md).
"""

import torch

import golden

FLOATS = {"Float": torch.float32, "Double": torch.float64}
INTEGERS = {
    "Byte": torch.uint8,
    "Char": torch.int8,
    "Short": torch.int16,
    "Int": torch.int32,
    "Long": torch.int64,
}
SIZES = (1, 7, 15, 16, 17, 40, 1301)
SEED = 8765


def empty(n, dtype):
    torch.manual_seed(SEED)
    return torch.empty(n, dtype=dtype)


def put(out, name, fill):
    """All of short tensors; of long ones the end, which depends on all before it."""
    for n in SIZES:
        t = fill(n)
        out.put("%s/%d" % (name, n), t[-40:] if n > 40 else t)


def probabilities(n, dtype):
    return (torch.arange(n, dtype=dtype) % 7 + 1) / 8


def per_type(out, name, dtype):
    put(out, name + "/random", lambda n: empty(n, dtype).random_())
    put(out, name + "/clamped", lambda n: empty(n, dtype).random_(3, 101))
    put(out, name + "/geometric", lambda n: empty(n, dtype).geometric_(0.2))
    put(out, name + "/bernoulli", lambda n: empty(n, dtype).bernoulli_(0.3))
    for p, of in FLOATS.items():
        put(
            out,
            name + "/bernoulli" + p,
            lambda n: empty(n, dtype).bernoulli_(probabilities(n, of)),
        )
    torch.manual_seed(SEED)
    out.put(name + "/randperm", torch.randperm(101, dtype=dtype))


def per_float(out, name, dtype):
    put(out, name + "/uniform", lambda n: empty(n, dtype).uniform_(-1.3, 2.7))
    put(out, name + "/normal", lambda n: empty(n, dtype).normal_(0.5, 0.7))
    put(out, name + "/exponential", lambda n: empty(n, dtype).exponential_(1.7))
    put(out, name + "/cauchy", lambda n: empty(n, dtype).cauchy_(0.5, 1.7))
    put(out, name + "/logNormal", lambda n: empty(n, dtype).log_normal_(0.5, 0.7))

    for n in (7, 40):
        means = torch.arange(n, dtype=dtype) / 4 - 3
        stddevs = torch.arange(n, dtype=dtype) / 8
        torch.manual_seed(SEED)
        out.put(name + "/normal_means/%d" % n, torch.normal(means, 0.7))
        torch.manual_seed(SEED)
        out.put(name + "/normal_stddevs/%d" % n, torch.normal(0.5, stddevs))
        torch.manual_seed(SEED)
        out.put(name + "/normal_means_stddevs/%d" % n, torch.normal(means, stddevs))

    alphas = torch.tensor([1e-3, 0.1, 0.5, 0.99, 1, 1.01, 2, 7.5, 100, 1e6], dtype=dtype)
    torch.manual_seed(SEED)
    out.put(name + "/standard_gamma", torch._standard_gamma(alphas.repeat(10)))

    p = (torch.arange(60, dtype=dtype) * 37 % 11).reshape(3, 20) / 16
    for rows, of in (("vector", p[1]), ("matrix", p)):
        for replace, n_sample in (("with", 50), ("without", 15), ("without", 1)):
            torch.manual_seed(SEED)
            out.put(
                name + "/multinomial/%s/%s/%d" % (rows, replace, n_sample),
                torch.multinomial(of, n_sample, replace == "with"),
            )


def sequence(out):
    """Draws of all kinds in turn: each finds the stream where the one before has left it."""
    torch.manual_seed(SEED)
    out.put("sequence/1", torch.empty(5).uniform_())
    out.put("sequence/2", torch.empty(5, dtype=torch.float64).uniform_())
    out.put("sequence/3", torch.empty(3).normal_())
    out.put("sequence/4", torch.empty(2, dtype=torch.float64).normal_())
    out.put("sequence/5", torch.empty(3, dtype=torch.float64).log_normal_())
    out.put("sequence/6", torch.empty(18).normal_())
    out.put("sequence/7", torch.randperm(9))
    out.put("sequence/8", torch.empty(611).bernoulli_(0.5)[-20:])
    out.put("sequence/9", torch.empty(4, dtype=torch.int64).random_(-(2**63), None))
    out.put("sequence/10", torch.empty(3, dtype=torch.float64).normal_())
    # The seed, the position and the words; the rest has another layout.
    out.put("sequence/state", torch.get_rng_state()[:5016])


def main():
    with golden.Writer("random_streams", __file__) as out:
        for seed in (0, 1, 2**32 - 1, 2**33 + 5):
            torch.manual_seed(seed)
            words = torch.empty(330, dtype=torch.int64).random_(-(2**63), None)
            out.put("words64/%d" % seed, words[-30:])
        for name, dtype in INTEGERS.items():
            per_type(out, name, dtype)
        for name, dtype in FLOATS.items():
            per_type(out, name, dtype)
            per_float(out, name, dtype)
        sequence(out)


main()
