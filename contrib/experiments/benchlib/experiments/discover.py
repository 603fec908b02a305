"""Ours: topologies that pipebcast-tune has found and verified, beside the true ones."""

import argparse
import os
import random
import re
import statistics
import subprocess
import time

from ..claims import MEASURED, REFUTED, Claim, exit_status, judge
from ..command import measure_at, now_text
from ..experiment import PIPEBCAST_SETTINGS
from ..methods import Method
from ..places import Testbed, counted_doubts
from ..programs import TUNE, need_program
from ..progress import Progress
from ..report import describe_host, outcome_record, write_json, write_text
from ..run import Outcome, run_bench
from ..units import UserError, bytes_text

SIZE = 256 << 10
WARMUP, ROUNDS = 2, 2
FOUND, TRUE = "found", "true"
TIME_LIMIT = 180  # seconds for finding one topology


class Network:
    """Hosts on the switches of a random tree; the same seed gives the same everywhere."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.n_switches = draw.randint(2, 6)
        self.above = [None] + [draw.randrange(switch) for switch in range(1, self.n_switches)]
        self.at = [switch % self.n_switches for switch in range(draw.randint(16, 32))]
        for host in range(self.n_switches, len(self.at)):  # the first ones are on one switch each
            self.at[host] = draw.randrange(self.n_switches)
        draw.shuffle(self.at)
        self.draw = draw

    def hosts_of(self, switch):
        return [host for host, at in enumerate(self.at) if at == switch]

    def n_below(self, switch):
        """Hosts on the switch and those below it."""
        return len(self.hosts_of(switch)) + sum(self.n_below(below) for below in range(1, self.n_switches)
                                                if self.above[below] == switch)

    def trunks(self):
        """The switches whose link up has two hosts or more on either side: others fill none."""
        return [switch for switch in range(1, self.n_switches)
                if 2 <= self.n_below(switch) <= len(self.at) - 2]

    def text(self, at=None, above=None, fast=None):
        """Slurm's topology.conf; `fast`: the switch whose link up is said to have twice its speed."""
        at, above = at or self.at, above or self.above
        out = []
        for switch in range(self.n_switches):
            hosts = ",".join(f"n{host}" for host, where in enumerate(at) if where == switch)
            out += [f"SwitchName=s{switch} Nodes={hosts} LinkSpeed=1"] if hosts else []
            for below in range(1, self.n_switches):
                if above[below] == switch:
                    out += [f"SwitchName=s{switch} Switches=s{below} LinkSpeed={2 if below == fast else 1}"]
        return "\n".join(out) + "\n"

    def mistakes(self):
        """{what: (text of the file, what is to be named)}; fewer where the network is too small."""
        made = {}
        trunks = self.trunks()
        if not trunks:
            return made
        gone = self.draw.choice(trunks)
        at = [self.above[gone] if where == gone else where for where in self.at]
        above = [self.above[gone] if up == gone else up for up in self.above]
        above[gone] = None
        made["merged switches"] = self.text(at, above), f"s{self.above[gone]}"
        switch = self.draw.choice(trunks)
        hosts = self.hosts_of(switch)
        if len(hosts) > 1:
            at = list(self.at)
            at[hosts[0]] = self.above[switch]
            made["moved host"] = self.text(at), f"n{hosts[0]}"
        fast = self.draw.choice(trunks)
        made["slow trunk"] = self.text(fast=fast), f"s{fast}"
        return made


class Found:
    """What one network gave."""

    def __init__(self, seed, network):
        self.seed = seed
        self.network = network
        self.seconds = None  # of the search
        self.status = None
        self.outcomes = {FOUND: [], TRUE: []}
        self.contradictions = None  # of the true file
        self.said = ""  # what they are
        self.mistakes = {}  # by name: whether it was found
        self.failures = []

    @property
    def name(self):
        return f"seed {self.seed}"

    def time_us(self, line):
        times = []
        for outcome in self.outcomes[line]:
            times += [float(row["time_us"]) for row in outcome.rows][WARMUP:]
        return statistics.median(times) if times else None

    @property
    def ratio(self):
        found, true = self.time_us(FOUND), self.time_us(TRUE)
        return found / true if found and true else None

    def record(self):
        return {"seed": self.seed, "hosts": len(self.network.at), "switches": self.network.n_switches,
                "topology": self.network.text(), "seconds": self.seconds, "status": self.status,
                "found_us": self.time_us(FOUND), "true_us": self.time_us(TRUE), "ratio": self.ratio,
                "contradictions": self.contradictions, "said": self.said, "mistakes": self.mistakes,
                "failures": self.failures,
                "runs": {line: [outcome_record(outcome) for outcome in outcomes]
                         for line, outcomes in self.outcomes.items()}}


