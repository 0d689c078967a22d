"""Averages of a network's parameters over its training."""

import copy as _copy

from .. import _C
from ..autograd import no_grad
from ..nn.module import Module
from .lr_scheduler import LRScheduler


def get_ema_multi_avg_fn(decay=0.999):
    """Averages in which each update weighs 1 - decay."""
    if not 0 <= decay <= 1:
        raise ValueError("decay is %r, and not between 0 and 1" % (decay,))

    def update(averages, parameters, count):
        for average, p in zip(averages, parameters):
            average.copy_(average * decay + p * (1 - decay))

    return update


def get_ema_avg_fn(decay=0.999):
    """The same for one parameter: avg_fn of AveragedModel."""
    return lambda average, parameter, count: decay * average + (1 - decay) * parameter


def get_swa_avg_fn():
    """The mean of all updates, of one parameter."""
    return lambda average, parameter, count: average + (parameter - average) / (count + 1)


def get_swa_multi_avg_fn():
    """The mean of all updates, of lists of parameters."""

    def update(averages, parameters, count):
        for average, p in zip(averages, parameters):
            average.copy_(average + (p - average) / (count + 1))

    return update


class AveragedModel(Module):
    """A copy of a module, in the member module, whose parameters are the means of those at each update_parameters()."""

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        self.module = _copy.deepcopy(model)
        self.register_buffer("n_averaged", _C.tensor(0))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _members(self, module):
        return [*module.parameters(), *(module.buffers() if self.use_buffers else ())]

    @no_grad()
    def update_parameters(self, model):
        """Takes the module's parameters into the average."""
        averages, now = [[t.detach() for t in self._members(m)] for m in (self.module, model)]
        count = int(self.n_averaged)
        if count == 0:
            for average, p in zip(averages, now):
                average.copy_(p)
        elif self.multi_avg_fn:
            self.multi_avg_fn(averages, now, self.n_averaged)
        else:
            mean = self.avg_fn or (lambda average, p, n: average + (p - average) / (n + 1))
            for average, p in zip(averages, now):
                average.copy_(mean(average, p, self.n_averaged))
        if not self.use_buffers:
            for average, b in zip(self.module.buffers(), model.buffers()):
                average.copy_(b)
        self.n_averaged += 1


@no_grad()
def update_bn(loader, model, device=None):
    """Computes the running means and variances of all batch normalizations anew, from the batches of the loader."""
    layers = [m for m in model.modules() if hasattr(m, "running_mean") and m.running_mean is not None]
    if not layers:
        return
    momenta = [m.momentum for m in layers]
    was_training = model.training
    model.train()
    for m in layers:
        m.reset_running_stats()
    sums = None
    for count, batch in enumerate(loader, 1):
        model(batch[0] if isinstance(batch, (list, tuple)) else batch)
        # The running values have gone momentum of the way to the batch's; undo that, and go 1 / count of it.
        seen = [[m.running_mean.clone(), m.running_var.clone()] for m in layers]
        if sums is None:
            sums = [[_C.zeros_like(t), _C.ones_like(t)] for t in (s[0] for s in seen)]
        for m, momentum, (mean, var), before in zip(layers, momenta, seen, sums):
            rate = 0.1 if momentum is None else momentum
            for now, old in ((mean, before[0]), (var, before[1])):
                now.copy_(old + (now - old) / rate / count)
            before[0], before[1] = mean, var
            m.running_mean.copy_(mean)
            m.running_var.copy_(var)
    model.train(was_training)


class SWALR(LRScheduler):
    """Goes to swa_lr within anneal_epochs steps, and stays there."""

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError("anneal_strategy is %r, and not cos or linear" % (anneal_strategy,))
        self.anneal_epochs, self.is_linear = anneal_epochs, anneal_strategy == "linear"
        rates = swa_lr if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        super().__init__(optimizer, last_epoch)

    def _share(self, step):
        import math

        done = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return done if self.is_linear else (1 - math.cos(math.pi * done)) / 2

    def get_lr(self):
        before, now = self._share(self.last_epoch - 1), self._share(self.last_epoch)
        if self.anneal_epochs == 0:
            now = 1.0
        rates = []
        for group in self.optimizer.param_groups:
            first = group["lr"] if before == 1 else (group["lr"] - before * group["swa_lr"]) / (1 - before)
            rates.append(group["swa_lr"] * now + first * (1 - now))
        return rates
