"""SUMMA on emulated hosts: broadcasts in communicators that share links between switches. What these
links carry is what has to pass them. Counts of bytes, no times."""

import os

from cluster import main, need_program, need_testbed, plugin_path, status, tap, tool, write

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
PROGRAM = os.path.join(BUILD, "test/mpi/run_summa")
# The roots of the grid's two rows are behind one switch in no step but those of the middle column.
TOPOLOGY = ("SwitchName=s0 Nodes=n[0,5] Switches=s1\nSwitchName=s1 Nodes=n[1,4] Switches=s2\n"
            "SwitchName=s2 Nodes=n[2-3]\n")
SIZE, PANEL, ROWS = 192, 64, 2
# What a column of the grid has of A's rows, or a row of B's columns, for one rank: 96 x 64 elements.
PART = 96 * 64 * 8
# A chain from either end of the line passes both links between switches, one from the middle one of them
# twice; so does each of the two rows. Of the columns, two have a host at each end, and two roots.
CROSSINGS = 2 * (2 + 3 + 2) + 2 * (2 + 2)
# Headers of frames, of TCP and IP, and of messages, and acknowledgements of what goes the other way.
MOST = 1.15


def multiply(path, parameters, n_times):
    """A job that multiplies so often; None if it failed."""
    answer = tool(
        "mpirun", "--name", "t", "--timeout", "60", "--",
        *[word for item in parameters.items() for word in ("--mca", *item)],
        "--mca", "mca_base_component_path", plugin_path(),
        "--mca", "coll_pipebcast_topology_file", path,
        PROGRAM, str(SIZE), str(PANEL), str(ROWS), str(n_times),
    )  # fmt: skip
    if answer.returncode != 0 or "PASS" not in answer.stdout:
        tap.note(answer.stdout + answer.stderr)
        return None
    return answer


def groups(path, multicast):
    """How many communicators go by multicast; None if the job failed."""
    answer = multiply(path, {"coll": "pipebcast,tuned", "coll_pipebcast_multicast": multicast,
                             "coll_pipebcast_verbose": "1"}, 2)  # fmt: skip
    return answer and (answer.stdout + answer.stderr).count("multicast works")


def carried(path, parameters, n_times):
    """Bytes on all links between switches while a job ran, or None if it failed."""
    before = status()["links"]
    answer = multiply(path, parameters, n_times)
    if answer is None:
        return None
    tap.note(answer.stdout.splitlines()[n_times])
    after = status()["links"]
    return sum(after[link]["bytes"] - before[link]["bytes"] for link in after
               if all(end.startswith("s") for end in link))


def run():
    path = write("line.conf", TOPOLOGY)
    tool("up", "--name", "t", "--topology", path, "--rate", "10mbit")
    chain = {"coll": "pipebcast,tuned", "coll_pipebcast_algorithm": "chain", "coll_pipebcast_segment_size": "2874",
             "coll_pipebcast_arrival": "off", "coll_pipebcast_min_size": "1"}
    once, thrice = (carried(path, chain, n_times) for n_times in (1, 3))
    tap.ok(once is not None and thrice is not None, "products are right, by chains")
    if once is not None and thrice is not None:
        messages = (thrice - once) / 2 / PART
        tap.ok(CROSSINGS <= messages <= MOST * CROSSINGS,
               f"links between switches carry {CROSSINGS} messages in each multiplication")
        tap.note(f"they carried {messages:.2f}")
    tap.ok(carried(path, {"coll": "^pipebcast"}, 1) is not None, "and without pipebcast")
    tap.eq(groups(path, "on"), ROWS, "rows of three ranks may go by multicast")
    tap.eq(groups(path, "auto"), 0, "by default they do not, as all of them may broadcast at the same time")
    tool("down", "--name", "t")


need_program("mpirun", "ompi_info")
need_testbed()
main(run)
