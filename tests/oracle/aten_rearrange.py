"""Golden cases of src/ops/aten/rearrange.ops."""

import torch
import torch.nn.functional as F

from aten_today import TYPES, Today

SHAPES = [(), (5,), (0,), (1,), (2, 3), (3, 2, 4), (2, 0, 3), (2, 3, 2, 2)]
A = torch.ops.aten

with Today("rearrange", __file__) as c:
    r = c.random

    def any_tensor(shapes=SHAPES, dtype=None):
        return c.tensor(r.choice(shapes), dtype or r.choice(TYPES))

    def a_dim(t, more=0):
        n = max(t.dim() + more, 1)
        return r.randrange(-n, n) if r.random() > 0.05 else n + 1

    for mode in ("constant", "reflect", "replicate", "circular", "else"):
        for _ in range(14):
            x = c.tensor(r.choice([(4,), (2, 4), (2, 3, 4), (1, 2, 3, 4), (2, 2, 3, 2, 4)]),
                         torch.float32 if mode in ("reflect", "replicate") else r.choice(TYPES))
            pad = [r.choice([0, 1, 2, -1, 1, 3]) for _ in range(2 * r.randrange(1, min(x.dim(), 3) + 1))]
            pad = [abs(p) for p in pad] if mode == "circular" else pad  # PyTorch reads beyond what it cuts off
            options = {} if mode == "constant" and r.random() < 0.5 else {"mode": mode}
            if mode == "constant" and r.random() < 0.5 and x.dtype != torch.bool:
                options["value"] = 3
            c("pad", self=x, pad=pad, **options)
    c("pad", self=c.tensor((3, 4)), pad=[1])
    c("pad", self=c.tensor((2, 3, 4)), pad=[1, 1], mode="reflect", value=2)
    for _ in range(20):
        x = any_tensor()
        pad = [r.choice([0, 1, 2, -1, -4]) for _ in range(2 * r.randrange(0, x.dim() + 1))]
        c("constant_pad_nd", self=x, pad=pad)
        c("constant_pad_nd", self=x, pad=pad, value=r.choice([1, 2.5, -1]))
    for _ in range(6):
        x = c.tensor(r.choice([(2, 3, 3, 4), (1, 2, 3, 3, 4)]), torch.float32)
        c("reflection_pad3d", self=x, padding=[r.randrange(0, 3) for _ in range(6)])

    for _ in range(24):
        x = any_tensor()
        c("roll", self=x, shifts=[r.randrange(-7, 8)])
        dims = [a_dim(x) for _ in range(r.randrange(1, 3))]
        c("roll", self=x, shifts=[r.randrange(-7, 8) for _ in dims], dims=dims)
        c("flip", self=x, dims=[a_dim(x) for _ in range(r.randrange(0, 3))])
        c("fliplr", self=x)
        c("flipud", self=x)
        c("rot90", self=x)
        c("rot90", self=x, k=r.randrange(-5, 6), dims=r.choice([[0, 1], [1, 0], [-1, 0], [0, 2], [1, 1]]))
        c("tile", self=x, dims=[r.randrange(0, 4) for _ in range(r.randrange(0, 4))])
        c("diff", self=x)
        c("diff", self=x, n=r.randrange(0, 4), dim=a_dim(x))
        c("ravel", self=x)
        for n in ("atleast_1d", "atleast_2d", "atleast_3d"):
            c(n, self=x)
    for _ in range(8):
        x, like = c.tensor((2, 3), torch.float32), torch.float32
        c("diff", self=x, prepend=c.tensor((2, 1), like), append=c.tensor((2, 2), like))
        c("diff", self=x, dim=0, append=c.tensor((1, 3), like))
        c("reshape_as", self=any_tensor([(2, 6), (3, 4), (12,), (5,)]), other=c.tensor((4, 3), torch.int64))
    for _ in range(16):
        x = any_tensor()
        n = r.randrange(0, 4)
        c("repeat_interleave", self=x, repeats=n)
        dim = a_dim(x)
        c("repeat_interleave", self=x, repeats=n, dim=dim)
        size = x.shape[dim] if -x.dim() <= dim < x.dim() else 1
        repeats = torch.tensor([r.randrange(0, 4) for _ in range(size)], dtype=r.choice([torch.int64, torch.int32]))
        c("repeat_interleave.self_tensor", self=x, repeats=repeats, dim=dim)
        c("repeat_interleave.tensor", repeats=repeats)
        c("repeat_interleave.tensor", repeats=repeats, output_size=int(repeats.sum()))
        c("repeat_interleave.self_tensor", self=x, repeats=torch.tensor([2]), dim=dim)
    c("repeat_interleave.tensor", repeats=torch.tensor([1, -1]))
    for _ in range(16):
        x = any_tensor([(4,), (2, 3), (3, 2, 4), (1, 3)])
        dim = r.randrange(x.dim())
        shape = [r.choice([1, n]) for n in x.shape]
        shape[dim] = r.randrange(0, 5)
        index = torch.randint(0, x.shape[dim], shape, generator=torch.Generator().manual_seed(7))
        c("take_along_dim", self=x, indices=index, dim=dim)
        c("take_along_dim", self=x, indices=index % x.numel())
        c("take_along_dim", self=x, indices=index.int(), dim=dim)

    for _ in range(16):
        x = any_tensor([(12,), (6, 2), (2, 12), (3, 4, 2), (0, 3), (4,)])
        c("unflatten", self=x, dim=a_dim(x), sizes=r.choice([[3, 4], [2, -1], [-1, 3], [2, 3], [1, 4], [-1]]))
        c("movedim", self=x, source=[0], destination=[a_dim(x)])
        c("movedim", self=x, source=[0, -1], destination=[1, 0])
        c("movedim.int", self=x, source=a_dim(x), destination=a_dim(x))
        x = any_tensor([(3, 4), (4, 3), (2, 3, 4), (0, 2), (3,), (2, 1, 3, 3)])
        options = dict(offset=r.randrange(-4, 5), dim1=a_dim(x), dim2=a_dim(x))
        c("diagonal", self=x, **options)
        c("diagonal", self=x)
        c("diagonal_copy", self=x, **options)
        c("linalg_diagonal", A=x)
        c("linalg_diagonal", A=x, offset=options["offset"])
        c("diag_embed", self=x)
        c("diag_embed", self=x, offset=options["offset"], dim1=a_dim(x, 1), dim2=a_dim(x, 1))
        c("diagflat", self=x)
        c("diagflat", self=x, offset=options["offset"])
    for _ in range(12):
        tensors = [any_tensor([(3,), (1,), (2, 1), (2, 3), ()]) for _ in range(r.randrange(1, 4))]
        c("broadcast_tensors", tensors=tensors)
        dtype = r.choice(TYPES)
        lines = [c.tensor(r.choice([(3,), (2,), (1,), (), (0,)]), dtype) for _ in range(r.randrange(1, 4))]
        c("meshgrid", tensors=lines)
        c("meshgrid", tensors=lines, indexing=r.choice(["ij", "xy", "xy", "yx"]))
        shape = r.choice([(2, 3), (3,), (2, 2, 3), ()])
        tensors = [c.tensor(shape, dtype) for _ in range(r.randrange(1, 4))]
        for n in ("hstack", "vstack", "dstack", "column_stack"):
            c(n, tensors=tensors)
        x = any_tensor([(6,), (4, 6), (2, 4, 6), (5, 3), (0, 2)])
        c("tensor_split", self=x, sections=r.choice([1, 2, 3, 4, 7, 0]), dim=a_dim(x))
        c("tensor_split", self=x, sections=2)
        c("tensor_split.indices", self=x, indices=r.choice([[1], [2, 4], [3, 1], [], [0, 9]]), dim=a_dim(x))
        for n in ("hsplit", "vsplit", "dsplit"):
            c(n, self=x, sections=r.choice([1, 2, 3]))
            c(n + ".indices", self=x, indices=[1, 3])

    for _ in range(12):
        x = c.tensor((3, 4), r.choice(TYPES))
        other = r.choice([x.dtype, x.dtype, torch.float32])
        c("select_scatter", self=x, src=c.tensor((4,), x.dtype), dim=0, index=r.randrange(-3, 5))
        c("select_scatter", self=x, src=c.tensor((3,), other), dim=-1, index=2)
        c("slice_scatter", self=x, src=c.tensor((2, 4), other), start=1)
        c("slice_scatter", self=x, src=c.tensor((3, 2), x.dtype), dim=1, start=r.choice([0, 1, -3]), end=4, step=2)
        c("diagonal_scatter", self=x, src=c.tensor((3,), other))
        c("diagonal_scatter", self=x, src=c.tensor((2,), x.dtype), offset=r.choice([-1, 2, 0]))
    for _ in range(12):
        row, col, offset = r.randrange(0, 5), r.randrange(0, 5), r.randrange(-5, 6)
        for n in ("tril_indices", "triu_indices"):
            c(n, row=row, col=col, offset=offset)
            c(n, row=row, col=col, type=torch.int32)
    c("tril_indices", row=-1, col=2)
    for shape in [(4,), (2, 3), (0,), ()]:
        x = torch.randint(0, 4, shape, generator=torch.Generator().manual_seed(3))
        c("one_hot", function=lambda self, num_classes=-1: F.one_hot(self, num_classes), self=x)
        c("one_hot", function=lambda self, num_classes=-1: F.one_hot(self, num_classes), self=x, num_classes=5)
    c("one_hot", function=lambda self, num_classes=-1: F.one_hot(self, num_classes), self=torch.tensor([1, 5]), num_classes=3)
    for _ in range(8):
        dtype = r.choice(TYPES)
        c("pixel_shuffle", self=c.tensor((8, 2, 3), dtype), upscale_factor=2)
        c("pixel_shuffle", self=c.tensor((2, 9, 1, 2), dtype), upscale_factor=r.choice([1, 3, 2]))
        c("pixel_unshuffle", self=c.tensor((2, 4, 6), dtype), downscale_factor=2)
        c("pixel_unshuffle", self=c.tensor((1, 1, 3, 6), dtype), downscale_factor=r.choice([1, 3, 2]))
        c("channel_shuffle", self=c.tensor((2, 6, 2, 1), dtype if dtype != torch.bool else torch.float32), groups=r.choice([1, 2, 3, 4]))

    for _ in range(8):
        x = any_tensor([(12,), (3, 4), (2, 3, 2), (4, 1), (0, 3)])
        c("alias_copy", self=x)
        c("as_strided_copy", self=c.tensor((3, 4)), size=[2, 3], stride=[3, 1], storage_offset=1)
        c("expand_copy", self=c.tensor((3, 1)), size=[2, 3, 4])
        c("permute_copy", self=x, dims=list(range(x.dim()))[::-1])
        c("narrow_copy", self=x, dim=0, start=r.randrange(0, 3), length=r.randrange(0, 3))
        c("select_copy", self=x, dim=-1, index=r.randrange(-2, 3))
        c("slice_copy", self=x, dim=-1, start=1, end=r.choice([2, 3, -1]), step=2)
        c("slice_copy", self=x)
        c("squeeze_copy", self=x)
        c("squeeze_copy.dim", self=x, dim=a_dim(x))
        c("squeeze_copy.dims", self=x, dim=[0, -1])
        c("t_copy", self=x)
        c("transpose_copy", self=x, dim0=0, dim1=-1)
        c("unfold_copy", self=x, dimension=0, size=2, step=1)
        c("unsqueeze_copy", self=x, dim=a_dim(x, 1))
        c("view_copy", self=x, size=r.choice([[-1], [2, -1], [x.numel()]]))
        dtype = r.choice(TYPES)
        for n in ("new_zeros", "new_ones"):
            c(n, self=x, size=r.choice([[2, 3], [], [0]]))
            c(n, self=x, size=[2], type=dtype)
        c("new_full", self=x, size=[2, 2], fill_value=3)
        c("new_full", self=x, size=[2], fill_value=2, type=dtype)
        c("new_empty", self=x, size=[0, 2])
        c("new_empty", self=x, size=[0], type=dtype)
        c("new_empty_strided", self=x, size=[0, 2], stride=[2, 1])
        c("empty_strided", size=[2, 0], stride=[1, 1], type=dtype)
        c("scalar_tensor", s=r.choice([2, 1.5, -1]))
        c("scalar_tensor", s=2, type=dtype)
        c("fill", self=x, value=r.choice([2, 1]), forms=["function"])
        c("fill.tensor", self=x, value=torch.tensor(3))
        c("copy", self=x, src=c.tensor(x.shape, dtype), forms=["function"])
        c("copy", self=c.tensor((2, 3), dtype), src=c.tensor((3,)), forms=["function"])
        c("_to_copy", self=x)
        c("_to_copy", self=x, type=dtype)
    c("fill.tensor", self=c.tensor((2,)), value=torch.tensor([1, 2]))
    for index in [[[-5, -1, -8, -9]], [[4], [7], [-1]], [[0, 11], [1, -12], [2, 3]]]:
        c("take_along_dim", self=c.tensor((3, 4), torch.float32), indices=torch.tensor(index), dim=1)
    c("take_along_dim", self=c.tensor((3, 0)), indices=torch.zeros((3, 0), dtype=torch.int64), dim=1)
    c("take_along_dim", self=c.tensor((3, 0)), indices=torch.zeros((3, 1), dtype=torch.int64), dim=1)
