"""Schedules of learning rates: those of the library, and those that call functions of the caller's or other schedules."""

import bisect as _bisect

from .. import _C
from .optimizer import load_by_file


class _Shadow:
    """An optimizer of the library with the groups' options, on which a schedule of the library steps for an optimizer that
    the library has not."""

    options = {"lr": "lr", "momentum": "momentum"}

    def __init__(self, optimizer):
        self.groups, self.handle = optimizer.param_groups, None
        for number, group in enumerate(self.groups):
            parameter = [_C.zeros(1).requires_grad_()]
            if number == 0:
                self.handle = _C._new_sgd(parameter, group["lr"], group.get("momentum", 0.0), 0.0, 0.0, False, False)
            else:
                self.handle.add_group(parameter)
        self.give()

    def give(self):
        """The groups' options, which a program may have changed, to the library."""
        for number, group in enumerate(self.groups):
            for name in self.options:
                if name in group:
                    self.handle.set(number, name, group[name])

    def take(self):
        for number, group in enumerate(self.groups):
            for name in self.options:
                if name in group:
                    group[name] = self.handle.get(number, name)


class _Scaled(_Shadow):
    """A shadow whose rate is a fraction, from which rate(group's number, fraction) makes those of the groups, as momentum()
    does."""

    def __init__(self, optimizer, rate, momentum=None):
        self.rate, self.momentum = rate, momentum
        super().__init__(optimizer)

    def give(self):
        for number, group in enumerate(self.groups):
            self.handle.set(number, "lr", 1.0)
            if "momentum" in group or "betas" in group:
                self.handle.set(number, "momentum", group["momentum"] if "momentum" in group else group["betas"][0])

    def take(self):
        for number, group in enumerate(self.groups):
            fraction = self.handle.get(number, "lr")
            group["lr"] = self.rate(number, fraction)
            momentum = self.momentum(number, fraction) if self.momentum else self.handle.get(number, "momentum")
            if "momentum" in group:
                group["momentum"] = momentum
            elif "betas" in group:
                group["betas"] = (momentum, *group["betas"][1:])


def _each(name, value, groups):
    """A value for each group."""
    values = list(value) if isinstance(value, (list, tuple)) else [value] * len(groups)
    if len(values) != len(groups):
        raise ValueError("%s has %d entries for %d groups" % (name, len(values), len(groups)))
    return values


class LRScheduler:
    """A schedule of the library, or of one's own: get_lr() gives the rate of each group after last_epoch steps."""

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self._begin = lambda: cls(*args, **kwargs)  # the schedule at its first step, for SequentialLR
        if cls.__module__ == __name__:  # the options are attributes
            code, defaults = cls.__init__.__code__, cls.__init__.__defaults__ or ()
            names = code.co_varnames[1:code.co_argcount]
            given = {**dict(zip(names[len(names) - len(defaults):], defaults)), **dict(zip(names, args)), **kwargs}
            self.__dict__.update((k, v) for k, v in given.items() if k not in ("optimizer", "last_epoch", "schedulers", "lr_lambda"))
        return self

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [g["initial_lr"] for g in optimizer.param_groups]
        self._handle = None
        self.step()

    def _start(self, optimizer, last_epoch, make, *options, scaled=None):
        if not hasattr(optimizer, "param_groups"):
            raise TypeError("%s is not an Optimizer" % type(optimizer).__name__)
        if last_epoch != -1:
            raise NotImplementedError("a schedule of the library begins with last_epoch=-1")
        self.optimizer = optimizer
        self._shadow = scaled or (None if hasattr(optimizer, "_handle") else _Shadow(optimizer))
        self.last_epoch = 0
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [g["initial_lr"] for g in optimizer.param_groups]
        self._handle = make(self._shadow.handle if self._shadow else optimizer._handle, *options)
        if self._shadow:
            self._shadow.take()

    def _step(self, *metric):
        if self._shadow:
            self._shadow.give()
        (self._handle.step_by if metric else self._handle.step)(*metric)
        self.last_epoch += 1
        if self._shadow:
            self._shadow.take()

    def get_lr(self):
        raise NotImplementedError("get_lr() of a schedule")

    def get_last_lr(self):
        return [g["lr"] for g in self.optimizer.param_groups]

    def step(self, epoch=None):
        """Goes to the next step, of all groups."""
        if self._handle is not None:
            self._step()
            return
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = rate

    def state_dict(self):
        """The numbers and lists of the schedule."""
        own = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_handle", "_shadow", "_begin", "lr_lambdas")}
        if self._handle is not None:  # with what has happened so far, such as the best metric
            own.update(self._handle.state())
        return {**own, "_step_count": self.last_epoch + 1, "_last_lr": self.get_last_lr()}

    def load_state_dict(self, state_dict):
        """Goes to the step of a state; the rates are in the optimizer's."""
        if self._handle is not None:
            load_by_file(self._handle, state_dict)
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler


