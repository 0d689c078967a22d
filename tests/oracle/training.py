"""First values and losses of PyTorch, for tests/ATen/module/training.c: writes tests/golden/modules/training.safetensors.

init.NAME is a tensor after torch.manual_seed(3) and a function of torch.nn.init.  For each network below, a small version
of one that bench/peers/training.py measures, or a transformer, curve.NAME has the losses of 50 steps in double, single.NAME
those of 10 steps in float, with SGD of momentum 0.9 or AdamW; its parameters are drawn in that type after
torch.manual_seed(5), its input and target are the numbers that the test makes too.  bfloat16.NAME and, of the
networks with SGD, half.NAME (but of resnet) are 50 steps (8 of resnet) in float under torch.autocast with a GradScaler, whose last scale is behind the
losses; PyTorch has no LSTM of Half on the CPU.  There the gradient of resnet's pooling, whose windows overlap, is a sum that is
rounded once: PyTorch's on the CPU is rounded after each term."""

import math
import os

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

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


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True), 2)
        self.full = nn.Linear(8, 4)

    def forward(self, x):
        return self.full(self.encoder(x).mean(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, 3)
        self.cells = nn.LSTM(3, 6, batch_first=True)
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        return self.head(self.cells(self.words(x))[0][:, -1])


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.mixed = nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.joined, self.norm2 = nn.Linear(width, width), nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = [t.reshape(batch, length, self.heads, -1).transpose(1, 2) for t in self.mixed(self.norm1(x)).chunk(3, 2)]
        seen = F.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.joined(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(WORDS, 8), nn.Embedding(6, 8)
        self.blocks = nn.Sequential(Block(8, 2), Block(8, 2))
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, WORDS)

    def forward(self, x):
        y = self.blocks(self.words(x) + self.positions(torch.arange(x.shape[1])))
        return self.head(self.norm(y)).reshape(-1, WORDS)


class Basic(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs)
        self.shortcut = None
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + (self.shortcut(x) if self.shortcut else x))


class SumOnce(torch.autograd.Function):
    """Max pooling whose gradient is rounded once."""

    @staticmethod
    def forward(context, x, *windows):
        y, indices = F.max_pool2d(x, *windows, return_indices=True)
        context.save_for_backward(indices)
        context.sizes = x.shape
        context.mark_non_differentiable(indices)
        return y

    @staticmethod
    def backward(context, grad):
        indices, = context.saved_tensors
        total = torch.zeros(*context.sizes[:2], context.sizes[2] * context.sizes[3], dtype=torch.float64)
        total.scatter_add_(2, indices.flatten(2), grad.double().flatten(2))
        return total.reshape(context.sizes).to(grad.dtype), None, None, None


class Pool(nn.MaxPool2d):
    def forward(self, x):
        return SumOnce.apply(x, self.kernel_size, self.stride, self.padding) if x.dtype.itemsize == 2 else super().forward(x)


def resnet():
    return nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), Pool(3, 2, 1),
                         Basic(4, 4, 1), Basic(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 4))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 12), nn.ReLU(), nn.Linear(12, 8), nn.ReLU(),
                         nn.Linear(8, 4))


def convolved(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU())


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.middle = convolved(2, 3), convolved(3, 5)
        self.up = nn.ConvTranspose2d(5, 3, 3, stride=2, padding=1, output_padding=1)
        self.around, self.head, self.pool = convolved(6, 3), nn.Conv2d(3, 4, 1), nn.MaxPool2d(2)

    def forward(self, x):
        down = self.down(x)
        up = self.up(self.middle(self.pool(down)))
        return self.head(self.around(torch.cat([up, down], 1))).mean((2, 3))


class Translator(nn.Module):
    """Encodes sequences of several lengths, and makes four steps of a decoder that attends to them."""

    def __init__(self):
        super().__init__()
        self.words, self.encoder = nn.Embedding(WORDS, 3), nn.GRU(3, 6, num_layers=2, batch_first=True)
        self.bridge, self.cell, self.head = nn.Linear(6, 6), nn.GRUCell(9, 6), nn.Linear(6, 4)

    def forward(self, x):
        lengths = torch.tensor([3, 5, 1, 4, 5, 2, 2, 5])
        unseen = torch.arange(5)[None] >= lengths[:, None]
        packed = pack_padded_sequence(self.words(x), lengths, batch_first=True, enforce_sorted=False)
        output, last = self.encoder(packed)
        keys, _ = pad_packed_sequence(output, batch_first=True)
        h, total = torch.tanh(self.bridge(last[-1])), 0
        for step in range(4):
            scores = torch.bmm(keys, h[:, :, None]).squeeze(2)
            shares = scores.masked_fill(unseen, -math.inf).softmax(1)
            seen = torch.bmm(shares[:, None], keys).squeeze(1)
            h = self.cell(torch.cat([self.words(x[:, step]), seen], 1), h)
            total = total + self.head(h)
        return total / 4


WORDS = 10
NETWORKS = {  # the network, the sizes of the input, and whether it is of words, with AdamW
    "mlp": (lambda: nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)), (8, 6), False),
    "lenet": (lenet, (8, 1, 12, 12), False),
    "resnet": (resnet, (8, 3, 8, 8), False),
    "transformer": (Encoder, (8, 5, 8), False),
    "lstm": (Recurrent, (8, 5), True),
    "gpt": (Gpt, (4, 6), True),
    "unet": (Unet, (8, 2, 6, 4), False),
    "translator": (Translator, (8, 5), True),
}


def inputs(sizes, words, dtype):
    count = math.prod(sizes)
    if words:
        return (torch.arange(count) * 7 + 3).remainder(WORDS).reshape(sizes)
    return torch.tensor([math.sin(1 + 1.7 * i) for i in range(count)], dtype=torch.float64).to(dtype).reshape(sizes)


def curve(make, sizes, words, dtype, steps, lower=None):
    torch.set_default_dtype(dtype)
    torch.manual_seed(5)
    module = make()
    torch.set_default_dtype(torch.float32)
    x, losses = inputs(sizes, words, dtype), []
    if words:
        optimizer = torch.optim.AdamW(module.parameters(), lr=1e-2)
    else:
        optimizer = torch.optim.SGD(module.parameters(), lr=0.03, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=4, enabled=lower is not None)
    for _ in range(steps):
        optimizer.zero_grad()
        with torch.autocast("cpu", lower or torch.bfloat16, enabled=lower is not None):
            y = module(x)
            loss = F.cross_entropy(y, torch.arange(len(y)) % 4)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    if lower:
        losses.append(scaler.get_scale())
    return torch.tensor(losses, dtype=torch.float64)


def main():
    torch.set_num_threads(1)  # which decides the order of sums
    tensors = {}
    for name, make in INITIAL.items():
        torch.manual_seed(3)
        tensors["init." + name] = make().contiguous()
    for name, given in NETWORKS.items():
        tensors["curve." + name] = curve(*given, torch.float64, 50)
        tensors["single." + name] = curve(*given, torch.float32, 10)
        print(name, tensors["curve." + name][::12].tolist())
        steps = 8 if name == "resnet" else 50  # its batch normalization makes small differences large
        tensors["bfloat16." + name] = curve(*given, torch.float32, steps, torch.bfloat16)
        if not given[2] and name != "resnet":
            tensors["half." + name] = curve(*given, torch.float32, steps, torch.float16)
    save_file(tensors, os.path.join(FOLDER, "training.safetensors"))


if __name__ == "__main__":
    main()
