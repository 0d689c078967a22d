"""The optimizers of the library with PyTorch's options."""

import collections as _collections
import math
import collections.abc as _abc
import warnings as _warnings

from .. import _C
from .._C import Tensor

# PyTorch's options that are several here.
_TUPLES = {"betas": ("beta1", "beta2"), "ns_coefficients": ("ns_a", "ns_b", "ns_c"),
           "etas": ("eta_minus", "eta_plus"), "step_sizes": ("step_least", "step_most"), "eps": ("eps1", "eps2")}


class _Required:
    """A default that says that an option has to be given."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()


def load_by_file(handle, state_dict):
    """Gives the library's optimizer or schedule a state, which it reads from a file."""
    import os
    import tempfile

    from .._core.files import save

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.pt")
        save(state_dict, path)
        handle.load(path)


class _Group(_abc.MutableMapping):
    """The options of a group: reading and writing reaches the library."""

    def __init__(self, handle, number, params, kinds, given):
        self.handle, self.number, self.kinds, self.given = handle, number, kinds, dict(given)
        self.more = {"params": params}

    def __getitem__(self, name):
        if name in self.more:
            return self.more[name]
        if name not in self.kinds:
            raise KeyError(name)
        if self.kinds[name] is tuple:
            numbers = (self.handle.get(self.number, one) for one in _TUPLES[name])
            value = tuple(None if math.isnan(number) else number for number in numbers)
        else:
            value = self.kinds[name](self.handle.get(self.number, name))
        given = self.given.get(name)
        return given if given == value else value  # 0, if it was that and not 0.0

    def __setitem__(self, name, value):
        if name not in self.kinds:
            self.more[name] = value
        elif self.kinds[name] is tuple:
            for one, number in zip(_TUPLES[name], value, strict=True):
                self.handle.set(self.number, one, math.nan if number is None else number)
        else:
            self.handle.set(self.number, name, value)
            self.given[name] = value

    def __delitem__(self, name):
        del self.more[name]

    def __iter__(self):
        return iter([*self.more, *self.kinds])

    def __len__(self):
        return len(self.more) + len(self.kinds)

    def __repr__(self):
        return repr({k: v for k, v in self.items() if k != "params"})


