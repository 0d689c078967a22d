"""Pictures, programs that take them, and what torchvision makes of the pictures.

usage: pictures.py make            writes the files in tests/golden/pictures

expected.npz has for each case CASE the input of the network, computed by torchvision on tensors of floats; the command
lines of the cases are in tests/programs/pictures. pixels.pt2 returns a picture of any size, corner.pt2 one of 6 x 6,
and classes.pt2 gives scores to four classes: the means of red, green, blue and their sum."""

import os
import sys

import numpy as np
import torch
from PIL import Image
from torch import nn
from torchvision.transforms import CenterCrop, Compose, Normalize, Resize
from torchvision.transforms.functional import pil_to_tensor

from programs import write

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/pictures")
HEIGHT, WIDTH = 15, 20


class Pixels(nn.Module):
    def forward(self, x):
        return x.clone()


class Classes(nn.Module):
    def forward(self, x):
        means = 4 * x.mean([2, 3])
        return torch.cat([means, means.sum(1, keepdim=True) / 2], 1)


def draw():
    """Waves of three lengths: smooth, and different in each color."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    waves = [np.sin(x / 3.0 + y / 7.0), np.cos(x / 5.0 - y / 2.0), np.sin(x * y / 40.0)]
    return (np.stack(waves, -1) * 120 + 128).astype(np.uint8)


def save_pictures():
    pixels = draw()
    picture = Image.fromarray(pixels)
    picture.save(os.path.join(FOLDER, "rgb.png"))
    picture.save(os.path.join(FOLDER, "photo.jpg"), quality=85)
    picture.save(os.path.join(FOLDER, "progressive.jpg"), quality=60, progressive=True)
    picture.convert("L").save(os.path.join(FOLDER, "gray.png"))
    picture.quantize(16).save(os.path.join(FOLDER, "palette.png"))
    alpha = np.full((HEIGHT, WIDTH, 1), 255, np.uint8)
    alpha[:5] = 0
    Image.fromarray(np.concatenate([pixels, alpha], -1)).save(os.path.join(FOLDER, "alpha.png"))


def network_input(name, *steps):
    picture = Image.open(os.path.join(FOLDER, name)).convert("RGB")
    return Compose(steps)(pil_to_tensor(picture).float() / 255)[None].numpy()


def expected():
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    cases = {name.replace(".", "_"): network_input(name)
             for name in ("rgb.png", "gray.png", "palette.png", "alpha.png", "photo.jpg", "progressive.jpg")}
    cases["resized"] = network_input("rgb.png", Resize(9, antialias=True), CenterCrop(8), Normalize(mean, std))
    cases["larger"] = network_input("photo.jpg", Resize(31, antialias=True), CenterCrop((30, 24)))
    cases["square"] = network_input("rgb.png", Resize(6, antialias=True), CenterCrop(6))
    cases["framed"] = network_input("rgb.png", Resize(8, antialias=True), CenterCrop((9, 14)), Normalize(mean, std))
    cases["scaled"] = network_input("rgb.png", Normalize([0.5] * 3, [0.25] * 3))
    return cases


def make():
    os.makedirs(FOLDER, exist_ok=True)
    save_pictures()
    np.savez(os.path.join(FOLDER, "expected.npz"), **expected())
    any_size = {"x": {2: torch.export.Dim("height", max=4096), 3: torch.export.Dim("width", max=4096)}}
    for name, network, example, dynamic in (
            ("pixels", Pixels(), torch.rand(1, 3, 9, 12), any_size),
            ("corner", Pixels(), torch.rand(1, 3, 6, 6), None),
            ("classes", Classes(), torch.rand(1, 3, 9, 12), any_size)):
        write(FOLDER, name, network, (example,), dynamic, False)


if __name__ == "__main__":
    if sys.argv[1:] != ["make"]:
        sys.exit(__doc__)
    make()
