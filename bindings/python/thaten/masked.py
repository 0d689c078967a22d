"""Operations with masks: masked.sum is the operation masked_sum."""

from . import _C


def _named(name, *positional):
    """The operation, with PyTorch's arguments before its options."""
    operation = getattr(_C, "masked_" + name)

    def function(input, *given, **options):
        options.update(zip(positional, given))
        return operation(input, **options)

    function.__name__, function.__doc__ = name, operation.__doc__
    return function


sum, prod, amax, amin, mean, median, argmax, argmin, var, std, logsumexp = (_named(name, "dim") for name in (
    "sum", "prod", "amax", "amin", "mean", "median", "argmax", "argmin", "var", "std", "logsumexp"))
norm = _named("norm", "ord", "dim")
normalize = _named("normalize", "ord", "dim")
logaddexp = _named("logaddexp", "other")
cumsum, cumprod, softmax, log_softmax, softmin = (_named(name, "dim") for name in (
    "cumsum", "cumprod", "softmax", "log_softmax", "softmin"))
