#!/usr/bin/env python3
"""Runs PyTorch's own samples of its modules (module_db) and of its optimizers (optim_db) through the Python package.

usage: PYTHONPATH=build/check/python moduledb.py [--dtype=float64] [NAME...]

A module is made with the same arguments as PyTorch's, gets its state, and is called with the same tensors, in training and
in evaluation where these differ; results, text, gradients of operands and of parameters, and buffers have to agree.  An
optimizer makes five steps with the same gradients; parameters and state have to agree.  Differences are printed.
"""

import argparse
import collections
import warnings

import thaten
import torch
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

warnings.filterwarnings("ignore")
WITHIN = {torch.float64: 1e-9, torch.float32: 1e-3}


class Differs(Exception):
    pass


def ours(value):
    """PyTorch's value as the package's."""
    if isinstance(value, torch.Tensor):
        made = thaten.from_dlpack(value.detach().contiguous().clone())
        made = made.to(thaten.bool) if value.dtype == torch.bool else made
        return made.requires_grad_() if value.requires_grad else made
    if isinstance(value, torch.dtype):
        return getattr(thaten, str(value).split(".")[1])
    if isinstance(value, (torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer)):
        attention = value.self_attn
        return getattr(thaten.nn, type(value).__name__)(
            attention.embed_dim, attention.num_heads, value.linear1.out_features, value.dropout.p, value.activation, value.norm1.eps,
            attention.batch_first, value.norm_first, value.linear1.bias is not None, dtype=ours(attention.out_proj.weight.dtype))
    if isinstance(value, torch.nn.LayerNorm):
        return thaten.nn.LayerNorm(value.normalized_shape, value.eps, dtype=ours(value.weight.dtype))
    if isinstance(value, (list, tuple)):
        return type(value)(map(ours, value))
    if isinstance(value, dict):
        return {k: ours(v) for k, v in value.items()}
    return getattr(thaten.nn.functional, value.__name__) if callable(value) else value


def flat(value, kind):
    """The tensors of that kind in lists, tuples and dictionaries."""
    if isinstance(value, (list, tuple, dict)):
        return [t for one in (value.values() if isinstance(value, dict) else value) for t in flat(one, kind)]
    return [value] if isinstance(value, kind) else []


def leaves(value):
    """The same, with leaves for tensors that were computed."""
    if isinstance(value, torch.Tensor):
        return value.detach().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(map(leaves, value))
    return {k: leaves(v) for k, v in value.items()} if isinstance(value, dict) else value


def compare(what, wanted, got):
    if (wanted is None) != (got is None):
        raise Differs("%s: %s is there" % (what, "nothing" if got is None else "something"))
    if wanted is None:
        return
    mine = torch.from_dlpack(got.detach())
    if mine.shape != wanted.shape or mine.dtype != wanted.dtype:
        raise Differs("%s: %s %s for %s %s" % (what, mine.dtype, tuple(mine.shape), wanted.dtype, tuple(wanted.shape)))
    within = WITHIN.get(wanted.dtype, 0)
    if not torch.allclose(mine, wanted.detach(), rtol=within, atol=within, equal_nan=True):
        raise Differs("%s: a difference of %g" % (what, (mine - wanted).abs().max()))


def weighted(results):
    """A number that depends on all results that have gradients."""
    return sum((t.abs() if t.is_complex() else t).cos().sum() for t in results if t.requires_grad)


