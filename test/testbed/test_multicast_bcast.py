"""
Broadcasts by multicast on emulated switches that treat groups as switches do: they copy frames, drop
them by chance, or let none through. Every byte is right, and where it does not work broadcasts go by
trees. What changes meanwhile is in test_multicast_change.py.
"""

import os

from cluster import EXIT_TIMEOUT, main, need_program, need_testbed, tap, tool, write
from groups import BENCH, BUILD, TREES, mix, mpirun, n_dropped, up

KILLED = os.path.join(BUILD, "test/mpi/run_killed")
SLOW = write("slow.conf", "SwitchName=s0 Nodes=n[0-2] LinkSpeed=4\nSwitchName=s1 Nodes=n[3-5] LinkSpeed=4\n"
                          "SwitchName=core Switches=s[0-1] LinkSpeed=1\n")  # fmt: skip


def run():
    up()
    answer, n = mix("switches that copy frames", steps="100")
    tap.ok(n > 20, f"which go by multicast: {n}")
    tap.match(answer.all, "multicast works", "a line says so")
    _, n = mix("two ranks on each host", steps="100", options=("--ppn", "2"))
    tap.ok(n > 20, f"which go by multicast: {n}")
    fast = ("--mca", "btl_tcp_bandwidth_eth0", "40000")
    _, n = mix("links that claim 40 Gbit/s", *fast, steps="20")
    tap.eq(n, 0, "are left to trees")
    _, n = mix("unless multicast is on", *fast, "--mca", "coll_pipebcast_multicast", "on")
    tap.ok(n > 0, f"when it goes by multicast: {n}")
    tool("set", "--name", "t", "s0-s1", "loss=5%")
    mix("a link that drops 5 % of the frames", steps="40")
    mix("the same with two ranks on each host, whose leaders ask", steps="20", options=("--ppn", "2"))
    tool("set", "--name", "t", "s0-s1", "loss=0%")
    answer = mpirun("--mca", "coll_pipebcast_algorithm", "multicast", KILLED, "8")
    tap.ok(answer.returncode not in (0, EXIT_TIMEOUT) and "PASS" not in answer.stdout, "a killed rank: the job ends")

    tool("set", "--name", "t", "s1", "multicast=off")
    answer, n = mix("a switch that drops multicast")
    tap.eq(n, 0, "nothing goes by multicast")
    tap.match(answer.all, TREES + "lost more than half of a probe", "a line says why")
    before = n_dropped()
    _, n = mix("where it is forbidden", "--mca", "coll_pipebcast_multicast", "off")
    after = n_dropped()
    tap.ok(n == 0 and before == after, f"where it is forbidden nobody sends to a group: {after - before} frames")

    up(topology=SLOW, rate="5mbit")
    answer = mpirun("--mca", "coll_pipebcast_algorithm", "multicast",
                    BENCH, "--sizes", "2K,512K", "--mode", "loop", "--iterations", "3", "--warmup", "5", "--check",
                    "--no-pingpong", topology=SLOW)  # fmt: skip
    tap.eq(answer.returncode, 0, "a trunk that is slower than the hosts' links: every byte is right")
    tap.match(answer.all, "multicast works", "they go by multicast")
    tap.eq(n_dropped(), 0, "roots do not overrun it: frames that full queues have dropped")


need_program("mpirun")
need_testbed()
main(run)
