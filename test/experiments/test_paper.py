#!/usr/bin/env python3
"""TAP test of paper: options, what is made of measurements, and the flow of a run, with made-up
times and a testbed that is none. PAPER names the program; `make check` sets it."""

import argparse
import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAPER = os.environ.get("PAPER", os.path.join(HERE, "../../contrib/experiments/paper"))
sys.path.insert(0, os.path.dirname(PAPER))
# The made-up programs, started hundreds of times, keep bytecode in a directory of their own.
sys.dont_write_bytecode = sys.pycache_prefix is None

# pylint: disable=wrong-import-position
from benchlib import (arrival, arrival_campaign, links, campaign, claims, experiments, grid,
                      units)
from benchlib.experiment import Experiment, Line, Panel
from benchlib.experiments import discover, learn, p4_fig8, parallel
from benchlib.matrix import Matrix
from benchlib.methods import Method
from benchlib.places import Testbed, counted_doubts, natural
from benchlib.progress import Progress
from benchlib.run import Outcome
from benchlib.units import UserError

WORK = None  # a directory of main()'s; the made-up benchmark imports this file without it
K = 1024
COUNT = [0, 0]


def ok(passed, text, note=""):
    COUNT[0] += 1
    COUNT[1] += not passed
    print(f"{'' if passed else 'not '}ok {COUNT[0]} - {text}", flush=True)
    if not passed:
        for line in str(note).splitlines():
            print("# " + line)


def eq(found, wanted, text):
    ok(found == wanted, text, f"found {found!r}, wanted {wanted!r}")


def raises(function, text):
    try:
        function()
        ok(False, text, "no error")
    except UserError:
        ok(True, text)


# A made-up cluster: T(M) is a microsecond for each byte; the lines take so many T(M).

def made_up_us(name, size):
    family, _, segment = name.rpartition(":") if name.count(":") == 2 else (name, "", "0")
    factor = {"pipebcast:chain": 1.08 if size >= 32 * K else 3, "pipebcast:binary_paper": 2,
              "pipebcast:binary": 2, "pipebcast:kary": 1.9 if size == 64 * K else 3,
              "pipebcast:twotree": 1.05, "tuned": 9, "tuned:binomial": 5,
              "tuned:scatter_allgather": 2.5, "tuned:scatter_allgather_ring": 2}[family]
    best = 1400 if size < 64 * K else 2848
    return size * factor * (1 if segment in ("0", str(best)) else 1.5)


def made_up_arrival_row(name, size, max_if, number):
    """
    Pattern 0 is twice as bad as the others, against an OPT of T(M) and MAX_IF / 16 of it.
    """
    factor = {"pipebcast:flat": 8, "pipebcast:arrival_b": 1.4, "pipebcast:flat_nb": 4,
              "pipebcast:arrival_nb": 1.2}.get(name, 3 if max_if > 1 else 1.3)
    opt = size * (1 + max_if / 16)
    took = factor * opt * (2 if number == 0 else 1)
    if name == "pipebcast:arrival_nb":
        took = factor * size
    return {"label": name, "bytes": str(size), "max_if": str(max_if), "pattern": str(number),
            "pingpong_us": str(size), "average_us": str(took), "worst_us": str(2 * took),
            "average_imbalance_factor": str(max_if / 4), "worst_imbalance_factor": str(max_if),
            "opt_blocking_us": str(opt), "ratio_blocking": str(took / opt),
            "opt_nonblocking_us": str(size), "ratio_nonblocking": str(took / size),
            "waiting_us": str(size / 2), "ratio_net_blocking": str(took / opt + 1),
            "ratio_net_nonblocking": str(took / size + 1)}


def made_up_rows(options):
    """What the made-up benchmark prints for its command line."""
    sizes = [int(s) for s in options["--sizes"].split(",")]
    if "--arrival" not in options:
        return [made_up_row(options["--label"], size) for size in sizes]
    return [made_up_arrival_row(options["--label"], size, int(max_if), number) for size in sizes
            for max_if in options["--max-if"].split(",")
            for number in range(int(options["--patterns"]))]


def made_up_row(name, size):
    took = made_up_us(name, size)
    return {"label": name, "bytes": str(size), "pingpong_us": str(float(size)), "loop_us": "",
            "sync_median_us": str(took), "sync_ratio": str(took / size), "limited": "0"}


def made_up_matrix(topology, figures, segments=(1400, 2848)):
    matrix = campaign.matrix_of(figures, topology, segments)
    for method in matrix.methods:
        outcome = Outcome()
        outcome.rows = [made_up_row(method.name, s) for s in matrix.sizes_of(method)]
        matrix.outcomes[method.name] = [outcome]
    return matrix


def test_claims():
    claim = claims.Claim("a is twice b", "a", "b", low=1.9, high=2.1, sizes=(10, 30),
                         topologies=("1",))
    times = {"a": 20, "b": 10, claims.T: 5}
    points = [("1", 5), ("1", 10), ("1", 30), ("1", 40), ("2", 20)]
    verdict = claims.judge(claim, points, lambda t, name, size: times[name])
    eq([(t, s) for t, s, _ in verdict.ratios], [("1", 10), ("1", 30)],
       "a claim is judged at its sizes and topologies only")
    ok(verdict.holds and verdict.text().startswith("HOLDS"), "it holds", verdict.text())
    times["a"] = 42
    verdict = claims.judge(claim, points, lambda t, name, size: times[name])
    ok(verdict.holds is False and "DOES NOT HOLD" in verdict.text()
       and "2 of 2 points, most by 100 %" in verdict.text(), "it does not, by how much",
       verdict.text())
    best = claims.Claim("the best of two", ("a", "b"), claims.T, low=2, high=2)
    ok(claims.judge(best, [("1", 1)], lambda t, n, s: times[n]).holds, "the fastest of lines")
    known = claims.judge(best, [("1", 1)], lambda t, n, s: None if n == "a" else times[n])
    ok(known.holds is None and known.text().startswith("not measured"),
       "the fastest is not known where one is missing")
    eq(round(claims.Claim("", "a", "b", low=2).excess(1.6), 3), 0.25, "below a bound by a quarter")


