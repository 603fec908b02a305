"""Paper 4, Figure 8: broadcasts of a program on a grid whose links are loaded now and then."""

import os
import statistics

from ..advising import Advising
from ..claims import Claim, Verdict, exit_status
from ..command import measure_at, now_text
from ..figure import draw, write_series
from ..grid import (LOADED_CLUSTER, Grid, loads_script, make_loads, make_schedule, phase_at,
                    schedule_text)
from ..places import Testbed, counted_doubts
from ..report import cell, describe_host, outcome_record, write_json, write_text
from ..run import Outcome, run_bench
from ..units import UserError, bytes_text, parse_rate

OURS, PROBED, STATIC, OTHER = "adaptive", "probed", "multilevel", "mateescu"
N_BROADCASTS, LARGEST = 60, 1 << 20

# The paper's times over 30: loads of 6 to 8 minutes, pauses of 4 to 7. Its gaps, of 90 s at first,
# are made shorter still, so that a load meets as many broadcasts as there.
FIRST_GAP, LAST_GAP = 1.0, 0.05
LOAD_S, PAUSE_S = (12, 16), (8, 14)
# So is its time between two measurements of all links, of 5 minutes. The trains are half as long as they usually are:
# all pairs of clusters, one after the other, must be through by then.
PROBE_EVERY_S, PROBE_TRAIN = 10, 32 << 10

# Of shorter messages the latencies, and not the bytes, make most of the time.
LEAST_COMPARED = 64 << 10


class TreeLine:
    """
    A line of the figure: a kind of tree, and whether the advisor goes on while the program runs, by what the program
    measures itself, or if `probes`, as in the paper, by what pipebcast-probe measures again and again beside it.
    """

    def __init__(self, name, tree, follows, probes=False):
        self.name = name
        self.tree = tree
        self.follows = follows
        self.probes = probes


class Run:
    """One line, measured once."""

    def __init__(self, line, outcome, loads):
        self.line = line
        self.outcome = outcome
        self.rows = {int(row["broadcast"]): row for row in outcome.rows}
        self.loads = loads

    def time_us(self, number):
        return float(self.rows[number]["time_us"]) if number in self.rows else None

    def phase(self, number):
        """Where the middle of a broadcast lies."""
        if number not in self.rows:
            return None
        return phase_at(self.loads, float(self.rows[number]["begun_s"])
                        + float(self.rows[number]["time_us"]) / 2e6)

    def per_byte(self, number):
        return self.time_us(number) / int(self.rows[number]["bytes"])

    def phases(self, least=0):
        """{phase: numbers of its broadcasts}, of so many bytes at least."""
        out = {}
        for number in sorted(n for n, row in self.rows.items() if int(row["bytes"]) >= least):
            out.setdefault(self.phase(number), []).append(number)
        return out


class Comparison:
    """
    Ours beside another line. A slow line falls behind the schedule, so that the same load meets
    other broadcasts of it: times per byte in the same phase are compared, of messages that are not
    too short for that.
    """

    def __init__(self, ours, other):
        self.ratios = {}  # by phase: of each broadcast of ours, to the mean of the other's
        theirs = other.phases(LEAST_COMPARED)
        for phase, numbers in ours.phases(LEAST_COMPARED).items():
            if phase in theirs:
                usual = sum(other.time_us(n) for n in theirs[phase]) \
                    / sum(int(other.rows[n]["bytes"]) for n in theirs[phase])
                self.ratios[phase] = [(n, ours.per_byte(n) / usual) for n in numbers]
        self.sizes = {n: int(row["bytes"]) for n, row in ours.rows.items()}

    def loaded(self):
        """The mean over broadcasts under load, as the paper's average improvement."""
        ratios = [r for phase, of in self.ratios.items() if phase % 2 for _, r in of]
        return statistics.mean(ratios) if ratios else None

    def phases(self):
        """{phase: time of ours for a byte / that of the other}."""
        return {phase: sum(r * self.sizes[n] for n, r in of) / sum(self.sizes[n] for n, _ in of)
                for phase, of in sorted(self.ratios.items())}

    def after_loads(self):
        """The first broadcast after each load."""
        return {phase: of[0][1] for phase, of in sorted(self.ratios.items())
                if phase % 2 == 0 and phase > 0}


CLAIMS = [
    (Claim("20 % better under load, on average over broadcasts (paper: 19.58 %)", OURS, STATIC,
           high=0.8), "loaded"),
    (Claim("never worse by more than 5 % in any phase", OURS, STATIC, high=1.05, said="ours"),
     "phases"),
    (Claim("the broadcast after a load ends is not worse by more than 5 % (the paper's is: stale "
           "information)", OURS, STATIC, high=1.05, said="ours"), "after_loads"),
    (Claim("20 % better under load also by what the probe measures every so often, as the paper has it", PROBED,
           STATIC, high=0.8), "loaded"),
    (Claim("by what the program measures itself ours is no slower under load than by the probe", OURS, PROBED,
           high=1.0, said="ours"), "loaded"),
    (Claim("Mateescu's tree is worse than both throughout", STATIC, OTHER, high=1.0), "phases"),
]


