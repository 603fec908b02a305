#!/usr/bin/env python3
"""TAP test of what is made of samples: views, claims and their verdicts; and of what is computed. Samples are made up."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../contrib/experiments"), os.path.join(HERE, "..")]

# pylint: disable=wrong-import-position
from benchlib import claim_table, claims, experiments, formulas, grid, sharing, tuning, units
from benchlib.advised_trees import read_advised
from benchlib.experiments import (choices, dilated, firsts, p2_costs, p2_fig5, p2_irregular, p2_table1, p2_table3, p3_arrival, p3_theorems, p4_fig8, p4_trees,
                                  simulated)
from benchlib.experiments import sharing as sharing_experiment
from benchlib.experiment import COMPUTED, MethodView
from benchlib.pictures import Curve, Diagram, curves_svg
from benchlib.places import Testbed, counted_doubts
from benchlib.samples import COLUMNS
from benchlib.units import UserError
from pipebcast_sizes import in_natural_order
from tap import Tap

K = 1024
tap = Tap()


def raises(function, text):
    try:
        function()
        tap.ok(False, text)
    except UserError:
        tap.ok(True, text)


def sample(network, method, size, ns, *, segment=0, broadcast=0, speed="2mbit", run=1, dilation="1"):
    return {"network": network, "speed": speed, "dilation": dilation, "method": method, "segment": segment, "bytes": size, "run": run,
            "broadcast": broadcast, "nanoseconds": ns}


def verdicts(experiment, samples):
    """Whether each claim of an experiment holds, None where nothing was measured."""
    view = experiment.view({name: [] for name in [*experiments.MEASURED, "trees", "first"]} | samples)
    return [claims.judge(claim, view.points(), view.value).holds for claim in experiment.claims]


def test_judge():
    claim = claims.Claim("a is twice b", "a", "b", low=1.9, high=2.1, sizes=(10, 30), places=("1",))
    times = {"a": 20, "b": 10, claims.T: 5}
    points = [("1", 5), ("1", 10), ("1", 30), ("1", 40), ("2", 20)]
    verdict = claims.judge(claim, points, lambda place, name, size: times[name])
    tap.eq([(p, s) for p, s, _ in verdict.ratios], [("1", 10), ("1", 30)], "a claim is judged at its sizes and places only")
    tap.ok(verdict.holds, "it holds")
    times["a"] = 42
    verdict = claims.judge(claim, points, lambda place, name, size: times[name])
    tap.eq((verdict.holds, verdict.extremes()), (False, [("1", 10, 4.2)]), "it does not, and where")
    best = claims.Claim("the best of two", ("a", "b"), claims.T, low=2, high=2)
    tap.ok(claims.judge(best, [("1", 1)], lambda p, n, s: times[n]).holds, "the fastest of lines")
    known = claims.judge(best, [("1", 1)], lambda p, n, s: None if n == "a" else times[n])
    tap.eq(known.holds, None, "the fastest is not known where one is missing")
    alone = claims.Claim("a ratio", "a", None, low=40)
    tap.eq((claims.judge(alone, [("1", 1)], lambda p, n, s: times[n]).ratios, claims.ratio_text(alone)), ([("1", 1, 42)], "a"),
           "a line that is a ratio already")


def test_all():
    named = {e.name for e in experiments.ALL}
    tap.eq(len(named), len(experiments.ALL), "names of experiments are different")
    empty = {name: [] for name in [*experiments.MEASURED, "trees", "first"]}
    rows = claim_table.rows_of(experiments.ALL, empty)
    tap.eq({row["verdict"] for row in rows}, {"NOT MEASURED"}, "without samples there is no verdict")
    for figure in experiments.p2_fig13.FIGURES + [experiments.p2_fig12.FIG12, experiments.p2_fig15.FIG15, experiments.p2_fig16.FIG16]:
        said = {name for claim in figure.claims for side in (claim.of, claim.over) for name in claims.names_of(side)}
        tap.eq(said - set(figure.lines) - {claims.T}, set(), f"{figure.name}: claims name lines that are there")


def test_methods():
    trees = [sample("(1)", "pipebcast:chain", 65536, ns, segment=segment) for segment, ns in ((512, 30), (1024, 20), (1024, 22), (8192, 40))]
    view = MethodView(trees, "2mbit", {"chain": "pipebcast:chain", "chain, 512": "pipebcast:chain:512"})
    tap.eq((view.points(), view.value("1", "chain", 65536), view.value("1", "chain, 512", 65536), view.value("1", "chain", 1)),
           ([("1", 65536)], 21, 30, None), "the best segment size, or the one of the line")
    tap.eq(MethodView(trees, "1gbit").points(), [], "samples of another speed do not count")


def test_table1():
    factors = {"flat": 15, "binomial": 4, "scatter+ring": 2, "linear": 1, "binary": 2.5, "3-ary": 3}
    samples = [sample("(1)", p2_table1.ALGORITHMS[name][0], size, 5000 + factor * size, segment=1426)
               for name, factor in factors.items() for size in (K, 2 * K)]
    samples += [sample("(1)", "T", size, 100 + size) for size in (K, 2 * K)]
    other = [sample("(5)", "pipebcast:chain", size, 1) for size in (512, K, 4 * K)]
    tap.eq(verdicts(p2_table1.TABLE1, {"trees": other + samples}), [True, True, True, True, False, True],
           "Table 1: what fills the pipeline does not count; a binary tree that takes 2.5 T(M) is none of Table 1")
    tap.eq(verdicts(p2_table1.TABLE1, {"trees": samples[:1] + samples[-2:]}), [None] * 6, "one size does not tell")


def made_up_costs():
    """g a nanosecond for each byte and 60 more, and as much again in T."""
    return [sample("(1)", name, size, ns) for size in sorted({*p2_costs.PAPER_SIZES, *p2_costs.MESSAGES})
            for name, ns in (("g", size + 60), ("RTT", 2 * (size + 120)))]


def test_choices():
    peers = [sample("(5)", method, 64 * K, ns, segment=segment) for method, segment, ns in
             (("T", 0, 1), ("pipebcast", 0, 100), ("pipebcast:multicast_allowed", 0, 120), ("pipebcast:twotree", 1426, 96), ("pipebcast:twotree", 2874, 99),
              ("tuned", 0, 150), ("tuned:binary", 1426, 110), ("mpich@mpich", 0, 200))]
    tap.eq(verdicts(choices.CHOICES, {"peers": peers}), [True, False, True, False],
           "choices: faster than others, 4 % behind the best tree by name; with multicast it is slower")
    slow = [sample("(5)", method, 64 * K, 90, segment=1426) for method in ("tuned:pipeline", "pipebcast:chain")]
    tap.eq(verdicts(choices.CHOICES, {"peers": peers, "speeds": slow}), [False, False, False, False], "choices: of all experiments")


def test_dilated():
    times = [sample("4 hosts", "pipebcast:chain", K, ns, segment=8 * K, dilation=dilation) for dilation, ns in (("500", 106), ("1000", 100), ("2000", 96))]
    at_full_speed = [sample("2 hosts", "T", K, ns, dilation=dilation) for dilation, ns in (("1", 109), ("1000", 100))]
    tap.eq(verdicts(dilated.DILATED, {"dilation": times, "undilated": at_full_speed}), [False, True, True], "dilations: 6 % more, 4 % less, and 9 % more")
    computed = [sample("4 hosts, 2mbit", "pipebcast:chain", K, 100, segment=8 * K, speed="computed")]
    tap.eq(verdicts(simulated.SIMULATED_EXPERIMENT, {"dilation": times[1:], "simulated": computed}), [True], "the simulation is beside each dilation")
    times[0]["nanoseconds"] = 112
    tap.eq(verdicts(simulated.SIMULATED_EXPERIMENT, {"dilation": times, "simulated": computed}), [False], "of which one may be too far off")


def test_firsts():
    def job(method, run, *times):
        return [sample("(5)", method, 64 * K, ns, broadcast=n, run=run) for n, ns in enumerate([*times, *[10] * (68 - len(times))])]
    jobs = [*job("pipebcast", 1, 25, 11), *job("pipebcast", 2, 25, 12), *job("pipebcast", 3, 25, 10, 10, 13), *job("pipebcast:connected", 1, 13)]
    tap.eq(verdicts(firsts.FIRSTS, {"first": [sample("(5)", "T", 64 * K, 1), *jobs]}), [True, True, False, True, None],
           "first broadcasts: the median of jobs counts, over what each of them settled at")
    tap.eq(verdicts(firsts.FIRSTS, {"first": job("pipebcast:connected", 1, 14)})[0], False, "connected before, the first takes 1.4")
    tap.eq(verdicts(firsts.FIRSTS, {"first": job("pipebcast:multicast_allowed", 1, *[17] * 5)})[4], False, "five of ten that take 1.7 times are too many")


def test_costs():
    costs = made_up_costs()
    tap.eq(verdicts(p2_costs.TABLE2, {"costs": costs}), [True, True, True], "Table 2: L = RTT / 2 - g")
    tap.eq(verdicts(p2_costs.TABLE4, {"costs": costs}), [True], "Table 4: 60 more for each segment are within 10 % from 1 KB on")
    known = {size: (size + 60, size + 120) for size in (*p2_costs.PAPER_SIZES, *p2_costs.MESSAGES)}
    tap.eq(p2_costs.segment_threshold(known), K, "section 5.4: the least segment that costs within 10 %")
    raises(lambda: p2_costs.segment_threshold({size: (size + 10 ** 6,) * 2 for size in known}), "segments that all cost too much")
    tap.eq(round(p2_costs.cut_ns(K, 32 * K, 0.089, 0.339), 2), 3.10, "Table 4's 3.10 ms of Table 2")
    far = [sample("(1)", "g", K, 1000), sample("(1)", "RTT", K, 4000)]
    at = [sample("(1)", f"pipebcast:{kind}", hops * 2 * K, factor * degree * p2_costs.cut_ns(K, hops * 2 * K, 1000, 2000), segment=K)
          for kind, hops, degree, factor in (("chain", 15, 1, 1.49), ("binary", 4, 2, 1.6))]
    tap.eq(verdicts(p2_costs.THRESHOLDS, {"costs": far + at}), [True, False],
           "1.49 times the pipeline term is a third of delay, 1.6 times is more")
    predicted = [sample("(1)", f"chain{by}", 256 * K, ns, segment=segment)
                 for by, best in ((p2_costs.BY_FORMULA, 512), (p2_costs.BY_MODEL, 2048))
                 for segment, ns in ((512, 5), (1024, 6), (2048, 7 if best == 512 else 1))]
    measured = [sample("(1)", "pipebcast:chain", 256 * K, ns, segment=segment) for segment, ns in ((512, 12), (1024, 10), (2048, 10.5))]
    tap.eq(verdicts(p2_costs.FIG11, {"costs": predicted, "trees": measured}), [False, None, True, None],
           "Figure 11: the time with the segment size that is predicted, compared with the best")


def test_table3():
    cells = [sample("(4)", kind, size, 100, segment=segment, speed=speed) for (speed, kind), of in p2_table3.TABLE3.items()
             for size, segment in zip(p2_table3.SIZES, of)]
    cells += [sample("(4)", kind, size, 101, segment=16384, speed=speed) for speed, kind in p2_table3.TABLE3 for size in p2_table3.SIZES]
    tap.eq(verdicts(p2_table3.TABLE3_EXPERIMENT, {"p2-table3": cells}), [True, True], "Table 3's cells")
    for cell in cells[-9:]:
        cell["nanoseconds"] = 99
    tap.eq(verdicts(p2_table3.TABLE3_EXPERIMENT, {"p2-table3": cells}), [False, True], "nine that are 1 % off")


def test_golden_table3():
    """The formulas with trees of the build's planner."""
    build, computed = os.environ.get("PIPEBCAST_BUILDDIR"), []
    if not build:
        tap.skip("Table 3 of Table 2", "there is no build")
        return
    session = types.SimpleNamespace(
        topo=os.path.join(build, "contrib/tools/topo/pipebcast-topo"),
        topology_file=lambda name: os.path.join(HERE, f"../../contrib/testbed/topology{name}.conf"),
        writer=types.SimpleNamespace(write=lambda network, method, size, ns, **more: computed.append(sample(network, method, size, ns, **more))))
    p2_table3.measure(session)
    view = p2_table3.TABLE3_EXPERIMENT.view({"p2-table3": computed})
    tap.eq(round(36 * view.value(*[(place, "alike", size) for place, size in view.points()][0])), 32, "Table 2 in formulas (1) and (2): 32 cells of Table 3")
    tap.eq(verdicts(p2_table3.TABLE3_EXPERIMENT, {"p2-table3": computed}), [True, True], "and 2.3 % in the others")


