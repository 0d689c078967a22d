"""Recurrent layers and attention, called with states and masks, and an optimizer that goes on from its state."""

import copy

import torch
from torch import nn, optim

torch.manual_seed(4)
losses = []
lstm = nn.LSTM(3, 5, num_layers=2, batch_first=True).double()
gru, cell = nn.GRU(5, 4).double(), nn.LSTMCell(4, 3).double()
attention = nn.MultiheadAttention(4, 2, batch_first=True).double()
layer = nn.TransformerEncoderLayer(d_model=4, nhead=2, dim_feedforward=8, dropout=0.0, batch_first=True).double()
modules = nn.ModuleDict({"lstm": lstm, "gru": gru, "cell": cell, "attention": attention, "layer": layer})
x = torch.rand(2, 6, 3).double()
ignored = torch.zeros(2, 6, dtype=torch.bool)
ignored[0, 4:] = True
optimizer = optim.RMSprop(modules.parameters(), lr=0.01, momentum=0.5)


def loss_of():
    output, (h, c) = lstm(x)
    second, last = gru(output.transpose(0, 1))
    second = second.transpose(0, 1)
    mixed, weights = attention(second, second, second, key_padding_mask=ignored)
    mixed = layer(mixed)
    h1, c1 = cell(mixed[:, 0])
    h1, c1 = cell(mixed[:, 1], (h1, c1))
    return (h ** 2).mean() + c.mean() + last.sum() + (weights ** 2).sum() + (h1 * c1).mean() + mixed.std()


for step in range(4):
    optimizer.zero_grad()
    loss = loss_of()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if step == 1:
        saved = copy.deepcopy(optimizer.state_dict())
        before = copy.deepcopy(modules.state_dict())
modules.load_state_dict(before)
optimizer = optim.RMSprop(modules.parameters(), lr=0.5)
optimizer.load_state_dict(saved)
for step in range(2):
    optimizer.zero_grad()
    loss = loss_of()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
losses.append(optimizer.param_groups[0]["lr"])
