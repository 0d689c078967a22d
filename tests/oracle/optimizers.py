"""Golden values of optimizers: 20 steps of each on one problem, in double and in float.

For each case the losses, the parameters at the end, and each state of each parameter.  tests/ATen/optim/optimizers.c
has the same problem and the same cases.  optimizers.pt has parameters and state_dict of some after half the steps.

With the name of a case and of a file that our library saved after half the steps, prints how far the rest of the steps
is from the golden values."""

import os
import sys

import torch

import golden

STEPS = 20
CASES = {
    "sgd": (torch.optim.SGD, dict(lr=0.1)),
    "sgd_decay": (torch.optim.SGD, dict(lr=0.1, weight_decay=0.1)),
    "sgd_momentum": (torch.optim.SGD, dict(lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.01)),
    "sgd_nesterov": (torch.optim.SGD, dict(lr=0.05, momentum=0.8, nesterov=True)),
    "sgd_maximize": (torch.optim.SGD, dict(lr=0.01, momentum=0.5, maximize=True, weight_decay=0.1)),
    "adam": (torch.optim.Adam, dict(lr=0.05)),
    "adam_amsgrad": (torch.optim.Adam, dict(lr=0.1, betas=(0.7, 0.9), amsgrad=True, weight_decay=0.02)),
    "adam_maximize": (torch.optim.Adam, dict(lr=0.01, eps=1e-3, maximize=True)),
    "adamw": (torch.optim.AdamW, dict(lr=0.05, weight_decay=0.3)),
    "rmsprop": (torch.optim.RMSprop, dict(lr=0.02)),
    "rmsprop_momentum": (torch.optim.RMSprop, dict(lr=0.01, alpha=0.9, momentum=0.6, weight_decay=0.1)),
    "rmsprop_centered": (torch.optim.RMSprop, dict(lr=0.01, centered=True, eps=1e-4)),
    "rmsprop_both": (torch.optim.RMSprop, dict(lr=0.01, centered=True, momentum=0.4, eps=1e-4)),
    "adagrad": (torch.optim.Adagrad, dict(lr=0.1)),
    "adagrad_decay": (
        torch.optim.Adagrad,
        dict(lr=0.2, lr_decay=0.1, weight_decay=0.05, initial_accumulator_value=0.3),
    ),
    "adadelta": (torch.optim.Adadelta, dict()),
    "adadelta_decay": (torch.optim.Adadelta, dict(lr=3, rho=0.7, eps=1e-3, weight_decay=0.1)),
    "adamax": (torch.optim.Adamax, dict(lr=0.05)),
    "adamax_decay": (torch.optim.Adamax, dict(lr=0.1, betas=(0.5, 0.8), weight_decay=0.1)),
    "nadam": (torch.optim.NAdam, dict(lr=0.05)),
    "nadam_decoupled": (
        torch.optim.NAdam,
        dict(lr=0.05, weight_decay=0.2, momentum_decay=0.02, decoupled_weight_decay=True),
    ),
    "radam": (torch.optim.RAdam, dict(lr=0.05)),
    "radam_decoupled": (
        torch.optim.RAdam,
        dict(lr=0.05, betas=(0.8, 0.9), weight_decay=0.2, decoupled_weight_decay=True),
    ),
    "asgd": (torch.optim.ASGD, dict(lr=0.1)),
    "asgd_average": (torch.optim.ASGD, dict(lr=0.2, lambd=0.1, alpha=0.5, t0=3, weight_decay=0.1)),
    "rprop": (torch.optim.Rprop, dict()),
    "adafactor": (torch.optim.Adafactor, dict(lr=0.1)),
    "adafactor_all": (
        torch.optim.Adafactor,
        dict(lr=0.02, beta2_decay=-0.5, eps=(0.05, 0.2), d=1.5, weight_decay=0.1, maximize=True),
    ),
    "rprop_bounds": (torch.optim.Rprop, dict(lr=0.1, etas=(0.4, 1.5), step_sizes=(0.03, 0.2), maximize=True)),
}


