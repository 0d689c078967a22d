"""Gradients before a step, parameters as one vector, and parameters that are computed."""

from ... import _C
from . import rnn


def _listed(parameters):
    return [parameters] if isinstance(parameters, _C.Tensor) else list(parameters)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales all gradients together to at most that norm; returns the norm before."""
    return _C.tensor(_C._clip_grad_norm(_listed(parameters), max_norm, norm_type, error_if_nonfinite))


clip_grad_norm = clip_grad_norm_


def convert_conv2d_weight_memory_format(module, memory_format):
    """Gives the weights of convolutions of images that memory format; returns the module."""
    return _converted(module, memory_format, ("Conv2d", "ConvTranspose2d"))


def convert_conv3d_weight_memory_format(module, memory_format):
    """The same of convolutions of volumes."""
    return _converted(module, memory_format, ("Conv3d", "ConvTranspose3d"))


def _converted(module, memory_format, kinds):
    for one in module.modules():
        if type(one).__name__ in kinds:
            one.weight.data = one.weight.data.contiguous(memory_format=memory_format)
    return module


def clip_grad_value_(parameters, clip_value, foreach=None):
    _C._clip_grad_value(_listed(parameters), clip_value)


def parameters_to_vector(parameters):
    return _C.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    at = 0
    for p in parameters:
        p.data = vec[at:at + p.numel()].reshape(p.shape)
        at += p.numel()


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of the norms of all tensors."""
    norms = [_C.linalg_vector_norm(t, ord=norm_type) for t in _listed(tensors)]
    total = _C.linalg_vector_norm(_C.stack(norms), ord=norm_type) if norms else _C.tensor(0.0)
    if error_if_nonfinite and not _C.isfinite(total).item():
        raise RuntimeError("the norm of order %s is %s" % (norm_type, total.item()))
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scales all gradients by max_norm / total_norm, if that is less than 1."""
    factor = (max_norm / (total_norm + 1e-6)).clamp_max(1.0)
    for p in _listed(parameters):
        if p.grad is not None:
            p.grad.mul_(factor.to(p.grad.dtype))


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters are not set: what they hold is left open, and nothing is drawn."""
    from ...random import get_rng_state, set_rng_state
    state = get_rng_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        set_rng_state(state)


from . import parametrize, parametrizations  # noqa: E402
from .fusion import fuse_conv_bn_eval, fuse_conv_bn_weights, fuse_linear_bn_eval, fuse_linear_bn_weights  # noqa: E402
from ._norms import remove_spectral_norm, remove_weight_norm, spectral_norm, weight_norm  # noqa: E402
