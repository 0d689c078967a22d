"""What scripts ask before they choose a device: the package is for the CPU."""


def is_available():
    return False


def device_count():
    return 0


def manual_seed_all(seed):
    """There is no generator but the CPU's."""


manual_seed = manual_seed_all
