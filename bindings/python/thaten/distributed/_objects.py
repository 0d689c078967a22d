"""Objects that ranks exchange, as bytes of Python's pickle: only between ranks that trust each other."""

import pickle as _pickle

from .. import _C
from .._core.tensor import frombuffer as _frombuffer
from . import _calls, _chosen


def _bytes(obj):
    return _frombuffer(bytearray(_pickle.dumps(obj)), dtype=_C.uint8)


def _object(tensor):
    return _pickle.loads(bytes(memoryview(tensor)))


def _sizes(own, group, chosen):
    """The numbers of bytes of all ranks."""
    sizes = [_C.zeros(1, dtype=_C.int64) for _ in chosen.ranks]
    _calls.all_gather(sizes, _C.tensor([own.numel()]), group)
    return [int(s) for s in sizes]


def all_gather_object(object_list, obj, group=None):
    """The entries of object_list become obj of rank 0, of rank 1, ..."""
    chosen = _chosen(group)
    if chosen is None:
        return
    own = _bytes(obj)
    sizes = _sizes(own, group, chosen)
    padded = _C.zeros(max(sizes), dtype=_C.uint8)
    padded[:own.numel()] = own
    parts = [_C.empty_like(padded) for _ in sizes]
    _calls.all_gather(parts, padded, group)
    object_list[:] = [_object(part[:n]) for part, n in zip(parts, sizes)]


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """The same on rank dst alone."""
    chosen = _chosen(group)
    if chosen is None:
        return
    found = [None] * chosen.size()
    all_gather_object(found, obj, group)
    if chosen.rank() == _calls._root(group, 0 if dst is None else dst, group_dst):
        object_gather_list[:] = found


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """The objects of rank src are those of all ranks then."""
    chosen = _chosen(group)
    if chosen is None:
        return
    root = _calls._root(group, 0 if src is None else src, group_src)
    own = _bytes(list(object_list)) if chosen.rank() == root else _C.zeros(0, dtype=_C.uint8)
    size = _C.tensor([own.numel()])
    _calls.broadcast(size, group=group, group_src=root)
    data = own if chosen.rank() == root else _C.empty(int(size), dtype=_C.uint8)
    _calls.broadcast(data, group=group, group_src=root)
    object_list[:] = _object(data)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    """The first entry of the output becomes the own entry of the input on rank src."""
    chosen = _chosen(group)
    if chosen is None:
        return
    given = [scatter_object_input_list]
    broadcast_object_list(given, src, group, None, group_src)
    scatter_object_output_list[0] = given[0][chosen.rank()]


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None):
    """The objects go to rank dst."""
    data = _bytes(list(object_list))
    _calls.send(_C.tensor([data.numel()]), dst, group, 0, group_dst)
    _calls.send(data, dst, group, 0, group_dst)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """The objects come from rank src, which is returned."""
    size = _C.zeros(1, dtype=_C.int64)
    _calls.recv(size, src, group, 0, group_src)
    data = _C.empty(int(size), dtype=_C.uint8)
    rank = _calls.recv(data, src, group, 0, group_src)
    object_list[:] = _object(data)
    return rank
