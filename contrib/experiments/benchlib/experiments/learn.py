"""Ours: how fast auto becomes right on links of which the interfaces claim far more."""

import os
import statistics

from ..claims import Claim, exit_status, judge
from ..command import measure_at, now_text
from ..experiment import PIPEBCAST_SETTINGS, kinds_of
from ..methods import BY_TREES, Method
from ..places import Testbed, counted_doubts
from ..progress import Progress
from ..report import describe_host, outcome_record, write_json
from ..run import run_bench
from ..units import bytes_text, parse_sizes

TOPOLOGIES = ["1", "4", "5"]
SIZES = parse_sizes("4K,16K,64K,256K")
SERIES, SETTLED = 50, 20
# The first opens connections.
WARMUP = 1
CLAIMED = {"btl_tcp_bandwidth_eth0": "10000", **BY_TREES}  # Mbit/s
AUTO = Method("pipebcast", CLAIMED)
KINDS = ["twotree", "binary", "kary"]
FIRST, AFTER, BEST = "first 50", "after 20", "best"


def candidates(kinds, segments):
    return [Method(f"pipebcast:{kind}:{segment}", {**PIPEBCAST_SETTINGS, **CLAIMED})
            for kind in kinds for segment in segments]


class Measured:
    """Times of each series, by topology, method and size."""

    def __init__(self):
        self.times = {}  # {(topology, method's name, size): [us]}
        self.outcomes = []  # (topology, method's name, outcome)

    def add(self, topology, name, outcome):
        self.outcomes.append((topology, name, outcome))
        for row in outcome.rows:
            key = (topology, name, int(row["bytes"]))
            self.times.setdefault(key, []).append(float(row["time_us"]))

    def best(self, topology, size):
        """The least median of a candidate, and its name; or None."""
        found = [(statistics.median(times[WARMUP:]), name)
                 for (where, name, of), times in self.times.items()
                 if (where, of) == (topology, size) and name != AUTO.name and times[WARMUP:]]
        return min(found, default=None)

    def time_us(self, topology, name, size):
        """Of one broadcast: the mean of the first 50, the median of those after 20, or the best."""
        times = self.times.get((topology, AUTO.name, size), [])
        if name == BEST:
            best = self.best(topology, size)
            return best and best[0]
        if len(times) < SERIES:
            return None
        return statistics.mean(times) if name == FIRST else statistics.median(times[SETTLED:])

    def points(self):
        return sorted({(topology, size) for topology, _, size in self.times})

    def failures(self):
        return [f"FAILED: topology {topology}, {name}: {outcome.failure}"
                for topology, name, outcome in self.outcomes if outcome.failure]

    def doubts(self):
        topologies = sorted({topology for topology, _, _ in self.outcomes})
        return [line for topology in topologies for line in counted_doubts(
            topology, [outcome for where, _, outcome in self.outcomes if where == topology])]


def table_text(measured, rate):
    out = [f"links of {rate} that claim 10 Gbit/s, no model file", "",
           f"{'topology':<8} {'message':>7} {'best ms':>9} {'of':<24} {'first':>7} {'second':>7} "
           f"{'first 50':>8} {'after 20':>8}"]
    for topology, size in measured.points():
        best = measured.best(topology, size)
        times = measured.times.get((topology, AUTO.name, size), [])

        def ratio(time, best=best):
            return "-" if time is None or best is None else f"{time / best[0]:.3f}"
        out.append(f"{topology:<8} {bytes_text(size):>7} "
                   f"{'-' if best is None else format(best[0] / 1e3, '.1f'):>9} "
                   f"{'-' if best is None else best[1]:<24} "
                   f"{ratio(times[0] if times else None):>7} "
                   f"{ratio(times[1] if len(times) > 1 else None):>7} "
                   f"{ratio(measured.time_us(topology, FIRST, size)):>8} "
                   f"{ratio(measured.time_us(topology, AFTER, size)):>8}")
    out += ["", "ratios are to the best median of a kind of tree and segment size that were set.",
            *measured.doubts(), *measured.failures()]
    return "\n".join(out) + "\n"


def schedule_text(sizes, n):
    return "".join(f"0 {size}\n" for size in sizes for _ in range(n))


class Learn:
    """For each topology one testbed: a series of auto for each size, and the candidates."""

    name = "learn"
    figure = "no figure: ours"
    shows = ("auto without a model file on interfaces that claim 10 Gbit/s: series of 50 "
             "broadcasts of each size, beside kinds of tree and segment sizes that are set.")
    claims = [
        Claim("after 20 broadcasts within 5 % of the best", AFTER, BEST, high=1.05, said="ours"),
        Claim("the first 50 together at most 1.1 times the best", FIRST, BEST, high=1.1,
              said="ours"),
    ]

    def run(self, options, directory):
        """Yields the exit status."""
        begun, measured = now_text(), Measured()
        os.makedirs(directory, exist_ok=True)
        sizes = options.only_sizes or SIZES
        interrupted = any(self._measure(options, directory, topology, sizes, measured)
                          for topology in options.topologies or TOPOLOGIES)
        verdicts = self.verdicts(measured)
        text = table_text(measured, options.rate) + "\n" \
            + "\n".join(verdict.text() for verdict in verdicts) + "\n"
        with open(os.path.join(directory, "table.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        write_json(os.path.join(directory, "results.json"),
                   {"experiment": self.name, "begun": begun, "machine": describe_host(),
                    "claims": [verdict.record() for verdict in verdicts],
                    "runs": [{"topology": topology, **outcome_record(outcome)}
                             for topology, _, outcome in measured.outcomes]})
        print(text + f"results: {directory}\n", flush=True)
        return exit_status(verdicts, measured.failures(), interrupted)

    def verdicts(self, measured):
        return [judge(claim, measured.points(), measured.time_us) for claim in self.claims]

    @staticmethod
    def _measure(options, directory, topology, sizes, measured):
        """Yields whether it was interrupted."""
        place = Testbed(options, topology)
        runs = [(AUTO, [size], SERIES) for size in sizes]
        runs += [(method, sizes, WARMUP + options.iterations)
                 for method in candidates(kinds_of(options, KINDS), options.segment_sizes)]
        progress = Progress([method.name for method, _, _ in runs])

        def measure():
            for method, of, n in runs:
                progress.start(f"topology {topology}")
                path = os.path.join(directory, "schedule.txt")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(schedule_text(of, n))
                arguments = ["--csv", "--clock", "shared", "--schedule", path, "--label",
                             method.name, *(["--check"] if options.check else [])]
                outcome = run_bench(place, method, arguments, n * len(of), options,
                                    options.patience * (1 + n * len(of)))
                measured.add(topology, method.name, outcome)
                progress.end(outcome)

        return measure_at(place, measure)


LEARN = Learn()
