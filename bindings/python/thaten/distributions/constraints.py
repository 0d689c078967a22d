"""Which values a parameter may have, or a draw: a constraint's check(value) says it for each of value's elements, or for
each vector or matrix of its last event_dim dimensions."""

from .. import _C


class Constraint:
    """The base: a subclass has check()."""

    is_discrete = False
    event_dim = 0

    def check(self, value):
        raise NotImplementedError("check() of %r" % self)

    def __repr__(self):
        return type(self).__name__.lstrip("_").title() + "()"


class _Test(Constraint):
    """What a function says."""

    def __init__(self, name, test, event_dim=0, is_discrete=False):
        self._name, self._test, self.event_dim, self.is_discrete = name, test, event_dim, is_discrete

    def check(self, value):
        return self._test(value)

    def __repr__(self):
        return self._name


class _Bounds(Constraint):
    """Numbers between bounds, which may be tensors; the names of the bounds are in _names."""

    _names = ("lower_bound", "upper_bound")

    def __init__(self, *bounds):
        if len(bounds) != len(self._names):
            raise TypeError("%s takes %s" % (type(self).__name__, " and ".join(self._names)))
        for name, bound in zip(self._names, bounds):
            setattr(self, name, bound)
        super().__init__()

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__.title().replace("_", ""), ", ".join(
            "{}={}".format(name, getattr(self, name)) for name in self._names))


class interval(_Bounds):
    """lower_bound <= x <= upper_bound."""

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class half_open_interval(_Bounds):
    """lower_bound <= x < upper_bound."""

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


class integer_interval(_Bounds):
    """Whole numbers from lower_bound to upper_bound."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class greater_than(_Bounds):
    """x > lower_bound."""

    _names = ("lower_bound",)

    def check(self, value):
        return self.lower_bound < value


class greater_than_eq(_Bounds):
    """x >= lower_bound."""

    _names = ("lower_bound",)

    def check(self, value):
        return self.lower_bound <= value


class less_than(_Bounds):
    """x < upper_bound."""

    _names = ("upper_bound",)

    def check(self, value):
        return value < self.upper_bound


class integer_greater_than(_Bounds):
    """Whole numbers from lower_bound on."""

    _names = ("lower_bound",)
    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class multinomial(_Bounds):
    """Vectors of counts whose sum is at most upper_bound."""

    _names = ("upper_bound",)
    is_discrete = True
    event_dim = 1
    __repr__ = Constraint.__repr__

    def check(self, value):
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class independent(Constraint):
    """A constraint whose last dimensions count as one value."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError("check() of a value of %d dimensions, which needs %d" % (value.dim(), self.event_dim))
        kept = result.dim() - self.reinterpreted_batch_ndims
        return result.reshape(*result.shape[:kept], -1).all(-1)

    def __repr__(self):
        return "IndependentConstraint(%r, %d)" % (self.base_constraint, self.reinterpreted_batch_ndims)


class _Parts(Constraint):
    """Constraints of parts of a dimension."""

    def __init__(self, constraints, dim=0):
        self.cseq, self.dim = list(constraints), dim
        self.is_discrete = any(c.is_discrete for c in self.cseq)

    def _checked(self, parts):
        return [c.check(part) for c, part in zip(self.cseq, parts)]


class cat(_Parts):
    """The parts of lengths along dim, each with its constraint."""

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        self.event_dim = max(c.event_dim for c in self.cseq)

    def check(self, value):
        return _C.cat(self._checked(value.split(self.lengths, self.dim)), self.dim)


class stack(_Parts):
    """Each index of dim with its constraint."""

    def __init__(self, cseq, dim=0):
        super().__init__(cseq, dim)
        self.event_dim = max(c.event_dim for c in self.cseq) + (dim + max(c.event_dim for c in self.cseq) < 0)

    def check(self, value):
        return _C.stack(self._checked(value.unbind(self.dim)), self.dim)


class _Dependent(Constraint):
    """A constraint that other parameters decide."""

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        return _Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value):
        raise ValueError("check() of a constraint that depends on other parameters")


class dependent_property(property, _Dependent):
    """A property of a distribution that gives the constraint; of the class it is a constraint that depends."""

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self.is_discrete, self.event_dim = is_discrete, event_dim

    def __call__(self, fn):
        return dependent_property(fn, is_discrete=self.is_discrete, event_dim=self.event_dim)

    __repr__ = object.__repr__


def is_dependent(constraint):
    """Whether other parameters decide what the constraint is."""
    return isinstance(constraint, _Dependent)


def _symmetric(m):
    return _C.isclose(m, m.mT, atol=1e-6).all(-2).all(-1)


def _lower_cholesky(m):
    return (m.tril() == m).reshape(*m.shape[:-2], -1).all(-1) & (m.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


def _unit_rows(m):
    tolerance = 10 * m.shape[-1] * _C.empty(0, dtype=m.dtype).new_tensor(1).nextafter(m.new_tensor(2)).sub(1).item()
    return ((m.detach() ** 2).sum(-1) - 1).abs().lt(tolerance).all(-1)


def _definite(m):
    return _C.linalg_cholesky_ex(m)[1] == 0


_KINDS = {
    "boolean": (lambda x: (x == 0) | (x == 1), 0, True),
    "one_hot": (lambda x: ((x == 0) | (x == 1)).all(-1) & x.sum(-1).eq(1), 1, True),
    "real": (lambda x: x == x, 0),
    "simplex": (lambda x: (x >= 0).all(-1) & ((x.sum(-1) - 1).abs() < 1e-6), 1),
    "lower_triangular": (lambda m: (m.tril() == m).reshape(*m.shape[:-2], -1).all(-1), 2),
    "lower_cholesky": (_lower_cholesky, 2),
    "corr_cholesky": (lambda m: _lower_cholesky(m) & _unit_rows(m), 2),
    "square": (lambda m: _C.full(m.shape[:-2], m.shape[-2] == m.shape[-1], dtype=_C.bool), 2),
    "symmetric": (_symmetric, 2),
    "positive_semidefinite": (lambda m: _symmetric(m) & (_C.linalg_eigvalsh(m) >= 0).all(-1), 2),
    "positive_definite": (lambda m: _symmetric(m) & _definite(m), 2),
}
_made = {name: type("_" + name.title().replace("_", ""), (_Test,), {})(name.title().replace("_", "") + "()", *how)
         for name, how in _KINDS.items()}
globals().update(_made)
real, simplex, lower_cholesky, positive_definite = (_made[n] for n in ("real", "simplex", "lower_cholesky", "positive_definite"))
dependent = _Dependent()
real_vector = independent(real, 1)
positive, nonnegative, unit_interval = greater_than(0.0), greater_than_eq(0.0), interval(0.0, 1.0)
nonnegative_integer, positive_integer = integer_greater_than(0), integer_greater_than(1)

__all__ = [name for name in list(globals()) if not name.startswith("_")]
