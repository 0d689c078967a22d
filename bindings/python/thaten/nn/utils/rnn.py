"""Sequences of several lengths in one tensor: padded, or packed so that recurrent layers pass over no padding."""

from collections import namedtuple

from ... import _C


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences, tensors of L x *, as one tensor of T x B x *, or B x T x *, with padding_value beyond their ends."""
    if padding_side not in ("left", "right"):
        raise ValueError("padding_side is %r, and not left or right" % (padding_side,))
    sequences = list(sequences)
    longest = max(len(s) for s in sequences)
    padded = sequences[0].new_full((len(sequences), longest, *sequences[0].shape[1:]), padding_value)
    rows = []
    for row, sequence in zip(padded.unbind(0), sequences):
        parts = [sequence, row[len(sequence):]]
        rows.append(_C.cat(parts if padding_side == "right" else parts[::-1], 0))
    return _C.stack(rows, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences that pad_sequence padded."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:n] for row, n in zip(rows.unbind(0), _lengths(lengths))]


def _lengths(lengths):
    return [int(n) for n in (lengths.tolist() if isinstance(lengths, _C.Tensor) else lengths)]


class PackedSequence(namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])):
    """The elements of all sequences by their time step: of step t those of batch_sizes[t] sequences, the longest first.
    sorted_indices says which of the caller's sequences comes first, unsorted_indices the way back."""

    __slots__ = ()

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None and sorted_indices is not None:
            unsorted_indices = _C.argsort(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        return self._replace(data=self.data.to(*args, **kwargs))

    def cpu(self):
        return self

    def cuda(self, *args, **kwargs):
        return self._replace(data=self.data.cuda(*args, **kwargs))

    def pin_memory(self):
        return self._replace(data=self.data.pin_memory())

    def is_pinned(self):
        return self.data.is_pinned()

    def double(self):
        return self.to(_C.float64)

    def float(self):
        return self.to(_C.float32)

    def half(self):
        return self.to(_C.float16)

    def long(self):
        return self.to(_C.int64)

    def int(self):
        return self.to(_C.int32)

    def short(self):
        return self.to(_C.int16)

    def char(self):
        return self.to(_C.int8)

    def byte(self):
        return self.to(_C.uint8)

    is_cuda = False


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs padded sequences.  Unless enforce_sorted, they may come in any order of their lengths."""
    return PackedSequence(*_C._pack_padded_sequence(input, _C.tensor(_lengths(lengths)), batch_first, enforce_sorted))


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded sequences and their lengths, in the caller's order."""
    if total_length is not None and total_length < len(sequence.batch_sizes):
        raise ValueError("total_length is %d, and a sequence has %d elements" % (total_length, len(sequence.batch_sizes)))
    return _C._pad_packed_sequence(sequence.data, sequence.batch_sizes, sequence.unsorted_indices, batch_first, float(padding_value),
                                   total_length)


def pack_sequence(sequences, enforce_sorted=True):
    """Packs a list of sequences."""
    return pack_padded_sequence(pad_sequence(sequences), [len(s) for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The list of sequences that were packed."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)
