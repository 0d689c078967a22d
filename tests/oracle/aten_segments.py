"""Golden cases of segments, chunks, hashes and indices of which a mask says which count."""

import torch

from aten_today import FLOATING, TYPES, Today


def near(dtype):
    return {torch.float64: 2.0**-44, torch.float32: 2.0**-18, torch.float16: 2.0**-8, torch.bfloat16: 2.0**-5}[dtype]


def hashed(self, dim=(), **options):
    return torch.hash_tensor(self, dim, **options)


with Today("segments", __file__) as c:
    lengths = torch.tensor([2, 0, 3])
    rows = torch.tensor([[0, 4, 1], [2, 2, 1]])
    for dtype in FLOATING:
        line, matrix, block = c.tensor((5,), dtype), c.tensor((2, 5), dtype), c.tensor((2, 5, 3), dtype)
        for reduce in ("sum", "mean", "prod", "max", "min"):
            def case(data, **options):
                c("segment_reduce", torch.segment_reduce, data=data, reduce=reduce, within=near(dtype), **options)
            case(line, lengths=lengths)
            case(line, lengths=lengths.int(), initial=2)
            case(matrix, lengths=rows, axis=1, initial=-0.5)
            case(block, lengths=rows, axis=1)
            case(block, lengths=torch.tensor([1, 1]))
            case(block, lengths=torch.tensor([1, 0]), unsafe=True)
            case(line, offsets=torch.tensor([0, 2, 2, 5]))
            case(matrix, offsets=torch.tensor([[0, 0, 4, 5], [0, 1, 4, 5]]), axis=-1 + 2)
        with_nan = line.clone()
        with_nan[1] = float("nan")
        for reduce in ("max", "min"):
            c("segment_reduce", torch.segment_reduce, data=with_nan, reduce=reduce, lengths=lengths, initial=1)
    x = c.tensor((5,), torch.float32)
    for bad in ({"lengths": torch.tensor([2, 2])}, {"lengths": torch.tensor([-1, 6])}, {}, {"lengths": rows, "axis": 0},
                {"lengths": lengths, "axis": 3}, {"lengths": lengths.float()}):
        c("segment_reduce", torch.segment_reduce, data=x, reduce="sum", **bad)
    c("segment_reduce", torch.segment_reduce, data=x, reduce="middle", lengths=lengths)
    c("segment_reduce", torch.segment_reduce, data=x.long(), reduce="sum", lengths=lengths)

    for dtype in TYPES:
        t = c.tensor((2, 3, 2), dtype)
        c("hash_tensor", hashed, self=t)
        c("hash_tensor", hashed, self=t, dim=[1])
        c("hash_tensor", hashed, self=t, dim=[-1, 0], keepdim=True)
        c("hash_tensor", hashed, self=t[:0], dim=[0])
    c("hash_tensor", hashed, self=t[:0])
    c("hash_tensor", hashed, self=t, dim=[3])
    c("hash_tensor", hashed, self=t, dim=[0, 0])
    c("hash_tensor", hashed, self=t, mode=1)
    c("hash_tensor", hashed, self=torch.tensor(-1.5))

    for dtype in (torch.float32, torch.int64, torch.float16):
        a, b = c.tensor((5, 2), dtype), c.tensor((3, 4), dtype)
        for dim, chunks in ((0, 2), (0, 1), (0, 7), (1, 3), (-1, 2)):
            c("_chunk_cat", tensors=[a, c.tensor((5, 3), dtype)], dim=dim, num_chunks=chunks)
        c("_chunk_cat", tensors=[a, b, c.tensor((4,), dtype)], dim=0, num_chunks=2)
        c("_chunk_cat", tensors=[a, b], dim=1, num_chunks=2)
        c("_chunk_cat", tensors=[a, c.tensor((4,), dtype)], dim=1, num_chunks=2)
        c("_chunk_cat", tensors=[a, c.tensor((4,), dtype)], dim=-1, num_chunks=2)
        c("_chunk_cat", tensors=[a, a[:0]], dim=0, num_chunks=2)
        c("_chunk_cat", tensors=[a], dim=0, num_chunks=0)

        i, j = torch.tensor([[0], [7], [2]]), torch.tensor([1, -9, 0, -1])
        mask = torch.tensor([[True, False, True, True], [False] * 4, [True, False, False, True]])
        c("_unsafe_masked_index", self=a, mask=mask, indices=[i, j], fill=3)
        c("_unsafe_masked_index", self=a, mask=mask[:, :1].contiguous(), indices=[i.int()], fill=-1)
        c("_unsafe_masked_index", self=a, mask=mask, indices=[i.float(), j], fill=0)
        c("_unsafe_masked_index_put_accumulate", self=a, mask=mask, indices=[i, j], values=c.tensor((3, 4), dtype))

        if dtype != torch.int64:
            image, w = c.tensor((3, 2, 4), dtype), c.tensor((2,), dtype)
            wide = torch.float32
            c("_batch_norm_with_update", input=image, weight=w, bias=w.flip(0), running_mean=torch.zeros(2, dtype=dtype),
              running_var=torch.ones(2, dtype=dtype), momentum=0.5, eps=1e-3, within=near(dtype))
