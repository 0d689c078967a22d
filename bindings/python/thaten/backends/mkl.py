"""MKL: not there."""


def is_available():
    return False
