"""Mixed precision: what autocast encloses computes products and convolutions in a type of two bytes and what needs digits in
Float; GradScaler scales losses as PyTorch's does."""

import functools as _functools
import threading as _threading
import warnings as _warnings

from .. import _C
from .._C import Tensor
from ..autograd import _Decorator

_DEVICES = {"cpu": 0, "cuda": 1}
_cache = _threading.local()  # .on: whether parameters are cast once
_dtypes = {"cpu": _C.bfloat16, "cuda": _C.float16}


def _number(device_type):
    if device_type not in _DEVICES:
        raise RuntimeError("autocast: the device is %r, and has to be cpu or cuda" % (device_type,))
    return _DEVICES[device_type]


def is_autocast_available(device_type):
    return device_type == "cpu"


def is_autocast_enabled(device_type="cuda"):
    """Whether operations of this thread cast their operands on the device."""
    return _C._autocast(_number(device_type)) is not None


def is_autocast_cpu_enabled():
    return is_autocast_enabled("cpu")


def is_autocast_cache_enabled():
    """Whether a block casts each parameter once, until it changes."""
    return getattr(_cache, "on", True)


def get_autocast_dtype(device_type):
    """The type that products compute in under autocast."""
    _number(device_type)
    return _dtypes[device_type]


def get_autocast_cpu_dtype():
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype():
    return get_autocast_dtype("cuda")


def set_autocast_dtype(device_type, dtype):
    """Sets the type for products."""
    number = _number(device_type)
    if _C._autocast(number) is not None:
        _C._set_autocast(number, dtype)
    _dtypes[device_type] = dtype


def set_autocast_cpu_dtype(dtype):
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype):
    set_autocast_dtype("cuda", dtype)


def set_autocast_enabled(device_type, enabled=None):
    """Whether operations of this thread cast their operands; without a device on CUDA."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    _C._set_autocast(_number(device_type), _dtypes[device_type] if enabled else None)


def set_autocast_cpu_enabled(enabled):
    set_autocast_enabled("cpu", enabled)


def set_autocast_cache_enabled(enabled):
    """Whether a block of this thread casts each parameter once, until it changes, or for each call."""
    _cache.on = bool(enabled)
    _C._set_autocast_cache(_cache.on)


def clear_autocast_cache():
    """Releases the casts of parameters, which otherwise are kept until the outermost block ends."""
    _C._set_autocast_cache(False)
    _C._set_autocast_cache(is_autocast_cache_enabled())


class autocast(_Decorator):
    """A context manager and a decorator, in which operations on the device choose their types: products and convolutions in
    dtype, BFloat16 unless another one is given."""

    def __init__(self, device_type="cpu", dtype=None, enabled=True, cache_enabled=None):
        device_type = getattr(device_type, "type", device_type)
        if not isinstance(device_type, str):
            raise ValueError("autocast: the device is %r, and has to be a name" % (device_type,))
        _number(device_type)
        self.device, self.fast_dtype = device_type, dtype or _dtypes[device_type]
        if enabled and device_type != "cpu":
            _warnings.warn("autocast: there is no device %s; it stays off" % device_type, stacklevel=2)
            enabled = False
        if enabled and self.fast_dtype not in (_C.bfloat16, _C.float16):
            _warnings.warn("autocast: the type is %r, and has to be bfloat16 or float16; it stays off" % self.fast_dtype,
                           stacklevel=2)
            enabled = False
        self._enabled, self._cache_enabled, self._before = enabled, cache_enabled, []

    def __enter__(self):
        number = _DEVICES[self.device]
        cached = is_autocast_cache_enabled()
        self._before.append((_C._autocast(number), _dtypes[self.device], cached))
        if self._cache_enabled is not None and self._cache_enabled != cached:
            set_autocast_cache_enabled(self._cache_enabled)
        _C._set_autocast(number, self.fast_dtype if self._enabled else None)
        _dtypes[self.device] = self.fast_dtype
        return self

    def __exit__(self, *_):
        dtype, _dtypes[self.device], cached = self._before.pop()
        _C._set_autocast(_DEVICES[self.device], dtype)
        if cached != is_autocast_cache_enabled():
            set_autocast_cache_enabled(cached)
        return False


def _cast(value, dtype):
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() and value.dtype != _C.float64 else value
    if isinstance(value, dict):
        return {_cast(k, dtype): _cast(v, dtype) for k, v in value.items()}
    return type(value)(_cast(one, dtype) for one in value) if isinstance(value, (list, tuple)) else value


def custom_fwd(fwd=None, *, device_type="cuda", cast_inputs=None):
    """For forward of an autograd.Function: under autocast it runs as it is, or with cast_inputs on operands of that type and
    without autocast."""
    if fwd is None:
        return _functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @_functools.wraps(fwd)
    def forward(*args, **kwargs):
        on = is_autocast_enabled(device_type)
        args[0]._dtype, args[0]._fwd_used_autocast = get_autocast_dtype(device_type), on and cast_inputs is None
        if not on or cast_inputs is None:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, cast_inputs), **_cast(kwargs, cast_inputs))

    return forward


def custom_bwd(bwd=None, *, device_type="cuda"):
    """For backward of one whose forward has custom_fwd: it runs under the autocast that forward ran under."""
    if bwd is None:
        return _functools.partial(custom_bwd, device_type=device_type)

    @_functools.wraps(bwd)
    def backward(*args, **kwargs):
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return backward


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

    def get_growth_factor(self):
        return self._growth

    def set_growth_factor(self, new_factor):
        self._growth = new_factor

    def get_backoff_factor(self):
        return self._backoff

    def set_backoff_factor(self, new_factor):
        self._backoff = new_factor

    def get_growth_interval(self):
        return self._interval

    def set_growth_interval(self, new_interval):
        self._interval = new_interval

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
