"""Modules: named parameters, buffers and children, and a forward function."""

import collections as _collections
import collections.abc as _abc
import copy as _copy

from .. import _C
from .._C import Tensor
from .._core.tensor import _device_of
from ..autograd import RemovableHandle as _RemovableHandle
from ..autograd import no_grad
from . import _hooks


class Parameter(Tensor):
    """A tensor that a module trains: a leaf that wants a gradient."""

    def __new__(cls, data, requires_grad=True):
        self = Tensor.__new__(cls, data.detach() if isinstance(data, Tensor) else _C.tensor(data))
        self.requires_grad_(requires_grad)
        return self

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = Parameter(self.detach().clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce__(self):
        return Parameter, (self.detach(), self.requires_grad)

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


def _adopted(tensor):
    """The Parameter of a tensor that a layer made: the same tensor."""
    return Tensor.__new__(Parameter, tensor)


class Buffer(Tensor):
    """A tensor that becomes a buffer of the module whose attribute it becomes."""

    def __new__(cls, data=None, *, persistent=True):
        self = Tensor.__new__(cls, _C.empty(0) if data is None else data)
        self.persistent = persistent
        return self


_EXTRA_STATE = "_extra_state"  # PyTorch's name, below the module's


class _Incompatible(_collections.namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return "_IncompatibleKeys(missing_keys=%r, unexpected_keys=%r)" % (self.missing_keys, self.unexpected_keys)


class Module:
    """The base of networks: __init__ assigns children and parameters to attributes, forward computes."""

    def __init__(self):
        own = self.__dict__
        own["training"] = True
        for name in ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
                     "_backward_pre_hooks"):
            own[name] = {}
        own["_unsaved"] = set()
        own["_hooks_with_kwargs"] = set()

    def forward(self, *args, **kwargs):
        raise NotImplementedError("%s has no forward()" % type(self).__name__)

    def __call__(self, *args, **kwargs):
        if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks or _hooks.everywhere:
            return _hooks.call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Calls hook(module, args, result) after forward, or hook(module, args, kwargs, result); what it returns, unless
        None, replaces the result."""
        return _hooks.add(self, self._forward_hooks, hook, prepend, with_kwargs)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Calls hook(module, args) before forward, or hook(module, args, kwargs); what it returns, unless None, replaces
        the arguments."""
        return _hooks.add(self, self._forward_pre_hooks, hook, prepend, with_kwargs)

    def register_full_backward_hook(self, hook, prepend=False):
        """Calls hook(module, grad_input, grad_output) when the gradients of the arguments are there; what it returns,
        unless None, replaces them."""
        return _hooks.add(self, self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Calls hook(module, grad_output) before the module's gradients; what it returns, unless None, replaces
        grad_output."""
        return _hooks.add(self, self._backward_pre_hooks, hook, prepend)

    # --- attributes ---------------------------------------------------------------------------------------

    def __setattr__(self, name, value):
        own = self.__dict__
        if isinstance(value, (Parameter, Module)) and "_parameters" not in own:
            raise AttributeError("Module.__init__() comes before the first attribute")
        if isinstance(value, Parameter):
            self._forget(name, self._parameters)
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._forget(name, self._modules)
            self._modules[name] = value
        elif "_parameters" in own and name in self._parameters:
            if value is not None:
                raise TypeError("%s is a parameter, and a Parameter or None replaces it" % name)
            self.register_parameter(name, None)
        elif isinstance(value, Buffer):
            self._forget(name, self._buffers)
            self.register_buffer(name, value, value.persistent)
        elif "_modules" in own and name in self._modules:
            if value is not None:
                raise TypeError("cannot assign %r as child module %r (torch.nn.Module or None expected)" % (type(value).__name__, name))
            self._modules[name] = None
        elif "_buffers" in own and name in self._buffers:
            self.register_buffer(name, value, name not in self._unsaved)
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        own = self.__dict__
        for members in ("_parameters", "_buffers", "_modules"):
            if name in own.get(members, ()):
                return own[members][name]
        raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

    def __delattr__(self, name):
        if not self._forget(name):
            object.__delattr__(self, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._parameters, *self._buffers, *self._modules})

    def _forget(self, name, keeping=None):
        """Removes what has the name, but from the members where another replaces it."""
        found = [name in self.__dict__]
        self.__dict__.pop(name, None)
        for members in (self._parameters, self._buffers, self._modules):
            found.append(name in members)
            if members is not keeping:
                members.pop(name, None)
        return any(found)

    def register_parameter(self, name, param):
        if param is not None and not isinstance(param, Parameter):
            raise TypeError("%s is no Parameter" % name)
        self._check(name)
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """A tensor that is saved, if it is persistent, and converted with the module, but not trained."""
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError("%s is no tensor" % name)
        self._check(name)
        self._buffers[name] = tensor
        (self._unsaved.discard if persistent else self._unsaved.add)(name)

    def register_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError("%s is no Module" % name)
        self._check(name)
        self._modules[name] = module

    add_module = register_module

    def _replace(self, name, value):
        """Another tensor, of any history, instead of a parameter or a buffer."""
        for members in (self._parameters, self._buffers):
            if name in members:
                members[name] = value
                return
        raise KeyError(name)

    def _check(self, name):
        if "." in name or name == "":
            raise KeyError("%r is no name of a member" % name)

    # --- what it is made of ----------------------------------------------------------------------------------

    def named_children(self):
        """The modules that are attributes, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self):
        return (m for _, m in self.named_children())

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """The module and all below it, each once unless remove_duplicate is False."""
        memo = set() if memo is None else memo
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(memo, prefix + "." * bool(prefix) + name, remove_duplicate)

    def modules(self):
        return (m for _, m in self.named_modules())

    def _named(self, members, prefix, recurse, once=True):
        seen = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=once) if recurse else [(prefix, self)]:
            for name, t in getattr(module, members).items():
                if t is not None and not (once and id(t) in seen):
                    seen.add(id(t))
                    yield path + "." * bool(path) + name, t

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        return (b for _, b in self.named_buffers(recurse=recurse))

    def get_submodule(self, target):
        module = self
        for name in filter(None, target.split(".")):
            if name not in module._modules:
                raise AttributeError("there is no module %r" % target)
            module = module._modules[name]
        return module

    def set_submodule(self, target, module, strict=False):
        path, _, name = target.rpartition(".")
        if not name or strict and name not in self.get_submodule(path)._modules:
            raise AttributeError("there is no module %r" % target)
        setattr(self.get_submodule(path), name, module)

    def _get(self, members, target):
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), members)
        if name not in found:
            raise AttributeError("there is no %r" % target)
        return found[name]

    def get_parameter(self, target):
        return self._get("_parameters", target)

    def get_buffer(self, target):
        return self._get("_buffers", target)

    def apply(self, fn):
        """Calls fn for each module, children first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --- modes and types -------------------------------------------------------------------------------------

    def train(self, mode=True):
        self.training = bool(mode)
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if p.grad is not None:
                if set_to_none:
                    p.grad = None
                else:
                    p.grad.zero_()

    def to(self, *args, dtype=None, device=None, non_blocking=False, memory_format=None):
        """Converts parameters and buffers of floating types; Parameter objects are new where their type changes.  To the
        device "meta", which has no memory, nothing is done."""
        for given in args:
            dtype = given if isinstance(given, _C.dtype) else given.dtype if isinstance(given, Tensor) else dtype
            device = given if isinstance(given, str) else device
        if device is not None and device != "meta":
            _device_of(device)
        if dtype is not None:
            if not dtype.is_floating_point:
                raise TypeError("to(): %r is no floating type" % dtype)
            with no_grad():
                self._convert(dtype, {})
        return self

    def _convert(self, dtype, memo):
        for name, p in self._parameters.items():
            if p is not None:
                self._parameters[name] = memo.setdefault(id(p), p if p.dtype == dtype else Parameter(
                    p.detach().to(dtype), p.requires_grad))
        for name, b in self._buffers.items():
            if b is not None and b.is_floating_point():
                self._buffers[name] = b.to(dtype)
        for module in self.children():
            module._convert(dtype, memo)

    def double(self):
        return self.to(_C.float64)

    def float(self):
        return self.to(_C.float32)

    def half(self):
        return self.to(_C.float16)

    def bfloat16(self):
        return self.to(_C.bfloat16)

    def type(self, dst_type):
        return self.to(dst_type)

    def cpu(self):
        return self

    def cuda(self, device=None):
        return self.to("cuda")

    def to_empty(self, *, device, recurse=True):
        """The module is in memory already, which keeps its values."""
        return self.to(device=device)

    def share_memory(self):
        """All threads of a process share memory."""
        return self

    def compile(self, *args, **kwargs):
        """The module computes as it is."""

    # --- state ---------------------------------------------------------------------------------------------------

    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        """Parameters and buffers by their names; they share memory with the module."""
        found = _collections.OrderedDict() if destination is None else destination
        self._collect(found, prefix, keep_vars)
        return found

    def _collect(self, found, prefix, keep_vars):
        for hook in self._of_state(self, "before"):
            hook(self, prefix, keep_vars)
        for name, t in self._saved():
            found[prefix + name] = t if keep_vars else t.detach()
        if self._has_extra_state():
            found[prefix + _EXTRA_STATE] = self.get_extra_state()
        for name, module in self._modules.items():
            if module is not None:
                module._collect(found, prefix + name + ".", keep_vars)
        for hook in self._of_state(self, "after"):
            hook(self, found, prefix, {})

    def get_extra_state(self):
        """What state_dict() has besides tensors, of a module that defines this and set_extra_state."""
        raise RuntimeError("%s has no get_extra_state()" % type(self).__name__)

    def set_extra_state(self, state):
        """Takes back what get_extra_state() gave."""
        raise RuntimeError("%s has no set_extra_state()" % type(self).__name__)

    def _has_extra_state(self):
        return type(self).get_extra_state is not Module.get_extra_state

    # By when they are called, hooks of states: of state_dict() before and after, of load_state_dict() load and loaded.
    _state_hooks = {}

    @staticmethod
    def _of_state(module, when):
        return list(module._state_hooks.get(when, {}).values())

    def _add_of_state(self, when, hook):
        if "_state_hooks" not in self.__dict__:
            self.__dict__["_state_hooks"] = {}
        hooks = self._state_hooks.setdefault(when, {})
        handle = _RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle

    def register_state_dict_pre_hook(self, hook):
        """Calls hook(module, prefix, keep_vars) before state_dict() reads the module."""
        return self._add_of_state("before", hook)

    def register_state_dict_post_hook(self, hook):
        """Calls hook(module, state_dict, prefix, local_metadata) when state_dict() has read the module."""
        return self._add_of_state("after", hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook):
        """Calls hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors) before
        load_state_dict(), whose state_dict it may change."""
        return self._add_of_state("load", hook)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return self._add_of_state("load", hook if with_module else lambda module, *more: hook(*more))

    def register_load_state_dict_post_hook(self, hook):
        """Calls hook(module, keys) with the missing and unexpected keys at the end of load_state_dict()."""
        return self._add_of_state("loaded", hook)

    def _paths(self, prefix):
        """All modules with the prefix of their members, also those that are there twice."""
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module._paths(prefix + name + ".")

    def _saved(self):
        for members in (self._parameters, self._buffers):
            for name, t in members.items():
                if t is not None and name not in self._unsaved:
                    yield name, t

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies tensors to the members of the same names.  A RuntimeError names all that is missing, unexpected or of
        other sizes; then nothing has changed."""
        if not isinstance(state_dict, _abc.Mapping):
            raise TypeError("load_state_dict() of a %s" % type(state_dict).__name__)
        state_dict, hooked = dict(state_dict), list(self._paths(""))
        for path, module in hooked:
            for hook in self._of_state(module, "load"):
                hook(module, state_dict, path, {}, strict, [], [], [])
        own = _collections.OrderedDict((path + name, t) for path, module in hooked for name, t in module._saved())
        # Files of old PyTorch do not count batches.
        missing = [name for name in own if name not in state_dict and not name.endswith("num_batches_tracked")]
        extra = {path + _EXTRA_STATE: module for path, module in hooked if module._has_extra_state()}
        missing += [name for name in extra if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own and name not in extra]
        wrong = []
        for kind, names in (("Missing", missing), ("Unexpected", unexpected)) if strict else ():
            wrong += ["%s key(s) in state_dict: %s. " % (kind, ", ".join('"%s"' % n for n in names))] * bool(names)
        wrong += ["size mismatch for %s: copying a param with shape %r from checkpoint, the shape in current model is %r." % (
            n, state_dict[n].shape, t.shape) for n, t in own.items() if n in state_dict and state_dict[n].shape != t.shape]
        if wrong:
            raise RuntimeError("Error(s) in loading state_dict for %s:\n\t%s" % (type(self).__name__, "\n\t".join(wrong)))
        with no_grad():
            for name, t in own.items():
                if name in state_dict:
                    t.copy_(state_dict[name])
        for name, module in extra.items():
            if name in state_dict:
                module.set_extra_state(state_dict[name])
        keys = _Incompatible(missing, unexpected)
        for _, module in hooked:
            for hook in self._of_state(module, "loaded"):
                hook(module, keys)
        return keys

    # --- text ----------------------------------------------------------------------------------------------------

    def extra_repr(self):
        return ""

    def _texts(self):
        return ["(%s): %s" % (name, repr(m)) for name, m in self._modules.items()]

    def __repr__(self):
        extra = self.extra_repr().split("\n") if self.extra_repr() else []
        below = [text.replace("\n", "\n  ") for text in self._texts()]
        if not below and len(extra) < 2:
            return "%s(%s)" % (type(self).__name__, "".join(extra))
        return "%s(\n  %s\n)" % (type(self).__name__, "\n  ".join(extra + below))


