"""Jacobians, second derivatives and their products with vectors."""

import threading as _threading

from .. import _C
from .._C import Tensor

_state = _threading.local()  # .made: the leaves of the transform of func that runs



def _flat(value):
    """The tensors in nested tuples, lists and dictionaries."""
    if isinstance(value, Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [t for one in parts for t in _flat(one)]


def _like(value, tensors):
    """The same nest with the next tensors of an iterator."""
    if isinstance(value, Tensor):
        return next(tensors)
    if isinstance(value, dict):
        return {name: _like(one, tensors) for name, one in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_like(one, tensors) for one in value)
    return value


def _fresh(value):
    """Inputs whose gradients are asked for: leaves, or what came of tensors with gradients."""
    return _like(value, iter([t.view_as(t) if t.requires_grad else _leaf(t) for t in _flat(value)]))


def _leaf(t):
    leaf = t.detach().requires_grad_()
    made = getattr(_state, "made", None)
    if made is not None:
        made.append(leaf)
    return leaf


def _tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _run(func, inputs):
    from . import enable_grad

    with enable_grad():
        given = [_fresh(i) for i in _tuple(inputs)]
        return given, func(*given)


def _ended(tensors, create_graph):
    return tuple(t if create_graph else t.detach() for t in tensors)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The derivatives of each element of func's result by each element of the inputs: for one input and one result a tensor
    of the result's shape followed by the input's, else tuples, results outside."""
    from . import grad

    given, result = _run(func, inputs)
    outputs = _tuple(result)
    rows = []
    for output in outputs:
        found = [[] for _ in given]
        for i in range(output.numel()):
            if not output.requires_grad:
                grads = [t.new_zeros(t.shape) for t in given]
            else:
                grads = grad(output.reshape(-1)[i], given, retain_graph=True, create_graph=create_graph, allow_unused=True,
                             materialize_grads=True)
            for one, g in zip(found, grads):
                one.append(g)
        rows.append(_ended([(_C.stack(one, 0) if one else t.new_zeros((0, *t.shape))).reshape((*output.shape, *t.shape))
                            for one, t in zip(found, given)], create_graph))
    if not isinstance(inputs, (tuple, list)):
        rows = [row[0] for row in rows]
    return tuple(rows) if isinstance(result, (tuple, list)) else rows[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of func's result, a number, by each pair of elements of the inputs."""

    def gradients(*given):
        found = jacobian(func, given, create_graph=True)
        return tuple(g.reshape(t.shape) for g, t in zip(found, given))

    found = jacobian(gradients, _tuple(inputs), create_graph=create_graph)
    return found if isinstance(inputs, (tuple, list)) else found[0][0]


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """func's result, and the product of v with its Jacobian; v may be left out for a number."""
    from . import grad

    given, result = _run(func, inputs)
    grads = grad(result if isinstance(result, Tensor) else list(result), given, v, create_graph=create_graph,
                 allow_unused=True, materialize_grads=True)
    grads = _ended(grads, create_graph)
    ended = _like(result, iter(_ended(_flat(result), create_graph)))
    return ended, grads if isinstance(inputs, (tuple, list)) else grads[0]


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """func's result, and the product of its Jacobian with v, by two gradients: the product with a vector is linear in it."""
    given, result = _run(func, inputs)
    flat = [t for one in given for t in _flat(one)]
    along = [_C.ones_like(t) for t in flat] if v is None else [t for one in _tuple(v) for t in _flat(one)]
    outputs = _flat(result)
    products = _C._jvp(outputs, flat, along, create_graph)
    return tuple(_like(result, iter(_ended(ts, create_graph))) for ts in (outputs, products))


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """func's result, a number, and the product of v with its second derivatives."""
    from . import grad

    given, result = _run(func, inputs)
    grads = grad(result, given, create_graph=True, allow_unused=True, materialize_grads=True)
    wanted = [(g, w) for g, w in zip(grads, _tuple(v)) if g.requires_grad]
    found = grad([g for g, _ in wanted], given, [w for _, w in wanted], create_graph=create_graph, allow_unused=True,
                 materialize_grads=True) if wanted else [_C.zeros_like(t) for t in given]
    found = _ended(found, create_graph)
    return _ended([result], create_graph)[0], found if isinstance(inputs, (tuple, list)) else found[0]


hvp = vhp  # second derivatives are symmetric
