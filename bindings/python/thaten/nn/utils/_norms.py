"""The older weight_norm and spectral_norm, with other names in the state dict."""

from ... import _C
from ..module import Layer, Parameter
from ...autograd import no_grad
from . import _derived
from .parametrizations import _unit, as_matrix, default_dim, iterate, norm_but_dim


class _Weight:
    def __init__(self, name, dim):
        self.name, self.dim = name, dim

    def value(self, module):
        v = getattr(module, self.name + "_v")
        return v * (getattr(module, self.name + "_g") / norm_but_dim(v, self.dim))

    def assign(self, module, value):
        raise AttributeError("%s is computed from %s_g and %s_v" % (self.name, self.name, self.name))


def _parameter(module, name):
    if _derived.is_derived(module, name) or module._parameters.get(name) is None:
        raise RuntimeError("%s has no parameter %r that is not computed" % (type(module).__name__, name))
    return module._parameters[name]


def weight_norm(module, name="weight", dim=0):
    """The parameter is g * v / |v|, of the parameters NAME_g and NAME_v."""
    weight = _parameter(module, name)
    with no_grad():
        g, v = Parameter(norm_but_dim(weight, dim).clone()), Parameter(weight.detach().clone())
    _derived.derive(module, name, _Weight(name, dim))
    module._parameters.update({name + "_g": g, name + "_v": v})
    return module


def _removed(module, name, kind, value, members):
    if not isinstance(module.__dict__.get("_derivations", {}).get(name), kind):
        raise ValueError("%s of %s is not computed in this way" % (name, type(module).__name__))
    with no_grad():
        now = value()
    for member in members:
        module._parameters.pop(name + member, None)
        module._buffers.pop(name + member, None)
    _derived.underive(module, name, Parameter(now.detach()))
    return module


def remove_weight_norm(module, name="weight"):
    return _removed(module, name, _Weight, lambda: getattr(module, name), ("_g", "_v"))


class SpectralNorm:
    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def compute(self, module, training):
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if training:
            iterate(matrix.detach(), u, v, self.n_power_iterations, self.eps, "v")
            u, v = u.clone(), v.clone()
        return weight / _C.dot(u, _C.mv(matrix, v))

    def used(self, module):
        """What a call of a layer computes with; until the next one it stays the value."""
        made = self.compute(module, module.training)
        module.__dict__["_last_" + self.name] = made.detach()
        return made

    def value(self, module):
        if not isinstance(module, Layer):
            return self.compute(module, module.training)
        return module.__dict__.get("_last_" + self.name, getattr(module, self.name + "_orig").detach())

    def assign(self, module, value):
        raise AttributeError("%s is computed from %s_orig" % (self.name, self.name))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """The parameter is NAME_orig divided by its largest singular value; NAME_u and NAME_v are buffers."""
    weight = _parameter(module, name)
    dim = default_dim(module) if dim is None else dim
    with no_grad():
        u, v = (_unit(_C.normal_(weight.new_empty(n)), eps) for n in as_matrix(weight.detach(), dim).shape)
    _derived.derive(module, name, SpectralNorm(name, n_power_iterations, dim, eps))
    module._parameters[name + "_orig"] = weight
    module._buffers.update({name + "_u": u, name + "_v": v})
    return module


def remove_spectral_norm(module, name="weight"):
    return _removed(module, name, SpectralNorm, lambda: module._derivations[name].compute(module, False), ("_orig", "_u", "_v"))
