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
sys.path[:0] = [os.path.dirname(PAPER), HERE]
# The made-up programs, started hundreds of times, keep bytecode in a directory of their own.
sys.dont_write_bytecode = sys.pycache_prefix is None

# pylint: disable=wrong-import-position
from benchlib import (arrival, arrival_campaign, links, campaign, claims, experiments, grid,
                      sharing, units)
from benchlib.experiment import Experiment, Line, Panel
from benchlib.advised_trees import read_advised
from benchlib.drawn_grid import read_grids
from benchlib.experiments import (auto, concurrent, dilation, discover, hosts, learn, p2_irregular, p2_table1,
                                  p2_table2, p2_table3, p2_thresholds, p4_fig8, p4_grids, p4_trees, parallel)
from benchlib.experiments import sharing as sharing_experiment
from benchlib.matrix import Matrix
from benchlib.methods import Method
from benchlib.places import Testbed, counted_doubts, natural
from benchlib.progress import Progress
from benchlib.run import Outcome
from benchlib.units import UserError
from made_up import made_up_arrival_row, made_up_row

WORK = None  # a directory of main()'s
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
    eq(round(found.avoidable_ratio, 6), 4.0,
       "without the waiting that nobody can avoid: the root's for the last rank, and that for the root")
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
import made_up
options = dict(zip(sys.argv[1:], sys.argv[2:]))
open("{work}/runs", "a").write(" ".join([options["--label"], options["--sizes"],
                                        options.get("--max-if", "")]) + "\\n")
if options["--label"] == "{stuck}":
    time.sleep(300)