def compare_module(info, sample, dtype, training):
    made, call = sample.constructor_input, sample.forward_input
    args, kwargs = leaves(call.args), leaves(call.kwargs)
    torch.manual_seed(1)
    wanted = info.module_cls(*made.args, **made.kwargs).to(dtype).train(training)
    thaten.manual_seed(1)
    got = getattr(thaten.nn, info.name.split(".")[1])(*ours(made.args), **ours(made.kwargs)).to(ours(dtype)).train(training)
    waits = "Lazy" in info.name  # for the first call to have a state
    if waits:
        wanted(*args, **kwargs), got(*ours(args), **ours(kwargs))
    got.load_state_dict(ours(wanted.state_dict()))
    torch.manual_seed(5)
    results = flat(wanted(*args, **kwargs), torch.Tensor)
    own_args, own_kwargs = ours(args), ours(kwargs)
    thaten.manual_seed(5)
    own = flat(got(*own_args, **own_kwargs), thaten.Tensor)
    if len(own) != len(results):
        raise Differs("%d results for %d" % (len(own), len(results)))
    for i, (a, b) in enumerate(zip(results, own)):
        compare("result %d" % i, a, b)
    if repr(wanted).replace(".0", "") != repr(got).replace(".0", ""):
        raise Differs("its text is %r for %r" % (repr(got), repr(wanted)))
    if any(t.requires_grad for t in results):
        weighted(results).backward()
        weighted(own).backward()
    for i, (a, b) in enumerate(zip(flat([args, kwargs], torch.Tensor), flat([own_args, own_kwargs], thaten.Tensor))):
        compare("the gradient of operand %d" % i, a.grad, b.grad)
    for (name, a), b in zip(wanted.named_parameters(), got.parameters()):
        compare("the gradient of " + name, a.grad, b.grad)
    for (name, a), b in zip(wanted.named_buffers(), got.buffers()):
        compare(name, a, b)


def module_samples(info, dtype):
    """Those that PyTorch's module takes, and whether it trains."""
    for training in (True, False) if info.train_and_eval_differ else (True,):
        torch.manual_seed(3)
        for sample in info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=True, training=training):
            sample.constructor_input.kwargs.pop("options", None)  # how PyTorch divides the work
            try:
                made, call = sample.constructor_input, sample.forward_input
                info.module_cls(*made.args, **made.kwargs).to(dtype).train(training)(*call.args, **call.kwargs)
            except Exception:
                continue
            yield sample.desc, lambda: compare_module(info, sample, dtype, training)


def compare_optimizer(kind, options, dtype):
    torch.manual_seed(0)
    sizes = [(3, 4), (4, 2)] if kind is torch.optim.Muon else [(3, 4), (4,), ()]
    params = [torch.randn(size, dtype=dtype).requires_grad_() for size in sizes]
    own_params = ours(params)
    wanted, got = kind(params, **options), getattr(thaten.optim, kind.__name__)(own_params, **ours(options))

    def losses(optimizer, some):
        def closure():
            optimizer.zero_grad()
            loss = sum(((p - 1) ** 2).sum() + (p ** 4).sum() for p in some)
            loss.backward()
            return loss

        return closure

    for _ in range(5):
        for optimizer, some in ((wanted, params), (got, own_params)):
            optimizer.step(losses(optimizer, some))
    for i, (a, b) in enumerate(zip(params, own_params)):
        compare("parameter %d" % i, a, b)
    state, own_state = wanted.state_dict(), got.state_dict()
    for number, values in state["state"].items():
        if set(values) != set(own_state["state"][number]):
            raise Differs("its state has %s for %s" % (sorted(own_state["state"][number]), sorted(values)))
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                compare("%s of parameter %d" % (name, number), value, own_state["state"][number][name])
    if state["param_groups"][0].keys() != own_state["param_groups"][0].keys():
        raise Differs("its groups have %s" % sorted(own_state["param_groups"][0]))


def optimizer_samples(info, dtype):
    for sample in info.optim_inputs_func(device="cpu", dtype=dtype):
        yield sample.desc, lambda: compare_optimizer(info.optim_cls, sample.kwargs, dtype)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", default="float64")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    dtype = getattr(torch, options.dtype)
    found = collections.Counter()
    kinds = [(info.name, module_samples, info) for info in module_db if dtype in info.dtypes]
    kinds += [(info.optim_cls.__name__, optimizer_samples, info) for info in optim_db]
    for name, samples, info in kinds:
        if options.names and name not in options.names:
            continue
        problems = []
        for text, check in samples(info, dtype):
            try:
                check()
            except Exception as error:
                problems.append("    %s: %s: %s" % (text, type(error).__name__, str(error)[:300]))
        found["agree" if not problems else "differ"] += 1
        if problems:
            print("%s: %d differ" % (name, len(problems)), *problems[:4], sep="\n")
    print(", ".join("%d %s" % (count, text) for text, count in found.items()))


if __name__ == "__main__":
    main()
