"""Ours: from which rate of slow links on ratios to T(M) stay as they are."""

import argparse
import os
import statistics

from ..claims import Claim, judge
from ..command import measure_at, now_text
from ..conclusion import conclude
from ..experiment import PIPEBCAST_SETTINGS
from ..methods import BY_TREES, Method
from ..places import Testbed, counted_doubts
from ..progress import Progress
from ..report import describe_host, outcome_record, write_rows
from ..run import run_once
from ..units import bytes_text, parse_rate, parse_sizes

TOPOLOGY = "5"
RATES = ["1mbit", "2mbit", "5mbit", "10mbit", "20mbit"]
SIZES = parse_sizes("64K,256K")
OWN = {**PIPEBCAST_SETTINGS, **BY_TREES}
METHODS = [Method("pipebcast:twotree:1426", OWN), Method("pipebcast:chain:1426", OWN),
           Method("pipebcast:kary:1426", OWN), Method("tuned:binomial")]
SLEEP, SPIN = "sleep", "spin"
# Ranks that spin take all of the host: at two rates, one method.
SPINNING = METHODS[:1]
SPIN_RATES = ("2mbit", "10mbit")
FIELDS = ["rate", "idle", "method", "bytes", "round", "pingpong_us", "time_us", "ratio", "iterations",
          "load"]


def steps_of(rates, rounds, lines=None):
    """Each round has all rates in turn, so that drift of the host meets all alike; `lines`: methods' names, or all."""
    return [(rate, idle, method, number) for number in range(1, rounds + 1) for rate in rates
            for idle in (SLEEP, SPIN) if idle == SLEEP or rate in SPIN_RATES
            for method in (METHODS if idle == SLEEP else SPINNING) if lines is None or method.name in lines]


class Measured:
    """Rows of FIELDS, written as they come, and the outcomes that they are of."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        self.outcomes = []  # (rate, outcome)

    def add(self, rate, idle, method, number, outcome):
        self.outcomes.append((rate, outcome))
        for row in outcome.rows:
            self.rows.append(dict(zip(FIELDS, [
                rate, idle, method.name, int(row["bytes"]), number, float(row["pingpong_us"]),
                float(row["sync_median_us"]), float(row["sync_ratio"]),
                int(float(row["sync_iterations"])), round(os.getloadavg()[0], 1)])))
        self.write()

    def write(self):
        write_rows(self.path, self.rows, FIELDS)

    def ratio(self, line, rate, size):
        """The median over the rounds; a line is a method's name and what idle ranks do."""
        found = [row["ratio"] for row in self.rows
                 if (f"{row['method']} {row['idle']}", row["rate"], row["bytes"])
                 == (line, rate, size)]
        return statistics.median(found) if found else None

    def points(self):
        return sorted({(f"{row['method']} {row['idle']}", row["bytes"]) for row in self.rows})

    def rates(self):
        return sorted({row["rate"] for row in self.rows}, key=parse_rate)

    def failures(self):
        return [f"FAILED: {rate}: {outcome.failure}" for rate, outcome in self.outcomes
                if outcome.failure]

    def doubts(self):
        return [line for rate in self.rates() for line in counted_doubts(
            rate, [outcome for where, outcome in self.outcomes if where == rate])]


def table(measured):
    rates = measured.rates()
    out = [f"topology ({TOPOLOGY}), times / T(M) of the same rate", "",
           f"{'method, idle ranks':<32} {'message':>7} " + " ".join(f"{r:>8}" for r in rates)]
    for line, size in measured.points():
        cells = [measured.ratio(line, rate, size) for rate in rates]
        out.append(f"{line:<32} {bytes_text(size):>7} " + " ".join(
            f"{'-' if cell is None else format(cell, '.3f'):>8}" for cell in cells))
    return out + ["", *measured.doubts()]


class Dilation:
    """A testbed for each rate and what idle ranks do, in each round."""

    name = "dilation"
    lines = METHODS
    figure = "no figure: ours"
    shows = ("Time dilation: two trees, chain, k-ary tree and tuned's binomial tree on (5) at links of 1 to "
             "20 Mbit/s, ranks that wait sleep, and spin for some; ratios to T(M) of "
             "the same rate are to converge as links get slower.")
    claims = [Claim("from 2 Mbit/s down ratios stay within 3 %", "2mbit", "1mbit", low=0.97, high=1.03,
                    said="ours")]

    def run(self, options, directory):
        """Yields the exit status."""
        os.makedirs(directory, exist_ok=True)
        begun = now_text()
        measured = Measured(os.path.join(directory, "results.csv"))
        rates = options.rates.split(",") if options.rates else RATES
        interrupted = self._measure(options, rates, measured)
        verdicts = self.verdicts(measured)
        return conclude(self, directory, table(measured), verdicts,
                        {"begun": begun, "machine": describe_host(),
                         "runs": [{"rate": rate, **outcome_record(outcome)} for rate, outcome in measured.outcomes]},
                        measured.failures(), interrupted)

    def verdicts(self, measured):
        return [judge(claim, measured.points(),
                      lambda line, rate, size: measured.ratio(line, rate, size))
                for claim in self.claims]

    @staticmethod
    def _measure(options, rates, measured):
        """Yields whether it was interrupted."""
        sizes = options.only_sizes or SIZES
        steps = steps_of(rates, options.runs, options.lines)
        progress = Progress([f"{method.name} {rate}" for rate, _, method, _ in steps])
        for rate in rates:
            parse_rate(rate)
        for number, rate, idle in dict.fromkeys((step[3], *step[:2]) for step in steps):
            own = argparse.Namespace(**{**vars(options), "rate": rate, "pingpong": "0,4",
                                        "up_arg": [*options.up_arg, "--idle", idle]})
            place = Testbed(own, TOPOLOGY)
            methods = [step[2] for step in steps if (step[3], *step[:2]) == (number, rate, idle)]

            def measure(number=number, own=own, place=place, methods=methods):
                place.status("--reset")
                for method in methods:
                    progress.start(f"round {number}, ranks {own.up_arg[-1]}")
                    outcome = run_once(place, method, sizes, own, progress.row)
                    measured.add(own.rate, own.up_arg[-1], method, number, outcome)
                    progress.end(outcome)

            if measure_at(place, measure):
                return True
        return False


DILATION = Dilation()
