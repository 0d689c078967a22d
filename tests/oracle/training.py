"""First values and losses of PyTorch, for tests/ATen/module/training.c: writes tests/golden/modules/training.safetensors.

init.NAME is a tensor after torch.manual_seed(3) and a function of torch.nn.init.  For each network below, curve.NAME has the
losses of 50 steps in double, single.NAME those of 10 steps in float, with SGD of momentum 0.9; its parameters are those
after torch.manual_seed(5), its input and target the numbers that the test makes too."""

import math
import os

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "modules")

INITIAL = {
    "uniform": lambda: nn.init.uniform_(torch.empty(4, 5), -2, 3),
    "normal": lambda: nn.init.normal_(torch.empty(4, 5), 1, 0.5),
    "normal_few": lambda: nn.init.normal_(torch.empty(5), 1, 0.5),
    "trunc_normal": lambda: nn.init.trunc_normal_(torch.empty(5, 6), 0.5, 1, -0.5, 2),
    "trunc_normal_narrow": lambda: nn.init.trunc_normal_(torch.empty(5, 6), 0, 1, 1, 1.5),
    "constant": lambda: nn.init.constant_(torch.empty(3), 0.3),
    "eye": lambda: nn.init.eye_(torch.empty(3, 5)),
    "dirac": lambda: nn.init.dirac_(torch.empty(4, 3, 3, 2), groups=2),
    "xavier_uniform": lambda: nn.init.xavier_uniform_(torch.empty(4, 3, 2), 1.5),
    "xavier_normal": lambda: nn.init.xavier_normal_(torch.empty(4, 7)),
    "kaiming_uniform": lambda: nn.init.kaiming_uniform_(torch.empty(4, 7), 0.1, "fan_out"),
    "kaiming_normal": lambda: nn.init.kaiming_normal_(torch.empty(4, 3, 2), nonlinearity="relu"),
    "orthogonal": lambda: nn.init.orthogonal_(torch.empty(4, 7, dtype=torch.float64), 2),
    "orthogonal_tall": lambda: nn.init.orthogonal_(torch.empty(6, 2, 2, dtype=torch.float64)),
    "sparse": lambda: nn.init.sparse_(torch.empty(6, 4), 0.4),
}


class Last(nn.Module):
    """An LSTM, and a linear layer behind its last step."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 6, batch_first=True)
        self.full = nn.Linear(6, 4)

    def forward(self, x):
        return self.full(self.lstm(x)[0][:, -1])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True), 2)
        self.full = nn.Linear(8, 4)

    def forward(self, x):
        return self.full(self.encoder(x).mean(1))


NETWORKS = {  # and the sizes of the input
    "mlp": (lambda: nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 4)), (8, 6)),
    "cnn": (lambda: nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(4, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6, 4)), (8, 1, 6, 6)),
    "lstm": (Last, (8, 5, 3)),
    "transformer": (Encoder, (8, 5, 8)),
}


def numbers(sizes, dtype):
    return torch.tensor([math.sin(1 + 1.7 * i) for i in range(math.prod(sizes))], dtype=torch.float64).to(dtype).reshape(sizes)


def curve(make, sizes, dtype, steps):
    torch.manual_seed(5)
    module = make().to(dtype)
    x, target = numbers(sizes, dtype), torch.arange(8) % 4
    optimizer, losses = torch.optim.SGD(module.parameters(), lr=0.05, momentum=0.9), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(module(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses, dtype=torch.float64)


def main():
    tensors = {}
    for name, make in INITIAL.items():
        torch.manual_seed(3)
        tensors["init." + name] = make().contiguous()
    for name, (make, sizes) in NETWORKS.items():
        tensors["curve." + name] = curve(make, sizes, torch.float64, 50)
        tensors["single." + name] = curve(make, sizes, torch.float32, 10)
        print(name, tensors["curve." + name][::12].tolist())
    save_file(tensors, os.path.join(FOLDER, "training.safetensors"))


if __name__ == "__main__":
    main()
