"""Modules that hold others."""

from .module import Module, Parameter


class Sequential(Module):
    """Calls its modules one after the other."""

    def __init__(self, *args):
        super().__init__()
        given = args[0].items() if len(args) == 1 and isinstance(args[0], dict) else enumerate(args)
        for name, module in given:
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(dict(list(self._modules.items())[index]))
        return list(self._modules.values())[index]

    def __setitem__(self, index, module):
        self._modules[list(self._modules)[index]] = module


class ModuleList(Module):
    """A list of modules."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or [])

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        found = list(self._modules.values())[index]
        return ModuleList(found) if isinstance(index, slice) else found

    def __setitem__(self, index, module):
        self._modules[list(self._modules)[index]] = module


class _Dict(Module):
    """Members by their names: what subclasses keep in _entries and add by __setitem__."""

    def __init__(self, members=None):
        super().__init__()
        self.update(members or {})

    def update(self, members):
        for name, member in dict(members).items():
            self[name] = member

    def __getitem__(self, name):
        return self._entries[name]

    def __delitem__(self, name):
        del self._entries[name]

    def __len__(self):
        return len(self._entries)

    def __iter__(self):
        return iter(self._entries)

    def __contains__(self, name):
        return name in self._entries

    def keys(self):
        return self._entries.keys()

    def values(self):
        return self._entries.values()

    def items(self):
        return self._entries.items()


class ModuleDict(_Dict):
    """Modules by their names."""

    _entries = property(lambda self: self._modules)

    def __setitem__(self, name, module):
        self.add_module(name, module)


class ParameterDict(_Dict):
    """Parameters by their names."""

    _entries = property(lambda self: self._parameters)

    def __setitem__(self, name, value):
        self.register_parameter(name, value if isinstance(value, Parameter) else Parameter(value))


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values=None):
        super().__init__()
        for value in values or []:
            self.append(value)

    def append(self, value):
        self.register_parameter(str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]
