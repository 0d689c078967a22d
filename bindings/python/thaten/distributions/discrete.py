"""Distributions of whole numbers, of which probs or logits is given."""

import math as _math

from .. import _C
from .._core.tensor import Size
from ..autograd import no_grad
from .distribution import Distribution, broadcast, finfo_of


class _Odds(Distribution):
    """A probability, or the logarithm of its odds, for each element: the other follows."""

    _names = ("_given",)

    def _start(self, probs, logits, *more):
        if (probs is None) == (logits is None):
            raise ValueError("%s: either probs or logits is given" % type(self).__name__)
        self._has_probs = probs is not None
        given = self._set(probs if self._has_probs else logits, *more)
        if self._has_probs:
            self._require((self._given >= 0) & (self._given <= 1), "_given", "between 0 and 1")
        return given

    @property
    def probs(self):
        return self._given if self._has_probs else _C.sigmoid(self._given)

    @property
    def logits(self):
        if not self._has_probs:
            return self._given
        eps = finfo_of(self._given).eps
        p = self._given.clamp(eps, 1 - eps)
        return _C.log(p) - _C.log1p(-p)

    def __repr__(self):
        return self._text(["total_count"] * hasattr(self, "total_count") + ["probs" if self._has_probs else "logits"])


def _every(self, values, expand):
    """The values along a new first dimension before those of the batch."""
    values = values.reshape((-1, *[1] * len(self._batch_shape)))
    return values.expand((-1, *self._batch_shape)) if expand else values


def _entropy_of(logits, probs):
    return _C.binary_cross_entropy_with_logits(logits, probs, reduction=0)


class Bernoulli(_Odds):
    """1 with probability probs, else 0."""

    has_enumerate_support = True
    def __init__(self, probs=None, logits=None, validate_args=None):
        self._start(probs, logits)

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))
    mode = property(lambda self: (self.probs >= 0.5).to(self.probs.dtype).masked_fill(self.probs == 0.5, _math.nan))

    def sample(self, sample_shape=()):
        with no_grad():
            return _C.bernoulli(self.probs.expand(self._extended(sample_shape)))

    def enumerate_support(self, expand=True):
        return _every(self, _C.arange(2, dtype=self._given.dtype), expand)

    def log_prob(self, value):
        return -_entropy_of(*broadcast(self.logits, value))

    def entropy(self):
        return _entropy_of(self.logits, self.probs)


