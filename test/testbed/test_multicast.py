"""Multicast over real sockets: who gets a group's frames, how often, and what they cost the links."""

import json
import os
import sys
import time

from cluster import CONTRIB, EXIT_FAILED, IS_LONG, goodput, main, need_testbed, on
from cluster import start, status, tap, tool, undisturbed, wait_until, write

GROUP, PORT = "239.192.7.1", 5007
RATE = 10_000_000
SPINES = """
SwitchName=leaf1 Nodes=a,b
SwitchName=leaf2 Nodes=c,d
SwitchName=leaf3 Nodes=e,f
SwitchName=spine1 Switches=leaf[1-3]
SwitchName=spine2 Switches=leaf[1-3]
"""
LINE = """
SwitchName=s0 Nodes=a,b Switches=s1
SwitchName=s1 Nodes=c,d
"""

# A member of the group from "ready" on, until the datagram of number 0 comes or it is ended: it prints
# a line for each datagram, with the time at which the kernel had it (SO_TIMESTAMPNS).
MEMBER = """
import signal, socket, struct, sys
group, port = sys.argv[1], int(sys.argv[2])
own = socket.gethostbyname(socket.gethostname())
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as member:
    member.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    member.setsockopt(socket.SOL_SOCKET, 35, 1)
    member.bind((group, port))
    member.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                      socket.inet_aton(group) + socket.inet_aton(own))
    print("ready", flush=True)
    number = -1
    while number != 0:
        data, (stamp,), *_ = member.recvmsg(65536, 64)
        number = struct.unpack_from("!I", data)[0]
        seconds, ns = struct.unpack("ll", stamp[2][:16])
        print(number, seconds + ns / 1e9)
"""

# Prints when it began to send this number of datagrams, numbered down to 0. If they are 0 it sends one each
# 20 ms, numbered from 1 on, until it is ended, and prints the last number.
SENDER = """
import signal, socket, struct, sys, time
target, port, n, size = sys.argv[1], *(int(word) for word in sys.argv[2:5])
own, stopped = socket.gethostbyname(socket.gethostname()), []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    def send(number):
        sender.sendto(struct.pack("!I", number) + bytes(size - 4), (target, port))
    began, number = time.time(), 0
    for i in reversed(range(n)):
        send(i)
    while n == 0 and not stopped:
        number += 1
        send(number)
        time.sleep(0.02)
    print(began if n > 0 else number)
"""


class Member:
    """A member of the group on a host."""

    def __init__(self, name, host):
        self.process = start(host, sys.executable, "-E", "-S", "-c", MEMBER, GROUP, str(PORT), name=name)

    def ready(self):
        assert self.process.stdout.readline() == "ready\n"

    def end(self, kill=False):
        """What came: [(number, time), ...]; until the datagram of number 0, or up to now."""
        if kill:
            self.process.terminate()
        # Its last line may be cut off where it is ended.
        lines = [line.split() for line in self.process.communicate()[0].rpartition("\n")[0].splitlines()]
        return [(int(number), float(when)) for number, when in lines]


def members(name, hosts):
    found = {host: Member(name, host) for host in hosts}
    for member in found.values():
        member.ready()
    return found


def sender(n, size=1000, target=GROUP):
    return (sys.executable, "-E", "-S", "-c", SENDER, target, str(PORT), str(n), str(size))


def send(name, host, n, size=1000, target=GROUP):
    """Sends and returns when it began."""
    return float(on(host, *sender(n, size, target), name=name).stdout)


def numbers(member, kill=False):
    return [number for number, _ in member.end(kill)]


def still(name):
    """Waits until no frame waits; a link's latency later none is under way."""
    wait_until(lambda: not any(link["queue"] for link in status(name)["links"].values()))
    time.sleep(0.02)


def up(name, topology, *options):
    answer = tool("up", "--topology", topology, "--name", name, "--rate", "10mbit", *options)
    tap.eq(answer.returncode, 0, f"up {' '.join(options)}")
    tap.note(answer.stderr)


def whole(link):
    """The datagrams of 1000 bytes that a link has carried; it also has some short reports."""
    return link["bytes"] // (1000 + 42)


