"""oneDNN: not there."""

enabled = False


def is_available():
    return False