def test_figures():
    fig12 = experiments.BY_NAME["p2-fig12"]
    report = fig12.report({"1": made_up_matrix("1", [fig12])}, [1400, 2848])
    eq([report.best("1", report.line("chain"), s)[0].segment for s in (8 * K, 64 * K)],
       [1400, 2848], "the best segment size depends on the message")
    eq([v.holds for v in report.verdicts], [True, True, False, True, True, True, True],
       "Figure 12's claims are judged: the 3-ary tree wins once")
    text = report.text()
    ok("64K" in text and "1.08" in text and "0.95 at 64K on (1)" in text,
       "the table and the worst point are printed", text)
    figures = [e for e in experiments.ALL if isinstance(e, Experiment)]
    needs = [names(e) for e in figures]
    ok(all(needs), "every figure asks for something on each of its topologies")
    eq(len(experiments.BY_NAME), len(experiments.ALL), "names of experiments are different")
    known = {line.name for e in figures for line in e.lines} | {claims.T}
    eq(set().union(*map(claimed, figures)) - known, set(), "claims name lines that are there")
    shared = campaign.matrix_of([experiments.BY_NAME["p2-fig13"], experiments.BY_NAME["p2-fig14"]],
                                "4", [1400])
    eq((len(shared.methods), len(shared.sizes)), (7, 8), "two figures share what they have in common")


def claimed(figure):
    """All names in a figure's claims."""
    return {name for claim in figure.claims for side in (claim.of, claim.over)
            for name in (side if isinstance(side, tuple) else (side,))}


class Wanted:
    """The options of arrival patterns, as a user gives none."""

    quick = False
    only_sizes = max_ifs = lines = patterns = None
    rate, budget, arrival_runs, patience, check, seed = "10mbit", 15, 1, 60, True, 1

    def __init__(self, **given):
        self.__dict__.update(given)


def measured_arrivals(figure, patterns):
    """A figure's points with made-up times."""
    measured = arrival_campaign.Measured()
    for method, point, main in figure.needs():
        measured.add(method, point, main)
    for job in measured.jobs.values():
        outcome = Outcome()
        outcome.rows = [made_up_arrival_row(job.method.name, job.size, max_if, number)
                        for max_if in job.max_ifs for number in range(patterns)]
        job.outcomes = [outcome]
    return measured


def test_arrival_figures():
    figures = [e for e in experiments.ALL if isinstance(e, arrival.ArrivalFigure)]
    eq([f.name for f in figures], [f"p3-fig{n}" for n in range(7, 12)] + ["p3-root-first", "p3-auto"],
       "Figures 7 to 11 are there, and ours")
    for figure in figures:
        known = {say(line.name) for line in figure.lines
                 for say in (str, arrival.mean_of, arrival.greatest_of, arrival.first_of,
                             arrival.net_of)}
        eq(claimed(figure) - known - {arrival.ITS_OPT, arrival.OPT}, set(),
           f"{figure.name}: claims name lines that are there")
    fig7 = experiments.BY_NAME["p3-fig7"]
    report = fig7.report(measured_arrivals(fig7, 4))
    line, point = fig7.lines[-1], fig7.panels[0].points()[16]
    found = report.summary(line, point)
    eq((line.name, found.n, round(found.ratio, 6), round(found.greatest, 6)),
       ("arrival_b", 4, 1.75, 2.8), "the mean and the greatest ratio of four patterns")
    eq(found.average, 1.75 * 2 * 256 * K, "the average time is the mean over patterns")
    eq(report.common(point, "opt"), 2 * 256 * K, "OPT")
    eq([v.holds for v in report.verdicts], [True, True, True, True], "Figure 7's claims hold")
    worse = measured_arrivals(fig7, 2)
    eq([v.holds for v in fig7.report(worse).verdicts], [True, True, True, False],
       "with half of the patterns bad the mean ratio is too high")
    ok("2.10 at 4 on (a)" in fig7.report(worse).text(), "a claim's point is named",
       fig7.report(worse).text())
    fig11 = experiments.BY_NAME["p3-fig11"]
    report = fig11.report(measured_arrivals(fig11, 4))
    eq([v.holds for v in report.verdicts], [True, True, True, True], "Figure 11's claims hold")
    eq(report.common(fig11.panels[0].points()[64], "opt"), 256 * K,
       "Figure 11 has the nonblocking OPT")
    eq((report.quantity("a", arrival.net_of("flat"), 16), found.net_ratio),
       (10 * 2 * 256 * K - 128 * K, 2.75), "the waiting for the root is left out")
    fig8 = experiments.BY_NAME["p3-fig8"]
    forced = next(line for line in fig8.lines if line.name == "tuned binary")
    eq(list(fig8.shown(forced, fig8.panels[0])), [256 * K],
       "tuned's forced algorithms are measured where a claim needs them")
    auto = experiments.BY_NAME["p3-auto"]
    counted = auto.report(measured_arrivals(auto, 7))
    eq([counted.summary(auto.lines[0], panel.points()[panel.main]).n for panel in auto.panels],
       [7, 2, 2], "what is learnt from does not count")
    missing = arrival_campaign.Measured()
    ok(all(v.holds is None for v in fig7.report(missing).verdicts), "nothing measured, no verdict")


