#!/usr/bin/env python3
"""TAP test of paper's experiments on models: with made-up times, and a testbed, pipebcast-tune and
pipebcast-topo that are none. PAPER names the program; `make check` sets it."""

import csv
import json
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# The made-up programs, started hundreds of times, keep bytecode in a directory of their own.
sys.dont_write_bytecode = sys.pycache_prefix is None

# pylint: disable=wrong-import-position
import made_up_tuning
import test_paper as base
from test_paper import eq, ok, raises
from benchlib import formulas, tuning
from benchlib.experiments import (auto, p2_irregular, p2_table1, p2_table2, p2_table3,
                                  p2_thresholds)
from benchlib.matrix import Matrix
from benchlib.run import Outcome
from made_up_tuning import SHAPES, broadcast_us, explained, gap_us, model_text

K = 1024
made_up_tuning.SEGMENTS[:] = auto.SEGMENTS

# In sh, as it is started hundreds of times.
FAKE_TESTBED = """#!/bin/sh
what=$1
shift
echo "$what" >>"{work}/calls"
case $what in
status)
    echo '{{"testbed": {{"hosts": [{hosts}], "ppn": 1, "mtu": 1500}},
        "links": [{{"from": "n0", "to": "s0", "bytes": 1, "drops": 0}}],
        "fabric": {{"overruns": 0, "late_mean": 0, "late_max": 0, "cpu_seconds": 0, "seconds": 1}}}}'
    ;;
mpirun)
    while [ "$1" != "{bench}" ] && [ "$1" != "{work}/tune" ]; do
        shift
    done
    exec "$@"
    ;;
esac
"""

FAKE_BENCH = """#!{python} -S
import csv, sys
sys.pycache_prefix = "{work}/pycache"
sys.path[:0] = ["{here}"]
import made_up_tuning
made_up_tuning.SEGMENTS[:] = {segments}
options = dict(zip(sys.argv[1:], sys.argv[2:]))
open("{work}/runs", "a").write(options["--label"] + " " + options["--sizes"] + "\\n")
rows = made_up_tuning.bench_rows(options["--label"], [int(s) for s in options["--sizes"].split(",")])
writer = csv.DictWriter(sys.stdout, list(rows[0]))
writer.writeheader()
writer.writerows(rows)
"""

FAKE_TUNE = """#!{python} -S
import sys
sys.pycache_prefix = "{work}/pycache"
sys.path[:0] = ["{here}"]
import made_up_tuning
made_up_tuning.SEGMENTS[:] = {segments}
options = dict(zip(sys.argv[1:], sys.argv[2:]))
if {fails}:
    sys.exit("made up to fail")
sizes = [int(s) for s in options.get("--sizes", "256,1426,4096,65536").split(",")]
open(options["--output"], "w").write(made_up_tuning.model_text(sizes))
"""

FAKE_TOPO = """#!{python} -S
import sys
sys.pycache_prefix = "{work}/pycache"
sys.path[:0] = ["{here}"]
import made_up_tuning
made_up_tuning.SEGMENTS[:] = {segments}
assert sys.argv[1] != "explain" or "--model" in sys.argv, sys.argv
print({{"explain": made_up_tuning.explained, "tree": made_up_tuning.tree_text,
       "simulate": made_up_tuning.simulated}}[sys.argv[1]](dict(zip(sys.argv[3:], sys.argv[4:]))))
"""


def make_programs(fails=False):
    base.program("testbed", FAKE_TESTBED, hosts=", ".join(f'"n{host}"' for host in range(16)))
    base.program("bench", FAKE_BENCH, segments=auto.SEGMENTS)
    base.program("tune", FAKE_TUNE, fails=fails, segments=auto.SEGMENTS)
    base.program("topo", FAKE_TOPO, segments=auto.SEGMENTS)


def run(*arguments):
    return base.paper(*arguments, *base.places(), "--tune", os.path.join(base.WORK, "tune"),
                      "--topo", os.path.join(base.WORK, "topo"))


def path(name):
    return os.path.join(base.WORK, name)


def record_of(directory, name):
    with open(os.path.join(directory, name, "results.json"), encoding="utf-8") as file:
        return json.load(file)


