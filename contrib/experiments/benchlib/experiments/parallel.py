"""Ours: bundles and several spines, whose links a hash chooses from, beside single links."""

import argparse
import os
import statistics

from ..claims import Claim, judge
from ..command import chosen_topologies, measure_at, now_text
from ..conclusion import conclude
from ..experiment import PIPEBCAST_SETTINGS
from ..methods import Method
from ..places import Testbed, counted_doubts
from ..progress import Progress
from ..report import describe_host, outcome_record, write_text
from ..run import run_bench
from ..units import UserError, bytes_text

METHOD = Method("pipebcast:twotree:2874", PIPEBCAST_SETTINGS)
SIZE = 1 << 20
# The first opens connections, and the second takes up to 15 % longer than later ones.
WARMUP = 2
LEAVES, HOSTS = 4, 8

SINGLE, MEDIAN, SLOWEST = "single", "median seed", "slowest seed"
# By name: switches above the leaves, and links from a leaf to each of them.
NETWORKS = {SINGLE: (1, 1), "2-spines": (2, 1), "4-spines": (4, 1),
            "2-bundle": (1, 2), "4-bundle": (1, 4)}


def topology_of(network):
    """In the form of Slurm's topology.conf, with Uplinks."""
    spines, links = NETWORKS[network]
    out = [f"SwitchName=leaf{leaf} Nodes=n[{leaf * HOSTS}-{(leaf + 1) * HOSTS - 1}]"
           for leaf in range(LEAVES)]
    bundle = f" Uplinks={links}" if links > 1 else ""
    out += [f"SwitchName=spine{spine} Switches=leaf[0-{LEAVES - 1}]{bundle}"
            for spine in range(spines)]
    return "\n".join(out) + "\n"


def chosen_networks(names):
    """The single links, and what they are compared with."""
    return [SINGLE] + [name for name in chosen_topologies(names, NETWORKS, NETWORKS) if name != SINGLE]


class Run:
    """One run on one network: its times, and what each link between switches carried."""

    def __init__(self, network, seed, outcome, links, hosts):
        self.network = network
        self.seed = seed
        self.outcome = outcome
        self.trunks = [link for link in links
                       if not {link["from"], link["to"]}.intersection(hosts)]
        self.drops = sum(link["drops"] for link in links)

    def time_us(self, size):
        """The median of those after the warm-up."""
        times = [float(row["time_us"]) for row in self.outcome.rows if int(row["bytes"]) == size]
        return statistics.median(times[WARMUP:]) if times[WARMUP:] else None

    def busiest(self):
        """
        The bytes on the busiest link between switches, to those of all messages: also of
        broadcasts that were done again, as a rank began late.
        """
        total = sum(int(row["bytes"]) * (1 + int(row["again"])) for row in self.outcome.rows)
        return max(link["bytes"] for link in self.trunks) / total if total else 0

    def record(self):
        return {"network": self.network, "seed": self.seed, "drops": self.drops,
                "trunks": self.trunks, **outcome_record(self.outcome)}


class Measured:
    """All runs, and what follows."""

    def __init__(self, sizes):
        self.sizes = sizes
        self.runs = []

    def of(self, network):
        return [run for run in self.runs if run.network == network]

    def networks(self):
        """Those that were measured, but for the single links."""
        return [name for name in NETWORKS if name != SINGLE and self.of(name)]

    def times(self, network, size):
        times = [run.time_us(size) for run in self.of(network)]
        return [time for time in times if time is not None]

    def time_us(self, network, name, size):
        """Of the network, or of single links: their median over all rounds, whatever the seed."""
        times = self.times(SINGLE if name == SINGLE else network, size)
        if not times:
            return None
        return max(times) if name == SLOWEST else statistics.median(times)

    def rows(self):
        for network in [SINGLE, *self.networks()]:
            for size in self.sizes:
                yield self._row(network, size)

    def _row(self, network, size):
        single = self.time_us(network, SINGLE, size)
        times = {run.seed: run.time_us(size) for run in self.of(network) if run.time_us(size)}
        ratios = {seed: time / single for seed, time in times.items()} if single else {}
        return {"network": network, "bytes": size, "seeds": len(times),
                "median_us": statistics.median(times.values()) if times else None,
                "median_ratio": statistics.median(ratios.values()) if ratios else None,
                "least_ratio": min(ratios.values(), default=None),
                "greatest_ratio": max(ratios.values(), default=None),
                "slowest_seed": max(ratios, key=ratios.get) if ratios else None,
                "busiest": max(run.busiest() for run in self.of(network)),
                "drops": sum(run.drops for run in self.of(network))}

    def failures(self):
        return [f"FAILED: {run.network}, seed {run.seed}: {run.outcome.failure}"
                for run in self.runs if run.outcome.failure]

    def doubts(self):
        return [line for name in [SINGLE, *self.networks()]
                for line in counted_doubts(name, [run.outcome for run in self.of(name)])]


