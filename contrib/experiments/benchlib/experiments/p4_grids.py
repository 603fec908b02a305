"""Paper 4's question on random grids: the advisor's trees beside the multilevel tree, while links are loaded."""

import os
import statistics

from ..advising import Advising
from ..claims import Claim, Verdict
from ..command import chosen_topologies, measure_at, now_text
from ..conclusion import conclude
from ..drawn_grid import HOST_LATENCY_US, HOST_SPEED, HOSTS, N_SITUATIONS, read_grids
from ..grid import PAYLOAD_SHARE, Broadcast, schedule_text
from ..places import Testbed, counted_doubts
from ..report import cell, describe_host, outcome_record, write_text
from ..run import run_bench
from ..units import UserError, bytes_text, parse_rate, parse_sizes
from .p4_fig8 import OURS, STATIC

# Of the grids that are kept, the first ones.
GRIDS = ["grid-01", "grid-02", "grid-03"]
SIZES = parse_sizes("64K,256K")
TREES = {STATIC: "multilevel", OURS: "annealed"}

# Latencies of the grids are for links of this rate; slower links have longer ones.
GRID_RATE = 8e6
# Broadcasts of a size, and those at the end that are compared: the ones before teach the advisor, which knows the links
# as they were without loads.
TIMES, COMPARED = 10, 4
GAP_S = 1.0
STARTUP_NS = 20000
LOADED_S = 3600


def _way(grid, sender, receiver):
    """The switches whose uplinks lie between two clusters."""
    if sender == receiver:
        return []
    sites = [site for site in grid.sites if site.name in (sender.above, receiver.above)]
    return [sender, receiver] + (sites if len(sites) == 2 else [])


def links_text(grid, rate):
    """
    The links as they are without loads, as pipebcast-probe would write them, at so many bits a second of speed 1:
    measuring all pairs of clusters would take longer than the broadcasts.
    """
    slower, bytes_per_s = GRID_RATE / rate, rate / 8 * PAYLOAD_SHARE
    items = [f"site {site.name}" for site in grid.sites]
    items += [f"cluster {c.name} site {c.above} latency {HOST_LATENCY_US * 2000} "
              f"bandwidth {HOST_SPEED * bytes_per_s:.0f}" for c in grid.clusters]
    for cluster in grid.clusters:
        items += [f"node h{host:02d} cluster {cluster.name} startup {STARTUP_NS}"
                  for host in grid.hosts_of(HOSTS[0])[cluster.name]]
    for a in grid.clusters:
        for b in (cluster for cluster in grid.clusters if cluster is not a):
            way = _way(grid, a, b)
            latency = (2 * HOST_LATENCY_US + slower * sum(s.latency_us for s in way)) * 1000
            items.append(f"link {a.name} {b.name} latency {latency:.0f} "
                         f"bandwidth {min(s.speed for s in way) * bytes_per_s:.0f}")
    return "\n".join(["pipebcast-links 1", *items, f"end {len(items)}"]) + "\n"


class Run:
    """The broadcasts of one size, by one line."""

    def __init__(self, outcome):
        self.outcome = outcome
        self.ms = [float(row["time_us"]) / 1e3 for row in outcome.rows]

    def settled(self):
        """The median of the last ones, or None if there are too few."""
        return statistics.median(self.ms[-COMPARED:]) if len(self.ms) == TIMES else None


class GridVerdict(Verdict):
    """Ratios of grids in place of topologies."""

    def _place(self, entry):
        grid, size, ratio = entry
        return f"{ratio:.2f} at {bytes_text(size)} on {grid}"


class Grids:
    """A testbed for each grid."""

    name = "p4-grids"
    figure = "no figure: paper 4's question, on random grids"
    shows = (f"The advisor's trees beside MPICH-G2's multilevel tree on random grids of {HOSTS[0]} hosts, while random "
             f"links are loaded by 50 to 90 %: medians of the last {COMPARED} of {TIMES} broadcasts of each size. The "
             "advisor begins with the links as they are without loads, and learns these from the program.")
    claims = [Claim("once the loads are learnt, ours is not slower than the multilevel tree by more than 5 %", OURS,
                    STATIC, high=1.05, said="ours")]

    def run(self, options, directory):
        """Yields the exit status."""
        grids = read_grids()
        names = chosen_topologies(options.topologies, grids, GRIDS, "grid")
        if not 1 <= options.seed <= N_SITUATIONS:
            raise UserError(f"--seed is the situation of the loads: 1 to {N_SITUATIONS}")
        begun = now_text()
        studies, interrupted = [], False
        for name in names:
            studies.append(GridStudy(name, grids[name], options, os.path.abspath(os.path.join(directory, name))))
            interrupted = measure_at(studies[-1].place, studies[-1].measure)
            if interrupted:
                break
        ratios = [(study.name, size, study.ratio(size)) for study in studies for size in study.sizes
                  if study.ratio(size) is not None]
        return conclude(self, directory, table(studies, options), [GridVerdict(claim, ratios) for claim in self.claims],
                        {"begun": begun, "machine": describe_host(), "rate": options.rate, "situation": options.seed,
                         "grids": {study.name: study.record() for study in studies}},
                        [line for study in studies for line in study.failures()], interrupted)


