"""
Six hosts on two switches of which one treats groups of multicast in some way, and MPI programs that
broadcast on them.
"""

import os
import sys

from cluster import IS_LONG, SRCDIR, status, tap, tool, write

sys.path.insert(0, os.path.join(SRCDIR, "contrib/experiments"))
from benchlib.programs import component_path  # noqa: E402 pylint: disable=wrong-import-position

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")

# Seconds after which a job is taken to hang; the long suite's longest takes half a minute alone, and five
# others may run next to it.
LIMIT = 250 if IS_LONG else 100
MIX = os.path.join(BUILD, "test/mpi/run_nonblocking")
BENCH = os.path.join(BUILD, "contrib/tools/bench/pipebcast-bench")
PATH = write("groups.conf", "SwitchName=s0 Nodes=n[0-2] Switches=s1\nSwitchName=s1 Nodes=n[3-5]\n")
TREES = "broadcasts go by trees, not by multicast: a rank "


def up(*options, topology=PATH, rate="20mbit"):
    tool("down", "--name", "t")
    answer = tool("up", "--topology", topology, "--rate", rate, "--name", "t", *options)
    tap.eq(answer.returncode, 0, f"a cluster {' '.join(options)}")


def n_dropped():
    return sum(link["drops"] for link in status()["links"].values())


def command(*arguments, options=(), topology=PATH):
    """The tool's arguments that run a job."""
    allowed = () if "coll_pipebcast_multicast" in arguments else ("--mca", "coll_pipebcast_multicast", "auto")
    return ("mpirun", "--name", "t", "--timeout", str(LIMIT), *options, "--",
            *component_path(os.path.join(BUILD, "ompi_coll_pipebcast")),
            "--mca", "coll", "pipebcast,tuned", "--mca", "coll_pipebcast_verbose", "1",
            *allowed,
            "--mca", "coll_pipebcast_topology_file", topology, *arguments)  # fmt: skip


def mpirun(*arguments, **how):
    answer = tool(*command(*arguments, **how), timeout=LIMIT + 20)
    answer.all = answer.stdout + answer.stderr
    tap.note(answer.all)
    return answer


def mix(what, *arguments, steps="60", **how):
    """The mix of broadcasts passes; how many of them rank 0 has seen go by multicast."""
    answer = mpirun("--mca", "coll_pipebcast_algorithm", "multicast", *arguments, MIX, "mix", steps, "5", **how)
    tap.match(answer.stdout, "PASS run_nonblocking", f"{what}: every byte is right")
    numbers = [line.split()[-1] for line in answer.stdout.splitlines() if line.startswith("by multicast: ")]
    return answer, int(numbers[0]) if numbers else -1
