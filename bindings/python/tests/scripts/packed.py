"""Recurrent layers over sequences of several lengths."""

import torch
from torch import nn
from torch.nn.utils.rnn import (pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence, unpack_sequence,
                                unpad_sequence)

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
losses = []
lengths = [3, 5, 1, 4]
sequences = [torch.randn(n, 2) for n in lengths]
padded = pad_sequence(sequences, batch_first=True, padding_value=-1.0)
losses += [padded.sum().item(), pad_sequence(sequences, padding_side="left")[0].sum().item()]
losses += [s.sum().item() for s in unpad_sequence(padded, torch.tensor(lengths), batch_first=True)]

for make, bidirectional in ((nn.LSTM, True), (nn.GRU, False), (nn.RNN, True)):
    net = make(2, 3, num_layers=2, batch_first=True, bidirectional=bidirectional, bias=make is not nn.GRU)
    head = nn.Linear(3 * (1 + bidirectional), 1)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    for _ in range(3):
        packed = pack_padded_sequence(padded, torch.tensor(lengths), batch_first=True, enforce_sorted=False)
        output, state = net(packed)
        output, found = pad_packed_sequence(output, batch_first=True, total_length=6)
        last = state[0] if make is nn.LSTM else state
        loss = head(output).pow(2).mean() + (last * torch.arange(4.0).reshape(1, 4, 1)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += [loss.item(), output[2].sum().item(), found.sum().item()]

packed = pack_sequence(sorted(sequences, key=len, reverse=True))
losses += packed.batch_sizes.tolist() + [s.sum().item() for s in unpack_sequence(packed)]
with torch.no_grad():
    start = torch.ones(4, 4, 3)
    losses.append(nn.GRU(2, 3, 2, bidirectional=True)(packed, start)[1].sum().item())
net = nn.LSTM(2, 4, 2, bidirectional=True, proj_size=3)
output, (h, c) = net(packed)
losses += [output.data.sum().item(), h.sum().item(), c.sum().item()]

scores = torch.randn(8, 3, 5, requires_grad=True)
targets = torch.randint(1, 5, (3, 4))
for given in (((8, 7, 6), (4, 2, 3)), (torch.tensor([8, 7, 6]), torch.tensor([4, 2, 3]))):
    loss = nn.CTCLoss(zero_infinity=True)(scores.log_softmax(2), targets, *given)
    losses += [loss.item(), torch.autograd.grad(loss, scores)[0].abs().sum().item()]
losses.append(nn.functional.ctc_loss(scores.log_softmax(2), targets, *given, reduction="sum").item())
torch.set_default_dtype(torch.float32)
