"""Apple's GPUs: not there."""


def is_built():
    return False


def is_available():
    return False
