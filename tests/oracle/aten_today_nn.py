"""Golden cases of newer layers: linear maps and contractions, norms, dropout, attention."""

import torch
import torch.nn.functional as F

from aten_today import FLOATING, TYPES, Today

A = torch.ops.aten
LOOSE = 2.0**-16


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale,
                                          enable_gqa=enable_gqa)


def loose(dtype):
    return {torch.float64: 2.0**-40, torch.float32: LOOSE}.get(dtype, 2.0**-6)


with Today("today_nn", __file__) as c:
    r = c.random

    def floats(shape, dtype=torch.float32):
        return c.tensor(shape, dtype)

    for dtype in FLOATING + [torch.int64, torch.int8, torch.bool]:
        for shape in [(3, 4), (4,), (2, 3, 4), (2, 3, 5)] + [(0, 4), (2, 0, 4)] * (dtype != torch.bool):
            w, b = c.tensor((5, 4), dtype), c.tensor((5,), dtype)
            c("linear", input=c.tensor(shape, dtype), weight=w, within=loose(dtype))
            c("linear", input=c.tensor(shape, dtype), weight=w, bias=b, within=loose(dtype))
        c("linear", input=c.tensor((2, 4), dtype), weight=c.tensor((4,), dtype), within=loose(dtype))
        c("linear", input=c.tensor((4,), dtype), weight=c.tensor((4,), dtype), within=loose(dtype))

    EQUATIONS = ["ij,jk->ik", "ij,jk", "ij,ij->", "i,j->ij", "bij,bjk->bik", "ij->ji", "ii->i", "ii", "ijk->j", "ij,kj->ki",
                 "...ij,...jk->...ik", "b...,c...->bc...", "ij,ij->ij", "i,i", "bhid,bhjd->bhij", "ab,bc,cd->ad",
                 "ij , j -> i", "...", "...i->...", "a,b,c->cba", "ij,jk->il", "ij,jk->ii", "i1,j->ij", "ij,jk,->ik", "i..,j->i"]
    SIZES = dict(i=2, j=3, k=4, b=2, h=2, d=3, a=2, c=3)
    for equation in EQUATIONS:
        for dtype in (torch.float32, torch.float64, torch.int64):
            sides = equation.replace(" ", "").split("->")[0].split(",")
            tensors = []
            for side in sides:
                shape = []
                for letter in side.replace("...", ".").replace("..", "?"):
                    shape += [2, 1][:r.randrange(3)] if letter == "." else [SIZES.get(letter, 2)]
                tensors.append(c.tensor(tuple(shape), dtype))
            c("einsum", equation=equation, tensors=tensors, within=loose(dtype))
    c("einsum", equation="ij,jk->ik", tensors=[floats((2, 3)), floats((4, 2))])
    c("einsum", equation="ij,jk->ik", tensors=[floats((2, 1)), floats((4, 2))], within=LOOSE)
    c("einsum", equation="ij->i", tensors=[floats((2, 0))])
    c("einsum", equation="ij,jk->ik", tensors=[floats((2, 0)), floats((0, 2))])

    for _ in range(16):
        dtype = r.choice([torch.float32, torch.float64, torch.int32])
        x, y = c.tensor((2, 3, 4), dtype), c.tensor((4, 3, 5), dtype)
        for a, b in r.sample([([1], [1]), ([2], [0]), ([1, 2], [1, 0]), ([-1, 1], [0, 1]), ([], []), ([0], [0]), ([1], [0, 1]), ([1, 1], [1, 1])], 3):
            c("tensordot", self=x, other=y, dims_self=a, dims_other=b, within=loose(dtype))
        for a, b in [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (4, 3)), ((), (2, 3)), ((2, 3), (2, 2)), ((), ())]:
            c("inner", self=c.tensor(a, dtype), other=c.tensor(b, dtype), within=loose(dtype))
        for a, b in [((2,), (3,)), ((2, 2), (2, 3)), ((2, 2), (3,)), ((), (2, 2)), ((2, 1, 2), (2, 2))]:
            c("kron", self=c.tensor(a, r.choice(TYPES)), other=c.tensor(b, r.choice(TYPES)))
        c("vdot", self=c.tensor((4,), dtype), other=c.tensor((4,), dtype), within=loose(dtype))
    for dtype in FLOATING[:2]:
        w = c.tensor((5, 3, 4), dtype)
        c("bilinear", input1=c.tensor((2, 3), dtype), input2=c.tensor((2, 4), dtype), weight=w, bias=c.tensor((5,), dtype), within=loose(dtype))
        c("bilinear", input1=c.tensor((2, 2, 3), dtype), input2=c.tensor((2, 2, 4), dtype), weight=w, within=loose(dtype))
        c("bilinear", input1=c.tensor((3,), dtype), input2=c.tensor((4,), dtype), weight=w, within=loose(dtype))
        c("bilinear", input1=c.tensor((2, 3), dtype), input2=c.tensor((3, 4), dtype), weight=w)

    # Norms.
    for dtype in FLOATING:
        near = loose(dtype)
        for shape, groups in [((2, 6, 3), 3), ((1, 4, 2, 3), 2), ((2, 4), 2), ((2, 4, 1, 2, 2), 4), ((2, 6, 3), 4), ((0, 4, 2), 2)]:
            x, w, b = c.tensor(shape, dtype), c.tensor(shape[1:2], dtype), c.tensor(shape[1:2], dtype)
            c("group_norm", input=x, num_groups=groups, within=near)
            c("group_norm", input=x, num_groups=groups, weight=w, bias=b, eps=1e-3, within=near)
            c("group_norm", input=x, num_groups=groups, weight=w, within=near)
            rest = torch.Size(shape[2:]).numel()
            c("native_group_norm", input=x, weight=w, bias=b, N=shape[0], C=shape[1], HxW=rest, group=groups, eps=1e-5, within=near)
            if dtype.itemsize >= 4 and rest > 1 and shape[0] > 0:
                c("instance_norm", input=x, weight=w, bias=b, running_mean=None, running_var=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5, cudnn_enabled=False, within=near)
                c("instance_norm", input=x, weight=None, bias=None, running_mean=c.tensor(shape[1:2], dtype),
                  running_var=c.tensor(shape[1:2], dtype, 1, 20), use_input_stats=r.random() < 0.5,
                  momentum=0.1, eps=1e-5, cudnn_enabled=False, within=near)
        for shape, normalized in [((2, 3, 4), [4]), ((2, 3, 4), [3, 4]), ((4,), [4]), ((2, 3), [2]), ((2, 0), [0])]:
            x = c.tensor(shape, dtype)
            c("rms_norm", input=x, normalized_shape=normalized, within=near)
            c("rms_norm", input=x, normalized_shape=normalized, weight=c.tensor(tuple(normalized), dtype), eps=0.25, within=near)
        if dtype.itemsize >= 4:
            x = c.tensor((2, 3, 4), dtype)
            stats = dict(running_mean=c.tensor((3,), dtype), running_var=c.tensor((3,), dtype, 1, 20))
            affine = dict(weight=c.tensor((3,), dtype), bias=c.tensor((3,), dtype))
            rates = dict(momentum=0.1, eps=1e-5)
            for training in (True, False):
                c("_native_batch_norm_legit", input=x, **affine, **stats, training=training, **rates, within=near)
            c("_native_batch_norm_legit.no_stats", input=x, **affine, training=True, **rates, within=near)
            c("_native_batch_norm_legit_no_training", input=x, **affine, **stats, **rates, within=near)

    # Dropout without chance.
    for dtype in FLOATING + [torch.int64]:
        x = c.tensor((2, 3), dtype)
        for p, train in [(0.5, False), (0.0, True), (1.0, True), (1.5, True), (-0.5, False)]:
            c("dropout", function=lambda input, p, train: F.dropout(input, p, train), input=x, p=p, train=train, forms=["function"])
            c.case("dropout_", [x, float(p), train], lambda: F.dropout(x, p, train))
            if dtype.is_floating_point and 0 <= p <= 1:
                c("native_dropout", input=x, p=p, train=train)

    # Attention.
    for dtype in FLOATING:
        near = loose(dtype)
        for q, k, v in [((2, 3), (4, 3), (4, 5)), ((2, 3, 4), (2, 5, 4), (2, 5, 4)), ((1, 2, 3, 4), (1, 2, 6, 4), (1, 2, 6, 4)),
                        ((2, 2, 1, 4), (2, 2, 3, 4), (2, 2, 3, 2)), ((2, 3, 4), (2, 5, 3), (2, 5, 4)), ((2, 3), (4, 3), (3, 5))]:
            x = [c.tensor(shape, dtype) for shape in (q, k, v)]
            mask = c.tensor((q[-2], k[-2]), torch.bool)
            mask[0] = True
            operands = dict(query=x[0], key=x[1], value=x[2])
            c("scaled_dot_product_attention", attention, **operands, within=near)
            c("scaled_dot_product_attention", attention, **operands, is_causal=True, within=near)
            c("scaled_dot_product_attention", attention, **operands, attn_mask=mask, scale=0.5, within=near)
            c("scaled_dot_product_attention", attention, **operands, attn_mask=c.tensor((q[-2], k[-2]), dtype), within=near)
            c("scaled_dot_product_attention", attention, **operands, attn_mask=c.tensor((1, k[-2]), dtype), within=near)
        x = [c.tensor(shape, dtype) for shape in ((2, 4, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4))]
        operands = dict(query=x[0], key=x[1], value=x[2])
        c("scaled_dot_product_attention", attention, **operands, enable_gqa=True, within=near)
        c("scaled_dot_product_attention", attention, **operands, enable_gqa=True, is_causal=True, within=near)
        c("scaled_dot_product_attention", attention, **operands, within=near)
        hidden = torch.zeros((3, 5), dtype=torch.bool)
        hidden[1, 2] = True
        c("scaled_dot_product_attention", attention, **operands, enable_gqa=True, attn_mask=hidden, within=near)
    x = floats((70, 8))
    c("scaled_dot_product_attention", attention, query=x, key=floats((90, 8)), value=floats((90, 3)), within=LOOSE)
    c("scaled_dot_product_attention", attention, query=x, key=floats((90, 8)), value=floats((90, 3)), is_causal=True, within=LOOSE)
    for dtype in FLOATING:
        x = c.tensor((2, 3), dtype)
        for name in ("_softmax", "_log_softmax"):
            c(name, self=x, dim=r.choice([0, -1]), half_to_float=False)
            if dtype != torch.float16:  # which CUDA alone takes
                c(name, self=x, dim=1, half_to_float=True)
