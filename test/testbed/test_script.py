"""A network that changes: links set and loaded, by hand and by a script, while it is up."""

import math
import os
import socket
import statistics
import sys

from cluster import EXIT_FAILED, IS_LONG, Flow, SCRATCH, TOOL, main, need_program, need_testbed
from cluster import on, ping, status, tap, tool, undisturbed, wait_until, write

RATE = 2_000_000
TOPOLOGY = """
SwitchName=s0 Nodes=a,b Switches=s1
SwitchName=s1 Nodes=c,d-e
"""
FULL = 1514

# Stands for mpirun.
FAKE_MPIRUN = """#!/bin/sh
sleep "$1"
exit 3
"""


def wire(length, rate=RATE):
    """Milliseconds of a frame on a link."""
    return (length + 24) * 8 / rate * 1e3


def links():
    return status()["links"]


def over():
    """Waits until nothing is planned and nothing waits in a queue."""
    def still():
        found = status()
        return not found["fabric"]["planned"] and not any(
            link["queue"] for link in found["links"].values())  # fmt: skip
    return wait_until(still)


FAULTS = (
    ("set", "a link is wanted"),
    ("set s0-s1", "set what"),
    ("set s0-s1 rate=fast", "'fast' is no rate"),
    ("set s0-s1 loss=1", "'1' is no share of the frames"),
    ("set s0-s1 loss=101%", "from 0% to 100%"),
    ("set s0-s1 rate=1mbit rate=2mbit", "given twice"),
    ("set s0-s1 speed=1mbit", "'speed=1mbit'.*rate="),
    ("set s0-s9 rate=1mbit", "'s0-s9' is no host, switch or link"),
    ("set a c rate=1mbit", "no link joins a and c"),
    ("set a rate=1mbit", "which host or switch is the other"),
    ("at set s0-s1 rate=1mbit", "'set' is no time"),
    ("at 2 set s0-s1 rate=1mbit", "'2' is no time"),
    ("at 2s", "set or load"),
    ("at", "at when"),
    ("at 2s sett s0-s1 rate=1mbit", "'sett' is no step"),
    ("load a c", "a rate and a time are wanted"),
    ("load a a 1mbit 1s", "both ends are 'a'"),
    ("load a c 1mbit 0s", "above 0"),
    ("load a c 1mbit 1s frame=2000", "frame=2000"),
    ("load a c 1mbit 1s often", "'often'"),
    ("at 999999999999999s set s0-s1 rate=1mbit", "begins with a time"),
)


def test_faults(path):
    text = "".join(f"{line}\n" for line, _ in FAULTS[:-1])
    script = write("bad.script", "# nothing but faults\nset a-s0 rate=1mbit\n" + text)
    up = tool("up", "--topology", path, "--name", "never", "--script", script)
    tap.eq(up.returncode, EXIT_FAILED, "up refuses a script with errors")
    tap.ok(not os.path.exists(os.path.join(SCRATCH, "pipebcast-testbed/never")), "and builds nothing")
    play = tool("play", "--name", "t", script)
    tap.eq(play.stderr, up.stderr, "play reports the same")
    for number, (line, what) in enumerate(FAULTS[:-1], 3):
        tap.match(play.stderr, rf"bad\.script:{number}: .*{what}", f"'{line}': file, line and fault")
    line, what = FAULTS[-1]
    play = tool("play", "--name", "t", write("late.script", f"set a-s0 rate=1mbit\n{line}\n"))
    tap.match(play.stderr, rf"late\.script:2: .*{what}", f"'{line}': what the fabric refuses, too")
    tool("play", "--name", "t", write("empty.script", ""))
    tap.eq(links()["a", "s0"]["rate"], RATE, "a script with an error does nothing at all")
    tap.match(tool("play", "--name", "t", script + ".no").stderr, r"script\.no", "a script that is not there")
    tap.match(tool("play", "--name", "t").stderr, "FILE or --stop", "play without anything to play")
    for words in (("a", "s3", "rate=1mbit"), ("s0-s1",), ("s0-s1", "rate=0mbit")):
        answer = tool("set", "--name", "t", *words)
        tap.eq(answer.returncode, EXIT_FAILED, f"set {' '.join(words)} is refused")
        tap.ok("Traceback" not in answer.stderr, "with a message")


