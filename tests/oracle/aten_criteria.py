"""Golden cases of the losses with today's arguments in src/ops/aten/nn_loss.ops."""

import torch
import torch.nn.functional as F

import aten_cases
from aten_today import FLOATING, Today

A = torch.ops.aten
REDUCTIONS = (None, 0, 1, 2)


def loose(dtype):
    return {torch.float64: 2.0**-40, torch.float32: 2.0**-17}.get(dtype, 2.0**-5)


with Today("criteria", __file__) as c:
    r = c.random

    def probabilities(shape, dtype):
        return (c.tensor(shape, torch.float64, 1, 8) / 1.0).to(dtype)

    for dtype in FLOATING:
        near = loose(dtype)
        for reduction in REDUCTIONS:
            how = {} if reduction is None else {"reduction": reduction}
            for shape in [(3, 4), (5,), ()] if dtype.itemsize > 2 else [(3, 4)]:
                x, t = c.tensor(shape, dtype), c.tensor(shape, dtype)
                for name in ("mse_loss", "l1_loss", "soft_margin_loss"):
                    if name != "soft_margin_loss" or dtype.itemsize > 2:
                        c(name + ".reduction", self=x, target=t, **how, within=near)
                c("smooth_l1_loss.reduction", self=x, target=t, **how, within=near)
                c("smooth_l1_loss.reduction", self=x, target=t, **how, beta=r.choice([0.5, 2.0, 0.0]), within=near)
                c("huber_loss", self=x, target=t, **how, within=near)
                c("huber_loss", self=x, target=t, **how, delta=r.choice([0.5, 2.0, 0.0]), within=near)
                p = probabilities(shape, dtype)
                c("kl_div.reduction", self=x, target=p, **how, within=near)
                c("kl_div.reduction", self=x, target=x, **how, log_target=True, within=near)
                c("binary_cross_entropy_with_logits", self=x, target=p, **how, within=near)
                c("binary_cross_entropy_with_logits", self=x, target=p, weight=p, pos_weight=p, **how, within=near)
                sign = (c.tensor(shape, torch.bool).to(dtype) * 2 - 1)
                c("margin_ranking_loss", input1=x, input2=t, target=sign, **how, margin=0.5, within=near)
                c("margin_ranking_loss", input1=x, input2=t, target=sign, **how, within=near)
                c("hinge_embedding_loss.reduction", self=x, target=sign, **how, margin=1.5, within=near)
                for log_input in (True, False):
                    for full in (True, False):
                        c("poisson_nll_loss", input=x if log_input else p, target=t.abs(), log_input=log_input, full=full, eps=1e-8,
                          reduction=1 if reduction is None else reduction, within=near)
            if dtype.itemsize > 2:
                x = torch.sigmoid(c.tensor((3, 4), dtype))
                c("binary_cross_entropy.reduction", self=x, target=torch.sigmoid(c.tensor((3, 4), dtype)), **how, within=near)
                c("binary_cross_entropy.reduction", self=x, target=x, weight=c.tensor((4,), dtype, 0, 9), **how, within=near)
            one, two, three = (c.tensor((3, 4), dtype) for _ in range(3))
            sign = torch.tensor([1, -1, 1])
            c("cosine_embedding_loss", input1=one, input2=two, target=sign, **how, within=near)
            c("cosine_embedding_loss", input1=one, input2=two, target=sign, **how, margin=0.25, within=near)
            c("cosine_embedding_loss", input1=one[0], input2=two[0], target=sign[1], **how, within=near)
            c("triplet_margin_loss", anchor=one, positive=two, negative=three, **how, within=near)
            c("triplet_margin_loss", anchor=one, positive=two, negative=three, **how, margin=2.0, p=1.0, swap=True, within=near)
            if dtype.itemsize == 2:
                continue
            for shape in [(3, 4), (4,), (2, 4, 3), (2, 4, 2, 2), (1, 4, 2, 1, 3)]:
                x = F.log_softmax(c.tensor(shape, dtype), 1 if len(shape) > 1 else 0)
                rest = shape[:1] + shape[2:] if len(shape) > 1 else ()
                target = torch.randint(0, 4, rest, generator=torch.Generator().manual_seed(r.randrange(99)))
                w = c.tensor((4,), dtype, 1, 12)
                for name in ("nll_loss.reduction", "nll_loss_nd"):
                    if name == "nll_loss_nd" or len(shape) < 3:
                        c(name, self=x, target=target, **how, within=near)
                        c(name, self=x, target=target, weight=w, ignore_index=2, **how, within=near)
                x = c.tensor(shape, dtype)
                c("cross_entropy_loss", self=x, target=target, **how, within=near)
                c("cross_entropy_loss", self=x, target=target, weight=w, ignore_index=1, **how, within=near)
                c("cross_entropy_loss", self=x, target=target, label_smoothing=0.1, **how, within=near)
                c("cross_entropy_loss", self=x, target=target, weight=w, ignore_index=1, label_smoothing=0.3, **how, within=near)
                share = torch.softmax(c.tensor(shape, dtype), 1 if len(shape) > 1 else 0)
                c("cross_entropy_loss", self=x, target=share, **how, within=near)
                c("cross_entropy_loss", self=x, target=share, weight=w, label_smoothing=0.2, **how, within=near)
    c("cross_entropy_loss", self=c.tensor((3, 4), torch.float32), target=torch.tensor([0, 1, 4]))

    def ctc(dtype, steps, classes, inputs, lengths, longest=None, joined=False, lowest=1, **options):
        """ctc_loss and what it is made of, with lengths as lists and as tensors."""
        batch, longest = len(inputs), longest or max(lengths)
        x = F.log_softmax(c.tensor((steps, batch, classes), dtype), 2)
        targets = [[r.randrange(lowest, classes) for _ in range(longest)] for _ in lengths]
        t = torch.tensor(sum((row[:n] for row, n in zip(targets, lengths)), []) if joined else targets,
                         dtype=torch.int32 if joined else torch.int64)
        for overload, make in (("", list), (".tensor", torch.tensor)):
            one, two = make(inputs), make(lengths)
            c("ctc_loss" + overload, log_probs=x, targets=t, input_lengths=one, target_lengths=two, within=loose(dtype), **options)
        return x, t

    for dtype in aten_cases.FLOATS:
        for reduction in REDUCTIONS:
            how = {} if reduction is None else {"reduction": reduction}
            ctc(dtype, 5, 3, [5, 4], [2, 1], **how)
            ctc(dtype, 4, 3, [4, 3, 4], [2, 0, 1], joined=True, **how)
        ctc(dtype, 7, 4, [7, 6], [3, 2], lowest=0, blank=3, longest=5, reduction=2)
        ctc(dtype, 3, 3, [3, 1], [1, 3], reduction=0)  # the second cannot be spelled
        ctc(dtype, 3, 3, [3, 1], [1, 3], reduction=0, zero_infinity=True)
        ctc(dtype, 3, 3, [3, 2], [1, 3], zero_infinity=True)
        ctc(dtype, 3, 3, [0, 2], [0, 1], reduction=2)
        ctc(dtype, 6, 2, [6, 5], [3, 2])  # one label, repeated
        for batch, options in (([3], {"reduction": 0}), ([4], {})):
            x, t = F.log_softmax(c.tensor((4, 3), dtype), 1), torch.tensor([2, 1])
            c("ctc_loss", log_probs=x, targets=t, input_lengths=batch, target_lengths=[2], within=loose(dtype), **options)
            c("ctc_loss.tensor", log_probs=x, targets=t, input_lengths=torch.tensor(batch[0]), target_lengths=torch.tensor(2),
              within=loose(dtype), **options)
        # targets of one length: PyTorch leaves what is behind shorter ones
        x, t = F.log_softmax(c.tensor((4, 2, 3), dtype), 2), torch.tensor([[1, 2], [2, 2]])
        for overload, make in (("", list), (".tensor", torch.tensor)):
            given = {"log_probs": x, "targets": t, "input_lengths": make([4, 4]), "target_lengths": make([2, 2])}
            c("_ctc_loss" + overload, **given, within=loose(dtype))
            loss, alpha = torch.ops.aten._ctc_loss(x, t, [4, 4], [2, 2])
            c("_ctc_loss_backward" + overload, grad=c.tensor((2,), dtype), **given, neg_log_likelihood=loss, log_alpha=alpha, blank=0,
              within=loose(dtype))
    x, t = F.log_softmax(c.tensor((4, 2, 3), torch.float64), 2), torch.tensor([[1, 2], [2, 1]])
    for inputs, lengths, targets, blank in (([4, 5], [2, 1], t, 0), ([4, 4], [2, 3], t, 0), ([4, -1], [2, 1], t, 0), ([4], [2, 1], t, 0),
                                            ([4, 4], [2, 1], t, 3), ([4, 4], [2, 1], t[0, :2], 0),
                                            ([4, 4], [2, 1], t.reshape(1, 4), 0)):
        c("ctc_loss", log_probs=x, targets=targets, input_lengths=inputs, target_lengths=lengths, blank=blank)
    c("ctc_loss.tensor", log_probs=x, targets=t, input_lengths=torch.tensor([4.0, 4.0]), target_lengths=torch.tensor([2, 1]))
