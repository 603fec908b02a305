"""Paper 4, Figure 3: how a search by simulated annealing goes on; computed."""

import csv
import os
import random
import statistics
import subprocess

from ..claims import Claim, Verdict
from ..conclusion import conclude
from ..figure import Axis, draw, write_series
from ..programs import TOPO, first_line, need_program
from ..report import write_text
from ..units import UserError

# The paper's: bandwidths of all pairs, uniformly, in Mbit/s. It gives no latencies nor initiation costs; parametrized
# LogP, by which it measures the latter, has the time that the host is busy with a message of this size, which over
# its links of 100 Mbit/s is the message's time.
N_HOSTS, BYTES = 32, 1 << 20
LEAST_MBIT, MOST_MBIT, HOST_MBIT = 0.1, 10, 100
LATENCY_NS, STARTUP_NS = 1000000, BYTES * 8000 // HOST_MBIT

# The paper's numbers of runs of basicSA, and as many without the second phase.
RANDOM_RUNS, REFINE_RUNS = 50, 25
RANDOM, REFINE, MORE_RANDOM = "random", "refine", "more random"
MEDIAN, BEST = "median", "best"

CLAIMS = [
    Claim("a run that refines a good tree finds a better one than a run from a random tree, in the median",
          f"{REFINE} {MEDIAN}", f"{RANDOM} {MEDIAN}", high=1.0),
    Claim(f"after {RANDOM_RUNS} random trees, {REFINE_RUNS} runs that refine lead to no worse a tree than "
          f"{REFINE_RUNS} more random ones", f"{REFINE} {BEST}", f"{MORE_RANDOM} {BEST}", high=1.0, said="ours"),
]


def links_text(seed):
    """A file of links: each host is a cluster of its own, so each two have a bandwidth."""
    draw_from = random.Random(seed)
    clusters = [f"c{i}" for i in range(N_HOSTS)]
    items = ["site all"]
    items += [f"cluster {c} site all latency {LATENCY_NS} bandwidth {int(MOST_MBIT * 125000)}" for c in clusters]
    items += [f"node h{i:02d} cluster {c} startup {STARTUP_NS}" for i, c in enumerate(clusters)]
    for sender in clusters:
        for receiver in clusters:
            if sender != receiver:
                rate = draw_from.uniform(LEAST_MBIT, MOST_MBIT) * 125000
                items.append(f"link {sender} {receiver} latency {LATENCY_NS} bandwidth {int(rate)}")
    return "\n".join(["pipebcast-links 1", *items, f"end {len(items)}"]) + "\n"


class Search:
    """The rows of `pipebcast anneal`: what each run of basicSA found."""

    def __init__(self, rows):
        self.rows = [(row["phase"], int(row["transformations"]), float(row["ms"])) for row in rows]

    def of(self, phase):
        return [ms for of, _, ms in self.rows if of == phase]

    def best(self):
        return min(ms for _, _, ms in self.rows)


class Case:
    """One matrix of bandwidths: the paper's search, and one that goes on with random trees."""

    def __init__(self, seed, paper, random_only):
        self.seed = seed
        self.paper = paper
        self.times = {f"{RANDOM} {MEDIAN}": statistics.median(paper.of(RANDOM)),
                      f"{RANDOM} {BEST}": min(paper.of(RANDOM)),
                      f"{REFINE} {MEDIAN}": statistics.median(paper.of(REFINE)),
                      f"{REFINE} {BEST}": paper.best(),
                      f"{MORE_RANDOM} {BEST}": random_only.best()}


class SeedVerdict(Verdict):
    """Ratios of seeds in place of sizes."""

    def _place(self, entry):
        _, seed, ratio = entry
        return f"{ratio:.3f} with seed {seed}"


class Fig3:
    """The experiment."""

    name = "p4-fig3"
    figure = "paper 4, Figure 3"
    shows = (f"How simulated annealing goes on: for 1 MB to {N_HOSTS} hosts whose bandwidths are drawn from "
             f"{LEAST_MBIT} to {MOST_MBIT} Mbit/s, the predicted time of the best tree of each run of basicSA, in "
             f"driverSA's two phases: {RANDOM_RUNS} runs from random trees, {REFINE_RUNS} from good ones. Seconds, "
             "computed.")
    claims = CLAIMS

    def run(self, options, directory):
        """Yields the exit status."""
        os.makedirs(directory, exist_ok=True)
        topo = need_program(options.topo, TOPO, "--topo")
        if options.seeds < 1:
            raise UserError("--seeds is 1 or more")
        cases = [self._case(topo, directory, seed) for seed in range(options.seed, options.seed + options.seeds)]
        self._draw(cases[0], directory)
        verdicts = [SeedVerdict(claim, [("", case.seed, case.times[claim.of] / case.times[claim.over])
                                        for case in cases]) for claim in CLAIMS]
        return conclude(self, directory, table(cases), verdicts,
                        {"program": first_line([topo, "--version"]),
                         "cases": [{"seed": case.seed, "ms": case.times, "runs": case.paper.rows} for case in cases]})

    @staticmethod
    def _case(topo, directory, seed):
        links = write_text(directory, f"links-{seed}.txt", links_text(seed))
        command = [topo, "anneal", links, "--bytes", str(BYTES), "--seed", str(seed)]
        return Case(seed,
                    search(command + ["--random-runs", str(RANDOM_RUNS), "--refine-runs", str(REFINE_RUNS)]),
                    search(command + ["--random-runs", str(RANDOM_RUNS + REFINE_RUNS), "--refine-runs", "0"]))

    @staticmethod
    def _draw(case, directory):
        points = {RANDOM: [], REFINE: []}
        best, so_far = [], float("inf")
        for number, (phase, _, ms) in enumerate(case.paper.rows, 1):
            so_far = min(so_far, ms)
            points[phase].append((number, 1e3 * ms))
            best.append((number, 1e3 * so_far))
        write_series(directory, "figure", f"{Fig3.figure}, seed {case.seed}",
                     [("from a random tree", points[RANDOM]), ("from a good tree", points[REFINE]),
                      ("best so far", best)], Axis("run of basicSA", "predicted time of its best tree, ms"))
        print(draw(directory, "figure"), flush=True)


def search(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return Search(csv.DictReader(done.stdout.splitlines()))


def table(cases):
    names = list(cases[0].times)
    out = ["predicted ms of trees, by seed of the bandwidths and of the search", "",
           f"{'seed':>8} " + " ".join(f"{name:>16}" for name in names)]
    out += [f"{case.seed:>8} " + " ".join(f"{case.times[name]:16.0f}" for name in names) for case in cases]
    return out


FIG3 = Fig3()
