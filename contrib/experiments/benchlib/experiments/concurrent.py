"""Ours: broadcasts in all rows of a grid of ranks at once, then in all columns, as in SUMMA."""

import argparse
import os
import random
import statistics

from ..claims import Claim, judge
from ..command import chosen_topologies, measure_at, now_text
from ..conclusion import conclude
from ..experiment import PIPEBCAST_SETTINGS
from ..links import least_us
from ..methods import BY_TREES, Method
from ..places import Testbed, counted_doubts
from ..programs import SUMMA, find_program
from ..progress import Progress
from ..report import describe_host, outcome_record, write_rows, write_text
from ..run import run_bench
from ..sharing import forced_load
from ..units import bytes_text, parse_rate, parse_sizes

SIDE = 6  # of the grid of ranks, and hosts of each switch
HOSTS = SIDE * SIDE
SIZES = parse_sizes("64K,256K,1M")
MTU = 1500
OWN = {**PIPEBCAST_SETTINGS, **BY_TREES}
METHODS = [Method("pipebcast", BY_TREES), Method("pipebcast:twotree:1426", OWN),
           Method("pipebcast:chain:1426", OWN), Method("tuned"), Method("tuned:pipeline:1426"),
           Method("tuned:binary:1426")]
PROGRAMS = [METHODS[0], METHODS[3], METHODS[4]]
ROWS, COLUMNS = "rows", "columns"
BOUND, SUMMA_LINE = "bound", "SUMMA"
# Elements of a side of the matrices, and of a panel: a rank's part of a panel has 64 KB.
SUMMA_SIZE, SUMMA_PANEL = 128 * SIDE, 64
# Of each SUMMA; the first opens connections.
SUMMA_TIMES = 2
WARMUP = 1


def line_of(hosts):
    """Switches in a line, with these hosts on each, in the form of Slurm's topology.conf."""
    last = len(hosts) - 1
    return "".join(f"SwitchName=s{i} Nodes={','.join(names)}"
                   + (f" Switches=s{i + 1}" if i < last else "") + "\n"
                   for i, names in enumerate(hosts))


def leaves_of(hosts):
    """Switches below one more."""
    return "".join(f"SwitchName=s{i} Nodes={','.join(names)}\n" for i, names in enumerate(hosts)) \
        + f"SwitchName=top Switches=s[0-{len(hosts) - 1}]\n"


def dealt(names):
    """One host after the other to another switch, so that each row of the grid is on all."""
    return [names[i::SIDE] for i in range(SIDE)]


def shuffled(names):
    """At random, the same in each run."""
    names = list(names)
    random.Random(3).shuffle(names)
    return dealt(names)


# By name: how switches are joined, and which hosts each has.
NETWORKS = {"line": (line_of, dealt), "shuffled": (line_of, shuffled), "leaves": (leaves_of, dealt)}


def topology_of(network):
    join, deal = NETWORKS[network]
    return join(deal([f"n{i}" for i in range(HOSTS)]))


def groups_of(hosts, along):
    """The communicators of a grid of ranks, which are one on each of these hosts; roots first."""
    return [hosts[SIDE * i:SIDE * (i + 1)] if along == ROWS else hosts[i::SIDE]
            for i in range(SIDE)]


def bound_us(load, size, rate):
    """The time that a link takes for `load` messages, without any of Open MPI's."""
    return load * least_us(size, rate, MTU)


class Run:
    """One run of a method on a network: its rows, and what each link carried."""

    def __init__(self, network, what, method, number, outcome, links):
        self.network = network
        self.what = what  # ROWS, COLUMNS or SUMMA_LINE
        self.method = method.name
        self.number = number
        self.outcome = outcome
        self.links = links
        self.load = round(os.getloadavg()[0], 1)

    def times_us(self):
        """{size: us}; of SUMMA the last multiplication's."""
        if self.what == SUMMA_LINE:
            return {int(row["size"]): float(row["time_us"]) for row in self.outcome.rows}
        return {int(row["bytes"]): float(row["sync_median_us"]) for row in self.outcome.rows}

    def record(self):
        return {"network": self.network, "what": self.what, "method": self.method,
                "round": self.number, "load": self.load, "links": self.links,
                **outcome_record(self.outcome)}


