"""Processes, called ranks, that exchange tensors: torch.distributed, by libATenDistributed.

Ranks are started by mpirun, or by what sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT; gloo stands for
sockets, which carry everything but for the backend mpi and under mpirun.
"""

import atexit as _atexit
import enum as _enum
import os as _os

from .. import _C

_ANY, _MPI, _TCP = range(3)


class Backend(str):
    """The name of a backend, in small letters."""

    UNDEFINED, GLOO, NCCL, UCC, MPI = "undefined", "gloo", "nccl", "ucc", "mpi"

    def __new__(cls, name):
        return str.__new__(cls, name.lower())


class ReduceOp(_enum.IntEnum):
    """How elements of several ranks become one."""

    SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR = range(8)


class ProcessGroup:
    """Some of the ranks; ranks has their numbers among all."""

    def __init__(self, handle, ranks, backend):
        self._handle, self.ranks, self._backend = handle, ranks, backend

    def rank(self):
        """The own number in the group, -1 if the group is gone."""
        return _C._comm_rank(self._handle)[0]

    def size(self):
        return len(self.ranks)

    def name(self):
        return self._backend


class _State:
    world = None  # the group of all


class _Groups(type):
    @property
    def WORLD(cls):
        return _State.world


class GroupMember(metaclass=_Groups):
    """WORLD is the group of all ranks; NON_GROUP_MEMBER is what new_group() returns on ranks that are not in the group."""

    NON_GROUP_MEMBER = -100


group = GroupMember


def is_available():
    return True


def is_initialized():
    return _State.world is not None


def is_gloo_available():
    """Whether there is a backend by sockets."""
    return True


def is_mpi_available():
    """Whether processes may be those of mpirun, whose libATenMPI has to be there."""
    return True


def is_nccl_available():
    return False


is_ucc_available = is_torchelastic_launched = is_nccl_available


def is_backend_available(backend):
    return backend.lower() in ("gloo", "mpi")


# --- start and end ----------------------------------------------------------------------------------------


def _variables(init_method, world_size, rank):
    """What the arguments say for the environment."""
    found = {}
    method = init_method or "env://"
    if method.startswith("tcp://"):
        host, _, port = method[len("tcp://"):].rpartition(":")
        found.update(MASTER_ADDR=host.strip("[]"), MASTER_PORT=port)
    elif method != "env://":
        raise ValueError("init_process_group(): init_method is %r, and has to be env:// or tcp://HOST:PORT" % init_method)
    if world_size >= 0:
        found["WORLD_SIZE"] = str(world_size)
    if rank >= 0:
        found["RANK"] = str(rank)
    return found


def _start(kind, seconds, variables):
    before = {name: _os.environ.get(name) for name in variables}
    _os.environ.update(variables)
    try:
        _C._comm_start(kind, seconds)
    finally:
        for name, value in before.items():
            if value is None:
                del _os.environ[name]
            else:
                _os.environ[name] = value


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """Joins the other ranks; all of them call it.  The backend mpi is that of mpirun; any other one is sockets where
    WORLD_SIZE is known, else mpirun's, else there is one rank."""
    if is_initialized():
        raise ValueError("init_process_group(): it has been called already")
    if store is not None:
        raise NotImplementedError("init_process_group(): store")
    variables = _variables(init_method, world_size, rank)
    kind = _ANY
    if backend is not None and backend.lower() == "mpi":
        kind = _MPI
    elif "WORLD_SIZE" in variables or "WORLD_SIZE" in _os.environ:
        kind = _TCP
        for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
            if name not in variables and name not in _os.environ:
                raise ValueError("init_process_group(): %s is not in the environment" % name)
    _start(kind, timeout.total_seconds() if timeout is not None else 1800, variables)
    name = backend.lower() if backend else "gloo" if _C._comm_backend() in ("tcp", "one") else "mpi"
    _State.world = ProcessGroup(0, list(range(_C._comm_rank(0)[1])), name)


def destroy_process_group(group=None):
    """Waits until all calls have ended, and leaves the ranks, or one group."""
    chosen = _chosen(group)
    if chosen is not _State.world:
        _C._comm_free(chosen._handle)
        return
    from ._calls import settle

    settle()
    _State.world = None
    _C._comm_stop()


@_atexit.register
def _leave():
    if is_initialized():
        destroy_process_group()


# --- groups -----------------------------------------------------------------------------------------------


def _chosen(group=None):
    """The group, or that of all ranks; None on a rank that is not in it."""
    if _State.world is None:
        raise ValueError("there is no group of processes before init_process_group()")
    if group is None:
        return _State.world
    return None if group == GroupMember.NON_GROUP_MEMBER else group


def get_rank(group=None):
    """The own number in the group; -1 on a rank that is not in it."""
    chosen = _chosen(group)
    return -1 if chosen is None else chosen.rank()


def get_world_size(group=None):
    """How many ranks the group has; -1 on a rank that is not in it."""
    chosen = _chosen(group)
    return -1 if chosen is None else chosen.size()


def get_backend(group=None):
    return Backend(_chosen(group).name())


def get_node_local_rank(fallback_rank=None):
    """LOCAL_RANK of the environment."""
    if "LOCAL_RANK" in _os.environ:
        return int(_os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("get_node_local_rank(): LOCAL_RANK is not in the environment")
    return int(fallback_rank)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None):
    """A group of some ranks; all ranks call it, also those that are not in the group."""
    world = _chosen()
    members = sorted(ranks) if ranks is not None else world.ranks
    if len(set(members)) < len(members) or not set(members) <= set(world.ranks):
        raise ValueError("new_group(): ranks are %r, of %d" % (members, world.size()))
    mine = world.rank()
    handle = _C._comm_split(0 if mine in members else -1, mine)
    return ProcessGroup(handle, members, backend or world.name()) if mine in members else GroupMember.NON_GROUP_MEMBER


def get_process_group_ranks(group):
    return list(_chosen(group).ranks)


def get_global_rank(group, group_rank):
    """The number among all of a rank of the group."""
    ranks = _chosen(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError("get_global_rank(): the group has %d ranks, and none is %d" % (len(ranks), group_rank))
    return ranks[group_rank]


def get_group_rank(group, global_rank):
    """The number in the group of a rank among all."""
    ranks = _chosen(group).ranks
    if global_rank not in ranks:
        raise ValueError("get_group_rank(): rank %d is not in the group, which has %r" % (global_rank, ranks))
    return ranks.index(global_rank)


from ._calls import *  # noqa: E402, F403 -- which uses the groups
from ._objects import (all_gather_object, broadcast_object_list, gather_object, recv_object_list,  # noqa: E402, F401
                       scatter_object_list, send_object_list)