_IncompatibleKeys = _Incompatible


class Layer(Module):
    """A module that the library computes: its members are those of the library's module, _handle."""

    _members = ((), ())
    _inputs = ("input",)  # the names of the tensors that forward() takes
    _waits = False  # whether it has its members only after its first call

    def _start(self, make, arguments, *more):
        """Makes the library's module; arguments become attributes, but for the names of members."""
        super().__init__()
        arguments = {name: self._word(value) if name == "activation" else value for name, value in arguments.items()}
        self.__dict__["_made"] = make.__name__, arguments, more
        handle = self._remake()
        names = self._members[0] + self._members[1]
        for name, value in arguments.items():
            if name not in names and not isinstance(value, Module):
                object.__setattr__(self, name, self._spread(name, value))
        self._take(handle)

    def _remake(self):
        """The library's module of a new layer."""
        make, arguments, more = self._made
        given = [a._handle if isinstance(a, Layer) else a for a in arguments.values()]
        return getattr(_C, make)(*given, *(more[0] if more else ()))

    def _spread(self, name, value):
        """Of convolutions a number for each dimension, where one is given for all."""
        if name in ("kernel_size", "stride", "padding", "dilation", "output_padding") and isinstance(value, int):
            for kind in type(self).__mro__:
                if "Conv" in kind.__name__ and kind.__name__[-2:] in ("1d", "2d", "3d") and kind.__module__.endswith("._layers"):
                    return (value,) * int(kind.__name__[-2])
        return value

    def _word(self, activation):
        """The library's word for an activation that is given as a function or as a layer."""
        if isinstance(activation, str):
            return activation
        name = getattr(activation, "__name__", type(activation).__name__).lower()
        if name not in ("relu", "gelu") or getattr(activation, "approximate", "none") != "none":
            raise NotImplementedError("%s() has no activation=%r" % (type(self).__name__, activation))
        return name

    def _only(self, name, value, default):
        """Options of PyTorch that are not here."""
        if value != default:
            raise NotImplementedError("%s() has no %s=%r" % (type(self).__name__, name, value))

    def _take(self, handle):
        """Makes the members those of the library's module."""
        self.__dict__["_handle"] = handle
        parameters, buffers = map(dict, handle.tensors())
        given = self.__dict__.setdefault("_given", set())  # members whose values are computed before each call
        for name in self._members[0] + tuple(n for n in parameters if n not in self._members[0]):
            if name not in given:
                self._parameters[name] = _adopted(parameters[name]) if name in parameters else None
        for name in self._members[1]:
            if name not in given:
                self._buffers[name] = buffers.get(name)
        for name in handle.names():
            below = handle.child(name)
            known = self._modules.get(name)
            if known is None:
                from ._layers import KINDS

                known = KINDS.get(below.kind(), Layer).__new__(KINDS.get(below.kind(), Layer))
                Module.__init__(known)
            known._take(below)
            self._modules[name] = known

    def forward(self, *inputs, **named):
        if named or len(inputs) < len(self._inputs):
            inputs = self._in_order(inputs, named)
        output = self._handle.forward(*inputs)
        if self._waits:
            self._arrive()
        return output

    def _in_order(self, inputs, named):
        """The tensors of a call, some of which were given by name."""
        left = self._inputs[len(inputs):]
        if set(left) != set(named):
            given = ["%d by position" % len(inputs), *named]
            raise TypeError("%s.forward() takes (%s), and was given %s" % (type(self).__name__, ", ".join(self._inputs), ", ".join(given)))
        return *inputs, *(named[name] for name in left)

    def _arrive(self):
        """Becomes the layer that the library's module has become at the first call of a lazy one."""
        from ._layers import KINDS

        self.__class__ = KINDS[self._handle.kind()]
        self._take(self._handle)

    def __setattr__(self, name, value):
        if isinstance(value, Tensor) and not isinstance(value, Parameter) and self._lacks(name):
            self.give(name, value)
        super().__setattr__(name, value)
        if name == "training" and "_handle" in self.__dict__:
            self._handle.train(value)

    def _lacks(self, name):
        """Whether the library's module has a member that is no parameter and no buffer here any more."""
        own = self.__dict__
        return ("_handle" in own and name not in own["_parameters"] and name not in own["_buffers"] and
                not hasattr(type(self), name) and (name in own["_given"] or name in self._own()))

    def _own(self):
        """The names of the members of the library's module."""
        return {name for members in self._handle.tensors() for name in dict(members)}

    def give(self, name, value):
        """Computes the next calls with a tensor, which may have a history, as this member."""
        self._given.add(name)
        self._handle.set(name, value)

    def register_parameter(self, name, param):
        if param is not None and (name in self._parameters or name in self._given) and name in self._own():
            self._handle.set(name, param)
            self._given.discard(name)
        super().register_parameter(name, param)

    def register_buffer(self, name, tensor, persistent=True):
        if tensor is not None and (name in self._buffers or name in self._given) and name in self._own():
            self._handle.set(name, tensor)
            self._given.discard(name)
        super().register_buffer(name, tensor, persistent)

    def _replace(self, name, value):
        if name in self._own():
            self._handle.set(name, value)
        super()._replace(name, value)

    def _forget(self, name, keeping=None):
        return False if name in self._parameters or name in self._buffers else super()._forget(name, keeping)

    def __delattr__(self, name):
        for members in (self._parameters, self._buffers):
            if name in members:  # the library's module has it until it is given another one
                del members[name]
                return
        super().__delattr__(name)

    def _convert(self, dtype, memo):
        before = dict(self._all())
        wanted = {name: t.requires_grad for name, t in before.items()}
        self._handle.to(dtype)
        self._take(self._handle)
        for name, t in self._all():
            t.requires_grad_(wanted[name])
            shared = memo.setdefault(id(before[name]), t if t.dtype == dtype else Parameter(t.detach().to(dtype), t.requires_grad))
            if shared is not t:
                path, _, own = name.rpartition(".")
                setattr(self.get_submodule(path), own, shared)
        for module in self.modules():
            for name, b in module._buffers.items():
                if b is not None and b.is_floating_point() and b.dtype != dtype:
                    module._buffers[name] = b.to(dtype)

    def _all(self):
        return [(path + n, p) for path, m in self._paths("") for n, p in m._parameters.items() if p is not None]

    def __deepcopy__(self, memo):
        copy = type(self).__new__(type(self))
        memo[id(self)] = copy
        Module.__init__(copy)
        copy.__dict__.update({k: v for k, v in self.__dict__.items() if k not in copy.__dict__ and k != "_handle"})
        copy.__dict__["training"] = self.training
        copy.__dict__["_given"] = set(self._given)
        copy._take(self._handle.clone())
        copies = dict(copy._all())
        for name, old in self._all():
            if name in copies and id(old) in memo:  # a parameter of several layers stays one
                path, _, own = name.rpartition(".")
                copy.get_submodule(path).register_parameter(own, memo[id(old)])
            elif name in copies:
                copies[name].requires_grad_(old.requires_grad)
                memo[id(old)] = copies[name]
        for members in ("_parameters", "_buffers", "_modules"):
            for name, member in getattr(self, members).items():
                if name not in getattr(copy, members):
                    getattr(copy, members)[name] = _copy.deepcopy(member, memo)
        for hooks in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"):
            getattr(copy, hooks).update(_copy.deepcopy(getattr(self, hooks), memo))
        return copy

    def __reduce__(self):
        """For pickle: how the layer was made, what else it has, and its tensors."""
        if "_made" not in self.__dict__:
            raise TypeError("%s is part of another layer, and saved with that" % type(self).__name__)
        others = {k: v for k, v in self.__dict__.items() if k not in ("_made", "_handle", "_parameters", "_buffers", "_modules")}
        added = {n: m for n, m in self._modules.items() if not isinstance(m, Layer) or "_made" in m.__dict__}
        tensors = [(path + n, t) for path, m in self._paths("") for members in (m._parameters, m._buffers)
                   for n, t in members.items() if t is not None]
        return _remade, (type(self), *self._made), (others, added, tensors)

    def __setstate__(self, state):
        others, added, tensors = state
        self.__dict__.update(others)
        self._modules.update(added)
        self.training = others["training"]
        floating = [t.dtype for _, t in tensors if t.is_floating_point()]
        if floating and floating[0] != _C.float32:
            self._convert(floating[0], {})
        for name, t in tensors:
            path, _, own = name.rpartition(".")
            wanted = t.requires_grad
            setattr(self.get_submodule(path), own, t)
            t.requires_grad_(wanted)  # the library makes all its parameters want gradients

    def _anew(self, chosen):
        """Gives the chosen members, "_parameters" or "_buffers", the values of a new layer."""
        if "_made" not in self.__dict__:
            raise NotImplementedError("%s is part of another layer, which has the values" % type(self).__name__)
        fresh = Layer.__new__(type(self))
        Module.__init__(fresh)
        fresh._take(self._remake())
        with no_grad():
            for name, t in getattr(fresh, chosen).items():
                if t is not None:
                    getattr(self, chosen)[name].copy_(t)

    def reset_parameters(self):
        """Draws the values of a new layer."""
        self._anew("_parameters")

    def reset_running_stats(self):
        """Begins the running means and variances anew."""
        self._anew("_buffers")

    def extra_repr(self):
        text = repr(self._handle)
        text = text[text.index("(") + 1:-1]
        given = self.__dict__["_made"][1] if "_made" in self.__dict__ else {}
        for name, value in given.items():  # integers stay ones, but factors, which PyTorch makes floating, too
            if type(value) is int and name != "scale_factor":
                text = (", %s," % text).replace(", %s=%r," % (name, float(value)), ", %s=%d," % (name, value))[2:-1]
        return ", ".join([text] * bool(text) + ["inplace=True"] * bool(getattr(self, "inplace", False)))

    def __repr__(self):
        known = set(self._handle.names())
        if known and not set(self._modules) - known and type(self).extra_repr is Layer.extra_repr:
            text = repr(self._handle)  # with the layers that it is made of
            return type(self).__name__ + text[text.index("("):]
        return super().__repr__()


def _remade(kind, make, arguments, more):
    """A layer of that class, made as another was."""
    layer = kind.__new__(kind)
    layer._start(getattr(_C, make), arguments, *more)
    return layer


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Calls hook(module, args, result) after forward of every module."""
    return _hooks.add_everywhere("_forward_hooks", hook)


def register_module_forward_pre_hook(hook):
    """Calls hook(module, args) before forward of every module."""
    return _hooks.add_everywhere("_forward_pre_hooks", hook)


def register_module_full_backward_hook(hook):
    """Calls hook(module, grad_input, grad_output) when the gradients of any module's arguments are there."""
    return _hooks.add_everywhere("_backward_hooks", hook)


def register_module_full_backward_pre_hook(hook):
    """Calls hook(module, grad_output) before any module's gradients."""
    return _hooks.add_everywhere("_backward_pre_hooks", hook)