class Optimizer:
    """The base: an optimizer of one's own has param_groups, state, defaults and a step()."""

    _make = None

    def __init__(self, params, defaults):
        """Groups of one's own are plain dictionaries."""
        self.defaults, self.state, self.param_groups = defaults, _collections.defaultdict(dict), []
        for group in self._groups(params):
            self.add_param_group(group)

    @staticmethod
    def _number(value):
        return value if type(value) in (int, float) else float(value)

    @staticmethod
    def _groups(params):
        """A list of dictionaries with "params", of parameters or of groups."""
        if isinstance(params, Tensor):
            raise TypeError("params is a list of parameters")
        if isinstance(params, set):
            _warnings.warn("optimizer parameters need to be organized in ordered collections: the order of a set changes from "
                           "run to run", FutureWarning, stacklevel=4)
        params = list(params)
        if not params:
            raise ValueError("there are no parameters")
        if not isinstance(params[0], dict):
            params = [{"params": params}]
        return [_group_of(g) for g in params]

    def _check_group(self, group):
        """Whether the group, which is to be added, goes with those that are there."""
        for other in self.param_groups:
            if ("param_names" in other) != ("param_names" in group):
                raise ValueError("all optimizer param groups should be with/without names")
            if not {id(p) for p in other["params"]}.isdisjoint(id(p) for p in group["params"]):
                raise ValueError("some parameters appear in more than one parameter group")

    def _start(self, params, options, flat, **ways):
        """Makes the library's optimizer: options by PyTorch's names, flat as the library takes them; ways are options that
        choose among PyTorch's implementations, and are kept."""
        groups = self._groups(params)
        counts = ("max_iter", "history_size", "ns_steps")
        self._kinds = {k: float if type(v) is int and k not in counts else type(v) for k, v in options.items() if v is not None}
        first = {k: v for k, v in groups[0].items() if k != "params"}
        self._handle = self._make(groups[0]["params"], *flat)
        self.param_groups = [_Group(self._handle, 0, groups[0]["params"], self._kinds, options)]
        self.param_groups[0].update({**ways, **first})
        self.defaults = {**self._handle.state()["param_groups"][0], **options, **ways}
        del self.defaults["params"]
        for group in groups[1:]:
            self.add_param_group({**options, **ways, **group})

    def add_param_group(self, param_group):
        """One more group: a dictionary with "params", and options that differ."""
        group = self._groups([param_group])[0]
        self._check_group(group)
        if self._make is None:
            self.param_groups.append({**self.defaults, **group})
            return
        number = self._handle.add_group(group["params"])
        self.param_groups.append(_Group(self._handle, number, group["params"], self._kinds, {}))
        for name, value in group.items():
            if name != "params" and value is not None:
                self.param_groups[-1][name] = value

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Calls hook(optimizer) before state_dict()."""
        return self._add_of_state("saving", hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Calls hook(optimizer, state_dict) with what state_dict() made, which it may replace."""
        return self._add_of_state("saved", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Calls hook(optimizer, state_dict) before load_state_dict(), which loads what it returns, unless None."""
        return self._add_of_state("loading", hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Calls hook(optimizer) when load_state_dict() has loaded."""
        return self._add_of_state("loaded", hook, prepend)

    def _add_of_state(self, when, hook, prepend):
        from ..autograd import RemovableHandle

        hooks = self.__dict__.setdefault("_state_hooks", {}).setdefault(when, {})
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            rest = [(k, v) for k, v in hooks.items() if k != handle.id]
            hooks.clear()
            hooks.update([(handle.id, hook), *rest])
        return handle

    def _of_state(self, when):
        return list(self.__dict__.get("_state_hooks", {}).get(when, {}).values())

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if set_to_none:
                        p.grad = None
                    else:
                        p.grad.zero_()

    def step(self, closure=None):
        """Changes the parameters by their gradients; the closure computes the loss and the gradients before."""
        loss = None
        if closure is not None:
            before = _C._set_grad_enabled(True)
            try:
                loss = closure()
            finally:
                _C._set_grad_enabled(before)
        self._handle.step()
        return loss

    def _hook(self, which, hook):
        """One more hook before (0) or behind (1) step(), which calls hooks from then on."""
        from ..autograd import RemovableHandle

        if "_hooks" not in self.__dict__:
            self._hooks, plain = ({}, {}), self.step

            def step(*args, **kwargs):
                for one in list(self._hooks[0].values()):
                    args, kwargs = one(self, args, kwargs) or (args, kwargs)
                result = plain(*args, **kwargs)
                for one in list(self._hooks[1].values()):
                    one(self, args, kwargs)
                return result

            self.step = step
        handle = RemovableHandle(self._hooks[which])
        self._hooks[which][handle.id] = hook
        return handle

    def register_step_pre_hook(self, hook):
        """Calls hook(optimizer, args, kwargs) before each step(); it may return other arguments."""
        return self._hook(0, hook)

    def register_step_post_hook(self, hook):
        """Calls hook(optimizer, args, kwargs) behind each step()."""
        return self._hook(1, hook)

    def _numbered(self):
        """The parameters of all groups, in the order of their numbers in state_dict()."""
        return [p for group in self.param_groups for p in group["params"]]

    def state_dict(self):
        """PyTorch's layout; tensors are the optimizer's own."""
        for hook in self._of_state("saving"):
            hook(self)
        made = self._collected()
        for hook in self._of_state("saved"):
            made = hook(self, made) or made
        return made

    def _collected(self):
        if self._make is not None:
            made = self._handle.state()
            for group, own in zip(made["param_groups"], self.param_groups):
                group.update({k: v for k, v in own.items() if k != "params"})
            return made
        numbers = {id(p): i for i, p in enumerate(self._numbered())}
        return {"state": {numbers[id(p)]: state for p, state in self.state.items()},
                "param_groups": [{**group, "params": [numbers[id(p)] for p in group["params"]]} for group in self.param_groups]}

    def load_state_dict(self, state_dict):
        for hook in self._of_state("loading"):
            state_dict = hook(self, state_dict) or state_dict
        if self._make is None:
            self._load_own(state_dict)
        else:
            load_by_file(self._handle, state_dict)
            for own, group in zip(self.param_groups, state_dict["param_groups"]):
                own.update({k: v for k, v in group.items() if k != "params" and k not in own.kinds})
        for hook in self._of_state("loaded"):
            hook(self)

    def _load_own(self, state_dict):
        params, groups = self._numbered(), state_dict["param_groups"]
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError("load_state_dict(): the groups have other numbers of parameters")
        order = [number for g in groups for number in g["params"]]
        self.state = _collections.defaultdict(dict)
        for number, p in zip(order, params):
            if number in state_dict["state"]:
                self.state[p] = {k: v.clone() if isinstance(v, Tensor) else v for k, v in state_dict["state"][number].items()}
        for own, given in zip(self.param_groups, groups):
            own.update({k: v for k, v in given.items() if k != "params"})

    def __repr__(self):
        lines = ["%s (" % type(self).__name__]
        own = self.param_groups if self._make is None else self.state_dict()["param_groups"]
        for i, (group, more) in enumerate(zip(self.param_groups, own)):
            group = {**more, **group}
            lines += [""] * (i > 0) + ["Parameter Group %d" % i]
            lines += ["    %s: %s" % (name, group[name]) for name in sorted(group) if name != "params"]
        return "\n".join(lines + [")"])


def _group_of(given):
    """The group with its parameters as a list, and with their names if they were given with names."""
    params = given["params"]
    if isinstance(params, set):
        raise TypeError("optimizer parameters need to be organized in ordered collections, and not in a set")
    params = [params] if isinstance(params, Tensor) else list(params)
    named = [p for p in params if isinstance(p, tuple)]
    if named and len(named) < len(params):
        raise ValueError("all optimizer params should be with/without names")
    group = {**given, "params": [p[1] for p in named] or params}
    if named:
        group["param_names"] = [p[0] for p in named]
    for p in group["params"]:
        if not isinstance(p, Tensor):
            raise TypeError("optimizer can only optimize Tensors, but one of the params is %s" % type(p).__name__)
        if not (p.is_leaf or p.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")
    return group


class _State(property):
    """Of the library's optimizers, the state of each parameter; of others, what they keep there."""

    def __init__(self):
        super().__init__(self._read, self._write)

    @staticmethod
    def _read(optimizer):
        if optimizer._make is None:
            return optimizer._own
        states, found = optimizer._handle.state()["state"], _collections.defaultdict(dict)
        for number, p in enumerate(optimizer._numbered()):
            if number in states:
                found[p] = states[number]
        return found

    @staticmethod
    def _write(optimizer, state):
        optimizer._own = state


Optimizer.state = _State()


def _ways(**options):
    """PyTorch's ways to compute the same, which have no meaning here; an error for those that are not there."""
    for name, value in options.items():
        if name in ("capturable", "differentiable") and value:
            raise NotImplementedError("there is no %s" % name)
    return options


class SGD(Optimizer):
    _make = staticmethod(_C._new_sgd)

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        options = dict(lr=self._number(lr), momentum=self._number(momentum), dampening=self._number(dampening), weight_decay=self._number(weight_decay),
                       nesterov=nesterov, maximize=maximize)
        ways = _ways(foreach=foreach, differentiable=differentiable, fused=fused)
        self._start(params, options, options.values(), **ways)


class Adam(Optimizer):
    _make = staticmethod(_C._new_adam)
    _decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        options = dict(lr=self._number(lr), betas=tuple(betas), eps=self._number(eps), weight_decay=self._number(weight_decay), amsgrad=amsgrad,
                       maximize=maximize, decoupled_weight_decay=decoupled_weight_decay)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable, fused=fused)
        self._start(params, options, [lr, *betas, eps, weight_decay, amsgrad, maximize, decoupled_weight_decay], **ways)


class AdamW(Adam):
    _make = staticmethod(_C._new_adamw)

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, **more):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **more)


