"""Golden cases of attention that returns the logarithms of its sums, as programs have it after decompositions."""

import torch

from aten_today import Today

with Today("attention", __file__) as c:
    for dtype, near in ((torch.float32, 2.0**-18), (torch.float64, 2.0**-44), (torch.float16, 2.0**-8), (torch.bfloat16, 2.0**-5)):
        for batch, heads, queries, keys, size in ((2, 3, 4, 5, 8), (1, 2, 3, 3, 4), (1, 1, 1, 7, 3)):
            q, k, v = (c.tensor((batch, heads, n, size), dtype) / 2 for n in (queries, keys, keys))
            c("_scaled_dot_product_flash_attention_for_cpu", query=q, key=k, value=v, within=near)
            c("_scaled_dot_product_flash_attention_for_cpu", query=q, key=k, value=v, is_causal=True, scale=0.25, within=near)
            mask = c.tensor((queries, keys), dtype)
            c("_scaled_dot_product_flash_attention_for_cpu", query=q, key=k, value=v, attn_mask=mask, within=near)
    c("_scaled_dot_product_flash_attention_for_cpu", query=q, key=k, value=v.double())
