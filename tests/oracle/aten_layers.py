"""What the scripts of layers and losses share: random operands, and the calls of an operation's forms.

An argument is a pair: what the case says, and what PyTorch is given."""

import torch

from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Ints, Scalar

SHAPES = [(), (1,), (5,), (2, 3), (4, 1), (3, 2, 2), (2, 1, 3, 2), (1, 2, 1, 3, 2), (0,), (2, 0), (0, 3)]
SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0]


class Draw:
    def __init__(self, out):
        self.out, self.random = out, out.random

    def floating(self):
        return self.random.choice(FLOATS * 3 + SMALL_FLOATS)

    def shape(self):
        return self.random.choice(SHAPES)

    def tensor(self, shape=None, dtype=None, special=0.0, low=-20, high=21):
        """A pair; an element in 1 / special is a special one."""
        shape = self.shape() if shape is None else shape
        t = self.out.tensor(shape, dtype or self.floating(), low, high)
        flat = t.view(-1)
        for i in range(t.numel()):
            if t.dtype.is_floating_point and self.random.random() < special:
                flat[i] = self.random.choice(SPECIAL)
        return t, t

    def any(self, shape=None):
        """What is not floating, and not empty: of nothing, PyTorch computes anything."""
        while True:
            pair = self.tensor(shape, self.random.choice(INTEGERS + [torch.bool]))
            if shape is not None or pair[1].numel() > 0:
                return pair

    def scalar(self, *values):
        value = self.random.choice(values)
        return Scalar(value), value

    def optional(self, default, *values):
        """A Scalar that has a default."""
        return (Default, default) if self.random.random() < 0.4 else self.scalar(*values)

    def like(self, t, chance=0.0):
        """A gradient for t; by chance of a shape that broadcasts to it, or of another type."""
        shape = list(t.shape)
        if self.random.random() < chance:
            shape = shape[self.random.randrange(len(shape) + 1):]
        dtype = self.floating() if self.random.random() < chance else t.dtype
        return self.tensor(shape, dtype)


def loosely(arguments):
    """How far results of long sums may be away, by the coarsest type there is."""
    units = {torch.float64: 2.0**-45, torch.float32: 2.0**-19, torch.float16: 2.0**-9, torch.bfloat16: 2.0**-6}
    return max(units.get(a.dtype, 0.0) for a in arguments if isinstance(a, torch.Tensor))


def plain(value):
    return value, value


def outputs(r, results):
    """Tensors to write to: of any shape, mostly of a type that takes the result."""
    out = []
    for one in results:
        dtype = one.dtype if r.random() < 0.6 else r.choice(FLOATS + SMALL_FLOATS + [torch.int64])
        shape = r.choice([(0,), (2, 2), tuple(one.shape)])
        out.append(torch.zeros(shape, dtype=dtype))
    return out


def delivered(results, outs):
    for one, out in zip(results, outs):
        if not torch.can_cast(one.dtype, out.dtype):
            raise RuntimeError("cannot be converted")
    made = tuple(one.to(out.dtype) for one, out in zip(results, outs))
    return made[0] if len(made) == 1 else made


def several(value):
    return value if isinstance(value, tuple) else (value,)


def calls(out, name, draw, call, forms=("function", "out"), count=16, others=6, within=None, also=()):
    """Cases of the forms of an operation; draw makes its arguments, call what PyTorch returns for them.
    also: other names, of the form that their ending says, a few cases each."""
    wanted = [(name + {"function": "", "inplace": "_", "out": "_out"}[form], form) for form in forms]
    todo = [(n, form, count if form == "function" else others) for n, form in wanted]
    todo += [(n, "out" if n.endswith("_out") else "inplace" if n.endswith("_") else "function", 3) for n in also]
    for full, form, number in todo:
        good = 0
        for i in range(number + 40):
            if i >= number and good > 0:
                break
            arguments = draw()
            given = [a for a, _ in arguments]
            values = [b.clone() if isinstance(b, torch.Tensor) else b for _, b in arguments]
            problem = results = None
            try:
                results = several(call(*values))
            except Exception as raised:
                problem = raised
                if not isinstance(raised, (RuntimeError, IndexError, ValueError, NotImplementedError, TypeError)):
                    raise
            if form == "out":
                outs = outputs(out.random, results or [torch.empty(0)] * 1)
                given = outs + given

            def expected(results=results):
                if problem:
                    raise problem
                if form == "out":
                    return delivered(results, outs)
                if form == "inplace":
                    first = arguments[0][1]
                    if not torch.can_cast(results[0].dtype, first.dtype) or results[0].shape != first.shape:
                        raise RuntimeError("cannot be converted")
                    return results[0].to(first.dtype)
                results = several(call(*[b for _, b in arguments]))  # of operands that may want gradients now
                return results if len(results) > 1 else results[0]

            if form == "out" and problem:
                continue  # how many results there are is not known
            before = out.errors
            out.case(full, given, expected, within(given) if callable(within) else within)
            good += out.errors == before
        if good == 0:
            raise SystemExit("no case of %s succeeds" % full)
