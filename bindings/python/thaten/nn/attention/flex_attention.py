"""Attention whose scores a function changes, and which leaves out what another function says: both get the indices of the
batch, the head, the query and the key, as tensors that broadcast."""

import math as _math

from ... import _C


def _indices(*sizes):
    """An index tensor for each dimension, along that dimension."""
    return [_C.arange(n).reshape([n if i == d else 1 for i in range(len(sizes))]) for d, n in enumerate(sizes)]


def noop_mask(batch, head, token_q, token_kv):
    """All positions."""
    return token_q == token_q


def and_masks(*mask_mods):
    """Where all masks hold."""

    def mask(b, h, q_idx, kv_idx):
        result = noop_mask(b, h, q_idx, kv_idx)
        for one in mask_mods:
            result = result & one(b, h, q_idx, kv_idx)
        return result

    return mask


def or_masks(*mask_mods):
    """Where one of the masks holds."""

    def mask(b, h, q_idx, kv_idx):
        result = ~noop_mask(b, h, q_idx, kv_idx)
        for one in mask_mods:
            result = result | one(b, h, q_idx, kv_idx)
        return result

    return mask


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """The mask of a function, of Bool and B x H x Q_LEN x KV_LEN."""
    return mod_fn(*_indices(B or 1, H or 1, Q_LEN, KV_LEN)).expand(B or 1, H or 1, Q_LEN, KV_LEN).contiguous()


class BlockMask:
    """Which keys each query sees."""

    def __init__(self, mask, mask_mod, seq_lengths, block_size):
        self._mask, self.mask_mod, self.seq_lengths = mask, mask_mod, seq_lengths
        self.BLOCK_SIZE = (block_size, block_size) if isinstance(block_size, int) else tuple(block_size)

    @property
    def shape(self):
        return (*self._mask.shape[:2], *self.seq_lengths)

    def to_dense(self):
        """For each block of queries and of keys, whether the mask holds anywhere in it, of Int."""
        b, h, q, k = self._mask.shape
        rows, columns = self.BLOCK_SIZE
        padded = _C.zeros(b, h, -(-q // rows) * rows, -(-k // columns) * columns, dtype=_C.bool)
        padded[:, :, :q, :k] = self._mask
        blocks = padded.reshape(b, h, padded.shape[2] // rows, rows, padded.shape[3] // columns, columns)
        return blocks.to(_C.int32).amax([3, 5])

    def sparsity(self):
        """The share of blocks, in percent, of which nothing is computed."""
        dense = self.to_dense()
        return 100.0 * (1 - float(dense.sum()) / dense.numel())

    def to(self, device=None):
        return self

    def __repr__(self):
        return "BlockMask(shape=%s, sparsity=%.2f%%)" % (self.shape, self.sparsity())


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=128, _compile=False):
    """The mask of a function that returns where a query sees a key; B and H None mean all alike."""
    return BlockMask(create_mask(mask_mod, B, H, Q_LEN, KV_LEN), mask_mod, (Q_LEN, KV_LEN), BLOCK_SIZE)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """softmax(score_mod(query key^T scale)) value, over the keys that block_mask shows; rows that see nothing are 0.
    With return_lse also the logarithm of the sums of exponentials."""
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise ValueError("flex_attention(): query, key and value have %d, %d and %d dimensions, and not 4" % (
            query.dim(), key.dim(), value.dim()))
    if query.shape[1] != key.shape[1]:
        if not enable_gqa or query.shape[1] % key.shape[1]:
            raise ValueError("flex_attention(): query has %d heads and key %d%s" % (
                query.shape[1], key.shape[1], "" if enable_gqa else "; enable_gqa is False"))
        key, value = (t.repeat_interleave(query.shape[1] // key.shape[1], 1) for t in (key, value))
    scores = _C.matmul(query, key.transpose(-2, -1)) * (1 / _math.sqrt(query.shape[-1]) if scale is None else scale)
    indices = _indices(*scores.shape)
    if score_mod is not None:
        scores = score_mod(scores, *indices)
    if block_mask is not None:
        mask = block_mask._mask if isinstance(block_mask, BlockMask) else block_mask
        scores = scores.masked_fill(~mask[..., :scores.shape[2], :scores.shape[3]], -_math.inf)
    sums = scores.logsumexp(-1, keepdim=True)
    weights = _C.where(sums == -_math.inf, _C.zeros_like(scores), (scores - sums).exp())
    result = _C.matmul(weights.to(value.dtype), value)
    return (result, sums.squeeze(-1)) if return_lse else result