def test_settings():
    """What `up --script` has set."""
    found = links()
    tap.eq((found["s0", "s1"]["latency"], found["s1", "s0"]["latency"]), (20_000_000, 20_000_000),
           "A-B sets both ways")  # fmt: skip
    tap.eq((found["s1", "d-e"]["queue_limit"], found["d-e", "s1"]["queue_limit"]),
           (50000, 64 << 20), "A B one way, and names may have a '-'")  # fmt: skip
    tap.eq(found["a", "s0"]["latency"], 5000, "other links are as --latency says")
    computed = 2 * (3 * wire(1466) + 20 + 0.010)
    found = undisturbed(lambda: ping("a", "c", 1424), lambda ms: ms <= computed * 1.05 + 0.5,
                        lambda ms: ms >= computed - 0.15)  # fmt: skip
    tap.ok(computed - 0.15 <= found <= computed * 1.05 + 0.5,
           f"a ping over the long link takes {found:.2f} ms (computed {computed:.2f})")  # fmt: skip
    tool("set", "--name", "t", "s1", "c", "loss=2.5%")
    tap.eq((links()["s1", "c"]["loss"], links()["c", "s1"]["loss"]), (25000, 0),
           "set A B loss: of a million frames, one way")  # fmt: skip
    tool("set", "--name", "t", "s1", "c", "loss=0%")
    tap.eq(tool("set", "--name", "t", "s0-s1", "latency=5us").returncode, 0, "set A-B")
    tap.eq({links()[way]["latency"] for way in (("s0", "s1"), ("s1", "s0"))}, {5000}, "sets both ways")


def connect():
    fabric = socket.socket(socket.AF_UNIX)
    fabric.connect(os.path.join(SCRATCH, "pipebcast-testbed/t/fabric.sock"))
    return fabric


def test_requests():
    """A request that waits behind another one, which comes in two parts."""
    with connect() as change, connect() as question:
        change.sendall(b"0 link s0 s1 -1 0 ")
        question.sendall(b"status")
        question.shutdown(socket.SHUT_WR)
        change.sendall(b"77000 -1 -1")
        change.shutdown(socket.SHUT_WR)
        tap.eq(change.makefile().read(), "ok\n", "a change")
        tap.match(question.makefile().read(), "from=s0 to=s1 .* latency=77000 ",
                  "is in the answer to who has asked meanwhile")  # fmt: skip
    tool("set", "--name", "t", "s0-s1", "latency=5us")


def received(host):
    """Frames that a host's interface has taken in."""
    return int(on(host, "cat", "/sys/class/net/eth0/statistics/rx_packets").stdout)


def test_load():
    tool("load", "--name", "t", "a", "c", "1mbit", "3600s")
    tap.eq(status()["fabric"]["planned"], 1, "status shows that a load lasts")
    tool("play", "--name", "t", "--stop")
    tap.ok(over(), "play --stop ends it")
    tool("status", "--name", "t", "--reset")
    before = received("c")
    tap.eq(tool("load", "--name", "t", "a", "c", "1mbit", "1s").returncode, 0, "a load")
    tap.ok(over(), "that ends by itself")
    # 1 Mbit/s is a frame in 12.304 ms, the first immediately.
    wanted = 82
    path = [("a", "s0"), ("s0", "s1"), ("s1", "c")]
    found = links()
    tap.eq([found[link]["load_frames"] for link in path], [wanted] * 3, "it has carried what it should")
    tap.eq([found[link]["load_bytes"] for link in path], [wanted * FULL] * 3, "in bytes, too")
    tap.eq(found["s0", "s1"]["load_busy"], round(wanted * wire(FULL) * 1e6), "and occupied the link")
    tap.eq(sum(link["load_frames"] for link in found.values()), 3 * wanted, "but no other")
    tap.eq(sum(link["frames"] for link in found.values()), 0, "synthetic frames are not counted as real")
    tap.eq(received("c"), before, "the host at its end gets none of it")
    tap.match(tool("status", "--name", "t").stdout, f"LOAD.*\n(.*\n)*a .* {wanted * FULL} ",
              "the table shows it")  # fmt: skip
    tool("load", "--name", "t", "s1-d-e", "1500kbit", "1s", "frame=500")
    over()
    both = [links()[way]["load_frames"] for way in (("s1", "d-e"), ("d-e", "s1"))]
    tap.eq(both, [math.ceil(1000 / wire(500, 1_500_000))] * 2, "loads of smaller frames, both ways")
    tool("status", "--name", "t", "--reset")
    tap.eq(sum(link["load_frames"] for link in links().values()), 0, "reset sets them back")


