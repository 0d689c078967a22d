"""Batch normalization in eval mode as part of the layer before it."""

import copy

from ... import _C
from ...random import get_rng_state, set_rng_state
from ..parameter import Parameter


def _fused(weight, bias, mean, var, eps, bn_weight, bn_bias, shape):
    """weight and bias of a layer that computes what the layer and the normalization of its output compute."""
    scale = _C.rsqrt(var + eps)
    if bn_weight is not None:
        scale = scale * bn_weight
    moved = (_C.zeros_like(mean) if bias is None else bias) - mean
    moved = moved * scale
    if bn_bias is not None:
        moved = moved + bn_bias
    return (Parameter((weight * scale.reshape(shape)).to(weight.dtype), weight.requires_grad),
            Parameter(moved.to(weight.dtype), bias is not None and bias.requires_grad))


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """The weight and the bias of a convolution and the batch normalization behind it; of a transposed convolution, too."""
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """The weight and the bias of a linear layer and the batch normalization behind it."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _copied(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("both layers have to be in eval mode")
    copied = copy.deepcopy(layer)
    if layer.bias is None:  # the library's layer is another one
        make, arguments, more = layer._made
        copied.__dict__["_made"] = make, dict(arguments, bias=True), more
        state = get_rng_state()
        copied._take(copied._remake())
        set_rng_state(state)
        copied.to(layer.weight.dtype).eval()
    return copied


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of the convolution that also does what bn does; both are in eval mode."""
    fused = _copied(conv, bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(conv.weight, conv.bias, bn.running_mean, bn.running_var, bn.eps,
                                                    bn.weight, bn.bias, transpose)
    return fused


def fuse_linear_bn_eval(linear, bn):
    """A copy of the linear layer that also does what bn does; both are in eval mode."""
    fused = _copied(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("the linear layer has %d features, and the normalization %d"
                             % (linear.out_features, bn.num_features))
    fused.weight, fused.bias = fuse_linear_bn_weights(linear.weight, linear.bias, bn.running_mean, bn.running_var, bn.eps,
                                                      bn.weight, bn.bias)
    return fused
