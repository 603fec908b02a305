"""Measuring what several figures of paper 3 need, each method at each point once."""

import json
import os
import shlex
import sys

from .arrival import Point, Summary
from .command import measure_at
from .methods import Method
from .places import Testbed, counted_doubts
from .progress import Progress
from .report import describe_host, outcome_record, write_json
from .run import outcome_of, run_bench
from .units import UserError, bytes_text, duration_text, parse_rate

PAPER_PATTERNS = 20
LEAST_PATTERNS = 2
PINGPONGS = 5

# For estimates of how long a run takes: bytes on the wire for one of the message, what mpirun
# takes to start and end; in T(M), a broadcast of a usual method.
WIRE_SHARE = 1.08
START_SECONDS = 3.0
BROADCAST_UNITS = 7


def prepare_units(size):
    """About how many T(M) ping-pongs and warm-up take; pipebcast-bench warms up by so many."""
    warm_ups = min(20, max(3, (256 << 10) // size))
    return 2 * (warm_ups + PINGPONGS) + BROADCAST_UNITS * warm_ups


def pattern_units(max_if):
    """About how many T(M) a pattern takes: the last rank's delay, in which others are served."""
    return max(BROADCAST_UNITS, max_if + 2)


class Job:
    """
    One mpirun: a method and a message size with all MAX_IF that any figure wants of them and that
    have as many patterns.
    """

    def __init__(self, method, kind, size, main):
        self.method = method
        self.kind = kind
        self.size = size
        self.main = main
        self.max_ifs = []
        self.patterns = 0
        self.outcomes = []

    @property
    def name(self):
        return f"{self.method.name}, {self.kind}, {bytes_text(self.size)}"

    def seconds(self, rate):
        """About what it takes on links of so many bits a second."""
        unit = self.size * 8 * WIRE_SHARE / rate
        units = sum(map(pattern_units, self.max_ifs))
        return START_SECONDS + unit * (prepare_units(self.size) + self.patterns * units)

    def failure(self):
        return next((o.failure for o in self.outcomes if o.failure), None)


class Measured:
    """All outcomes, and what figures ask of them."""

    def __init__(self):
        self.jobs = {}

    def job(self, method, kind, size, main):
        return self.jobs.setdefault((method.name, kind, size, main), Job(method, kind, size, main))

    def add(self, method, point, main):
        """A point is measured once; as a main one, if it is one of any figure."""
        job = self.job(method, point.kind, point.size, main)
        assert job.method.settings == method.settings, "one method name, two meanings"
        other = self.jobs.get((method.name, point.kind, point.size, not main))
        if other and point.max_if in other.max_ifs:
            if not main:
                return
            other.max_ifs.remove(point.max_if)
        job.max_ifs = sorted({*job.max_ifs, point.max_if})

    def all(self):
        """The jobs that have anything to measure."""
        return [job for job in self.jobs.values() if job.max_ifs]

    def set_patterns(self, of_main, of_others):
        for job in self.all():
            job.patterns = of_main if job.main else of_others

    def rows(self, method, point, learning=0):
        """All rows of a point but the first `learning` ones of each run."""
        jobs = [self.jobs.get((method.name, point.kind, point.size, main))
                for main in (True, False)]
        return [row for job in jobs if job for outcome in job.outcomes
                for row in [row for row in outcome.rows
                            if int(row["max_if"]) == point.max_if][learning:]]

    def troubles(self, methods):
        """Lines on some methods: what failed, and what the testbed itself puts in doubt."""
        out = []
        names = {method.name for method in methods}
        for job in self.all():
            if job.method.name not in names:
                continue
            if job.failure():
                out.append(f"FAILED: {job.name}: {job.failure()}")
            out += counted_doubts(job.name, job.outcomes)
        return out


class ArrivalCampaign:
    """Measures figures that have one topology in common; results are on disk at the end."""

    def __init__(self, figures, options):
        self.figures = figures
        self.options = options
        self.interrupted = False
        self.rate = parse_rate(options.rate)
        self.measured = Measured()
        for figure in figures:
            for method, point, main in figure.needs():
                self.measured.add(method, point, main and options.patterns is None)
        if options.patterns:
            self.measured.set_patterns(options.patterns, options.patterns)
        else:
            self._fit_patterns()

    def _jobs(self):
        return self.measured.all()

    def seconds(self):
        """About what all takes."""
        return self.options.arrival_runs * sum(job.seconds(self.rate) for job in self._jobs())

    def _fit_patterns(self):
        """
        As many as the time allows, at most as many as in the paper: the main points of the figures
        come first.
        """
        budget = self.options.budget * 60 * len(self.figures)
        numbers = list(range(PAPER_PATTERNS, LEAST_PATTERNS - 1, -1))
        tries = [(PAPER_PATTERNS, n) for n in numbers] + [(n, LEAST_PATTERNS) for n in numbers]
        for of_main, of_others in tries:
            self.measured.set_patterns(of_main, of_others)
            if self.seconds() <= budget:
                return

    def _patterns_text(self):
        def number(main):
            return next((job.patterns for job in self._jobs() if job.main == main), None)

        of_main, of_others = number(True), number(False)
        if of_main is None or of_others is None or of_main == of_others:
            return f"{of_main or of_others} patterns"
        return f"{of_main} patterns at the main points, {of_others} elsewhere"

    def introduction(self):
        return (f"{self._patterns_text()}, {len(self._jobs())} runs of mpirun"
                f"{' in each round' if self.options.arrival_runs > 1 else ''}, about "
                f"{duration_text(self.seconds())}")

    def _arguments(self, job):
        options = self.options
        arguments = ["--csv", "--clock", "shared", "--label", job.method.name,
                     "--sizes", str(job.size), "--arrival", job.kind,
                     "--max-if", ",".join(map(str, job.max_ifs)),
                     "--patterns", str(job.patterns), "--seed", str(options.seed),
                     "--iterations", str(PINGPONGS)]
        return arguments + (["--check"] if options.check else [])

    def _follow(self, job, progress):
        """Takes a run's rows and reports the result of each MAX_IF, once all its patterns are there."""
        rows = []

        def on_row(row):
            rows.append(row)
            if len(rows) % job.patterns == 0:
                found = Summary(rows[-job.patterns:], self.figures[0].model)
                progress.report(f"    {bytes_text(job.size)}, MAX_IF {row['max_if']}: "
                             f"{found.average / 1e3:.1f} ms, {found.ratio:.2f} OPT, at most "
                             f"{found.greatest:.2f}")
        return on_row

    def _run_job(self, place, job, progress, where):
        if job.failure():
            progress.skip("it failed")
            return
        progress.start(where)
        patience = 2 * self.options.patience + 4 * job.seconds(self.rate)
        outcome = run_bench(place, job.method, self._arguments(job),
                            len(job.max_ifs) * job.patterns, self.options, patience,
                            self._follow(job, progress))
        outcome.counters = place.counters()
        job.outcomes.append(outcome)
        progress.end(outcome)

    def _run_all(self, place):
        n_rounds = self.options.arrival_runs
        progress = Progress([job.name for job in self._jobs()] * n_rounds)
        for number in range(1, n_rounds + 1):
            for job in self._jobs():
                self._run_job(place, job, progress, f"round {number} of {n_rounds}")

    def measure(self, directory, begun):
        topology = self.figures[0].topology
        place = Testbed(self.options, topology)
        self.interrupted = measure_at(place, lambda: self._run_all(place))
        os.makedirs(directory, exist_ok=True)
        write_json(record_path(directory, topology), self._record(place, begun))

    def _record(self, place, begun):
        return {"command": shlex.join(sys.argv), "begun": begun, "machine": describe_host(),
                "place": place.describe(),
                "jobs": [{"method": job.method.name, "settings": job.method.settings,
                          "arrival": job.kind, "bytes": job.size, "max_ifs": job.max_ifs,
                          "main": job.main, "patterns": job.patterns,
                          "runs": [outcome_record(o) for o in job.outcomes]}
                         for job in self._jobs()]}

    def failed(self):
        return any(job.failure() for job in self._jobs())


def record_path(directory, topology):
    return os.path.join(directory, f"arrival-topology{topology}.json")


def load_arrival(directory, topology):
    """What measure() wrote into a directory."""
    path = record_path(directory, topology)
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        measured = Measured()
        for entry in record["jobs"]:
            method = Method(entry["method"], entry["settings"])
            for max_if in entry["max_ifs"]:
                measured.add(method, Point(entry["arrival"], entry["bytes"], max_if),
                             entry["main"])
            job = measured.job(method, entry["arrival"], entry["bytes"], entry["main"])
            job.patterns = entry["patterns"]
            job.outcomes = [outcome_of(run) for run in entry["runs"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} holds no measurements of arrival patterns: {error}") from None
    return measured