def share_beside_load():
    """What a TCP flow from a to c gets of s0-s1 while half of that is loaded, by the fabric's counters."""
    flow = Flow("a", "c", 400000)
    tool("load", "--name", "t", "s0", "s1", "1mbit", "3600s")
    tool("status", "--name", "t", "--reset")
    flow.begin()
    flow.end()
    found = links()["s0", "s1"]
    tool("play", "--name", "t", "--stop")
    return found["busy"] / (found["busy"] + found["load_busy"])


def test_sharing():
    # Hosts that stall give the load more; a fabric that does, the flow. The median of all counts: a busy host needs more.
    shares = [share_beside_load() for _ in range(5)]
    while not 0.4 <= statistics.median(shares) <= 0.6 and len(shares) < 15:
        shares += [share_beside_load() for _ in range(2)]
    share = statistics.median(shares)
    tap.ok(0.4 <= share <= 0.6, f"TCP gets {100 * share:.0f} % of a link that is half loaded, as a median")


SCRIPT = """
# first what every run begins with
set s0-s1 rate=2mbit latency=5us
at 200ms set s0-s1 rate=1mbit      # then a change
at 0.4s  load a c 500kbit 300ms
at 500ms set s0 s1 latency=1ms
at 3600s   set s0-s1 rate=5mbit
"""


def test_script():
    script = write("good.script", SCRIPT)
    tool("status", "--name", "t", "--reset")
    tap.eq(tool("play", "--name", "t", script).returncode, 0, "play")
    # Both ways of s0-s1 in an hour are all that is left.
    tap.ok(wait_until(lambda: status()["fabric"]["planned"] == 2), "a script goes on by itself")
    wait_until(lambda: not any(link["queue"] for link in links().values()))
    found = links()
    tap.eq((found["s0", "s1"]["rate"], found["s1", "s0"]["rate"]), (RATE // 2, RATE // 2),
           "the link is slower now")  # fmt: skip
    tap.eq((found["s0", "s1"]["latency"], found["s1", "s0"]["latency"]), (1_000_000, 5000),
           "and longer one way")  # fmt: skip
    tap.eq(found["s1", "c"]["load_frames"], 13, "the load came and went")
    tap.eq(tool("play", "--name", "t", "--stop").returncode, 0, "play --stop")
    tap.eq(status()["fabric"]["planned"], 0, "forgets what is to come")
    tap.eq(links()["s0", "s1"]["rate"], RATE // 2, "and leaves links as they are")
    for more in ((), ("--rootless",)):
        answer = tool("run", "--topology", PATH, "--mpirun", sys.executable, *more, "--status", "--",
                      "-B", TOOL, "play", script)  # fmt: skip
        tap.eq(answer.returncode, 0, f"a program on a host can begin a script {more}")
        tap.match(answer.stderr, r"script: [1-9]", "of its own testbed")
    answer = tool("mpirun", "--name", "t", "--mpirun", MPIRUN, "--script", script, "--", "2")
    tap.eq(answer.returncode, 3, "mpirun --script ends as mpirun does")
    tap.eq(status()["fabric"]["planned"], 0, "and its script with it")
    tap.eq(links()["s0", "s1"]["rate"], RATE // 2, "which has played")
    answer = tool("run", "--topology", PATH, "--rate", "2mbit", "--mpirun", MPIRUN, "--status",
                  "--script", script, "--", "2")  # fmt: skip
    tap.eq(answer.returncode, 3, "run --script")
    tap.match(answer.stderr, r"s0 +s1 +1mbit +1ms", "plays it too")
    tap.match(answer.stderr, r"script: 2 steps", "and tells what is left of it")


def run():
    settings = write("links.script", "set s0-s1 latency=20ms\nset s1 d-e queue=50000\n")
    answer = tool("up", "--topology", PATH, "--rate", "2mbit", "--name", "t", "--script", settings)
    tap.eq(answer.returncode, 0, "a testbed with settings of its links comes up")
    tap.note(answer.stdout + answer.stderr)
    test_settings()
    test_requests()
    test_faults(PATH)
    test_load()
    test_sharing()
    test_script()
    tap.note(tool("status", "--name", "t").stdout)
    tool("down", "--name", "t")


PATH = write("script.conf", TOPOLOGY)
MPIRUN = write("mpirun", FAKE_MPIRUN)
os.chmod(MPIRUN, 0o755)
need_program("ping", "getent")
need_testbed(alone=True)
main(run)
