"""NumPy's side of th_torch: computes and measures the expressions that come in.

    python3 numpy_rows.py DIRECTORY

answers each line of its input with one: arrays go through files in the directory.
"""

import gc
import os
import sys

import timing

try:
    import numpy as np
except ImportError:
    sys.exit(1)

ALWAYS = {"np": np, "rng": np.random.default_rng(0), "f32": np.float32}
NAMES = dict(ALWAYS)


def array(directory, name, dtype, sizes):
    path = os.path.join(directory, name)
    shape = [int(size) for size in sizes.split(",") if size]
    NAMES[name] = np.fromfile(path, dtype=dtype).reshape(shape)
    os.unlink(path)
    return "ok"


def result(directory, name, expression):
    value = eval(expression, NAMES)
    value = np.ascontiguousarray(value if name == "-" else NAMES[name])
    value.tofile(os.path.join(directory, "result"))
    return f"{value.dtype} {value.size}"


def main():
    directory = sys.argv[1]
    gc.disable()
    for line in sys.stdin:
        command, _, rest = line.rstrip("\n").partition(" ")
        try:
            if command == "version":
                answer = "NumPy " + np.__version__
            elif command == "array":
                answer = array(directory, *rest.split(" "))
            elif command == "result":
                answer = result(directory, *rest.split(" ", 1))
            elif command == "seconds":
                budget, expression = rest.split(" ", 1)
                body = eval("lambda: " + expression, NAMES)
                answer = repr(timing.seconds(body, float(budget)))
            elif command == "clear":
                NAMES.clear()
                NAMES.update(ALWAYS)
                answer = "ok"
        except Exception as error:  # it is said where it was asked
            answer = f"error {error}".replace("\n", " ")
        print(answer, flush=True)


main()