class Measured:
    """All runs, and what follows."""

    def __init__(self, rate):
        self.rate = rate
        self.runs = []
        self.forced = {}  # {(network, rows or columns): messages on the busiest link}

    def add_network(self, network, links, hosts):
        ends = [(link["from"], link["to"]) for link in links]
        for along in (ROWS, COLUMNS):
            self.forced[network, along] = forced_load(ends, groups_of(hosts, along))

    def points(self):
        """("network what", size) of all that was measured."""
        return list(dict.fromkeys((f"{run.network} {run.what}", size) for run in self.runs
                                  for size in run.times_us()))

    def time_us(self, place, name, size):
        """The median over the rounds of a method's name; or BOUND."""
        network, what = place.split(" ")
        if name == BOUND:
            forced = self.forced.get((network, what))
            return forced and bound_us(forced, size, self.rate)
        times = [run.times_us()[size] for run in self.runs
                 if (run.network, run.what, run.method) == (network, what, name)
                 and size in run.times_us()]
        return statistics.median(times) if times else None

    def methods(self):
        return list(dict.fromkeys(run.method for run in self.runs))

    def rows(self):
        for place, size in self.points():
            for method in self.methods():
                took = self.time_us(place, method, size)
                bound = self.time_us(place, BOUND, size)
                if took:
                    network, what = place.split(" ")
                    yield {"network": network, "what": what, "size": size, "method": method,
                           "ms": round(took / 1e3, 1), "bound_ms": bound and round(bound / 1e3, 1),
                           "ratio": bound and round(took / bound, 3),
                           "rounds": sum((run.network, run.what, run.method)
                                         == (network, what, method) and size in run.times_us()
                                         for run in self.runs)}

    def failures(self):
        return [f"FAILED: {run.network} {run.what}, {run.method}: {run.outcome.failure}"
                for run in self.runs if run.outcome.failure]

    def doubts(self):
        return [line for name in self.methods() for line in counted_doubts(
            name, [run.outcome for run in self.runs if run.method == name])]


def table(measured, rate):
    out = [f"{SIDE} x {SIDE} ranks on {HOSTS} hosts behind {SIDE} switches, {rate}", "",
           f"{'network':<9} {'what':<8} {'size':>5} {'method':<24} {'ms':>10} {'bound':>9} "
           f"{'/ bound':>7} {'rounds':>6}"]
    for row in measured.rows():
        size = row["size"] if row["what"] == SUMMA_LINE else bytes_text(row["size"])
        bound = "-" if row["bound_ms"] is None else f"{row['bound_ms']:.1f}"
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        out.append(f"{row['network']:<9} {row['what']:<8} {size:>5} {row['method']:<24} "
                   f"{row['ms']:>10.1f} {bound:>9} {ratio:>7} {row['rounds']:>6}")
    return out + [
        "", "rows, columns: all communicators of the grid broadcast at once, from their first rank;",
        "the time is until the last rank of all is done. bound: what the busiest link must carry,",
        "whatever the trees. SUMMA: matrices of so many rows, the time of a multiplication.",
        *measured.doubts()]


