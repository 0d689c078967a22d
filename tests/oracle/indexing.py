"""Golden values of the functions that index, mask, gather and scatter."""

import torch

import golden


def per_dimension(out, name, t, dim, source, slices, elements):
    def put(op, value):
        out.put("%s/%s/%d" % (name, op, dim), value.contiguous())

    rows = source.narrow(dim, 0, len(slices))
    put("src", rows)
    put("indexSelect", t.index_select(dim, slices))
    put("indexCopy", t.clone().index_copy_(dim, slices, rows))
    put("indexAdd", t.clone().index_add_(dim, slices, rows))
    put("indexFill", t.clone().index_fill_(dim, slices, 7))
    put("gather", t.gather(dim, elements))
    put("scatter", t.clone().scatter_(dim, elements, source))
    put("scatterAdd", t.clone().scatter_add_(dim, elements, source))
    put("scatterFill", t.clone().scatter_(dim, elements, 7))


def of_type(out, name, dtype, numbers, others, indices, flat, mask):
    t, source = numbers.to(dtype), others.to(dtype)
    out.put(name + "/input", t)
    out.put(name + "/src/3", source)
    for dim, (slices, elements) in enumerate(indices):
        per_dimension(out, name, t, dim, source, slices, elements)
    out.put(name + "/take/0", t.take(flat))
    out.put(name + "/put/0", t.clone().put_(flat, source[:2]))
    out.put(name + "/putAdd/0", t.clone().put_(flat, source[:2], accumulate=True))
    out.put(name + "/maskedFill", t.clone().masked_fill_(mask, 7))
    out.put(name + "/maskedCopy", t.clone().masked_scatter_(mask, source))
    out.put(name + "/maskedSelect", t.masked_select(mask))
    out.put(name + "/nonzero", t.nonzero())


with golden.Writer("indexing", __file__) as out:
    torch.manual_seed(11)
    shape = (5, 4, 6)
    numbers, others = torch.randint(0, 9, shape), torch.randint(-20, 100, shape)
    indices = []
    for dim, size in enumerate(shape):
        # No index twice: PyTorch does not say which is written last.
        slices = torch.randperm(size)[: size - 1]
        elements = torch.rand(shape).argsort(dim)[:3, :4, :5].contiguous()
        out.put("slices/%d" % dim, slices)
        out.put("elements/%d" % dim, elements)
        indices.append((slices, elements))
    flat = torch.randperm(numbers.numel())[:48].reshape(2, 4, 6)
    flat -= numbers.numel() * torch.randint(0, 2, flat.shape)
    mask = torch.rand(shape) < 0.4
    out.put("flat", flat)
    out.put("mask", mask.to(torch.uint8))
    for dtype, name in golden.TYPES.items():
        of_type(out, name, dtype, numbers, others, indices, flat, mask)
