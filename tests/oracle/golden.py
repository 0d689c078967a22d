"""Writes golden values in the format that tests/support/th_golden.h describes.

    with golden.Writer("random", __file__) as out:
        out.put("Float/uniform/7", tensor)
"""

import os

import torch

TYPES = {
    torch.uint8: "Byte",
    torch.int8: "Char",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.float32: "Float",
    torch.float64: "Double",
}
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")


def text(value):
    """Exact: decimal for an int, hexadecimal for a float with the zeros at its end left out."""
    if isinstance(value, int):
        return str(value)
    digits = float(value).hex()
    if "p" not in digits:
        return digits  # inf, nan
    mantissa, exponent = digits.split("p")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + "p" + exponent


class NewFile:
    """A file that replaces the one at path when it is complete: a script that fails leaves the old one."""

    def __init__(self, path):
        self.path = path
        self.file = open(path + ".new", "w")
        self.write = self.file.write

    def close(self, is_complete):
        self.file.close()
        if is_complete:
            os.replace(self.path + ".new", self.path)
        else:
            os.remove(self.path + ".new")


class Writer:
    def __init__(self, name, script):
        self.file = NewFile(os.path.join(FOLDER, name + ".txt"))
        self.file.write(
            "# Written by tests/oracle/%s with PyTorch %s.\n"
            % (os.path.basename(script), torch.__version__)
        )

    def put(self, name, tensor):
        """tensor: of any of TYPES, any shape."""
        sizes = "".join(" %d" % n for n in tensor.shape)
        self.file.write("%s %s %d%s\n" % (name, TYPES[tensor.dtype], tensor.dim(), sizes))
        line = ""
        for value in tensor.reshape(-1).tolist():
            word = text(value)
            if line and len(line) + 1 + len(word) > 100:
                self.file.write(line + "\n")
                line = ""
            line += (" " if line else "") + word
        if line:
            self.file.write(line + "\n")

    def __enter__(self):
        return self

    def __exit__(self, error, *unused):
        self.file.close(error is None)
