"""
pipebcast next to Open MPI's han, which takes part only where ranks are on several hosts: whichever
has the higher priority has the communicator, and every byte is right.
"""

import os
import re
import sys

from cluster import IS_LONG, SRCDIR, main, need_program, need_testbed, tap, tool, write

sys.path.insert(0, os.path.join(SRCDIR, "contrib/experiments"))
from benchlib.programs import component_path  # noqa: E402 pylint: disable=wrong-import-position

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
PROGRAM = os.path.join(BUILD, "test/mpi/run_bcast")
PATH = write("han.conf", "SwitchName=s0 Nodes=n[0-2]\n")
SERVED = "pipebcast: communicator MPI_COMM_WORLD: .* ranks on 3 hosts"


def expect(served, text, *parameters, ppn=2):
    answer = tool("mpirun", "--name", "t", "--timeout", "60", "--ppn", str(ppn), "--",
                  *component_path(os.path.join(BUILD, "ompi_coll_pipebcast")),
                  "--mca", "coll_pipebcast_topology_file", PATH,
                  "--mca", "coll_pipebcast_algorithm", "twotree",
                  "--mca", "coll_pipebcast_verbose", "1", *parameters, PROGRAM)  # fmt: skip
    said = answer.stdout + answer.stderr
    right = tap.ok("\nPASS" in "\n" + answer.stdout, f"{text}: every byte is right")
    whose = "pipebcast's" if served else "another's"
    if not (tap.ok((re.search(SERVED, said) is not None) == served, f"{text}: the communicator is {whose}") and right):
        tap.note(said)


def run():
    tool("up", "--topology", PATH, "--name", "t", "--rate", "100mbit", "--ppn", "2")
    expect(True, "nothing is said of priorities")
    expect(False, "han above", "--mca", "coll_han_priority", "41")
    # Where ranks have a host each, han's broadcast in Open MPI 4.1 calls the communicator's.
    expect(True, "han below, and it does not serve", "--mca", "coll_han_priority", "39", ppn=1)
    if IS_LONG:
        expect(True, "han below", "--mca", "coll_han_priority", "39")
        expect(False, "pipebcast below tuned, too", "--mca", "coll_pipebcast_priority", "20")
    tool("down", "--name", "t")


need_program("mpirun", "ompi_info")
need_testbed()
main(run)
