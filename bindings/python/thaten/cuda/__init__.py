"""What scripts ask before they choose a device: the package is for the CPU."""


def is_available():
    return False


def device_count():
    return 0


def manual_seed_all(seed):
    """There is no generator but the CPU's."""


manual_seed = manual_seed_all


def synchronize(device=None):
    """Nothing runs elsewhere."""


def empty_cache():
    """There is no memory of a device."""


def is_bf16_supported():
    return False


def get_device_name(device=None):
    raise RuntimeError("there is no device cuda: the package computes on the CPU")


current_device = get_device_properties = get_device_name
