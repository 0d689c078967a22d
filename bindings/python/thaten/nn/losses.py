"""Losses as modules: the functions of nn.functional, with their options at the beginning."""

from . import functional as F
from .module import Module

_OPERANDS = ("input", "target", "input1", "input2", "anchor", "positive", "negative", "var")


def _options(names, defaults, given, named):
    """The options by their names, of those given in order and by name."""
    if len(given) > len(names) or not set(named) <= set(names):
        raise TypeError("the options are %s" % ", ".join(names))
    return {**defaults, **dict(zip(names, given)), **named}


def _loss(name, function, order=None):
    """A class whose options are the function's other arguments, in their order or in that of PyTorch."""
    code = function.__code__
    options = code.co_varnames[:code.co_argcount][-len(function.__defaults__):]
    found = {n: d for n, d in zip(options, function.__defaults__) if n not in _OPERANDS}
    names = order or list(found)
    defaults = {n: {"size_average": None, "reduce": None, "reduction": "mean", "beta": 1.0, "delta": 1.0, "margin": 1.0}[n]
                if n not in found else found[n] for n in names}

    class Loss(Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            for option, value in _options(names, defaults, args, kwargs).items():
                if option in ("weight", "pos_weight"):
                    self.register_buffer(option, value)
                elif option not in ("size_average", "reduce"):
                    setattr(self, option, value)

        def forward(self, *operands):
            return function(*operands, **{n: getattr(self, n) for n in names if n not in ("size_average", "reduce")})

    Loss.__name__ = Loss.__qualname__ = name
    Loss.__doc__ = "%s(%s): nn.functional.%s" % (name, ", ".join(names), function.__name__)
    return Loss


_PLAIN = ["size_average", "reduce", "reduction"]
MSELoss = _loss("MSELoss", F.mse_loss, _PLAIN)
L1Loss = _loss("L1Loss", F.l1_loss, _PLAIN)
SoftMarginLoss = _loss("SoftMarginLoss", F.soft_margin_loss, _PLAIN)
SmoothL1Loss = _loss("SmoothL1Loss", F.smooth_l1_loss, _PLAIN + ["beta"])
HuberLoss = _loss("HuberLoss", F.huber_loss, ["reduction", "delta"])
HingeEmbeddingLoss = _loss("HingeEmbeddingLoss", F.hinge_embedding_loss, ["margin"] + _PLAIN)
KLDivLoss = _loss("KLDivLoss", F.kl_div)
NLLLoss = _loss("NLLLoss", F.nll_loss)
CrossEntropyLoss = _loss("CrossEntropyLoss", F.cross_entropy)
BCELoss = _loss("BCELoss", F.binary_cross_entropy)
BCEWithLogitsLoss = _loss("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits)
GaussianNLLLoss = _loss("GaussianNLLLoss", F.gaussian_nll_loss)
PoissonNLLLoss = _loss("PoissonNLLLoss", F.poisson_nll_loss)
MarginRankingLoss = _loss("MarginRankingLoss", F.margin_ranking_loss)
CosineEmbeddingLoss = _loss("CosineEmbeddingLoss", F.cosine_embedding_loss)
TripletMarginLoss = _loss("TripletMarginLoss", F.triplet_margin_loss)
MultiMarginLoss = _loss("MultiMarginLoss", F.multi_margin_loss)
MultiLabelMarginLoss = _loss("MultiLabelMarginLoss", F.multilabel_margin_loss)
MultiLabelSoftMarginLoss = _loss("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss)
