"""Golden cases of src/ops/aten/nn_recurrent.ops."""

import torch

from aten_today import FLOATING, Today

A = torch.ops.aten
GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
FUNCTIONS = {"lstm": torch.lstm, "gru": torch.gru, "rnn_tanh": torch.rnn_tanh, "rnn_relu": torch.rnn_relu}
CELLS = {"lstm": torch.lstm_cell, "gru": torch.gru_cell, "rnn_tanh": torch.rnn_tanh_cell, "rnn_relu": torch.rnn_relu_cell}


def loose(dtype):
    return {torch.float64: 2.0**-40, torch.float32: 2.0**-16}.get(dtype, 2.0**-5)


with Today("recurrent", __file__) as c:
    r = c.random
    for dtype in FLOATING:
        near = loose(dtype)
        for name, gates in GATES.items():
            for layers, both, first, biases in [(1, False, False, True), (2, False, True, True), (1, True, False, False)]:
                steps, batch, inputs, units = 3, 2, 3, 2
                directions = 2 if both else 1
                params = []
                for layer in range(layers):
                    for _ in range(directions):
                        own = inputs if layer == 0 else units * directions
                        params += [c.tensor((gates * units, own), dtype, -8, 9), c.tensor((gates * units, units), dtype, -8, 9)]
                        if biases:
                            params += [c.tensor((gates * units,), dtype, -8, 9) for _ in range(2)]
                if len(params) > 8:
                    continue
                x = c.tensor((batch, steps, inputs) if first else (steps, batch, inputs), dtype, -8, 9)
                states = [c.tensor((layers * directions, batch, units), dtype, -8, 9) for _ in range(2)]
                rest = dict(has_biases=biases, num_layers=layers, dropout=0.0, train=False, bidirectional=both, batch_first=first)
                hx = states if name == "lstm" else states[0]
                c(name, FUNCTIONS[name], input=x, hx=hx, params=params, **rest, within=near)
                c(name, FUNCTIONS[name], input=x, hx=hx, params=params[1:], **rest)
            x, hx = c.tensor((2, 3), dtype, -8, 9), [c.tensor((2, 4), dtype, -8, 9) for _ in range(2)]
            hx = hx if name == "lstm" else hx[0]
            w = [c.tensor((gates * 4, 3), dtype, -8, 9), c.tensor((gates * 4, 4), dtype, -8, 9)]
            b = [c.tensor((gates * 4,), dtype, -8, 9) for _ in range(2)]
            c(name + "_cell", CELLS[name], input=x, hx=hx, w_ih=w[0], w_hh=w[1], within=near)
            c(name + "_cell", CELLS[name], input=x, hx=hx, w_ih=w[0], w_hh=w[1], b_ih=b[0], b_hh=b[1], within=near)
            c(name + "_cell", CELLS[name], input=x, hx=hx, w_ih=w[1], w_hh=w[1], b_ih=b[0], b_hh=b[1])
    for dtype in (torch.float32, torch.float64):  # states that are projected
        for layers, both, first, biases in [(1, False, False, True), (2, False, True, False), (1, True, False, False)]:
            steps, batch, inputs, units, size = 3, 2, 3, 3, 2
            directions = 2 if both else 1
            params = []
            for layer in range(layers):
                for _ in range(directions):
                    params += [c.tensor((4 * units, inputs if layer == 0 else size * directions), dtype, -8, 9),
                               c.tensor((4 * units, size), dtype, -8, 9)]
                    params += [c.tensor((4 * units,), dtype, -8, 9) for _ in range(2 if biases else 0)]
                    params.append(c.tensor((size, units), dtype, -8, 9))
            x = c.tensor((batch, steps, inputs) if first else (steps, batch, inputs), dtype, -8, 9)
            hx = [c.tensor((layers * directions, batch, n), dtype, -8, 9) for n in (size, units)]
            rest = dict(has_biases=biases, num_layers=layers, dropout=0.0, train=False, bidirectional=both, batch_first=first)
            c("lstm", FUNCTIONS["lstm"], input=x, hx=hx, params=params, **rest, within=loose(dtype))
            c("lstm", FUNCTIONS["lstm"], input=x, hx=hx, params=params[:-1], **rest)
            c("lstm", FUNCTIONS["lstm"], input=x, hx=hx, params=params[:-1] + [params[0]], **rest)
