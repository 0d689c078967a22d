"""DistributedDataParallel: gradients are averages over two ranks, also of parameters that one rank does not use."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5), nn.ReLU())
        self.one, self.other, self.idle = nn.Linear(5, 1), nn.Linear(5, 1), nn.Linear(5, 1)

    def forward(self, x, which):
        y = self.body(x)
        return self.one(y) if which == 0 else self.other(y)


dist.init_process_group()
rank = dist.get_rank()
torch.manual_seed(7 + rank)
net = DDP(Net().double(), find_unused_parameters=True)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
torch.manual_seed(20 + rank)
losses, texts = [], sorted(net.state_dict())[:3]
for step in range(6):
    x = torch.randn(4, 3, dtype=torch.float64)
    optimizer.zero_grad()
    if step == 3:
        with net.no_sync():
            net(x, 0).sum().backward()
    loss = net(x, rank if step % 2 else 0).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    losses += [p.grad.sum().item() for p in net.parameters() if p.grad is not None]
texts.append(str([n for n, p in net.module.named_parameters() if p.grad is None]))
losses += [p.sum().item() for p in net.parameters()]
losses += net.module.body[1].running_mean.tolist()
dist.destroy_process_group()
