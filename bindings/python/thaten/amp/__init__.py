"""Mixed precision.  What autocast encloses computes in the types of its tensors, which is at least as exact as the types
that it names; GradScaler scales losses as PyTorch's does."""

import functools as _functools

from .. import _C


class autocast:
    """A context manager and a decorator, in which operations compute in the types of their tensors."""

    def __init__(self, device_type="cpu", dtype=None, enabled=True, cache_enabled=None):
        if device_type != "cpu":
            enabled = False
        self.device, self.fast_dtype, self._enabled = device_type, dtype, enabled

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __call__(self, function):
        @_functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return wrapped


class GradScaler:
    """Multiplies losses by a factor, so that small gradients are not 0 in a short type.  A step in which a gradient is
    infinite or NaN is left out, and the factor becomes smaller; after growth_interval good steps it grows."""

    def __init__(self, device="cpu", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                 enabled=True):
        if growth_factor <= 1 or not 0 < backoff_factor < 1:
            raise ValueError("growth_factor is %r and backoff_factor %r" % (growth_factor, backoff_factor))
        enabled = enabled and device == "cpu"
        self._enabled, self._scale, self._growth_tracker = enabled, float(init_scale), 0
        self._growth, self._backoff, self._interval = growth_factor, backoff_factor, growth_interval
        self._found = {}  # whether a gradient of the optimizer is not finite, by its id

    def is_enabled(self):
        return self._enabled

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def scale(self, outputs):
        """The tensor, or all of a list, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(map(self.scale, outputs))
        return outputs * self._scale

    def unscale_(self, optimizer):
        """Divides the gradients of the optimizer's parameters by the factor."""
        if not self._enabled:
            return
        if id(optimizer) in self._found:
            raise RuntimeError("unscale_() was called before for this optimizer's step")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        before = _C._set_grad_enabled(False)
        try:
            for grad in grads:
                grad.mul_(1 / self._scale)
            self._found[id(optimizer)] = any(not bool(_C.isfinite(grad).all()) for grad in grads)
        finally:
            _C._set_grad_enabled(before)

    def step(self, optimizer, *args, **kwargs):
        """The optimizer's step, unless a gradient is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        return None if self._found[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        """Sets the factor of the next step."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif any(self._found.values()):
            self._scale, self._growth_tracker = self._scale * self._backoff, 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._interval:
                self._scale, self._growth_tracker = self._scale * self._growth, 0
        self._found = {}

    def state_dict(self):
        if not self._enabled:
            return {}
        return {"scale": self._scale, "growth_factor": self._growth, "backoff_factor": self._backoff,
                "growth_interval": self._interval, "_growth_tracker": self._growth_tracker}

    def load_state_dict(self, state_dict):
        if self._enabled:
            self._scale, self._growth, self._backoff = (float(state_dict[name]) for name in (
                "scale", "growth_factor", "backoff_factor"))
            self._interval, self._growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]
