"""What operations of a with statement take: times of each, as a table or as a trace for Chrome's viewer."""

import enum as _enum
import functools as _functools
import json as _json
import time as _time

from . import _C

_open = []  # the profiles that run, the last one records


class ProfilerActivity(_enum.Enum):
    CPU = "cpu"
    CUDA = "cuda"


class ProfilerAction(_enum.Enum):
    """What a step of a schedule does."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function of the step: after skip_first steps it waits, warms up and records, repeat times or for ever."""

    def action(step):
        step -= skip_first
        length = wait + warmup + active
        if step < 0 or repeat and step >= repeat * length:
            return ProfilerAction.NONE
        step %= length
        if step < wait + warmup:
            return ProfilerAction.NONE if step < wait else ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if step == length - 1 else ProfilerAction.RECORD

    return action


class Event:
    """A call: its name, times in microseconds, and the shapes of its tensors."""

    def __init__(self, name, begin, end, shapes=()):
        self.key = self.name = name
        self.begin, self.end, self.input_shapes = begin, end, list(shapes)
        self.inside = 0.0  # the time of the calls in it

    @property
    def cpu_time_total(self):
        return (self.end - self.begin) * 1e-3

    @property
    def self_cpu_time_total(self):
        return self.cpu_time_total - self.inside


class Average:
    """The calls of one name."""

    def __init__(self, key, events):
        self.key, self.count = key, len(events)
        self.input_shapes = events[0].input_shapes
        self.cpu_time_total = sum(e.cpu_time_total for e in events)
        self.self_cpu_time_total = sum(e.self_cpu_time_total for e in events)
        self.cpu_time = self.cpu_time_total / self.count


def _text(microseconds):
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if microseconds >= size:
            return "%.3f%s" % (microseconds / size, unit)
    return "%.3fus" % microseconds


class EventList(list):
    """Averages of calls."""

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
              header=None, top_level_events_only=False, time_unit=None):
        """The table, longest first by the attribute sort_by."""
        rows = list(self)
        if sort_by is not None:
            sort_by = sort_by.replace("cuda_", "cpu_").replace("device_", "cpu_")
            rows.sort(key=lambda one: getattr(one, sort_by), reverse=True)
        rows = rows[:row_limit] if row_limit > 0 else rows
        total = sum(one.self_cpu_time_total for one in self) or 1.0
        shapes = any(one.input_shapes for one in rows)
        lines = [["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"] + ["Input Shapes"] * shapes]
        for one in rows:
            lines.append([one.key[:max_name_column_width], "%.2f%%" % (100 * one.self_cpu_time_total / total),
                          _text(one.self_cpu_time_total), "%.2f%%" % (100 * one.cpu_time_total / total), _text(one.cpu_time_total),
                          _text(one.cpu_time), str(one.count)] + [str(one.input_shapes)[:max_shapes_column_width]] * shapes)
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        rule = "  ".join("-" * w for w in widths)
        body = ["  ".join(cell.rjust(w) for cell, w in zip(line, widths)) for line in lines]
        return "\n".join(([header] if header else []) + [rule, body[0], rule, *body[1:], rule,
                                                         "Self CPU time total: %s" % _text(total), ""])


def _observe_layers(wanted):
    """While a profile runs, calls of the library's layers are noted too."""
    from .nn.module import Layer

    if "__call__" in Layer.__dict__:
        del Layer.__call__
    if wanted:
        plain = Layer.__call__

        def call(self, *args, **kwargs):
            begin = _time.perf_counter_ns()
            result = plain(self, *args, **kwargs)
            if _open:
                _open[-1]._note("nn." + type(self).__name__, begin, _time.perf_counter_ns(),
                                [a for a in args if isinstance(a, _C.Tensor)])
            return result

        Layer.__call__ = call


class record_function:
    """A with statement or a decorator, whose calls stand under a name among the operations."""

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        self._begin = _time.perf_counter_ns()
        return self

    def __exit__(self, *_):
        if _open:
            _open[-1]._note(self.name, self._begin, _time.perf_counter_ns(), ())

    def __call__(self, function):
        @_functools.wraps(function)
        def wrapped(*args, **kwargs):
            with record_function(self.name):
                return function(*args, **kwargs)

        return wrapped


class profile:
    """Records the operations that are called in its with statement, or between start() and stop(); with a schedule those of
    the steps that it says, which step() counts, and on_trace_ready(self) is called after the last of each round."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None, acc_events=False, **_):
        self._schedule, self._ready, self._shapes = schedule, on_trace_ready, record_shapes
        self.step_num, self._events, self._records = 0, [], False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        return False

    def start(self):
        if not _open:
            _observe_layers(True)
        _open.append(self)
        _C._set_observer(self._note)
        self._set()

    def _set(self):
        self._action = ProfilerAction.RECORD if self._schedule is None else self._schedule(self.step_num)
        records = self._action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if records and not self._records:
            self._events = []
        self._records = records

    def stop(self):
        if self in _open:
            _open.remove(self)
        _C._set_observer(_open[-1]._note if _open else None)
        if not _open:
            _observe_layers(False)
        recorded, self._records = self._records, False
        if recorded and self._ready is not None and self._action != ProfilerAction.NONE:
            self._ready(self)

    def step(self):
        """Ends a step."""
        if self._action == ProfilerAction.RECORD_AND_SAVE and self._ready is not None:
            self._ready(self)
        if self._action == ProfilerAction.RECORD_AND_SAVE:
            self._records = False
        self.step_num += 1
        self._set()

    def _note(self, name, begin, end, tensors):
        if self._records:
            self._events.append(Event(name, begin, end, [list(t.shape) for t in tensors] if self._shapes else ()))

    def events(self):
        """All calls, in the order in which they began."""
        ordered = sorted(self._events, key=lambda e: (e.begin, -e.end))
        inside = []
        for event in ordered:
            event.inside = 0.0
            while inside and inside[-1].end <= event.begin:
                inside.pop()
            if inside:
                inside[-1].inside += event.cpu_time_total
            inside.append(event)
        return EventList(ordered)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """For each name, and each shape of the tensors if wanted, the sums and means."""
        groups = {}
        for event in self.events():
            groups.setdefault((event.key, str(event.input_shapes) if group_by_input_shape else ""), []).append(event)
        return EventList(Average(key, events) for (key, _), events in groups.items())

    def total_average(self):
        return Average("Total", self.events())

    def table(self, sort_by=None, row_limit=100, **more):
        return self.key_averages().table(sort_by, row_limit, **more)

    @property
    def self_cpu_time_total(self):
        return sum(e.self_cpu_time_total for e in self.events())

    def export_chrome_trace(self, path):
        """Writes the calls for the viewer of traces."""
        events = [{"ph": "X", "name": e.name, "cat": "cpu_op", "pid": 0, "tid": 0, "ts": e.begin * 1e-3, "dur": e.cpu_time_total,
                   "args": {"Input Dims": e.input_shapes}} for e in self.events()]
        with open(path, "w", encoding="utf-8") as file:
            _json.dump({"traceEvents": events}, file)


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """A function for on_trace_ready that writes the trace to a file in the folder."""
    import os

    def write(profiled):
        os.makedirs(dir_name, exist_ok=True)
        name = "%s.%d.pt.trace.json" % (worker_name or "worker_%d" % os.getpid(), _time.time_ns())
        profiled.export_chrome_trace(os.path.join(dir_name, name))

    return write


def supported_activities():
    return {ProfilerActivity.CPU}
