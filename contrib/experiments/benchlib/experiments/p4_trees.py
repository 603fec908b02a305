"""Paper 4, Figures 9 and 10: Mateescu's tree on a free grid, and ours on a loaded one."""

import os
import statistics

from ..advised_trees import read_advised
from ..advising import Advising
from ..claims import Claim, Verdict
from ..command import measure_at, now_text
from ..conclusion import conclude
from ..grid import Broadcast, Grid, Load, loads_script, schedule_text
from ..places import Testbed, counted_doubts
from ..report import describe_host, outcome_record, write_text
from ..run import run_bench
from ..units import bytes_text, parse_rate
from .p4_fig8 import LARGEST, N_BROADCASTS, OTHER, OURS, STATIC

TREES = {STATIC: "multilevel", OTHER: "mateescu", OURS: "annealed"}
# Broadcasts of each tree; the first opens its connections, and does not count.
TIMES = 4
# Seconds; the loads outlast everything that is measured.
LOADED_S = 3600
FAR_CLUSTER = "c8"


def size_of(number):
    """Bytes of a broadcast of the paper's program, from 1 on."""
    return LARGEST * (N_BROADCASTS + 1 - number) // N_BROADCASTS


class Facts:
    """Of one tree: how often it goes from cluster to cluster, and how long broadcasts take."""

    def __init__(self, tree, grid, times_us):
        def cluster_of(host):
            return grid.clusters[int(host[1:]) // grid.per_cluster]

        self.edges = tree.cluster_edges(cluster_of)
        self.ms = statistics.median(times_us[1:]) / 1e3 if len(times_us) > 1 else None

    def most_into(self):
        """The most edges by which the message, or one stream of it, comes into one cluster."""
        return max(sum(n for (_, to), n in edges.items() if to == cluster)
                   for edges in self.edges for _, cluster in edges)

    def between(self, sender, receiver):
        return sum(edges[sender, receiver] for edges in self.edges)

    def share_not_from(self, clusters):
        """Of the edges between clusters, the share that begins in none of some clusters."""
        every = sum(sum(edges.values()) for edges in self.edges)
        return sum(n for edges in self.edges for (a, _), n in edges.items() if a not in clusters) / every


class FactVerdict(Verdict):
    """A number of the trees in place of a ratio at a size."""

    def _place(self, entry):
        return f"{entry[2]:.2f}"


class TreeFigure:
    """
    One figure: the three trees for one broadcast of the program, on the grid while some ends are loaded, by what
    pipebcast-probe measures then.
    """

    def __init__(self, name, figure, shows, number, loaded, judged):
        self.name = name
        self.figure = figure
        self.shows = shows
        self.size = size_of(number)
        self.loaded = loaded  # (from, to): clusters between hosts of which a load is
        self.judged = judged  # (claim, what it is about: a function of {name: Facts})
        self.claims = [claim for claim, _ in judged]

    def loads(self, grid):
        """Each takes three quarters of the slowest link on its way."""
        def host(cluster):
            return grid.host(grid.clusters.index(cluster) * grid.per_cluster)

        return [Load(0, LOADED_S, host(sender), host(receiver), 0.75) for sender, receiver in self.loaded]

    def run(self, options, directory):
        """Yields the exit status."""
        os.makedirs(directory, exist_ok=True)
        study = TreeStudy(self, options, os.path.abspath(directory))
        begun = now_text()
        interrupted = measure_at(study.place, study.measure)
        facts = study.facts
        verdicts = [FactVerdict(claim, [] if value is None else [("", self.size, value)])
                    for claim, value in ((claim, of(facts) if len(facts) == len(TREES) else None)
                                         for claim, of in self.judged)]
        return conclude(self, directory, study.table(), verdicts,
                        {"begun": begun, "machine": describe_host(), "bytes": self.size,
                         "wan_rate": options.wan_rate,
                         "loads": [load._asdict() for load in self.loads(study.grid)],
                         "trees": {name: {"ms": of.ms, "edges": [[*pair, n] for edges in of.edges
                                                                  for pair, n in sorted(edges.items())]}
                                   for name, of in facts.items()},
                         "lines": {name: outcome_record(outcome) for name, outcome in study.outcomes.items()}},
                        study.failures(), interrupted)


class TreeStudy:
    """One run of the experiment."""

    def __init__(self, figure, options, directory):
        self.figure = figure
        self.options = options
        self.directory = directory
        self.grid = Grid(options.per_cluster)
        self.rate = parse_rate(options.wan_rate)
        self.facts = {}
        self.outcomes = {}
        topology = write_text(self.directory, "grid.conf", self.grid.topology())
        self.loads_file = write_text(self.directory, "loads.script", loads_script(figure.loads(self.grid), self.rate))
        self.schedule_file = write_text(self.directory, "schedule.txt", schedule_text([Broadcast(0.0, figure.size)] * TIMES))
        self.place = Testbed(options, topology)
        self.place.rate = options.wan_rate
        self.place.up_arguments = [*options.up_arg, "--script",
                                   write_text(self.directory, "latencies.script", self.grid.settings())]
        self.advising = Advising(options, directory, topology)

    def measure(self):
        if self.figure.loaded:
            self.place.run_command("play", self.loads_file)
        self.advising.measure_links(self.place, self.options.mpirun_arg)
        for name, tree in TREES.items():
            self._measure_tree(name, tree)

    def _measure_tree(self, name, tree):
        root = self.grid.host(self.grid.root)
        self.advising.advise_once(name, tree, "--max-age", "86400", "--root", root, "--budget", "0.5",
                                  "--segment", str(self.options.segment_sizes[0]), "--quiet")
        outcome = run_bench(self.place, self.advising.method(name),
                            ["--csv", "--clock", "shared", "--label", name, "--root", str(self.grid.root),
                             "--schedule", self.schedule_file], TIMES, self.options,
                            self.options.patience + 60 * TIMES)
        self.outcomes[name] = outcome
        outcome.counters = self.place.counters()
        self.facts[name] = Facts(read_advised(self.advising.dir_of(name), root, self.figure.size), self.grid,
                                 [float(row["time_us"]) for row in outcome.rows])

    def failures(self):
        return [f"FAILED: {name}: {outcome.failure}" for name, outcome in self.outcomes.items()
                if outcome.failure]

    def table(self):
        loaded = ", ".join(f"load from {a} to {b}" for a, b in self.figure.loaded) or "no load"
        out = [f"{self.grid.n_hosts} hosts, {self.options.wan_rate} between clusters, {loaded}; "
               f"{bytes_text(self.figure.size)} in segments of {self.options.segment_sizes[0]} bytes; medians of "
               f"{TIMES - 1}, and how often the tree goes from cluster to cluster", ""]
        for name, facts in self.facts.items():
            ms = "-" if facts.ms is None else f"{facts.ms:.0f}"
            out.append(f"{name:<11} {ms:>6} ms, most into one cluster {facts.most_into()}")
            out += [f"    stream {i}: " + ", ".join(f"{a} to {b} {n}" for (a, b), n in sorted(edges.items()))
                    for i, edges in enumerate(facts.edges)]
        for name, outcome in self.outcomes.items():
            out += counted_doubts(name, [outcome], "--wan-rate")
        return out


def _time_ratio(one, other):
    def ratio(facts):
        a, b = facts[one].ms, facts[other].ms
        return None if a is None or b is None else a / b
    return ratio


FIG9 = TreeFigure(
    "p4-fig9", "paper 4, Figure 9",
    "Mateescu's tree for the sixth broadcast of the program of Figure 8, on the free grid: how often it goes from "
    "the root's cluster C2 to the far cluster C8, beside MPICH-G2's multilevel tree and ours; each by what "
    "pipebcast-probe measured, and timed.", 6, (),
    [(Claim("Mateescu's tree goes from C2 to C8 more than once", "edges from C2 to C8", "1", low=2),
      lambda facts: facts[OTHER].between("c2", FAR_CLUSTER)),
     (Claim("ours comes into each cluster once (each stream of it)", "most edges into a cluster", "1", high=1),
      lambda facts: facts[OURS].most_into()),
     (Claim("Mateescu's takes longer than the multilevel tree", OTHER, STATIC, low=1.0),
      _time_ratio(OTHER, STATIC)),
     (Claim("without load ours takes no longer than the multilevel tree (the paper's does, by its overheads)",
            OURS, STATIC, high=1.05, said="ours"), _time_ratio(OURS, STATIC))])

FIG10_CLAIMS = [
    (Claim("no edge to another cluster begins in C1 or C3", "edges between clusters that begin elsewhere", "all",
            low=1.0),
      lambda facts: facts[OURS].share_not_from(("c1", "c3"))),
    (Claim("ours is faster than the multilevel tree under load, by 1.47 % at least", OURS, STATIC, high=0.9853),
      _time_ratio(OURS, STATIC)),
    (Claim("Mateescu's takes longer than ours", OTHER, OURS, low=1.0), _time_ratio(OTHER, OURS))]

# The paper does not say in which direction the load was "between a host in C1 and one in C3".
FIG10 = TreeFigure(
    "p4-fig10", "paper 4, Figure 10",
    "Our tree for the fourteenth broadcast of the program of Figure 8, while a host in C3 sends a load to one in C1: "
    "whether C1 or C3 passes the message on to other clusters; by what pipebcast-probe measures under the load, and "
    "timed beside the others.", 14, (("c3", "c1"),), FIG10_CLAIMS)
FIG10_BOTH = TreeFigure(
    "p4-fig10-both", "paper 4, Figure 10, loads both ways",
    "The same while both hosts send to each other, so that C3 receives no faster than it could pass the message on.",
    14, (("c3", "c1"), ("c1", "c3")), FIG10_CLAIMS)
