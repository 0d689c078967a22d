"""What all distributions have, and Independent."""

import functools as _functools

from .. import _C, broadcast_tensors
from .._C import Tensor
from .._core.settings import finfo
from .._core.tensor import Size
from ..autograd import no_grad
from . import constraints as _constraints


def broadcast(*parameters):
    """The parameters as tensors of one shape; numbers get the type of the tensors."""
    tensors = [p for p in parameters if isinstance(p, Tensor)]
    dtype = tensors[0].dtype if tensors else None
    every = [p if isinstance(p, Tensor) else _C.tensor(float(p), dtype=dtype) for p in parameters]
    return [p if p.shape == wide.shape else wide for p, wide in zip(every, broadcast_tensors(*every))]


def finfo_of(t):
    """The limits of a tensor's dtype."""
    return finfo(t.dtype)


def summed(value, dims):
    """The sum over the last dimensions."""
    return value.sum(list(range(-dims, 0))) if dims else value


class Distribution:
    """The base: a subclass sets _names, the names of its parameters, and gives densities and draws."""

    has_rsample = False
    has_enumerate_support = False
    arg_constraints = {}  # by the names of parameters, see constraints
    _validate_args = True
    _names = ()
    _shown = None  # the names that its text has, or None for _names
    _event_dims = 0  # how many dimensions of the parameters belong to one draw

    def __new__(cls, *args, validate_args=None, **kwargs):
        self = super().__new__(cls)
        if validate_args is not None:
            self._validate_args = validate_args
        return self

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        density = cls.__dict__.get("log_prob")
        if density is not None:

            @_functools.wraps(density)
            def log_prob(self, value):
                if self._validate_args:
                    self._validate_sample(value)
                return density(self, value)

            cls.log_prob = log_prob

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    @staticmethod
    def set_default_validate_args(value):
        """Whether parameters and values are checked where a distribution does not say it."""
        if value not in (True, False):
            raise ValueError("set_default_validate_args(): %r is neither True nor False" % (value,))
        Distribution._validate_args = value

    def _validate_parameters(self):
        for name, constraint in self.arg_constraints.items():
            if isinstance(constraint, _constraints._Dependent) or isinstance(getattr(type(self), name, None), property):
                continue
            value = self.__dict__.get(name)
            if isinstance(value, Tensor) and not bool(constraint.check(value).all()):
                raise ValueError("%s: %s has to be within %r, and is %s" % (type(self).__name__, name, constraint, value))

    def _validate_sample(self, value):
        """Raises an error unless value may be a draw, in shape and values."""
        if not isinstance(value, Tensor):
            raise ValueError("%s: the value has to be a tensor" % type(self).__name__)
        events = len(self._event_shape)
        given, own = list(value.shape), list(self._batch_shape + self._event_shape)
        if given[len(given) - events:] != list(self._event_shape):
            raise ValueError("%s: the value is of %s, and a draw of %s" % (type(self).__name__, tuple(given), tuple(self._event_shape)))
        for a, b in zip(reversed(given), reversed(own)):
            if a != b and a != 1 and b != 1:
                raise ValueError("%s: the value is of %s, and the draws of %s" % (type(self).__name__, tuple(given), tuple(own)))
        try:
            support = self.support
        except NotImplementedError:
            return
        if not bool(support.check(value).all()):
            raise ValueError("%s: the value has to be within %r, and is %s" % (type(self).__name__, support, value))

    @property
    def support(self):
        raise NotImplementedError("%s has no support" % type(self).__name__)

    def enumerate_support(self, expand=True):
        raise NotImplementedError("%s has no enumerate_support()" % type(self).__name__)

    def _set(self, *parameters, valid=()):
        """Broadcasts the parameters to attributes; valid are pairs of a tensor and what it has to be."""
        made = broadcast(*parameters)
        for name, value in zip(self._names, made):
            setattr(self, name, value)
        Distribution.__init__(self, made[0].shape)
        return made

    def _require(self, holds, name, what):
        if not bool(holds.all()):
            raise ValueError("%s: %s has to be %s, and is %s" % (type(self).__name__, name, what, getattr(self, name)))

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    def _extended(self, sample_shape):
        return Size(sample_shape) + self._batch_shape + self._event_shape

    _extended_shape = _extended  # PyTorch's name, for distributions of others

    def sample(self, sample_shape=()):
        """Draws, of sample_shape x batch_shape x event_shape, without a gradient."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """The same with gradients of the parameters."""
        raise NotImplementedError("%s has no rsample()" % type(self).__name__)

    def sample_n(self, n):
        return self.sample(Size([n]))

    def log_prob(self, value):
        """The logarithm of the density, or the probability, at value."""
        raise NotImplementedError("%s has no log_prob()" % type(self).__name__)

    def cdf(self, value):
        raise NotImplementedError("%s has no cdf()" % type(self).__name__)

    def icdf(self, value):
        raise NotImplementedError("%s has no icdf()" % type(self).__name__)

    def entropy(self):
        raise NotImplementedError("%s has no entropy()" % type(self).__name__)

    def perplexity(self):
        return _C.exp(self.entropy())

    def _none(name):
        def missing(self):
            raise NotImplementedError("%s has no %s" % (type(self).__name__, name))

        return property(missing)

    mean, mode, variance = _none("mean"), _none("mode"), _none("variance")
    del _none

    @property
    def stddev(self):
        return _C.sqrt(self.variance)

    def expand(self, batch_shape):
        """The same with its parameters broadcast to that batch_shape."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        for name in self._names:
            value = getattr(self, name)
            setattr(made, name, value.expand((*batch_shape, *value.shape[value.dim() - self._event_dims:])))
        Distribution.__init__(made, batch_shape, self._event_shape)
        return made

    def _text(self, names):
        """The class and those parameters: the value of one number, or the sizes."""
        values = [(n, getattr(self, n)) for n in names]
        texts = ["%s: %s" % (n, format(v, "") if v.numel() == 1 else v.size()) for n, v in values]
        return "%s(%s)" % (type(self).__name__, ", ".join(texts))

    def __repr__(self):
        if self._shown is not None:
            return self._text(self._shown)
        return self._text(self._names or [n for n in self.arg_constraints if n in self.__dict__])


class Independent(Distribution):
    """A distribution whose last batch dimensions count as one draw's: their densities are multiplied."""

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        shape, event = base_distribution.batch_shape, base_distribution.event_shape
        if reinterpreted_batch_ndims > len(shape):
            raise ValueError("Independent: reinterpreted_batch_ndims is %d, and batch_shape %s" % (reinterpreted_batch_ndims, shape))
        at = len(shape) - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:at], shape[at:] + event)

    has_rsample = property(lambda self: self.base_dist.has_rsample)
    mean = property(lambda self: self.base_dist.mean)
    mode = property(lambda self: self.base_dist.mode)
    variance = property(lambda self: self.base_dist.variance)

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return summed(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return summed(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def expand(self, batch_shape):
        shape = (*batch_shape, *self.event_shape[:self.reinterpreted_batch_ndims])
        return Independent(self.base_dist.expand(shape), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return "Independent(%r, %d)" % (self.base_dist, self.reinterpreted_batch_ndims)
