"""
A topology that is wrong is noticed while a program broadcasts, by what is measured anyway, and a true
one is not. At 2 Mbit/s: what a busy computer adds is far below what a shared link does.
"""

import os
import re
import sys

from cluster import SRCDIR, main, need_program, need_testbed, tap, tool, write

sys.path.insert(0, os.path.join(SRCDIR, "contrib/experiments"))
from benchlib.programs import component_path  # noqa: E402 pylint: disable=wrong-import-position

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
BENCH = os.path.join(BUILD, "contrib/tools/bench/pipebcast-bench")
TRUE = write("true.conf", "SwitchName=s0 Nodes=n[0-3] Switches=s1\nSwitchName=s1 Nodes=n[4-7]\n")
FALSE = write("false.conf", "SwitchName=s0 Nodes=n[0,2,4,6] Switches=s1\nSwitchName=s1 Nodes=n[1,3,5,7]\n")
LINE = (r"32768 bytes come to rank (\d) on host n(\d) from rank (\d) on host n(\d) more slowly than the links "
        r"should bring them, .* 4 times in a row")  # fmt: skip


def job(topology):
    """What a job of 30 broadcasts prints at verbose 1."""
    answer = tool("mpirun", "--name", "t", "--timeout", "100", "--",
                  *component_path(os.path.join(BUILD, "ompi_coll_pipebcast")),
                  "--mca", "coll", "pipebcast,tuned,libnbc,basic,inter,self",
                  "--mca", "coll_pipebcast_topology_file", topology,
                  "--mca", "coll_pipebcast_algorithm", "twotree", "--mca", "coll_pipebcast_verbose", "1",
                  BENCH, "--sizes", "32K", "--mode", "loop", "--iterations", "30", "--warmup", "1",
                  "--no-pingpong", "--check")  # fmt: skip
    said = answer.stdout + answer.stderr
    if not tap.ok(answer.returncode == 0 and "pipebcast: communicator" in said,
                  f"{os.path.basename(topology)}: the job ends well"):  # fmt: skip
        tap.note(said)
    return said


def run():
    tool("up", "--topology", TRUE, "--name", "t", "--rate", "2mbit")
    said = job(TRUE)
    if not tap.ok(re.search(LINE, said) is None, "nothing is reported of the true topology"):
        tap.note(said)
    said = job(FALSE)
    found = re.findall(LINE, said)
    if not tap.ok(len(found) == 1, "hosts at the wrong switches: reported once"):
        tap.note(said)
    crosses = [(int(to) < 4) != (int(sender) < 4) for to, _, sender, _ in found]
    tap.ok(crosses == [True] and all(a == b and c == d for a, b, c, d in found),
           "and the ranks and hosts that are named have the link between the switches between them")  # fmt: skip
    tool("down", "--name", "t")


need_program("mpirun")
need_testbed()
main(run)
