"""Mixed precision: the types that operations and layers compute in, and a training whose losses stay near those in Float."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x, y = torch.randn(64, 3, 8, 8), torch.randint(0, 5, (64,))
losses, texts = [], []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.layer, self.fc, self.group, self.out = nn.LayerNorm(8), nn.Linear(8, 16), nn.GroupNorm(2, 16), nn.Linear(16, 5)

    def forward(self, x):
        a = self.conv(x)
        b = F.relu(self.norm(a))
        c = F.adaptive_avg_pool2d(b, 1).flatten(1)
        d = self.layer(c)
        e = F.gelu(self.fc(d))
        f = self.group(e)
        g = self.out(f)
        self.types = [str(t.dtype) for t in (a, b, c, d, e, f, g)]
        return g


def trained(enabled):
    torch.manual_seed(1)
    net, losses = Net(), []
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    for step in range(10):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return net, loss, losses


_, _, plain = trained(False)
net, loss, other = trained(True)
texts.append(str(plain != other and all(abs(a - b) < 0.02 * a for a, b in zip(plain, other))))
texts += [str(net.types), str(loss.dtype), str(net.fc.weight.grad.dtype), str(torch.is_autocast_enabled("cpu"))]

a, b = torch.randn(4, 4), torch.randn(4, 4)
with torch.autocast("cpu"):
    texts.append(str(torch.get_autocast_dtype("cpu")))
    for f in (torch.mm, torch.add, lambda a, b: torch.cat([a, b.bfloat16()]), lambda a, b: torch.softmax(a, 1), F.linear,
              lambda a, b: torch.einsum("ij,jk->ik", a, b), lambda a, b: F.mse_loss(a.bfloat16(), b), lambda a, b: a.bfloat16() + b,
              lambda a, b: torch.linalg.inv(a), lambda a, b: F.layer_norm(a.bfloat16(), (4,)), lambda a, b: torch.bmm(a[None], b[None]),
              lambda a, b: a.bfloat16().sum(), lambda a, b: torch.addmm(a, a, b), lambda a, b: torch.mm(a.double(), b.double()),
              lambda a, b: F.scaled_dot_product_attention(a[None, None], b[None, None], b[None, None])):
        texts.append(str(f(a, b).dtype))
    for layer, size in ((nn.Conv1d(2, 2, 1), (1, 2, 3)), (nn.ConvTranspose2d(2, 2, 1), (1, 2, 3, 3)), (nn.Embedding(3, 2), None),
                        (nn.TransformerEncoderLayer(8, 2, 16), (3, 2, 8))):
        texts.append(str(layer(torch.tensor([1]) if size is None else torch.randn(size)).dtype))
    with torch.autocast("cpu", enabled=False):
        texts.append(str((a @ b).dtype))
    texts.append(str((a @ b).dtype))
texts.append(str((a @ b).dtype))


@torch.autocast("cpu", dtype=torch.bfloat16)
def product(a, b):
    return a @ b


texts.append(str(product(a, b).dtype))
