"""
Broadcasts by multicast while a switch begins to drop the frames of groups, as one does that snoops IGMP
without a querier and has forgotten their members. Every byte is right, and broadcasts go by trees from then on.
"""

from cluster import IS_LONG, main, need_program, need_testbed, tap, write
from groups import BENCH, TREES, mix, mpirun, up


def run():
    # In the short suite half as many broadcasts, and what disturbs them in half of the time.
    script = write("deaf.script", f"at {4 if IS_LONG else 2}s set s1 multicast=off\n")
    up()
    answer, _ = mix("a switch that begins to drop multicast", steps="1500" if IS_LONG else "300",
                    options=("--script", script))  # fmt: skip
    tap.match(answer.all, TREES, "a line says so")  # before or after the probe, by how busy this host is
    up()
    # On a busy host it takes seconds until the ranks have found a group; broadcasts take 12 s at least.
    script = write("deaf-later.script", "at 8s set s1 multicast=off\n")
    answer = mpirun("--mca", "coll_pipebcast_algorithm", "multicast", "--mca", "coll_pipebcast_multicast_at_once", "3",
                    BENCH, "--op", "bcast_init", "--sizes", "32K", "--mode", "loop", "--iterations",
                    "600" if IS_LONG else "400", "--check", "--no-pingpong", options=("--script", script))  # fmt: skip
    tap.eq(answer.returncode, 0, "persistent broadcasts, the same: every byte is right")
    tap.match(answer.all, "multicast works", "their initialisation has found a group")
    tap.match(answer.all, "a persistent broadcast goes by trees from now on", "it is left when it falls silent")


need_program("mpirun")
need_testbed()
main(run)
