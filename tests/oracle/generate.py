"""Writes tests/golden/generate: a small language model with its tokenizer, and what PyTorch and the package tokenizers
make of some texts.

usage: generate.py [kept]

model.pt2, tokenizer.json; kept.pt2 is the same model, which keeps keys and values in buffers and takes one token at a time (kept: only that is
written); tokens.txt has lines of a text (as octal escapes) and its tokens; text.txt is what follows "The" if the
most probable token is taken each time.  Needs the package tokenizers.
"""

import os
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../golden/generate")
sys.path.insert(0, os.path.join(HERE, "../../examples/generate"))
import train  # noqa: E402

TEXTS = ["The tensor's strides, they're 3x64.", "  two  spaces\n\nand\tlines \n", "don't we'll I'd 'tis", "naïve Ünïcödé — \u4f60\u597d \U0001f600!",
         "a", " ", "x=(y+1)**2; // ###", "1 23 456 7٣٤", "trailing   "]


class Kept(torch.nn.Module):
    """The model with a cache of its own: tokens (1 x 1) and their indices."""

    def __init__(self, model, length=48):
        super().__init__()
        self.model, self.length = model, length
        for i in range(len(model.blocks)):
            for name, cache in zip(("keys", "values"), model.nothing(1, length)[i]):
                self.register_buffer(f"{name}{i}", cache, persistent=False)

    def forward(self, tokens, index):
        model = self.model
        mask = torch.arange(self.length)[None] <= index[:, None]
        x = model.tokens(tokens) + model.positions(index)
        for i, block in enumerate(model.blocks):
            q, k, v = (t.unflatten(-1, (block.heads, -1)).transpose(1, 2) for t in block.into(block.norm1(x)).chunk(3, -1))
            keys, values = getattr(self, f"keys{i}"), getattr(self, f"values{i}")
            keys.index_copy_(2, index, k)
            values.index_copy_(2, index, v)
            y = torch.nn.functional.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
            x = x + block.out(y.transpose(1, 2).flatten(2))
            x = x + block.narrow(torch.nn.functional.gelu(block.wide(block.norm2(x)), approximate="tanh"))
        return model.norm(x) @ model.tokens.weight.t()


def keep():
    weights = torch.export.load(os.path.join(FOLDER, "model.pt2")).state_dict
    model = train.Model(len(weights["tokens.weight"]), 24, 2, 2, 48)
    model.load_state_dict(weights)
    with torch.no_grad():
        program = torch.export.export(Kept(model.eval()), (torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long)))
    for node in program.graph.nodes:
        for key in ("stack_trace", "nn_module_stack", "source_fn_stack", "torch_fn", "from_node"):
            node.meta.pop(key, None)
    program._example_inputs = None
    torch.export.save(program, os.path.join(FOLDER, "kept.pt2"))


def main():
    os.makedirs(FOLDER, exist_ok=True)
    torch.manual_seed(1)
    files = [os.path.join(HERE, "../../docs", name) for name in ("design.md", "stability.md")]
    tokenizer = train.tokenizer_of(files, 300)
    tokenizer.save(os.path.join(FOLDER, "tokenizer.json"))
    model = train.Model(tokenizer.get_vocab_size(), 24, 2, 2, 48)
    text = "".join(open(file, encoding="utf-8").read() for file in files)
    train.train(model, torch.tensor(tokenizer.encode(text).ids), 2000, 8, 32)
    train.save(model, os.path.join(FOLDER, "model.pt2"))
    with open(os.path.join(FOLDER, "tokens.txt"), "w") as out:
        for text in TEXTS:
            print("".join(f"\\0{b:03o}" for b in text.encode()), *tokenizer.encode(text).ids, file=out)
    tokens = tokenizer.encode("The").ids
    with torch.no_grad():
        for _ in range(24):
            scores, _ = model(torch.tensor([tokens]), model.nothing(1))
            tokens.append(scores[0, -1].argmax().item())
    with open(os.path.join(FOLDER, "text.txt"), "w") as out:
        print(tokenizer.decode(tokens), file=out)


if __name__ == "__main__":
    if sys.argv[1:] != ["kept"]:
        main()
    keep()