def patterns_of(measuring):
    """{MAX_IF: patterns} of the flat line of Figure 7."""
    return {max_if: job.patterns for job in measuring.measured.all()
            if job.method.name == "pipebcast:flat" for max_if in job.max_ifs}


def test_arrival_options():
    fig11 = experiments.BY_NAME["p3-fig11"]
    chosen = fig11.chosen(Wanted(max_ifs=[2, 3], only_sizes=[64 * K], lines=["flat"]))
    eq([list(panel.points()) for panel in chosen.panels], [[2, 3], [64 * K]],
       "--max-if and --sizes: each diagram's own axis")
    eq([line.name for line in chosen.lines], ["flat"], "--lines")
    raises(lambda: fig11.chosen(Wanted(only_sizes=[1, 2])),
           "two sizes for a diagram over MAX_IF are refused")
    raises(lambda: units.parse_rate("fast"), "a rate that is none is refused")
    eq((units.parse_rate("10mbit"), units.parse_rate("2.5Gbit")), (1e7, 2.5e9), "rates")
    fig7 = experiments.BY_NAME["p3-fig7"].chosen(Wanted())
    numbers = {budget: patterns_of(arrival_campaign.ArrivalCampaign([fig7], Wanted(budget=budget)))
               for budget in (8, 15, 1000)}
    ok(2 < numbers[8][16] < 20 and numbers[8][64] == 2 and numbers[15][16] == 20
       and 2 <= numbers[15][64] < 20 and set(numbers[1000].values()) == {20},
       "as many patterns as fit the time, 20 at most, at the main point first", str(numbers))
    few = arrival_campaign.ArrivalCampaign([fig7], Wanted(budget=8))
    ok(few.seconds() <= 480, "the estimate is within the time", few.introduction())
    given = arrival_campaign.ArrivalCampaign([fig7], Wanted(patterns=33))
    eq((set(patterns_of(given).values()), len(given.measured.all())), ({33}, 5),
       "--patterns: everywhere, and one run for each line")
    for name in [f"p3-fig{n}" for n in range(7, 12)] + ["p3-root-first", "p3-auto"]:
        # Figure 9's messages are so long that only its main point fits.
        wanted = Wanted(max_ifs=[16], budget=16) if name == "p3-fig9" else Wanted()
        figure = experiments.BY_NAME[name].chosen(wanted)
        planned = arrival_campaign.ArrivalCampaign([figure], wanted)
        ok(planned.seconds() <= 60 * wanted.budget and any(job.patterns == 20 for job in planned.measured.all()),
           f"{name}: 20 patterns at its main point within the usual time", planned.introduction())
    fig8 = experiments.BY_NAME["p3-fig8"].chosen(Wanted())
    both = arrival_campaign.ArrivalCampaign([fig7, fig8], Wanted())
    alone = arrival_campaign.ArrivalCampaign([fig8], Wanted())
    jobs = [both.measured.jobs["pipebcast:flat", "random", 256 * K, main] for main in (True, False)]
    eq((len(both.measured.all()), [job.max_ifs for job in jobs]),
       (len(alone.measured.all()) + 5, [[16], [1, 4, 64]]),
       "what two figures have in common is measured once")
    twice = arrival_campaign.Measured()
    for main in (False, True, False):
        twice.add(fig7.lines[0].method, fig7.panels[0].points()[4], main)
    eq([(job.main, job.max_ifs) for job in twice.all()], [(True, [4])],
       "a point that is a main one of any figure is measured as such")


def names(experiment):
    return all(experiment.needs(t, [1400]) for t in experiment.topologies())


def test_near_best():
    methods = [Method(f"pipebcast:chain:{s}") for s in (700, 1400, 2848)]
    matrix = Matrix(methods, [1000])
    for method, took in zip(methods, (130, 100, 115)):
        outcome = Outcome()
        outcome.rows = [{"bytes": "1000", "sync_median_us": str(took), "limited": "0"}]
        matrix.outcomes[method.name] = [outcome]
    worth = campaign.near_best(matrix, 1.2)
    eq([worth(m, 1000) for m in methods], [False, True, True],
       "only segment sizes near the best are measured again")
    progress = Progress(["a", "b", "a", "b"])
    progress.report = lambda text: None
    eq(progress.left(), None, "the time left is not known at first")
    outcome = Outcome()
    outcome.seconds = 2.0
    progress.end(outcome)
    eq(progress.left(), 6.0, "a method that has not run is taken for a usual one")
    progress.skip("it failed")
    eq(progress.left(), 2.0, "a dropped method takes no time")


LOADS = """# chain from a: 2 hosts on 1 switch
# contention-free; highest load 1.00, most senders on a link 1
from  to       speed  senders      load
a     s            1        1      1.00
s     a            1        0      0.00
b     s            1        0      0.00
s     b            1        1      1.00  contention
"""