def test_reading():
    with open(path("model"), "w", encoding="utf-8") as file:
        file.write(model_text([256, 4096]))
    costs = tuning.read_costs(path("model"))
    eq((list(costs), list(costs["switch"])), (["switch"], [256, 4096]),
       "a model's places and sizes")
    row = costs["switch"][4096]
    eq((row.gap, row.latency), (4136000, 1034000), "g, and L = RTT/2 - g")
    for text in ("", "place switch links 2\ncost 1 2 x 4 5 6\n", "cost 1 2 3 4 5 6\n",
                 "place far links 3\ncost 1 2 3 4 5 6\n", "place\n"):
        with open(path("model"), "w", encoding="utf-8") as file:
            file.write(text)
        raises(lambda: tuning.read_costs(path("model")), f"no model: {text!r}")
    found = tuning.parse_candidates(explained({"--sizes": "65536"}))
    eq([(c.name, round(c.predicted_us)) for c in found if c.chosen],
       [(min(((broadcast_us(kind, s, 65536), f"{kind}:{s}") for kind in SHAPES
              for s in auto.SEGMENTS))[1],
         round(1.1 * min(broadcast_us(kind, s, 65536) for kind in SHAPES
                         for s in auto.SEGMENTS)))], "the chosen candidate, in microseconds")
    eq((found[-1].name, found[-1].segment), ("fallback", None), "the fallback component has no segments")
    raises(lambda: tuning.parse_candidates("chain x"), "a line that is no candidate")


def test_candidates():
    methods, sizes = auto.candidates("1")
    eq(set().union(*sizes.values()), set(auto.SIZES), "candidates for every size")
    ok(all(s <= auto.MOST_SEGMENTS * m.segment for m in methods for s in sizes[m.name]),
       "no segments that are too small for the message")
    doubled = [(m.algorithm, s) for m in methods for s in sizes[m.name] if m.segment >= s]
    eq(len(doubled), len(set(doubled)), "the whole message as one segment comes once for each kind")


def test_tables():
    out = path("tables")
    done = run("p2-table2", "p2-table4", "--output", out)
    note = done.stdout + done.stderr
    ok(done.returncode == 3, "Tables 2 and 4 are made, and a claim of Table 2 does not hold", note)
    ok("    256B      0.296ms     0.740ms     0.074ms" in done.stdout
       and "4096         41.36 ms   1.01" in done.stdout, "their rows and ratios", note)
    record = record_of(out, "p2-table4")
    eq(len(record["claims"]), len(p2_table2.TABLE4.claims), "JSON: the claims")
    ok(all(c["holds"] for c in record["claims"]), "40 us a message is within 10 % from 1 KB on",
       note)
    eq([c["holds"] for c in record_of(out, "p2-table2")["claims"]], [True, False, True],
       "Table 2: g grows with the message, and so does the made-up L")
    rows = {size: tuning.Row([size, gap_us(size), 0, 0, 0, 0]) for size in (2048, 2874, 4096)}
    eq(p2_table2.TABLE2.time_us(rows, "g before", 4096), gap_us(2048),
       "Table 2: the size before is the paper's, whatever else a model has")


def test_table3():
    out = path("table3")
    exponents = range(3, 7) if os.environ.get("PIPEBCAST_TESTS") == "long" else (3, 6)
    sizes = ",".join(f"{1 << i}K" for i in exponents)
    done = run("p2-table3", "p2-fig11", "--output", out, "--sizes", sizes, "--runs", "2")
    note = done.stdout + done.stderr
    ok(done.returncode == 0, "Table 3 and Figure 11 are made", note)
    eq(note.count("[1/"), 1, "what they have in common is measured once")
    rows = record_of(out, "p2-table3")["rows"]
    eq(len(rows), 2 * sum(len(p2_table3.Segments.segments(K << i)) for i in exponents),
       "a row for each kind, segment size and message size")
    claims = record_of(out, "p2-fig11")["claims"]
    eq([[round(m["ratio"], 6) for m in c["measured"]] for c in claims], [[1.0] * len(exponents)] * 4,
       "10 % more of everything does not change what the model chooses")


