"""The fabric against its model, on the clock: delays, rates, shares, drops, speeds."""

import os
import sys
import time

from cluster import IS_LONG, SCRATCH, Flow, goodput, main, need_program, need_testbed, on, ping, start
from cluster import status, tap, tool, undisturbed, wait_until, write

RATE = 2_000_000
TOPOLOGY = """
SwitchName=s0 Nodes=a,b,c Switches=s1 LinkSpeed=1
SwitchName=s1 Nodes=d,e Switches=s2
SwitchName=s2 Switches=s3
SwitchName=s3 Nodes=f
SwitchName=s3 Nodes=g,h LinkSpeed=4
"""

# Says that it is ready, and sends COUNT datagrams of SIZE bytes together when the file GO is there.
BLAST = """
import os, socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
print("ready", flush=True)
while not os.path.exists(sys.argv[4]):
    time.sleep(0.005)
for i in range(int(sys.argv[3])):
    s.sendto(bytes(int(sys.argv[2])), (sys.argv[1], 6000))
"""


def wire(length, rate=RATE):
    """Milliseconds of a frame on a link."""
    return (length + 24) * 8 / rate * 1e3


def test_ping():
    for target, links, latency in (("b", 2, 0.01), ("d", 3, 0.015), ("f", 5, 0.025)):
        computed = 2 * (links * wire(1466) + latency)
        low, high = computed - 0.15, computed * 1.05 + 0.5
        found = undisturbed(lambda t=target: ping("a", t, 1424), lambda ms: low <= ms <= high,
                            lambda ms: ms >= low)  # fmt: skip
        tap.ok(low <= found <= high,
               f"a ping over {links} links takes {found:.2f} ms (computed {computed:.2f})")  # fmt: skip
    computed = 2 * 2 * (wire(1466, 4 * RATE) + 0.005)
    found = undisturbed(lambda: ping("g", "h", 1424), lambda ms: ms <= computed * 1.05 + 0.5,
                        lambda ms: ms >= computed - 0.15)  # fmt: skip
    tap.ok(computed - 0.15 <= found <= computed * 1.05 + 0.5,
           f"with four times the LinkSpeed {found:.2f} ms (computed {computed:.2f})")  # fmt: skip