LBFGS = {
    "lbfgs": dict(lr=0.5, max_iter=4, history_size=3),
    "lbfgs_wolfe": dict(max_iter=4, history_size=5, line_search_fn="strong_wolfe"),
}
LBFGS_STEPS = 6

# One of each kind.
SAVED = "sgd_momentum adam_amsgrad adamw rmsprop_both adagrad_decay adadelta adamax nadam radam asgd_average rprop adafactor".split()


def wave(count, start, dtype):
    return torch.cos(torch.arange(count, dtype=torch.float64) * 0.7 + start).to(dtype)


def problem(dtype):
    """The parameters, and the loss of a step: u takes part in every second one, and idle in none."""
    x, y = wave(40, 1, dtype).reshape(8, 5), wave(24, 2, dtype).reshape(8, 3)
    params = [
        wave(20, 3, dtype).reshape(5, 4),
        wave(4, 4, dtype),
        wave(12, 5, dtype).reshape(4, 3),
        wave(3, 6, dtype),
        wave(2, 7, dtype),
    ]
    for p in params:
        p.requires_grad_(True)
    w, b, v, u, _ = params

    def loss(step):
        out = torch.tanh(x @ w + b) @ v
        return (((out * u if step % 2 else out) - y) ** 2).mean()

    return params, loss


def run(optimizer, params, loss, steps=STEPS, first=0):
    losses = []
    for step in range(first, first + steps):
        optimizer.zero_grad()
        value = loss(step)
        value.backward()
        optimizer.step()
        losses.append(value.detach())
    return torch.stack(losses)


def run_lbfgs(name, steps):
    params, loss = problem(torch.float64)
    optimizer, losses = torch.optim.LBFGS(params, **LBFGS[name]), []
    for step in range(steps):

        def closure():
            optimizer.zero_grad()
            value = loss(step)
            value.backward()
            return value

        losses.append(optimizer.step(closure).detach())
    return params, optimizer, torch.stack(losses)


def half(name):
    params, loss = problem(torch.float64)
    optimizer = CASES[name][0](params, **CASES[name][1])
    run(optimizer, params, loss, STEPS // 2)
    return {"params": [p.detach() for p in params], "optimizer": optimizer.state_dict()}


def check(name, path):
    """The last losses of PyTorch from the library's file, and of PyTorch alone."""
    kind, options = CASES[name]
    params, loss = problem(torch.float64)
    losses = run(kind(params, **options), params, loss)
    params, loss = problem(torch.float64)
    optimizer = kind(params, **options)
    for p, read in zip(params, half(name)["params"]):
        p.data.copy_(read)
    optimizer.load_state_dict(torch.load(path))
    rest = run(optimizer, params, loss, STEPS // 2, STEPS // 2)
    print(name, float((rest - losses[STEPS // 2 :]).abs().max()))


def main():
    with golden.Writer("optimizers", __file__) as out:
        for name, (kind, options) in CASES.items():
            for dtype in (torch.float64, torch.float32):
                params, loss = problem(dtype)
                optimizer = kind(params, **options)
                stem = "%s/%s" % (name, golden.TYPES[dtype])
                out.put(stem + "/losses", run(optimizer, params, loss))
                for i, p in enumerate(params):
                    out.put("%s/%d" % (stem, i), p.detach())
                    for key, value in optimizer.state[p].items():
                        out.put("%s/%d.%s" % (stem, i, key), value)
        for name in LBFGS:
            params, _, losses = run_lbfgs(name, LBFGS_STEPS)
            out.put(name + "/Double/losses", losses)
            for i, p in enumerate(params):
                out.put("%s/Double/%d" % (name, i), p.detach())
    saved = {name: half(name) for name in SAVED}
    for name in LBFGS:
        params, optimizer, _ = run_lbfgs(name, LBFGS_STEPS // 2)
        saved[name] = {"params": [p.detach() for p in params], "optimizer": optimizer.state_dict()}
    torch.save(saved, os.path.join(golden.FOLDER, "optimizers.pt"))


if __name__ == "__main__":
    check(*sys.argv[1:]) if len(sys.argv) > 1 else main()
