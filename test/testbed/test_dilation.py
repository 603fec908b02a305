"""A dilated cluster: ranks' clocks, and what a host's processor takes, as its host file says."""

import json

from cluster import main, need_program, need_testbed, tap, tool, write

D = 100
COSTS = {"send_call": 500000, "send_byte": 100, "receive_call": 700000, "receive_byte": 0,
         "datagram": 0, "wake": 0, "interrupt": 0}

# Rank 0 sends rank 1 a datagram, both by the testbed's network; each prints the nanoseconds of its clock
# that this took beyond looking. A look that waits is one after a yield. A pause is of real time.
RANK = """
import json, os, select, socket, time
def ticks():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.bind((socket.gethostbyname(socket.gethostname()), 7000))
begin, real = ticks(), time.clock_gettime_ns(time.CLOCK_REALTIME)
select.select([], [], [], 0.2)
clock = (time.clock_gettime_ns(time.CLOCK_REALTIME) - real) / (ticks() - begin)
speed = int(open("/sys/class/net/eth0/speed").read())
if rank == 0:
    own.connect((socket.gethostbyname("n1"), 7000))
    select.select([], [], [], 1)
    begin = ticks()
    own.send(bytes(1000))
else:
    select.select([own], [], [])
    begin = ticks()
    own.recv(2000)
print(json.dumps({"rank": rank, "clock": clock, "speed": speed, "took": ticks() - begin}))
"""


def run():
    costs = write("costs", "".join(f"{name} {value}  # ns\n" for name, value in COSTS.items()))
    path = write("two.conf", "SwitchName=s0 Nodes=n[0-1]\n")
    up = ("up", "--topology", path, "--name", "t", "--speed", "10gbit")
    answer = tool(*up, "--host", costs)
    tap.ok(answer.returncode != 0 and "--dilation" in answer.stderr, "--host is of use to --dilation alone")
    wrong = write("wrong", "send_call 3us\n")
    answer = tool(*up, "--dilation", str(D), "--host", wrong)
    tap.ok(answer.returncode != 0 and "wrong:1" in answer.stderr, "a line of a host file that is wrong is named")
    short = write("short", "send_call 3000\n")
    answer = tool(*up, "--dilation", str(D), "--host", short)
    tap.ok(answer.returncode != 0 and "send_byte is missing" in answer.stderr, "and what is missing")
    answer = tool(*up, "--dilation", str(D), "--fabric", "kernel")
    tap.ok(answer.returncode != 0 and "interrupt is 0" in answer.stderr, "bridges know no interrupts")
    answer = tool(*up, "--offload")
    tap.ok(answer.returncode != 0 and "--offload" in answer.stderr, "--offload is for the kernel's bridges")
    answer = tool(*up, "--dilation", str(D), "--fabric", "kernel", "--host", costs)
    tap.ok(answer.returncode == 0 and tool("down", "--name", "t").returncode == 0, "which can be dilated")
    answer = tool(*up, "--dilation", str(D), "--host", costs)
    tap.ok("10gbit" in answer.stdout and f"dilated {D} times" in answer.stdout, "a dilated cluster is up")
    answer = tool("exec", "--name", "t", "n0", "--", "ip", "route")
    tap.ok("rto_min lock 20s" in answer.stdout, "TCP's least retransmission time is dilated")
    answer = tool("mpirun", "--name", "t", "--timeout", "60", "--", "python3", "-E", "-S", "-c", RANK)
    if answer.returncode != 0:
        tap.note(answer.stderr)
    ranks = {row["rank"]: row for row in map(json.loads, answer.stdout.splitlines())}
    tap.ok(all(0.9 * D < row["clock"] < 1.1 * D for row in ranks.values()), "clocks of ranks go D times as slowly")
    tap.eq([row["speed"] for row in ranks.values()], [10000, 10000], "interfaces report the fast network's speed")
    tap.ok(600000 <= ranks[0]["took"] < 900000, "a send takes its call and its bytes")
    tap.ok(700000 <= ranks[1]["took"] < 1000000, "a receive takes its own")


need_program("mpirun")
need_testbed()
main(run)
