"""Operations of one's own, dual numbers, flexible attention, hooks of several tensors, memory, errors of linear algebra, and
the names of compilers."""

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.data.distributed import DistributedSampler

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
losses, texts = [], []


@torch.library.custom_op("further::sine", mutates_args=())
def sine(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x.detach())


def setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def backward(ctx, grad):
    return grad * ctx.saved_tensors[0].cos()


sine.register_autograd(backward, setup_context=setup)
x = torch.randn(3, requires_grad=True)
torch.ops.further.sine(x).sum().backward()
losses += x.grad.tolist() + torch.ops.aten.mul(x.detach(), 2).tolist()

primal, tangent = torch.randn(2, 3), torch.randn(2, 3)
net = nn.Linear(3, 2)
parameters = {name: p for name, p in net.named_parameters()}
with fwAD.dual_level():
    dual = fwAD.make_dual(primal, tangent)
    y = fwAD.unpack_dual(dual.sin() * dual)
    losses += y.primal.reshape(-1).tolist() + y.tangent.reshape(-1).tolist()
    texts += [str(fwAD.unpack_dual(primal).tangent), str(y.primal.requires_grad)]
    for name, p in parameters.items():
        delattr(net, name)
        setattr(net, name, fwAD.make_dual(p, torch.ones_like(p)))
    losses += fwAD.unpack_dual(net(primal)).tangent.reshape(-1).tolist()

q, k, v = (torch.randn(2, 4, 16, 8) for _ in range(3))
bias = torch.linspace(0.1, 0.4, 4)
for score in (lambda s, b, h, i, j: s + (j - i) * bias[h], lambda s, b, h, i, j: 5 * torch.tanh(s / 5)):
    losses += flex_attention(q, k, v, score_mod=score)[1, 2, 3].tolist()
mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 16, 16, BLOCK_SIZE=8, device="cpu")
losses += flex_attention(q, k, v, block_mask=mask)[0, 1, 5].tolist()
texts += [str(mask.shape), "%.2f" % mask.sparsity()]
heads = nn.MultiheadAttention(16, 4)
t = torch.randn(5, 2, 16)
result, weights = F.multi_head_attention_forward(t, t, t, 16, 4, heads.in_proj_weight, heads.in_proj_bias, None, None, False, 0.0,
                                                 heads.out_proj.weight, heads.out_proj.bias)
losses += result[0, 0].tolist() + weights[0, 0].tolist()

a, b = (torch.randn(3, requires_grad=True) for _ in range(2))
handle = torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: losses.append(sum(g.sum().item() for g in grads)))
(a * b).sum().backward()
handle.remove()
(a * b).sum().backward()
for rank in range(3):
    sampler = DistributedSampler(range(11), 3, rank, seed=4)
    sampler.set_epoch(2)
    losses += list(sampler)

turned = torch.arange(6.0).reshape(2, 3).t()
losses += [turned.untyped_storage().nbytes(), turned.storage()[4], len(turned.storage())]
texts += [str(turned.layout), str(isinstance(torch.channels_last, torch.memory_format))]
for call in (lambda: torch.linalg.inv(torch.zeros(2, 2)), lambda: torch.linalg.cholesky(-torch.eye(2))):
    try:
        call()
    except torch.linalg.LinAlgError:
        texts.append("LinAlgError")
x = torch.tensor([0.11, 0.26, 5.0], requires_grad=True)
rounded = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -20, 20)
rounded.sum().backward()
losses += rounded.tolist() + x.grad.tolist()


@torch.jit.script
def larger(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.sum() > y.sum():
        return x
    return y


losses += larger(torch.ones(2), torch.zeros(2)).tolist()
texts += [str(torch.jit.is_scripting()), str(isinstance(nn.LSTM(2, 3), nn.RNNBase)), str(torch.cuda.memory_allocated()),
          str(type(torch.max(torch.ones(2, 2), 0)) is torch.return_types.max)]
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    with torch.profiler.record_function("mine"):
        torch.relu(torch.ones(3)).sum()
names = {e.key for e in profile.key_averages()}
texts += [str({"mine", "aten::relu", "aten::sum"} <= names)]
