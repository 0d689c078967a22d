"""What scripts ask before they train with several processes: the package has no groups of them, as PyTorch built without.
The C library has (ATen/ATenDistributed.h)."""


def is_available():
    return False


def is_initialized():
    return False


is_mpi_available = is_gloo_available = is_nccl_available = is_torchelastic_launched = is_initialized


def init_process_group(*args, **kwargs):
    raise RuntimeError("init_process_group(): the package has no groups of processes; is_available() is False")


def get_rank(group=None):
    raise ValueError("get_rank(): there is no group of processes")


def get_world_size(group=None):
    raise ValueError("get_world_size(): there is no group of processes")
