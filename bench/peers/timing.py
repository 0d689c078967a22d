"""The median of many samples, as in bench/timing.c."""

import statistics
import time

now = time.perf_counter


def _sample(body, calls):
    start = now()
    for _ in range(calls):
        body()
    return now() - start


def seconds(body, budget):
    """Seconds for one call of body, measured for about budget seconds.

    Calls of at least 5 ms go before: threads of another system, which wait for work by turning
    round and round, have gone to sleep by then.
    """
    start = now()
    calls = 1
    while (took := _sample(body, calls)) < 20e-6:
        calls *= 2
    while now() - start < 5e-3:
        body()
    samples = []
    start = now()
    while len(samples) < 3 or (now() - start < budget and len(samples) < 2000):
        samples.append(_sample(body, calls) / calls)
    return statistics.median(samples)


def text(seconds_):
    for unit, size in (("ns", 1e-9), ("us", 1e-6)):
        if seconds_ < 1000 * size:
            return f"{seconds_ / size:.1f} {unit}"
    return f"{seconds_ * 1e3:.2f} ms"
