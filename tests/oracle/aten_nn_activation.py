"""Golden cases of the activations and their gradients."""

import torch
import torch.nn.functional as F

import aten_cases
from aten_cases import Default, Ints, Scalar, Seed
from aten_layers import Draw, calls, loosely, plain

A = torch.ops.aten
BOTH = ("function", "out")
ALL = ("function", "inplace", "out")


def forward(name, inplace):
    return [name + "_forward", name + "_forward_out"] + ([name + "_forward_"] if inplace else [])


with aten_cases.Writer("nn_activation", __file__) as out:
    d = Draw(out)
    r = out.random

    def unary(name, *numbers, inplace=False, integers=False, call=None, forward_names=True, out_form=True):
        """numbers: (default, values...) each."""
        def draw():
            x = d.any() if r.random() < (0.4 if integers else 0.1) else d.tensor(special=0.1)
            return [x] + [d.optional(*n) for n in numbers]
        forms = ("function",) + (("inplace",) if inplace else ()) + (("out",) if out_form else ())
        calls(out, name, draw, call or getattr(A, name), forms=forms,
              also=forward(name, inplace) if forward_names else ())

    def gradient(name, *numbers, call=None, between=False, also=()):
        """numbers: values of what comes behind the input.  between: the input is an output, in -1 .. 1."""
        def draw():
            x = d.tensor(low=-7, high=8) if between else d.tensor()
            return [d.like(x[1], 0.3), x] + [d.scalar(*n) for n in numbers]
        calls(out, name, draw, call or getattr(A, name), also=also)

    unary("elu", (1, 0.5, 2, 1.5), (1, 2, 0.25), inplace=True)
    unary("selu", inplace=True, forward_names=False, out_form=False)
    unary("hardshrink", (0.5, 1, 0, 0.25, -1))
    unary("softshrink", (0.5, 1, 0, 0.25, -1))
    unary("leaky_relu", (0.01, 0.5, 2, -1), inplace=True)
    unary("softplus", (1, 2, 0.5), (20, 1, 2.5))
    unary("relu", inplace=True, integers=True, forward_names=False)
    unary("relu6", inplace=True, integers=True, forward_names=False, out_form=False)

    def limits():
        x = d.any() if r.random() < 0.4 else d.tensor(special=0.1)
        return [x, d.optional(-1, -2, 0.5, 1, -1.5), d.optional(1, 2, 1.5, 0, 3.75)]
    calls(out, "hardtanh", limits, A.hardtanh, forms=ALL, also=forward("hardtanh", True))

    def cut():
        x = d.any() if r.random() < 0.4 else d.tensor(special=0.1)
        values = (3, 2.5, 7) if x[1].dtype == torch.uint8 else (3, -2.5, 0, 300)
        return [x, d.scalar(0, 1, -1, 0.5, 1.75), d.scalar(*values)]
    calls(out, "threshold", cut, A.threshold, forms=ALL, also=forward("threshold", True))

    def elu_output():
        y = d.tensor()
        g = d.like(y[1], 0.3)
        return [g, d.scalar(1, 0.5, 2, -1), d.scalar(1, 2), y]
    calls(out, "elu_backward", elu_output,
          lambda g, alpha, scale, y: A.elu_backward(g, alpha, scale, 1, True, y))
    gradient("hardshrink_backward", (0.5, 1, 0, 0.25))
    gradient("softshrink_backward", (0.5, 1, 0, 0.25))
    gradient("hardtanh_backward", (-1, -2, 0.5), (1, 2, 1.5))
    gradient("leaky_relu_backward", (0.01, 0.5, 2), call=lambda g, x, s: A.leaky_relu_backward(g, x, s, False))
    gradient("sigmoid_backward", between=True, also=["_sigmoid_backward", "_sigmoid_backward_out"])
    gradient("tanh_backward", between=True, also=["_tanh_backward", "_tanh_backward_out"])

    def softplus_arguments():
        x = d.tensor()
        g = d.like(x[1], 0.3)
        beta, threshold = d.scalar(1, 2, 0.5), d.scalar(20, 1, 2.5)
        return [g, x, beta, threshold, (Default, None) if r.random() < 0.5 else d.like(x[1])]
    calls(out, "softplus_backward", softplus_arguments,
          lambda g, x, beta, threshold, y: A.softplus_backward(g, x, beta, threshold))

    def threshold_arguments():
        x = d.any() if r.random() < 0.3 else d.tensor()
        g = d.tensor(x[1].shape, x[1].dtype)
        return [g, x, d.scalar(0, 1, -1, 0.5), (Default, None) if r.random() < 0.5 else d.scalar(0, 2)]
    calls(out, "threshold_backward", threshold_arguments, lambda g, x, t, v: A.threshold_backward(g, x, t))

    calls(out, "log_sigmoid", lambda: [d.any() if r.random() < 0.1 else d.tensor(special=0.1)], A.log_sigmoid)
    calls(out, "log_sigmoid_forward", lambda: [d.any() if r.random() < 0.1 else d.tensor(special=0.1)],
          A.log_sigmoid_forward)

    def log_sigmoid_arguments():
        x = d.tensor()
        buffer = A.log_sigmoid_forward(x[1])[1]
        return [d.like(x[1]), x, (buffer, buffer)]
    calls(out, "log_sigmoid_backward", log_sigmoid_arguments, A.log_sigmoid_backward)

    for name in ("sigmoid", "tanh"):
        for also in ("_%s", "_%s_forward", "_%s_out", "_%s_forward_out"):
            full = also % name
            calls(out, full.replace("_out", ""), lambda: [d.tensor(special=0.1)], getattr(torch, name),
                  forms=("out" if "_out" in full else "function",), count=4, others=4)

    # Over a dimension.
    def halves():
        shape = list(r.choice([(2,), (4, 3), (3, 4), (2, 2, 2), (1, 6, 2), (0, 2), (2, 0), (), (3,)]))
        dim = r.choice([0, -1, 1, -2, 2])
        return shape, dim

    def glu_arguments():
        shape, dim = halves()
        x = d.any(shape) if r.random() < 0.1 else d.tensor(shape, special=0.05)
        return [x, (Default, -1) if r.random() < 0.3 else plain(dim)]
    calls(out, "glu", glu_arguments, A.glu, count=24, also=forward("glu", False))

    def glu_gradient():
        while True:
            shape, dim = halves()
            x = d.tensor(shape)
            try:
                y = A.glu(x[1], dim)
            except (RuntimeError, IndexError):
                continue
            return [d.tensor(y.shape, x[1].dtype), x, plain(dim)]
    calls(out, "glu_backward", glu_gradient, A.glu_backward, count=24)

    def along():
        x = d.any() if r.random() < 0.1 else d.tensor(special=0.02)
        dims = max(x[1].dim(), 1)
        return x, plain(r.randrange(-dims, dims) if r.random() < 0.9 else dims)

    for name in ("softmax", "log_softmax"):
        def arguments():
            x, dim = along()
            return [x, dim, (Default, None) if r.random() < 0.6 else plain(d.floating())]
        calls(out, name, arguments, getattr(A, name), count=24, also=forward(name, False))

        def back():
            while True:
                x, dim = along()
                if x[1].dtype.is_floating_point and not x[1].isnan().any() and dim[1] < max(x[1].dim(), 1):
                    break
            y = getattr(A, name)(x[1], dim[1])
            return [d.like(y), x, dim, (y, y)]
        calls(out, name + "_backward", back,
              lambda g, x, dim, y: getattr(A, "_" + name + "_backward_data")(g, y, dim, y.dtype), count=24)

    # With a weight.
    def prelu_arguments():
        x = d.any() if r.random() < 0.1 else d.tensor(special=0.05)
        planes = x[1].shape[1] if x[1].dim() > 1 else 1
        shape = r.choice([(1,), (), (planes,), (planes,), (planes,), (3,), (1, 1)])
        return [x, d.tensor(shape, x[1].dtype if r.random() < 0.9 else d.floating())]
    calls(out, "prelu", prelu_arguments, A.prelu, count=24, also=forward("prelu", False))

    def prelu_gradient():
        while True:
            x, w = prelu_arguments()
            if not x[1].dtype.is_floating_point or x[1].isnan().any() or x[1].isinf().any():
                continue
            mask = r.choice([None, [1, 1], [1, 0], [0, 1]])
            return [d.tensor(x[1].shape, x[1].dtype), x, w, (Default, [1, 1]) if mask is None else (Ints(*mask), mask)]

    def prelu_back(g, x, w, mask):
        x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
        grads = torch.autograd.grad(F.prelu(x, w), [x, w], g)
        return tuple(one if wanted else None for one, wanted in zip(grads, mask))
    calls(out, "prelu_backward", prelu_gradient, prelu_back, forms=("function",), count=24, within=loosely)

    def prelu_full():
        g, x, w, _ = prelu_gradient()
        return [g, x, w, (Default, [1, 1])]
    calls(out, "prelu_backward", prelu_full, prelu_back, forms=("out",), within=loosely)

    # Random slopes.
    def rrelu_numbers(training=None):
        training = r.random() < 0.6 if training is None else training
        seed = r.randrange(1000)
        lower, upper = d.optional(0.125, 0.1, 0.25), d.optional(1 / 3, 0.5, 0.75)
        return [lower, upper, plain(training), (Seed(seed), seed)]

    def seeded(call):
        def run(*arguments):
            return call(*arguments[:-1], torch.Generator().manual_seed(arguments[-1]))
        return run

    def noisy():
        x = d.any() if r.random() < 0.05 else d.tensor(special=0.05)
        shape = x[1].shape if r.random() < 0.9 else (7,)
        return [x, d.tensor(shape, x[1].dtype)] + rrelu_numbers(False if x[1].dtype == torch.float16 else None)
    calls(out, "rrelu_with_noise", noisy, seeded(A.rrelu_with_noise), forms=ALL,
          also=forward("rrelu_with_noise", True))
    calls(out, "rrelu", lambda: [d.tensor(dtype=r.choice([torch.float32, torch.float64]))] + rrelu_numbers(), seeded(A.rrelu),
          forms=("function", "inplace"))

    def noise_gradient():
        x = d.tensor()
        noise = d.tensor(x[1].shape, x[1].dtype, low=1, high=7)
        return [d.like(x[1]), x, noise] + [d.scalar(0.125, 0.25), d.scalar(0.5, 0.25), plain(r.random() < 0.6)]
    calls(out, "rrelu_with_noise_backward", noise_gradient,
          lambda g, x, n, lower, upper, training:
          A.rrelu_with_noise_backward(g, x, n, lower, upper, training, False))
    x, w = torch.tensor(-1.5, dtype=torch.float64), torch.tensor([0.25], dtype=torch.float64)
    out.case("prelu", [x, w], lambda: torch.prelu(x, w))