rows = made_up.made_up_rows(options)
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
    ok(done.returncode == 3, "a figure is measured, and a claim that does not hold is a failure", note)
    ok("DOES NOT HOLD   paper: the 3-ary tree" in done.stdout
       and done.stdout.count("\nHOLDS") == 6, "a verdict for each claim", note)
    ok("round 2 of 2" in done.stderr and " left" in done.stderr, "progress and time left", note)
    with open(os.path.join(WORK, "runs"), encoding="utf-8") as file:
        runs = [line.split() for line in file]
    eq(len(runs), 16, "four lines, two segment sizes, two rounds")
    eq([run[1] for run in runs for name in run[:1] if name == "pipebcast:chain:1400"][1], "8192,16384,32768",
       "the second round leaves out what was far from the best")
    with open(os.path.join(out, "p2-fig12", "results.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    eq(len(rows), 4 * 2 * 8, "CSV: a row for each line, segment size and message size")
    eq(sum(int(row["best"]) for row in rows), 4 * 8, "CSV: the best segment size is marked")
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
    ok(done.returncode == 3 and "DOES NOT HOLD" in done.stdout,
       "figures of arrival patterns are measured, likewise", note)
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
    ok(again.returncode == 3 and len(text) > 500 and text in done.stdout,
       "measurements that are evaluated again give the same", again.stdout + again.stderr)
    program("bench", FAKE_BENCH.replace("rows = made_up", "sys.exit(3)\nrows = made_up"), stuck="nothing")
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
    text = "\n".join(parallel.table(measured, "2mbit"))
    ok("1.040" in text, "parallel: the table", text)
    eq(measured.failures(), ["FAILED: 4-bundle, seed 2: exit code 3"], "parallel: what failed")
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


def line_links(n, members):
    """Directed links of n switches in a line, and of hosts, as the testbed names them."""
    pairs = [(f"s{i}", f"s{i + 1}") for i in range(n - 1)] + [(host, at) for host, at in members.items()]
    return [{"from": a, "to": b, "bytes": 0, "drops": 0} for pair in pairs for a, b in (pair, pair[::-1])]


def concurrent_run(what, method, times_us, size=1 << 18, failure=None):
    outcome = Outcome()
    outcome.rows = [{"bytes": str(size), "sync_median_us": str(us)} for us in times_us]
    if what == concurrent.SUMMA_LINE:
        outcome.rows = [{"size": str(size), "time_us": str(us)} for us in times_us]
    outcome.failure = failure
    return concurrent.Run("line", what, Method(method), 1, outcome, [])


def test_concurrent():
    hosts36 = [f"n{i}" for i in range(36)]
    groups = concurrent.groups_of(hosts36, concurrent.ROWS)
    eq((groups[1], concurrent.groups_of(hosts36, concurrent.COLUMNS)[1]),
       (hosts36[6:12], hosts36[1::6]), "concurrent: rows and columns of the grid")
    links36 = line_links(6, {host: f"s{i % 6}" for i, host in enumerate(hosts36)})
    measured = concurrent.Measured(2e6)
    measured.add_network("line", links36, hosts36)
    eq(measured.forced, {("line", "rows"): 6, ("line", "columns"): 1},
       "concurrent: a trunk has to carry the messages of all rows, or of no column")
    two_sides = [["a", "b"], ["b", "a"], ["a", "c"]]
    ends = [(link["from"], link["to"]) for link in line_links(3, {"a": "s0", "b": "s1", "c": "s2"})]
    eq(sharing.forced_load(ends, two_sides), 2, "concurrent: each direction by itself")
    eq(round(concurrent.bound_us(6, 1 << 16, 2e6) / 1e3), 1671, "concurrent: six messages of 64 KB at 2 Mbit/s")
    bound = concurrent.bound_us(6, 1 << 18, 2e6)
    for method, factor in (("pipebcast", 1.2), ("tuned", 3), ("tuned:pipeline:1426", 1.3), ("tuned:binary:1426", 2)):
        measured.runs.append(concurrent_run(concurrent.ROWS, method, [factor * bound]))
    measured.runs += [concurrent_run(concurrent.SUMMA_LINE, "pipebcast", [9e6, 2e6], 768),
                      concurrent_run(concurrent.SUMMA_LINE, "tuned", [9e6, 4e6], 768)]
    eq([verdict.holds for verdict in concurrent.CONCURRENT.verdicts(measured)], [True, True, True],
       "concurrent: all claims hold")
    eq(measured.time_us("line SUMMA", "tuned", 768), 4e6, "concurrent: the first multiplication does not count")
    measured.runs[0].outcome.rows[0]["sync_median_us"] = str(1.4 * bound)
    measured.runs[-1].outcome.rows[-1]["time_us"] = "1e6"
    eq([verdict.holds for verdict in concurrent.CONCURRENT.verdicts(measured)], [False, False, False],
       "concurrent: none does")
    measured.runs.append(concurrent_run(concurrent.COLUMNS, "tuned", [], failure="exit code 3"))
    text = "\n".join(concurrent.table(measured, "2mbit"))
    ok("1.40" in text, "concurrent: the table", text)
    eq(measured.failures(), ["FAILED: line columns, tuned: exit code 3"], "concurrent: what failed")
    for name in concurrent.NETWORKS:
        names = re.findall(r"\bn\d+", concurrent.topology_of(name))
        eq((sorted(names, key=natural), len(set(names))), (hosts36, 36), f"concurrent: each host once, {name}")


class Printing:
    """A place where every program prints the same, and that keeps what it was called with."""

    topology_file = None

    def __init__(self, text):
        self.text = text
        self.called = []

    def status(self, *_):
        return {"links": [{"from": "s0", "to": "s1", "bytes": 5, "drops": 2}], "fabric": None}

    def mpirun(self, arguments, _mpich=None):
        self.called = arguments
        return ["printf", self.text]


def test_concurrent_once():
    options = argparse.Namespace(bench="bench", only_sizes=[1 << 16], iterations=2, warmup=None, time_limit=5,
                                 check=True, patience=60, mpirun_arg=[])
    place = Printing("bytes,sync_median_us,sync_ratio\n65536,100,\n")
    def once(what):
        with contextlib.redirect_stderr(io.StringIO()):
            return concurrent.measure_once(place, "line", what, concurrent.METHODS[0], 1, options, "/x/summa",
                                           Progress(["x"]))
    rows = once(concurrent.ROWS)
    ok("--strided" not in place.called and place.called[place.called.index("--groups") + 1] == "6",
       "concurrent: rows are groups of six ranks", place.called)
    eq((rows.times_us(), rows.outcome.failure, rows.outcome.counters["drops"]), ({1 << 16: 100.0}, None, 2),
       "concurrent: the benchmark's time and the links' drops")
    once(concurrent.COLUMNS)
    ok("--strided" in place.called, "concurrent: columns are strided", place.called)
    place.text = "size,panel,time_us\n768,64,9\n768,64,5\nPASS run_summa: 3 checks\n"
    eq((once(concurrent.SUMMA_LINE).times_us(), place.called[-5:]), ({768: 5.0}, ["/x/summa", "768", "64", "6", "2"]),
       "concurrent: SUMMA's last multiplication")
    place.text = "size,panel,time_us\n768,64,9\n"
    eq(once(concurrent.SUMMA_LINE).outcome.failure, "1 results for 2 sizes", "concurrent: a SUMMA that ends early")


def test_sharing():
    ends = [(link["from"], link["to"]) for link in line_links(3, {"a": "s0", "b": "s0", "c": "s1", "d": "s2"})]
    def took(n_segments, *broadcasts):
        return sharing.completion(ends, [sharing.Broadcast(*each) for each in broadcasts], n_segments)
    eq((took(5, ("a", [[("a", "b")]])), took(5, ("a", [[("a", "d")]]))), (6, 8),
       "sharing: a message of five segments over two links, and over four")
    eq(took(5, ("a", [[("a", "b"), ("b", "c")]])), 9, "sharing: a chain is a pipeline")
    eq(took(5, ("a", [[("a", "b"), ("a", "c")]])), 12, "sharing: a link carries one after the other")
    eq(took(4, ("a", [[("a", "b"), ("b", "c")], [("a", "c"), ("c", "b")]])), 9, "sharing: two streams")
    eq((took(8, ("a", [[("a", "c")]]), ("b", [[("b", "d")]])), took(8, ("a", [[("a", "c")]]), ("d", [[("d", "b")]]))),
       (19, 11), "sharing: broadcasts share a direction of a link, and not the other one")
    spread = [(link["from"], link["to"]) for link in line_links(3, {"a": "s1", "b": "s0", "c": "s2", "d": "s1", "e": "s0",
                                                                    "f": "s2"})]
    orders = sharing.depth_first_orders(sharing.Ways(spread), ["a", "b", "c", "d"])
    eq(orders, [["a", "d", "b", "c"], ["a", "d", "c", "b"]], "sharing: orders from the middle of a line")
    chosen = sharing.chosen_together(spread, [["a", "b", "c"], ["e", "d"]])
    eq(chosen[0].receivers(0, "c"), ["b"], "sharing: what is chosen together leaves a link's direction to the other")
    chosen = sharing.chosen_together(spread, [["a", "b", "c"], ["f", "d"]])
    eq(chosen[0].receivers(0, "b"), ["c"], "sharing: or that of another link")
    for shape in (*sharing_experiment.SHAPES, sharing_experiment.RANDOM):
        network = sharing_experiment.Network(shape, 5)
        eq([network.alike(network.hosts), network.alike([host for host in network.hosts if network.at[host] == "s0"])],
           [1, 1], f"sharing: what has all hosts, or those of one switch, is alone, {shape}")
        names = re.findall(r"\bn\d+", network.text())
        eq(sorted(names, key=natural), network.hosts, f"sharing: each host once, {shape}")
        switches = re.findall(r"Name=(\w+)", network.text())
        eq(len(network.links()), 2 * (len(network.hosts) + len(switches) - 1), f"sharing: a tree, {shape}")


def test_hosts():
    for name, (_, n_hosts, _) in hosts.NETWORKS.items():
        text = hosts.topology_of(name)
        names = [f"n{i}" for a, b in re.findall(r"n\[(\d+)-(\d+)\]", text) for i in range(int(a), int(b) + 1)] \
            + re.findall(r"\bn\d+", text)
        eq(sorted(names, key=natural), [f"n{i}" for i in range(n_hosts)], f"hosts: each host once, {name}")
        ok(re.search(r"Nodes=n(0,n1\b|\[0-)", text), f"hosts: the first two are on one switch, {name}", text)
    measured = hosts.Measured(os.path.join(WORK, "hosts.csv"))
    measured.up_s["leaves-64"] = 7.0
    for ratio in (1.2, 1.4, 1.5):
        hosts_add(measured, "leaves-64", ratio)
    eq((measured.ratio("leaves-64 pipebcast:twotree:1426", "measured", 1 << 16),
        measured.ratio("leaves-64 pipebcast:twotree:1426", hosts.PREDICTED, 1 << 16)), (1.4, 1.0),
       "hosts: medians over rounds, beside the simulator's")
    text = "\n".join(hosts.table(measured))
    ok("1.400     1.000 +40.0 %" in text and "  7.0 " in text, "hosts: the table", text)
    measured.up_s["ranks-16x8"] = 1.0
    hosts_add(measured, "ranks-16x8", 1.1, predicted={})
    ok("1.100         -       -" in "\n".join(hosts.table(measured)), "hosts: no simulator for many ranks on a host",
       "\n".join(hosts.table(measured)))


def hosts_add(measured, network, ratio, predicted=None):
    outcome = Outcome()
    outcome.rows = [{"bytes": "65536", "pingpong_us": "1", "sync_median_us": str(ratio), "sync_ratio": str(ratio),
                     "sync_iterations": "3"}]
    measured.add(network, Method("pipebcast:twotree:1426"), 1, outcome,
                 {1 << 16: 1.0} if predicted is None else predicted)


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


def status_of(module, names, experiment, options=None):
    """The exit status of an experiment's run, while `names` stand for what a module has."""
    options = argparse.Namespace(**{"seeds": 3, "topologies": None, "only_sizes": [1 << 16], "rate": "2mbit",
                                    "output": WORK, "lines": None, **(options or {})})
    directory = os.path.join(WORK, "status")
    os.makedirs(directory, exist_ok=True)
    kept = {name: getattr(module, name) for name in names}
    try:
        for name, value in names.items():
            setattr(module, name, value)
        with contextlib.redirect_stdout(io.StringIO()):
            return experiment.run(options, directory)
    finally:
        for name, value in kept.items():
            setattr(module, name, value)


def figures_status(times_us, failure=None):
    """Of discover: two trees with the file that was found take times_us, with the true one 100."""
    def measure(_options, _directory, measured):
        measured.networks.append(found_network(1, times_us, (100,)))
        measured.networks[0].failures += [failure] if failure else []
        return False
    return status_of(discover.DISCOVER, {"_measure": measure}, discover.DISCOVER)


def fig8_status(holds, failures=()):
    verdict = claims.Verdict(claims.Claim("x", "a", "b", high=1), [("1", "x", 1 if holds else 2)])
    study = argparse.Namespace(measure=lambda: False, write=lambda: None, text=lambda: "",
                               verdicts=lambda: [verdict], failures=lambda: failures)
    return status_of(p4_fig8, {"Study": lambda *_: study}, p4_fig8.FIG8)


def advice_text(tree):
    """Advice for the hosts of the grid: tree(name) yields a host's parent."""
    hosts = [f"h{i:02d}" for i in range(32)]
    return "\n".join(["pipebcast-advice 1", "written 1", "max-age 9", *(f"host {h}" for h in hosts),
                      "tree h04 from 1 to 500000 segment 1426 streams 1", "edge 0 h04 h00",
                      "tree h04 from 500001 to 9000000 segment 2874 streams 2",
                      *(f"edge {s} {tree(h)} {h}" for s in (0, 1) for h in hosts if h != "h04"), "end 0"]) + "\n"


def by_clusters(host):
    """The root sends to the first host of each cluster, which sends to the others of it."""
    first = int(host[1:]) // 4 * 4
    return "h04" if f"h{first:02d}" == host else f"h{first:02d}"


def facts_of(tree, ms):
    directory = os.path.join(WORK, "advice")
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "advice-1"), "w", encoding="utf-8") as file:
        file.write(advice_text(tree))
    return p4_trees.Facts(read_advised(directory, "h04", 1 << 20), grid.Grid(4), [9e9, *[1e3 * ms] * 3])


