"""Golden values of layouts: the strides that PyTorch's results have, and what draws fill tensors with that are not
contiguous.  tests/ATen/ops/layouts.c reads them.

    layout/transposed/sizes             the table of layouts, which the test makes from these numbers
    layout/transposed/strides
    strides/clone/transposed            the strides of a result of one operand
    strides/add/transposed/row          of two
    draw/normal/transposed/Float        the elements, in row-major order, after a seed
"""

import torch

import golden

SEED = 11
MATRICES = {
    "matrix": torch.ones(3, 4),
    "transposed": torch.ones(4, 3).t(),
    "steps": torch.ones(3, 8)[:, ::2],
    "transposedSteps": torch.ones(4, 6).t()[::2],
    "repeated": torch.ones(3, 1).expand(3, 4),
    "repeatedRows": torch.ones(4).expand(3, 4),
    "row": torch.ones(4),
    "column": torch.ones(3, 1),
    "wideColumn": torch.ones(1, 3).t(),
    "number": torch.ones(()),
}
IMAGES = {
    "images": torch.ones(2, 3, 4, 5),
    "last": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    "reversed": torch.ones(5, 4, 3, 2).permute(3, 2, 1, 0),
    "turned": torch.ones(3, 2, 5, 4).permute(1, 0, 3, 2),
    "part": torch.ones(2, 6, 4, 5).to(memory_format=torch.channels_last)[:, :3],
    "channels": torch.ones(3, 1, 1),
    "channelsOfAll": torch.ones(1, 3, 1, 1),
    "oneOfAll": torch.ones(1, 3, 4, 5).to(memory_format=torch.channels_last),
    "line": torch.ones(5),
}
SINGLE = {
    "oneChannel": torch.ones(2, 1, 4, 5).to(memory_format=torch.channels_last),
    "narrow": torch.ones(2, 3, 1, 1).to(memory_format=torch.channels_last),
    "volume": torch.ones(2, 3, 2, 2, 2).to(memory_format=torch.channels_last_3d),
    "steppedLine": torch.ones(10)[::2],
    "ones": torch.ones(1, 1, 3).permute(2, 0, 1),
    "permuted": torch.ones(2, 3, 4).permute(2, 0, 1),
    "permutedSteps": torch.ones(2, 6, 4).permute(2, 0, 1)[:, :, ::2],
}
LAYOUTS = {**MATRICES, **IMAGES, **SINGLE}

ONE = {
    "clone": torch.clone,
    "emptyLike": torch.empty_like,
    "zerosLike": torch.zeros_like,
    "fullLike": lambda t: torch.full_like(t, 2),
    "randnLike": torch.randn_like,
    "toDouble": lambda t: t.to(torch.float64),
    "toHalf": lambda t: t.to(torch.float16),
    "exp": torch.exp,
    "expOfHalf": lambda t: torch.exp(t.to(torch.float16)),
    "addNumber": lambda t: t + 1,
    "greater": lambda t: t > 0,
    "gelu": torch.nn.functional.gelu,
    "elu": torch.nn.functional.elu,
    "softplus": torch.nn.functional.softplus,
    "clamp": lambda t: t.clamp(0, 1),
    "roundLongs": lambda t: t.to(torch.int64).round(),
    "lgamma": torch.lgamma,
    "isnan": torch.isnan,
    "dropout": lambda t: torch.dropout(t, 0.5, True),
}
TWO = {
    "add": torch.add,
    "less": torch.lt,
    "atan2": torch.atan2,
    "addToDouble": lambda a, b: a + b.to(torch.float64),
    "where": lambda a, b: torch.where(a > 0, a, b),
    "lerp": lambda a, b: torch.lerp(a, b, 0.25),
}

DRAWS = {
    "uniform": lambda t: t.uniform_(-1, 2),
    "normal": lambda t: t.normal_(0.5, 2),
    "logNormal": lambda t: t.log_normal_(0.5, 0.25),
    "exponential": lambda t: t.exponential_(1.5),
    "cauchy": lambda t: t.cauchy_(0.5, 2),
    "geometric": lambda t: t.geometric_(0.3),
    "bernoulli": lambda t: t.bernoulli_(0.4),
    "bernoulliOf": lambda t: t.bernoulli_((torch.arange(t.shape[-1], dtype=torch.float64) / t.shape[-1]).expand(t.shape)),
    "random": lambda t: t.random_(-100, 100),
    "randLike": torch.rand_like,
    "randnLike": torch.randn_like,
    "mostDropout": lambda t: torch.dropout(t.fill_(1), 0.4, True),
    "alphaDropout": lambda t: torch.alpha_dropout(t.fill_(1), 0.4, True),
    "nativeDropout": lambda t: torch.native_dropout(t.fill_(1), 0.4, True)[0],
}
DRAWN = ["matrix", "transposed", "permutedSteps", "part"]
TYPES = {torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16"}


def strides(t):
    return torch.tensor(t.stride(), dtype=torch.int64)


def pairs():
    for group in (MATRICES, IMAGES):
        for a in group:
            for b in group:
                if torch.broadcast_shapes(group[a].shape, group[b].shape) in ((3, 4), (2, 3, 4, 5)):
                    yield a, b


with golden.Writer("layouts", __file__) as out:
    for name, t in LAYOUTS.items():
        out.put("layout/%s/sizes" % name, torch.tensor(t.shape, dtype=torch.int64))
        out.put("layout/%s/strides" % name, strides(t))
        for operation, function in ONE.items():
            out.put("strides/%s/%s" % (operation, name), strides(function(t)))
    for a, b in pairs():
        for operation, function in TWO.items():
            if operation == "addToDouble" and 0 in LAYOUTS[a].stride():
                continue  # PyTorch converts a first, to a tensor without repeated elements
            out.put("strides/%s/%s/%s" % (operation, a, b), strides(function(LAYOUTS[a], LAYOUTS[b])))
    for name in DRAWN:
        for dtype, word in TYPES.items():
            for operation, function in DRAWS.items():
                if word in ("Half", "BFloat16") and operation in ("uniform", "randLike"):
                    continue  # drawn by newer versions in Float, and here from as many bits as the type has
                t = torch.empty(4 * LAYOUTS[name].numel() * 4, dtype=dtype).as_strided(LAYOUTS[name].shape, LAYOUTS[name].stride())
                torch.manual_seed(SEED)
                made = function(t)
                out.put("draw/%s/%s/%s" % (operation, name, word), made.double() if word in ("Half", "BFloat16") else made)
