"""
Broadcasts by multicast while a switch begins to drop the frames of groups, as one does that snoops IGMP
without a querier and has forgotten their members. Every byte is right, and broadcasts go by trees from then on.
"""

from cluster import IS_LONG, main, need_program, need_testbed, tap, write
from groups import TREES, mix, up


def run():
    # In the short suite half as many broadcasts, and what disturbs them in half of the time.
    script = write("deaf.script", f"at {4 if IS_LONG else 2}s set s1 multicast=off\n")
    up()
    answer, _ = mix("a switch that begins to drop multicast", steps="1500" if IS_LONG else "300",
                    options=("--script", script))  # fmt: skip
    tap.match(answer.all, TREES, "a line says so")  # before or after the probe, by how busy this host is


need_program("mpirun")
need_testbed()
main(run)
