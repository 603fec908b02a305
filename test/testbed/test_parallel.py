"""Parallel links: bundles and several spines, with a seed of the hash that spreads flows."""

import json
import sys

from cluster import EXIT_FAILED, Flow, address, main, need_testbed, on, ping, tap, tool, wait_until
from cluster import write

SPINES = """
SwitchName=leaf0 Nodes=a,b
SwitchName=leaf1 Nodes=c,d
SwitchName=spine0 Switches=leaf0,leaf1
SwitchName=spine1 Switches=leaf0,leaf1
"""
TOP = "spine[0-1]"
BUNDLE = """
SwitchName=s0 Nodes=a
SwitchName=s1 Nodes=b Switches=s0 Uplinks=4
"""

# Forty flows, no two of one size, alike in every run.
SENDER = """
import socket, sys
for i in range(40):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.bind(("", 20000 + i))
        out.sendto(bytes(100 + i), (sys.argv[1], 9))
"""


def parallel():
    """(from, to, member): the link."""
    links = json.loads(tool("status", "--name", "t", "--json").stdout)["links"]
    return {(link["from"], link["to"], link["member"]): link for link in links}


def quiet():
    """The links when nothing is under way any more."""
    found = [parallel()]

    def same():
        found.append(parallel())
        return found[-1] == found[-2]

    wait_until(same)
    return found[-1]


def carried(links, sender, receiver):
    """Bytes on each member from one to the other."""
    return [link["bytes"] for (begin, end, _), link in sorted(links.items())
            if (begin, end) == (sender, receiver)]  # fmt: skip


def up(text, seed):
    answer = tool("up", "--topology", write("parallel.conf", text), "--name", "t",
                  "--hash-seed", str(seed))  # fmt: skip
    if not tap.ok(answer.returncode == 0, f"a testbed with parallel links comes up, seed {seed}"):
        raise RuntimeError(answer.stderr)


def spread(seed):
    """Sends the forty flows, and ends the testbed: bytes on each member."""
    tool("status", "--name", "t", "--reset")
    on("a", sys.executable, "-S", "-c", SENDER, address("c"))
    found = carried(quiet(), "leaf0", TOP)
    tool("down", "--name", "t")
    tap.ok(min(found) > 0, f"forty flows use both spines, seed {seed}: {found}")
    return found


def spines():
    up(SPINES, 3)
    tap.match(tool("list").stdout, "hash seed 3", "the list has the seed")
    tool("status", "--name", "t", "--reset")
    tap.ok(ping("a", "c", 1000, 3) < 1000 and ping("b", "d", 1000, 3) < 1000,
           "pings pass the spines")  # fmt: skip
    flow = Flow("a", "d", 200000)
    flow.begin()
    flow.end()
    links = quiet()
    shares = carried(links, "leaf0", TOP)
    tap.ok(max(shares) >= 200000 > 4 * min(shares), f"a connection stays on one spine: {shares}")
    tap.eq(sum(shares), links["a", "leaf0", 0]["bytes"] + links["b", "leaf0", 0]["bytes"],
           "the members carry what the hosts sent, together")  # fmt: skip
    tap.eq(carried(links, "leaf0", TOP), carried(links, TOP, "leaf1"),
           "what goes up to a spine comes down from it")  # fmt: skip
    tap.eq(carried(links, "leaf1", TOP), carried(links, TOP, "leaf0"), "and the way back")
    text = tool("status", "--name", "t").stdout
    tap.match(text, "hash seed 3", "the status has the seed")
    tap.match(text, r"MEMBER", "and the members")
    tap.match(text, r"spine\[0-1\]/1 +leaf1 +1 ", "with the spine to which they lead")
    first = spread(3)
    up(SPINES, 4)
    tap.ok(spread(4) != first, "another seed spreads them otherwise")


def bundles():
    up(BUNDLE, 1)
    tap.eq(len(carried(parallel(), "s0", "s1")), 4, "a bundle's members are listed")
    tap.eq(tool("set", "--name", "t", "s0-s1", "member=2", "rate=3mbit").returncode, 0,
           "one of them can be changed")  # fmt: skip
    rates = [parallel()["s0", "s1", i]["rate"] for i in range(4)]
    tap.eq(rates, [10**7, 10**7, 3 * 10**6, 10**7], "and no other is")
    tool("set", "--name", "t", "s0", "s1", "latency=1ms")
    tap.eq([parallel()["s0", "s1", i]["latency"] for i in range(4)], [10**6] * 4,
           "or all of them")  # fmt: skip
    answer = tool("set", "--name", "t", "s0", "s1", "member=4", "rate=3mbit")
    tap.eq(answer.returncode, EXIT_FAILED, "a member that the link has not is refused")
    tap.match(answer.stderr, "no such member", "with the reason")
    tap.match(tool("set", "--name", "t", "s0", "s1", "member=0").stderr, "set what",
              "a member alone is no change")  # fmt: skip
    tool("down", "--name", "t")


def refused():
    path = write("parallel.conf", BUNDLE)
    answer = tool("up", "--topology", path, "--name", "t", "--fabric", "kernel")
    tap.eq(answer.returncode, EXIT_FAILED, "--fabric kernel refuses parallel links")
    tap.match(answer.stderr, "no parallel links", "with the reason")
    answer = tool("up", "--topology", path, "--name", "t", "--hash-seed", "x")
    tap.match(answer.stderr, "whole number", "a seed that is no number is refused")


def run():
    spines()
    bundles()
    refused()


need_testbed()
main(run)