class RMSprop(Optimizer):
    _make = staticmethod(_C._new_rmsprop)

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        options = dict(lr=self._number(lr), alpha=self._number(alpha), eps=self._number(eps), weight_decay=self._number(weight_decay),
                       momentum=self._number(momentum), centered=centered, maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, options.values(), **ways)


class Adagrad(Optimizer):
    _make = staticmethod(_C._new_adagrad)

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        options = dict(lr=self._number(lr), lr_decay=self._number(lr_decay), weight_decay=self._number(weight_decay),
                       initial_accumulator_value=self._number(initial_accumulator_value), eps=self._number(eps), maximize=maximize)
        ways = _ways(foreach=foreach, differentiable=differentiable, fused=fused)
        self._start(params, options, options.values(), **ways)


class Adadelta(Optimizer):
    _make = staticmethod(_C._new_adadelta)

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        options = dict(lr=self._number(lr), rho=self._number(rho), eps=self._number(eps), weight_decay=self._number(weight_decay), maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, options.values(), **ways)


class Adamax(Optimizer):
    _make = staticmethod(_C._new_adamax)

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        options = dict(lr=self._number(lr), betas=tuple(betas), eps=self._number(eps), weight_decay=self._number(weight_decay), maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, [lr, *betas, eps, weight_decay, maximize], **ways)


