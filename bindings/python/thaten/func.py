"""Functions of functions: gradients, Jacobians, maps over a dimension, modules called with other parameters."""

import functools as _functools

from . import _C, autograd
from ._C import Tensor
from .autograd import functional as _functional


def _arguments(argnums):
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def _reaches_others(t, own):
    """Whether t was computed from leaves other than those whose nodes are in own."""
    if not t.requires_grad:
        return False
    seen, waiting = set(), [t.grad_fn if not t.is_leaf else _node(t)]
    while waiting:
        node = waiting.pop()
        if node in seen or node is None:
            continue
        seen.add(node)
        following = [one for one, _ in node.next_functions]
        if not following and node not in own:
            return True
        waiting += following
    return False


def _node(leaf):
    """The node that adds up a leaf's gradient."""
    return leaf.view_as(leaf).grad_fn.next_functions[0][0]


def _level(function):
    """The function, whose results have a graph only where they depend on more than the inputs that it made leaves."""

    @_functools.wraps(function)
    def called(*args, **kwargs):
        state = _functional._state
        outer, state.made = getattr(state, "made", None), []
        try:
            result = function(*args, **kwargs)
        finally:
            made, state.made = state.made, outer
        with autograd.enable_grad():
            own = {_node(leaf) for leaf in made}
        if outer is not None:
            outer += made
        return _mapped(result, lambda t: t if _reaches_others(t, own) else t.detach())

    return called


def _mapped(value, function):
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, dict):
        return {name: _mapped(one, function) for name, one in value.items()}
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_mapped(one, function) for one in value)
    return value


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that returns the gradients of func's result, a number, and what func returns."""

    @_level
    @_functools.wraps(func)
    def computed(*args, **kwargs):
        chosen = _arguments(argnums)
        args = list(args)
        with autograd.enable_grad():
            wanted = [_functional._fresh(args[i]) for i in chosen]
            for i, one in zip(chosen, wanted):
                args[i] = one
            result = func(*args, **kwargs)
            output = result[0] if has_aux else result
            if output.dim() != 0:
                raise RuntimeError("grad() of a function whose result has the shape %s" % (tuple(output.shape),))
            flat = [t for one in wanted for t in _functional._flat(one)]
            found = iter(autograd.grad(output, flat, create_graph=True, allow_unused=True, materialize_grads=True))
        grads = tuple(_functional._like(one, found) for one in wanted)
        value = (output, result[1]) if has_aux else output
        return grads[0] if isinstance(argnums, int) else grads, value

    return computed


