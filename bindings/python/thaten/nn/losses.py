"""The loss that the library has not, since it calls a function of the caller's."""

from . import functional as F
from .module import Module


class TripletMarginWithDistanceLoss(Module):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) with a distance function d; with swap the smaller
    distance of anchor and positive from negative counts."""

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError("reduction is %r, and not none, mean or sum" % (reduction,))
        self.distance_function = distance_function
        self.margin, self.swap, self.reduction = margin, swap, reduction

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction)
