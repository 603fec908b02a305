#!/usr/bin/env python3
"""TAP: doc/design/bounds.md has the times that pipebcast-topo simulates, and what follows from them."""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from commands import tools
from documents import TOP
from tap import Tap

PAGE = " ".join((TOP / "doc" / "design" / "bounds.md").read_text().split())
# Bytes of a frame that are not payload, and the payload of a full one.
HEADERS, FULL = 118, 1426


def simulated(network):
    """{segments: their times}"""
    topology = TOP / "contrib" / "testbed" / f"topology{network}.conf"
    counts = ",".join(map(str, sorted({int(n) for n in re.findall(r"\d+ / (\d+)", PAGE)})))
    lines = subprocess.run([tools()["pipebcast-topo"], "simulate", topology, "--algorithm", "twotree", "--segment-counts", counts],
                           check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()  # fmt: skip
    return {int(words[1]): round(float(words[2])) for words in map(str.split, lines[2:])}


def main():
    tap = Tap()
    one, several = simulated(1), simulated(5)
    tap.ok(simulated(4) == several, "(4) and (5) take as long")
    full = (FULL + HEADERS) / FULL
    rows = re.findall(r"\| (\d+) B \| (\d+) \| ([\d.]+) \| (\d+) / \d+[ =,]+([\d.]+) \| (\d+) / \d+[ =,]+([\d.]+) \|", PAGE)
    tap.eq([row[0] for row in rows], ["1426", "1024", "702"], "sizes of segments")
    for size, n, bytes_, *cells in rows:
        share = (int(size) + HEADERS) / int(size)
        times = [(times[int(n)], f"{times[int(n)] / int(n) * share / full:.2f}") for times in (one, several)]
        tap.eq([f"{share:.3f}", *cells], [bytes_, *(str(value) for time in times for value in time)], f"64 KB in segments of {size} B")
    wide = [(times[184], f"{times[184] / 184:.2f}") for times in (one, several)]
    tap.ok("197 / 184 = 1.07 on (1), and 204 / 184 = 1.11" in PAGE and wide == [(197, "1.07"), (204, "1.11")], "256 KB")
    return tap.done()


sys.exit(main())
