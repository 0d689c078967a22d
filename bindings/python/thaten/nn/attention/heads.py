"""Attention of several heads as a function of its weights."""

import math as _math

from ... import _C


def _projected(query, key, value, weights, bias):
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return [_C.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases)]


def _additive(mask, dtype, name):
    """A mask that is added to scores."""
    if mask is None or mask.is_floating_point():
        return mask
    if mask.dtype != _C.bool:
        raise RuntimeError("multi_head_attention_forward(): %s is of %r, and has to be of bool or of a floating type" % (name, mask.dtype))
    return _C.zeros(mask.shape, dtype=dtype).masked_fill(mask, -_math.inf)


def _with_column(mask, count):
    """The mask with columns for keys that are not masked."""
    return mask if mask is None else _C.cat([mask, mask.new_zeros((*mask.shape[:-1], count))], -1)


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                                 add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                                 need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,
                                 k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
                                 average_attn_weights=True, is_causal=False):
    """What MultiheadAttention computes, of steps x batch x embed_dim or steps x embed_dim, with these weights: the result, and
    the weights of attention or None."""
    batched = query.dim() == 3
    if not batched:
        query, key, value = (t.unsqueeze(1) for t in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    steps, batch, size = query.shape
    if size != embed_dim_to_check:
        raise AssertionError("multi_head_attention_forward(): query has %d features, and embed_dim is %d" % (size, embed_dim_to_check))
    if size % num_heads:
        raise AssertionError("multi_head_attention_forward(): embed_dim %d is no multiple of num_heads %d" % (size, num_heads))
    if is_causal and attn_mask is None:
        raise RuntimeError("multi_head_attention_forward(): is_causal needs attn_mask")
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    mask, padding = _additive(attn_mask, q.dtype, "attn_mask"), _additive(key_padding_mask, q.dtype, "key_padding_mask")
    if mask is not None and mask.dim() == 2:
        mask = mask.unsqueeze(0)
    if bias_k is not None and bias_v is not None:
        k, v = _C.cat([k, bias_k.repeat(1, batch, 1)]), _C.cat([v, bias_v.repeat(1, batch, 1)])
        mask, padding = _with_column(mask, 1), _with_column(padding, 1)
    head = size // num_heads
    q = q.reshape(steps, batch * num_heads, head).transpose(0, 1)
    k = k.reshape(k.shape[0], batch * num_heads, head).transpose(0, 1) if static_k is None else static_k
    v = v.reshape(v.shape[0], batch * num_heads, head).transpose(0, 1) if static_v is None else static_v
    if add_zero_attn:
        zeros = k.new_zeros((batch * num_heads, 1, head))
        k, v = _C.cat([k, zeros], 1), _C.cat([v, zeros], 1)
        mask, padding = _with_column(mask, 1), _with_column(padding, 1)
    keys = k.shape[1]
    if padding is not None:
        padding = padding.reshape(batch, 1, 1, keys).expand(batch, num_heads, 1, keys).reshape(batch * num_heads, 1, keys)
        mask = padding if mask is None else mask + padding
    scores = _C.bmm(q * _math.sqrt(1.0 / head), k.transpose(1, 2))
    scores = _C.softmax(scores if mask is None else scores + mask, -1)
    if dropout_p and training:
        scores = _C.dropout(scores, dropout_p, True)
    result = _C.bmm(scores, v).transpose(0, 1).reshape(steps * batch, size)
    result = _C.linear(result, out_proj_weight, out_proj_bias).reshape(steps, batch, -1)
    scores = scores.reshape(batch, num_heads, steps, keys) if need_weights else None
    if need_weights and average_attn_weights:
        scores = scores.mean(1)
    if not batched:
        result, scores = result.squeeze(1), scores.squeeze(0) if need_weights else None
    return result, scores
