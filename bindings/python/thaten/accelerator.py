"""Devices besides the CPU: there are none."""


def is_available():
    return False


def device_count():
    return 0


def current_accelerator(check_available=False):
    """None: the CPU computes."""
    return None


def synchronize(device=None):
    """Nothing runs elsewhere."""
