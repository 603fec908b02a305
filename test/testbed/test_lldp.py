"""LLDP: Debian's lldpd on every host hears the switches, and what pipebcast-topo makes of its tables is
the true tree."""

import json
import os
import random
import subprocess
import sys
import time

from cluster import IS_LONG, SCRATCH, TOOL, main, need_program, need_testbed, skip_all, tap, tool
from cluster import write

BUILD = os.environ.get("PIPEBCAST_BUILDDIR", "")
TOPO = os.path.join(BUILD, "contrib/tools/topo/pipebcast-topo")
FABRIC = os.path.join(BUILD, "contrib/testbed/pipebcast-fabric")

LEAF_SPINE = """
SwitchName=leaf1 Nodes=n[0-3]
SwitchName=leaf2 Nodes=n[4-7]
SwitchName=leaf3 Nodes=n[8-11]
SwitchName=spine1 Switches=leaf[1-2] LinkSpeed=10
SwitchName=spine1 Switches=leaf3 LinkSpeed=10 Uplinks=2
SwitchName=spine2 Switches=leaf[1-3] LinkSpeed=10
SwitchName=leaf1 Nodes=n12 LinkSpeed=1
"""


def random_network(seed):
    """A random tree of up to six switches, each of which that is an end of it has a host."""
    rng = random.Random(seed)
    n_switches = rng.randint(3, 6)
    parents = [rng.randrange(i) for i in range(1, n_switches)]
    ends = [i for i in range(n_switches) if i not in parents]
    hosts = ends + [rng.randrange(n_switches) for _ in range(rng.randint(6, 10))]
    rng.shuffle(hosts)
    lines = []
    for switch in range(n_switches):
        nodes = ",".join(f"n{i}" for i, at in enumerate(hosts) if at == switch)
        below = ",".join(f"s{i + 1}" for i, parent in enumerate(parents) if parent == switch)
        if nodes:
            lines.append(f"SwitchName=s{switch} Nodes={nodes} LinkSpeed=1")
        if below:
            lines.append(f"SwitchName=s{switch} Switches={below} LinkSpeed={rng.choice((1, 10, 100))}")
    return "\n".join(lines) + "\n"


