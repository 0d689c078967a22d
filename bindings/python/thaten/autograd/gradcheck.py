"""Gradients compared with central differences."""

from .. import _C
from .._C import Tensor


class GradcheckError(RuntimeError):
    """A gradient differs from the difference."""


def _outputs(func, inputs):
    given = func(*inputs)
    given = given if isinstance(given, (tuple, list)) else (given,)
    return [o for o in given if isinstance(o, Tensor) and o.is_floating_point()]


def _differences(func, inputs, t, eps):
    """For each output, its derivatives by each element of t."""
    from . import no_grad

    with no_grad():
        flat, columns = t.detach().reshape(-1), []
        shares = flat.data_ptr() == t.data_ptr()
        for i in range(flat.numel()):
            value, sides = flat[i].item(), []
            for at in (value + eps, value - eps):
                flat[i] = at
                if not shares:
                    t.detach().copy_(flat.reshape(t.shape))
                sides.append([o.detach().clone() for o in _outputs(func, inputs)])
            flat[i] = value
            if not shares:
                t.detach().copy_(flat.reshape(t.shape))
            columns.append([(a - b) / (2 * eps) for a, b in zip(*sides)])
    return columns


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
              check_grad_dtypes=False, **_):
    """Whether the gradients of func's floating results with respect to the inputs that want one, which should be of Double,
    are within atol + rtol * |difference| of central differences.  Unless raise_exception, False says that one is not."""
    from . import grad

    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    wanted = [t for t in inputs if isinstance(t, Tensor) and t.requires_grad]
    if not wanted:
        raise ValueError("gradcheck(): no input wants a gradient")
    for number, t in enumerate(wanted):
        outputs = _outputs(func, inputs)
        gradients = {(o, j): grad(output.reshape(-1)[j], [t], retain_graph=True, allow_unused=True, materialize_grads=True)[0]
                     for o, output in enumerate(outputs) if output.requires_grad for j in range(output.numel())}
        columns = _differences(func, inputs, t, eps)  # which changes t, and so comes behind all passes
        for (o, j), found in gradients.items():
            differences = _C.stack([column[o].reshape(-1)[j] for column in columns], 0) if columns else found.reshape(-1)
            if not _C.allclose(found.reshape(-1).to(differences.dtype), differences, rtol=rtol, atol=atol):
                if not raise_exception:
                    return False
                raise GradcheckError("gradcheck(): the gradient of element %d of output %d with respect to input %d is\n%s\n"
                                     "and by differences\n%s" % (j, o, number, found, differences.reshape(t.shape)))
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, **_):
    """The same of the gradients' gradients."""
    from . import enable_grad, grad

    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    outputs = _outputs(func, inputs)
    if grad_outputs is None:
        grad_outputs = [_C.randn_like(o).requires_grad_() for o in outputs]
    elif isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs]
    count = len(inputs)

    def gradients(*given):
        wanted = [t for t in given[:count] if isinstance(t, Tensor) and t.requires_grad]
        with enable_grad():  # also where differences are taken
            return grad(_outputs(func, given[:count]), wanted, list(given[count:]), create_graph=True, allow_unused=True,
                        materialize_grads=True)

    return gradcheck(gradients, inputs + tuple(grad_outputs), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
