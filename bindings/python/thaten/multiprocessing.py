"""Python's multiprocessing; tensors go to other processes as copies of their elements."""

from multiprocessing import *  # noqa: F403
from multiprocessing import get_context as _get_context


class ProcessRaisedException(Exception):
    """A process of spawn() ended with an exception."""

    def __init__(self, msg, error_index=0, error_pid=0):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, error_pid


class ProcessExitedException(ProcessRaisedException):
    """A process of spawn() ended by a signal or an exit code."""

    def __init__(self, msg, error_index=0, error_pid=0, exit_code=0):
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code


def _run(fn, i, args, queue):
    try:
        fn(i, *args)
    except BaseException:
        import traceback

        queue.put((i, traceback.format_exc()))
        raise SystemExit(1)


class ProcessContext:
    """The processes of spawn()."""

    def __init__(self, processes, queue):
        self.processes, self._queue = processes, queue

    def pids(self):
        return [p.pid for p in self.processes]

    def join(self, timeout=None, grace_period=None):
        """Waits for all; the first that failed ends the others, and its error is raised."""
        from multiprocessing.connection import wait

        left = {p.sentinel: i for i, p in enumerate(self.processes)}
        while left:
            ready = wait(left, timeout)
            if not ready:
                return False
            for sentinel in ready:
                i = left.pop(sentinel)
                self.processes[i].join()
                if self.processes[i].exitcode:
                    self._fail(i)
        return True

    def _fail(self, i):
        for p in self.processes:
            if p.is_alive():
                p.terminate()
            p.join()
        pid, code = self.processes[i].pid, self.processes[i].exitcode
        if not self._queue.empty():
            i, text = self._queue.get()
            raise ProcessRaisedException("process %d ended with an exception:\n\n%s" % (i, text), i, pid)
        raise ProcessExitedException("process %d ended with exit code %d" % (i, code), i, pid, code)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Calls fn(i, *args) in nprocs processes, i counting from 0."""
    context = _get_context(start_method)
    queue = context.SimpleQueue()
    processes = [context.Process(target=_run, args=(fn, i, args, queue), daemon=daemon) for i in range(nprocs)]
    for p in processes:
        p.start()
    made = ProcessContext(processes, queue)
    return None if join and made.join() else made


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """start_processes() with new interpreters."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def get_all_sharing_strategies():
    return {"file_system"}


def get_sharing_strategy():
    return "file_system"


def set_sharing_strategy(new_strategy):
    """Copies are sent in any case."""
