"""The kernel as a fabric: the second opinion must agree with the model where it can."""

from cluster import IS_LONG, Flow, goodput, main, need_testbed, on, status, tap, tool, undisturbed
from cluster import write

RATE = 4_000_000
TOPOLOGY = """
SwitchName=s0 Nodes=a,b Switches=s1 LinkSpeed=1
SwitchName=s1 Nodes=c LinkSpeed=1
SwitchName=s1 Nodes=d LinkSpeed=2
"""


def bulk(sender, receiver, size):
    flow = Flow(sender, receiver, size)
    flow.begin()
    flow.end()
    return flow.rate(flow.time_of(size // 4), flow.marks[-1][0])


def run():
    path = write("kernel.conf", TOPOLOGY)
    answer = tool("up", "--fabric", "kernel", "--topology", path, "--rate", "4mbit", "--name", "t")
    tap.eq(answer.returncode, 0, "bridges and token buckets come up")
    tap.note(answer.stdout + answer.stderr)
    on("a", "ping", "-q", "-c", "1", "c")
    tool("status", "--name", "t", "--reset")
    for sender, receiver, links in (("a", "b", 2), ("a", "c", 3)) if IS_LONG else (("a", "c", 3),):
        share = undisturbed(lambda s=sender, r=receiver: bulk(s, r, 1000000) / goodput(RATE),
                            lambda x: 0.9 <= x <= 1.05, lambda x: x <= 1.05)  # fmt: skip
        tap.ok(0.9 <= share <= 1.05, f"TCP over {links} links gets {100 * share:.1f} % of a link")
    found = status()["links"]
    tap.ok(found["s0", "s1"]["bytes"] >= 1000000, "links are counted")
    # A bridge floods until it has learned where a host is.
    tap.ok(found["s1", "d"]["bytes"] < 5000, "and only those that are used")
    tap.eq(found["d", "s1"]["rate"], 2 * RATE, "twice the LinkSpeed, twice the rate")
    answer = tool("set", "--name", "t", "a", "s0", "rate=2mbit")
    tap.eq(answer.returncode, 0, "a link can be changed")
    tap.eq(status()["links"]["a", "s0"]["rate"], RATE // 2, "and is")
    tap.match(tool("set", "--name", "t", "a", "s0", "latency=1ms").stderr, "no latency",
              "but has no latency to change")  # fmt: skip
    tap.match(tool("load", "--name", "t", "a", "c", "1mbit", "1s").stderr, "no load", "makes no load")
    tap.eq(tool("set", "--name", "t", "s0-s1", "rate=2mbit").returncode, 0, "set A-B")
    rates = {status()["links"][way]["rate"] for way in (("s0", "s1"), ("s1", "s0"))}
    tap.eq(rates, {RATE // 2}, "changes both ways")
    tap.eq(tool("set", "--name", "t", "s0-s1", "queue=64k").returncode, 0, "set of another value")
    found = [status()["links"][way] for way in (("s0", "s1"), ("s1", "s0"), ("a", "s0"))]
    tap.eq([(link["rate"], link["queue_limit"]) for link in found[:2]], [(RATE // 2, 65536)] * 2, "leaves the first one")
    tap.eq(found[2]["rate"], RATE // 2, "and that of another link")
    tool("status", "--name", "t", "--reset")
    tap.eq(status()["links"]["s0", "s1"]["bytes"], 0, "counters can be reset")
    tap.match(tool("status", "--name", "t").stdout, "no latency", "status reports what it cannot do")


need_testbed("--fabric", "kernel", alone=True)
main(run)
