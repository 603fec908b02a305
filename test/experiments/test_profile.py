#!/usr/bin/env python3
"""TAP test of profile: what it reads from the counting programs, its options, and a small run of two
methods, whose counts must be such as a segment can have. Counts, no times. PROFILE, BENCH,
PIPEBCAST_BUILDDIR and MPIEXEC name the programs; `make check` sets them."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROFILE = os.environ.get("PROFILE", os.path.join(HERE, "../../contrib/experiments/profile"))
BENCH = os.environ.get("BENCH", "pipebcast-bench")
BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
PLUGINS = os.path.join(BUILD, "ompi_coll_pipebcast")
sys.path[:0] = [os.path.dirname(PROFILE), os.path.join(HERE, "..")]
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from benchlib import counting
from tap import Tap

tap = Tap()

# Functions are told by numbers once they are known; the line after calls= is of what was called.
CALLGRIND = """version: 1
ob=(1) /usr/lib/mca_coll_pipebcast.so
fl=(1) transfer.c
fn=(1) advance
12 100
cob=(2) /usr/lib/libmpi.so
cfn=(2) ompi_request_wait
calls=3 0
+1 5000
13 20
ob=(2)
fn=(2)
7 4000
* 1000
ob=(1)
fn=(1)
-2 3
"""


def test_reading():
    found = list(counting.self_costs(CALLGRIND))
    ours, theirs = "/usr/lib/mca_coll_pipebcast.so", "/usr/lib/libmpi.so"
    tap.eq(found, [(ours, "advance", 100), (ours, "advance", 20),
                   (theirs, "ompi_request_wait", 4000), (theirs, "ompi_request_wait", 1000),
                   (ours, "advance", 3)],
           "callgrind's lines are counted where they belong, and calls not at all")


def profile(*arguments):
    environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1")
    if os.path.isabs(os.environ.get("MPIEXEC", "")):
        environment["PATH"] = os.path.dirname(os.environ["MPIEXEC"]) + ":" + os.environ["PATH"]
    return subprocess.run([sys.executable, PROFILE, "--bench", BENCH, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800,
                          check=False, env=environment)


def refuses(*arguments):
    done = profile(*arguments)
    if not tap.ok(done.returncode == 2 and done.stderr, f"refuses: {' '.join(arguments)}"):
        tap.note(done.stdout + done.stderr)


def test_options():
    refuses("--segment-counts", "8", "8")
    refuses("--ranks", "2")
    refuses("--segment", "0")
    refuses("--methods", "no_component")
    refuses("--plugin-dir", HERE)


def rows_of(text):
    """{component: numbers of its row}, of methods with and without an algorithm"""
    return {words[0].split(":")[0]: [float(word) for word in words[1:]]
            for words in map(str.split, text.splitlines()[1:])}


def test_run():
    done = profile("--plugin-dir", PLUGINS, "--methods", "pipebcast:chain,tuned:pipeline",
                   "--segment-counts", "8", "24", "--broadcasts", "2", "--ranks", "3")
    if not tap.ok(done.returncode == 0, "two methods are counted"):
        tap.note(done.stdout + done.stderr)
        return
    tap.note(done.stdout)
    rows = rows_of(done.stdout)
    tap.eq((sorted(rows), [len(row) for row in rows.values()]), (["pipebcast", "tuned"], [5, 5]),
           "a row of five numbers for each")
    for name, (own, whole, copies, data, waiting) in rows.items():
        # Without optimisation or with counters of coverage it is some times as many.
        tap.ok(50 <= own <= 3000, f"{name}: {own:.0f} instructions of its own for a segment")
        tap.ok(3 * own < whole < 200000, f"{name}: {whole:.0f} of the whole process, far more")
        # TCP's receives through a buffer, or a part of them, and ob1's copy of what was not expected.
        tap.ok(0.9 < copies < 5, f"{name}: {copies:.2f} copies of each byte")
        tap.ok(0.2 < data < 20, f"{name}: {data:.2f} system calls for the data of a segment")
        tap.ok(abs(waiting) < 200, f"{name}: {waiting:.2f} that wait")
    tap.ok(rows["pipebcast"][2] < rows["tuned"][2] + 0.1, "pipebcast copies no more than tuned")


# Instructions of the plugin's own, compiled with -O2: of a short broadcast at rank 1, by method and number of ranks (a
# leaf, one with a child, one with two), and of a segment of a chain.
SHORT = {("pipebcast", 4): 1192, ("pipebcast:chain", 4): 1362, ("pipebcast:binary", 7): 1486}
SEGMENT = 207


def test_cost():
    """No tenth more than they were. Who makes them fewer writes the new number here."""
    def own_of(*arguments):
        done = profile("--plugin-dir", PLUGINS, *arguments)
        if not tap.ok(done.returncode == 0, f"profile {' '.join(arguments)}"):
            tap.note(done.stdout + done.stderr)
        return {words[0]: float(words[1]) for words in map(str.split, done.stdout.splitlines()[1:])}
    if "-O2" not in os.environ.get("CFLAGS", "").split():
        tap.skip("instructions are few", "compiled without -O2")
        return
    for (name, ranks), known in SHORT.items():
        found = own_of("--short", "64", "--methods", name, "--ranks", str(ranks)).get(name, 0)
        tap.ok(0 < found <= 1.1 * known, f"{name}: {found} instructions of its own for 64 bytes, {known} before")
    segment = max(own_of("--methods", "pipebcast:chain").values(), default=0)
    tap.ok(0 < segment <= 1.1 * SEGMENT, f"{segment} instructions of its own for a segment, {SEGMENT} before")


def unable():
    """Why nothing can be counted here, or None."""
    if os.environ.get("PIPEBCAST_TESTS") == "units":
        return "only tests that need no MPI job are wanted"
    for tool in ("valgrind", "strace", "strip"):
        if not shutil.which(tool):
            return f"{tool} is missing"
    version = subprocess.run(["ompi_info", "--version"], capture_output=True, text=True, check=False)
    if " v4." not in version.stdout:
        return "components of later series are inside the libraries, and their own instructions not told apart"
    return None


def main():
    test_reading()
    reason = unable()
    if reason:
        tap.skip("what a segment costs", reason)
    else:
        test_options()
        # Its ranks sleep most of two minutes, so that nothing but their messages wakes them.
        if os.environ.get("PIPEBCAST_TESTS") == "long":
            test_run()
            test_cost()
    return tap.done()


sys.exit(main())
