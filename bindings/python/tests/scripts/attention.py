"""Dropout in the order of memory, and with it Transformers whose batches come first, masks and packed sequences."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.set_default_dtype(torch.float64)
losses = []
for batch_first in (False, True):
    for norm_first in (False, True):
        for causal in (False, True):
            for padded in (False, True):
                torch.manual_seed(2)
                layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, activation="gelu", batch_first=batch_first, norm_first=norm_first)
                x = torch.randn(2, 4, 8) if batch_first else torch.randn(4, 2, 8)
                mask = nn.Transformer.generate_square_subsequent_mask(4) if causal else None
                keys = torch.tensor([[False] * 4, [False] * 2 + [True] * 2])
                keys = torch.zeros(2, 4).masked_fill(keys, float("-inf")) if padded else None
                losses.append(layer(x, src_mask=mask, src_key_padding_mask=keys, is_causal=causal).pow(3).sum().item())
    torch.manual_seed(2)
    x = torch.randn(2, 4, 8, requires_grad=True)
    attention = nn.MultiheadAttention(8, 2, dropout=0.2, batch_first=batch_first)
    out, weights = attention(x, x, x)
    losses += [out.pow(3).sum().item(), weights.pow(2).sum().item()]
    (nn.functional.dropout(out, 0.3).pow(2).sum() + weights.pow(3).sum()).backward()
    losses += [x.grad.pow(3).sum().item(), attention(x, x, x, need_weights=False)[0].pow(3).sum().item()]
    losses.append(attention(x[0], x[0], x[0])[0].pow(3).sum().item())
    decoder = nn.TransformerDecoderLayer(8, 2, 16, 0.1, batch_first=batch_first)
    losses.append(decoder(x, x).pow(3).sum().item())

drop = nn.Dropout(0.5)
x = torch.arange(24.0).view(2, 3, 4) + 1
for t in (x, x.transpose(0, 1), x.transpose(0, 2), x[:, ::2], x.permute(2, 0, 1), x[:, :1].expand(2, 3, 4)):
    torch.manual_seed(5)
    losses += drop(t).flatten().tolist() + torch.native_dropout(t, 0.3, True)[1].flatten().tolist()
    losses += nn.functional.dropout(t.contiguous().clone(), 0.3, inplace=True).flatten().tolist()

net = nn.GRU(8, 4, num_layers=2, bidirectional=True, batch_first=True)
packed = pack_padded_sequence(torch.randn(3, 5, 8), torch.tensor([5, 4, 2]), batch_first=True)
out, lengths = pad_packed_sequence(net(packed)[0], batch_first=True, total_length=6)
losses += [out.pow(3).sum().item(), out[2, -1].abs().sum().item(), *lengths.tolist()]