class GridStudy:
    """One grid in one situation."""

    def __init__(self, name, grid, options, directory):
        os.makedirs(directory, exist_ok=True)
        self.name = name
        self.grid = grid
        self.options = options
        self.directory = directory
        self.rate = parse_rate(options.rate)
        self.sizes = options.only_sizes or SIZES
        self.runs = {}  # by size and line
        topology = write_text(self.directory, "grid.conf", grid.topology(HOSTS[0]))
        self.loads_file = write_text(self.directory, "loads.script", grid.loads_script(options.seed, self.rate, LOADED_S))
        self.place = Testbed(options, topology)
        self.place.up_arguments = [*options.up_arg, "--script",
                                   write_text(self.directory, "latencies.script", grid.settings(GRID_RATE / self.rate))]
        self.advising = Advising(options, directory, topology)
        self.advising.links = write_text(self.directory, "grid.links", links_text(grid, self.rate))

    # ---- measuring ----

    def measure(self):
        try:
            self.place.run_command("play", self.loads_file)
            for size in self.sizes:
                for line, tree in TREES.items():
                    print(f"{self.name}, {bytes_text(size)}, {line}", flush=True)
                    self._measure_line(size, line, tree)
        finally:
            self.advising.stop()

    def _measure_line(self, size, line, tree):
        name = f"{line}-{size}"
        root = self.grid.root_rank(HOSTS[0])
        own = ["--root", f"h{root:02d}", "--segment", str(self.options.segment_sizes[0])]
        self.advising.advise_once(name, tree, "--max-age", "86400", "--budget", "0.2", "--quiet", *own)
        if line == OURS:
            self.advising.start(name, tree, "--max-age", "600", "--budget", "1", *own)
        gap = size * 8 / (self.rate * PAYLOAD_SHARE) + GAP_S
        schedule = write_text(self.directory, f"schedule-{size}.txt",
                               schedule_text([Broadcast(round(i * gap, 3), size) for i in range(TIMES)]))
        outcome = run_bench(self.place, self.advising.method(name, line),
                            ["--csv", "--clock", "shared", "--label", line, "--root", str(root),
                             "--schedule", schedule, *(["--check"] if self.options.check else [])],
                            TIMES, self.options, self._patience(size))
        wrong = self.advising.stop()
        outcome.failure = outcome.failure or wrong
        outcome.counters = self.place.counters()
        self.runs[size, line] = Run(outcome)

    def _patience(self, size):
        """Seconds: a link with a tenth left, which all messages of a tree of some levels cross."""
        return self.options.patience + TIMES * 10 * 8 * size * 8 / self.rate

    # ---- results ----

    def settled(self, size, line):
        run = self.runs.get((size, line))
        return run.settled() if run else None

    def ratio(self, size):
        ours, static = self.settled(size, OURS), self.settled(size, STATIC)
        return None if ours is None or static is None else ours / static

    def failures(self):
        return [f"FAILED: {self.name}, {bytes_text(size)}, {line}: {run.outcome.failure}"
                for (size, line), run in self.runs.items() if run.outcome.failure]

    def doubts(self):
        return [text for (size, line), run in self.runs.items()
                for text in counted_doubts(f"{self.name}, {bytes_text(size)}, {line}", [run.outcome])]

    def record(self):
        return {"loads": [load._asdict() for load in self.grid.loads if load.situation == self.options.seed],
                "runs": [{"bytes": size, "line": line, **outcome_record(run.outcome)}
                         for (size, line), run in self.runs.items()]}


def table(studies, options):
    out = [f"{HOSTS[0]} hosts, links of {options.rate} and multiples, situation {options.seed}, segments of "
           f"{options.segment_sizes[0]} bytes; ms", "",
           f"{'grid':<10} {'bytes':>6} {STATIC:>10} {OURS:>10} {'ratio':>6}  {OURS}, first to last"]
    for study in studies:
        for size in study.sizes:
            ratio, run = study.ratio(size), study.runs.get((size, OURS))
            out.append(f"{study.name:<10} {bytes_text(size):>6} {cell(study.settled(size, STATIC), 10)} "
                       f"{cell(study.settled(size, OURS), 10)} {'-' if ratio is None else format(ratio, '.2f'):>6}  "
                       + " ".join(f"{ms:.0f}" for ms in (run.ms if run else [])))
        out += study.doubts()
    return out


GRIDS_EXPERIMENT = Grids()