def links_of(path):
    """The links of a topology file: ends, in whatever order, number, and speed against the lowest."""
    answer = subprocess.run([FABRIC, "--topology", path, "--describe"], check=True, timeout=60,
                            stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    head, *nodes = answer.stdout.splitlines()
    base = int(head.split()[2])
    found = set()
    for line in nodes:
        _, name, parent, speed, members, _ = line.split(" ")
        if parent != "-":
            found.add((frozenset((name, parent)), int(members), int(speed) / base))
    return found


class Daemon:
    """lldpd on a host, with a socket of its own."""

    def __init__(self, host):
        self.host = host
        self.socket = os.path.join(SCRATCH, host + ".lldp")
        self.log = open(os.path.join(SCRATCH, host + ".log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, TOOL, "exec", "--name", "t", "--timeout", "100", host, "--",
             "lldpd", "-d", "-u", self.socket, "-I", "eth0"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )  # fmt: skip

    def table(self):
        """What lldpcli prints; nothing while lldpd does not answer."""
        if not os.path.exists(self.socket):
            return ""
        answer = subprocess.run(
            ["lldpcli", "-u", self.socket, "-f", "json0", "show", "neighbors", "details"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
        return answer.stdout if answer.returncode == 0 else ""

    def hears(self):
        return '"chassis"' in self.table()

    def last_words(self):
        with open(self.log.name, encoding="utf-8") as file:
            return "\n".join(file.read().splitlines()[-5:])


def import_tables(directory, *arguments):
    """The topology of the tables in a directory: the path of the file, or None."""
    made = os.path.join(directory, "made.conf")
    answer = subprocess.run([TOPO, "import", "lldp", "hosts", *arguments, "--output", made],
                            cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=60, check=False)  # fmt: skip
    if answer.returncode != 0:
        tap.note(answer.stdout + answer.stderr)
        return None
    return made


def listen(directory, daemons):
    """Waits until every host has heard of a switch, and writes the hosts' tables."""
    waiting, end = list(daemons), time.monotonic() + 90
    while waiting and time.monotonic() < end:
        waiting = [daemon for daemon in waiting if not daemon.hears()]
        time.sleep(0.2)
    for daemon in waiting:
        tap.note(f"{daemon.host}: {daemon.last_words()}")
    os.makedirs(os.path.join(directory, "hosts"))
    for daemon in daemons:
        with open(os.path.join(directory, "hosts", daemon.host + ".json"), "w", encoding="utf-8") as file:
            file.write(daemon.table())
    return not waiting


def neighbours_of(directory, host):
    """The names of all that a host has heard of."""
    with open(os.path.join(directory, "hosts", host + ".json"), encoding="utf-8") as file:
        return [neighbour["chassis"][0]["name"][0]["value"]
                for neighbour in json.load(file)["lldp"][0]["interface"]]  # fmt: skip


def check_network(name, text):
    """Everything that LLDP tells of one network."""
    path = write(name + ".conf", text)
    directory = os.path.join(SCRATCH, name)
    answer = tool("up", "--topology", path, "--name", "t", "--rate", "10mbit", "--lldp", "1s")
    if not tap.ok(answer.returncode == 0, f"{name}: the testbed is up"):
        tap.note(answer.stderr)
        return
    truth = links_of(path)
    hosts = sorted(end for ends, _, _ in truth for end in ends if end.startswith("n"))
    daemons = [Daemon(host) for host in hosts]
    try:
        if tap.ok(listen(directory, daemons), f"{name}: lldpd hears on each of {len(hosts)} hosts"):
            compare(name, directory, truth, hosts)
    finally:
        tool("down", "--name", "t")
        for daemon in daemons:
            daemon.process.wait(60)
            daemon.log.close()


def compare(name, directory, truth, hosts):
    """What is made of the tables, against the truth."""
    # Each lldpd has sent a frame when it started, which its switch keeps to itself.
    heard = {host: neighbours_of(directory, host) for host in hosts}
    tap.ok(all(len(names) == 1 and names[0] not in hosts for names in heard.values()),
           f"{name}: each hears its switch alone")  # fmt: skip
    tap.ok(tool("lldp", "--name", "t", os.path.join(directory, "switches")).returncode == 0,
           f"{name}: the switches' own tables are written")  # fmt: skip
    made = import_tables(directory, "--switches", "switches")
    if tap.ok(made is not None, f"{name}: a topology is made of the tables"):
        tap.eq(links_of(made) ^ truth, set(), f"{name}: which is the true one")
    alone = import_tables(directory)
    if tap.ok(alone is not None, f"{name}: likewise of the hosts' tables alone"):
        of_hosts = {link for link in truth if any(end in hosts for end in link[0])}
        tap.eq({link for link in links_of(alone) if any(end in hosts for end in link[0])}, of_hosts,
               f"{name}: which has each host at its switch")  # fmt: skip


def check_off():
    """Without --lldp the switches send nothing."""
    path = write("off.conf", "SwitchName=s0 Nodes=a,b\n")
    tool("up", "--topology", path, "--name", "t")
    time.sleep(2)
    frames = json.loads(tool("status", "--name", "t", "--json").stdout)["links"]
    sent = sum(link["frames"] for link in frames if link["from"] == "s0")
    tap.eq(sent, 0, "without --lldp no switch sends anything")
    tool("down", "--name", "t")


def may_run_lldpd():
    """lldpd drops its privileges to a user of its own, and so needs root that is more than a user's."""
    if os.geteuid() != 0:
        skip_all("lldpd needs root")
    if subprocess.run(["getent", "passwd", "_lldpd"], capture_output=True, check=False).returncode != 0:
        skip_all("the user _lldpd is missing; install Debian's lldpd")


def run():
    os.chmod(SCRATCH, 0o711)  # lldpd's user goes through it to the sockets
    check_network("leaf_spine", LEAF_SPINE)
    for seed in (1, 2, 3) if IS_LONG else (1,):
        check_network(f"random{seed}", random_network(seed))
    check_off()
    answer = tool("up", "--topology", write("k.conf", "SwitchName=s0 Nodes=a,b\n"), "--fabric", "kernel", "--lldp", "1s")
    tap.ok(answer.returncode == 125 and "leave out --lldp" in answer.stderr, "not with the kernel's bridges")


need_program("lldpd", "lldpcli", "getent")
may_run_lldpd()
need_testbed()
main(run)
