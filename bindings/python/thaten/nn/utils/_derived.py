"""Parameters of modules that are computed at each use, from other parameters."""

from ..module import Layer, Parameter


class _Derived:
    """What the class of a module becomes: its _derivations say by name what computes a member."""

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_derivations", ()):
            self._derivations[name].assign(self, value)
        else:
            super().__setattr__(name, value)


class _DerivedLayer(_Derived):
    """The same of a layer, whose library's module takes the computed tensors."""

    def forward(self, *args, **kwargs):
        for name, derivation in self._derivations.items():
            used = getattr(derivation, "used", None)
            self.give(name, getattr(self, name) if used is None else used(self))
        return super().forward(*args, **kwargs)

    def reset_parameters(self):
        raise NotImplementedError("reset_parameters() of a layer whose parameters are computed")


def _property(name):
    return property(lambda self: self._derivations[name].value(self), lambda self, value: setattr(self, name, value))


def derive(module, name, derivation, prefix=""):
    """Makes the parameter or buffer name what derivation.value(module) is from now on."""
    derivations = dict(module.__dict__.get("_derivations", {}))
    for members in (module._parameters, module._buffers):
        members.pop(name, None)
    if isinstance(module, Layer):
        module._given.add(name)
    derivations[name] = derivation
    module.__dict__["_derivations"] = derivations
    _become(module, derivations, prefix)


def underive(module, name, value):
    """Makes it a parameter again, or a buffer, with this value."""
    derivations = dict(module._derivations)
    del derivations[name]
    base = type(module)._plain
    if not derivations:
        del module.__dict__["_derivations"]
        module.__class__ = base
    else:
        module.__dict__["_derivations"] = derivations
        _become(module, derivations, "Parametrized" * type(module).__name__.startswith("Parametrized"))
    (module.register_parameter if isinstance(value, Parameter) else module.register_buffer)(name, value)


def _become(module, derivations, prefix):
    base = getattr(type(module), "_plain", type(module))
    mixin = _DerivedLayer if isinstance(module, Layer) else _Derived
    members = {name: _property(name) for name in derivations}
    module.__class__ = type(prefix + base.__name__, (mixin, base), {**members, "_plain": base, "__doc__": base.__doc__})


def is_derived(module, name=None):
    derivations = module.__dict__.get("_derivations", {})
    return bool(derivations) if name is None else name in derivations
