"""One of two processes: a script written for PyTorch computes what it computes there (tests/oracle/python_ranks.py).

usage: ranks.py SCRIPT"""

import json
import os
import runpy
import sys

import cases
import thaten
import thaten.distributed
import thaten.nn.parallel
import thaten.optim
import thaten.utils.data

HERE = os.path.dirname(os.path.abspath(__file__))
WITHIN = 1e-7  # the scripts compute in double, the same formulas in another order

sys.modules.update({"torch" + name[len("thaten"):]: module for name, module in list(sys.modules.items())
                    if name.split(".")[0] == "thaten"})


def main(script):
    ranks = []
    start = thaten.distributed.init_process_group
    thaten.distributed.init_process_group = lambda *a, **k: (start(*a, **k), ranks.append(thaten.distributed.get_rank()))[0]
    made = runpy.run_path(os.path.join(HERE, "ranks", script))
    with open(os.path.join(cases.GOLDEN, "python_ranks.json")) as file:
        golden = json.load(file)[script][ranks[0]]
    got, wanted = made["losses"], [float.fromhex(n) for n in golden["losses"]]
    assert made.get("texts", []) == golden["texts"], (made["texts"], golden["texts"])
    assert len(got) == len(wanted), (got, wanted)
    for i, (a, b) in enumerate(zip(got, wanted)):
        assert abs(a - b) <= WITHIN * max(1, abs(b)), "number %d: %r for %r" % (i, a, b)


main(sys.argv[1])