class NAdam(Optimizer):
    _make = staticmethod(_C._new_nadam)

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False):
        options = dict(lr=self._number(lr), betas=tuple(betas), eps=self._number(eps), weight_decay=self._number(weight_decay),
                       momentum_decay=self._number(momentum_decay), decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, [lr, *betas, eps, weight_decay, momentum_decay, decoupled_weight_decay, maximize], **ways)


class RAdam(Optimizer):
    _make = staticmethod(_C._new_radam)

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        options = dict(lr=self._number(lr), betas=tuple(betas), eps=self._number(eps), weight_decay=self._number(weight_decay),
                       decoupled_weight_decay=decoupled_weight_decay, maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, [lr, *betas, eps, weight_decay, decoupled_weight_decay, maximize], **ways)


class ASGD(Optimizer):
    _make = staticmethod(_C._new_asgd)

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        options = dict(lr=self._number(lr), lambd=self._number(lambd), alpha=self._number(alpha), t0=self._number(t0), weight_decay=self._number(weight_decay),
                       maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, options.values(), **ways)


class Rprop(Optimizer):
    _make = staticmethod(_C._new_rprop)

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
                 maximize=False, differentiable=False):
        options = dict(lr=self._number(lr), etas=tuple(etas), step_sizes=tuple(step_sizes), maximize=maximize)
        ways = _ways(foreach=foreach, capturable=capturable, differentiable=differentiable)
        self._start(params, options, [lr, *etas, *step_sizes, maximize], **ways)


class Adafactor(Optimizer):
    """Steps by the gradient over the root of its second moment, of which matrices keep the means of rows and columns alone.
    (Shazeer and Stern, 2018)"""

    _make = staticmethod(_C._new_adafactor)

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None, maximize=False):
        options = dict(lr=self._number(lr), beta2_decay=self._number(beta2_decay), eps=tuple(eps), d=self._number(d), weight_decay=self._number(weight_decay),
                       maximize=maximize)
        ways = _ways(foreach=foreach)
        self._start(params, options, [lr, beta2_decay, *eps, d, weight_decay, maximize], **ways)


class SparseAdam(Optimizer):
    def __init__(self, params, **options):
        raise NotImplementedError("SparseAdam() is for sparse gradients, and there are none here: Adam() takes dense ones")


class Muon(Optimizer):
    _make = staticmethod(_C._new_muon)

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True,
                 ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        adjust = {None: 0, "original": 0, "match_rms_adamw": 1, "spectral_unclamped": 2}[adjust_lr_fn]
        options = dict(lr=self._number(lr), weight_decay=self._number(weight_decay), momentum=self._number(momentum), nesterov=nesterov,
                       ns_coefficients=tuple(ns_coefficients), eps=self._number(eps), ns_steps=ns_steps)
        self._start(params, options, [lr, weight_decay, momentum, nesterov, *ns_coefficients, eps, ns_steps, adjust])


class LBFGS(Optimizer):
    """A step calls the closure, which computes the loss and the gradients, several times."""

    _make = staticmethod(_C._new_lbfgs)

    def __init__(self, params, lr=1.0, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9,
                 history_size=100, line_search_fn=None, *, maximize=False):
        search = {None: 0, "strong_wolfe": 1}[line_search_fn]
        options = dict(lr=self._number(lr), max_iter=max_iter, tolerance_grad=tolerance_grad, tolerance_change=tolerance_change,
                       history_size=history_size, maximize=maximize)
        self._start(params, options, [lr, max_iter, max_eval, tolerance_grad, tolerance_change, history_size, search, maximize])

    def step(self, closure):
        losses = []

        def loss():
            losses.append(closure())
            return float(losses[-1])

        before = _C._set_grad_enabled(True)
        try:
            self._handle.step_by(loss)
        finally:
            _C._set_grad_enabled(before)
        return losses[0]
