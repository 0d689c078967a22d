"""PyTorch's side of th_bench_gpu: measures the rows that it is asked for, on the GPU.

    python3 torch_rows.py [--device cpu]

answers each line of its input (a row's id, sizes, seconds to measure for) with one: PyTorch's
seconds.  Rows are those of rows.h, on tensors of the same shapes; memory of results is kept, where
PyTorch's function can.
"""

import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit(1)

DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cuda"


class Tensors:
    def __init__(self, n, side, rows, columns, batch, planes, edge):
        def floats(*shape):
            return torch.rand(*shape, device=DEVICE) * 2 - 1

        self.x, self.y, self.r = floats(n), floats(n), floats(n)
        self.wide = torch.empty(n, device=DEVICE, dtype=torch.float64)
        self.square = self.x[: side * side].view(side, side)
        self.across, self.r2 = self.square.t(), torch.empty_like(self.square)
        self.matrix = self.x[: rows * columns].view(rows, columns)
        self.matrix2 = self.y[: rows * columns].view(rows, columns)
        self.narrow, self.narrow2 = self.matrix[:, :-4], self.matrix2[:, :-4]
        self.narrow_r = torch.empty(rows, columns - 4, device=DEVICE)
        self.r3 = torch.empty_like(self.matrix)
        self.r4 = torch.empty(rows, 2 * columns, device=DEVICE)
        self.of_rows = torch.empty(rows, device=DEVICE)
        self.of_columns = torch.empty(columns, device=DEVICE)
        self.largest = torch.empty(rows, device=DEVICE, dtype=torch.int64)
        self.row = torch.randint(rows, (rows,), device=DEVICE)
        self.labels = torch.randint(columns, (rows,), device=DEVICE)
        i = torch.arange(rows, device=DEVICE).view(-1, 1)
        j = torch.arange(columns, device=DEVICE).view(1, -1)
        self.indices = (j * 7 + i) % columns
        self.mask = torch.rand(n, device=DEVICE) < 0.5
        self.bools = torch.empty_like(self.mask)
        self.images = floats(batch, planes, edge, edge)
        self.kernels = floats(planes, planes, 3, 3)
        self.bias = floats(planes)
        self.added = torch.zeros(rows, columns, device=DEVICE)
        part = self.x[: min(side, 1024) ** 2].view(min(side, 1024), -1)
        self.definite = part @ part.t() + len(part) * torch.eye(len(part), device=DEVICE)
        self.gradients = torch.zeros_like(self.kernels)
        self.odds = torch.ones_like(self.matrix)
        n = columns // 5
        self.before = self.y[: rows * n].view(rows, n)
        self.gates3, self.gates4 = self.x[: rows * 3 * n].view(rows, 3 * n), self.x[: rows * 4 * n].view(rows, 4 * n)