class StepLR(LRScheduler):
    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_step_lr, step_size, gamma)


class MultiStepLR(LRScheduler):
    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_multistep_lr, list(milestones), gamma)


class ConstantLR(LRScheduler):
    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_constant_lr, factor, total_iters)


class LinearLR(LRScheduler):
    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_linear_lr, start_factor, end_factor, total_iters)


class ExponentialLR(LRScheduler):
    def __init__(self, optimizer, gamma, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_exponential_lr, gamma)


class PolynomialLR(LRScheduler):
    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_polynomial_lr, total_iters, power)


class CosineAnnealingLR(LRScheduler):
    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_cosine_lr, T_max, eta_min)


class CosineAnnealingWarmRestarts(LRScheduler):
    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        self._start(optimizer, last_epoch, _C._new_cosine_restarts_lr, T_0, T_mult, eta_min)


class OneCycleLR(LRScheduler):
    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("OneCycleLR() needs total_steps, or epochs and steps_per_epoch")
        steps = epochs * steps_per_epoch if total_steps is None else total_steps
        linear = {"cos": False, "linear": True}[anneal_strategy]
        rates, scaled = _each("max_lr", max_lr, optimizer.param_groups), None
        if isinstance(max_lr, (list, tuple)):
            max_lr, scaled = 1.0, _Scaled(optimizer, lambda number, fraction: rates[number] * fraction)
        self._start(optimizer, last_epoch, _C._new_onecycle_lr, max_lr, steps, pct_start, linear, cycle_momentum,
                    base_momentum, max_momentum, div_factor, final_div_factor, three_phase, scaled=scaled)
        for group, rate in zip(optimizer.param_groups, rates):
            group["initial_lr"] = rate / div_factor


class ReduceLROnPlateau(LRScheduler):
    """Reduces the rate when the metric, which step() is given, has stopped to become better."""

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0.0, eps=1e-8):
        new = [g for g in getattr(optimizer, "param_groups", ()) if "initial_lr" not in g]
        self._start(optimizer, -1, _C._new_plateau_lr, {"min": False, "max": True}[mode], factor, patience, threshold,
                    {"rel": False, "abs": True}[threshold_mode], cooldown, min_lr, eps)
        for group in new:  # later schedules begin with the rate of their time
            del group["initial_lr"]

    def step(self, metrics, epoch=None):
        self._step(float(metrics))

    def _number(name):
        return property(lambda self: self._handle.state()[name])

    best, num_bad_epochs, cooldown_counter = _number("best"), _number("num_bad_epochs"), _number("cooldown_counter")
    del _number


