"""
Faults of the network under a job: a link that is dead for seconds, a port that drops frames, a
rank that is killed, two hosts that cannot connect. The job ends as it should, every byte is right, and nothing stays behind.
"""

import os
import re
import sys

from cluster import EXIT_TIMEOUT, IS_LONG, SCRATCH, SRCDIR, address, forget, main, need_program, need_testbed, on
from cluster import processes_with, status, tap, tool, wait_until, write

sys.path.insert(0, os.path.join(SRCDIR, "contrib/experiments"))
from benchlib.programs import component_path  # noqa: E402 pylint: disable=wrong-import-position

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
SOAK = os.path.join(BUILD, "test/soak/soak")
# Other tests start this program, too: here it has a name of its own.
KILLED = os.path.join(SCRATCH, "run_killed")
BCAST = os.path.join(BUILD, "test/mpi/run_bcast")
PATH = write("faults.conf", "SwitchName=s0 Nodes=n[0-2] Switches=s1\nSwitchName=s1 Nodes=n[3-5]\n")

# Of a soak: the cable is dead for half of the time.
SECONDS = "12" if IS_LONG else "6"

# Again and again, as it is not known how long the job takes to start.
DEAD = "".join(f"at {at}s set s0-s1 loss=100%\nat {at + 3}s set s0-s1 loss=0%\n" for at in range(2, 80, 6))


def mpirun(name, *arguments, options=()):
    """name: a kind of tree, or a mode of arrival behind "arrival_"."""
    kind, arrival = ("auto", name[8:]) if name.startswith("arrival_") else (name, "off")
    answer = tool("mpirun", "--name", "t", "--timeout", "100", *options, "--",
                  *component_path(os.path.join(BUILD, "ompi_coll_pipebcast")),
                  "--mca", "coll", "pipebcast,tuned",
                  "--mca", "coll_pipebcast_topology_file", PATH,
                  "--mca", "coll_pipebcast_algorithm", kind,
                  "--mca", "coll_pipebcast_arrival", arrival, *arguments)  # fmt: skip
    tap.note(answer.stdout)
    return answer


def drops(sender, receiver):
    return status()["links"][sender, receiver]["drops"]


def test_soak(algorithm, what, options=()):
    """A job that verifies every byte goes through it."""
    tool("status", "--name", "t", "--reset")
    answer = mpirun(algorithm, SOAK, "--seconds", SECONDS, "--report", str(int(SECONDS) // 2), "--max-bytes", "100000",
                    options=options)  # fmt: skip
    tap.eq(answer.returncode, 0, f"{what}, {algorithm}: the job ends well")
    tap.match(answer.stdout, "PASS soak", f"{what}, {algorithm}: every byte is right")
    tap.ok(drops("s0", "s1") > 0, f"{what}, {algorithm}: {drops('s0', 's1')} frames were lost")


def test_killed(algorithm):
    answer = mpirun(algorithm, KILLED)
    tap.ok(answer.returncode not in (0, EXIT_TIMEOUT), f"a killed rank, {algorithm}: the job ends")
    tap.match(answer.stderr, "rank 2 ends itself", f"a killed rank, {algorithm}: it was")
    tap.ok("PASS" not in answer.stdout, f"a killed rank, {algorithm}: not as if nothing had been")
    tap.ok(wait_until(lambda: not processes_with(KILLED)),
           f"a killed rank, {algorithm}: no process stays on any host")  # fmt: skip


def test_no_route(algorithm):
    """Two hosts without a route to each other, next to each other in the tree from rank 0."""
    answer = mpirun(algorithm, BCAST, "100000")
    tap.ok(answer.returncode not in (0, EXIT_TIMEOUT), f"no route between two hosts, {algorithm}: the job ends")
    tap.match(answer.stderr, "from n1 to: n2 |from n2 to: n1 ", f"no route, {algorithm}: the two are named")


def test_dropped(algorithm):
    """What two neighbors send to each other is lost without a word: TCP gives up after three seconds here."""
    forget("n1", "n2")
    for host in ("n1", "n2"):
        on(host, "sysctl", "-w", "net.ipv4.tcp_syn_retries=1")
    answer = mpirun(algorithm, BCAST, "3000000")
    tap.ok(answer.returncode not in (0, EXIT_TIMEOUT), f"all is dropped between two hosts, {algorithm}: the job ends")
    told = answer.stdout + answer.stderr
    tap.ok(re.search(address("n1") + "|" + address("n2"), told) and re.search(r"\bn[12]\b", told),
           f"all is dropped, {algorithm}: the two are named")  # fmt: skip


def run():
    os.symlink(os.path.join(BUILD, "test/mpi/run_killed"), KILLED)
    script = write("dead.script", DEAD)
    answer = tool("up", "--topology", PATH, "--rate", "20mbit", "--name", "t")
    tap.eq(answer.returncode, 0, "a cluster")
    for algorithm in ("twotree", "arrival_nb") if IS_LONG else ("arrival_nb",):
        test_soak(algorithm, "a link that is dead for three seconds", ("--script", script))
    tool("set", "--name", "t", "s0-s1", "loss=1%")
    for algorithm in ("twotree", "arrival_b") if IS_LONG else ("twotree",):
        test_soak(algorithm, "a port that drops 1 % of the frames")
    tool("set", "--name", "t", "s0-s1", "loss=0%")
    for algorithm in ("twotree", "arrival_b") if IS_LONG else ("twotree",):
        test_killed(algorithm)
    for algorithm in ("chain", "twotree") if IS_LONG else ("chain",):
        test_dropped(algorithm)
    for sender, receiver in (("n1", "n2"), ("n2", "n1")):
        on(sender, "ip", "route", "add", "blackhole", address(receiver) + "/32")
    for algorithm in ("chain", "twotree") if IS_LONG else ("chain",):
        test_no_route(algorithm)


need_program("mpirun", "ip")
need_testbed()
main(run)