def grad(func, argnums=0, has_aux=False):
    """A function that returns the gradients of func's result, a number, with respect to these arguments."""
    computed = grad_and_value(func, argnums, has_aux)

    @_functools.wraps(func)
    def gradient(*args, **kwargs):
        grads, value = computed(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return gradient


def vjp(func, *primals, has_aux=False):
    """func's result, and a function that gives the gradients of its product with a vector."""
    with autograd.enable_grad():
        inputs = [_functional._fresh(p) for p in primals]
        result = func(*inputs)
    output = result[0] if has_aux else result

    def product(cotangents):
        grads = autograd.grad(output, [t for i in inputs for t in _functional._flat(i)], cotangents, retain_graph=True,
                              allow_unused=True, materialize_grads=True)
        found = iter(grads)
        return tuple(_functional._like(i, found) for i in inputs)

    shown = _functional._like(output, (t.detach() for t in _functional._flat(output)))
    return (shown, product, result[1]) if has_aux else (shown, product)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """func's result, and its Jacobian's product with the tangents; with has_aux, func returns a pair, whose second comes third."""
    aux = []

    def first(*given):
        result = func(*given)
        if has_aux:
            aux[:] = [_mapped(result[1], lambda t: t.detach())]
        return result[0] if has_aux else result

    return (*_level(_functional.jvp)(first, tuple(primals), tuple(tangents), strict=strict), *aux)


def _rows(outputs, inputs):
    """For each output the list of its Jacobians by the inputs, a backward pass for each element of the output."""
    found = []
    for output in outputs:
        parts = []
        for i in range(output.numel()):
            parts.append(autograd.grad(output.reshape(-1)[i], inputs, retain_graph=True, create_graph=True, allow_unused=True,
                                       materialize_grads=True) if output.requires_grad else [_C.zeros_like(t) for t in inputs])
        found.append([(_C.stack(list(part), 0) if part else t.new_zeros((0, *t.shape))).reshape((*output.shape, *t.shape))
                      for part, t in zip(zip(*parts) if parts else [()] * len(inputs), inputs)])
    return found


def _columns(outputs, inputs):
    """The same, with a derivative along each element of the inputs."""
    found = [[] for _ in outputs]
    for k, t in enumerate(inputs):
        columns = []
        for i in range(t.numel()):
            along = [_C.zeros_like(one) for one in inputs]
            along[k].view(-1)[i] = 1
            columns.append(_C._jvp(outputs, inputs, along, True))
        for part, output, made in zip(zip(*columns), outputs, found):
            made.append(_C.stack(list(part), -1).reshape((*output.shape, *t.shape)))
    return found


def _jacobian(func, argnums, has_aux, is_forward):
    @_level
    @_functools.wraps(func)
    def jacobian(*args, **kwargs):
        chosen, args = _arguments(argnums), list(args)
        with autograd.enable_grad():
            wanted = [_functional._fresh(args[i]) for i in chosen]
            for i, one in zip(chosen, wanted):
                args[i] = one
            result = func(*args, **kwargs)
            output = result[0] if has_aux else result
            inputs, outputs = [t for one in wanted for t in _functional._flat(one)], _functional._flat(output)
            few = 2 * sum(t.numel() for t in inputs) <= sum(t.numel() for t in outputs)
            by_columns = is_forward and few and inputs and all(t.numel() and t.requires_grad for t in (*inputs, *outputs))
            rows = (_columns if by_columns else _rows)(outputs, inputs)
        nests = []
        for row in rows:
            row = iter(row)
            own = tuple(_functional._like(one, row) for one in wanted)
            nests.append(own[0] if isinstance(argnums, int) else own)
        found = _functional._like(output, iter(nests))
        return (found, result[1]) if has_aux else found

    return jacobian


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None):
    """A function that returns the Jacobian of func with respect to an argument: for each tensor of the result those by the
    tensors of the argument, in nests like these."""
    return _jacobian(func, argnums, has_aux, False)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """As jacrev, by derivatives along the elements of the argument where it has much fewer than the result."""
    return _jacobian(func, argnums, has_aux, True)


def hessian(func, argnums=0):
    """A function that returns the second derivatives of func's result, a number."""
    return jacfwd(jacrev(func, argnums), argnums)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function that calls func with each slice of its arguments along in_dims, and stacks the results along out_dims: each
    is a number or None for all tensors, or a nest like the arguments or results.  Arguments with names are the same for all."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError("vmap(): randomness is %r, and has to be error, different or same" % (randomness,))
    if not isinstance(in_dims, (int, tuple, list)):
        raise ValueError("vmap(): in_dims is a number or a tuple with an entry for each argument, not %r" % (in_dims,))

    @_functools.wraps(func)
    def mapped(*args, **kwargs):
        if not isinstance(in_dims, int) and len(in_dims) != len(args):
            raise ValueError("in_dims has %d entries for %d arguments" % (len(in_dims), len(args)))
        sizes = {_size(t, dim) for t, dim in _pairs(args, in_dims) if dim is not None}
        if len(sizes) != 1:
            raise ValueError("vmap() over dimensions of the sizes %s" % sorted(sizes))
        count, before, results = sizes.pop(), None, []
        for i in range(max(count, 1)):
            if i == 0 and randomness != "different" or randomness == "same":
                before = _slices_begin(before, randomness)
            own = _taken(args, in_dims, lambda t, dim, i=i: t.select(dim, i) if count else t.new_zeros(
                [n for d, n in enumerate(t.shape) if d != dim % t.dim()]))
            results.append(func(*own, **kwargs))
            if i == 0 and randomness == "error" and not _C.equal(before, _state()):
                raise RuntimeError("vmap(): the function draws random numbers; randomness says whether slices have the same ones")
        return _stacked(results, out_dims, count)

    return mapped


def _state():
    from .random import get_rng_state

    return get_rng_state()