class LambdaLR(LRScheduler):
    """The first rate times what a function, or a list of one for each group, gives for the number of steps."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        count = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError("%d functions for %d groups" % (len(self.lr_lambdas), count))
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * function(self.last_epoch) for base, function in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(LambdaLR):
    """Each step multiplies the rate by what the function gives for the number of steps."""

    def get_lr(self):
        rates = [g["lr"] for g in self.optimizer.param_groups]
        if self.last_epoch > 0:
            rates = [rate * function(self.last_epoch) for rate, function in zip(rates, self.lr_lambdas)]
        return rates


class CyclicLR(LRScheduler):
    """Up to max_lr and down to base_lr again and again; with mode triangular2 and exp_range cycles become smaller."""

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
                 scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1):
        number = {"triangular": 0, "triangular2": 1, "exp_range": 2}[mode]
        ranges = (base_lr, max_lr, base_momentum, max_momentum)
        if scale_fn is not None or any(isinstance(v, (list, tuple)) for v in ranges):
            self._start_scaled(optimizer, last_epoch, ranges, step_size_up, step_size_down or step_size_up,
                               0 if scale_fn else number, gamma, scale_fn, scale_mode == "cycle", cycle_momentum)
            return
        self._start(optimizer, last_epoch, _C._new_cyclic_lr, base_lr, max_lr, step_size_up, step_size_down or 0, number, gamma,
                    cycle_momentum, base_momentum, max_momentum)
        self._begin_at([base_lr] * len(optimizer.param_groups))

    def _begin_at(self, rates):
        self.base_lrs = [float(v) for v in rates]
        for group, rate in zip(self.optimizer.param_groups, self.base_lrs):
            group["initial_lr"] = rate

    def _start_scaled(self, optimizer, last_epoch, ranges, up, down, mode, gamma, scale_fn, by_cycle, cycle_momentum):
        """With ranges for each group, or a function that scales the cycles."""
        names = ("base_lr", "max_lr", "base_momentum", "max_momentum")
        low, high, least, most = (_each(name, value, optimizer.param_groups) for name, value in zip(names, ranges))

        def height(fraction):
            return fraction if scale_fn is None else fraction * scale_fn(
                1 + self.last_epoch // (up + down) if by_cycle else self.last_epoch)

        scaled = _Scaled(optimizer, lambda i, fraction: low[i] + (high[i] - low[i]) * height(fraction), cycle_momentum and (
            lambda i, fraction: most[i] - (most[i] - least[i]) * height(fraction)))
        self._start(optimizer, last_epoch, _C._new_cyclic_lr, 0.0, 1.0, up, down, mode, gamma, False, 0.8, 0.9, scaled=scaled)
        self._begin_at(low)


class SequentialLR(LRScheduler):
    """Schedules one after the other, each from its milestone on."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("%d milestones for %d schedules" % (len(milestones), len(schedulers)))
        if any(s.optimizer is not optimizer for s in schedulers):
            raise ValueError("the schedules are of other optimizers")
        self._schedulers, self._milestones, self.optimizer = list(schedulers), list(milestones), optimizer
        self._handle, self._restart = None, [s._begin for s in schedulers]
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self._schedulers[0] = self._restart[0]()

    def step(self, epoch=None):
        self.last_epoch += 1
        i = _bisect.bisect_right(self._milestones, self.last_epoch)
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            for group in self.optimizer.param_groups:
                group["lr"] = group["initial_lr"]
            self._schedulers[i] = self._restart[i]()
        else:
            self._schedulers[i].step()

    def state_dict(self):
        return {"_milestones": self._milestones, "last_epoch": self.last_epoch, "_last_lr": self.get_last_lr(),
                "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict):
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(state)
        self.last_epoch = state_dict["last_epoch"]


class ChainedScheduler:
    """Steps several schedules of one optimizer at once."""

    def __init__(self, schedulers, optimizer=None):
        self._schedulers, self.optimizer = list(schedulers), schedulers[0].optimizer

    def get_last_lr(self):
        return [g["lr"] for g in self.optimizer.param_groups]

    def step(self):
        for schedule in self._schedulers:
            schedule.step()

    def state_dict(self):
        return {"_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict):
        for schedule, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            schedule.load_state_dict(state)
