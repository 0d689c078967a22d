"""Gradients of convolutions, by shapes and what the convolution had."""

from .. import _C, autograd
from . import functional as _functional


def _gradient(name, shape, like, which, other, grad_output, options):
    """The gradient of a convolution with respect to its input (which is 0) or its weight (1), which has that shape."""
    with autograd.enable_grad():
        wanted = _C.zeros(tuple(shape), dtype=like.dtype).requires_grad_()
        pair = (wanted, other) if which == 0 else (other, wanted)
        result = getattr(_functional, name)(*pair, None, *options)
    if result.shape != grad_output.shape:
        raise ValueError("%s() has a result of the sizes %s, and grad_output is of %s" % (
            name, tuple(result.shape), tuple(grad_output.shape)))
    return autograd.grad(result, wanted, grad_output, create_graph=other.requires_grad or grad_output.requires_grad)[0]


def _pair(dims):
    name = "conv%dd" % dims

    def of_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _gradient(name, input_size, weight, 0, weight, grad_output, (stride, padding, dilation, groups))

    def of_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _gradient(name, weight_size, input, 1, input, grad_output, (stride, padding, dilation, groups))

    of_input.__doc__ = "The gradient of %s with respect to its input, which has the sizes input_size." % name
    of_weight.__doc__ = "The gradient of %s with respect to its weight, which has the sizes weight_size." % name
    of_input.__name__, of_weight.__name__ = name + "_input", name + "_weight"
    return of_input, of_weight


conv1d_input, conv1d_weight = _pair(1)
conv2d_input, conv2d_weight = _pair(2)
conv3d_input, conv3d_weight = _pair(3)
