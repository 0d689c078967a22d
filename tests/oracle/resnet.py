"""Writes the networks of tests/resnet_infer: a small residual network with seeded random weights, as a
.safetensors and as a .pt file, and images with what it makes of them."""

import os

import safetensors.torch
import torch
from torch import nn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "resnet_infer")


class Block(nn.Module):
    def __init__(self, inputs, outputs, step):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, step, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if step != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, step, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + (self.downsample(x) if self.downsample else x))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = nn.Sequential(Block(8, 8, 1), Block(8, 8, 1))
        self.layer2 = nn.Sequential(Block(8, 16, 2), Block(16, 16, 1))
        self.layer3 = nn.Sequential(Block(16, 24, 2))
        self.fc = nn.Linear(24, 10)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = self.layer3(self.layer2(self.layer1(x)))
        return self.fc(x.mean((2, 3)))


torch.manual_seed(7)
network = Network()
network.train()
with torch.no_grad():
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.weight.uniform_(0.5, 1.5)
            module.bias.uniform_(-0.5, 0.5)
    for _ in range(3):
        network(torch.randn(16, 3, 12, 12))  # running means and variances that are not 0 and 1
    network.eval()
    images = torch.randn(3, 3, 12, 12)
    output = network.double()(images.double()).float()
    network.float()
os.makedirs(FOLDER, exist_ok=True)
state = network.state_dict()
safetensors.torch.save_file({k: v for k, v in state.items() if v.is_floating_point()},
                            os.path.join(FOLDER, "network.safetensors"))
torch.save(state, os.path.join(FOLDER, "network.pt"))
safetensors.torch.save_file({"input": images, "output": output}, os.path.join(FOLDER, "images.safetensors"))
