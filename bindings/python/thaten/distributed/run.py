"""Starts a script several times on this machine, with what init_process_group() reads in the environment, as torchrun does:

    python3 -m thaten.distributed.run --nproc-per-node=2 SCRIPT ARGUMENT ...
"""

import argparse
import os
import socket
import subprocess
import sys
import time

_POLL_SECONDS = 0.05


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _parsed(arguments):
    parser = argparse.ArgumentParser(prog="thaten.distributed.run", description="Runs a script as several ranks.")
    parser.add_argument("--nproc-per-node", "--nproc_per_node", default="1", help="how many processes, or auto: one a processor")
    parser.add_argument("--nnodes", type=int, default=1, help="on how many machines this command runs")
    parser.add_argument("--node-rank", "--node_rank", type=int, default=0, help="which of them this is, from 0")
    parser.add_argument("--master-addr", "--master_addr", default="127.0.0.1", help="where rank 0 listens")
    parser.add_argument("--master-port", "--master_port", type=int, default=0, help="0: a free one, for one machine")
    parser.add_argument("--standalone", action="store_true", help="one machine, which is the default")
    parser.add_argument("-m", "--module", action="store_true", help="the script is the name of a module")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    if given.nproc_per_node in ("auto", "cpu"):
        given.nproc_per_node = os.cpu_count()
    elif not given.nproc_per_node.isdigit() or int(given.nproc_per_node) < 1:
        parser.error("--nproc-per-node is %r, and has to be a number above 0, or auto" % given.nproc_per_node)
    if not 0 <= given.node_rank < given.nnodes:
        parser.error("--node-rank is %d, and has to be below --nnodes, which is %d" % (given.node_rank, given.nnodes))
    if given.nnodes > 1 and given.master_port == 0:
        parser.error("--master-port is needed for several machines")
    return given


def _start(given):
    count = int(given.nproc_per_node)
    port = given.master_port or _free_port()
    command = [sys.executable, *["-m"] * given.module, given.script, *given.arguments]
    common = {"WORLD_SIZE": count * given.nnodes, "LOCAL_WORLD_SIZE": count, "MASTER_ADDR": given.master_addr, "MASTER_PORT": port}
    if count > 1 and "OMP_NUM_THREADS" not in os.environ:
        common["OMP_NUM_THREADS"] = 1
    processes = []
    for i in range(count):
        own = {**common, "LOCAL_RANK": i, "RANK": count * given.node_rank + i, "GROUP_RANK": given.node_rank}
        processes.append(subprocess.Popen(command, env={**os.environ, **{name: str(value) for name, value in own.items()}}))
    return processes


def _wait(processes):
    """The exit code of the first that fails, which ends the others, or 0."""
    while True:
        codes = [process.poll() for process in processes]
        failed = [code for code in codes if code]
        if failed or None not in codes:
            return failed[0] if failed else 0
        time.sleep(_POLL_SECONDS)


def main(arguments=None):
    processes = _start(_parsed(arguments))
    try:
        code = _wait(processes)
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
            process.wait()
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main())
