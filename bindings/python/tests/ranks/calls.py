"""Every call of two ranks, on tensors and on objects."""

import torch
import torch.distributed as dist

losses, texts = [], []


def note(*tensors):
    for t in tensors:
        losses.extend(t.double().flatten().tolist())


try:
    dist.get_rank()
except ValueError as error:
    texts.append(type(error).__name__)
texts += [str(dist.is_available()), str(dist.is_initialized())]
dist.init_process_group(backend="gloo")
rank, size = dist.get_rank(), dist.get_world_size()
other = 1 - rank
texts += [dist.get_backend(), str(dist.is_initialized()), str(dist.get_world_size(dist.group.WORLD))]
own = torch.arange(6.0).reshape(2, 3) + 10 * rank

for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
    t = own.t().contiguous().t()  # another layout
    dist.all_reduce(t, op)
    note(t)
bits = torch.tensor([5, 12]) + rank
for op in (dist.ReduceOp.BAND, dist.ReduceOp.BOR, dist.ReduceOp.BXOR):
    t = bits.clone()
    dist.all_reduce(t, op=op)
    note(t)
t = own.clone()
dist.broadcast(t, 1)
note(t)
t = own.clone()
dist.reduce(t, dst=1)
note(t * rank)
parts = [torch.zeros(2, 3) for _ in range(size)]
dist.all_gather(parts, own)
note(*parts)
joined = torch.zeros(4, 3)
work = dist.all_gather_into_tensor(joined, own, async_op=True)
work.wait()
note(joined)
texts.append(str(work.is_completed()))
parts = [torch.zeros(2, 3) for _ in range(size)] if rank == 0 else None
dist.gather(own, parts, dst=0)
note(*(parts or []))
t = torch.zeros(3)
dist.scatter(t, [torch.ones(3), torch.full((3,), 7.0)] if rank == 1 else None, src=1)
note(t)
t = torch.zeros(3)
dist.reduce_scatter(t, [own[0].clone(), own[1].clone()])
note(t)
t = torch.zeros(3)
dist.reduce_scatter_tensor(t, own.flatten())
note(t)
t = torch.zeros(4)
dist.all_to_all_single(t, torch.arange(4.0) + 100 * rank)
note(t)
t = torch.zeros(3 if rank == 0 else 5)
dist.all_to_all_single(t, torch.arange(4.0) + 100 * rank, [1, 2] if rank == 0 else [3, 2], [1, 3] if rank == 0 else [2, 2])
note(t)

t = torch.zeros(2)
if rank == 0:
    dist.send(torch.tensor([1.0, 2.0]), dst=1)
    work = dist.irecv(t, src=1)
    work.wait()
else:
    losses.append(dist.recv(t, src=0))
    dist.isend(t * 2, dst=0).wait()
note(t)
t = torch.zeros(1)
for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.tensor([5.0 + rank]), other), dist.P2POp(dist.irecv, t, other)]):
    work.wait()
note(t)

found = [None] * size
dist.all_gather_object(found, {"rank": rank, "words": "a" * (3 + 5 * rank)})
texts.append(str(found))
things = ["x", {1: (2, 3)}] if rank == 0 else [None, None]
dist.broadcast_object_list(things, src=0)
texts.append(str(things))

alone = dist.new_group([1])
both = dist.new_group()
if rank == 1:
    t = torch.ones(2)
    dist.all_reduce(t, group=alone)
    note(t)
    texts += [str(dist.get_world_size(alone)), str(dist.get_rank(alone)), str(dist.get_process_group_ranks(alone)),
              str(dist.get_group_rank(alone, 1)), str(dist.get_global_rank(alone, 0))]
else:
    texts.append(str(dist.get_rank(alone)))
t = torch.ones(2) * rank
dist.broadcast(t, src=1, group=both)
note(t)
dist.barrier(group=both)
dist.destroy_process_group()
texts.append(str(dist.is_initialized()))
