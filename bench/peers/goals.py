"""What the measured rows are to reach, and which of them do.

Times were set on a machine on which malloc and free of 64 bytes take 7.7 ns and arrays of 40 MB are
copied at 29.6e9 bytes a second: elsewhere they are that many allocations, or that many bytes, of the
same run.
"""

import fnmatch

MALLOC, BANDWIDTH = 7.671e-9, 29.6


class Measured:
    """Rows by name and number of threads, with the machine's own rows."""

    def __init__(self, rows, machine, footprint):
        self.rows = {(row.name, row.threads): row for row in rows}
        self.machine, self.footprint = machine, footprint

    def matching(self, patterns, threads):
        for (name, count), row in self.rows.items():
            if count == threads and any(fnmatch.fnmatch(name, p) for p in patterns.split()):
                yield row

    def bandwidth(self):
        """The machine's: that of the fastest copy of 40 MB."""
        copies = ("bw.copy.1e7", "bw.copy_nt.1e7", "bw.memcpy.1e7")
        return max((self.machine.get((name, 1), 0) for name in copies), default=0)


def ratio(system, patterns, threads=1):
    """Time of a system over ours, which is to be at least the bound.  "peer" is the fastest of the
    other systems, "library" the fastest but PyTorch and NumPy."""

    def values(measured):
        for row in measured.matching(patterns, threads):
            ratios = row.ratios
            if system == "library":
                ratios = {k: v for k, v in ratios.items() if k not in ("PyTorch", "NumPy")}
            others = [k for k in ratios if k not in ("TH", "limit", "alone")]
            if system in ratios:
                yield row.name, ratios[system]
            elif system in ("peer", "library") and others:
                yield row.name, min(ratios[k] for k in others)

    return values


def within(milliseconds, patterns):
    """The time that is allowed, on this machine, over ours."""

    def values(measured):
        if bandwidth := measured.bandwidth():
            allowed = milliseconds * 1e-3 * BANDWIDTH / bandwidth
            for row in measured.matching(patterns, 1):
                yield row.name, allowed / row.seconds["TH"]

    return values


def scaling(patterns):
    """Time on one thread over time on two, measured in turn."""

    def values(measured):
        for row in measured.matching(patterns, 2):
            if "alone" in row.ratios:
                yield row.name, row.ratios["alone"]

    return values


def beside(pairs):
    """Time of the second row of a pair over that of the first."""

    def values(measured):
        for pair in pairs.split():
            first, second = (measured.rows.get((name, 1)) for name in pair.split("/"))
            if first and second:
                yield first.name, second.seconds["TH"] / first.seconds["TH"]

    return values


def footprint(name, most):
    def values(measured):
        if value := measured.footprint.get(name):
            yield name, most / value

    return values


FUNCTIONS = "ew.exp.1e5 ew.log.1e5 ew.tanh.1e5 ew.sigmoid.1e5 ew.pow2.5.1e5 ew.erf.1e5 ew.sin.1e5"
MEMORY = (
    "ew.fill.1e7 ew.copy.1e7 ew.add.1e7 ew.mul_scalar.1e7 ew.clamp.1e7 ew.relu.1e7 ew.sqrt.1e7 "
    "ew.f32_to_f64.1e7 ew.u8_to_f32.1e7 red.sum.all red.mean.all red.norm.all red.max.all"
)
VIEWS = "small.inference.narrow small.inference.select small.inference.transpose small.inference.view"

