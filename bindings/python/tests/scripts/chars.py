"""A small transformer learns a text letter by letter, and writes on."""

import math

import torch
from torch import nn

text = "the quick brown fox jumps over the lazy dog and the dog sleeps on. " * 3
letters = sorted(set(text))
codes = torch.tensor([letters.index(c) for c in text])
length, width = 16, 24


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.register_buffer("mask", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        batch, steps, width = x.size()
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = (t.view(batch, steps, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(self.mask[:, :, :steps, :steps] == 0, float("-inf"))
        mixed = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(batch, steps, width)
        x = x + self.out(mixed)
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.letters = nn.Embedding(len(letters), width)
        self.positions = nn.Parameter(torch.zeros(1, length, width))
        self.blocks = nn.ModuleList([Block(width, 3) for _ in range(2)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, len(letters), bias=False)
        self.head.weight = self.letters.weight
        self.apply(self.begin)

    @staticmethod
    def begin(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.2)

    def forward(self, codes, targets=None):
        x = self.letters(codes) + self.positions[:, :codes.size(1)]
        for block in self.blocks:
            x = block(x)
        scores = self.head(self.norm(x))
        if targets is None:
            return scores, None
        return scores, nn.functional.cross_entropy(scores.view(-1, scores.size(-1)), targets.view(-1))


torch.manual_seed(3)
model = Model().double()
decayed = [p for p in model.parameters() if p.dim() >= 2]
plain = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.Adam([{"params": decayed, "weight_decay": 0.01}, {"params": plain, "lr": 5e-3}], lr=1e-2)
warm = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 3))
losses = [float(sum(p.numel() for p in model.parameters()))]
for step in range(6):
    starts = torch.randint(0, len(codes) - length - 1, (8,))
    x = torch.stack([codes[i:i + length] for i in starts.tolist()])
    y = torch.stack([codes[i + 1:i + 1 + length] for i in starts.tolist()])
    _, loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    warm.step()
    losses += [loss.item(), warm.get_last_lr()[1]]


@torch.no_grad()
def write(count):
    written = codes[:4].unsqueeze(0)
    for _ in range(count):
        scores, _ = model(written[:, -length:])
        written = torch.cat((written, scores[:, -1].argmax(dim=-1, keepdim=True)), dim=1)
    return written[0].tolist()


losses += [float(code) for code in write(10)]