def bulk(sender, receiver, size):
    """Bytes per second, from a quarter of the transfer on: slow start is over by then."""
    flow = Flow(sender, receiver, size)
    flow.begin()
    flow.end()
    return flow.rate(flow.time_of(size // 4), flow.marks[-1][0])


def test_bulk():
    # The pings of the short suite go over as many links.
    for target, links in (("b", 2), ("f", 5)) if IS_LONG else (("b", 2),):
        most = goodput(RATE)
        share = undisturbed(lambda t=target: bulk("a", t, 600000) / most, lambda s: 0.93 <= s <= 1.02,
                            lambda s: s <= 1.02)  # fmt: skip
        tap.ok(0.93 <= share <= 1.02,
               f"TCP over {links} links gets {100 * share:.1f} % of what a link can carry")  # fmt: skip
    if IS_LONG:
        share = undisturbed(lambda: bulk("g", "h", 2000000) / goodput(4 * RATE),
                            lambda s: 0.9 <= s <= 1.02, lambda s: s <= 1.02)  # fmt: skip
        tap.ok(0.9 <= share <= 1.02, f"and of a faster link {100 * share:.1f} %")


def blast(senders, receiver, size, count):
    """All senders together, when each has started: that takes Python long on a busy host."""
    go = os.path.join(SCRATCH, "go")
    running = [start(sender, sys.executable, "-S", "-c", BLAST, receiver, str(size), str(count), go)
               for sender in senders]  # fmt: skip
    for process in running:
        process.stdout.readline()
    with open(go, "w", encoding="ascii"):
        pass
    for process in running:
        process.communicate()


def tcp_shares():
    """What two flows over s0-s1 get of it, by the counters of the links behind it."""
    flows = [Flow("a", "d", 900000), Flow("b", "e", 900000)]
    for flow in flows:
        flow.begin()
    time.sleep(1)
    first = status()
    time.sleep(3)
    second = status()
    for flow in flows:
        flow.end()
    span = second["fabric"]["seconds"] - first["fabric"]["seconds"]
    shares = []
    for link in (("s1", "d"), ("s1", "e")):
        moved = {key: second["links"][link][key] - first["links"][link][key]
                 for key in ("bytes", "frames")}  # fmt: skip
        shares.append((moved["bytes"] + 24 * moved["frames"]) * 8 / RATE / span)
    return shares


def good_shares(shares):
    return all(0.4 <= share <= 0.6 for share in shares) and 0.93 <= sum(shares) <= 1.02


def test_sharing():
    # A queue for both flows' windows: reno may starve one of two flows at a full queue.
    tool("set", "--name", "t", "s0", "s1", "queue=4m")
    measured = [tcp_shares() for _ in range(3)]
    tap.ok(all(sum(shares) <= 1.02 for shares in measured), "two TCP flows never get more than the link")
    shares = sorted(measured, key=lambda shares: shares[0])[1]
    percents = " and ".join(f"{100 * share:.0f} %" for share in shares)
    tap.ok(good_shares(shares), f"two TCP flows over one link get {percents} of it")
    if IS_LONG:
        alone = undisturbed(lambda: bulk("d", "e", 600000) / goodput(RATE), lambda s: 0.93 <= s <= 1.02,
                            lambda s: s <= 1.02)  # fmt: skip
        tap.ok(0.93 <= alone <= 1.02, "flows on other links are not disturbed")


def test_full_queue():
    tool("set", "--name", "t", "s0", "c", "queue=20000")
    tool("status", "--name", "t", "--reset")
    blast(("a", "b"), "c", 958, 100)  # frames of 1000 bytes
    wait_until(lambda: status()["links"]["s0", "c"]["queue"] == 0, pause=0.2)
    link = status()["links"]["s0", "c"]
    up = [status()["links"][host, "s0"]["frames"] for host in ("a", "b")]
    tap.eq(sum(up), 200, "all frames left their hosts: a host's queue is long")
    tap.eq(link["frames"] + link["drops"], 200, "every frame was carried or counted as dropped")
    tap.ok(20 <= link["drops"] <= 100, f"a full queue drops ({link['drops']} of 200)")
    tap.eq(link["drop_bytes"], 1000 * link["drops"], "and counts the bytes")
    tap.eq(link["queue_peak"], 20000, "the queue was used to the last byte, and no more")
    received = on("c", "cat", "/proc/net/snmp").stdout
    udp = [line.split() for line in received.splitlines() if line.startswith("Udp:")]
    # There is no receiver: every datagram that arrives is counted as one without a port.
    tap.eq(int(udp[1][udp[0].index("NoPorts")]), link["frames"], "the others arrive")


def test_counters():
    found = status()
    links = found["links"]
    tap.eq(len(links), 2 * (8 + 3), "every link has two directions in the status")
    tap.eq(links["a", "s0"]["rate"], RATE, "the lowest LinkSpeed has --rate")
    tap.eq(links["s3", "g"]["rate"], 4 * RATE, "four times the LinkSpeed, four times the rate")
    tap.eq(found["fabric"]["overruns"], 0, "the fabric lost no frame")
    tap.eq(found["fabric"]["oversized"], 0, "no frame was longer than the MTU: offloads are off")
    tool("status", "--name", "t", "--reset")
    on("a", "ping", "-n", "-c", "3", "-i", "0.1", "-s", "958", "f")
    links = status()["links"]
    path = [("a", "s0"), ("s0", "s1"), ("s1", "s2"), ("s2", "s3"), ("s3", "f")]
    tap.eq([links[link]["frames"] for link in path], [3] * 5, "three pings are counted on each link")
    back = [(receiver, sender) for sender, receiver in path]
    tap.eq([links[link]["bytes"] for link in back], [3000] * 5, "and their bytes on the way back")
    others = sum(link["frames"] for ends, link in links.items() if ends not in path + back)
    tap.eq(others, 0, "nothing else moved: there is no ARP and no IPv6")


def test_set():
    answer = tool("set", "--name", "t", "a", "s0", "rate=1mbit", "latency=20ms")
    tap.eq(answer.returncode, 0, "a link can be changed while it is up")
    computed = wire(1466, 1e6) + wire(1466) + 2 * wire(1466) + 20 + 0.015
    found = undisturbed(lambda: ping("a", "b", 1424), lambda ms: ms <= computed * 1.05 + 0.5,
                        lambda ms: ms >= computed - 0.15)  # fmt: skip
    tap.ok(computed - 0.15 <= found <= computed * 1.05 + 0.5,
           f"and a ping then takes {found:.2f} ms (computed {computed:.2f})")  # fmt: skip
    answer = tool("set", "--name", "t", "a", "s3", "rate=1mbit")
    tap.match(answer.stderr, "no link joins a and s3", "a link that is not there cannot")


def run():
    need_program("ping", "getent")
    path = write("model.conf", TOPOLOGY)
    answer = tool("up", "--topology", path, "--rate", "2mbit", "--name", "t")
    tap.eq(answer.returncode, 0, "a testbed of four switches comes up")
    tap.note(answer.stdout + answer.stderr)
    test_counters()
    test_ping()
    test_bulk()
    if IS_LONG:  # test_fabric_model has how a link is shared, without hosts
        test_sharing()
    test_full_queue()
    test_set()
    tap.note(tool("status", "--name", "t").stdout)


need_testbed(alone=True)
main(run)
