"""Tensors as text: their elements in columns, and what else tells tensors apart.

All numbers of a tensor have one form: whole ones end in a point, others have `precision` decimals, and where the smallest and
the largest are far apart, exponents.  Of large tensors only the first and last `edgeitems` along each dimension are shown.
"""

import contextlib as _contextlib
import math as _math

from .. import _C
from .._C import Tensor

_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, _math.inf, 3, 80)}


class _Options:
    precision, threshold, edgeitems, linewidth = _PROFILES["default"]
    sci_mode = None


PRINT_OPTS = _Options()
_NAMES = ("precision", "threshold", "edgeitems", "linewidth")


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """How tensors are written: decimals, how many elements before a tensor is shortened, how many then remain at each end,
    characters in a line, and whether with exponents (None: as the numbers are).  A profile, "default", "short" or "full", sets
    the first four."""
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError("set_printoptions(): profile is %r, and not one of %s" % (profile, ", ".join(_PROFILES)))
        for name, value in zip(_NAMES, _PROFILES[profile]):
            setattr(PRINT_OPTS, name, value)
    for name, value in zip(_NAMES, (precision, threshold, edgeitems, linewidth)):
        if value is not None:
            setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions():
    """The options of set_printoptions, by their names."""
    return {name: getattr(PRINT_OPTS, name) for name in _NAMES + ("sci_mode",)}


@_contextlib.contextmanager
def printoptions(**options):
    """set_printoptions() until the end of the with statement."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


class _Column:
    """The form of the numbers, and the width that holds each."""

    def __init__(self, numbers, is_float):
        self.is_float, self.width = is_float, 1
        self.is_whole, self.has_exponents = True, False
        if not is_float:
            self.width = max([1] + [len(str(n)) for n in numbers])
            return
        finite = [n for n in numbers if n != 0 and _math.isfinite(n)]
        if not finite:
            return
        least, most = min(map(abs, finite)), max(map(abs, finite))
        self.is_whole = all(n == _math.floor(n) for n in numbers if _math.isfinite(n))
        self.has_exponents = most / least > 1000 or most > 1e8 or (not self.is_whole and least < 1e-4)
        if PRINT_OPTS.sci_mode is not None:
            self.has_exponents = PRINT_OPTS.sci_mode
        self.width = max(len(self.digits(n)) for n in finite)

    def digits(self, n):
        if not self.is_float:
            return str(n)
        if self.has_exponents:
            return "%.*e" % (PRINT_OPTS.precision, n)
        if self.is_whole:
            return "%.0f" % n + ("." if _math.isfinite(n) else "")
        return "%.*f" % (PRINT_OPTS.precision, n)

    def text(self, n):
        return self.digits(n).rjust(self.width)


class _Columns:
    """The same for the parts of complex numbers, or for the numbers themselves."""

    def __init__(self, numbers, dtype):
        self.is_complex = dtype.is_complex
        if self.is_complex:
            self.real, self.imag = _Column([z.real for z in numbers], True), _Column([z.imag for z in numbers], True)
            self.width = self.real.width + self.imag.width + 1
        else:
            self.real = _Column(numbers, dtype.is_floating_point)
            self.width = self.real.width

    def text(self, n):
        if not self.is_complex:
            return self.real.text(n)
        imag = self.imag.text(n.imag).lstrip() + "j"
        return self.real.text(n.real) + ("" if imag[0] in "+-" else "+") + imag


def _ends(t):
    """What is shown of a tensor that is shortened."""
    edge = PRINT_OPTS.edgeitems
    for dim, size in enumerate(t.shape):
        if size > 2 * edge:
            t = _C.cat([t.narrow(dim, 0, edge), t.narrow(dim, size - edge, edge)], dim)
    return t


def _flat(nested, dims):
    for _ in range(dims - 1):
        nested = [one for part in nested for one in part]
    return nested if dims else [nested]


def _body(nested, sizes, columns, indent, is_short):
    """Nested brackets.  sizes are the tensor's, of which nested has only the ends where it is shortened."""
    if not sizes:
        return columns.text(nested)
    edge = PRINT_OPTS.edgeitems
    is_cut = is_short and sizes[0] > 2 * edge
    if len(sizes) == 1:
        words = [columns.text(n) for n in nested]
        if is_cut:
            words[edge:edge] = [" ..." if edge else "..."]
        count = max(1, (PRINT_OPTS.linewidth - indent) // (columns.width + 2))
        lines = [", ".join(words[i:i + count]) for i in range(0, len(words), count)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = [_body(part, sizes[1:], columns, indent + 1, is_short) for part in nested]
    if is_cut:
        parts[edge:edge] = ["..."]
    return "[" + ("," + "\n" * (len(sizes) - 1) + " " * (indent + 1)).join(parts) + "]"


def _elements(t, indent):
    is_short = t.numel() > PRINT_OPTS.threshold
    shown = _ends(t) if is_short else t
    nested = shown.tolist()
    return _body(nested, list(t.shape), _Columns(_flat(nested, t.dim()), t.dtype), indent, is_short)


def _facts(t):
    """What is said after the elements."""
    usual = [_C._get_default_dtype()]
    facts, size = [], "size=%s" % (tuple(t.shape),)
    if t.numel() == 0:
        if t.dim() != 1:
            facts.append(size)
    else:
        usual += [_C.promote_types(usual[0], _C.complex64), _C.int64, _C.bool]
        if PRINT_OPTS.edgeitems == 0:
            facts.append(size)
    if t.dtype not in usual:
        facts.append("dtype=%r" % t.dtype)
    if t.grad_fn is not None:
        facts.append("grad_fn=<%s>" % t.grad_fn.name().rpartition(":")[2])
    elif t.requires_grad:
        facts.append("requires_grad=True")
    return facts


def _repr(self, *, tensor_contents=None):
    """The elements, the dtype if it is not the usual one, and whether gradients are recorded."""
    prefix = "tensor("
    plain = self.detach()
    text = prefix + ("[]" if self.numel() == 0 else _elements(plain, len(prefix)))
    length = len(text) - text.rfind("\n") + 1
    for fact in _facts(self):
        if length + len(fact) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * len(prefix) + fact
            length = len(prefix) + len(fact)
        else:
            text += ", " + fact
            length += len(fact) + 2
    return text + ")"


def _several(self):
    """Results with names, a line for each."""
    names = [name for name, _ in zip(type(self).__match_args__, self)]
    kind = type(self)
    return "%s.%s(\n%s)" % (kind.__module__, kind.__name__, ",\n".join("%s=%r" % pair for pair in zip(names, self)))


Tensor.__repr__ = _repr
_C._set_result_text(_several)

__all__ = ["set_printoptions"]