class Geometric(_Odds):
    """How many trials fail before one succeeds, each with probability probs."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._start(probs, logits)

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)
    mode = property(lambda self: _C.zeros_like(self.probs))

    def sample(self, sample_shape=()):
        with no_grad():
            u = self.probs.new_empty(self._extended(sample_shape)).uniform_(finfo_of(self.probs).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        value, probs = broadcast(value, self.probs)
        return value * _C.log1p(-probs.masked_fill((probs == 1) & (value == 0), 0)) + self.probs.log()

    def entropy(self):
        return _entropy_of(self.logits, self.probs) / self.probs


class Binomial(_Odds):
    """How many of total_count trials succeed."""

    _names = ("_given", "total_count")

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self._start(probs, logits, total_count)

    has_enumerate_support = True
    mean = property(lambda self: self.total_count * self.probs)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))
    mode = property(lambda self: _C.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count))

    def enumerate_support(self, expand=True):
        count = int(self.total_count.max())
        if int(self.total_count.min()) != count:
            raise NotImplementedError("enumerate_support() of a Binomial with different total_count")
        return _every(self, _C.arange(count + 1, dtype=self._given.dtype), expand)

    def sample(self, sample_shape=()):
        with no_grad():
            shape, type = self._extended(sample_shape), self._given.dtype
            return _C.binomial(self.total_count.to(type).expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        n = self.total_count
        choose = _C.lgamma(n + 1) - _C.lgamma(value + 1) - _C.lgamma(n - value + 1)
        softplus = self.logits.clamp(min=0) + _C.log1p(_C.exp(-_C.abs(self.logits)))
        return value * self.logits - n * softplus + choose

    def entropy(self):
        most = int(self.total_count.max())
        if bool((self.total_count != most).any()):
            raise NotImplementedError("Binomial: entropy() of several total_count")
        values = _C.arange(most + 1, dtype=self._given.dtype).reshape((-1, *[1] * len(self._batch_shape)))
        logs = self.log_prob(values)
        return -(_C.exp(logs) * logs).sum(0)


class Poisson(Distribution):
    """rate^k exp(-rate) / k!."""

    _names = ("rate",)

    def __init__(self, rate, validate_args=None):
        self._set(rate)
        self._require(self.rate >= 0, "rate", "0 or more")

    mean = variance = property(lambda self: self.rate)
    mode = property(lambda self: self.rate.floor())

    def sample(self, sample_shape=()):
        with no_grad():
            return _C.poisson(self.rate.expand(self._extended(sample_shape)))

    def log_prob(self, value):
        rate, value = broadcast(self.rate, value)
        return _C.xlogy(value, rate) - rate - _C.lgamma(value + 1)


class _Classes(Distribution):
    """Probabilities of classes in the last dimension, or their logarithms up to a constant."""

    _names = ("logits",)
    _event_dims = 1

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("%s: either probs or logits is given" % type(self).__name__)
        given = probs if logits is None else logits
        if given.dim() < 1:
            raise ValueError("%s: the parameter has no dimensions" % type(self).__name__)
        if probs is not None:
            self.probs = probs / probs.sum(-1, True)
            eps = finfo_of(probs).eps
            self.logits = _C.log(self.probs.clamp(eps, 1 - eps))
        else:
            self.logits = logits - _C.logsumexp(logits, -1, True)
            self.probs = _C.softmax(self.logits, -1)
        self._name = "probs" if logits is None else "logits"
        self._num_events = given.shape[-1]
        super().__init__(given.shape[:-1], self._event())

    def _event(self):
        return ()

    def _classes(self, sample_shape):
        """Draws of classes, of sample_shape x batch_shape."""
        with no_grad():
            shape = Size(sample_shape)
            flat = self.probs.reshape(-1, self._num_events)
            return _C.multinomial(flat, shape.numel(), True).t().reshape(shape + self._batch_shape)

    def entropy(self):
        least = finfo_of(self.logits).min
        return -(_C.clamp(self.logits, min=least) * self.probs).sum(-1)

    def expand(self, batch_shape):
        made = super().expand(batch_shape)
        made.probs = self.probs.expand((*batch_shape, self._num_events))
        return made

    def __repr__(self):
        return self._text([self._name] if self._shown is None else self._shown)


class Categorical(_Classes):
    """The index of a class."""

    has_enumerate_support = True
    mean = variance = property(lambda self: _C.full_like(self.logits.select(-1, 0), _math.nan))
    mode = property(lambda self: self.probs.argmax(-1))
    param_shape = property(lambda self: self.logits.shape)

    def sample(self, sample_shape=()):
        return self._classes(sample_shape)

    def log_prob(self, value):
        value = value.long().unsqueeze(-1)
        shape = broadcast(value[..., 0], self.logits[..., 0])[0].shape
        return self.logits.expand((*shape, self._num_events)).gather(-1, value.expand((*shape, 1))).squeeze(-1)

    def enumerate_support(self, expand=True):
        return _every(self, _C.arange(self._num_events), expand)


class OneHotCategorical(_Classes):
    """A vector with 1 for the class, 0 elsewhere."""

    _shown = ()

    has_enumerate_support = True
    mean = property(lambda self: self.probs)
    mode = property(lambda self: _C.one_hot(self.probs.argmax(-1), num_classes=self._num_events).to(self.probs.dtype))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def _event(self):
        return (self._num_events,)

    def enumerate_support(self, expand=True):
        n = self._num_events
        values = _C.eye(n, dtype=self.probs.dtype).reshape((n, *[1] * len(self._batch_shape), n))
        return values.expand((n, *self._batch_shape, n)) if expand else values

    def sample(self, sample_shape=()):
        return _C.one_hot(self._classes(sample_shape), num_classes=self._num_events).to(self.probs.dtype)

    def log_prob(self, value):
        value, logits = broadcast(value, self.logits)
        return logits.gather(-1, value.argmax(-1, keepdim=True)).squeeze(-1)


class Multinomial(_Classes):
    """How often each class comes in total_count draws."""

    _shown = ()

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self.total_count = total_count
        super().__init__(probs, logits)

    mean = property(lambda self: self.probs * self.total_count)
    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def _event(self):
        return (self._num_events,)

    def entropy(self):
        n = self.total_count
        counts = _C.arange(1, n + 1, dtype=self.probs.dtype).reshape((n, *[1] * self.probs.dim()))
        each = Binomial(n, self.probs, validate_args=False).log_prob(counts).exp() * _C.lgamma(counts + 1)
        return n * super().entropy() - _math.lgamma(n + 1) + each.sum([0, -1])

    def sample(self, sample_shape=()):
        drawn = self._classes(Size([self.total_count]) + Size(sample_shape))
        return _C.one_hot(drawn, num_classes=self._num_events).sum(0).to(self.probs.dtype)

    def log_prob(self, value):
        logits, value = broadcast(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -_math.inf), 0)
        return _C.lgamma(value.sum(-1) + 1) - _C.lgamma(value + 1).sum(-1) + (logits * value).sum(-1)
