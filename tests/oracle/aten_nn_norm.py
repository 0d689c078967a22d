"""Golden cases of batch normalization and of tables of rows."""

import torch

import aten_cases
from aten_cases import FLOATS, INTEGERS, SMALL_FLOATS, Default, Double, Ints
from aten_layers import Draw, calls, loosely, plain

A = torch.ops.aten

with aten_cases.Writer("nn_norm", __file__) as out:
    d = Draw(out)
    r = out.random

    # --- batch normalization -----------------------------------------------------------------------

    def number(value):
        return Double(value), value

    def normalized(empty=False):
        """self, weight, bias, running_mean, running_var, training."""
        channels = r.choice([1, 2, 3])
        shape = (r.choice([2, 4] + ([0] if empty else [])), channels) + r.choice([(), (), (3,), (2, 2), (1, 2, 2)])
        if r.random() < 0.04:
            shape = (channels,)
        dtype = d.floating()
        x = d.tensor(shape, dtype)
        own = torch.float32 if dtype in SMALL_FLOATS and r.random() < 0.5 else dtype
        if r.random() < 0.04:
            own = torch.float64 if dtype == torch.float32 else torch.float32 if dtype == torch.float64 else own
        affine = [d.tensor((channels,), own) if r.random() < 0.7 else plain(None) for _ in range(2)]
        training = r.random() < 0.6
        if not training or r.random() < 0.6:
            running = [d.tensor((channels,), own), d.tensor((channels,), own, low=1, high=17)]
        else:
            running = [plain(None), plain(None)]
        if r.random() < 0.04:
            running[1] = plain(None)
        return [x] + affine + running + [plain(training)]

    def forward(empty=False):
        return normalized(empty) + [number(r.choice([0.1, 0.5])), number(r.choice([1e-5, 1e-3]))]

    def both(*arguments):
        if arguments[0].dim() < 2:
            raise RuntimeError("channels are expected")
        return A.native_batch_norm(*arguments)

    calls(out, "thnn_batch_norm", forward, lambda *a: both(*a)[0], count=32, others=10, within=loosely)
    calls(out, "thnn_batch_norm_forward", forward, both, count=32, others=10, within=loosely)
    calls(out, "native_batch_norm", forward, both, count=4, others=4, within=loosely)
    calls(out, "batch_norm", lambda: forward(True) + [plain(False)],
          lambda *a: A.batch_norm(*a) if a[0].dim() > 1 and a[0].numel() else both(*a) if a[0].dim() < 2 else a[0].clone(),
          forms=("function",), count=32, within=loosely)

    def gradient(masked=True):
        while True:
            values = normalized()
            x, w, b, mean, var, training = values
            try:
                y, save_mean, save_std = both(*[v.clone() if isinstance(v, torch.Tensor) else v for _, v in values], 0.1, 1e-5)
            except (RuntimeError, ValueError):
                continue
            break
        saved = [plain(save_mean), plain(save_std)] if training[1] else [plain(None), plain(None)]
        mask = r.choice([None, [1, 1, 1], [1, 0, 0], [0, 1, 1], [0, 0, 1]]) if masked else None
        mask = (Default, [1, 1, 1]) if mask is None else (Ints(*mask), mask)
        return [d.tensor(x[1].shape, x[1].dtype), x, w, mean, var, training, number(1e-5)] + saved + [mask]

    def back(g, x, w, mean, var, training, eps, save_mean, save_std, mask):
        grads = A.native_batch_norm_backward(g, x, w, mean, var, save_mean, save_std, training, eps,
                                             [bool(m) for m in mask])
        return tuple(one if m else None for one, m in zip(grads, mask))
    calls(out, "thnn_batch_norm_backward", gradient, back, forms=("function",), count=32, within=loosely)
    calls(out, "thnn_batch_norm_backward", lambda: gradient(False), back, forms=("out",), others=10, within=loosely)

    # --- normalization of each input ---------------------------------------------------------------

    def alone():
        shape = r.choice([(4,), (2, 3), (2, 3), (3, 2, 4), (2, 2, 1, 3), (0, 3), (2, 0), (1, 5)])
        dims = r.randrange(1, len(shape) + 1)
        last = list(shape[-dims:]) if r.random() < 0.95 else [7]
        x = d.tensor(shape)
        own = torch.float32 if x[1].dtype in SMALL_FLOATS and r.random() < 0.5 else x[1].dtype
        affine = [d.tensor(last, own) if r.random() < 0.7 else plain(None) for _ in range(2)]
        return [x, (Ints(*last), last)] + affine
    calls(out, "native_layer_norm", lambda: alone() + [number(1e-5)], A.native_layer_norm, count=28, others=8,
          within=loosely)
    calls(out, "layer_norm", lambda: alone() + [(Default, 1e-5) if r.random() < 0.5 else number(1e-3)],
          lambda x, last, w, b, eps: A.layer_norm(x, last, w, b, eps), forms=("function",), count=20, within=loosely)

    def alone_gradient(masked=True):
        while True:
            x, last, w, b = alone()
            try:
                y, mean, rstd = A.native_layer_norm(x[1], last[1], w[1], b[1], 1e-5)
            except RuntimeError:
                continue
            both_given = w[1] is not None and b[1] is not None
            if x[1].numel() > 0 and (both_given or (masked and w[1] is None and b[1] is None)):
                break
        mask = [1, int(w[1] is not None), int(b[1] is not None)]
        if masked and r.random() < 0.3:
            mask = r.choice([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) if sum(mask) == 3 else mask
        mask = (Default, mask) if sum(mask) == 3 else (Ints(*mask), mask)
        return [d.tensor(x[1].shape, x[1].dtype), x, last, plain(mean), plain(rstd), w, b, mask]

    def alone_back(g, x, last, mean, rstd, w, b, mask):
        grads = A.native_layer_norm_backward(g, x, last, mean, rstd, w, b, [bool(m) for m in mask])
        return tuple(one if m else None for one, m in zip(grads, mask))
    calls(out, "native_layer_norm_backward", alone_gradient, alone_back, forms=("function",), count=24, within=loosely)
    calls(out, "native_layer_norm_backward", lambda: alone_gradient(False), alone_back, forms=("out",), others=8,
          within=loosely)

    # --- a row for each index ----------------------------------------------------------------------

    def table(types=None):
        rows, columns = r.choice([1, 3, 5]), r.choice([1, 2, 3, 3, 0])
        return d.tensor((rows, columns), r.choice(types or FLOATS * 2 + SMALL_FLOATS + INTEGERS + [torch.bool]))

    def picked(shape, rows, wrong=0.05, types=(torch.int64, torch.int64, torch.int32)):
        t = torch.tensor([r.randrange(rows) for _ in range(torch.Size(shape).numel())], dtype=r.choice(types))
        if t.numel() and r.random() < wrong:
            t[r.randrange(t.numel())] = r.choice([rows, -1])
        return plain(t.reshape(shape))

    INDEX_SHAPES = [(), (3,), (2, 2), (0,), (1, 3, 2)]

    def embedding():
        w = table()
        while w[1].shape[1] == 0:
            w = table()
        if r.random() < 0.04:
            w = d.tensor((3,))
        types = (torch.int64, torch.int32) * 5 + (torch.int16,)
        return [w, picked(r.choice(INDEX_SHAPES), w[1].shape[0], types=types), (Default, -1) if r.random() < 0.5 else plain(1),
                plain(False), plain(False)]
    calls(out, "embedding", embedding, A.embedding, count=32, others=10)

    def rows_gradient():
        rows, columns = r.choice([1, 3, 5]), r.choice([1, 2, 3])
        i = picked(r.choice(INDEX_SHAPES), rows, wrong=0)
        g = d.tensor(tuple(i[1].shape) + (columns,))
        if r.random() < 0.04:
            g = d.tensor(tuple(i[1].shape) + (2, columns))
        return [g, i, plain(rows), plain(r.choice([-1, 0, 1])), plain(r.random() < 0.4)]
    calls(out, "embedding_dense_backward", rows_gradient, A.embedding_dense_backward, count=28, others=8)
    calls(out, "embedding_backward", lambda: rows_gradient() + [plain(False)], A.embedding_backward,
          forms=("function",), count=20)

    def renormalized():
        w = d.tensor((r.choice([1, 3, 5]), r.choice([1, 2, 3])))
        i = picked(r.choice(INDEX_SHAPES), w[1].shape[0], wrong=0)
        return [w, i, number(r.choice([0.5, 1.0, 2.0])), number(r.choice([1.0, 2.0, 2.0, 3.0, float("inf")]))]
    calls(out, "embedding_renorm", renormalized, A.embedding_renorm_, forms=("inplace",), others=24)

    # --- bags of rows ------------------------------------------------------------------------------

    def bags(small=True):
        w = d.tensor((r.choice([1, 3, 5]), r.choice([1, 2, 3])), r.choice(FLOATS * 2 + (SMALL_FLOATS if small else [])))
        n = r.choice([0, 1, 3, 5, 5, 8])
        dtype = r.choice([torch.int64, torch.int64, torch.int32])
        i = picked((n,), w[1].shape[0], wrong=0, types=(dtype,))
        count = r.choice([1, 2, 3, 4])
        starts = [0] + sorted(r.randrange(n + 1) for _ in range(count - 1))
        return w, i, plain(torch.tensor(starts, dtype=dtype))

    def whose(i, offsets):
        """The bag of each index, by looking for it."""
        return torch.tensor([max(b for b, o in enumerate(offsets.tolist()) if o <= k) for k in range(i.numel())],
                            dtype=i.dtype)

    def bag(w, i, offsets, scale, mode, sparse, weights, last, padding):
        if i.dim() != 1 or offsets.dim() != 1:
            raise RuntimeError("one dimension is expected")
        y, _, _, most = A.embedding_bag.padding_idx(w, i, offsets, scale, mode, sparse, weights, last,
                                                    None if padding < 0 else padding)
        begin = offsets[:-1] if last else offsets
        bag_of = whose(i, begin)
        size = torch.tensor([sum(1 for k in range(i.numel()) if bag_of[k] == b and i[k] != padding)
                             for b in range(begin.numel())], dtype=i.dtype)
        return y, bag_of, size, most if mode == 2 else torch.zeros((0, 0), dtype=i.dtype)

    def bag_arguments():
        w, i, offsets = bags()
        mode = r.choice([0, 1, 2])
        weights = plain(None)
        if mode == 0 and r.random() < 0.4:
            weights = d.tensor(i[1].shape, w[1].dtype)
        last = r.random() < 0.2
        if last:
            offsets = plain(torch.cat([offsets[1], offsets[1].new_tensor([i[1].numel()])]))
        if r.random() < 0.04 and i[1].numel():
            offsets = plain(offsets[1] + 1)
        if r.random() < 0.04:
            i = plain(i[1].reshape(1, -1))
        return [w, i, offsets, plain(mode < 2 and r.random() < 0.1), plain(mode), plain(False),
                (Default, None) if weights[1] is None else weights, plain(bool(last)),
                (Default, -1) if r.random() < 0.7 else plain(0)]
    calls(out, "embedding_bag", bag_arguments, bag, count=48, others=12)

    def bag_gradient():
        w, i, offsets = bags(small=False)
        mode = r.choice([0, 1, 2])
        weights = d.tensor(i[1].shape, w[1].dtype) if mode == 0 and r.random() < 0.4 else (Default, None)
        padding = r.choice([-1, -1, 0])
        y, bag_of, size, most = bag(w[1], i[1], offsets[1], False, mode, False, weights[1], False, padding)
        g = d.tensor(y.shape, y.dtype)
        return [g, i, offsets, plain(bag_of), plain(size), plain(w[1].shape[0]),
                plain(mode != 2 and r.random() < 0.4), plain(mode), (Default, None) if mode < 2 else plain(most),
                weights, (Default, -1) if padding < 0 else plain(padding)]

    def bag_backward(g, i, offsets, bag_of, size, rows, scale, mode, most, weights, padding):
        """By hand: an element of the table gets what its rows' bags got."""
        result = torch.zeros((rows, g.shape[1]), dtype=torch.float64)
        times = torch.bincount(i.long(), minlength=rows)
        for k in range(i.numel()):
            if i[k] == padding or mode == 2:
                continue
            part = g[bag_of[k]].double() / (size[bag_of[k]] if mode == 1 else 1)
            part = part * (weights[k].double() if weights is not None else 1) / (times[i[k]] if scale else 1)
            result[i[k]] += part
        for b in range(size.numel() if mode == 2 else 0):
            for c in range(g.shape[1] if size[b] > 0 else 0):
                result[most[b][c]][c] += g[b][c]
        result = result.to(g.dtype)
        if padding < 0 and not (scale and mode == 1):
            torch.testing.assert_close(result, A._embedding_bag_backward(
                g, i, offsets, bag_of, size, most if mode == 2 else size, rows, scale, mode, False, weights, padding))
        return result
    calls(out, "embedding_bag_dense_backward", bag_gradient, bag_backward, count=32, others=8)

    def with_sparse():
        values = bag_gradient()
        return values[:8] + [plain(False)] + values[8:]
    calls(out, "embedding_bag_backward", with_sparse, lambda *a: bag_backward(*a[:8], *a[9:]), forms=("function",),
          count=16)

    def of_nothing():
        return [plain(torch.zeros(0)), plain(None), plain(None), plain(None), plain(None), plain(r.random() < 0.5),
                number(0.1), number(1e-5), plain(False)]
    calls(out, "batch_norm", of_nothing, A.batch_norm, forms=("function",), count=2)
