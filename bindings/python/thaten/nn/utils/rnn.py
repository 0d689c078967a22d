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

    def double(self):
        return self.to(_C.float64)

    def float(self):
        return self.to(_C.float32)

    is_cuda = False


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Packs padded sequences.  Unless enforce_sorted, they may come in any order of their lengths."""
    lengths = _lengths(lengths)
    rows = input if batch_first else input.transpose(0, 1)
    if len(lengths) != rows.shape[0]:
        raise RuntimeError("there are %d lengths for %d sequences" % (len(lengths), rows.shape[0]))
    if any(not 0 < n <= rows.shape[1] for n in lengths):
        raise RuntimeError("lengths are %s, and each is between 1 and %d" % (lengths, rows.shape[1]))
    order = None
    if enforce_sorted:
        if any(a < b for a, b in zip(lengths, lengths[1:])):
            raise RuntimeError("lengths are %s, and not in decreasing order: enforce_sorted=False sorts them" % lengths)
    else:
        order = _C.tensor(sorted(range(len(lengths)), key=lambda i: -lengths[i]))
        rows, lengths = rows.index_select(0, order), sorted(lengths, reverse=True)
    sizes = [sum(n > t for n in lengths) for t in range(lengths[0])]
    data = _C.cat([rows[:size, t] for t, size in enumerate(sizes)], 0)
    return PackedSequence(data, _C.tensor(sizes), order)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded sequences and their lengths, in the caller's order."""
    sizes = sequence.batch_sizes.tolist()
    steps = len(sizes) if total_length is None else total_length
    if steps < len(sizes):
        raise ValueError("total_length is %d, and a sequence has %d elements" % (steps, len(sizes)))
    data, count = sequence.data, sizes[0]
    columns = []
    for step in data.split(sizes, 0):
        rest = (count - step.shape[0], *data.shape[1:])
        columns.append(_C.cat([step, data.new_full(rest, padding_value)], 0) if rest[0] else step)
    columns += [data.new_full((count, *data.shape[1:]), padding_value)] * (steps - len(sizes))
    padded = _C.stack(columns, 1 if batch_first else 0)
    lengths = _C.tensor([sum(size > i for size in sizes) for i in range(count)])
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def pack_sequence(sequences, enforce_sorted=True):
    """Packs a list of sequences."""
    return pack_padded_sequence(pad_sequence(sequences), [len(s) for s in sequences], enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The list of sequences that were packed."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


# --- recurrent layers ---------------------------------------------------------------------------------------


def _pass(run, parts, state, weights):
    """One direction of one layer: run(input, state, weights) for each part, steps of the same number of sequences.  Parts
    may become shorter, forward, or longer, backward; state are tensors of 1 x B x H of all sequences."""
    outputs, alive = [], None
    last = [[] for _ in state]
    for part in parts:
        count = part.shape[1]
        if alive is None:
            alive = [s[:, :count] for s in state]
        before = alive[0].shape[1]
        for i, s in enumerate(alive):
            if count < before:
                last[i].insert(0, s[:, count:])
                alive[i] = s[:, :count]
            elif count > before:
                alive[i] = _C.cat([s, state[i][:, before:count]], 1)
        output, *alive = run(part, alive, weights)
        outputs.append(output)
    return outputs, [_C.cat([s] + rest, 1) for s, rest in zip(alive, last)]


def recur(run, packed, state, weights, directions, dropout):
    """A recurrent layer of PyTorch over packed sequences.  run(input, state, weights) computes one direction of one layer
    over T x B x I and returns the output and the new state; state: tensors of layers * directions x B x H, in the order of
    the packed sequences; weights: those of each layer and direction.  Returns a PackedSequence and the last state."""
    sizes = packed.batch_sizes.tolist()
    spans = []  # (steps, sequences)
    for size in sizes:
        if spans and spans[-1][1] == size:
            spans[-1][0] += 1
        else:
            spans.append([1, size])
    data, found = packed.data, []
    for layer in range(len(weights) // directions):
        if layer and dropout:
            data = _C.dropout(data, dropout, True)
        parts = [p.reshape(steps, size, -1) for p, (steps, size) in zip(data.split([a * b for a, b in spans], 0), spans)]
        outputs = []
        for direction in range(directions):
            row = layer * directions + direction
            given = [s[row:row + 1] for s in state]
            order = [p.flip(0) for p in reversed(parts)] if direction else parts
            out, end = _pass(run, order, given, weights[row])
            outputs.append([o.flip(0) for o in reversed(out)] if direction else out)
            found.append(end)
        joined = [_C.cat(list(both), 2) for both in zip(*outputs)] if directions == 2 else outputs[0]
        data = _C.cat([o.reshape(-1, o.shape[2]) for o in joined], 0)
    return packed._replace(data=data), [_C.cat(list(rows), 0) for rows in zip(*found)]
