"""Golden cases of convolutions: random images, weights and groups, forward, backward and twice
backward, with what PyTorch returns for them, or that it raises."""

import torch

import aten_cases
from aten_cases import FLOATS, SMALL_FLOATS, Default, Ints
from aten_images import Images, raised

aten = torch.ops.aten
TYPES = FLOATS * 4 + SMALL_FLOATS
# Sums of some dozens of products, each rounded.
WITHIN = {torch.float64: 2.0**-44, torch.float32: 2.0**-17, torch.float16: 2.0**-6, torch.bfloat16: 2.0**-3}


class Draw:
    """Operands of one convolution."""

    def __init__(self, out, axes, transposed, groups=None, dtype=None, dilated=True):
        r = out.random
        self.axes, self.transposed = axes, transposed
        self.dtype = dtype or r.choice(TYPES)
        self.groups = groups or r.choice([1, 1, 2, 3, 4])
        planes, outputs = self.groups * r.choice([1, 1, 2]), self.groups * r.choice([1, 1, 2])
        self.kernel = [r.randrange(1, 4 if axes < 3 else 3) for _ in range(axes)]
        self.stride = [r.randrange(1, 3) for _ in range(axes)]
        self.padding = [r.randrange(0, 2) for _ in range(axes)]
        self.dilation = [r.randrange(1, 3) if dilated else 1 for _ in range(axes)]
        self.adjust = [r.randrange(0, max(s, d)) if transposed else 0
                       for s, d in zip(self.stride, self.dilation)]
        low = 3 if not transposed else 1
        size = [r.randrange(low, low + (6, 3, 2)[axes - 1]) for _ in range(axes)]
        batch = [] if r.random() < 0.15 else [r.choice([1, 2, 2, 0] if r.random() < 0.4 else [1, 2])]
        self.x = out.tensor(batch + [planes] + size, self.dtype, -12, 13)
        weight = [planes, outputs // self.groups] if transposed else [outputs, planes // self.groups]
        self.weight = out.tensor(weight + self.kernel, self.dtype, -8, 9)
        self.bias = out.tensor([outputs], self.dtype) if r.random() < 0.6 else None

    def spoil(self, r, out):
        """Something does not fit."""
        what = r.randrange(8)
        if what == 0:
            self.weight = self.weight[:, :, None]
        elif what == 1:
            self.bias = out.tensor([7], self.dtype)
        elif what == 2:
            self.stride = [0] * self.axes
        elif what == 3:
            self.padding = [-1] * self.axes
        elif what == 4 and self.x.numel():
            self.weight = self.weight.to(torch.float64 if self.dtype != torch.float64 else torch.float32)
        elif what == 5:
            self.groups += 7
        elif what == 6:
            self.x = self.x[None, None]
        else:
            self.x = torch.cat([self.x, self.x], -self.axes - 1)

    def how(self):
        return [self.stride, self.padding, self.dilation, self.transposed, self.adjust, self.groups]

    def given(self):
        return [Ints(*n) if isinstance(n, list) else n for n in self.how()]

    def call(self):
        """A single image is a batch of one."""
        alone = self.x.dim() == self.axes + 1
        y = aten.convolution(self.x[None] if alone else self.x, self.weight, self.bias, *self.how())
        return y[0] if alone else y

    def back(self, grad, mask=(True, True, True)):
        alone = self.x.dim() == self.axes + 1
        x, g = (self.x[None], grad[None]) if alone else (self.x, grad)
        outputs = self.weight.shape[1] * self.groups if self.transposed else self.weight.shape[0]
        dx, dw, db = aten.convolution_backward(g, x, self.weight, [outputs], *self.how(), [True] * 3)
        results = dx[0] if alone else dx, dw, db
        return tuple(t if m else None for t, m in zip(results, mask))


def option(r, numbers, default):
    if all(n == default for n in numbers) and r.random() < 0.6:
        return Default
    if all(n == 0 for n in numbers):
        return Default
    return Ints(numbers[0]) if len(set(numbers)) == 1 and r.random() < 0.3 else Ints(*numbers)


def masks(r):
    return r.choice([[1, 1, 1], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])


def masked(results, mask):
    return tuple(t if m else None for t, m in zip(results, mask))


def is_ours(d):
    """A stride of 0 cannot be told to the options; and we make no images without elements."""
    y = raised(d.call)
    return d.stride == [0] * d.axes or (y is not None and 0 in y.shape[-d.axes:])


def refuse():
    raise ValueError("kernel_size is not that of weight")


with aten_cases.Writer("convolution", __file__) as out:
    r = out.random
    for transposed in (False, True):
        for axes in (1, 2, 3):
            name = "conv%s%dd" % ("_transpose" if transposed else "", axes)
            plain = getattr(aten, name)
            for i in range(26):
                d = Draw(out, axes, transposed, groups=r.choice([None, 6]) if i % 5 == 0 else None)
                if i > 19:
                    d.spoil(r, out)
                if is_ours(d):
                    continue
                within = WITHIN[d.dtype]
                bias = d.bias if d.bias is not None else r.choice([None, Default])
                options = [option(r, d.stride, 1), option(r, d.padding, 0)]
                last = [option(r, d.dilation, 1)]
                groups = Default if d.groups == 1 and r.random() < 0.5 else d.groups
                if transposed:
                    given = options + [option(r, d.adjust, 0), groups] + last
                    call = lambda: plain(d.x, d.weight, d.bias, d.stride, d.padding, d.adjust, d.groups, d.dilation)
                else:
                    given = options + last + [groups]
                    call = lambda: plain(d.x, d.weight, d.bias, d.stride, d.padding, d.dilation, d.groups)
                out.case(name, [d.x, d.weight, bias] + given, call, within)

    for i in range(90):
        d = Draw(out, r.choice([1, 2, 2, 3]), r.random() < 0.5)
        if i % 9 == 8:
            d.spoil(r, out)
        within = WITHIN[d.dtype]
        y = raised(d.call)
        if y is not None and is_ours(d):
            continue
        if i < 24 or y is None:
            out.case("convolution", [d.x, d.weight, d.bias] + d.given(), d.call, within)
            if i < 12 and y is not None:
                flags = [True, False, True]
                out.case("_convolution", [d.x, d.weight, d.bias] + d.given() + flags, d.call, within)
                if d.groups == 1:
                    out.case("_convolution_nogroup", [d.x, d.weight, d.bias] + d.given()[:-1], d.call, within)
            continue
        g = out.tensor(y.shape if r.random() < 0.93 else list(y.shape[:-1]) + [9], d.dtype)
        mask = masks(r)
        sizes = Ints(y.shape[-d.axes - 1])
        if i % 2 == 0:
            out.case("convolution_backward", [g, d.x, d.weight, sizes] + d.given() + [Ints(*mask)],
                     lambda: d.back(g, mask), within)
            continue
        if d.x.numel() == 0 or d.x.dim() == d.axes + 1 or tuple(g.shape) != tuple(y.shape) or d.dtype in SMALL_FLOATS:
            continue
        ggI, ggW = out.tensor(d.x.shape, d.dtype), out.tensor(d.weight.shape, d.dtype, -8, 9)
        ggb = out.tensor([y.shape[1]], d.dtype)
        ggI, ggW, ggb = [t if r.random() < 0.75 else None for t in (ggI, ggW, ggb)]

        def call():
            return tuple(aten._convolution_double_backward(
                ggI, ggW, ggb, g, d.weight, d.x, *d.how(), [bool(m) for m in mask]))

        out.case("_convolution_double_backward",
                 [ggI, ggW, ggb, g, d.weight, d.x] + d.given() + [False, True, False, Ints(*mask)],
                 lambda: masked(call(), mask), within)

    for i in range(30):
        dtype = r.choice(FLOATS * 2 + SMALL_FLOATS)
        steps, batch, planes, outputs, size = [r.randrange(1, 5) for _ in range(5)]
        if i % 6 == 5:
            batch, steps = r.choice([(0, 3), (2, 0), (1, 1)])
        pad = r.randrange(0, 3)
        x = out.tensor([steps, batch, planes], dtype, -12, 13)
        weight = out.tensor([size, planes + (r.random() < 0.05), outputs], dtype, -8, 9)
        bias = out.tensor([outputs + (r.random() < 0.05)], dtype)
        if steps == 0 and 2 * pad + 1 <= size:
            continue
        call = lambda: aten.conv_tbc(x, weight, bias, pad)
        y = raised(call)
        if y is None and steps + 2 * pad - size + 1 == 0:
            continue
        out.case("conv_tbc", [x, weight, bias, Default if pad == 0 else pad], call, WITHIN[dtype])
        if y is not None and x.numel():
            g = out.tensor(y.shape if r.random() < 0.93 else x.shape, dtype)
            if g.numel() == 0:
                continue
            out.case("conv_tbc_backward", [g, x, weight, bias, pad],
                     lambda: tuple(aten.conv_tbc_backward(g, x, weight, bias, pad)), WITHIN[dtype])

    for name, axes, transposed, dilated in (
            ("thnn_conv2d", 2, False, False), ("thnn_conv3d", 3, False, False),
            ("thnn_conv_dilated2d", 2, False, True), ("thnn_conv_dilated3d", 3, False, True),
            ("thnn_conv_transpose2d", 2, True, True), ("thnn_conv_transpose3d", 3, True, True)):
        for i in range(18 if transposed else 12):
            d = Draw(out, axes, transposed, groups=1, dilated=dilated)
            if i % 4 == 3:
                d.spoil(r, out)
                d.groups = 1
            if is_ours(d):
                continue
            within = WITHIN[d.dtype]
            y = raised(d.call)
            numbers = [d.stride, d.padding] + ([d.adjust] if transposed else []) + ([d.dilation] if dilated else [])
            whole = [Ints(*n) for n in numbers]
            options = [option(r, n, 0 if k in (1, 2 if transposed else 9) else 1) for k, n in enumerate(numbers)]
            weight = d.weight
            if weight.dim() == axes + 2 and r.random() < 0.15:
                weight = weight.reshape(weight.shape[0], -1)
            kernel = Ints(*d.kernel)
            if y is not None and r.random() < 0.07:
                out.case(name, [d.x, d.weight, Ints(*[n + 1 for n in kernel]), d.bias] + options, refuse)
            bias = d.bias if d.bias is not None else r.choice([None, Default])
            out.case(name, [d.x, weight, kernel, bias] + options, d.call, within)
            if y is None:
                continue
            if i % 2 == 0:
                out.case(name + "_out", [torch.zeros(r.choice([(0,), tuple(y.shape)]), dtype=d.dtype),
                                         d.x, weight, kernel, bias] + options, d.call, within)
            none = torch.empty(0, dtype=d.dtype)
            forward = lambda: (d.call(), none, none)
            out.case(name + "_forward", [d.x, weight, kernel, d.bias] + whole, forward, within)
            if i % 3 == 0:
                out.case(name + "_forward_out", [none, torch.zeros((2,), dtype=d.dtype), none,
                                                 d.x, weight, kernel, d.bias] + whole, forward, within)
            g = out.tensor(y.shape, d.dtype)
            mask = masks(r)
            arguments = [g, d.x, weight, kernel] + whole + [none, none, Ints(*mask)]

            def back(mask=mask):
                dx, dw, db = d.back(g)
                return masked((dx, dw.reshape(weight.shape), db), mask)

            out.case(name + "_backward", arguments, back, within)
            results = [torch.zeros_like(t) if m else None for t, m in zip(back([1, 1, 1]), mask)]
            if i % 2 == 0:
                out.case(name + "_backward_out", results + arguments[:-1] + [Default], back, within)
