"""Golden cases of the losses and their gradients."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default
from aten_layers import Draw, calls, plain

A = torch.ops.aten
NONE, MEAN, SUM = 0, 1, 2


def reduction(average, reduce):
    return (MEAN if average else SUM) if reduce else NONE


with aten_cases.Writer("nn_loss", __file__) as out:
    d = Draw(out)
    r = out.random

    def truth():
        return (Default, True) if r.random() < 0.4 else plain(r.random() < 0.5)

    def how():
        return [truth(), truth()]

    def names(name):
        return [name + "_forward", name + "_forward_out"]

    def cotangent(self, y, chance=0.3):
        """A gradient for the loss y, at times of fewer dimensions or of more elements than it needs."""
        shape = list(y.shape)
        if shape and r.random() < chance:
            shape = shape[r.randrange(len(shape) + 1):]
        elif not shape and r.random() < chance:
            shape = [1]
        return d.tensor(shape, self.dtype)

    # --- element by element ----------------------------------------------------------------------

    PROBABILITIES = ("binary_cross_entropy", "kl_div")

    def target_for(name, x, same):
        shape = list(x.shape)
        if not same and shape and r.random() < 0.2:
            shape = shape[r.randrange(len(shape) + 1):]
        dtype = x.dtype if same or r.random() < 0.8 else r.choice(FLOATS + SMALL_FLOATS + INTEGERS[2:])
        if name in PROBABILITIES:
            t = d.tensor(shape, dtype, low=0, high=9)[0]
            t = t.clamp(0, 1)
            return t, t
        if name in ("soft_margin_loss", "hinge_embedding_loss"):
            t = (d.tensor(shape, torch.float64, low=0, high=2)[0] * 16 - 1).to(dtype)
            return t, t
        return d.tensor(shape, dtype)

    def pair(name, same):
        """self and target."""
        if r.random() < 0.06:
            x = d.any()
            return [x, (x[1], x[1])]
        x = d.tensor(low=0, high=9) if name == "binary_cross_entropy" and r.random() < 0.95 else d.tensor()
        return [x, target_for(name, x[1], same)]

    def pointwise(name, weighted=False, margin=False):
        op = getattr(A, name)
        same = weighted

        def arguments():
            while True:
                both = pair(name, same)
                # Of integers, and of what is not of one type, PyTorch computes some losses; not here.
                if both[0][1].dtype.is_floating_point or name not in ("l1_loss", "hinge_embedding_loss"):
                    break
            extra = []
            if weighted:
                shape = list(both[0][1].shape)
                weight = d.tensor(shape[r.randrange(len(shape) + 1):], both[0][1].dtype)
                extra = [(Default, None) if r.random() < 0.5 else weight]
            if margin:
                value = r.choice([0.5, 2.0, 1.5])
                extra = [(Default, 1.0) if r.random() < 0.5 else plain(value)]
            return both + extra + how()

        def loss(x, t, *rest):
            return op(x, t, *rest[:-2], reduction=reduction(*rest[-2:]))

        if margin:
            calls(out, name, arguments, loss, forms=("function",), count=32)
            return
        calls(out, name, arguments, loss, count=28, others=8, also=names(name))

        def gradient():
            while True:
                x, t, *rest = arguments()
                if not x[1].dtype.is_floating_point or t[1].dtype != x[1].dtype:
                    continue
                if name == "binary_cross_entropy":
                    low = 1 if x[1].dtype in SMALL_FLOATS else 0  # there, PyTorch divides 0 by 0
                    x = d.tensor(x[1].shape, x[1].dtype, low=low, high=9 - low)
                break
            y = loss(x[1], t[1], *[b for _, b in rest])
            return [cotangent(x[1], y), x, t] + rest

        def back(g, x, t, *rest):
            x = x.clone().requires_grad_()
            y = loss(x, t, *rest)
            return torch.autograd.grad(y, x, g.reshape([]) if y.dim() == 0 else g.expand(y.shape))[0]
        calls(out, name + "_backward", gradient, back, count=24, others=8)

    pointwise("mse_loss")
    pointwise("l1_loss")
    pointwise("smooth_l1_loss")
    pointwise("soft_margin_loss")
    pointwise("kl_div")
    pointwise("binary_cross_entropy", weighted=True)
    pointwise("hinge_embedding_loss", margin=True)

    # --- classes ---------------------------------------------------------------------------------

    def batch(floats=FLOATS * 2 + SMALL_FLOATS, empty=True, dims=(1, 2, 2, 2)):
        """An input, how many classes it has, and the shape of its targets."""
        classes = r.choice([1, 2, 3, 5])
        if r.choice(dims) == 1:
            return d.tensor((classes,), r.choice(floats)), classes, r.choice([(), (1,)])
        count = r.choice([1, 2, 4] + ([0] if empty else []))
        return d.tensor((count, classes), r.choice(floats)), classes, (count,)

    def chosen(shape, classes, low=0, dtype=torch.int64, wrong=0.05):
        t = torch.tensor([r.randrange(low, classes) for _ in range(torch.Size(shape).numel())], dtype=dtype)
        if t.numel() and r.random() < wrong:
            t[r.randrange(t.numel())] = classes
        t = t.reshape(shape)
        return t, t

    def weights(x, classes):
        if r.random() < 0.4:
            return Default, None
        dtype = x.dtype if r.random() < 0.95 else torch.float64
        return d.tensor((classes if r.random() < 0.97 else classes + 1,), dtype, low=1, high=9)

    def nll(name, image):
        def arguments(empty=True):
            if image:
                classes = r.choice([2, 3])
                shape = (r.choice([1, 2] + ([0] if empty else [])), r.choice([1, 2]), r.choice([1, 3]))
                x = d.tensor((shape[0], classes) + shape[1:])
            else:
                x, classes, shape = batch(empty=empty)
            dtype = r.choice([torch.int64] * 8 + [torch.int64 if image else torch.uint8, torch.int32])
            ignore = (Default, -100) if r.random() < 0.5 else plain(r.randrange(classes))
            return [x, chosen(shape, classes, dtype=dtype), weights(x[1], classes), truth(), ignore, truth()]

        def loss(x, t, w, average, ignore, reduce):
            return getattr(A, name)(x, t, w, reduction(average, reduce), ignore)

        def both(x, t, w, average, ignore, reduce):
            return getattr(A, name + "_forward")(x, t, w, reduction(average, reduce), ignore)
        calls(out, name, arguments, loss, count=40, others=10)
        calls(out, name + "_forward", arguments, both, count=24, others=8)

        def gradient():
            while True:
                values = arguments()
                x, t = values[:2]
                if x[1].dim() == 1 and t[1].dim() == 1:
                    continue  # PyTorch has a loss, and no gradient
                try:
                    y, total = both(*[b for _, b in values])
                except (RuntimeError, IndexError):
                    continue
                return [d.tensor(y.shape, x[1].dtype)] + values + [(total, total)]

        def back(g, x, t, w, average, ignore, reduce, total):
            return getattr(A, name + "_backward")(g, x, t, w, reduction(average, reduce), ignore, total)
        calls(out, name + "_backward", gradient, back, count=32, others=8)

    nll("nll_loss", False)
    nll("nll_loss2d", True)

    # Without a batch, PyTorch returns what was in the memory before.
    def filled(values):
        average, reduce = values[-2][1], values[-1][1]
        return values[0][1].numel() > 0 or not reduce

    def multi_margin():
        while True:
            x, classes, shape = batch(FLOATS)
            values = [x, chosen(shape, classes), d.optional(1, 1, 2, 2.0, 3 if r.random() < 0.1 else 2),
                      d.optional(1, 0.5, 2), weights(x[1], classes)] + how()
            if filled(values):
                return values

    def multi_margin_loss(x, t, p, margin, w, average, reduce):
        return A.multi_margin_loss(x, t, p, margin, w, reduction(average, reduce))
    calls(out, "multi_margin_loss", multi_margin, multi_margin_loss, count=40, others=10,
          also=names("multi_margin_loss"))

    def drawn(arguments, loss):
        """Arguments of which there is a loss, and a gradient for it."""
        while True:
            values = arguments()
            try:
                y = loss(*[b for _, b in values])
            except (RuntimeError, IndexError):
                continue
            return d.tensor(y.shape, values[0][1].dtype), values

    def multi_margin_gradient():
        g, values = drawn(multi_margin, multi_margin_loss)
        return [g] + values
    calls(out, "multi_margin_loss_backward", multi_margin_gradient,
          lambda g, x, t, p, margin, w, average, reduce:
          A.multi_margin_loss_backward(g, x, t, p, margin, w, reduction(average, reduce)), count=32, others=8)

    def multi_label():
        while True:
            x, classes, shape = batch(FLOATS)
            lists = []
            for _ in range(x[1].numel() // classes):
                order = r.sample(range(classes), classes)
                lists.append([-1 if r.random() < 0.3 else k for k in order])
            t = torch.tensor(lists, dtype=torch.int64).reshape(x[1].shape)
            if r.random() < 0.04 and t.numel():
                t.view(-1)[0] = classes
            if r.random() < 0.04:
                t = t.reshape(-1)
            values = [x, (t, t)] + how()
            if filled(values):
                return values

    def multi_label_loss(x, t, average, reduce):
        return A.multilabel_margin_loss(x, t, reduction(average, reduce))

    def multi_label_both(x, t, average, reduce):
        return A.multilabel_margin_loss_forward(x, t, reduction(average, reduce))
    calls(out, "multilabel_margin_loss", multi_label, multi_label_loss, count=32, others=8)
    calls(out, "multilabel_margin_loss_forward", multi_label, multi_label_both, count=20, others=8)

    def multi_label_gradient():
        g, values = drawn(multi_label, multi_label_loss)
        is_target = multi_label_both(*[b for _, b in values])[1]
        return [g] + values + [(is_target, is_target)]
    calls(out, "multilabel_margin_loss_backward", multi_label_gradient,
          lambda g, x, t, average, reduce, is_target:
          A.multilabel_margin_loss_backward(g, x, t, reduction(average, reduce), is_target), count=32, others=8)
