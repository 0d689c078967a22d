"""Two ranks train a network with samples of their own: gradients are averaged by hand."""

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(rank)  # other first values on each rank
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).double()
for p in net.parameters():
    dist.broadcast(p.data, src=0)

generator = torch.Generator().manual_seed(5)
inputs = torch.randn(22, 4, generator=generator, dtype=torch.float64)
samples = TensorDataset(inputs, (inputs.sum(1) > 0).long())
sampler = DistributedSampler(samples, seed=3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
losses = []
for epoch in range(3):
    sampler.set_epoch(epoch)
    for x, y in DataLoader(samples, batch_size=4, sampler=sampler):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        works = [dist.all_reduce(p.grad, op=dist.ReduceOp.SUM, async_op=True) for p in net.parameters()]
        for work, p in zip(works, net.parameters()):
            work.wait()
            p.grad /= size
        optimizer.step()
        losses.append(loss.item())
for p in net.parameters():
    every = [torch.empty_like(p) for _ in range(size)]
    dist.all_gather(every, p.detach())
    losses += [float((every[0] == every[1]).all()), p.sum().item()]
dist.barrier()
dist.destroy_process_group()
losses.append(float(dist.is_initialized()))