def complaint(done):
    """What the program has reported, without what mpirun adds, or else the end of that."""
    own = [line for line in done.stderr.splitlines() if line.startswith("pipebcast-tune: ")]
    return " ".join(own) or done.stderr.strip()[-300:]


class Searcher:
    """Calls pipebcast-tune on a testbed that is up."""

    def __init__(self, place, options):
        self.place = place
        self.options = options
        self.program = need_program(options.tune, TUNE, "--tune")

    def tune(self, *arguments):
        command = self.place.mpirun(["--mca", "coll", "^pipebcast"] + self.options.mpirun_arg
                                    + [self.program, *arguments])
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def discover(self, found, path):
        begin = time.monotonic()
        done = self.tune("--discover", path)
        found.seconds, found.status = time.monotonic() - begin, done.returncode
        if done.returncode != 0:
            found.failures.append(f"--discover: {complaint(done)}")

    def contradictions(self, found, path):
        """How many there are, and what is printed of them; None if it failed."""
        done = self.tune("--verify", "--topology", path)
        counted = re.search(r": (\d+) contradictions?", done.stdout)
        if counted is None:
            found.failures.append(f"--verify: {complaint(done)}")
            return None, ""
        return int(counted.group(1)), done.stdout


def verify(searcher, found, directory, true, with_mistakes):
    found.contradictions, found.said = searcher.contradictions(found, true)
    mistakes = found.network.mistakes() if with_mistakes else {}
    for what, (text, named) in mistakes.items():
        path = write_text(directory, f"{found.seed}-{what.replace(' ', '-')}.conf", text)
        n, said = searcher.contradictions(found, path)
        found.mistakes[what] = bool(n) and re.search(rf"\b{named}\b", said) is not None


def compare(place, options, schedule, found, files):
    """Two trees planned with either file, by turns."""
    settings = {**PIPEBCAST_SETTINGS}
    n_rows = WARMUP + options.iterations
    arguments = ["--csv", "--clock", "shared", "--schedule", schedule]
    for _ in range(ROUNDS):
        for line, path in files.items():
            method = Method("pipebcast:twotree:2874", {**settings, "coll_pipebcast_topology_file": path})
            outcome = run_bench(place, method, arguments, n_rows, options, options.patience * (1 + n_rows))
            outcome.counters = place.counters()
            found.outcomes[line].append(outcome)
            if outcome.failure:
                found.failures.append(f"{line}: {outcome.failure}")


class Measured:
    """All networks."""

    def __init__(self):
        self.networks = []

    def time_us(self, name, line, _size):
        return next(found for found in self.networks if found.name == name).time_us(line)

    def median(self):
        ratios = [found.ratio for found in self.networks if found.ratio]
        return statistics.median(ratios) if ratios else None

    def failures(self):
        return [f"FAILED: {found.name}: {failure}" for found in self.networks for failure in found.failures]

    def doubts(self):
        return [line for found in self.networks for outcomes in found.outcomes.values()
                for line in counted_doubts(found.name, outcomes)]

    def facts(self):
        """[(what must be, whether it is)] beside the ratios."""
        missed = [f"{what} of {found.name}" for found in self.networks
                  for what, was_found in found.mistakes.items() if not was_found]
        slow = [found.name for found in self.networks if not found.seconds or found.seconds > TIME_LIMIT]
        wrong = [found.name for found in self.networks if found.contradictions != 0]
        n = sum(len(found.mistakes) for found in self.networks)
        median = self.median()
        return [(f"each is found within {TIME_LIMIT} s" + of(slow), not slow),
                ("true files are not contradicted" + of(wrong), not wrong),
                (f"{n} mistakes in files are found and named" + of(missed), not missed),
                (f"median ratio at most 1.05: {median:.3f}" if median else "no ratios",
                 median is not None and median <= 1.05)]


def of(names):
    return f"; not so: {', '.join(names)}" if names else ""


