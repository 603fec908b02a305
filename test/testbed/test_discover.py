#!/usr/bin/env python3
"""TAP: pipebcast-tune finds the topology of an emulated cluster, and checks files of it."""

import os
import re

from cluster import IS_LONG, main, need_testbed, tap, tool, write

TUNE = os.path.join(os.environ["PIPEBCAST_BUILDDIR"], "contrib/tools/tune/pipebcast-tune")

# Two leaves below a switch with hosts of its own; the short suite has one leaf.
TRUE = """SwitchName=s0 Nodes=n[0-2] LinkSpeed=1
SwitchName=s1 Nodes=n[3-6] LinkSpeed=1
SwitchName=s2 Nodes=n[7-9] LinkSpeed=1
SwitchName=s0 Switches=s1,s2 LinkSpeed=1
"""
LEAVES = [{"n0", "n1", "n2"}, {"n3", "n4", "n5", "n6"}, {"n7", "n8", "n9"}]
if not IS_LONG:
    TRUE = """SwitchName=s0 Nodes=n[0-2] LinkSpeed=1
SwitchName=s1 Nodes=n[3-5] LinkSpeed=1
SwitchName=s0 Switches=s1 LinkSpeed=1
"""
    LEAVES = [{"n0", "n1", "n2"}, {"n3", "n4", "n5"}]

MISTAKES = {
    "two switches are one": (TRUE.replace("s0 Nodes=n[0-2]", "s0 Nodes=n[0-2],n[7-9]")
                             .replace("SwitchName=s2 Nodes=n[7-9] LinkSpeed=1\n", "")
                             .replace("s1,s2", "s1"), r"hosts n7, n8, n9: a link that the file lacks"),
    "a host is elsewhere": (TRUE.replace("n[0-2]", "n[0-1]").replace("n[3-6]", "n[2-6]"),
                            r"host n2: on the other side of the link s0 - s1"),
    "a link is half as fast": (TRUE.replace("Switches=s1,s2 LinkSpeed=1",
                                            "Switches=s1 LinkSpeed=2\nSwitchName=s0 Switches=s2 LinkSpeed=1"),
                               r"link s0 - s1: it carries"),
} if IS_LONG else {
    "two switches are one": ("SwitchName=s0 Nodes=n[0-5]\n", r"a link that the file lacks"),
}  # fmt: skip


def tune(*arguments):
    return tool("mpirun", "--name", "t", "--", "-np", str(sum(map(len, LEAVES))), "--mca", "coll", "^pipebcast", TUNE,
                *arguments, timeout=400)  # fmt: skip


def leaves(path):
    with open(path, encoding="utf-8") as file:
        found = re.findall(r"^SwitchName=\S+ Nodes=(\S+)", file.read(), re.M)
    return sorted(sorted(nodes.split(",")) for nodes in found)


def test_discover():
    found = write("found.conf", "")
    answer = tune("--discover", found)
    tap.ok(answer.returncode == 0 and answer.stdout.startswith(f"{sum(map(len, LEAVES))} hosts on {len(LEAVES)} switches ")
           and f"the topology: {found}" in answer.stdout, "the topology is found") or tap.note(answer.stdout + answer.stderr)
    tap.ok(leaves(found) == sorted(sorted(leaf) for leaf in LEAVES), "each host is on its switch")


def test_too_short():
    answer = tune("--discover", write("found.conf", ""), "--time-limit", "5")
    tap.ok(answer.returncode == 1 and "give a longer --time-limit" in answer.stderr, "with too little time it ends")


def test_verify():
    answer = tune("--verify", "--topology", write("true.conf", TRUE))
    tap.ok(answer.returncode == 0 and ": 0 contradictions" in answer.stdout, "a true file is verified") or tap.note(
        answer.stdout + answer.stderr
    )
    for what, (text, wanted) in MISTAKES.items():
        answer = tune("--verify", "--topology", write("false.conf", text))
        tap.ok(answer.returncode == 1 and re.search(wanted, answer.stdout), f"{what}: found") or tap.note(
            answer.stdout + answer.stderr
        )


def run():
    need_testbed(alone=True)
    tool("up", "--name", "t", "--topology", write("cluster.conf", TRUE))
    test_discover()
    if IS_LONG:
        test_too_short()
    test_verify()


main(run)
