"""Trains a small GPT-2 on text files, and writes it for the program generate.

usage: train.py FOLDER FILE...     writes FOLDER/model.pt2 and FOLDER/tokenizer.json

Needs PyTorch and the package tokenizers.  Two thousand steps over the documents of this repository take some minutes on
one core: python3 train.py story ../../docs/*.md ../../README.md
"""

import os
import sys

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask, past):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.into(self.norm1(x)).chunk(3, -1))
        k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x)), approximate="tanh")), (k, v)


class Model(nn.Module):
    """GPT-2: tokens (batch x n), and keys and values of m tokens before them, one pair for each layer."""

    def __init__(self, vocabulary, width=128, layers=4, heads=4, length=256):
        super().__init__()
        self.width, self.heads, self.length = width, heads, length
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.02)

    def forward(self, tokens, past):
        before, count = past[0][0].shape[2], tokens.shape[1]
        own = torch.arange(count) + before
        mask = torch.arange(before + count)[None] <= own[:, None]
        # Behind the last position the last one is used on and on.
        x = self.tokens(tokens) + self.positions(own.clamp(max=self.length - 1))
        made = []
        for block, pair in zip(self.blocks, past):
            x, pair = block(x, mask, pair)
            made.append(pair)
        return F.linear(self.norm(x), self.tokens.weight), made

    def nothing(self, batch, tokens=0):
        """Tensors of their own: an export takes one tensor that is given twice for one input."""
        sizes = batch, self.heads, tokens, self.width // self.heads
        return [(torch.zeros(sizes), torch.zeros(sizes)) for _ in self.blocks]


def tokenizer_of(files, vocabulary):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train(files, trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=["<|endoftext|>"], show_progress=False,
                                               initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def train(model, ids, steps, batch=16, length=64):
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3, weight_decay=0.05)
    for step in range(steps):
        starts = torch.randint(len(ids) - length - 1, (batch,))
        rows = torch.stack([ids[s:s + length + 1] for s in starts])
        scores, _ = model(rows[:, :-1], model.nothing(batch))
        loss = F.cross_entropy(scores.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * min(1, (step + 1) / 100) * (1 - step / steps)
        optimizer.step()
        if step % 100 == 0 or step == steps - 1:
            print(f"step {step}: {loss.item():.3f}", file=sys.stderr, flush=True)


def save(model, path):
    """Both numbers of tokens may be anything: the prompt comes first, with nothing before it."""
    n, before = torch.export.Dim("n", min=1, max=4096), torch.export.Dim("before", min=0, max=65536)
    pairs = [({2: before}, {2: before}) for _ in model.blocks]
    with torch.no_grad():
        program = torch.export.export(model.eval(), (torch.zeros(1, 3, dtype=torch.long), model.nothing(1, 5)),
                                      dynamic_shapes={"tokens": {1: n}, "past": pairs})
    torch.export.save(program, path)


def main(folder, files, steps=2000, vocabulary=1024):
    os.makedirs(folder, exist_ok=True)
    torch.manual_seed(0)
    tokenizer = tokenizer_of(files, vocabulary)
    tokenizer.save(os.path.join(folder, "tokenizer.json"))
    text = "\n<|endoftext|>".join(open(file, encoding="utf-8").read() for file in files)
    model = Model(tokenizer.get_vocab_size())
    train(model, torch.tensor(tokenizer.encode(text).ids), steps)
    save(model, os.path.join(folder, "model.pt2"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
