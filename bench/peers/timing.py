"""The median of many samples, as in bench/timing.c."""

import resource
import statistics
import time

now = time.perf_counter


def _sample(body, calls):
    start = now()
    for _ in range(calls):
        body()
    return now() - start


def _preemptions():
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def seconds(body, budget):
    """Seconds for one call of body, measured for about budget seconds.

    Calls of at least 5 ms go before: threads of another system, which wait for work by turning
    round and round, have gone to sleep by then.  Samples during which the process was preempted are
    used only when there is no other.
    """
    start = now()
    calls = 1
    while (took := _sample(body, calls)) < 20e-6:
        calls *= 2
    while now() - start < 5e-3:
        body()
    clean, disturbed = [], []
    start = now()
    while len(clean) < 2000:
        elapsed = now() - start
        if elapsed > budget and len(clean) >= 3:
            break
        if elapsed > 6 * budget and len(clean) + len(disturbed) >= 3:
            break
        before = _preemptions()
        took = _sample(body, calls) / calls
        (clean if _preemptions() == before else disturbed).append(took)
    return statistics.median(clean or disturbed)


def text(seconds_):
    for unit, size in (("ns", 1e-9), ("us", 1e-6)):
        if seconds_ < 1000 * size:
            return f"{seconds_ / size:.1f} {unit}"
    return f"{seconds_ * 1e3:.2f} ms"
