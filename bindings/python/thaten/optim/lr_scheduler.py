"""Schedules of learning rates: those of the library, and LambdaLR, SequentialLR and ChainedScheduler."""

from .. import _C


class LRScheduler:
    """A schedule of the library, or of one's own: get_lr() gives the rate of each group after last_epoch steps."""

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [g["initial_lr"] for g in optimizer.param_groups]
        self._handle = None
        self.step()

    def _start(self, optimizer, last_epoch, make, *options):
        if last_epoch != -1:
            raise NotImplementedError("a schedule of the library begins with last_epoch=-1")
        self.optimizer = optimizer
        self.base_lrs = [g["lr"] for g in optimizer.param_groups]
        self._handle = make(optimizer._handle, *options)
        self.last_epoch = 0

    def get_lr(self):
        raise NotImplementedError("get_lr() of a schedule")

    def get_last_lr(self):
        return [g["lr"] for g in self.optimizer.param_groups]

    def step(self, epoch=None):
        """Goes to the next step, of all groups."""
        if self._handle is not None:
            self._handle.step()
            self.last_epoch += 1
            return
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = rate


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
        steps = epochs * steps_per_epoch if total_steps is None else total_steps
        linear = {"cos": False, "linear": True}[anneal_strategy]
        self._start(optimizer, last_epoch, _C._new_onecycle_lr, max_lr, steps, pct_start, linear, cycle_momentum,
                    base_momentum, max_momentum, div_factor, final_div_factor, three_phase)


class ReduceLROnPlateau(LRScheduler):
    """Reduces the rate when the metric, which step() is given, has stopped to become better."""

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0.0, eps=1e-8):
        self._start(optimizer, -1, _C._new_plateau_lr, {"min": False, "max": True}[mode], factor, patience, threshold,
                    {"rel": False, "abs": True}[threshold_mode], cooldown, min_lr, eps)

    def step(self, metrics, epoch=None):
        self._handle.step_by(float(metrics))
        self.last_epoch += 1


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


class ChainedScheduler:
    """Steps several schedules of one optimizer at once."""

    def __init__(self, schedulers, optimizer=None):
        self._schedulers, self.optimizer = list(schedulers), schedulers[0].optimizer

    def get_last_lr(self):
        return [g["lr"] for g in self.optimizer.param_groups]

    def step(self):
        for schedule in self._schedulers:
            schedule.step()