def test_flood():
    """Leaves and spines: all hosts' links carry a group's frames."""
    up("t", PATHS["spines"], "--no-multicast", "leaf3")
    found = members("t", "bcd")
    send("t", "a", 40)
    got = {host: numbers(member) for host, member in found.items()}
    tap.eq(got, dict.fromkeys("bcd", list(reversed(range(40)))), "each member gets each datagram once, in order")
    still("t")
    measured = status("t")
    tap.eq([whole(measured["links"]["leaf1", host]) for host in "ab"], [0, 40],
           "bytes on a member's link, and none to the sender")  # fmt: skip
    tap.eq(whole(measured["links"]["leaf3", "e"]), 0, "a switch that drops multicast from the start")
    dropped = measured["fabric"]["switches"]["leaf3"]["multicast_drops"]
    tap.ok(40 <= dropped < 60, f"counts it: {dropped}, with reports")
    shown = tool("status", "--name", "t").stdout
    tap.match(shown, r"switch leaf3: multicast off, [45]\d frames dropped", "in words, too")
    # Of the two spines, which are one node, one has it all.
    rows = [line.split() for line in shown.splitlines()]
    for ends in (["leaf1", SPINE], [SPINE, "leaf2"]):
        counts = [int(row[6]) // (1000 + 42) for row in rows if [end.split("/")[0] for end in row[:2]] == ends]
        tap.eq(sorted(counts), [0, 40], f"{ends[0]} to {ends[1]}: over one spine, once")
    tool("set", "--name", "t", "leaf3", "multicast=on")
    tool("set", "--name", "t", "leaf2", "multicast=off")
    tool("status", "--name", "t", "--reset")
    send("t", "a", 10)
    still("t")
    links = status("t")["links"]
    tap.eq([whole(links[leaf, host]) for leaf, host in (("leaf3", "e"), ("leaf3", "f"), ("leaf2", "c"))],
           [10, 10, 0], "changed while it runs: hosts that are not members get it, too")  # fmt: skip


def is_right(flow):
    """Whether a flow had what TCP gets of a link."""
    return 0.7 < flow["rate"] / 8 / goodput(RATE) < 1.02


def is_possible(flow):
    """Whether a receiver may see this, also one that was late at first and took several messages together."""
    return flow["rate"] / 8 / goodput(RATE) < 1.1


def test_tcp():
    flow = undisturbed(lambda: json.loads(tool("tcp", "--name", "t", "a", "e", "300ms", "--json").stdout),
                       is_right, is_possible)  # fmt: skip
    tap.ok(is_right(flow), f"tcp reports its rate: {flow['rate']:.0f} bit/s")
    tap.eq((flow["marks"][-1][1], flow["seconds"] >= 0.3), (flow["bytes"], True), "for as long as it was to last")
    answer = tool("tcp", "--name", "t", "a", "e", "10s", "--size", "20k")
    tap.match(answer.stdout, r"tcp a e: 20480 bytes in 0\.[0-9]+ s, [0-9.]+[mkg]bit", "or until so much has come")
    tap.match(tool("tcp", "--name", "t", "a", "x", "1s").stderr, "no host 'x'", "tcp to an unknown host is refused")


def lost(seed):
    """Sends 600 broadcasts on a testbed that loses 5 %; how many each host's link has lost."""
    name = "lossy" + seed
    tool("up", "--topology", PATHS["spines"], "--name", name, "--rate", "100mbit", "--loss", "5%", "--loss-seed", seed)
    send(name, "a", 600, 100, target="10.77.255.255")
    still(name)
    links = status(name)["links"]
    tap.eq(sum(link["drops"] for ends, link in links.items() if ends not in LAST_LINKS), 0, "no other link loses")
    tool("down", "--name", name)
    return [links[link]["drops"] for link in LAST_LINKS]


def test_loss():
    first = lost("3")
    # Binomial: 150 of 3000 copies with a standard deviation of 12.
    tap.ok(102 < sum(first) < 198, f"5 % of the copies are lost at last links: {first}")
    if IS_LONG:  # test_fabric_multicast has the seeds of the model
        tap.eq(lost("3"), first, "the same ones for the same seed")
        tap.ok(lost("4") != first, "others for another")


FAULTS = (
    (("--no-multicast", "leaf9"), EXIT_FAILED, "'leaf9' is no switch"),
    (("--fabric", "kernel", "--no-multicast", "leaf1"), EXIT_FAILED, "leave them out"),
)


def test_faults():
    for options, code, what in FAULTS:
        answer = tool("up", "--topology", PATHS["spines"], "--name", "never", *options)
        tap.eq(answer.returncode, code, f"up {' '.join(options)} is refused")
        tap.match(answer.stderr, what, "with the reason")
    tap.match(tool("set", "--name", "t", "leaf1", "multicast=no").stderr, "on or off", "multicast=no is refused")
    script = write("bad.script", "set leaf1 multicast=off\nat 1s set a multicast=off\n")
    tap.match(tool("play", "--name", "t", script).stderr, r"bad\.script:2: 'a' is no switch", "in scripts, too")


def broadcast_time(hosts, n, size):
    """A broadcast to all hosts, from the first call to the last arrival, in s."""
    found = members("big", hosts)
    began = send("big", "n0", n, size)
    got = [member.end() for member in found.values()]
    tap.ok(all([number for number, _ in one] == list(reversed(range(n))) for one in got), "all of it came")
    return max(one[-1][1] for one in got) - began


def test_time():
    """Topology (5): four switches in a line, so that the last host is five links away."""
    tool("up", "--topology", os.path.join(CONTRIB, "topology5.conf"), "--name", "big", "--rate", "2mbit")
    hosts, n, size = [f"n{i}" for i in range(1, 32)], 45, 1457
    computed = (n - 1 + 5) * (size + 42 + 24) * 8 / 2e6
    found = undisturbed(lambda: broadcast_time(hosts, n, size), lambda seconds: seconds < 1.05 * computed,
                        lambda seconds: seconds > 0.98 * computed)  # fmt: skip
    tap.ok(0.98 < found / computed < 1.05, f"{n * size} bytes to 31 hosts take {1e3 * found:.1f} ms "
           f"(computed {1e3 * computed:.1f})")  # fmt: skip
    tool("down", "--name", "big")


def run():
    test_flood()
    test_tcp()
    test_faults()
    test_loss()
    if IS_LONG:  # test_fabric_multicast has the times of the model
        test_time()


SPINE = "spine[1-2]"
LAST_LINKS = [(f"leaf{1 + i // 2}", host) for i, host in enumerate("abcdef") if host != "a"]
PATHS = {"spines": write("spines.conf", SPINES), "line": write("line.conf", LINE)}
need_testbed()
main(run)