class Concurrent:
    """A testbed for each network; on it each round has all methods in turn."""

    name = "concurrent"
    figure = "no figure: ours"
    lines = METHODS
    shows = ("Broadcasts at the same time: 6 x 6 ranks on 36 hosts behind six switches, in all rows "
             "at once and in all columns at once, beside a bound for any trees; and matrix "
             "multiplication by SUMMA. Networks: a line of switches with hosts dealt out to them, "
             "one with hosts at random, and leaves below a spine.")
    claims = [
        Claim("all at once take at most 1.25 times the bound where the message is long",
              METHODS[0].name, BOUND, high=1.25, sizes=(256 << 10, None), said="ours"),
        Claim("none of tuned's is faster", METHODS[0].name,
              tuple(method.name for method in METHODS[3:]), high=1.0, said="ours"),
        Claim("SUMMA is faster than with tuned's own choice", METHODS[0].name, "tuned", high=1.0,
              topologies=tuple(f"{name} {SUMMA_LINE}" for name in NETWORKS), said="ours"),
    ]

    def run(self, options, directory):
        """Yields the exit status."""
        networks = chosen_topologies(options.topologies, NETWORKS, ["line"])
        begun = now_text()
        os.makedirs(directory, exist_ok=True)
        measured = Measured(parse_rate(options.rate))
        interrupted = self._measure(options, directory, networks, measured)
        verdicts = self.verdicts(measured)
        rows = list(measured.rows())
        write_rows(os.path.join(directory, "results.csv"), rows, ["network"])
        return conclude(self, directory, table(measured, options.rate), verdicts,
                        {"begun": begun, "machine": describe_host(), "rows": rows,
                         "runs": [run.record() for run in measured.runs]}, measured.failures(), interrupted)

    def verdicts(self, measured):
        return [judge(claim, measured.points(), measured.time_us) for claim in self.claims]

    @staticmethod
    def _measure(options, directory, networks, measured):
        """Yields whether it was interrupted."""
        summa = find_program(SUMMA)
        wanted = [method for method in METHODS
                  if options.lines is None or method.name in options.lines]
        steps = [(number, what, method) for number in range(1, options.runs + 1)
                 for what in (ROWS, COLUMNS, SUMMA_LINE)
                 for method in wanted
                 if what != SUMMA_LINE or (summa and method in PROGRAMS)]
        progress = Progress([f"{method.name} {what}" for _ in networks
                             for _, what, method in steps])
        for network in networks:
            place = Testbed(options, write_text(directory, f"{network}.conf", topology_of(network)))

            def measure(network=network, place=place):
                measured.add_network(network, place.status("--reset")["links"], place.hosts)
                for number, what, method in steps:
                    progress.start(f"{network}, round {number} of {options.runs}")
                    run = measure_once(place, network, what, method, number, options, summa, progress)
                    measured.runs.append(run)
                    progress.end(run.outcome)

            if measure_at(place, measure):
                return True
        return False


def measure_once(place, network, what, method, number, options, summa, progress):
    """One run of the benchmark, or of SUMMA, with the links' counters."""
    own, sizes = options, options.only_sizes or SIZES
    if what == SUMMA_LINE:
        own = argparse.Namespace(**{**vars(options), "bench": os.path.abspath(summa)})
        arguments = [str(SUMMA_SIZE), str(SUMMA_PANEL), str(SIDE), str(SUMMA_TIMES)]
        n_rows = SUMMA_TIMES
    else:
        arguments = ["--csv", "--clock", "shared", "--mode", "sync", "--no-pingpong",
                     "--groups", str(SIDE), *(["--strided"] if what == COLUMNS else []),
                     "--label", method.name, "--sizes", ",".join(map(str, sizes)),
                     "--iterations", str(options.iterations), "--warmup",
                     str(options.warmup or WARMUP), "--time-limit", str(options.time_limit),
                     *(["--check"] if options.check else [])]
        n_rows = len(sizes)
    place.status("--reset")
    patience = (1 + n_rows) * (options.patience + options.time_limit)
    outcome = run_bench(place, method, arguments, n_rows, own, patience, progress.row)
    status = place.status("--reset")
    outcome.counters = {"drops": sum(link["drops"] for link in status["links"]),
                        "overruns": (status["fabric"] or {}).get("overruns", 0)}
    return Run(network, what, method, number, outcome, status["links"])


CONCURRENT = Concurrent()
