"""
Broadcasts by multicast while a switch begins to drop the frames of groups, as one does that snoops IGMP
without a querier and has forgotten their members, and copies them again later. Every byte is right,
broadcasts go by trees meanwhile, and by multicast again. What happens is answered when a line tells it.
"""

import subprocess
import sys

from cluster import IS_LONG, TOOL, main, need_program, need_testbed, tap, tool
from groups import MIX, TREES, command, up

STEPS = "1500" if IS_LONG else "1000"
WORKS, SILENT = "multicast works", TREES + "lost more than half of the frames"


def run():
    up()
    arguments = command("--mca", "coll_pipebcast_algorithm", "multicast", MIX, "mix", STEPS, "5")
    job = subprocess.Popen([sys.executable, TOOL, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)  # fmt: skip
    seen, text = [], ""
    for line in job.stdout:
        text += line
        if WORKS in line:
            seen.append(WORKS)
            if SILENT not in seen:
                tool("set", "--name", "t", "s1", "multicast=off")
        if SILENT in line:
            seen.append(SILENT)
            tool("set", "--name", "t", "s1", "multicast=on")
    tap.eq(job.wait(), 0, "a switch that begins to drop multicast: the job ends well")
    tap.match(text, "PASS run_nonblocking", "every byte is right")
    tap.eq(seen[:3], [WORKS, SILENT, WORKS], "multicast works, is seen to be silent, is tried again and works")
    tap.note(text)


need_program("mpirun")
need_testbed()
main(run)
