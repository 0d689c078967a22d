"""Weights of which some are kept at 0: `name_orig` is trained, times the buffer `name_mask` it is the weight."""

import numbers as _numbers

from ... import _C
from ...autograd import no_grad


class BasePruningMethod:
    """A hook before forward that computes the weight; subclasses choose the mask by compute_mask(t, default_mask)."""

    PRUNING_TYPE = None  # "unstructured", "structured" or "global"
    _tensor_name = None

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t, default_mask):
        raise NotImplementedError("%s has no compute_mask()" % type(self).__name__)

    def apply_mask(self, module):
        if self._tensor_name is None:
            raise AssertionError("no tensor of %r is pruned by this method" % module)
        mask, orig = getattr(module, self._tensor_name + "_mask"), getattr(module, self._tensor_name + "_orig")
        return mask.to(orig.dtype) * orig

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prunes the tensor `name` of the module, further if it is pruned already; the method goes by importance_scores,
        or by the tensor itself."""
        method, old = cls(*args, **kwargs), None
        method._tensor_name = name
        for key, hook in list(module._forward_pre_hooks.items()):
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
                old = hook
                del module._forward_pre_hooks[key]
        if old is not None:
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        orig = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != orig.shape:
            raise AssertionError("importance_scores are of %s, and %s is of %s" % (
                tuple(importance_scores.shape), name, tuple(orig.shape)))
        scores = orig if importance_scores is None else importance_scores
        if not isinstance(method, PruningContainer):
            module.register_parameter(name + "_orig", module._parameters[name])
            del module._parameters[name]
            before = _C.ones_like(orig)
        else:
            before = getattr(module, name + "_mask").detach().clone()
        try:
            with no_grad():
                mask = method.compute_mask(scores.detach(), default_mask=before)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not isinstance(method, PruningContainer):
                kept = getattr(module, name + "_orig")
                module.register_parameter(name, kept)
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """The tensor times the mask."""
        if importance_scores is None:
            importance_scores = t
        return t * self.compute_mask(importance_scores, _C.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module):
        """Makes the weight a parameter again, with 0 where it is pruned."""
        name = self._tensor_name
        weight = self.apply_mask(module)
        orig = module._parameters.pop(name + "_orig")
        orig.data = weight.detach()
        module._buffers.pop(name + "_mask")
        if name in module.__dict__:
            del module.__dict__[name]
        module.register_parameter(name, orig)


class PruningContainer(BasePruningMethod):
    """Pruning methods of one tensor, each for what those before it left."""

    def __init__(self, *args):
        self._pruning_methods = ()
        if args and not isinstance(args[0], BasePruningMethod):
            args = tuple(args[0])
        for method in args:
            if self._tensor_name is None:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError("%s is no pruning method" % type(method))
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError("the methods of a container prune %r, and this one prunes %r" % (
                self._tensor_name, method._tensor_name))
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, index):
        return self._pruning_methods[index]

    def compute_mask(self, t, default_mask):
        method = self._pruning_methods[-1]
        mask = default_mask.to(t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            kept = mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.dim()
            kept = mask.sum([d for d in range(t.dim()) if d != dim]) != 0
            index = (slice(None),) * dim + (kept,)
            mask = mask.clone()
            mask[index] = method.compute_mask(t[index], mask[index])
            return mask
        elif method.PRUNING_TYPE == "global":
            kept = (slice(None),) * t.dim()
        else:
            raise ValueError("PRUNING_TYPE is %r: structured, unstructured and global are known" % (method.PRUNING_TYPE,))
        part = method.compute_mask(t[kept], mask[kept])
        mask = mask.clone()
        mask[kept] = part.to(mask.dtype)
        return mask


def _count(amount, size):
    """How many of size elements an amount, a number or a share, means."""
    if not isinstance(amount, _numbers.Real):
        raise TypeError("amount is %r, and has to be a number" % (amount,))
    if isinstance(amount, _numbers.Integral) and amount < 0 or not isinstance(amount, _numbers.Integral) and not 0 <= amount <= 1:
        raise ValueError("amount is %s, and has to be a share from 0 to 1 or a count" % (amount,))
    if isinstance(amount, _numbers.Integral):
        if amount > size:
            raise ValueError("amount is %s, of %s elements" % (amount, size))
        return int(amount)
    return round(amount * size)


class Identity(BasePruningMethod):
    """Prunes nothing, and gives the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask


class _Amount(BasePruningMethod):
    def __init__(self, amount):
        _count(amount, float("inf") if isinstance(amount, int) else 0)
        self.amount = amount


class RandomUnstructured(_Amount):
    """Prunes elements that are drawn."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        count, mask = _count(self.amount, t.nelement()), default_mask.clone()
        if count:
            mask.view(-1)[_C.rand_like(t).view(-1).topk(count).indices] = 0
        return mask


class L1Unstructured(_Amount):
    """Prunes the elements of the smallest absolute values."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        count, mask = _count(self.amount, t.nelement()), default_mask.clone()
        if count:
            mask.view(-1)[t.abs().view(-1).topk(count, largest=False).indices] = 0
        return mask


class _Structured(_Amount):
    PRUNING_TYPE = "structured"

    def _checked(self, t):
        if t.dim() <= 1:
            raise ValueError("channels are pruned of tensors of 2 dimensions or more, and this one is of %s" % (tuple(t.shape),))
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError("dim is %s, of a tensor of %s" % (self.dim, tuple(t.shape)))
        return _count(self.amount, t.shape[self.dim])

    def _kept(self, t, kept):
        """The marks of channels, in a shape that broadcasts to the tensor."""
        sizes = [1] * t.dim()
        sizes[self.dim] = -1
        return kept.view(sizes)


class RandomStructured(_Structured):
    """Prunes whole channels, along dim, that are drawn."""

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def compute_mask(self, t, default_mask):
        count = self._checked(t)
        if count == 0:
            return default_mask
        drawn = _C.rand(t.shape[self.dim])
        kept = drawn > drawn.kthvalue(count).values
        return default_mask * self._kept(t, kept).to(default_mask.dtype)


class LnStructured(_Structured):
    """Prunes the channels along dim of the smallest n-norms."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount)
        self.n, self.dim = n, dim

    def compute_mask(self, t, default_mask):
        count = self._checked(t)
        if count == 0:
            return default_mask
        dims = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        norm = _C.norm(t, self.n, dims)
        kept = _C.zeros_like(norm)
        kept[norm.topk(t.shape[self.dim] - count, largest=True).indices] = 1
        return default_mask * self._kept(t, kept).to(default_mask.dtype)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        return default_mask * self.mask.to(default_mask.dtype)


def identity(module, name):
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prunes tensors, (module, name) each, as if they were one."""
    parameters = list(parameters)
    scores = importance_scores or {}
    flat = _C.cat([scores.get(p, getattr(*p)).detach().reshape(-1) for p in parameters])
    masks = _C.cat([getattr(m, n + "_mask", _C.ones_like(getattr(m, n))).reshape(-1) for m, n in parameters])
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError("tensors are pruned together by unstructured methods, and %s is %s" % (
            pruning_method.__name__, method.PRUNING_TYPE))
    container.add_pruning_method(method)
    mask, at = container.compute_mask(flat, masks), 0
    for module, name in parameters:
        t = getattr(module, name)
        custom_from_mask(module, name, mask[at:at + t.numel()].view(t.shape))
        at += t.numel()


def remove(module, name):
    """Makes the pruning of a tensor permanent."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError("%s of %r is not pruned" % (name, module))


def is_pruned(module):
    """Whether it or a module below it is pruned."""
    return any(isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values())