ROWS = {
    "fill": lambda t: t.r.fill_(2.5),
    "copy": lambda t: t.r.copy_(t.x),
    "copy_transposed": lambda t: t.r2.copy_(t.across),
    "convert": lambda t: t.wide.copy_(t.x),
    "add": lambda t: torch.add(t.x, 0.5, out=t.r),
    "mul": lambda t: torch.mul(t.x, 1.5, out=t.r),
    "cadd": lambda t: torch.add(t.x, t.y, alpha=1.5, out=t.r),
    "cadd_narrow": lambda t: torch.add(t.narrow, t.narrow2, alpha=1.5, out=t.narrow_r),
    "cadd_transposed": lambda t: torch.add(t.square, t.across, alpha=1.5, out=t.r2),
    "exp": lambda t: torch.exp(t.x, out=t.r),
    "tanh": lambda t: torch.tanh(t.x, out=t.r),
    "gt": lambda t: torch.gt(t.x, t.y, out=t.bools),
    "sumall": lambda t: t.x.sum().item(),
    "sum_0": lambda t: torch.sum(t.matrix, 0, out=t.of_columns),
    "sum_1": lambda t: torch.sum(t.matrix, 1, out=t.of_rows),
    "max_1": lambda t: torch.max(t.matrix, 1, out=(t.of_rows, t.largest)),
    "var_1": lambda t: torch.var(t.matrix, 1, out=t.of_rows),
    "cumsum_1": lambda t: torch.cumsum(t.matrix, 1, out=t.r3),
    "softmax": lambda t: torch.softmax(t.matrix, 1),
    "logsoftmax": lambda t: torch.log_softmax(t.matrix, 1),
    "index_select": lambda t: torch.index_select(t.matrix, 0, t.row, out=t.r3),
    "masked_select": lambda t: torch.masked_select(t.x, t.mask),
    "masked_fill": lambda t: t.r.masked_fill_(t.mask, 1),
    "gather": lambda t: torch.gather(t.matrix, 1, t.indices, out=t.r3),
    "scatter": lambda t: t.r3.scatter_(1, t.indices, t.matrix),
    "cat": lambda t: torch.cat((t.matrix, t.matrix2), 1, out=t.r4),
    "gemm": lambda t: torch.mm(t.square, t.across, out=t.r2),
    "convolution": lambda t: F.conv2d(t.images, t.kernels, t.bias, padding=1),
    "pooling": lambda t: F.max_pool2d(t.images, 2, return_indices=True),
    "nll": lambda t: F.nll_loss(t.matrix, t.labels),
    "sort_1": lambda t: torch.sort(t.matrix, 1),
    "topk_1": lambda t: torch.topk(t.matrix, 10, 1),
    "median_1": lambda t: torch.median(t.matrix, 1),
    "index_add": lambda t: t.added.index_add_(0, t.row, t.matrix),
    "cholesky": lambda t: torch.linalg.cholesky(t.definite),
    "threshold": lambda t: F.relu(t.matrix),
    "mse": lambda t: F.mse_loss(t.matrix, t.matrix2),
    "batch_norm": lambda t: F.batch_norm(t.images, None, None, training=True),
    "upsample": lambda t: F.interpolate(t.images, scale_factor=2, mode="bilinear", align_corners=True),
    "average": lambda t: F.avg_pool2d(t.images, 2),
    "convolution_weights": lambda t: t.gradients.add_(
        torch.nn.grad.conv2d_weight(t.images, t.kernels.shape, t.images, padding=1)),
    "uniform": lambda t: t.r.uniform_(-1, 3),
    "normal": lambda t: t.r.normal_(2, 0.5),
    "bernoulli": lambda t: t.r.bernoulli_(0.25),
    "multinomial": lambda t: torch.multinomial(t.odds, 10, True),
    "gru": lambda t: torch.ops.aten._thnn_fused_gru_cell(t.gates3, t.gates3, t.before),
    "lstm": lambda t: torch.ops.aten._thnn_fused_lstm_cell(t.gates4, t.gates4, t.before),
    "lookup": lambda t: t.added.add_(torch.ops.aten.embedding_dense_backward(t.matrix, t.row, len(t.added), -1, False)),
}


def sample(body, tensors, calls):
    """Seconds of the stream for that many calls."""
    if DEVICE == "cpu":
        start = time.perf_counter()
        for _ in range(calls):
            body(tensors)
        return time.perf_counter() - start
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    for _ in range(calls):
        body(tensors)
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def seconds(body, tensors, budget):
    """As stream_time in th_bench_gpu.c."""
    calls, spent, samples = 1, 0, []
    while sample(body, tensors, calls) < budget / 20 and calls < 10000:
        calls *= 2
    while len(samples) < 3 or (len(samples) < 200 and spent < budget):
        took = sample(body, tensors, calls)
        spent += took
        samples.append(took / calls)
    return statistics.median(samples)


def main():
    if DEVICE == "cuda" and not torch.cuda.is_available():
        sys.exit(1)
    made, tensors = None, None
    for line in sys.stdin:
        name, *sizes = line.split()
        try:
            if name == "version":
                answer = "PyTorch " + torch.__version__
            elif name not in ROWS:
                answer = "0"
            else:
                shape = tuple(int(size) for size in sizes[:-1])
                if shape != made:
                    tensors = None
                    made, tensors = shape, Tensors(*shape)
                answer = repr(seconds(ROWS[name], tensors, float(sizes[-1])))
        except Exception as error:  # it is said where it was asked
            answer = f"error {error}".replace("\n", " ")
        print(answer, flush=True)


with torch.inference_mode():
    main()
