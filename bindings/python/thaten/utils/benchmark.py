"""Times of statements."""

import statistics as _statistics
import timeit as _timeit


class Measurement:
    """The times of runs, each of number_per_run calls."""

    def __init__(self, number_per_run, raw_times, label=None, sub_label=None, description=None, num_threads=1, stmt="", env=None):
        self.number_per_run, self.raw_times = number_per_run, list(raw_times)
        self.label, self.sub_label, self.description, self.env = label, sub_label, description, env
        self.num_threads, self.stmt = num_threads, stmt

    @property
    def times(self):
        """Seconds of a call, for each run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self):
        return _statistics.fmean(self.times)

    @property
    def median(self):
        return _statistics.median(self.times)

    @property
    def iqr(self):
        """The difference of the quartiles."""
        return 0.0 if len(self.raw_times) < 2 else _quartile(self.times, 0.75) - _quartile(self.times, 0.25)

    @property
    def title(self):
        return self.label or self.stmt

    @property
    def as_row_name(self):
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self):
        factor, unit = _unit(self.median)
        about = "" if len(self.raw_times) < 2 else "\n  IQR:    %.2f %s" % (self.iqr / factor, unit)
        name = "Median" if len(self.raw_times) > 1 else "Time"
        return "<%s.%s object at 0x%x>\n%s\n  %s: %.2f %s%s\n  %d measurement%s, %d runs %s, %d thread%s" % (
            __name__, type(self).__name__, id(self), self.title, name, self.median / factor, unit, about, len(self.raw_times),
            "s" * (len(self.raw_times) > 1), self.number_per_run, "per measurement", self.num_threads, "s" * (self.num_threads > 1))


def _quartile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def _unit(seconds):
    for factor, unit in ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms")):
        if seconds < 1000 * factor:
            return factor, unit
    return 1.0, "s"


class Timer:
    """Measures a statement, which may use the names in globals, with num_threads threads."""

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=_timeit.default_timer, globals=None, label=None,
                 sub_label=None, description=None, env=None, num_threads=1, language="python"):
        if language not in ("python", "py"):
            raise ValueError("Timer(): the language is %r, and has to be python" % (language,))
        self._about = dict(label=label, sub_label=sub_label, description=description, env=env, num_threads=num_threads, stmt=stmt)
        self._timer = _timeit.Timer(stmt, setup, timer, dict(globals or {}))
        self._threads = num_threads

    def _run(self, number):
        from .. import get_num_threads, set_num_threads

        before = get_num_threads()
        set_num_threads(self._threads)
        try:
            return self._timer.timeit(number)
        finally:
            set_num_threads(before)

    def timeit(self, number=1000000):
        """One run of so many calls, after a short one that is not counted."""
        self._run(max(number // 100, 2))
        return Measurement(number, [self._run(number)], **self._about)

    def repeat(self, repeat=-1, number=-1):
        raise NotImplementedError("repeat(): timeit() and blocked_autorange() measure")

    def _calls(self, min_run_time):
        """How many calls take about a hundredth of the time."""
        number = 1
        while (took := self._run(number)) < min_run_time / 100:
            number = max(number * 2, int(number * min_run_time / 100 / took) if took > 1e-5 else number * 10)
        return number

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Runs of as many calls as can be timed well, until they took min_run_time seconds."""
        number, times = self._calls(min_run_time), []
        while sum(times) < min_run_time or not times:
            times.append(self._run(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, **self._about)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """Runs until the quartiles differ by less than threshold of the median."""
        number, times = self._calls(min_run_time), []
        while True:
            times.append(self._run(number))
            if callback is not None:
                callback(number, times[-1])
            made = Measurement(number, times, **self._about)
            enough = sum(times) >= min_run_time and len(times) > 3 and made.iqr < threshold * made.median
            if enough or sum(times) >= max_run_time:
                return made


class Compare:
    """A table of measurements: a row for each sub_label, a column for each description."""

    def __init__(self, results):
        self._results = list(results)

    def extend_results(self, results):
        self._results.extend(results)

    def trim_significant_figures(self):
        """Three figures are shown in any case."""

    def colorize(self, rowwise=False):
        """The table is text."""

    def __str__(self):
        tables = []
        for label in dict.fromkeys(m.title for m in self._results):
            own = [m for m in self._results if m.title == label]
            factor, unit = _unit(min(m.median for m in own))
            columns = list(dict.fromkeys(m.description or "" for m in own))
            lines = [["", *columns]]
            for threads in dict.fromkeys(m.num_threads for m in own):
                lines.append(["%d threads:" % threads] + [""] * len(columns))
                for name in dict.fromkeys(m.as_row_name for m in own if m.num_threads == threads):
                    found = {m.description or "": m.median / factor for m in own if (m.num_threads, m.as_row_name) == (threads, name)}
                    lines.append(["  " + name] + ["%.3g" % found[c] if c in found else "" for c in columns])
            widths = [max(len(line[i]) for line in lines) for i in range(len(columns) + 1)]
            body = "\n".join("  |  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
                             for line in lines)
            tables.append("[ %s ]\n%s\n\nTimes are in %s." % (label, body, {"ns": "nanoseconds", "us": "microseconds",
                                                                          "ms": "milliseconds", "s": "seconds"}[unit]))
        return "\n\n".join(tables)

    def print(self):
        print(self)
