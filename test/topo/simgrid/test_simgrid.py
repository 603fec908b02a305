#!/usr/bin/env python3
"""TAP: the simulator against SimGrid, which other people wrote, on the papers' topologies and 20 random networks.

In the long suite. SimGrid (Debian: libsimgrid-dev) and a C++ compiler ($CXX, or g++) are needed for this
test alone. The replay is explained in replay.cpp.
"""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.path.dirname(os.path.abspath(__file__)))
TOP = HERE.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("abs_top_builddir", TOP))
sys.path.insert(0, str(TOP / "test"))

# pylint: disable=wrong-import-position
from tap import Tap

PLANS = BUILD / "test" / "topo" / "simgrid_plans"
N_NETWORKS = 25
LIMIT = 0.05
# Segment times by which few segments may be apart, where that is more than the limit. Where streams meet, chance
# decides in fifo; the number is the most that was seen. That nothing else differs is what ties shows.
MOST_APART = 3
# No two ranks send over the same link, or two with half of the message each.
FEW_SENDERS = ("chain", "binary", "kary", "flat", "twotree")
# Fifo replays all plans; ties, those which take another time then; fair, the kinds above over equal links:
# behind a faster link segments queue, and where they share a link all of them come later.
MODES = {"fifo": "one segment after the other", "ties": "the older one first of two that come at once",
         "fair": "links shared evenly, equal speeds"}


def why_not():
    """Why it cannot be run here, or None."""
    if os.environ.get("PIPEBCAST_TESTS") != "long":
        return "only in the long suite, as it takes minutes"
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        return f"there is no C++ compiler, {compiler}"
    answer = subprocess.run([compiler, "-std=c++17", "-E", "-x", "c++", "-"], input="#include <simgrid/s4u.hpp>\n",
                            capture_output=True, text=True, check=False)
    return None if answer.returncode == 0 else "there is no SimGrid; Debian's package is libsimgrid-dev"


def compile_replay(directory):
    program = os.path.join(directory, "replay")
    return program, subprocess.run([os.environ.get("CXX", "g++"), "-std=c++17", "-O2", "-Wall", "-Wextra", "-o", program,
                                    str(HERE / "replay.cpp"), "-lsimgrid"], capture_output=True, text=True, check=False)


def select(plans, wanted):
    """The networks of a text of plans, with those plans of which wanted(network, kind, bytes) is true."""
    out, network, keep = [], None, True
    for line in plans.splitlines(keepends=True):
        words = line.split()
        if words[0] == "network":
            network, keep = words[1], True
        elif words[0] == "plan":
            keep = wanted(network, words[1], int(words[2]))
        if keep:
            out.append(line)
    return "".join(out)


def count_plans(plans):
    return sum(line.startswith("plan ") for line in plans.splitlines())


def replay(program, mode, plans):
    """{(network, kind, bytes): (the simulator's time, SimGrid's)}, and what went wrong."""
    done = subprocess.run([program, mode], input=plans, capture_output=True, text=True, check=False)
    found = {}
    for network, kind, size, simulated, other in csv.reader(done.stdout.splitlines()):
        found[network, kind, int(size)] = float(simulated), float(other)
    return found, "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr[-500:]}"


def ratios(found, kind):
    return [other / simulated for (_, k, _), (simulated, other) in found.items() if k == kind]


def beyond(found, kind):
    return [f"{network} {size}: {other / simulated:.3f}" for (network, k, size), (simulated, other)
            in found.items() if k == kind and abs(other / simulated - 1) > LIMIT]


def range_text(values):
    least, most = f"{min(values):.3f}", f"{max(values):.3f}"
    return least if least == most else f"{least} to {most}"


def judge(tap, mode, found):
    """Whether each kind takes as long as in the simulator, within 5 %."""
    for kind in dict.fromkeys(kind for _, kind, _ in found):
        values, off = ratios(found, kind), beyond(found, kind)
        text = f"{mode}, {kind}: SimGrid / simulator {range_text(values)} in {len(values)} plans"
        if mode == "fifo":
            most = max(abs(a - b) for (_, k, _), (a, b) in found.items() if k == kind)
            tap.ok(not off or most <= MOST_APART, f"{text}, apart by at most {most:.2f} segment times")
        elif mode == "fair" and kind == "twotree":
            # The trees' segments share links; a port sends one after the other.
            tap.ok(max(values) < 1.1 and min(values) > 0.95, text)
        else:
            tap.eq(off, [], text)


def replay_all(tap, program, plans):
    found = {}
    selected = {"fifo": lambda *plan: True,
                "ties": lambda *plan: abs(found["fifo"][plan][1] / found["fifo"][plan][0] - 1) > 0.001,
                "fair": lambda network, kind, size: kind in FEW_SENDERS and not network.startswith("speeds")}
    for mode in MODES:
        text = select(plans, selected[mode])
        found[mode], wrong = replay(program, mode, text)
        tap.eq(wrong, "", f"{mode}: SimGrid comes to its end")
        if not tap.ok(len(found[mode]) == count_plans(text), f"{mode}: {len(found[mode])} plans were replayed"):
            break
        judge(tap, mode, found[mode])


def main():
    tap = Tap()
    reason = why_not()
    if reason is not None:
        print(f"1..0 # SKIP {reason}")
        return 0
    files = [str(TOP / "contrib" / "testbed" / f"topology{n}.conf") for n in range(1, 6)]
    plans = subprocess.run([str(PLANS), *files], capture_output=True, text=True, check=True).stdout
    tap.eq(sum(line.startswith("network ") for line in plans.splitlines()), N_NETWORKS, "the papers' topologies, and 20 random networks")
    with tempfile.TemporaryDirectory() as directory:
        program, compiled = compile_replay(directory)
        if not tap.ok(compiled.returncode == 0, f"the replay compiles {compiled.stderr[:2000]}"):
            return tap.done()
        replay_all(tap, program, plans)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
