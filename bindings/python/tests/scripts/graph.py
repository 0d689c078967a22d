"""What tensors say of how they were computed, results with names, gradients of some tensors, and modules in files."""

import io
import pickle
import sys

import torch
from torch import nn

torch.manual_seed(3)
x = torch.linspace(-1, 2, 6, dtype=torch.float64).reshape(2, 3).requires_grad_()
w = torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64, requires_grad=True)
unused = torch.ones(2, dtype=torch.float64, requires_grad=True)
results = [
    x + 1, x * w, x - w, x / 2, -x, x ** 2, x ** w, 2 ** x, x @ w.t(), x.mm(w.t()), x.sum(), x.sum(1), x.mean(), x.mean(0), x.exp(),
    x.abs().log(), x.relu(), torch.sigmoid(x), torch.tanh(x), torch.softmax(x, 1), torch.log_softmax(x, 1), x[0], x[:, 1], x[0:1],
    x.t(), x.view(3, 2), x.reshape(6), x.flatten(), x.unsqueeze(0), x.unsqueeze(0).squeeze(0), x.permute(1, 0), x.transpose(0, 1),
    torch.cat([x, w]), torch.stack([x, x]), x.max(), x.min(1)[0], x.clamp(0, 1), x.clone(), x.expand(2, 2, 3), x.norm(), x.std(),
    x.var(0), x.prod(), x.cumsum(0), x.masked_fill(x > 0, 0), torch.where(x > 0, x, w), x[x > 0], x.gather(1, torch.zeros(2, 1).long()),
    x.index_select(0, torch.tensor([1])), nn.functional.linear(x, w, unused[:1]), nn.functional.mse_loss(x, w.expand(2, 3)),
    nn.functional.cross_entropy(x, torch.tensor([0, 2])), nn.functional.layer_norm(x, (3,)), nn.functional.leaky_relu(x),
    nn.functional.gelu(x), nn.functional.conv2d(x[None, None], w[None, None]), nn.functional.max_pool2d(x[None], 2),
    nn.functional.avg_pool2d(x[None], 2), nn.functional.embedding(torch.tensor([1]), x), x.float(), x.detach(), x.square(),
    x.split(1)[1], x.chunk(2)[0], torch.linalg.norm(x), torch.linalg.inv(x[:, :2]), x.sqrt(), x.sin(), torch.max(x, w), x.repeat(2, 1),
    torch.bmm(x[None], x.t()[None]), torch.addmm(w[:, :1], x, w.t()), x.sort(1)[0], x.topk(2)[0], x.triu(), x.diagonal(), x.roll(1)]
texts = [str(r.grad_fn and r.grad_fn.name()) for r in results]
y = ((x * w).exp() + 1).sum()
node = y.grad_fn
while node is not None:
    texts.append("%s %s" % (node.name(), [n.name() for n, _ in node.next_functions[:1]]))
    node = node.next_functions[0][0] if node.next_functions else None
texts += [repr(torch.max(x, 1)), repr(torch.sort(x.detach(), 1)), repr(torch.topk(w, 2)), str(torch.linalg.slogdet(torch.eye(2)))]
values, indices = named = x.max(dim=1)
losses = [float(named.values is values), indices.sum().item()]

found = torch.autograd.grad(y, [x, unused], allow_unused=True, retain_graph=True)
texts += [repr(found[1]), repr(unused.grad), repr(torch.autograd.grad(y, unused, retain_graph=True, materialize_grads=True))]
try:
    torch.autograd.grad(y, unused, retain_graph=True)
except RuntimeError:
    texts.append("unused")
y.backward(inputs=[w], retain_graph=True)
texts.append(repr(x.grad))
y.backward(inputs=w)
losses += found[0].flatten().tolist() + w.grad.flatten().tolist()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.again = self.body[0]
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True), 1)
        self.cell = nn.LSTM(4, 2)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, inputs):
        return self.scale * self.cell(self.encoder(self.body(inputs)[None]))[0]


sys.modules.setdefault(Net.__module__, type(sys)(Net.__module__))  # where pickle looks for the class
setattr(sys.modules[Net.__module__], "Net", Net)
net = Net().double()
net(torch.rand(5, 3, dtype=torch.float64))
net.body[1].weight.requires_grad_(False)
net.eval()
file = io.BytesIO()
torch.save({"net": net, "epoch": 3}, file)
file.seek(0)
try:
    torch.load(file)
except pickle.UnpicklingError:
    texts.append("weights only")
file.seek(0)
copy = torch.load(file, weights_only=False)["net"]
inputs = torch.rand(5, 3, dtype=torch.float64)
losses += [(net(inputs) - copy(inputs)).abs().max().item(), float(copy.again is copy.body[0]), float(copy.training)]
texts += [str([n for n, p in copy.named_parameters() if not p.requires_grad])]
