"""Transforms of all real numbers to the values that a constraint allows: biject_to(constraint) has an inverse, and
transform_to(constraint) is the one for optimization, which need not have."""

from . import constraints, transforms


class ConstraintRegistry:
    """Factories of transforms, by the classes of constraints."""

    def __init__(self):
        self._factories = {}

    def register(self, constraint, factory=None):
        """Notes factory(constraint) for the constraint's class; without a factory, a decorator."""
        if factory is None:
            return lambda function: self.register(constraint, function)
        kind = constraint if isinstance(constraint, type) else type(constraint)
        if not issubclass(kind, constraints.Constraint):
            raise TypeError("register(): %r is no constraint" % (constraint,))
        self._factories[kind] = factory
        return factory

    def __call__(self, constraint):
        """The transform for the constraint."""
        if type(constraint) not in self._factories:
            raise NotImplementedError("no transform is known to %r" % (constraint,))
        return self._factories[type(constraint)](constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _affine(low, high):
    return transforms.AffineTransform(low, high - low)


def _between(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), _affine(low, high)])


def _above(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


def _below(constraint):
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


_BOTH = [
    (constraints.real, lambda c: transforms.identity_transform),
    (constraints.greater_than, _above), (constraints.greater_than_eq, _above), (constraints.less_than, _below),
    (constraints.interval, _between), (constraints.half_open_interval, _between),
    (constraints.corr_cholesky, lambda c: transforms.CorrCholeskyTransform()),
]
for _constraint, _factory in _BOTH:
    biject_to.register(_constraint, _factory)
    transform_to.register(_constraint, _factory)
biject_to.register(constraints.simplex, lambda c: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda c: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda c: transforms.LowerCholeskyTransform())
for _constraint in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_constraint, lambda c: transforms.PositiveDefiniteTransform())


def _of_parts(registry):
    @registry.register(constraints.independent)
    def _independent(c):
        return transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims)

    @registry.register(constraints.cat)
    def _cat(c):
        return transforms.CatTransform([registry(one) for one in c.cseq], c.dim, c.lengths)

    @registry.register(constraints.stack)
    def _stack(c):
        return transforms.StackTransform([registry(one) for one in c.cseq], c.dim)


for _registry in (biject_to, transform_to):
    _of_parts(_registry)

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
