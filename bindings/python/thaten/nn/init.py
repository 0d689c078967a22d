"""First values of tensors, drawn as PyTorch draws them."""

import warnings

from .. import _C


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    return _C._init_uniform_(tensor, a, b, generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    return _C._init_normal_(tensor, mean, std, generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    return _C._init_trunc_normal_(tensor, mean, std, a, b, generator)


def constant_(tensor, val):
    return _C._init_constant_(tensor, val)


def ones_(tensor):
    return constant_(tensor, 1)


def zeros_(tensor):
    return constant_(tensor, 0)


def eye_(tensor):
    return _C._init_eye_(tensor)


def dirac_(tensor, groups=1):
    return _C._init_dirac_(tensor, groups)


def xavier_uniform_(tensor, gain=1.0, generator=None):
    return _C._init_xavier_uniform_(tensor, gain, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    return _C._init_xavier_normal_(tensor, gain, generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _C._init_kaiming_uniform_(tensor, a, mode, nonlinearity, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _C._init_kaiming_normal_(tensor, a, mode, nonlinearity, generator)


def orthogonal_(tensor, gain=1, generator=None):
    return _C._init_orthogonal_(tensor, gain, generator)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    return _C._init_sparse_(tensor, sparsity, std, generator)


def _calculate_fan_in_and_fan_out(tensor):
    """How many elements an output depends on, and an input."""
    if tensor.dim() < 2:
        raise ValueError("a tensor of %d dimensions has no fan" % tensor.dim())
    window = tensor[0, 0].numel()
    return tensor.shape[1] * window, tensor.shape[0] * window


def calculate_gain(nonlinearity, param=None):
    gain = _C._init_gain(nonlinearity, param)
    return 1 if gain == 1 and nonlinearity != "leaky_relu" else gain


def _older(name, function):
    def older(*args, **kwargs):
        warnings.warn("nn.init.%s is the older name of nn.init.%s_" % (name, name), FutureWarning, stacklevel=2)
        return function(*args, **kwargs)
    older.__name__ = older.__qualname__ = name
    older.__doc__ = "The older name of %s_." % name
    return older


for _function in (uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_, kaiming_uniform_,
                  kaiming_normal_, orthogonal_, sparse_):
    globals()[_function.__name__[:-1]] = _older(_function.__name__[:-1], _function)