def table(measured, rate):
    out = [f"{LEAVES} leaves of {HOSTS} hosts, {rate}, {METHOD.name}", "",
           f"{'network':<10} {'message':>7} {'seeds':>5} {'median ms':>10} {'/ single':>8} "
           f"{'least':>6} {'greatest':>8} {'of seed':>7} {'busiest':>8} {'drops':>6}"]
    for row in measured.rows():
        def ratio(name, row=row):
            return "-" if row[name] is None else f"{row[name]:.3f}"
        median = "-" if row["median_us"] is None else f"{row['median_us'] / 1e3:.1f}"
        seed = "-" if row["slowest_seed"] is None else row["slowest_seed"]
        out.append(f"{row['network']:<10} {bytes_text(row['bytes']):>7} {row['seeds']:>5} "
                   f"{median:>10} {ratio('median_ratio'):>8} {ratio('least_ratio'):>6} "
                   f"{ratio('greatest_ratio'):>8} {seed:>7} {row['busiest']:>8.2f} "
                   f"{row['drops']:>6}")
    out += ["", "ratios are to the median of all runs over single links; busiest: bytes on the "
            "link between", "switches that carried most, to those of the messages; drops: frames "
            "lost on any link.", *measured.doubts()]
    return out


class Parallel:
    """Each network with the same seeds in turn, so that drift of the host meets all alike."""

    name = "parallel"
    figure = "no figure: ours"
    shows = ("Leaves under several spines, and under one by bundles, beside the same network with "
             "single links: two trees, whose flows a hash spreads over the parallel links, with "
             "one seed of the hash after another.")
    claims = [
        Claim("the median over the seeds is within 5 % of single links", MEDIAN, SINGLE, high=1.05,
              said="ours"),
        Claim("no seed is slower by more than 10 %", SLOWEST, SINGLE, high=1.1, said="ours"),
    ]

    def run(self, options, directory):
        """Yields the exit status."""
        if options.seeds < 1:
            raise UserError(f"--seeds: {options.seeds} is not 1 or more")
        networks = chosen_networks(options.topologies)
        begun = now_text()
        measured = Measured(options.only_sizes or [SIZE])
        interrupted = self._measure(options, directory, networks, measured)
        verdicts = self.verdicts(measured)
        return conclude(self, directory, table(measured, options.rate), verdicts,
                        {"begun": begun, "machine": describe_host(), "rows": list(measured.rows()),
                         "runs": [run.record() for run in measured.runs]}, measured.failures(), interrupted)

    def verdicts(self, measured):
        points = [(name, size) for name in measured.networks() for size in measured.sizes]
        return [judge(claim, points, measured.time_us) for claim in self.claims]

    @staticmethod
    def _measure(options, directory, networks, measured):
        os.makedirs(directory, exist_ok=True)
        seeds = range(1, options.seeds + 1)
        files = {name: write_text(directory, f"{name}.conf", topology_of(name))
                 for name in networks}
        schedule = write_text(directory, "schedule.txt",
                              schedule_text(measured.sizes, options.iterations))
        progress = Progress([name for _ in seeds for name in networks])
        for seed in seeds:
            for path in files.values():
                progress.start(f"seed {seed} of {options.seeds}")
                if measure_seed(options, path, schedule, seed, measured, progress):
                    return True
        return False


def schedule_text(sizes, iterations):
    """One broadcast after the other, each once: the mode of which a short run wastes nothing."""
    return "".join(f"0 {size}\n" for size in sizes for _ in range(WARMUP + iterations))


def measure_seed(options, path, schedule, seed, measured, progress):
    """One run on a testbed of its own. Yields whether it was interrupted."""
    own = argparse.Namespace(**{**vars(options), "up_arg": [*options.up_arg, "--hash-seed",
                                                            str(seed)]})
    place = Testbed(own, path)
    n_rows = (WARMUP + options.iterations) * len(measured.sizes)
    arguments = ["--csv", "--clock", "shared", "--schedule", schedule, "--label", METHOD.name,
                 *(["--check"] if options.check else [])]

    def measure():
        place.status("--reset")
        outcome = run_bench(place, METHOD, arguments, n_rows, options,
                            options.patience * (1 + n_rows))
        status = place.status("--reset")
        outcome.counters = {"drops": sum(link["drops"] for link in status["links"]),
                            "overruns": status["fabric"]["overruns"]}
        network = os.path.splitext(os.path.basename(path))[0]
        run = Run(network, seed, outcome, status["links"], place.hosts)
        measured.runs.append(run)
        progress.end(outcome)
        times = [run.time_us(size) for size in measured.sizes]
        progress.report("    " + ", ".join(f"{time / 1e3:.1f} ms" for time in times if time))

    return measure_at(place, measure)


PARALLEL = Parallel()
