"""Makes tables for bench/store out of the lines of th_torch.

    th_torch ... | python3 table.py FILE

prints rows as they come, and at the end what they amount to; all of it also goes to the file.
"""

import math
import sys

import goals
import timing

BEHIND = 0.85


class Row:
    def __init__(self, family, name, shape, threads, counted):
        self.family, self.name, self.shape = family, name, shape
        self.threads, self.counted = int(threads), counted == "1"
        self.seconds, self.ratios = {}, {}  # by system; ratios to ours

    def best(self):
        """The fastest other system."""
        peers = [system for system in self.ratios if system not in ("TH", "limit", "alone")]
        return min(peers, key=self.ratios.get) if peers else None

    def text(self):
        def cell(values, system, form):
            return form(values[system]) if system in values else ""

        def ratio(value):
            return f"{value:.2f}"

        best = self.best()
        peer = f"{best} {timing.text(self.seconds[best])}" if best else ""
        cells = [
            self.name + ("" if self.counted else " (not counted)"),
            self.shape,
            self.threads,
            timing.text(self.seconds["TH"]),
            cell(self.seconds, "PyTorch", timing.text),
            peer,
            cell(self.seconds, "limit", timing.text),
            cell(self.ratios, "PyTorch", ratio),
            cell(self.ratios, best, ratio),
            cell(self.ratios, "limit", ratio),
            cell(self.ratios, "alone", ratio),
        ]
        return "| " + " | ".join(map(str, cells)) + " |"

    def steps(self):
        """The same row as steps a second."""
        ours, theirs = (
            f"{1 / self.seconds[system]:.0f} /s" if system in self.seconds else ""
            for system in ("TH", "PyTorch")
        )
        ratio = f"{self.ratios['PyTorch']:.2f}" if theirs else ""
        cells = [f"{self.name}.steps", self.shape, self.threads, ours, theirs]
        cells += [f"PyTorch {theirs}" if theirs else "", "", ratio, ratio, "", ""]
        return "| " + " | ".join(map(str, cells)) + " |"


HEAD = """\
| row | size | threads | TH | PyTorch | best peer | limit | PyTorch / TH | best peer / TH | limit / TH | alone / TH |
|---|---|---|---|---|---|---|---|---|---|---|"""


MACHINE = """\
| limit of the machine | size | threads | time | 1e9 bytes or operations a second |
|---|---|---|---|---|"""

FOOTPRINT = """\
| footprint | what | time | resident memory, or size of the file |
|---|---|---|---|"""


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def families(rows, threads):
    """The geometric means of PyTorch's ratios, by family."""
    ratios = {}
    for row in rows:
        if row.threads == threads and row.counted and "PyTorch" in row.ratios:
            ratios.setdefault(row.family, []).append(row.ratios["PyTorch"])
    return {family: mean(values) for family, values in ratios.items()}


def summary(rows):
    counts = sorted({row.threads for row in rows})
    means = {threads: families(rows, threads) for threads in counts}
    yield "| PyTorch / TH, geometric means | " + " | ".join(f"{n} thread{'s' * (n > 1)}" for n in counts) + " |"
    yield "|---|" + "---|" * len(counts)
    for family in dict.fromkeys(family for part in means.values() for family in part):
        cells = (f"{means[n][family]:.2f}" if family in means[n] else "" for n in counts)
        yield f"| {family} | " + " | ".join(cells) + " |"
    totals = (f"{mean(means[n].values()):.2f}" if means[n] else "" for n in counts)
    yield "| **mean of the families** | " + " | ".join(totals) + " |"
    yield ""
    behind = [row for row in rows if row.best() and row.ratios[row.best()] < BEHIND]
    if not behind:
        yield f"No row is behind (below {BEHIND} of the best peer)."
        return
    yield f"Behind (below {BEHIND} of the best peer):"
    yield ""
    yield "| row | threads | best peer | best peer / TH | PyTorch / TH |"
    yield "|---|---|---|---|---|"
    for row in behind:
        best = row.best()
        torch = f"{row.ratios['PyTorch']:.2f}" if "PyTorch" in row.ratios else ""
        name = row.name + ("" if row.counted else " (not counted)")
        yield f"| {name} | {row.threads} | {best} | {row.ratios[best]:.2f} | {torch} |"


def main():
    rows = {}
    with open(sys.argv[1], "a", encoding="utf-8") as page:

        def put(line):
            print(line, flush=True)
            page.write(line + "\n")

        def show(row):
            if "TH" in row.seconds:
                put(row.text())
                if row.family == "lenet":
                    put(row.steps())

        put(HEAD)
        last, machine, footprint = None, [], []
        rates, sizes = {}, {}  # of machine and footprint, by name
        for line in sys.stdin:
            family, name, shape, threads, counted, system, seconds, ratio = line.rstrip(
                "\n"
            ).split("\t")
            if system == "machine":
                rate = f"{float(ratio):.1f}" if float(ratio) else ""
                rates[name, int(threads)] = float(ratio)
                time = timing.text(float(seconds)) if float(seconds) else ""
                machine.append(f"| {name} | {shape} | {threads} | {time} | {rate} |")
                continue
            if system == "footprint":
                time = timing.text(float(seconds)) if float(seconds) else ""
                size = f"{float(ratio) / 1e6:.1f} MB" if float(ratio) else ""
                footprint.append(f"| {name} | {shape} | {time} | {size} |")
                sizes[name] = float(seconds) or float(ratio)
                continue
            if last and (last.name, str(last.threads)) != (name, threads):
                show(last)
            last = rows.setdefault((name, threads), Row(family, name, shape, threads, counted))
            last.shape = shape or last.shape  # other programs' lines have none
            last.counted = last.counted and counted == "1"
            last.seconds[system] = float(seconds)
            last.ratios[system] = float(ratio)
        if last:
            show(last)
            put("")
            whole = [row for row in rows.values() if "TH" in row.seconds]
            for line in summary(whole):
                put(line)
            put("")
            for line in goals.lines(whole, rates, sizes):
                put(line)
        for head, lines in ((MACHINE, machine), (FOOTPRINT, footprint)):
            if lines:
                put("")
                for line in [*head.split("\n"), *lines]:
                    put(line)


main()
