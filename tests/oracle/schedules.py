"""Golden values of schedules: the rates, and the momenta, of 50 steps; of averages, clipping and a scaler.  The states of
schedules with SGD after 20 of these steps, and of a scaler, are in schedules.pt.

tests/ATen/optim/schedules.c has the same schedules."""

import copy
import math
import os
import warnings

import torch
from torch.optim import lr_scheduler as lrs
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

import golden

STEPS, SAVED = 50, 20
STATES = {}
warnings.simplefilter("ignore")
METRICS = [2 + math.cos(0.3 * i) - (0.02 * i if i < 20 else 0.4) for i in range(STEPS)]


def sequential(o):
    warm = lrs.LinearLR(o, start_factor=0.1, total_iters=8)
    cosine = lrs.CosineAnnealingLR(o, T_max=20, eta_min=1e-3)
    last = lrs.ExponentialLR(o, 0.9)
    return lrs.SequentialLR(o, [warm, cosine, last], [8, 30])


def chained(o):
    return lrs.ChainedScheduler([lrs.ConstantLR(o, factor=0.25, total_iters=6), lrs.ExponentialLR(o, 0.95)])


SCHEDULES = {
    "step": lambda o: lrs.StepLR(o, 7, gamma=0.5),
    "multistep": lambda o: lrs.MultiStepLR(o, [30, 5, 12, 12], gamma=0.3),
    "constant": lambda o: lrs.ConstantLR(o, factor=0.4, total_iters=9),
    "linear": lambda o: lrs.LinearLR(o, start_factor=0.2, end_factor=0.8, total_iters=11),
    "exponential": lambda o: lrs.ExponentialLR(o, 0.93),
    "polynomial": lambda o: lrs.PolynomialLR(o, total_iters=30, power=1.7),
    "cosine": lambda o: lrs.CosineAnnealingLR(o, 15, eta_min=0.01),
    "restarts": lambda o: lrs.CosineAnnealingWarmRestarts(o, 6, T_mult=2, eta_min=0.02),
    "onecycle": lambda o: lrs.OneCycleLR(o, max_lr=0.6, total_steps=51),
    "onecycle_linear": lambda o: lrs.OneCycleLR(
        o, max_lr=0.6, total_steps=60, anneal_strategy="linear", three_phase=True, pct_start=0.2, div_factor=10
    ),
    "cyclic": lambda o: lrs.CyclicLR(o, 0.1, 0.5, step_size_up=6, step_size_down=9),
    "cyclic2": lambda o: lrs.CyclicLR(o, 0.1, 0.5, step_size_up=4, mode="triangular2", cycle_momentum=False),
    "cyclic_range": lambda o: lrs.CyclicLR(o, 0.1, 0.5, step_size_up=7, mode="exp_range", gamma=0.97),
    "lambda": lambda o: lrs.LambdaLR(o, lambda e: 1 / (1 + e)),
    "plateau": lambda o: lrs.ReduceLROnPlateau(o, patience=3, factor=0.5, cooldown=2, min_lr=0.02),
    "plateau_max": lambda o: lrs.ReduceLROnPlateau(
        o, mode="max", patience=2, threshold=0.1, threshold_mode="abs", factor=0.7
    ),
    "sequential": sequential,
    "chained": chained,
}


def rates(name, make, kind):
    p, q = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))
    if kind == "sgd":
        o = torch.optim.SGD([dict(params=[p]), dict(params=[q], lr=0.05)], lr=0.3, momentum=0.7)
    else:
        o = torch.optim.Adam([dict(params=[p]), dict(params=[q], lr=0.05)], lr=0.3)
    schedule, found = make(o), []

    def look():
        for group in o.param_groups:
            found.extend([group["lr"], group["momentum"] if kind == "sgd" else group["betas"][0]])

    look()
    for i in range(STEPS):
        o.step()
        schedule.step(METRICS[i]) if isinstance(schedule, lrs.ReduceLROnPlateau) else schedule.step()
        look()
        if kind == "sgd" and i + 1 == SAVED:
            STATES[name] = copy.deepcopy(schedule.state_dict())
    return torch.tensor(found, dtype=torch.float64).reshape(STEPS + 1, 4)


def averages(out):
    for name, options in (("ema", dict(multi_avg_fn=get_ema_multi_avg_fn(0.8))), ("swa", {})):
        model = torch.nn.Linear(2, 3).double()
        averaged = AveragedModel(model, **options)
        for i in range(6):
            with torch.no_grad():
                model.weight.copy_(torch.cos(torch.arange(6.0).double() + i).reshape(3, 2))
            averaged.update_parameters(model)
        out.put(name, averaged.module.weight.detach())


def clipped(out):
    for order in (2, 1, 3, math.inf):
        p = [torch.nn.Parameter(torch.zeros(4).double()), torch.nn.Parameter(torch.zeros(2, 3).double())]
        p[0].grad = torch.cos(torch.arange(4).double())
        p[1].grad = 2 * torch.sin(torch.arange(6).double()).reshape(2, 3)
        norm = torch.nn.utils.clip_grad_norm_(p, 0.75, norm_type=order)
        out.put("clip/%s" % order, torch.cat([norm.reshape(1)] + [q.grad.reshape(-1) for q in p]))


def muon(out):
    for name, options in (
        ("original", {}),
        ("match", dict(adjust_lr_fn="match_rms_adamw", nesterov=False, weight_decay=0.3)),
        ("spectral", dict(adjust_lr_fn="spectral_unclamped", momentum=0.6, ns_steps=4)),
    ):
        w, v = (torch.cos(torch.arange(24).double() * 0.7 + k) for k in (1, 2))
        w, v = torch.nn.Parameter(w.reshape(6, 4)), torch.nn.Parameter(v.reshape(4, 6))
        o = torch.optim.Muon([w, v], lr=0.1, **options)
        for i in range(3):
            w.grad = torch.sin(torch.arange(24).double() * (i + 1)).reshape(6, 4)
            v.grad = torch.sin(torch.arange(24).double() * (i + 2)).reshape(4, 6)
            o.step()
        out.put("muon/" + name, torch.cat([w.detach().reshape(-1), v.detach().reshape(-1)]))
        out.put("muon/%s/momentum_buffer" % name, o.state[w]["momentum_buffer"])


with golden.Writer("schedules", __file__) as out:
    for name, make in SCHEDULES.items():
        for kind in ("sgd", "adam") if "cycl" in name else ("sgd",):
            out.put("%s/%s" % (name, kind), rates(name, make, kind))
    averages(out)
    clipped(out)
    muon(out)
STATES["scaler"] = torch.amp.GradScaler("cpu", init_scale=1024, growth_factor=3, backoff_factor=0.25).state_dict()
torch.save(STATES, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "schedules.pt"))
