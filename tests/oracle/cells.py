"""Golden values of the fused recurrent cells, as layers.py writes those of other layers.  The formulas
are checked against PyTorch's cells, whose products of matrices are those with the identity.
"""

import torch

import golden
from layers import Cases, rand


def gru(x, h, state, bias, other):
    xr, xz, xn = (x + bias).chunk(3, -1)
    hr, hz, hn = (h + other).chunk(3, -1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    n = torch.tanh(xn + r * hn)
    return n + z * (state - n), torch.cat([r, z, n, state, hn], -1)


def lstm(x, h, cell, bias, other):
    i, f, g, o = (x + h + bias + other).chunk(4, -1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    c = f * cell + i * g
    return o * torch.tanh(c), c, torch.cat([i, f, g, o], -1)


def cells(cases):
    put = lambda field, t: cases.out.put(field, t.detach())
    for number, (batch, n, biased) in enumerate(((3, 4, 1), (1, 1, 1), (2, 37, 0), (5, 16, 1))):
        bias, other = (rand(3 * n), rand(3 * n)) if biased else (torch.zeros(()), torch.zeros(()))
        operands = dict(input=rand(batch, 3 * n), hidden=rand(batch, 3 * n), cell=rand(batch, n))
        if biased:
            put("GRUFused/%d/bias" % number, bias)
            put("GRUFused/%d/hiddenBias" % number, other)
            matrix = rand(3 * n, n)
            want = torch.gru_cell(
                operands["input"], operands["cell"], torch.eye(3 * n).double(), matrix, bias, other
            )
            hidden = operands["cell"] @ matrix.T
            got, _ = gru(operands["input"], hidden, operands["cell"], bias, other)
            assert torch.allclose(want, got, rtol=1e-13, atol=1e-13)

        def forward(input, hidden, cell):
            y, storage = gru(input, hidden, cell, bias, other)
            put("GRUFused/%d/storage" % number, storage)
            return y

        cases.add("GRUFused", forward, **operands)

    for number, (batch, n, biased) in enumerate(((3, 4, 1), (1, 1, 1), (2, 37, 0), (5, 16, 1))):
        bias, other = (rand(4 * n), rand(4 * n)) if biased else (torch.zeros(()), torch.zeros(()))
        operands = dict(input=rand(batch, 4 * n), recurrent=rand(batch, 4 * n), cell=rand(batch, n))
        for name in ("LSTMFused", "LSTMCell"):
            if biased:
                put("%s/%d/bias" % (name, number), bias)
                put("%s/%d/hiddenBias" % (name, number), other)
        if biased:
            h, matrix = rand(batch, n), rand(4 * n, n)
            want, wantCell = torch.lstm_cell(
                operands["input"],
                (h, operands["cell"]),
                torch.eye(4 * n).double(),
                matrix,
                bias,
                other,
            )
            got, gotCell, _ = lstm(operands["input"], h @ matrix.T, operands["cell"], bias, other)
            assert torch.allclose(want, got, rtol=1e-13, atol=1e-13)
            assert torch.allclose(wantCell, gotCell, rtol=1e-13, atol=1e-13)

        # The gradient of the new cell is 0, or what flows back from both results.
        for name, factor in (("LSTMFused", 0), ("LSTMCell", 1)):
            back = rand(batch, n)

            def forward(input, recurrent, cell):
                y, c, gates = lstm(input, recurrent, cell, bias, other)
                put("%s/%d/newCell" % (name, number), c)
                put("%s/%d/gates" % (name, number), gates)
                put("%s/%d/gradNewCell" % (name, number), factor * back)
                if factor:
                    c.register_hook(lambda grad: grad + back)
                return y

            cases.add(name, forward, **operands)


def main():
    torch.manual_seed(20180231)
    with golden.Writer("cells", __file__) as out:
        cells(Cases(out))


if __name__ == "__main__":
    main()