def test_formulas():
    chain = {rank: [rank + 1] for rank in range(4)}
    tap.eq(formulas.printed_time(chain, 0, 100, 10, 8), 4 * (100 + 10) + 7 * 10, "formula (1): (P - 1) (L + g) + (X - 1) g")
    figure8 = {0: [1, 2], 2: [3, 4]}
    tap.eq((formulas.first_segment(figure8, 0, 100, 10), formulas.printed_time(figure8, 0, 100, 10, 8)),
           (2 * 100 + 4 * 10, 2 * 100 + 4 * 10 + 2 * 7 * 10), "formula (2): A = 2 and B = 4 in Figure 8")
    tap.eq(formulas.first_segment({0: [1, 2], 1: [3]}, 0, 100, 10), 200 + 20, "the last receiver may be below the left child")


def test_model():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model")
        for text, good in (("place switch links 2\ncost 256 296 740 1 2 3\n", True), ("", False),
                           ("place switch links 2\ncost 1 2 x 4 5 6\n", False), ("cost 1 2 3 4 5 6\n", False), ("place\n", False)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if good:
                tap.eq(tuning.read_costs(path)[256].latency, 74, "a model: L = RTT/2 - g")
            else:
                raises(lambda: tuning.read_costs(path), f"no model: {text!r}")


def test_irregular():
    for seed in range(20):
        network = p2_irregular.IrregularNetwork(seed)
        for how, span in p2_irregular.SPANNING.items():
            above = span(network, network.root())
            links = {tuple(sorted(pair)) for pair in above.items() if pair[1] is not None}
            pruned = p2_irregular.without_empty_leaves(above, network.at)
            if len(above) != p2_irregular.N_SWITCHES or not links <= network.links or len(links) != len(above) - 1 \
                    or set(network.at) - set(pruned):
                tap.ok(False, f"a spanning tree with all hosts, {how}, of network {seed}")
                return
    tap.ok(True, "three spanning trees of each of 20 networks, with all hosts")
    tap.eq(p2_irregular.without_empty_leaves({0: None, 1: 0, 2: 1, 3: 0}, [0, 3]), {0: None, 3: 0},
           "switches without hosts below them are ignored")


def test_heights():
    tap.eq(p2_fig5.height([("a", "b"), ("b", "c"), ("a", "d")]), 2, "the height of a tree counts edges")
    names = re.findall(r"[ns]\d+", p2_fig5.cluster(1, 64, 8))
    tap.eq(sorted(name for name in names if name[0] == "n"), sorted(f"n{host}" for host in range(64)), "each machine is at one switch")
    tap.eq(sorted(name for name in names if name[0] == "s"), sorted([f"s{switch}" for switch in range(8)] + [f"s{switch}" for switch in range(1, 8)]),
           "and each switch but the first below one")


def arrivals(network, line, averages, size=256 * K, opt=100, waiting=50):
    return [sample(network, line + what, size, ns, broadcast=number) for number, average in enumerate(averages)
            for what, ns in (("", average), (p3_arrival.OPT, opt), (p3_arrival.WAITING, waiting))]


def test_arrivals():
    fig7 = p3_arrival.FIG7
    rivals = [s for max_if in (1, 16) for line in p3_arrival.RIVALS for s in arrivals(f"(1), random, MAX_IF {max_if}", line, [300, 500])]
    ours = [s for max_if in (1, 16) for s in arrivals(f"(1), random, MAX_IF {max_if}", "arrival_b", [120, 200])]
    tap.eq(verdicts(fig7, {"p3-fig7": rivals + ours}), [True] * 4, "Figure 7's claims hold")
    worse = ours + arrivals("(1), random, MAX_IF 16", "arrival_b", [310])
    tap.eq(verdicts(fig7, {"p3-fig7": rivals + worse}), [True, True, False, False], "one pattern is worse than 3 OPT, and the mean")
    view = fig7.view({"p3-fig7": ours})
    tap.eq((view.points(), view.value("a", "arrival_b" + p3_arrival.NET, 16), view.where("a", 16)),
           ([("a", 1), ("a", 16)], 110, "at 256K, MAX_IF 16"), "points are MAX_IF; less the waiting for the root")
    tap.eq(fig7.view({"p3-fig7": ours + arrivals("(1), random, MAX_IF 16", "arrival_b", [900], size=512 * K)}).value("a", "arrival_b", 16),
           160, "over MAX_IF the figure's size counts")
    noticed = p3_arrival.NOTICED.view({"p3-auto": arrivals("(5), late, MAX_IF 16", "arrival_b", [9] * 5 + [1, 3])})
    tap.eq(noticed.value("b", "arrival_b", 256 * K), 2, "what is learned from does not count")
    for figure in p3_arrival.FIGURES:
        tap.eq(set(figure.lines) - set(p3_arrival.LINES), set(), f"{figure.name}: its lines are there")


def test_theorems():
    def runs(against, line, average, max_if, opt=200, opt_nb=70, n=8):
        return [sample(p3_theorems.network_of(n, against, max_if), line + what, 64 * K, ns)
                for what, ns in (("", average), (p3_theorems.OPT, opt), (p3_theorems.OPT_NB, opt_nb))]
    second = [one for line, near, far in (("linear_p", 480, 1800), ("tuned scatter+rec.", 480, 1440), ("tuned scatter+ring", 960, 2900),
                                          ("arrival_nb", 200, 230), ("flat_nb", 420, 420))
              for max_if, average in ((8, near), (32, far)) for one in runs(p3_theorems.SECOND, line, average, max_if)]
    others = [*runs(p3_theorems.TOGETHER, "flat", 320, 1, opt=70), *runs(p3_theorems.CHILDREN, "binomial", 400, 8),
              *runs(p3_theorems.LAST, "linear_p", 210, 8), *runs(p3_theorems.SECOND, "arrival_b", 610, 8)]
    tap.eq(verdicts(p3_theorems.THEOREMS, {"p3-theorems": second + others}),
           [True, False, True, True, None, True, True, False, False, True, True, False], "Theorems 1 to 6: which arrivals are bad enough, and what is 3 OPT")
    tap.eq(p3_theorems.AGAINST[p3_theorems.CHILDREN].late(32), [1, 2, 4, 8, 16], "children of the root in a binomial tree")


def test_phases():
    fig8 = p4_fig8.FIG8
    before, loaded, after = fig8.phases()[:3]
    def line(name, times):
        return [sample(phase, name, 65536, 65536 * ns) for phase, of in zip((before, loaded, after), times) for ns in of]
    static, ours = line("multilevel", [[10], [20, 40], [10]]), line("adaptive", [[10], [15], [10, 12]])
    tap.eq(verdicts(fig8, {"p4-fig8": static + ours}), [True, False, True, None, None, None, None],
           "Figure 8: half as slow under load; after it slower by 10 %")
    tap.eq(verdicts(fig8, {"p4-fig8": static + line("adaptive", [[10], [15], [12, 9]])})[:3], [True, True, False],
           "the first broadcast after a load")
    short = [{**s, "bytes": 1000} for s in static + ours]
    tap.eq(set(verdicts(fig8, {"p4-fig8": short})), {None}, "short messages are not compared")


def test_grid():
    made = grid.Grid(4)
    tap.eq((made.n_hosts, made.root, made.host(made.root)), (32, 4, "h04"), "grid: hosts and root")
    text = made.topology()
    tap.ok("SwitchName=c3 Nodes=h[08-11]" in text and "SwitchName=anl Switches=c3,c4 LinkSpeed=1" in text
           and text.count("SwitchName") == 13, "grid: the topology")
    tap.eq(made.settings().count("set "), 12, "grid: a latency for each link of clusters and sites")
    free, loaded = made.links(), made.links([("c3", "c1", 0.75)])
    tap.eq(({ends for ends in free if free[ends] != loaded[ends]}, loaded["c3", "anl"], loaded["anl", "wan"]),
           ({("h08", "c3"), ("c3", "anl"), ("anl", "wan"), ("wan", "sdsc"), ("sdsc", "c1"), ("c1", "h00")}, (0.25, 2e5), (3.25, 4e6)),
           "grid: a load takes of each link on its way, in its direction")
    tap.eq(len(free), 2 * (32 + 8 + 4), "grid: all links both ways")
    tap.ok("\nlink c3 c4 latency 410000 bandwidth 225000\n" in made.links_text(loaded)
           and "\nlink c4 c3 latency 410000 bandwidth 900000\n" in made.links_text(loaded), "grid: links as the probe writes them")
    schedule = grid.make_schedule(60, 1 << 20, 8e6, 1.5, 0.05)
    tap.eq((len(schedule), schedule[0].size, schedule[-1].size), (60, 1 << 20, (1 << 20) // 60), "grid: sizes fall from the largest")
    idle = [b.at - a.at - a.size * 8 / 7.2e6 for a, b in zip(schedule, schedule[1:])]
    tap.ok(abs(idle[0] - 1.5) < 0.01 and abs(idle[-1] - 0.05) < 0.01 and all(a > b - 0.002 for a, b in zip(idle, idle[1:])),
           "grid: gaps shrink")
    loads = grid.make_loads(1, 100, (6, 8), (4, 7))
    tap.eq(loads, grid.make_loads(1, 100, (6, 8), (4, 7)), "grid: a seed's loads repeat")
    tap.ok(all(0.5 <= load.share <= 0.9 and 6 <= load.end - load.begin <= 8.01 for load in loads)
           and all(4 <= b.begin - a.end <= 7.01 for a, b in zip(loads, loads[1:]))
           and {load.sender for load in loads[:2]} == {"c3", "anl"}, "grid: loads as in the paper")
    tap.eq([grid.phase_at(loads, when) for when in (0, loads[0].begin, loads[0].end, 1e9)], [0, 1, 2, 2 * len(loads)], "grid: phases")
    tap.eq(grid.loads_script([grid.Load(1, 3.5, "c3", "anl", 0.75)], 8e6), "at 1.00s load c3 anl 6000kbit 2.50s\n",
           "grid: the testbed's script")


def test_advised():
    made = grid.Grid(4)
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, "advice-x"), "w", encoding="utf-8") as file:
            file.write("tree h04 sizes 1 to 2048 segment 1024 streams 1\nedge 0 h04 h28\n"
                       "tree h04 sizes 2049 to 9999 segment 1024 streams 2\n"
                       "edge 0 h04 h05\nedge 0 h05 h28\nedge 0 h04 h29\nedge 1 h04 h00\n")
        tree = read_advised(directory, "h04", 4096)
        raises(lambda: read_advised(directory, "h00", 4096), "advice: no tree of another root")
    tap.eq(p4_trees.counts_of(tree, made), {p4_trees.FAR: 2, p4_trees.MOST_INTO: 2, p4_trees.BETWEEN: 3, p4_trees.ELSEWHERE: 3},
           "advice: edges between clusters, of each stream")
    samples = [sample("g", name, 1, ns, segment=2874, speed=COMPUTED) for name, ns in
               (("multilevel", 100), ("adaptive", 90), ("mateescu", 99), ("adaptive" + p4_trees.BETWEEN, 8),
                ("adaptive" + p4_trees.ELSEWHERE, 7))]
    tap.eq(verdicts(p4_trees.FIG10, {"p4-fig10": samples}), [False, True, True], "Figure 10: one of eight edges begins in C1 or C3")


def line_links(n, members):
    """Directed links of n switches in a line, and of hosts."""
    pairs = [(f"s{i}", f"s{i + 1}") for i in range(n - 1)] + list(members.items())
    return [link for pair in pairs for link in (pair, pair[::-1])]


def test_sharing():
    ends = line_links(3, {"a": "s0", "b": "s0", "c": "s1", "d": "s2"})

    def took(n_segments, *broadcasts, cost=None):
        return sharing.completion(ends, [sharing.Broadcast(*each) for each in broadcasts], n_segments, cost)
    tap.eq((took(5, ("a", [[("a", "b")]])), took(5, ("a", [[("a", "d")]]))), (6, 8),
           "sharing: a message of five segments over two links, and over four")
    slow = {link: (10 if link == ("s0", "s1") else 1, 3) for link in ends}
    tap.eq(took(5, ("a", [[("a", "d")]]), cost=slow), 1 + 50 + 1 + 1 + 4 * 3, "sharing: by each link's time and latency")
    tap.eq(took(5, ("a", [[("a", "b"), ("b", "c")]])), 9, "sharing: a chain is a pipeline")
    tap.eq(took(5, ("a", [[("a", "b"), ("a", "c")]])), 12, "sharing: a link carries one after the other")
    tap.eq(took(4, ("a", [[("a", "b"), ("b", "c")], [("a", "c"), ("c", "b")]])), 9, "sharing: two streams")
    tap.eq((took(8, ("a", [[("a", "c")]]), ("b", [[("b", "d")]])), took(8, ("a", [[("a", "c")]]), ("d", [[("d", "b")]]))),
           (19, 11), "sharing: broadcasts share a direction of a link, and not the other one")
    two_sides = [["a", "b"], ["b", "a"], ["a", "c"]]
    tap.eq(sharing.forced_load(line_links(3, {"a": "s0", "b": "s1", "c": "s2"}), two_sides), 2, "sharing: each direction by itself")
    spread = line_links(3, {"a": "s1", "b": "s0", "c": "s2", "d": "s1", "e": "s0", "f": "s2"})
    tap.eq(sharing.depth_first_orders(sharing.Ways(spread), ["a", "b", "c", "d"]), [["a", "d", "b", "c"], ["a", "d", "c", "b"]],
           "sharing: orders from the middle of a line")
    chosen = sharing.chosen_together(spread, [["a", "b", "c"], ["e", "d"]])
    tap.eq(chosen[0].receivers(0, "c"), ["b"], "sharing: what is chosen together leaves a link's direction to the other")
    for shape in sharing_experiment.SHAPES:
        network = sharing_experiment.Network(shape, 5)
        tap.eq(in_natural_order(re.findall(r"\bn\d+", network.text())), network.hosts, f"sharing: each host once, {shape}")
        switches = re.findall(r"Name=(\w+)", network.text())
        tap.eq(len(network.links()), 2 * (len(network.hosts) + len(switches) - 1), f"sharing: a tree, {shape}")
    samples = [sample("line", name, 1, ns, speed=COMPUTED, run=run) for run, took in ((1, (10, 30, 10)), (2, (4, 2, 2)))
               for name, ns in zip(("chain", "twotree", "bound"), took)]
    tap.eq(verdicts(sharing_experiment.SHARING, {"sharing": samples}), [True, None], "sharing: the mean over what links must carry")


FAKE_TESTBED = """#!{python} -S
import json
link = dict(zip(("from", "to", "bytes", "drops"), ("n0", "s0", 1, {drops})))
print(json.dumps(dict(testbed=dict(hosts=["n0", "n10", "n2"]), links=[link], fabric={fabric})))
"""
FABRIC = "dict(overruns={}, late_mean=0, late_max=0, cpu_seconds=0, seconds=1)"


def test_counters():
    with tempfile.TemporaryDirectory() as work:
        def counted(fabric, drops):
            """Of a testbed that tells this: what is said meanwhile, and what is doubted."""
            path = os.path.join(work, "testbed")
            with open(path, "w", encoding="utf-8") as file:
                file.write(FAKE_TESTBED.format(python=sys.executable, fabric=fabric, drops=drops))
            os.chmod(path, 0o755)
            options = argparse.Namespace(testbed=path, name="t", rate="10mbit", np=None, up_arg=[])
            with contextlib.redirect_stderr(io.StringIO()) as said:
                counters = Testbed(options, "1").counters()
            return said.getvalue(), counted_doubts("x", [argparse.Namespace(counters=counters)])

        tap.eq(counted(FABRIC.format(0), 0), ("", []), "counters: all is well")
        said, doubts = counted(FABRIC.format(7), 3)
        tap.ok(said == "" and "dropped 3" in doubts[0] and doubts[1].startswith("DOUBT: x: ") and "lost 7" in doubts[1],
               "counters: drops are noted, overruns doubted")
        tap.eq(counted("{}", 3), ("", ["note: x: full switch queues dropped 3 frames"]),
               "counters: the kernel's fabric has no overruns; its drops are noted")
        tap.ok("'overruns'" in counted("dict(late_mean=0)", 0)[0], "counters: a fabric that leaves some out is reported")


def test_paper():
    """pipebcast-paper over made up samples: two trees, whose claim holds in the table, are first faster and then slower."""
    program = os.path.join(HERE, "../../contrib/experiments/pipebcast-paper")
    head = ",".join(COLUMNS)
    times = {"T": 10, "pipebcast:chain": 24, "pipebcast:binary": 30, "pipebcast:kary": 40}
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "samples.csv")
        for twotree, status, words in ((20, 0, ["HOLDS", "1.20 at 64K on (1)"]), (35, 3, ["DOES NOT", "0.69 at 64K on (1)", "HOLDS"])):
            with open(path, "w", encoding="utf-8") as file:
                print(head, *(f"trees,(1),2mbit,1,{name},0,65536,1,0,{ns},0,made up,2026-11-26"
                              for name, ns in {**times, "pipebcast:twotree": twotree}.items()), sep="\n", file=file)
            done = subprocess.run([sys.executable, program, "--samples", path], stdout=subprocess.PIPE, text=True, check=False)
            line = next(line for line in done.stdout.splitlines() if "the two-tree is faster than all trees of the papers" in line)
            tap.ok(all(word in line for word in words), f"a claim at {twotree} is told")
            tap.eq(("claims.csv: HOLDS" in line, done.returncode), (status == 3, status), "and compared with the table")
        loader = importlib.machinery.SourceFileLoader("paper", program)
        paper = importlib.util.module_from_spec(importlib.util.spec_from_loader("paper", loader))
        loader.exec_module(paper)
        paper.TABLE = os.devnull
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = paper.judge([path])
        tap.ok(status == paper.OTHER and "claims.csv: no such claim" in said.getvalue(), "a claim that the table lacks is a difference")
        with open(path, "w", encoding="utf-8") as file:
            print(head, file=file)
        done = subprocess.run([sys.executable, program, "--samples", path], stderr=subprocess.PIPE, text=True, check=False)
        tap.ok(done.returncode == 2 and "no claim was measured" in done.stderr, "nothing measured is an error")


