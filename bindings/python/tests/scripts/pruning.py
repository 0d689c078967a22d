"""Pruning: masks by size, at random, of whole channels, over all layers, and a method of one's own."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
losses, texts = [], []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.first = nn.Linear(6 * 4 * 4, 20)
        self.second = nn.Linear(20, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        return self.second(F.relu(self.first(x.flatten(1))))


x = torch.randn(3, 1, 10, 10)
net = Net()
prune.random_unstructured(net.conv, name="weight", amount=0.3)
prune.l1_unstructured(net.conv, name="bias", amount=3)
prune.ln_structured(net.conv, name="weight", amount=0.5, n=2, dim=0)
texts += sorted(net.state_dict()) + [n for n, _ in net.named_parameters()] + [
    type(h).__name__ for h in net.conv._forward_pre_hooks.values()]
losses += net.conv.weight_mask.sum((1, 2, 3)).tolist() + net.conv.bias_mask.tolist()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
losses.append((net.conv.weight_orig.grad == 0).sum().item())
prune.remove(net.conv, "weight")
texts += [n for n, _ in net.conv.named_parameters()]
losses += [net(x).sum().item(), (net.conv.weight == 0).sum().item()]

net = Net()
layers = [(net.conv, "weight"), (net.first, "weight"), (net.second, "weight")]
prune.global_unstructured(layers, pruning_method=prune.L1Unstructured, amount=0.2)
losses += [(m.weight == 0).sum().item() for m, _ in layers]
prune.random_structured(net.first, "weight", amount=2, dim=1)
losses.append(net.first.weight_mask.sum().item())
prune.custom_from_mask(net.second, "bias", torch.tensor([1, 0, 1, 1, 0]))
losses += net.second.bias.tolist()


class EveryOther(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


EveryOther.apply(net.first, "bias")
losses += [net.first.bias_mask.sum().item(), net(x).sum().item(), float(prune.is_pruned(net)), float(prune.is_pruned(nn.ReLU()))]
for amount in (-1, 1.5, 1000):
    try:
        prune.l1_unstructured(Net().second, "bias", amount)
    except ValueError as error:
        losses.append(1.0)
