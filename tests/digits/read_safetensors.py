"""Reads a network that the digits program saved, with nothing of its code, and looks at its pictures.

Arguments: the network, the program's output when it trained it, pictures."""
import json
import math
import re
import struct
import sys

SHAPES = {
    "conv1.weight": [32, 1, 3, 3], "conv1.bias": [32],
    "conv2.weight": [64, 32, 3, 3], "conv2.bias": [64],
    "full1.weight": [128, 256], "full1.bias": [128],
    "full2.weight": [10, 128], "full2.bias": [10],
}

with open(sys.argv[1], "rb") as file:
    content = file.read()
(length,) = struct.unpack("<Q", content[:8])
header = json.loads(content[8:8 + length])
data = content[8 + length:]
assert length % 8 == 0, length
assert header.pop("__metadata__") == {"format": "pt"}
assert {name: entry["shape"] for name, entry in header.items()} == SHAPES, header

used = 0
for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
    begin, end = entry["data_offsets"]
    assert entry["dtype"] == "F32" and set(entry) == {"dtype", "shape", "data_offsets"}, entry
    assert begin == used and end - begin == 4 * math.prod(entry["shape"]), (name, entry)
    used = end
    values = struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])
    largest = max(map(abs, values))
    assert all(map(math.isfinite, values)) and 0.01 < largest < 10, (name, largest)
    assert len(set(values)) > 0.9 * len(values), name
assert used == len(data), (used, len(data))

with open(sys.argv[2], encoding="ascii") as file:
    lines = file.read().split("\n")
start = next(i for i, line in enumerate(lines) if line.startswith("digit  read as"))
table = [[int(n) for n in line.replace(".", "0").split()[1:]] for line in lines[start + 1:start + 11]]
assert [len(row) for row in table] == [10] * 10, table
assert sum(map(sum, table)) == 360, table
right = sum(table[i][i] for i in range(10))
assert any(re.match(r"%d of 360 test digits read right: %.2f %%" % (right, right / 3.6), line)
           for line in lines), right

for picture in sys.argv[3:]:
    with open(picture, "rb") as file:
        png = file.read()
    assert png[:16] == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" and png[-8:-4] == b"IEND", picture
    assert struct.unpack(">II", png[16:24]) == (1000, 460), picture