def test_formulas():
    chain = {rank: [rank + 1] for rank in range(4)}
    eq(formulas.printed_time(chain, 0, 100, 10, 8), 4 * (100 + 10) + 7 * 10,
       "formula (1): (P - 1) (L + g) + (X - 1) g")
    figure8 = {0: [1, 2], 2: [3, 4]}
    eq((formulas.first_segment(figure8, 0, 100, 10), formulas.printed_time(figure8, 0, 100, 10, 8)),
       (2 * 100 + 4 * 10, 2 * 100 + 4 * 10 + 2 * 7 * 10), "formula (2): A = 2 and B = 4 in Figure 8")
    eq(formulas.first_segment({0: [1, 2], 1: [3]}, 0, 100, 10), 200 + 20,
       "the last receiver may be below the left child")
    rows = {size: tuning.Row([size, size, 6 * size, 0, 0, 0]) for size in (256, 1024)}
    eq([formulas.costs_at(rows, size) for size in (256, 640, 4096)],
       [(512, 256), (1280, 640), (2048, 1024)], "L and g of a size, between two sizes, beyond the last")


def made_up_matrix(times):
    """{Method: {size: us}}, T(M) a microsecond for each byte and 100 more."""
    matrix = Matrix(list(times), sorted({size for each in times.values() for size in each}))
    for method, of_size in times.items():
        outcome = Outcome()
        outcome.rows = [{"bytes": str(size), "sync_median_us": str(us), "pingpong_us": str(size + 100),
                         "limited": "0"} for size, us in of_size.items()]
        matrix.outcomes[method.name] = [outcome]
    return matrix


def test_table1():
    table = p2_table1.TABLE1
    factors = {"flat": 15, "binomial": 4, "scatter+ring": 2, "linear": 1, "binary": 2.5, "3-ary": 3}
    matrix = made_up_matrix({each.method: {s: 5000 + factors[each.name] * s for s in (K, 2 * K)}
                             for each in p2_table1.ALGORITHMS})
    eq([round(table.factor(matrix, each), 6) for each in p2_table1.ALGORITHMS], list(factors.values()),
       "Table 1: what fills the pipeline does not count")
    eq([v.holds for v in table.judge(matrix, "1", 16)], [True, True, True, True, False, True],
       "a binary tree that takes 2.5 T(M) is none of Table 1")
    ok("log2 P     4.00      4.00" in "\n".join(table.table(matrix, 16)), "its rows",
       "\n".join(table.table(matrix, 16)))
    matrix.outcomes["tuned:binomial"] = []
    eq([v.holds for v in table.judge(matrix, "1", 16)][1], None, "what was not measured is not judged")


def test_thresholds():
    rows = {size: tuning.Row([size, size, 2 * (size + 60), 0, 0, 0])
            for size in (*p2_thresholds.PAPER_SIZES, *p2_thresholds.MESSAGES)}
    eq(p2_thresholds.segment_threshold(rows), K, "60 more for each segment is within 10 % from 1 KB on")
    found = [p2_thresholds.Threshold("chain", 1, 32, K), p2_thresholds.Threshold("binary", 2, 5, K)]
    eq([each.message for each in found], [62 * K, 8 * K],
       "the paper's thresholds: 62 KB for the linear tree, 8 KB for the binary one")
    segment_us = p2_thresholds.one_way(rows, K)
    for each, factor in zip(found, (1.49, 1.6)):
        each.took_us = factor * each.degree * each.n_segments * segment_us
    eq([v.holds for v in p2_thresholds.THRESHOLDS.judge(rows, found, "4")], [True, False],
       "1.49 times the pipeline term is a third of delay, 1.6 times is more")
    for row in rows.values():
        row.rtt += 2 * 10 ** 6
    raises(lambda: p2_thresholds.segment_threshold(rows), "segments that all cost too much")


def test_irregular():
    for seed in range(20):
        network = p2_irregular.IrregularNetwork(seed)
        for how, span in p2_irregular.SPANNING.items():
            above = span(network, network.root())
            links = {tuple(sorted(pair)) for pair in above.items() if pair[1] is not None}
            if len(above) != p2_irregular.N_SWITCHES or not links <= network.links \
                    or len(links) != len(above) - 1:
                ok(False, f"a spanning tree, {how}, of network {seed}", f"{above}")
                return
            pruned = p2_irregular.without_empty_leaves(above, network.at)
            if set(network.at) - set(pruned):
                ok(False, f"all switches with hosts, {how}, of network {seed}", f"{pruned}")
                return
    ok(True, "three spanning trees of each of 20 networks, with all hosts")
    eq(p2_irregular.without_empty_leaves({0: None, 1: 0, 2: 1, 3: 0}, [0, 3]), {0: None, 3: 0},
       "switches without hosts below them are left out")