def test_curves():
    picture = curves_svg("times", [Diagram("(1)", {1: "1 KB", 4: "4 KB"}, [Curve("chain", [(1, 4), (4, 2)], False),
                                                                            Curve("two trees", [(1, 2), (4, 1)], True)])])
    lines = [[tuple(map(float, point.split(","))) for point in of.split()] for of in re.findall(r'points="([^"]*)"', picture)]
    tap.eq([len(line) for line in lines], [2, 2], "a picture has each curve")
    tap.ok(lines[0][0][1] < lines[0][1][1] == lines[1][0][1] < lines[1][1][1], "a longer time is higher, and the same one as high")
    tap.ok(all(f">{text}<" in picture for text in ("chain", "two trees", "1 KB", "4 KB", "(1)", "2")), "with names and ticks")
    names = re.findall(r'y="(\d+)"[^>]*>(?:a|b)<', curves_svg("", [Diagram("", {1: "", 2: ""}, [Curve(n, [(1, 3), (2, 3)], False) for n in "ab"])]))
    tap.ok(abs(int(names[0]) - int(names[1])) >= 13, "names of curves that meet do not")


def test_units():
    raises(lambda: units.parse_rate("fast"), "a rate that is none is refused")
    tap.eq((units.parse_rate("10mbit"), units.parse_rate("2.5Gbit")), (1e7, 2.5e9), "rates")


def main():
    for test in (test_judge, test_all, test_methods, test_table1, test_choices, test_dilated, test_firsts, test_costs, test_table3, test_golden_table3, test_formulas, test_model,
                 test_irregular, test_heights, test_arrivals, test_theorems, test_phases, test_grid, test_advised, test_sharing, test_counters, test_paper, test_curves, test_units):
        test()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
