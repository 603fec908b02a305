#!/usr/bin/env python3
"""
TAP: on an emulated cluster of 8 hosts the counters of all links agree with the loads that the plans promise. Counts of
bytes, no times. PIPEBCAST_BUILDDIR names the build; `make check` sets it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../contrib/experiments"), os.path.join(HERE, "..")]

# pylint: disable=wrong-import-position
from benchlib.command import measure_at
from benchlib.links import FRAME_HEADERS, SEGMENT_HEADERS, payload_of_frame, segment_of_frames
from benchlib.methods import PIPEBCAST_WAYS, Method
from benchlib.places import Testbed
from benchlib.programs import component_path
from benchlib.run import run_bench
from benchlib.sharing import Ways
from benchlib.topo import planned_streams
from tap import Tap

# The hosts are mentioned in another order than their names.
EIGHT = "SwitchName=s0 Nodes=n[0,3,6] Switches=s1,s2\nSwitchName=s1 Nodes=n[1,4,7]\nSwitchName=s2 Nodes=n[2,5]\n"
KINDS = ["chain", "binary", "twotree", "rank_binary"]
MORE_KINDS = ["kary", "flat", "binomial", "rank_chain"]
MTU, ITERATIONS = 1500, 5
SEGMENT = segment_of_frames(MTU, 1)
# A long message has more segments than a short one, as many more for each stream.
MORE_SEGMENTS = 60
# An acknowledgement is nothing but headers; there is one for each full frame, or for every second one.
ACKS_PER_FRAME = (0.5, 1.0)
TOLERANCE = 0.03
# The exit status of a testbed that this host cannot have.
UNABLE = 126


def deviation(load, back, measured):
    """
    How far measured bytes are outside of what a link must carry that the message passes `load` times, and its other
    direction `back` times, as a share of it.
    """
    n_segments = MORE_SEGMENTS * ITERATIONS
    frames = n_segments * (SEGMENT + SEGMENT_HEADERS) / payload_of_frame(MTU)
    one_pass = n_segments * (SEGMENT + SEGMENT_HEADERS) + frames * FRAME_HEADERS
    low, high = (load * one_pass + share * back * frames * FRAME_HEADERS for share in ACKS_PER_FRAME)
    return (min(measured - low, 0) + max(measured - high, 0)) / (max(1.0, load) * one_pass)


def planned_loads(build, place, kind, links):
    """{(from, to): how many times the link carries the message}"""
    streams = planned_streams(os.path.join(build, "contrib/tools/topo/pipebcast-topo"), place.topology_file, kind, place.hosts,
                              "--fanout", PIPEBCAST_WAYS["kary"]["coll_pipebcast_fanout"])
    ways, loads = Ways(links), dict.fromkeys(links, 0.0)
    for edges in streams:
        for parent, child in edges:
            for link in ways.links(parent, child):
                loads[link] += 1 / len(streams)
    return loads


class Counting:
    """Two runs of a kind, alike but for the message: what counters differ by is the segments that the long one has more."""

    def __init__(self, tap, build, options):
        self.tap, self.build, self.options = tap, build, options

    def _counted(self, place, kind, size):
        place.status("--reset")
        outcome = run_bench(place, Method(f"pipebcast:{kind}:{SEGMENT}", {"coll_pipebcast_min_size": "1", "coll_pipebcast_arrival": "off"}),
                            ["--csv", "--mode", "loop", "--no-pingpong", "--warmup", "0", "--clock", "shared", "--iterations",
                             str(ITERATIONS), "--sizes", str(size)], 1, self.options, 240)
        if outcome.failure:
            self.tap.note(outcome.failure)
        return {(link["from"], link["to"]): link["bytes"] for link in place.status("--reset")["links"]}

    def count(self, place, kind):
        short, long = (self._counted(place, kind, segments * SEGMENT) for segments in (1, 1 + MORE_SEGMENTS))
        return {ends: long[ends] - short[ends] for ends in long}

    def worst(self, place, kind, counted):
        loads = planned_loads(self.build, place, kind, list(counted))
        return max(((deviation(load, loads[ends[::-1]], counted[ends]), ends) for ends, load in loads.items()),
                   key=lambda item: abs(item[0]))

    def all_kinds(self, place, kinds):
        for kind in kinds:
            counted = self.count(place, kind)
            off, ends = self.worst(place, kind, counted)
            if not self.tap.ok(len(counted) == 20 and abs(off) <= TOLERANCE, f"{kind}: 20 counters agree with the plan"):
                self.tap.note(f"{ends} is off by {off:.3f}")
            if kind == "chain":
                off, _ = self.worst(place, "rank_chain", counted)
                self.tap.ok(abs(off) > TOLERANCE, "another plan's loads do not agree")


def main():
    tap, build = Tap(), os.environ["PIPEBCAST_BUILDDIR"]
    if os.environ.get("PIPEBCAST_TESTS") == "units" or not all(map(shutil.which, ("ip", "mpirun"))):
        print("1..0 # SKIP no emulated cluster is wanted, or possible")
        return 0
    # A directory of its own for the states of testbeds. Its path is short: sockets live below it.
    with tempfile.TemporaryDirectory(prefix="pbt") as work:
        os.environ["XDG_RUNTIME_DIR"] = work
        topology = os.path.join(work, "eight.conf")
        with open(topology, "w", encoding="utf-8") as file:
            file.write(EIGHT)
        testbed = os.path.join(build, "contrib/testbed/pipebcast-testbed")
        tried = subprocess.run([testbed, "up", "--topology", topology, "--name", "tried"], capture_output=True, text=True, check=False)
        if tried.returncode == UNABLE:
            print(f"1..0 # SKIP {tried.stderr.splitlines()[0]}")
            return 0
        subprocess.run([testbed, "down", "--name", "tried"], capture_output=True, check=False)
        options = argparse.Namespace(testbed=testbed, name=None, rate="50mbit", np=None, up_arg=[], patience=60,
                                     bench=os.path.join(build, "contrib/tools/bench/pipebcast-bench"),
                                     mpirun_arg=component_path(os.path.join(build, "ompi_coll_pipebcast")))
        place, counting = Testbed(options, topology), Counting(tap, build, options)
        kinds = KINDS + (MORE_KINDS if os.environ.get("PIPEBCAST_TESTS") == "long" else [])
        measure_at(place, lambda: counting.all_kinds(place, kinds))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
