"""Ranks that arrive late on emulated hosts: they hold others if they were away, and not if they come straight
from a broadcast of another communicator. Links are slow, so that what a busy host delays is short compared with a message."""

import os
import re

from cluster import main, need_program, need_testbed, plugin_path, tap, tool, write

PROGRAM = os.path.join(os.environ.get("PIPEBCAST_BUILDDIR", ""), "test/mpi/run_two_communicators")
# Six times as long as a message of 40,000 bytes takes.
LATE_MS = 1000


def groups(why):
    """How many groups of ranks were served as they arrived; None if the job failed."""
    answer = tool("mpirun", "--name", "t", "--timeout", "100", "--",
                  "--mca", "mca_base_component_path", plugin_path(), "--mca", "coll", "pipebcast,tuned",
                  "--mca", "coll_pipebcast_algorithm", "chain", PROGRAM, str(LATE_MS), why)  # fmt: skip
    found = re.search(r"^groups (\d+)$", answer.stdout, re.M)
    if answer.returncode != 0 or "PASS" not in answer.stdout or not found:
        tap.note(answer.stdout + answer.stderr)
        return None
    return int(found.group(1))


def run():
    path = write("flat.conf", "SwitchName=s0 Nodes=n[0-5]\n")
    tool("up", "--name", "t", "--topology", path, "--rate", "2mbit")
    away = groups("away")
    tap.ok(away is not None and away > 0, f"a rank that was away holds others, which are served before it ({away} groups)")
    tap.eq(groups("straight"), 0, "one that comes straight from another communicator's broadcast holds no one")
    tool("down", "--name", "t")


need_program("mpirun", "ompi_info")
need_testbed()
main(run)