class PhaseVerdict(Verdict):
    """Ratios of phases in place of sizes."""

    def _place(self, entry):
        _, phase, ratio = entry
        return f"{ratio:.2f} {phase}"


def phase_name(loads, phase):
    if phase % 2:
        load = loads[phase // 2]
        return f"load {phase // 2 + 1} ({load.sender} to {load.receiver}, {100 * load.share:.0f} %)"
    return "before load 1" if phase == 0 else f"after load {phase // 2}"


class Fig8:
    """The experiment."""

    name = "p4-fig8"
    figure = "paper 4, Figure 8"
    shows = ("Broadcasts of a program on four sites of two clusters each, from 1 MB down, with "
             "shrinking gaps, while links to and from one cluster are loaded by 50 to 90 % at "
             "random: MPICH-G2's multilevel tree, static; Mateescu's, from what is measured; ours, by what the program "
             "measures itself; and ours by what pipebcast-probe measures beside it every 10 s. All with the same "
             "segments, pipelined by the same engine.")
    claims = [claim for claim, _ in CLAIMS]
    lines = [TreeLine(STATIC, "multilevel", False), TreeLine(OURS, "annealed", True),
             TreeLine(PROBED, "annealed", True, probes=True), TreeLine(OTHER, "mateescu", True)]

    def run(self, options, directory):
        """Yields the exit status."""
        study = Study(self, options, directory)
        interrupted = study.measure()
        study.write()
        print(study.text(), flush=True)
        print(f"results: {directory}\n", flush=True)
        return exit_status(study.verdicts(), study.failures(), interrupted)


class Study:
    """One run of the experiment."""

    def __init__(self, figure, options, directory):
        os.makedirs(directory, exist_ok=True)
        self.figure = figure
        self.options = options
        self.directory = os.path.abspath(directory)
        self.grid = Grid(options.per_cluster)
        self.rate = parse_rate(options.wan_rate)
        n, largest = (12, LARGEST // 4) if options.quick else (N_BROADCASTS, LARGEST)
        gap = FIRST_GAP / (4 if options.quick else 1)
        self.schedule = make_schedule(n, largest, self.rate, gap, LAST_GAP)
        self.quicker = quicker = 5 if options.quick else 1
        self.loads = make_loads(options.seed, 3 * self.schedule[-1].at,
                                tuple(s / quicker for s in LOAD_S),
                                tuple(s / quicker for s in PAUSE_S))
        self.lines = [line for line in figure.lines
                      if options.lines is None or line.name in options.lines]
        self.runs = {}  # by line: [Run, ...]
        self.begun = now_text()
        self.topology_file = write_text(self.directory, "grid.conf", self.grid.topology())
        self.settings_file = write_text(self.directory, "latencies.script", self.grid.settings())
        self.schedule_file = write_text(self.directory, "schedule.txt", schedule_text(self.schedule))
        self.loads_file = write_text(self.directory, "loads.script", loads_script(self.loads, self.rate))
        if len(self.schedule) > 1 and not self.lines:
            raise UserError("--lines: none of this experiment's")

    # ---- measuring ----

    def measure(self):
        options = self.options
        place = Testbed(options, self.topology_file)
        place.rate = options.wan_rate
        place.up_arguments = [*options.up_arg, "--script", self.settings_file]
        advising = Advising(options, self.directory, self.topology_file)
        try:
            return measure_at(place, lambda: self._measure_lines(place, advising))
        finally:
            advising.stop()

    def _measure_lines(self, place, advising):
        advising.measure_links(place, self.options.mpirun_arg)
        for number in range(1, self.options.arrival_runs + 1):
            for line in self.lines:
                print(f"round {number}, {line.name}", flush=True)
                self._measure_line(place, advising, line)

    def _measure_line(self, place, advising, line):
        segment = str(self.options.segment_sizes[0])
        advice = ["--segment", segment, "--quiet"]
        root = self.grid.host(self.grid.root)
        if line.probes:
            advising.start_probing(place, self.options.mpirun_arg, line.name, PROBE_EVERY_S / self.quicker,
                                   PROBE_TRAIN)
        advising.advise_once(line.name, line.tree, "--max-age", "86400", "--root", root,
                             "--budget", "0.5", *advice)
        if line.follows:
            advising.start(line.name, line.tree, "--max-age", "60", "--budget", "1", "--root", root,
                           "--segment", segment, *(["--ignore-rates"] if line.probes else []))
        outcome = Outcome()
        try:
            outcome = run_bench(place, advising.method(line.name, "adaptive"), self._bench_options(line), len(self.schedule),
                                self.options, self._patience(), outcome.rows.append)
        except KeyboardInterrupt:
            outcome.failure = "interrupted"
            raise
        finally:
            wrong = advising.stop()
            outcome.failure = outcome.failure or wrong
            self.runs.setdefault(line.name, []).append(Run(line, outcome, self.loads))
        place.run_command("play", "--stop")
        outcome.counters = place.counters()

    def _patience(self):
        """Seconds for all broadcasts of a line; what it has not done then is left out."""
        return 4 * self.schedule[-1].at + self.options.patience

    def _bench_options(self, line):
        begin = f"{self.options.testbed} play {self.loads_file} </dev/null"
        return ["--csv", "--clock", "shared", "--label", line.name, "--root", str(self.grid.root),
                "--schedule", self.schedule_file, "--begin", begin,
                *(["--check"] if self.options.check else [])]

    # ---- results ----

    def failures(self):
        return [f"FAILED: {name}: {run.outcome.failure}" for name, runs in self.runs.items()
                for run in runs if run.outcome.failure]

    def _compared(self, one, other):
        """The rounds of two lines, side by side."""
        return [Comparison(a, b)
                for a, b in zip(self.runs.get(one, []), self.runs.get(other, []))]

    def verdicts(self):
        out = []
        for claim, what in CLAIMS:
            ratios = []
            for number, compared in enumerate(self._compared(claim.of, claim.over), 1):
                found = getattr(compared, what)()
                if isinstance(found, dict):
                    ratios += [(number, phase_name(self.loads, phase), ratio)
                               for phase, ratio in found.items()]
                elif found is not None:
                    ratios.append((number, "under load", found))
            out.append(PhaseVerdict(claim, ratios))
        return out

    def _row(self, number):
        out = f"{number:>4} {bytes_text(self.schedule[number].size):>8}"
        for runs in self.runs.values():
            for run in runs:
                us, phase = run.time_us(number), run.phase(number)
                mark = "" if phase is None else "*" if phase % 2 else " "
                out += f" {cell(us / 1e3 if us else None, 10)}{mark:1}"
        return out

    def _phase_rows(self):
        for one, other in ((OURS, STATIC), (PROBED, STATIC), (OURS, OTHER)):
            for number, compared in enumerate(self._compared(one, other), 1):
                for phase, ratio in compared.phases().items():
                    n = len(compared.ratios[phase])
                    yield (f"round {number}: {one} / {other}, {phase_name(self.loads, phase)}: "
                           f"{ratio:.2f} ({n} broadcasts)")

    def text(self):
        names = [f"{name:>11}" for name, runs in self.runs.items() for _ in runs]
        troubles = [line for name, runs in self.runs.items() for line in
                    counted_doubts(name, [run.outcome for run in runs], "--wan-rate")]
        return "\n".join([
            f"{self.grid.n_hosts} hosts, {self.options.wan_rate} between clusters, segments of "
            f"{self.options.segment_sizes[0]} bytes; ms until the last rank has it, * while a link "
            f"of {LOADED_CLUSTER} is loaded; ratios of phases are of times per byte, from "
            f"{bytes_text(LEAST_COMPARED)} on", "",
            f"{'':>4} {'bytes':>8} " + " ".join(names),
            *(self._row(number) for number in range(len(self.schedule))), "",
            *self._phase_rows(), "",
            *(verdict.text() for verdict in self.verdicts()), *troubles, *self.failures()])

    def write(self):
        write_text(self.directory, "table.txt", self.text() + "\n")
        record = {"experiment": self.figure.name, "begun": self.begun,
                  "machine": describe_host(), "hosts": self.grid.n_hosts,
                  "wan_rate": self.options.wan_rate,
                  "loads": [load._asdict() for load in self.loads],
                  "schedule": [b._asdict() for b in self.schedule],
                  "lines": {name: [outcome_record(run.outcome) for run in runs]
                            for name, runs in self.runs.items()},
                  "claims": [verdict.record() for verdict in self.verdicts()]}
        write_json(os.path.join(self.directory, "results.json"), record)
        blocks = [(name, [(number, runs[0].time_us(number))
                          for number in range(len(self.schedule))])
                  for name, runs in self.runs.items()]
        if any(us for _, points in blocks for _, us in points):
            write_series(self.directory, "figure", f"{self.figure.figure}, {self.grid.n_hosts} hosts",
                         blocks)
            print(draw(self.directory, "figure"), flush=True)


FIG8 = Fig8()
