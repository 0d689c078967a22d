"""Compares arrays of two .npz files: npz.py GOT WANTED NAME...

The arrays of GOT, in their order, are near those arrays of WANTED: NAME*, which stands for NAME0, NAME1 ..., or names."""

import ast
import math
import struct
import sys
import zipfile

CODES = {"f4": "f", "f8": "d", "f2": "e", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "b1": "?"}


def read(path):
    """The arrays by name: type, shape, and the elements in a list."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            wide = data[6] > 1
            start = 12 if wide else 10
            length = struct.unpack_from("<I" if wide else "<H", data, 8)[0]
            header = ast.literal_eval(data[start:start + length].decode("latin1"))
            assert not header["fortran_order"], name
            kind, shape = header["descr"][1:], header["shape"]
            elements = struct.unpack_from(f"<{math.prod(shape)}{CODES[kind]}", data, start + length)
            arrays[name.removesuffix(".npy")] = kind, shape, elements
    return arrays


def distance(got, wanted):
    assert got[:2] == wanted[:2], f"{got[:2]} instead of {wanted[:2]}"
    pairs = [(float(a), float(b)) for a, b in zip(got[2], wanted[2]) if not (a == b or a != a and b != b)]
    length = math.sqrt(sum(float(b) ** 2 for b in wanted[2] if math.isfinite(b)))
    return math.sqrt(sum((a - b) ** 2 for a, b in pairs)) / (length or 1)


def main(path, expected, names):
    got, wanted = read(path), read(expected)
    if names[0].endswith("*"):
        names = [f"{names[0][:-1]}{i}" for i in range(len(wanted)) if f"{names[0][:-1]}{i}" in wanted]
    assert len(got) == len(names) > 0, f"{list(got)} instead of {names}"
    for array, name in zip(got, names):
        apart = distance(got[array], wanted[name])
        assert apart < 1e-5, f"{array} is {apart} of its length from {name}"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
