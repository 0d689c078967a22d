"""Parameters of modules that are computed at each use, from other parameters."""

import copy as _copy

from ..module import Layer, Module, Parameter


class _Derived:
    """What the class of a module becomes: its _derivations say by name what computes a member."""

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_derivations", ()):
            self._derivations[name].assign(self, value)
        else:
            super().__setattr__(name, value)


class _DerivedLayer(_Derived):
    """The same of a layer, whose library's module takes the computed tensors, and has no others."""

    def _own(self):
        return set(self._members[0] + self._members[1]) | {n for members in self._handle.tensors() for n, _ in members}

    def _aside(self):
        """A module with the members of which the library's module knows nothing; they leave this one."""
        rest, own, below = Module(), self._own(), set(self._handle.names())
        for mine, theirs, known in ((self._parameters, rest._parameters, own), (self._buffers, rest._buffers, own),
                                    (self._modules, rest._modules, below)):
            for name in [n for n in mine if n not in known]:
                theirs[name] = mine.pop(name)
        return rest

    def _back(self, rest):
        self._parameters.update(rest._parameters)
        self._buffers.update(rest._buffers)
        self._modules.update(rest._modules)

    def _take(self, handle):
        super()._take(handle)
        for name in self._derivations:
            self._parameters.pop(name, None)

    def _convert(self, dtype, memo):
        rest = self._aside()
        super()._convert(dtype, memo)
        rest._convert(dtype, memo)
        self._back(rest)

    def __deepcopy__(self, memo):
        rest = self._aside()
        try:
            made = super().__deepcopy__(memo)
            made.__dict__["_derivations"] = dict(self._derivations)
            made._back(_copy.deepcopy(rest, memo))
        finally:
            self._back(rest)
        return made

    def forward(self, *args, **kwargs):
        for name in self._derivations:
            self._handle.set(name, getattr(self, name))
        return super().forward(*args, **kwargs)

    def reset_parameters(self):
        raise NotImplementedError("reset_parameters() of a layer whose parameters are computed")

    def __repr__(self):
        text = super().__repr__()
        below = ["(%s): %s" % (n, repr(m).replace("\n", "\n  ")) for n, m in self._modules.items() if n not in self._handle.names()]
        if not below:
            return text
        start = text.index("(")
        return "%s(\n  %s\n)" % (type(self).__name__, "\n  ".join([text[start + 1:-1].strip()] * bool(text[start + 1:-1]) + below))


def _property(name):
    return property(lambda self: self._derivations[name].value(self), lambda self, value: setattr(self, name, value))


def derive(module, name, derivation, prefix=""):
    """Makes the parameter name what derivation.value(module) is from now on."""
    derivations = dict(module.__dict__.get("_derivations", {}))
    module._parameters.pop(name)
    derivations[name] = derivation
    module.__dict__["_derivations"] = derivations
    _become(module, derivations, prefix)


def underive(module, name, value):
    """Makes it a parameter again."""
    derivations = dict(module._derivations)
    del derivations[name]
    base = type(module)._plain
    if not derivations:
        del module.__dict__["_derivations"]
        module.__class__ = base
    else:
        module.__dict__["_derivations"] = derivations
        _become(module, derivations, "Parametrized" * type(module).__name__.startswith("Parametrized"))
    value = value if isinstance(value, Parameter) else Parameter(value.detach().clone())
    if isinstance(module, Layer):
        module._handle.set(name, value)
    module._parameters[name] = value


def _become(module, derivations, prefix):
    base = getattr(type(module), "_plain", type(module))
    mixin = _DerivedLayer if isinstance(module, Layer) else _Derived
    members = {name: _property(name) for name in derivations}
    module.__class__ = type(prefix + base.__name__, (mixin, base), {**members, "_plain": base, "__doc__": base.__doc__})


def is_derived(module, name=None):
    derivations = module.__dict__.get("_derivations", {})
    return bool(derivations) if name is None else name in derivations