# What, in words; a number for each row; the least that it may be.
GOALS = (
    ("ATen: a view made and freed takes 80 ns, 10.4 allocations", ratio("limit", VIEWS), MALLOC / 80e-9),
    ("ATen: 1 to 64 elements added into a result take 100 ns, 13 allocations", ratio("limit", "small.inference.add_out.*"), MALLOC / 100e-9),
    ("TH: a view takes 40 ns, 5.2 allocations", ratio("limit", "small.TH.select"), MALLOC / 40e-9),
    ("TH: 1 to 64 elements added take 60 ns, 7.8 allocations", ratio("limit", "small.TH.add_out.*"), MALLOC / 60e-9),
    ("what moves 1e7 elements: 0.95 of the bandwidth", ratio("limit", MEMORY), 0.95),
    ("a new result takes at most 1.3 times as long as one that is there", beside("ew.add_alloc.1e7/ew.add.1e7 ew.exp_alloc.1e7/ew.exp.1e7"), 1 / 1.3),
    ("functions of 1e5: not behind the best peer", ratio("peer", FUNCTIONS), 1),
    ("a transposed copy within 2 of a copy", ratio("limit", "st.transpose_copy"), 1 / 2),
    ("add(a.t(), b) within 2.5 of its bytes", ratio("limit", "st.add_transposed"), 1 / 2.5),
    ("other strided operands: not behind the best peer", ratio("peer", "st.*"), 0.95),
    ("reductions within 1.5 of one pass over memory", ratio("limit", "red.*"), 1 / 1.5),
    ("cumulative sums within 1.5 of a copy", ratio("limit", "cumsum.* cumprod.*"), 1 / 1.5),
    ("sorting 1e6 takes 6.5 ms where a plain sort by digits takes 6.1", ratio("limit", "sort.1e6"), 6.1 / 6.5),
    ("sorting 1000 rows of 1000 takes 5 ms", within(5, "sort.1000x1000"), 1),
    ("sorting and its kin: 4 times PyTorch", ratio("PyTorch", "sort.* topk.* kth.* median.* mode.* unique.*"), 4),
    ("masked_select and nonzero of 1e6 take 0.3 ms", within(0.3, "idx.masked_select idx.nonzero"), 1),
    ("elements that indices pick: the plain loop's time", ratio("limit", "idx.index_select idx.gather idx.scatter"), 0.95),
    ("rows by index and masks within 1.5 of their bytes", ratio("limit", "idx.masked_fill idx.index_select.rows idx.index_add.rows cat.*"), 1 / 1.5),
    ("uniform numbers, 1e7, take 6 ms", within(6, "rnd.uniform"), 1),
    ("bernoulli numbers, 1e7, take 8 ms", within(8, "rnd.bernoulli"), 1),
    ("normal numbers, 1e7, take 12 ms", within(12, "rnd.normal"), 1),
    ("random numbers: 2 threads 1.7 times as fast", scaling("rnd.uniform rnd.normal rnd.bernoulli rnd.randperm"), 1.7),
    ("products: not behind OpenBLAS or oneDNN", ratio("library", "mm.f* gemv.* bmm.* blas1.*"), 0.95),
    ("products of 1024 and more: 2 threads 1.8 times as fast", scaling("mm.f32.1024 mm.f32.2048 mm.f64.1024 mm.f64.2048"), 1.8),
    ("convolutions: 2 times PyTorch", ratio("PyTorch", "conv.*"), 2),
    ("convolutions: not behind oneDNN", ratio("library", "conv.*"), 0.95),
    ("layers within 1.5 of their bytes", ratio("limit", "nn.* sm.*"), 1 / 1.5),
    ("LAPACK: not behind OpenBLAS", ratio("library", "la.*"), 0.95),
    ("LeNet-5: 4 times PyTorch's steps", ratio("PyTorch", "lenet.train"), 4),
    ("LeNet-5: 2 threads 1.6 times as fast", scaling("lenet.train"), 1.6),
    ("loading and a first addition within 5 ms", footprint("load.TH", 5e-3), 1),
    ("the same within 12 MB of memory", footprint("rss.TH", 12e6), 1),
    ("the libraries, stripped, within 12 MB", footprint("disk.all", 12 * 2**20), 1),
)  # fmt: skip


def lines(rows, machine, footprints):
    """A table of the goals that something was measured of."""
    measured = Measured(rows, machine, footprints)
    text = []
    for what, values, least in GOALS:
        found = list(values(measured))
        if not found:
            continue
        missed = [f"{name} {value:.2f}" for name, value in found if value < least]
        reached = len(found) - len(missed)
        text.append(f"| {what} | {least:.2f} | {reached} of {len(found)} | {', '.join(missed)} |")
    if text:
        yield "| to reach (one thread unless it says more) | at least | reached | by which rows not |"
        yield "|---|---|---|---|"
        yield from text