def test_paper2_flow():
    out = path("paper2")
    done = run("p2-table1", "p2-thresholds", "p2-irregular", "--output", out, "--runs", "1", "--seeds", "2")
    note = done.stdout + done.stderr
    ok(done.returncode == 3, "Table 1, section 5.4 and irregular networks are made", note)
    eq([row["kind"] for row in record_of(out, "p2-thresholds")["rows"]], ["chain", "binary"],
       "a threshold for each kind of tree")
    rows = record_of(out, "p2-irregular")["rows"]
    eq((len(rows), rows[0]["ratio"]), (2 * 3 * 3 * 2, (64 + 16) / 65),
       "two networks, three spanning trees, three kinds, two numbers of segments")
    eq([c["holds"] for c in record_of(out, "p2-irregular")["claims"]], [True] * 6, "16 of 512 is near-optimal")


def test_auto():
    out = path("auto")
    for name in ("runs", "calls"):
        if os.path.exists(path(name)):
            os.unlink(path(name))
    done = run("auto", "--output", out, "--topologies", "1", "--sizes", "1K,64K,1M", "--runs", "2")
    note = done.stdout + done.stderr
    ok(done.returncode == 0 and note.count("\nHOLDS") == 3, "auto is measured and judged", note)
    record = record_of(out, "auto")
    eq([row["bytes"] for row in record["rows"]], [K, 64 * K, K * K], "a row for each size")
    ok(all(abs(row["predicted_us"] / row["auto_us"] - 1.1 / 1.02) < 0.002 for row in record["rows"]),
       "predicted against measured", str(record["rows"]))
    with open(path("runs"), encoding="utf-8") as file:
        runs = [line.split()[0] for line in file]
    ok(runs.count("pipebcast") == 2 and runs.count("tuned") == 1 and len(runs) < 2 * len(set(runs)),
       "what is far from the best in the first round is not measured again", "\n".join(runs))
    with open(os.path.join(out, "auto", "topology1.csv"), encoding="utf-8") as file:
        ok(len(list(csv.DictReader(file))) > len(set(runs)), "CSV: every run")
    again = run("auto", "--output", path("again"), "--topologies", "1", "--sizes", "4K", "--runs",
                "1", "--model", os.path.join(out, "auto", "model-topology1.txt"))
    ok(again.returncode == 0 and not os.path.exists(path("again/auto/model-topology1.txt")),
       "a model that is there is taken", again.stdout + again.stderr)
    os.unlink(path("runs"))
    again = run("auto", "--output", path("near"), "--topologies", "1", "--sizes", "64K", "--runs",
                "1", "--known", out)
    with open(path("runs"), encoding="utf-8") as file:
        few = {line.split()[0] for line in file}
    ok(again.returncode == 0 and "pipebcast" in few and 1 < len(few) < len(set(runs)) / 2,
       "what was far from the best in an earlier run is not measured", again.stderr + str(few))
    again = run("auto", "--output", path("near"), "--topologies", "1", "--known", path("nothing"))
    ok(again.returncode in (1, 2) and "--known: " in again.stderr, "an earlier run that is not there is "
       "told", again.stdout + again.stderr)


def test_failures():
    make_programs(fails=True)
    done = run("auto", "--output", path("failed"), "--topologies", "1")
    ok(done.returncode == 1 and "pipebcast-tune failed" in done.stderr, "a model that cannot be "
       "measured is reported", done.stdout + done.stderr)
    with open(path("calls"), encoding="utf-8") as file:
        eq(file.read().split()[-1], "down", "and the testbed is taken down")
    done = base.paper("p2-table2", *base.places(), "--tune", path("nothing"))
    ok(done.returncode in (1, 2) and "--tune" in done.stderr, "a program that is not there is reported",
       done.stdout + done.stderr)


def main():
    base.WORK = tempfile.mkdtemp(prefix="pbt")
    base.HERE = os.path.dirname(os.path.abspath(__file__))
    try:
        make_programs()
        for test in (test_reading, test_candidates, test_tables, test_table3, test_formulas,
                     test_table1, test_thresholds, test_irregular, test_paper2_flow, test_auto, test_failures):
            test()
    finally:
        shutil.rmtree(base.WORK, ignore_errors=True)
    print(f"1..{base.COUNT[0]}")
    return 1 if base.COUNT[1] else 0


if __name__ == "__main__":
    sys.exit(main())
