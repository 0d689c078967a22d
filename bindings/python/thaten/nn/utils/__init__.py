"""Gradients before a step, and parameters as one vector."""

from ... import _C


def _listed(parameters):
    return [parameters] if isinstance(parameters, _C.Tensor) else list(parameters)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales all gradients together to at most that norm; returns the norm before."""
    return _C.tensor(_C._clip_grad_norm(_listed(parameters), max_norm, norm_type, error_if_nonfinite))


def clip_grad_value_(parameters, clip_value, foreach=None):
    _C._clip_grad_value(_listed(parameters), clip_value)


def parameters_to_vector(parameters):
    return _C.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    at = 0
    for p in parameters:
        p.data = vec[at:at + p.numel()].reshape(p.shape)
        at += p.numel()
