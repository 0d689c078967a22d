"""Layers whose tensors are given by name, sizes of results, cells of one step, and what optimizers keep besides tensors."""

import warnings

import torch
from torch import nn

losses, texts = [], []
torch.set_default_dtype(torch.float64)
torch.manual_seed(3)
x = torch.linspace(-1, 1, 24).reshape(2, 3, 4)


def note(*tensors):
    for t in tensors:
        losses.append(float((t.detach() * torch.linspace(0.5, 1, t.numel()).reshape(t.shape)).sum()))


def refused(call, *kinds):
    try:
        call()
    except kinds as error:
        texts.append(next(kind.__name__ for kind in kinds if isinstance(error, kind)))


# --- tensors by name ---------------------------------------------------------------------------------------
note(nn.Linear(4, 2)(input=x), nn.Conv1d(3, 2, 2)(input=x), nn.Softmax(dim=-1)(input=x), nn.LayerNorm(4)(input=x))
note(nn.MSELoss()(input=x, target=x * x), nn.L1Loss(reduction="sum")(x, target=x * 2), nn.Bilinear(4, 4, 2)(input1=x, input2=x))
note(nn.CosineSimilarity()(x1=x, x2=x + 1), nn.TripletMarginLoss()(anchor=x, positive=x + 0.1, negative=x * 2))
note(nn.CrossEntropyLoss()(target=torch.tensor([0, 2]), input=x[:, 0, :]), nn.GaussianNLLLoss()(x, target=x * 2, var=x * x + 1))
for wrong in (lambda: nn.Linear(4, 2)(inputs=x), lambda: nn.MSELoss()(x, input=x), lambda: nn.MSELoss()(x)):
    refused(wrong, TypeError)

# --- the size of what a transposed convolution makes ------------------------------------------------------------
up = nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1)
picture = torch.linspace(-1, 1, 3 * 25).reshape(1, 3, 5, 5)
for size in ((9, 9), [10, 9], torch.Size([1, 2, 10, 10])):
    y = up(picture, output_size=size)
    texts.append(str(tuple(y.shape)))
    note(y)
for wrong in ((11, 9), (8, 9)):
    refused(lambda: up(picture, output_size=wrong), ValueError)

# --- cells of one step without a batch ------------------------------------------------------------------------------
row = torch.linspace(-1, 1, 4)
for cell in (nn.RNNCell(4, 3), nn.RNNCell(4, 3, nonlinearity="relu"), nn.GRUCell(4, 3)):
    h = cell(row)
    texts.append(str(tuple(h.shape)))
    note(h, cell(row, h))
cell = nn.LSTMCell(4, 3)
state = cell(row)
note(*state, *cell(row, state))
refused(lambda: cell(row, (torch.zeros(1, 3), torch.zeros(1, 3))), RuntimeError)

# --- activations as functions ---------------------------------------------------------------------------------------
for activation in ("gelu", nn.functional.gelu, nn.GELU(), nn.functional.relu, torch.relu):
    torch.manual_seed(5)
    note(nn.TransformerEncoderLayer(4, 2, 6, 0.0, activation)(x))
torch.manual_seed(5)
note(nn.TransformerDecoderLayer(4, 2, 6, 0.0, activation=nn.functional.gelu)(x, x))
texts += [repr(nn.LayerNorm(4, elementwise_affine=False)), repr(nn.LayerNorm(4, bias=False))]


# --- states besides tensors --------------------------------------------------------------------------------------------
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.full, self.calls = nn.Linear(4, 1), 0

    def forward(self, x):
        self.calls += 1
        return self.full(x)

    def get_extra_state(self):
        return {"calls": self.calls}

    def set_extra_state(self, state):
        self.calls = state["calls"]


net = nn.Sequential(Counting(), nn.Tanh())
net(x)
net(x)
texts.append(str(list(net.state_dict())))
other = nn.Sequential(Counting(), nn.Tanh())
other.load_state_dict(net.state_dict())
texts.append(str(other[0].calls))
refused(lambda: other.load_state_dict({k: v for k, v in net.state_dict().items() if "extra" not in k}), RuntimeError)

# --- optimizers ----------------------------------------------------------------------------------------------------
optimizer = torch.optim.Adam(net.named_parameters(), lr=1, foreach=False)
state = optimizer.state_dict()
texts += [repr(optimizer), str(sorted(state["param_groups"][0].items()))]
state["param_groups"][0]["note"] = "kept"
seen = []
optimizer.register_load_state_dict_pre_hook(lambda o, s: seen.append("loading"))
optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
optimizer.load_state_dict(state)
optimizer.register_state_dict_pre_hook(lambda o: seen.append("saving"))
optimizer.register_state_dict_post_hook(lambda o, s: {**s, "more": 1})
texts += [str(sorted(optimizer.state_dict())), str(seen), optimizer.param_groups[0]["note"], str(torch.optim.SGD(net.parameters(), fused=True))]
weights = [nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))]
for wrong in (lambda: torch.optim.SGD([{"params": weights}, {"params": weights[:1]}]), lambda: torch.optim.SGD([("a", weights[0]), weights[1]]),
              lambda: torch.optim.SGD([{"params": set(weights)}]), lambda: torch.optim.SGD([weights[0], 1]), lambda: torch.optim.SGD([])):
    refused(wrong, TypeError, ValueError)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.optim.SGD(set(weights))
    texts.append(caught[0].category.__name__)
optimizer = torch.optim.LBFGS(weights, max_iter=3, maximize=True)


def loss():
    optimizer.zero_grad()
    value = -sum((w - 3).square().sum() for w in weights)
    value.backward()
    return value


losses.append(float(optimizer.step(loss)))
note(*weights)
texts.append(str(torch.optim.Rprop(weights).param_groups[0]["step_sizes"]))

# --- others ----------------------------------------------------------------------------------------------------------
value, tangent, aux = torch.func.jvp(lambda a: (a.sin(), a * 2), (row,), (torch.ones(4),), has_aux=True)
note(value, tangent, aux)
scaler = torch.amp.GradScaler("cpu", growth_interval=7)
scaler.set_growth_factor(3.0)
texts.append(str((scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval())))
pareto = torch.distributions.GeneralizedPareto(torch.tensor(0.0), torch.tensor(2.0), torch.tensor([0.3, 0.0]))
note(pareto.log_cdf(torch.tensor(1.5)), pareto.log_survival_function(torch.tensor(1.5)))
packed = nn.utils.rnn.pack_sequence([torch.arange(3), torch.arange(2)])
texts.append(str([p.data.dtype for p in (packed.half(), packed.int(), packed.byte())]))
for call in (lambda: torch.signal.windows.cosine(4, dtype=torch.int64),
             lambda: torch.signal.windows.gaussian(3, std=1.0, dtype=torch.float16),
             lambda: nn.functional.hardtanh(row, 1.0, -1.0)):
    try:
        call()
    except ValueError as error:
        texts.append(str(error))
