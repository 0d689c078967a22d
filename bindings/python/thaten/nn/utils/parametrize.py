"""Parameters that modules compute: torch.nn.utils.parametrize."""

import contextlib as _contextlib
import copy as _copy

from ..._C import Tensor
from ..containers import ModuleDict, ModuleList
from ..module import Parameter
from ...autograd import no_grad
from . import _derived

_cache, _depth = {}, 0


@_contextlib.contextmanager
def cached():
    """Inside, each parametrized tensor is computed once."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _cache.clear()


class _Listed:
    """A parameter that a ParametrizationList of the module computes."""

    def __init__(self, name):
        self.name = name

    def value(self, module):
        if not _depth:
            return module.parametrizations[self.name]()
        key = (id(module), self.name)
        if key not in _cache:
            _cache[key] = module.parametrizations[self.name]()
        return _cache[key]

    def assign(self, module, value):
        module.parametrizations[self.name].right_inverse(value)


def _verify(made, original):
    if not isinstance(made, Tensor) or made.dtype != original.dtype or made.shape != original.shape:
        raise ValueError("a parametrization makes %s of a tensor of %r and the sizes %s; unsafe=True allows that" % (
            "%r and the sizes %s" % (made.dtype, tuple(made.shape)) if isinstance(made, Tensor) else type(made).__name__,
            original.dtype, tuple(original.shape)))


class ParametrizationList(ModuleList):
    """Modules one after the other, from the parameters original, or original0, original1 and so on, to a tensor."""

    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        if not modules:
            raise ValueError("ParametrizationList() of no modules")
        self.unsafe, value = unsafe, original
        with no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        self.is_tensor = not isinstance(value, (tuple, list))
        self.ntensors = 1 if self.is_tensor else len(value)
        if self.is_tensor:
            if value.dtype != original.dtype:
                raise ValueError("right_inverse() changed the type from %r to %r" % (original.dtype, value.dtype))
            if value is not original:
                original.data = value
            if isinstance(original, Parameter):
                self.original = original
            else:
                self.register_buffer("original", original)
        else:
            for i, t in enumerate(value):
                setattr(self, "original%d" % i, Parameter(t, original.requires_grad))
        if not unsafe:
            with no_grad():
                _verify(self(), original)

    def _originals(self):
        return [self.original] if self.is_tensor else [getattr(self, "original%d" % i) for i in range(self.ntensors)]

    def right_inverse(self, value):
        """Makes value the parametrized tensor, where the parametrizations have inverses."""
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError("%s has no right_inverse(), so that nothing can be assigned" % type(module).__name__)
                value = module.right_inverse(value)
            for to, t in zip(self._originals(), [value] if self.is_tensor else value):
                to.copy_(t)

    def forward(self):
        made = self[0](*self._originals())
        for module in list(self)[1:]:
            made = module(made)
        return made


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Makes the parameter tensor_name of the module what the parametrization, a module, computes: at each use, from the
    parameter "parametrizations.NAME.original".  Another call adds a parametrization behind the first."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        found = module.parametrizations[tensor_name]
        if not unsafe:
            _verify(parametrization(getattr(module, tensor_name)), getattr(module, tensor_name))
        found.append(parametrization)
        found.unsafe |= unsafe
        return module
    members = module._buffers if tensor_name in module._buffers else module._parameters
    if members.get(tensor_name) is None:
        raise ValueError("%s has no parameter or buffer %r" % (type(module).__name__, tensor_name))
    made = ParametrizationList([parametrization], members[tensor_name], unsafe)
    if "parametrizations" not in module._modules:
        module._modules["parametrizations"] = ModuleDict()
    module._modules["parametrizations"][tensor_name] = made
    _derived.derive(module, tensor_name, _Listed(tensor_name), "Parametrized")
    return module


def is_parametrized(module, tensor_name=None):
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes it a parameter again, with its value, or with leave_parametrized=False that from which it is computed."""
    if not is_parametrized(module, tensor_name):
        raise ValueError("%s of %s is not parametrized" % (tensor_name, type(module).__name__))
    found = module.parametrizations[tensor_name]
    if not leave_parametrized and not found.is_tensor:
        raise ValueError("leave_parametrized is False, and %s is computed from several tensors" % tensor_name)
    value = found.original if found.is_tensor else None
    if leave_parametrized:
        with no_grad():
            now = getattr(module, tensor_name)
            value = Parameter(now.clone(), found.original0.requires_grad) if value is None else value
            value.data = now.clone()
    del module._modules["parametrizations"][tensor_name]
    if not len(module._modules["parametrizations"]):
        del module._modules["parametrizations"]
    _derived.underive(module, tensor_name, value)
    return module


def type_before_parametrizations(module):
    return getattr(type(module), "_plain", type(module))


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Gives to_module the parametrizations of from_module, with their tensors."""
    for name in [tensor_name] if tensor_name is not None else list(from_module._modules.get("parametrizations", ())):
        found = from_module.parametrizations[name]
        if name not in to_module._parameters:
            to_module.register_parameter(name, Parameter(getattr(from_module, name)))
        for parametrization in found:
            register_parametrization(to_module, name, parametrization, unsafe=found.unsafe)
        with no_grad():
            for to, t in zip(to_module.parametrizations[name]._originals(), found._originals()):
                to.copy_(t)
    return to_module


def type_before_parametrizations(module):
    """The class of the module before it was parametrized."""
    return type(module)._plain if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Gives to_module the parametrizations of from_module and their values, of all tensors or of one.  Returns to_module."""
    for name in (list(from_module.parametrizations) if tensor_name is None else [tensor_name]) if is_parametrized(from_module) else []:
        if not hasattr(to_module, name):
            to_module.register_parameter(name, Parameter(getattr(from_module, name).detach().clone()))
        for one in from_module.parametrizations[name]:
            register_parametrization(to_module, name, _copy.deepcopy(one), unsafe=True)
        with no_grad():
            for to, t in zip(to_module.parametrizations[name]._originals(), from_module.parametrizations[name]._originals()):
                to.copy_(t)
    return to_module