def _slices_begin(before, randomness):
    """The state of the generator before a slice: that of the first one, where all draw the same numbers."""
    if before is None:
        return _state()
    from .random import set_rng_state

    set_rng_state(before)
    return before


def _entries(nest):
    return nest.values() if isinstance(nest, dict) else nest if isinstance(nest, (tuple, list)) else None


def _rebuilt(nest, entries):
    if isinstance(nest, dict):
        return type(nest)(zip(nest, entries))
    return type(nest)(*entries) if hasattr(nest, "_fields") else type(nest)(entries)


def _spread(nest, dims):
    """The dimensions of a nest's entries."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(nest)
    fits = isinstance(dims, (tuple, list)) != isinstance(nest, dict) and len(dims) == len(nest)
    if not fits or isinstance(nest, dict) and dims.keys() != nest.keys():
        raise ValueError("vmap(): the dimensions %r are no nest like that of the tensors" % (dims,))
    return [dims[name] for name in nest] if isinstance(nest, dict) else list(dims)


def _pairs(value, dims):
    """Each entry of the nests with its dimension."""
    entries = _entries(value)
    if entries is None:
        return [(value, dims)]
    return [pair for one, dim in zip(entries, _spread(value, dims)) for pair in _pairs(one, dim)]


def _taken(value, dims, function):
    """The nests with function(tensor, dimension) in place of what has a dimension."""
    entries = _entries(value)
    if entries is None:
        return value if dims is None else function(value, dims)
    return _rebuilt(value, [_taken(one, dim, function) for one, dim in zip(entries, _spread(value, dims))])


def _size(t, dim):
    if not isinstance(t, Tensor):
        raise ValueError("vmap(): an argument with the dimension %r is a %s, not a tensor; None is for what is no tensor" % (
            dim, type(t).__name__))
    if not isinstance(dim, int) or not -t.dim() <= dim < t.dim():
        raise ValueError("vmap(): the dimension is %r, of a tensor of the shape %s" % (dim, tuple(t.shape)))
    return t.shape[dim]


def _stacked(results, dims, count):
    first = results[0]
    entries = _entries(first)
    if entries is None:
        if not isinstance(first, Tensor):
            raise ValueError("vmap(): the function returns tensors, and not a %s" % type(first).__name__)
        if dims is None:
            return first
        return _C.stack(results, dims) if count else _C.stack(results, dims).narrow(dims, 0, 0)
    parts = zip(*(_entries(r) for r in results))
    return _rebuilt(first, [_stacked(list(part), dim, count) for part, dim in zip(parts, _spread(first, dims))])


def functional_call(module, parameter_and_buffer_dicts, args=(), kwargs=None, *, tie_weights=True, strict=False):
    """module(*args) with other tensors in place of its parameters and buffers; afterwards it has its own again."""
    given = parameter_and_buffer_dicts
    if isinstance(given, (tuple, list)):
        given = {name: t for one in given for name, t in one.items()}
    before = []
    try:
        for name, t in given.items():
            path, _, own = name.rpartition(".")
            owner = module.get_submodule(path)
            before.append((owner, own, getattr(owner, own)))
            owner._replace(own, t)
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for owner, own, t in reversed(before):
            owner._replace(own, t)


def stack_module_state(models):
    """The parameters and buffers of modules of one kind, stacked along a new first dimension."""
    models = list(models)
    parameters, buffers = ({name: _C.stack([dict(getattr(m, members)())[name].detach() for m in models], 0)
                            for name in dict(getattr(models[0], members)())}
                           for members in ("named_parameters", "named_buffers"))
    return {name: t.requires_grad_() for name, t in parameters.items()}, buffers


def linearize(func, *primals):
    """func's result, and the function of tangents that multiplies them with its Jacobian there."""
    result = func(*primals)
    return result, lambda *tangents: jvp(func, primals, tangents)[1]


def functionalize(func, *, remove="mutations"):
    """The function itself: what it changes, it changes."""
    return func


def replace_all_batch_norm_modules_(root):
    """Makes batch normalizations in root normalize by the batch, without running means; returns root."""
    from .nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.track_running_stats = False
            module.running_mean = module.running_var = module.num_batches_tracked = None
    return root
