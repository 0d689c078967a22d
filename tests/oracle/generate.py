"""Writes tests/golden/generate: a small language model with its tokenizer, and what PyTorch and the package tokenizers
make of some texts.

usage: generate.py

model.pt2, tokenizer.json; tokens.txt has lines of a text (as octal escapes) and its tokens; text.txt is what follows "The" if the
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
    main()
