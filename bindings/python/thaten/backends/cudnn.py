"""cuDNN: not there."""

enabled = benchmark = deterministic = allow_tf32 = False


def version():
    return None


def is_available():
    return False
