"""Modules that hold others."""

import operator

from .module import Module, Parameter


class _List(Module):
    """Modules in an order, whose names are their numbers."""

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        modules = list(self)
        modules.insert(index, module)
        self._number(modules)
        return self

    def pop(self, index):
        module = self[index]
        del self[index]
        return module

    def _number(self, modules):
        self._modules.clear()
        for i, module in enumerate(modules):
            self.add_module(str(i), module)

    def _name(self, index):
        return list(self._modules)[operator.index(index)]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._name(index)]

    def __setitem__(self, index, module):
        setattr(self, self._name(index), module)

    def __delitem__(self, index):
        names = list(self._modules)[index] if isinstance(index, slice) else [self._name(index)]
        for name in names:
            del self._modules[name]
        if all(name.isdecimal() for name in self._modules):
            self._number(list(self))

    def __add__(self, other):
        return type(self)(*self._made([*self, *other]))

    def __iadd__(self, other):
        return self.extend(other)


class Sequential(_List):
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

    def _part(self, members):
        return type(self)(dict(members))

    @staticmethod
    def _made(modules):
        return modules


class ModuleList(_List):
    """A list of modules."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or [])

    def _part(self, members):
        return ModuleList(module for _, module in members)

    @staticmethod
    def _made(modules):
        return [modules]

    def _texts(self):
        """Equal modules that follow each other, once."""
        lines, first, before = [], 0, None
        texts = [repr(m) for m in self]
        for i, text in enumerate([*texts, None]):
            if i and text != before:
                name = "(%d)" % first if i - first == 1 else "(%d-%d)" % (first, i - 1)
                lines.append("%s: %s%s" % (name, "" if i - first == 1 else "%d x " % (i - first), before))
                first = i
            before = text
        return lines


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

    def pop(self, name):
        member = self[name]
        del self[name]
        return member

    def clear(self):
        self._entries.clear()

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

    def extra_repr(self):
        return "\n".join("  (%s): Parameter containing: [%s of size %s]" % (name, p.type(), "x".join(map(str, p.shape)))
                         for name, p in self._parameters.items())


def _text(p):
    return "Parameter containing: [%r of size %s]" % (p.dtype, "x".join(map(str, p.shape)))


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values=None):
        super().__init__()
        self.extend(values or [])

    def append(self, value):
        self.register_parameter(str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        found = list(self._parameters.values())[index]
        return ParameterList(found) if isinstance(index, slice) else found

    def __setitem__(self, index, value):
        setattr(self, list(self._parameters)[index], value if isinstance(value, Parameter) else Parameter(value))

    def extra_repr(self):
        return "\n".join("  (%s): %s" % (name, _text(p)) for name, p in self._parameters.items())
