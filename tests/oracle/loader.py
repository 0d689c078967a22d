"""Golden values of loaders: the orders in which PyTorch's DataLoader takes samples in two shuffled passes, what samples draw
in a worker, and the order of torchvision's ImageFolder (tests/ATen/data/folder.inc)."""

import os
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset
from torchvision.datasets import ImageFolder

import golden

COUNT = 23
data = TensorDataset(torch.arange(COUNT))


class Drawn(torch.utils.data.Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return torch.empty(1, dtype=torch.int64).random_(1 << 30)


def drawn(shuffle):
    """The numbers of two passes, between whose batches the program draws, too."""
    torch.manual_seed(5)
    loader, found = DataLoader(Drawn(), batch_size=3, shuffle=shuffle, num_workers=1), []
    for _ in range(2):
        for batch in loader:
            found.append(batch.reshape(-1))
            torch.rand(100)
    return torch.cat(found)


def passes(loader):
    return torch.cat([batch for _ in range(2) for (batch,) in loader])


with golden.Writer("loader", __file__) as out:
    generator = torch.Generator()
    generator.manual_seed(7)
    out.put("own", passes(DataLoader(data, batch_size=4, shuffle=True, generator=generator)))
    torch.manual_seed(11)
    out.put("default", passes(DataLoader(data, batch_size=5, shuffle=True, drop_last=True)))
    out.put("drawn", drawn(False))
    out.put("drawn_shuffled", drawn(True))

NAMES = ["b/x.png", "b/x-1.PNG", "b/deep/y.jpeg", "b/deep-er/a.webp", "b/deep/er/z.tiff", "a/2.jpg", "a/10.jpg", "B/q.bmp",
         "a/deep/1.ppm", "b/.hidden.pgm", "b/é.tif"]
with tempfile.TemporaryDirectory() as root, open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ATen", "data", "folder.inc"), "w"
) as file:
    for name in NAMES:
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        open(os.path.join(root, name), "w").close()
    file.write("/* Written by tests/oracle/loader.py: the order of torchvision's ImageFolder. */\n")
    for path, label in ImageFolder(root).samples:
        file.write('{"%s", %d},\n' % (os.path.relpath(path, root), label))
