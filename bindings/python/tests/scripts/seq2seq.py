"""A translator with attention, as PyTorch's tutorial has one: it learns to turn sequences around."""

import torch
import torch.nn as nn, torch.nn.functional as F
from torch import optim
torch.manual_seed(0)
losses, texts = [], []
torch.set_default_dtype(torch.float64)
SOS, EOS = 0, 1
class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)
    def forward(self, input):
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden
class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)
    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights
class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)
    def forward(self, enc, hidden, target=None):
        inp = torch.empty(enc.size(0), 1, dtype=torch.long, device=enc.device).fill_(SOS)
        outs, atts = [], []
        for i in range(5):
            out, hidden, att = self.step(inp, hidden, enc)
            outs.append(out)
            atts.append(att)
            if target is not None: inp = target[:, i].unsqueeze(1)
            else:
                _, topi = out.topk(1)
                inp = topi.squeeze(-1).detach()
        return F.log_softmax(torch.cat(outs, dim=1), dim=-1), hidden, torch.cat(atts, dim=1)
    def step(self, inp, hidden, enc):
        emb = self.dropout(self.embedding(inp))
        query = hidden.permute(1, 0, 2)
        context, w = self.attention(query, enc)
        output, hidden = self.gru(torch.cat((emb, context), dim=2), hidden)
        return self.out(output), hidden, w
enc, dec = EncoderRNN(10, 16), AttnDecoderRNN(16, 10)
eo, do = optim.Adam(enc.parameters(), lr=0.01), optim.Adam(dec.parameters(), lr=0.01)
crit = nn.NLLLoss()
x = torch.randint(2, 10, (8, 5))
y = x.flip(1)
for e in range(8):
    eo.zero_grad()
    do.zero_grad()
    o, h = enc(x)
    d, _, _ = dec(o, h, y)
    loss = crit(d.view(-1, d.size(-1)), y.view(-1))
    loss.backward()
    eo.step()
    do.step()
    losses.append(loss.item())
enc.eval()
dec.eval()
with torch.no_grad():
    o, h = enc(x)
    d, _, att = dec(o, h)
    texts += [str(d.topk(1)[1].squeeze().tolist()), str(tuple(att.shape))]
    losses.append(att.sum(-1).mean().item())
