"""Functions that all ranks of a group call, and messages between two."""

from .. import _C
from . import ReduceOp, _chosen, get_group_rank

__all__ = ["P2POp", "Work", "all_gather", "all_gather_into_tensor", "all_reduce", "all_to_all", "all_to_all_single", "barrier",
           "batch_isend_irecv", "broadcast", "gather", "irecv", "isend", "monitored_barrier", "recv", "reduce", "reduce_scatter",
           "reduce_scatter_tensor", "scatter", "send"]

_pending = []  # works that nobody may wait for


class Work:
    """A call that has begun.  finish() is what is left to do when it has ended."""

    def __init__(self, handles, finish=None):
        self._handles, self._finish, self._error, self._is_settled = handles, finish, None, False

    def _settle(self):
        if self._is_settled:
            return
        self._is_settled = True
        try:
            for handle in self._handles:
                handle.wait()
            if self._finish:
                self._finish()
        except RuntimeError as error:
            self._error = error

    def wait(self, timeout=None):
        """Waits until the call has ended; its error is raised."""
        self._settle()
        if self._error is not None:
            raise self._error
        return True

    def is_completed(self):
        if not self._is_settled and all(handle.is_over() for handle in self._handles):
            self._settle()
        return self._is_settled

    def is_success(self):
        return self.is_completed() and self._error is None

    def exception(self):
        return self._error


def settle():
    """Waits for all works."""
    for work in _pending:
        work._settle()
    _pending.clear()


def _made(handles, finish=None):
    work = Work(handles, finish)
    _pending[:] = [w for w in _pending if not w.is_completed()]
    _pending.append(work)
    return work


def _call(name, group, result, tensor, root=0, op=ReduceOp.SUM, async_op=False, finish=None):
    """None where the rank is not in the group."""
    chosen = _chosen(group)
    if chosen is None:
        return None
    made = _C._comm(name, chosen._handle, int(op), root, result, tensor, async_op)
    if async_op:
        return _made([made], finish)
    if finish:
        finish()
    return None


def _root(group, rank, given):
    """The number in the group: given, or that of a rank among all."""
    chosen = _chosen(group)
    return 0 if chosen is None else given if given is not None else get_group_rank(chosen, rank)


def _parts(tensors):
    """The tensors' elements, one after the other."""
    return _C.cat([t.detach().reshape(-1) for t in tensors])


def _spread(flat, tensors):
    """What copies parts of flat to the tensors."""

    def finish():
        for part, tensor in zip(flat.split([t.numel() for t in tensors]), tensors):
            tensor.detach().copy_(part.reshape(tensor.shape))

    return finish


def _check_list(name, argument, tensors, group):
    chosen = _chosen(group)
    if chosen is not None and len(tensors) != chosen.size():
        raise ValueError("%s(): %s has %d tensors, and the group %d ranks" % (name, argument, len(tensors), chosen.size()))