def test_links():
    loads = links.parse_loads(LOADS)
    eq(loads, {("a", "s"): 1.0, ("s", "a"): 0.0, ("b", "s"): 0.0, ("s", "b"): 1.0},
       "loads are read")
    raises(lambda: links.parse_loads("a s 1\n"), "a line that is no link is refused")
    segment = links.segment_of_frames(1500, 1)
    eq(segment, 1426, "a segment that fills a frame of TCP")
    # 10 frames of 1514 bytes go down, 5 acknowledgements of 66 bytes come back.
    counted = {("a", "s"): 15140, ("s", "a"): 330, ("b", "s"): 400, ("s", "b"): 15140}
    found = links.compare_links(loads, counted, segment, 10, 1500)
    eq([link.deviation for link in found], [0, 0, 0, 0], "counters within the plan")
    counted["s", "b"] = 2 * 15140
    found = links.compare_links(loads, counted, segment, 10, 1500)
    worst = links.worst(found)
    eq((worst.receiver, worst.deviation), ("b", 1.0), "a link that carried all twice is found")
    del counted["s", "b"]
    raises(lambda: links.compare_links(loads, counted, segment, 10, 1500),
           "links that only one side knows are refused")


# The program.

FAKE_TESTBED = """#!{python} -S
import json, os, sys
what, rest = sys.argv[1], sys.argv[2:]
open("{work}/calls", "a").write(what + "\\n")
if what == "status":
    link = dict(zip(("from", "to", "bytes", "drops"), ("n0", "s0", 1, {drops})))
    fabric = {fabric}
    print(json.dumps(dict(testbed=dict(hosts=["n0", "n10", "n2"], ppn=1, mtu=1500), links=[link],
                          fabric=fabric)))
if what == "mpirun":
    assert rest[:3] == ["--name", rest[1], "--"], rest
    program = rest.index("{bench}")
    os.execv("{bench}", rest[program:])
"""

FABRIC = "dict(overruns=0, late_mean=0, late_max=0, cpu_seconds=0, seconds=1)"
FAKE_BENCH = """#!{python} -S
import csv, sys, time
sys.pycache_prefix = "{work}/pycache"
sys.path[:0] = ["{here}"]
import test_paper
options = dict(zip(sys.argv[1:], sys.argv[2:]))
open("{work}/runs", "a").write(" ".join([options["--label"], options["--sizes"],
                                        options.get("--max-if", "")]) + "\\n")
if options["--label"] == "{stuck}":
    time.sleep(300)
rows = test_paper.made_up_rows(options)
writer = csv.DictWriter(sys.stdout, list(rows[0]))
writer.writeheader()
writer.writerows(rows)
"""

# Broadcasts of a schedule: on spines all take 2 % longer, and the first is slow everywhere.
FAKE_SCHEDULE = """#!{python} -S
import sys
options = dict(zip(sys.argv[1:], sys.argv[2:]))
slower = 1.02 if "2-spines" in open("{work}/calls").read().split("up ")[-1].split()[1] else 1
print("label,broadcast,bytes,time_us,again")
with open(options["--schedule"]) as file:
    for i, line in enumerate(file):
        print(options["--label"], i, line.split()[1], slower * (1000 if i > 1 else 9000), 0, sep=",")
"""


def program(name, text, **values):
    path = os.path.join(WORK, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.format(python=sys.executable, work=WORK, here=HERE,
                               bench=os.path.join(WORK, "bench"), **values))
    os.chmod(path, 0o755)
    return path