def table_text(measured, rate):
    out = [f"{'network':<8} {'hosts':>5} {'switches':>8} {'search s':>8} {'found ms':>9} {'true ms':>9} "
           f"{'ratio':>6} {'of true':>7}  mistakes found"]
    for found in measured.networks:
        def ms(line, found=found):
            return f"{found.time_us(line) / 1e3:.1f}" if found.time_us(line) else "-"
        mistakes = ", ".join(what if was_found else f"NOT {what}"
                             for what, was_found in found.mistakes.items())
        ratio = f"{found.ratio:.3f}" if found.ratio else "-"
        out.append(f"{found.name:<8} {len(found.network.at):>5} {found.network.n_switches:>8} "
                   f"{found.seconds or 0:>8.0f} {ms(FOUND):>9} {ms(TRUE):>9} {ratio:>6} "
                   f"{found.contradictions if found.contradictions is not None else '-':>7}  {mistakes}")
    out += ["", f"at {rate}; times of two trees at {bytes_text(SIZE)} planned with the file that was found, "
            "and with the true one; of true: contradictions that", "--verify reports of the true file",
            *measured.doubts(), *measured.failures()]
    return "\n".join(out) + "\n"


class Discover:
    """Networks at random, one testbed each."""

    name = "discover"
    figure = "no figure: ours"
    shows = ("Random networks of 16 to 32 hosts on 2 to 6 switches: how long pipebcast-tune --discover "
             "takes, how fast two trees are that are planned with its file, beside the true file, and what "
             "--verify finds in true files and in wrong ones.")
    claims = [Claim("two trees are slower with the file that was found by at most 15 %", FOUND, TRUE,
                    high=1.15, said="ours")]

    def run(self, options, directory):
        """Yields the exit status."""
        if options.seeds < 1:
            raise UserError(f"--seeds: {options.seeds} is not 1 or more")
        begun, measured = now_text(), Measured()
        interrupted = self._measure(options, directory, measured)
        points = [(found.name, SIZE) for found in measured.networks]
        verdicts = [judge(claim, points, measured.time_us) for claim in self.claims]
        text = table_text(measured, options.rate) + "\n".join(
            [verdict.text() for verdict in verdicts]
            + [f"{'HOLDS         ' if holds else 'DOES NOT HOLD '}  ours: {what}" for what, holds in measured.facts()]
        ) + "\n"
        write_text(directory, "table.txt", text)
        write_json(os.path.join(directory, "results.json"),
                   {"experiment": self.name, "begun": begun, "machine": describe_host(),
                    "claims": [verdict.record() for verdict in verdicts], "facts": measured.facts(),
                    "networks": [found.record() for found in measured.networks]})
        print(text + f"results: {directory}\n", flush=True)
        status = exit_status(verdicts, measured.failures(), interrupted)
        return REFUTED if status == MEASURED and not all(holds for _, holds in measured.facts()) else status

    @staticmethod
    def _measure(options, directory, measured):
        os.makedirs(directory, exist_ok=True)
        schedule = write_text(directory, "schedule.txt", f"0 {SIZE}\n" * (WARMUP + options.iterations))
        seeds = range(options.seed, options.seed + options.seeds)
        progress = Progress([f"seed {seed}" for seed in seeds])
        for seed in seeds:
            progress.start(f"network {seed}")
            found, all_of_it, begin = Found(seed, Network(seed)), Outcome(), time.monotonic()
            measured.networks.append(found)
            if measure_network(options, directory, schedule, found):
                return True
            all_of_it.seconds = time.monotonic() - begin
            progress.end(all_of_it)
            progress.report("    " + table_text(measured, options.rate).splitlines()[len(measured.networks)])
        return False


def measure_network(options, directory, schedule, found):
    """On a testbed of its own. Yields whether it was interrupted."""
    true = os.path.abspath(write_text(directory, f"{found.seed}-true.conf", found.network.text()))
    path = os.path.abspath(os.path.join(directory, f"{found.seed}-found.conf"))
    place = Testbed(argparse.Namespace(**vars(options)), true)

    def measure():
        searcher = Searcher(place, options)
        searcher.discover(found, path)
        if found.status == 0:
            compare(place, options, schedule, found, {TRUE: true, FOUND: path})
        verify(searcher, found, directory, true, not options.quick)

    return measure_at(place, measure)


DISCOVER = Discover()