# --- one tensor -------------------------------------------------------------------------------------------


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """tensor of rank src becomes tensor on all ranks."""
    return _call("broadcast", group, None, tensor, _root(group, src, group_src), async_op=async_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """tensor becomes the combination of tensor on all ranks."""
    return _call("all_reduce", group, None, tensor, op=op, async_op=async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """The same on rank dst alone."""
    return _call("reduce", group, None, tensor, _root(group, dst, group_dst), op, async_op)


def barrier(group=None, async_op=False, device_ids=None):
    """Returns when all ranks have called it."""
    return _call("barrier", group, None, None, async_op=async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """barrier(); a rank that is lost is an error that names it."""
    barrier(group)


# --- a part for each rank ---------------------------------------------------------------------------------


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """output_tensor becomes input_tensor of rank 0, of rank 1, ..."""
    return _call("all_gather", group, output_tensor, input_tensor, async_op=async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """The tensors of the list become tensor of rank 0, of rank 1, ..."""
    _check_list("all_gather", "tensor_list", tensor_list, group)
    flat = _C.empty(sum(t.numel() for t in tensor_list), dtype=tensor.dtype)
    return _call("all_gather", group, flat, tensor, async_op=async_op, finish=_spread(flat, tensor_list))


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """The same on rank dst alone; elsewhere there is no list."""
    root, chosen = _root(group, 0 if dst is None else dst, group_dst), _chosen(group)
    if chosen is None or chosen.rank() != root:
        if gather_list:
            raise ValueError("gather(): gather_list is only for rank dst")
        return _call("gather", group, None, tensor, root, async_op=async_op)
    _check_list("gather", "gather_list", gather_list or [], group)
    flat = _C.empty(sum(t.numel() for t in gather_list), dtype=tensor.dtype)
    return _call("gather", group, flat, tensor, root, async_op=async_op, finish=_spread(flat, gather_list))


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """tensor becomes the own entry of scatter_list on rank src; elsewhere there is no list."""
    root, chosen = _root(group, 0 if src is None else src, group_src), _chosen(group)
    if chosen is None or chosen.rank() != root:
        if scatter_list:
            raise ValueError("scatter(): scatter_list is only for rank src")
        return _call("scatter", group, tensor, None, root, async_op=async_op)
    _check_list("scatter", "scatter_list", scatter_list or [], group)
    return _call("scatter", group, tensor, _parts(scatter_list), root, async_op=async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    """output becomes the own part of the combination of input on all ranks."""
    return _call("reduce_scatter", group, output, input, op=op, async_op=async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """output becomes the combination of the own entry of all ranks' lists."""
    _check_list("reduce_scatter", "input_list", input_list, group)
    return reduce_scatter_tensor(output, _parts(input_list), op, group, async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Part r of output becomes the own part of input on rank r; parts are of the first dimension."""
    chosen = _chosen(group)
    if chosen is None or not (output_split_sizes or input_split_sizes):
        return _call("all_to_all", group, output, input, async_op=async_op)
    n = chosen.size()
    return all_to_all(list(output.split(output_split_sizes or [output.size(0) // n] * n)),
                      list(input.split(input_split_sizes or [input.size(0) // n] * n)), group, async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Entry r of the first list becomes the own entry of the second list on rank r; their sizes may differ."""
    chosen = _chosen(group)
    if chosen is None:
        return None
    _check_list("all_to_all", "output_tensor_list", output_tensor_list, group)
    _check_list("all_to_all", "input_tensor_list", input_tensor_list, group)
    handles = []
    for r in range(chosen.size()):
        if r == chosen.rank():
            output_tensor_list[r].copy_(input_tensor_list[r])
        else:
            handles += [_C._comm(name, chosen._handle, 0, r, None, t[r], True)
                        for name, t in (("send", input_tensor_list), ("receive", output_tensor_list))]
    work = _made(handles)
    return work if async_op else work.wait() and None


# --- two ranks --------------------------------------------------------------------------------------------


def _message(name, tensor, peer, group, group_peer, async_op):
    if peer is None and group_peer is None:
        raise NotImplementedError("%s(): the rank has to be given" % name)
    return _call(name, group, None, tensor, _root(group, peer, group_peer), async_op=async_op)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """tensor goes to rank dst.  Messages between two ranks arrive in their order, whatever their tags are."""
    _message("send", tensor, dst, group, group_dst, False)


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """tensor comes from rank src, which is returned."""
    _message("receive", tensor, src, group, group_src, False)
    return src if src is not None else _chosen(group).ranks[group_src]


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """send() that returns a Work at once."""
    return _message("send", tensor, dst, group, group_dst, True)


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """recv() that returns a Work at once."""
    return _message("receive", tensor, src, group, group_src, True)


class P2POp:
    """isend or irecv, and its arguments, for batch_isend_irecv()."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("P2POp: op has to be isend or irecv")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = op, tensor, peer, group, tag, group_peer


def batch_isend_irecv(p2p_op_list):
    """Begins all of them, and returns their works."""
    return [p.op(p.tensor, p.peer, p.group, p.tag, p.group_peer) for p in p2p_op_list]