def paper(*arguments):
    return subprocess.run([sys.executable, PAPER, *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, cwd=WORK, timeout=120, check=False)


def places():
    return ["--testbed", os.path.join(WORK, "testbed"), "--bench", os.path.join(WORK, "bench")]


def test_flow():
    program("testbed", FAKE_TESTBED, fabric=FABRIC, drops=0)
    program("bench", FAKE_BENCH, stuck="nothing")
    out = os.path.join(WORK, "out")
    done = paper("p2-fig12", "--output", out, "--segments", "1400,2848", "--runs", "2", *places())
    note = done.stdout + done.stderr
    ok(done.returncode == 0, "a figure is measured, claims that fail are no failure", note)
    ok("DOES NOT HOLD   paper: the 3-ary tree" in done.stdout
       and done.stdout.count("\nHOLDS") == 6, "a verdict for each claim", note)
    ok("round 2 of 2" in done.stderr and " left" in done.stderr, "progress and time left", note)
    with open(os.path.join(WORK, "runs"), encoding="utf-8") as file:
        runs = [line.split() for line in file]
    eq(len(runs), 20, "five lines, two segment sizes, two rounds")
    eq([run[1] for run in runs for name in run[:1] if name == "pipebcast:chain:1400"][1], "8192,16384,32768",
       "the second round leaves out what was far from the best")
    with open(os.path.join(out, "p2-fig12", "results.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    eq(len(rows), 5 * 2 * 8, "CSV: a row for each line, segment size and message size")
    eq(sum(int(row["best"]) for row in rows), 5 * 8, "CSV: the best segment size is marked")
    with open(os.path.join(out, "p2-fig12", "results.json"), encoding="utf-8") as file:
        record = json.load(file)
    eq([c["holds"] for c in record["claims"]].count(False), 1, "JSON: the claims")
    for letter in "ab":
        ok(os.path.exists(os.path.join(out, "p2-fig12", f"panel-{letter}.dat")),
           f"the figure's data, panel {letter}")
    if shutil.which("gnuplot"):
        ok(os.path.getsize(os.path.join(out, "p2-fig12", "panel-a.svg")) > 1000, "the figure")
    with open(os.path.join(WORK, "calls"), encoding="utf-8") as file:
        calls = file.read().split()
    eq((calls[0], calls[-1]), ("up", "down"), "the testbed is taken down")
    again = paper("p2-fig12", "--reuse", out)
    eq(again.stdout[again.stdout.index("p2-fig12:"):].split("\npicture")[0],
       done.stdout[done.stdout.rindex("p2-fig12:"):].split("\npicture")[0],
       "measurements that are evaluated again give the same")
    raises(lambda: campaign.load_matrix(os.path.join(out, "p2-fig12", "results.json")),
           "a file that holds no measurements is refused")


def counted(fabric, drops):
    """Of a testbed that tells this: its counters, what is said meanwhile, and what is doubted."""
    options = argparse.Namespace(testbed=program("testbed", FAKE_TESTBED, fabric=fabric, drops=drops),
                                 name="t", rate="10mbit", np=None, up_arg=[])
    with contextlib.redirect_stderr(io.StringIO()) as said:
        counters = Testbed(options, "1").counters()
    return counters, said.getvalue(), counted_doubts("x", [argparse.Namespace(counters=counters)])


def test_counters():
    counters, *said = counted(FABRIC, 0)
    eq((counters["drops"], counters["overruns"], said), (0, 0, ["", []]), "counters: all is well")
    _, *said = counted(FABRIC.replace("overruns=0", "overruns=7"), 3)
    ok(said[0] == "" and said[1][0].startswith("note: x: ") and "dropped 3" in said[1][0]
       and said[1][1].startswith("DOUBT: x: ") and "lost 7" in said[1][1],
       "counters: drops are noted, overruns doubted", said)
    counters, *said = counted("{}", 0)
    eq((counters["drops"], "overruns" in counters, said), (0, False, ["", []]),
       "counters: the kernel's fabric has no overruns, and nothing is said")
    eq(counted("{}", 3)[2], ["note: x: full switch queues dropped 3 frames"],
       "counters: the kernel's drops are noted")
    counters, *said = counted('dict(late_mean=0)', 0)
    ok(counters is None and "'overruns'" in said[0] and said[1] == [],
       "counters: a fabric that leaves some out is reported", said)
    os.unlink(os.path.join(WORK, "calls"))


def test_arrival_flow():
    program("bench", FAKE_BENCH, stuck="nothing")
    for name in ("runs", "calls"):
        os.unlink(os.path.join(WORK, name))
    out = os.path.join(WORK, "arrivals")
    done = paper("p3-fig7", "p3-fig10", "--quick", "--output", out, *places())
    note = done.stdout + done.stderr
    ok(done.returncode == 0, "figures of arrival patterns are measured", note)
    ok("3 patterns" in done.stdout and "about " in done.stdout
       and "16K, MAX_IF 16: " in done.stderr, "how long it takes, and progress", note)
    with open(os.path.join(WORK, "runs"), encoding="utf-8") as file:
        runs = [line.split() for line in file]
    eq((len(runs), runs[0]), (5 + 5 * 3, ["pipebcast:flat", "65536", "1,4,16"]),
       "one mpirun for each method and size")
    with open(os.path.join(out, "p3-fig7", "results.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    eq((len(rows), {row["patterns"] for row in rows}), (5 * 3, {"3"}),
       "CSV: a row for each line and MAX_IF")
    with open(os.path.join(WORK, "calls"), encoding="utf-8") as file:
        calls = file.read().split()
    eq((calls.count("up"), calls[-1]), (1, "down"), "one testbed, and it is taken down")
    if shutil.which("gnuplot"):
        ok(os.path.getsize(os.path.join(out, "p3-fig10", "panel-a.svg")) > 1000, "the figure")
    again = paper("p3-fig7", "--quick", "--reuse", out)
    text = again.stdout.split("\npicture")[0]
    ok(again.returncode == 0 and len(text) > 500 and text in done.stdout,
       "measurements that are evaluated again give the same", again.stdout + again.stderr)
    program("bench", FAKE_BENCH.replace("rows = test", "sys.exit(3)\nrows = test"), stuck="nothing")
    done = paper("p3-fig7", "--quick", "--lines", "linear_p", "--output", out, *places())
    ok(done.returncode == 1 and "FAILED: pipebcast:rank_chain, random, 64K: exit code 3"
       in done.stdout, "a run that fails is reported", done.stdout + done.stderr)


def test_interrupt():
    program("bench", FAKE_BENCH, stuck="pipebcast:chain:2848")
    for name in ("runs", "calls"):
        os.unlink(os.path.join(WORK, name))
    out = os.path.join(WORK, "interrupted")
    # pylint: disable=consider-using-with
    running = subprocess.Popen([sys.executable, PAPER, "p2-fig15", "--output", out, "--segments",
                                "1400,2848", *places()], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=WORK)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with open(os.path.join(WORK, "runs"), encoding="utf-8") as file:
                if "chain:2848" in file.read():
                    break
        except OSError:
            pass
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    said, errors = running.communicate(timeout=60)
    ok(running.returncode == 130 and "chain" in said and "not measured" in said,
       "interrupted: what was measured is evaluated", said + errors)
    with open(os.path.join(WORK, "calls"), encoding="utf-8") as file:
        calls = file.read().split()
    eq((calls.count("up"), calls[-1]), (1, "down"), "interrupted: the testbed is taken down")


def test_options():
    listed = paper("list")
    ok(listed.returncode == 0 and all(e.name in listed.stdout for e in experiments.ALL),
       "list names all experiments", listed.stdout + listed.stderr)
    for arguments in (["p2-fig99"], ["list", "p2-fig12"], ["p2-fig12", "--sizes", "4Q"],
                      ["p2-fig12", "--segments", ""], ["p2-fig12", "--runs", "0"],
                      ["p2-fig12", "--topologies", "7"], ["p2-fig12", "--near", "0.5"],
                      ["p2-fig12", "--time-limit", "-1"], ["p2-fig12", "--testbed", "/nothing"],
                      ["p3-fig7", "--lines", "x"], ["p3-fig7", "--max-if", "0"],
                      ["p3-fig7", "--max-if", "a"], ["p3-fig7", "--sizes", "64K,128K"],
                      ["p3-fig7", "--rate", "slow"], ["p3-fig7", "--patterns", "0"],
                      ["p4-fig8", "--per-cluster", "1"], ["p4-fig8", "--wan-rate", "slow"],
                      ["p3-fig7", "--seed", "-1"], ["p3-fig7", "--budget", "0"],
                      ["links", "--reuse", "out"], ["p2-fig12", "--plugin-dir", WORK], ["--nothing"],
                      []):
        done = paper(*arguments, *(places() if "--testbed" not in arguments else []))
        ok(done.returncode == 2 and done.stderr, f"refuses: {' '.join(arguments)}",
           done.stdout + done.stderr)
    done = paper("p2-fig12", "--reuse", "nowhere")
    ok(done.returncode == 1 and "no measurements" in done.stderr, "--reuse of nothing is reported",
       done.stderr)


def test_grid():
    made = grid.Grid(4)
    eq((made.n_hosts, made.root, made.host(made.root)), (32, 4, "h04"), "grid: hosts and root")
    text = made.topology()
    ok("SwitchName=c3 Nodes=h[08-11]" in text and "SwitchName=anl Switches=c3,c4 LinkSpeed=1" in text
       and text.count("SwitchName") == 13, "grid: the topology", text)
    eq(made.settings().count("set "), 12, "grid: a latency for each link of clusters and sites")
    schedule = grid.make_schedule(60, 1 << 20, 8e6, 1.5, 0.05)
    eq((len(schedule), schedule[0].size, schedule[-1].size), (60, 1 << 20, (1 << 20) // 60),
       "grid: sizes fall from the largest")
    idle = [b.at - a.at - a.size * 8 / 7.2e6 for a, b in zip(schedule, schedule[1:])]
    ok(abs(idle[0] - 1.5) < 0.01 and abs(idle[-1] - 0.05) < 0.01 and
       all(a > b - 0.002 for a, b in zip(idle, idle[1:])), "grid: gaps shrink", idle)
    eq(grid.schedule_text(schedule[:1]), "0.000 1048576  # 1M\n", "grid: lines of the schedule")
    loads = grid.make_loads(1, 100, (6, 8), (4, 7))
    eq(loads, grid.make_loads(1, 100, (6, 8), (4, 7)), "grid: a seed's loads repeat")
    ok(all(0.5 <= load.share <= 0.9 and 6 <= load.end - load.begin <= 8.01 for load in loads)
       and all(4 <= b.begin - a.end <= 7.01 for a, b in zip(loads, loads[1:]))
       and {load.sender for load in loads[:2]} == {"c3", "anl"}, "grid: loads as in the paper", loads)
    first = loads[0]
    eq([grid.phase_at(loads, when) for when in (0, first.begin, first.end, 1e9)],
       [0, 1, 2, 2 * len(loads)], "grid: phases")
    line = grid.loads_script([grid.Load(1, 3.5, "c3", "anl", 0.75)], 8e6)
    eq(line, "at 1.00s load c3 anl 6000kbit 2.50s\n", "grid: the testbed's script")


def made_up_run(times_us, begun_s, loads, size=100000):
    outcome = Outcome()
    outcome.rows = [{"broadcast": str(i), "bytes": str(size), "begun_s": str(begun), "time_us": str(us)}
                    for i, (us, begun) in enumerate(zip(times_us, begun_s))]
    return p4_fig8.Run(p4_fig8.FIG8.lines[0], outcome, loads)


def test_grid_comparison():
    loads = [grid.Load(10, 20, "c3", "anl", 0.6)]
    static = made_up_run([100, 200, 400, 100, 100], [0, 11, 15, 21, 30], loads)
    ours = made_up_run([100, 150, 150, 120, 80], [0, 11, 15, 21, 30], loads)
    found = p4_fig8.Comparison(ours, static)
    eq(found.loaded(), 0.5, "figure 8: the mean under load")
    eq(found.phases(), {0: 1.0, 1: 0.5, 2: 1.0}, "figure 8: phases by their times per byte")
    eq(found.after_loads(), {2: 1.2}, "figure 8: the broadcast after a load")
    late = made_up_run([100, 3e6], [0, 9], loads)
    eq(late.phases(), {0: [0], 1: [1]}, "figure 8: a broadcast is where its middle is")
    eq(p4_fig8.Comparison(static, late).phases(), {0: 1.0, 1: 1e-4},
       "figure 8: phases that a line has not met are not compared")
    short = made_up_run([100, 200], [0, 11], loads, 1000)
    eq(p4_fig8.Comparison(short, static).phases(), {}, "figure 8: nor are short messages")


def parallel_run(network, seed, times_us, trunk_bytes=(0,), failure=None, again=False):
    """A run of broadcasts after two that are much slower; links between switches, and a host's."""
    outcome = Outcome()
    outcome.rows = [{"broadcast": str(i), "bytes": str(1 << 20), "time_us": str(us),
                     "again": str(int(again and i == 0))}
                    for i, us in enumerate([9e9, 9e6, *times_us])]
    outcome.failure = failure
    links = [{"from": "leaf0", "to": "spine0", "member": i, "bytes": n, "drops": i}
             for i, n in enumerate(trunk_bytes)]
    links.append({"from": "n0", "to": "leaf0", "member": 0, "bytes": 99 << 20, "drops": 4})
    return parallel.Run(network, seed, outcome, links, ["n0"])


def test_parallel():
    size = 1 << 20
    measured = parallel.Measured([size])
    measured.runs = [parallel_run("single", 1, (100, 100)), parallel_run("single", 2, (90, 130)),
                     parallel_run("single", 3, (80, 80)),
                     parallel_run("2-spines", 1, (90, 110), (3 << 20, 8 << 20)),
                     parallel_run("2-spines", 2, (104, 104)),
                     parallel_run("2-spines", 3, (115, 115)),
                     parallel_run("4-bundle", 1, (101, 101))]
    rows = {row["network"]: row for row in measured.rows()}
    eq(list(rows), ["single", "2-spines", "4-bundle"], "parallel: only what was measured")
    row = rows["2-spines"]
    eq((row["median_ratio"], row["least_ratio"], row["greatest_ratio"], row["slowest_seed"]),
       (1.04, 1.0, 1.15, 3), "parallel: ratios to the median of all runs over single links")
    eq((row["busiest"], row["drops"]), (2.0, 13),
       "parallel: the busiest link between switches, in messages; all drops")
    verdicts = parallel.PARALLEL.verdicts(measured)
    eq([verdict.holds for verdict in verdicts], [True, False],
       "parallel: the median may be within the bar while a seed is not")
    ok("1.15 at 1M on (2-spines)" in verdicts[1].text(), "parallel: which", verdicts[1].text())
    eq(parallel_run("2-spines", 1, (90, 110), (10 << 20,), again=True).busiest(), 2.0,
       "parallel: a broadcast that was done again has been sent twice")
    measured.runs.append(parallel_run("4-bundle", 2, (), failure="exit code 3"))
    text = parallel.table_text(measured, "2mbit")
    ok("FAILED: 4-bundle, seed 2: exit code 3" in text and "1.040" in text,
       "parallel: the table", text)
    del measured.runs[:3]
    eq([verdict.holds for verdict in parallel.PARALLEL.verdicts(measured)], [None, None],
       "parallel: no verdict without single links")
    conf = parallel.topology_of("4-spines")
    ok(conf.count("SwitchName=spine") == 4 and "leaf3 Nodes=n[24-31]" in conf
       and "Uplinks" not in conf, "parallel: leaves under four spines", conf)
    conf = parallel.topology_of("2-bundle")
    ok(conf.count("SwitchName=spine") == 1 and "Switches=leaf[0-3] Uplinks=2" in conf,
       "parallel: bundles of two", conf)
    eq(parallel.schedule_text([5, 7], 1), "0 5\n" * 3 + "0 7\n" * 3,
       "parallel: each size's warm-up and broadcasts")
    eq(parallel.chosen_networks(["4-bundle", "single"]), ["single", "4-bundle"],
       "parallel: single links are always measured")
    raises(lambda: parallel.chosen_networks(["5"]), "parallel: a network that is none is refused")
    eq(links.counted_bytes([{"from": "a", "to": "b", "bytes": 1}, {"from": "b", "to": "a", "bytes": 4},
                            {"from": "a", "to": "b", "bytes": 2}]), {("a", "b"): 3, ("b", "a"): 4},
       "the bytes of parallel links are one link's of the plan")


def learnt_outcome(size, times_us):
    outcome = Outcome()
    outcome.rows = [{"broadcast": str(i), "bytes": str(size), "time_us": str(us)}
                    for i, us in enumerate(times_us)]
    return outcome


def test_learn():
    measured = learn.Measured()
    size = 1 << 16
    measured.add("4", "pipebcast", learnt_outcome(size, [300, 200] + [100] * 48))
    measured.add("4", "pipebcast:twotree:702", learnt_outcome(size, [900, 100, 102, 98]))
    measured.add("4", "pipebcast:binary:702", learnt_outcome(size, [90, 130, 130]))
    eq(measured.best("4", size), (100, "pipebcast:twotree:702"),
       "learn: the best median without the first broadcast")
    eq((measured.time_us("4", learn.FIRST, size), measured.time_us("4", learn.AFTER, size)),
       (106, 100), "learn: the mean of all, the median of those after 20")
    eq([verdict.holds for verdict in learn.LEARN.verdicts(measured)], [True, True],
       "learn: both claims hold")
    measured.add("5", "pipebcast", learnt_outcome(size, [150] * 50))
    measured.add("5", "pipebcast:twotree:702", learnt_outcome(size, [100] * 3))
    eq([verdict.holds for verdict in learn.LEARN.verdicts(measured)], [False, False],
       "learn: neither does where it stays wrong")
    measured.add("1", "pipebcast", learnt_outcome(size, [150] * 7))
    eq(measured.time_us("1", learn.AFTER, size), None, "learn: a series that was cut off is none")
    text = learn.table_text(measured, "2mbit")
    ok("1.060    1.000" in text and "pipebcast:twotree:702" in text, "learn: the table", text)
    eq(learn.schedule_text([5, 7], 2), "0 5\n0 5\n0 7\n0 7\n", "learn: a schedule")


def found_network(seed, found_us, true_us, seconds=100, contradictions=0, mistakes=None):
    found = discover.Found(seed, discover.Network(seed))
    found.seconds, found.status, found.contradictions = seconds, 0, contradictions
    found.mistakes = mistakes or {}
    for line, times in ((discover.FOUND, found_us), (discover.TRUE, true_us)):
        outcome = Outcome()
        outcome.rows = [{"time_us": str(us)} for us in [9e9, 9e6, *times]]
        found.outcomes[line].append(outcome)
    return found


def test_discover():
    faulty, alike, n_mistakes = [], [], 0
    for seed in range(300):
        network = discover.Network(seed)
        files = [network.text(), *(text for text, _ in network.mistakes().values())]
        hosts = sorted(f"n{host}" for host in range(len(network.at)))
        faulty += [seed for text in files
                   if sorted(re.findall(r"\bn\d+", text)) != hosts or not 16 <= len(hosts) <= 32]
        alike += [seed for i, text in enumerate(files) if text in files[:i]]
        n_mistakes += len(files) - 1
    eq(faulty, [], "discover: each file has each of 16 to 32 hosts once")
    ok(not alike and n_mistakes > 600, "discover: each mistake makes another file", f"{alike}, {n_mistakes}")
    eq(discover.Network(3).text(), discover.Network(3).text(), "discover: a seed is a network")
    measured = discover.Measured()
    measured.networks = [found_network(1, (100, 102), (100, 100), mistakes={"moved host": True}),
                         found_network(2, (104,), (100,)), found_network(3, (120,), (100,))]
    eq([holds for _, holds in measured.facts()], [True, True, True, True], "discover: all holds")
    text = discover.table_text(measured, "10mbit")
    ok("1.010" in text and "moved host" in text, "discover: the table", text)
    points = [(found.name, discover.SIZE) for found in measured.networks]
    ok(claims.judge(discover.DISCOVER.claims[0], points, measured.time_us).holds is False,
       "discover: one network is slower than the bar")
    measured.networks += [found_network(4, (110,), (100,), 200, 1, {"moved host": False}),
                          found_network(5, (140,), (100,), 500, 2)]
    measured.networks[-1].failures.append("--discover: it failed")
    facts = measured.facts()
    eq([holds for _, holds in facts], [False, False, False, False], "discover: nothing holds")
    ok("moved host of seed 4" in facts[2][0] and "seed 4" in facts[0][0], "discover: what", str(facts))
    ok("FAILED: seed 5: --discover: it failed" in discover.table_text(measured, "10mbit"),
       "discover: failures are in the table")


def test_parallel_flow():
    """Two seeds of two networks with made-up programs."""
    trunk = 'dict(zip(("from", "to", "bytes", "drops"), ("s0", "s1", 3 << 20, 0)))'
    program("testbed", FAKE_TESTBED.replace("links=[link]", f"links=[link, {trunk}]")
            .replace('.write(what', '.write(" ".join(sys.argv[1:])'), fabric=FABRIC, drops=0)
    program("bench", FAKE_SCHEDULE)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(WORK, "calls"))
    out = os.path.join(WORK, "parallel")
    arguments = ["parallel", "--output", out, "--seeds", "2", "--iterations", "2", "--topologies",
                 "2-spines", "--rate", "2mbit", *places()]
    done = paper(*arguments)
    note = done.stdout + done.stderr
    ok(done.returncode == 0 and done.stdout.count("\nHOLDS") == 2, "parallel: measured", note)
    with open(os.path.join(WORK, "calls"), encoding="utf-8") as file:
        calls = [line.split() for line in file]
    ups = [(os.path.basename(call[2]), call[-1]) for call in calls if call[0] == "up"]
    eq(ups, [("single.conf", "1"), ("2-spines.conf", "1"), ("single.conf", "2"),
             ("2-spines.conf", "2")], "parallel: the networks in turn, a testbed for each seed")
    eq([call[0] for call in calls].count("down"), 4, "parallel: each is taken down")
    with open(os.path.join(out, "parallel", "results.json"), encoding="utf-8") as file:
        record = json.load(file)
    eq((len(record["runs"]), record["rows"][1]["median_ratio"], len(record["runs"][0]["rows"])),
       (4, 1.02, 4), "parallel: JSON has every broadcast")
    program("bench", FAKE_SCHEDULE.replace("import sys", "import sys; sys.exit(3)"))
    done = paper(*arguments)
    ok(done.returncode == 1 and "FAILED: 2-spines, seed 2: exit code 3" in done.stdout,
       "parallel: a run that fails is reported", done.stdout + done.stderr)
    done = paper("parallel", "--seeds", "0", *places())
    ok(done.returncode == 1 and "--seeds" in done.stderr, "parallel: refuses --seeds 0", done.stderr)


def test_small():
    eq(sorted(["n10", "n2", "a1", "n1"], key=natural), ["a1", "n1", "n2", "n10"],
       "hosts in the order of their names")
    line = Line("x", "pipebcast:kary", True, {"coll_pipebcast_fanout": "4"})
    mca = line.methods([1400])[0].mca(None)
    eq((mca["coll_pipebcast_min_size"], mca["coll_pipebcast_fanout"],
        mca["coll_pipebcast_segment_size"]), ("1", "4", "1400"), "a line's parameters")
    ok("coll_pipebcast_min_size" not in Line("t", "tuned").methods([])[0].mca(None),
       "tuned gets none of them")
    eq(Panel("p", "1", "8K:64K").sizes, [8192, 16384, 32768, 65536], "a panel's sizes")


def main():
    global WORK  # pylint: disable=global-statement
    WORK = tempfile.mkdtemp(prefix="pbp")
    try:
        for test in (test_claims, test_figures, test_arrival_figures, test_arrival_options,
                     test_near_best, test_links, test_grid, test_grid_comparison, test_parallel, test_learn,
                     test_discover,
                     test_small, test_counters, test_parallel_flow, test_flow, test_arrival_flow, test_interrupt, test_options):
            test()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    print(f"1..{COUNT[0]}")
    return 1 if COUNT[1] else 0


if __name__ == "__main__":
    sys.exit(main())