def test_trees():
    flat, ours = facts_of(lambda _: "h04", 200), facts_of(by_clusters, 100)
    eq((flat.between("c2", "c8"), ours.between("c2", "c8")), (8, 2), "figure 9: edges of both streams are counted")
    eq((flat.most_into(), ours.most_into()), (4, 1), "figure 9: the most edges of a stream into a cluster")
    eq((flat.ms, ours.ms), (200, 100), "figure 9: the first broadcast does not count")
    eq(ours.share_not_from(("c1", "c3")), 1.0, "figure 10: no edge to another cluster begins in C1 or C3")
    eq(facts_of(lambda host: "h00" if host > "h27" else by_clusters(host), 1).share_not_from(("c1", "c3")), 6 / 10,
       "figure 10: the four that do are found")
    loads = p4_trees.FIG10.loads(grid.Grid(4))
    eq([(load.sender, load.receiver) for load in loads], [("h08", "h00")],
       "figure 10: a load from a host of C3 to one of C1")
    eq(len(p4_trees.FIG10_BOTH.loads(grid.Grid(4))), 2, "figure 10: or one each way")
    eq((p4_trees.FIG9.loads(grid.Grid(4)), p4_trees.FIG9.size, p4_trees.FIG10.size),
       ([], (1 << 20) * 55 // 60, (1 << 20) * 47 // 60), "figures 9 and 10: the sixth and the fourteenth broadcast")
    directory = os.path.join(WORK, "advice")
    eq(read_advised(directory, "h04", 1000).segment, 1426, "advice: the tree of the size is taken")
    raises(lambda: read_advised(directory, "h05", 1000), "advice: no tree of the root")
    raises(lambda: read_advised(WORK, "h04", 1000), "advice: no file of it")


def tree_status(figure, ours_ms, failure=None):
    def study(*_):
        facts = {"multilevel": facts_of(by_clusters, 100), "mateescu": facts_of(lambda _: "h04", 400),
                 "adaptive": facts_of(by_clusters, ours_ms)}
        return argparse.Namespace(place=None, measure=None, facts=facts, outcomes={}, table=lambda: [],
                                  grid=grid.Grid(4), failures=lambda: [failure] if failure else [])
    return status_of(p4_trees, {"TreeStudy": study, "measure_at": lambda *_: False}, figure, {"wan_rate": "8mbit"})


def grids_run(ms, failure=None):
    outcome = Outcome()
    outcome.rows = [{"broadcast": str(i), "bytes": "65536", "time_us": str(1e3 * ms)} for i in range(p4_grids.TIMES)]
    outcome.rows[0]["time_us"] = "9e9"
    outcome.failure = failure
    return p4_grids.Run(outcome)


def grids_status(ours_ms, failure=None):
    real = p4_grids.GridStudy

    def study(name, grid_of, options, _directory):
        made = real.__new__(real)
        made.__dict__.update(name=name, grid=grid_of, options=options, place=None, sizes=[1 << 16],
                             runs={(1 << 16, "multilevel"): grids_run(100, failure),
                                   (1 << 16, "adaptive"): grids_run(ours_ms)})
        return made
    return status_of(p4_grids, {"GridStudy": study, "measure_at": lambda *_: False}, p4_grids.GRIDS_EXPERIMENT,
                     {"segment_sizes": [2874], "seed": 1})


def test_grids():
    run = grids_run(70)
    eq(run.settled(), 70.0, "p4-grids: the median of the last broadcasts")
    run.ms.pop()
    eq(run.settled(), None, "p4-grids: there is none of a run that ended early")
    ok(set(p4_grids.GRIDS) <= set(read_grids()), "p4-grids: its grids are kept")
    raises(lambda: p4_grids.GRIDS_EXPERIMENT.run(argparse.Namespace(topologies=["grid-99"]), WORK),
           "p4-grids: refuses a grid that there is not")
    raises(lambda: p4_grids.GRIDS_EXPERIMENT.run(argparse.Namespace(topologies=None, seed=4), WORK),
           "p4-grids: refuses a situation that there is not")


def parallel_status(ratio):
    def measure(_options, _directory, _networks, measured):
        measured.runs += [parallel_run("single", 1, (100, 100)), parallel_run("2-spines", 1, (ratio * 100,) * 2)]
        return False
    return status_of(parallel.PARALLEL, {"_measure": measure}, parallel.PARALLEL, {"only_sizes": [1 << 20]})


def learn_status(us):
    def measure(_options, _directory, topology, _sizes, measured):
        measured.add(topology, "pipebcast", learnt_outcome(1 << 16, [us] * 50))
        measured.add(topology, "pipebcast:twotree:702", learnt_outcome(1 << 16, [100] * 3))
        return False
    return status_of(learn.LEARN, {"_measure": measure}, learn.LEARN, {"topologies": ["1"]})


def dilation_status(ratio):
    def measure(_options, _rates, measured):
        for rate, value in (("1mbit", 1.0), ("2mbit", ratio)):
            outcome = Outcome()
            outcome.rows = [{"bytes": "65536", "pingpong_us": "1", "sync_median_us": str(value),
                             "sync_ratio": str(value), "sync_iterations": "1"}]
            measured.add(rate, dilation.SLEEP, dilation.METHODS[0], 1, outcome)
        return False
    return status_of(dilation.DILATION, {"_measure": measure}, dilation.DILATION, {"rates": None})


def concurrent_status(factor):
    def measure(_options, _directory, _networks, measured):
        measured.forced["line", concurrent.ROWS] = 6
        measured.runs.append(concurrent_run(concurrent.ROWS, "pipebcast",
                                            [factor * concurrent.bound_us(6, 1 << 18, 2e6)]))
        return False
    return status_of(concurrent.CONCURRENT, {"_measure": measure}, concurrent.CONCURRENT)


def sharing_status(ratio):
    ratios = {"chain": ratio, "twotree": 1.0}
    return status_of(sharing_experiment, {"need_program": lambda *_: None,
                                          "ratio_of": lambda _topo, _directory, _network, kind, _size: ratios[kind]},
                     sharing_experiment.SHARING, {"topo": None, "kinds": "chain,twotree", "seed": 1})


def hosts_status(ratio, up_s=5.0):
    def measure(_options, _directory, network, measured):
        measured.up_s[network] = up_s
        hosts_add(measured, network, ratio)
        return False
    return status_of(hosts.HOSTS, {"_measure": measure}, hosts.HOSTS)


def auto_status(ratio, failures=()):
    times = {auto.AUTO: ratio, auto.BEST: 1, auto.PREDICTED: ratio}
    search = argparse.Namespace(failures=lambda: failures, topology="1")
    run = argparse.Namespace(measure=lambda: False, text=lambda: "", search=search, sizes=[1 << 16],
                             rows=lambda: [], time_us=lambda name, size: times.get(name, 10))
    return status_of(auto, {"AutoRun": lambda *_: run}, experiments.BY_NAME["auto"], {"topologies": ["1"]})


def segments_status(ratio, failures=()):
    shared = argparse.Namespace(
        measure=lambda *_: None, search=argparse.Namespace(topology="1", failures=lambda: failures),
        sizes=[1 << 16], predicted={}, interrupted=False, time_us=lambda name, size: ratio if name == "a" else 1)
    table = p2_table3.OfSegments("x", "", "", lambda _: [], [claims.Claim("x", "a", "b", high=1.1)])
    return status_of(p2_table3, {"SHARED": shared}, table)


def costs_status(ratio):
    class Table(p2_table2.CostTable):
        """A table without rows."""

        def table(self, costs):
            return []

        def time_us(self, rows, name, size):
            return ratio if name == "a" else 1

    table = Table("x", "", "", "1", [4096], [claims.Claim("x", "a", "b", high=1.1)])
    names = {"Testbed": lambda *_: None, "measure_at": lambda *_: False, "read_costs": lambda _: {"switch": {4096: argparse.Namespace()}},
             "Tuned": lambda *_: argparse.Namespace(path="", prepare=None)}
    return status_of(p2_table2, names, table)


def table1_status(factor, failure=None):
    """Of Table 1: all algorithms take `factor` times what it has for them."""
    matrix = Matrix([each.method for each in p2_table1.ALGORITHMS], [K, 2 * K])
    for each in p2_table1.ALGORITHMS:
        outcome = Outcome()
        outcome.failure = failure
        outcome.rows = [{"bytes": str(size), "pingpong_us": str(size), "limited": "0",
                         "sync_median_us": str(factor * each.factor(16) * size)} for size in matrix.sizes]
        matrix.outcomes[each.method.name] = [outcome]
    return status_of(p2_table1.TABLE1, {"measure": lambda *_: (matrix, "1", 16, False)}, p2_table1.TABLE1)


def thresholds_status(took):
    """Of section 5.4: broadcasts take `took` times the pipeline term."""
    found = [p2_thresholds.Threshold(kind, degree, 5, K) for kind, degree in p2_thresholds.KINDS]
    for each in found:
        each.took_us = took * each.degree * each.n_segments
    rows, matrix = {K: argparse.Namespace(rtt=2000)}, Matrix([each.method for each in found], [8 * K])
    return status_of(p2_thresholds.THRESHOLDS, {"measure": lambda *_: (rows, found, matrix, "4")},
                     p2_thresholds.THRESHOLDS)


def irregular_status(ratio):
    rows = [{"seed": 1, "spanning_tree": how, "kind": kind, "segments": 512, "time": 1, "ratio": ratio}
            for how in p2_irregular.SPANNING for kind in p2_irregular.KINDS]
    return status_of(p2_irregular.IRREGULAR, {"rows": lambda *_: rows}, p2_irregular.IRREGULAR)


def test_status():
    """A claim that does not hold is a failure, of every experiment."""
    holds = claims.Verdict(claims.Claim("x", "a", "b", high=1), [("1", 1, 1)])
    fails = claims.Verdict(claims.Claim("x", "a", "b", high=1), [("1", 1, 2)])
    unknown = claims.Verdict(claims.Claim("x", "a", "b", high=1), [])
    eq([claims.exit_status(*arguments) for arguments in (
        ([],), ([holds, unknown],), ([holds, fails],), ([holds], ["x"]), ([fails], ["x"]), ([fails], [], True))],
       [0, 0, 3, 1, 1, 130], "exit status: of claims, failures and interruptions")
    eq((figures_status((104,)), figures_status((120,)), figures_status((120,), "failed")), (0, 3, 1),
       "exit status: discover, by its claim")
    eq(status_of(discover.DISCOVER, {"_measure": lambda *_: False}, discover.DISCOVER), 3,
       "exit status: discover, by its facts: nothing was measured")
    eq([tree_status(p4_trees.FIG9, *more) for more in ((104,), (110,), (110, "x"))], [0, 3, 1],
       "exit status: p4-fig9")
    eq((tree_status(p4_trees.FIG10, 98), tree_status(p4_trees.FIG10, 99)), (0, 3), "exit status: p4-fig10")
    eq((grids_status(104), grids_status(106), grids_status(106, "x")), (0, 3, 1), "exit status: p4-grids")
    eq((fig8_status(True), fig8_status(False), fig8_status(False, ["x"])), (0, 3, 1), "exit status: p4-fig8")
    eq((parallel_status(1.02), parallel_status(1.2)), (0, 3), "exit status: parallel")
    eq((learn_status(100), learn_status(150)), (0, 3), "exit status: learn")
    eq((dilation_status(1.01), dilation_status(1.1)), (0, 3), "exit status: dilation")
    eq((concurrent_status(1.1), concurrent_status(1.3)), (0, 3), "exit status: concurrent")
    eq((sharing_status(0.9), sharing_status(1.1)), (0, 3), "exit status: sharing")
    eq((hosts_status(1.01), hosts_status(1.2), hosts_status(1.01, 61.0)), (0, 3, 1), "exit status: hosts")
    eq((auto_status(1), auto_status(1.3), auto_status(1.3, ["x"])), (0, 3, 1), "exit status: auto")
    eq((segments_status(1), segments_status(2), segments_status(2, ["x"])), (0, 3, 1),
       "exit status: p2-table3 and what shares its measurements")
    eq((costs_status(1), costs_status(2)), (0, 3), "exit status: p2-table2 and tables like it")
    eq((table1_status(1.1), table1_status(1.3), table1_status(1.3, "x")), (0, 3, 1),
       "exit status: p2-table1")
    eq((thresholds_status(1.4), thresholds_status(1.6)), (0, 3), "exit status: p2-thresholds")
    eq((irregular_status(1.04), irregular_status(1.3)), (0, 3), "exit status: p2-irregular")
    # test_flow has figures, test_arrival_flow those of arrival patterns, test_links.sh the links.
    tested = {"Experiment", "ArrivalFigure", "Links", "Discover", "Fig8", "TreeFigure", "Grids", "Parallel",
              "Learn", "Dilation", "Auto", "Concurrent", "Hosts", "Sharing",
              "OfSegments", "CostTable", "Table1", "Thresholds", "Irregular"}
    eq([e.name for e in experiments.ALL if not tested & {c.__name__ for c in type(e).__mro__}], [],
       "exit status: every experiment's is tested")


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
                     test_near_best, test_links, test_grid, test_grid_comparison, test_trees, test_grids, test_parallel,
                     test_learn, test_discover, test_concurrent, test_concurrent_once, test_sharing, test_hosts, test_status,
                     test_small, test_counters, test_parallel_flow, test_flow, test_arrival_flow, test_interrupt, test_options):
            test()
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    print(f"1..{COUNT[0]}")
    return 1 if COUNT[1] else 0


if __name__ == "__main__":
    sys.exit(main())
