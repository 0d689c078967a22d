"""Comparisons for tests."""

import numbers as _numbers

from . import _C
from ._C import Tensor
from ._core.more import _index

__all__ = ["assert_close", "make_tensor"]

_TOLERANCES = {_C.float16: (1e-3, 1e-5), _C.bfloat16: (1.6e-2, 1e-5), _C.float32: (1.3e-6, 1e-5), _C.float64: (1e-7, 1e-7),
               _C.complex64: (1.3e-6, 1e-5), _C.complex128: (1e-7, 1e-7)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raises AssertionError unless |actual - expected| <= atol + rtol |expected| for each element; tensors, numbers, and
    sequences and mappings of them.  Without tolerances those of the element type: 1.3e-6 and 1e-5 of float32, 1e-7 and 1e-7
    of float64."""
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")

    def fail(text, where):
        text += " (of item %s)" % where if where else ""
        raise AssertionError(msg(text) if callable(msg) else msg if msg is not None else text)

    def compare(a, b, where=""):
        if isinstance(b, dict) and isinstance(a, dict):
            if a.keys() != b.keys():
                fail("The keys of the mappings do not match: %s and %s" % (sorted(a), sorted(b)), where)
            for key in b:
                compare(a[key], b[key], "%s[%r]" % (where, key))
        elif isinstance(b, (list, tuple)) and isinstance(a, (list, tuple)):
            if len(a) != len(b):
                fail("The length of the sequences mismatch: %d != %d" % (len(a), len(b)), where)
            for i, (x, y) in enumerate(zip(a, b)):
                compare(x, y, "%s[%d]" % (where, i))
        elif a is None and b is None:
            return
        else:
            _compare_tensors(a, b, lambda text: fail(text, where))

    def _compare_tensors(a, b, fail):
        if not isinstance(a, (Tensor, _numbers.Number)) or not isinstance(b, (Tensor, _numbers.Number)):
            try:
                a, b = (v if isinstance(v, Tensor) else _C.tensor(v) for v in (a, b))
            except (TypeError, ValueError) as error:
                raise TypeError("No comparison pair was able to handle inputs of type %s and %s." % (type(a), type(b))) from error
        are_numbers = not isinstance(a, Tensor) and not isinstance(b, Tensor)
        if isinstance(a, Tensor) != isinstance(b, Tensor):
            raise TypeError("No comparison pair was able to handle inputs of type %s and %s." % (type(a), type(b)))
        if are_numbers:
            a, b = (_C.tensor(v, dtype=_C.float64 if isinstance(v, float) else None) for v in (a, b))
        if a.shape != b.shape:
            fail("The values for attribute 'shape' do not match: %s != %s." % (a.shape, b.shape))
        if check_dtype and a.dtype != b.dtype and not are_numbers:
            fail("The values for attribute 'dtype' do not match: %r != %r." % (a.dtype, b.dtype))
        if check_stride and a.stride() != b.stride():
            fail("The values for attribute 'stride()' do not match: %s != %s." % (a.stride(), b.stride()))
        dtype = _C.promote_types(a.dtype, b.dtype)
        relative, absolute = ((rtol, atol) if rtol is not None else
                              max(_TOLERANCES.get(a.dtype, (0, 0)), _TOLERANCES.get(b.dtype, (0, 0))))
        a, b = a.detach().to(dtype), b.detach().to(dtype)
        close = _C.isclose(a, b, rtol=relative, atol=absolute, equal_nan=equal_nan)
        if bool(close.all()):
            return
        if a.numel() == 1:
            x, y = a.item(), b.item()
            kind = "Scalars" if are_numbers else "Tensor-likes"
            fail("%s are not %s!\n\nExpected %s but got %s.\nAbsolute difference: %s (up to %s allowed)\nRelative difference: %s (up "
                 "to %s allowed)" % (kind, "close" if relative or absolute else "equal", y, x, abs(x - y), absolute,
                                     abs(x - y) / abs(y) if y else float("inf"), relative))
        count = a.numel() - int(close.sum())
        wide = _C.complex128 if dtype.is_complex else _C.float64
        difference = (a.to(wide) - b.to(wide)).abs().masked_fill(close, 0)
        share = (difference / b.to(wide).abs()).masked_fill(close, 0)
        lines = ["Tensor-likes are not %s!" % ("close" if relative or absolute else "equal"), "",
                 "Mismatched elements: %d / %d (%.1f%%)" % (count, a.numel(), 100.0 * count / a.numel())]
        for name, values, limit in (("absolute", difference, absolute), ("relative", share, relative)):
            at = _C.argmax(values.flatten()).item()
            index = tuple(_index(at, values.shape))
            lines.append("Greatest %s difference: %s at index %s%s" % (
                name, values.flatten()[at].item(), index, " (up to %s allowed)" % limit if relative or absolute else ""))
        fail("\n".join(lines))

    compare(actual, expected)


def make_tensor(*shape, dtype, device="cpu", low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
                memory_format=None):
    """A tensor of random elements in [low, high): by default -9 to 9 of floating types, -9 to 10 of integers, 0 to 10 of
    uint8, False and True of bool."""
    if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
        shape = tuple(shape[0])
    kept = (*shape[:-1], 2 * shape[-1]) if noncontiguous and shape else shape
    if dtype == _C.bool:
        made = _C.randint(2, kept).bool()
    elif dtype.is_floating_point or dtype.is_complex:
        low, high = -9 if low is None else low, 9 if high is None else high
        made = (_C.rand(kept, dtype=_C.float64) * (high - low) + low).to(dtype)
        if dtype.is_complex:
            made = made + 1j * (_C.rand(kept, dtype=_C.float64) * (high - low) + low).to(dtype)
    else:
        low, high = (0 if dtype == _C.uint8 else -9) if low is None else low, 10 if high is None else high
        made = _C.randint(int(low), int(high), kept).to(dtype)
    if noncontiguous and shape:
        made = made[..., ::2]
    if exclude_zero:
        made = made.masked_fill(made == 0, 1)
    return made.requires_grad_() if requires_grad else made
