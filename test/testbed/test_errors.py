"""What the tool reports when something is wrong: what, where and what to do; never a traceback."""

import os
import subprocess
import sys

from cluster import EXIT_FAILED, EXIT_UNABLE, SCRATCH, TOOL, main, skip_all, take_turn, tap, tool
from cluster import write


def check(code, pattern, what, *arguments, **how):
    answer = tool(*arguments, **how)
    tap.eq(answer.returncode, code, what)
    tap.match(answer.stderr, pattern, f"{what}: the message")
    tap.ok("Traceback" not in answer.stderr, f"{what}: no traceback")


def test_topology():
    check(EXIT_FAILED, r"missing\.conf", "a missing topology file",
          "up", "--topology", os.path.join(SCRATCH, "missing.conf"))  # fmt: skip
    path = write("bad.conf", "SwitchName=s0 Nodes=n[0-\n")
    check(EXIT_FAILED, r"bad\.conf:1: ", "a bad topology file", "up", "--topology", path)
    path = write("partly.conf", "SwitchName=s0 Nodes=a,b\nSwitchName=s1 Nodes=c[0-\n")
    check(0, r"partly\.conf:2: .*ignored", "a topology file that is partly bad",
          "up", "--topology", path, "--name", "partly")  # fmt: skip
    tap.eq(tool("down", "--name", "partly").returncode, 0, "its testbed is up, and goes down")
    path = write("numbers.conf", "SwitchName=1 Nodes=a,b\n")
    check(0, "", "a switch with a number for a name", "up", "--topology", path, "--name", "numbers")
    check(0, "", "the status of its testbed", "status", "--name", "numbers")
    tap.eq(tool("down", "--name", "numbers").returncode, 0, "it goes down")
    path = write("many.conf", "SwitchName=s0 Nodes=n[0-4999]\n")
    check(EXIT_FAILED, "4000 at most", "too many hosts", "up", "--topology", path)
    path = write("odd.conf", "SwitchName=s0 Nodes=a,-b\n")
    check(EXIT_FAILED, "cannot be the name of a host", "a name that no host can have",
          "up", "--topology", path)  # fmt: skip


def test_quantities(path):
    for option, value in (("--rate", "10"), ("--rate", "fast"), ("--rate", "0mbit"),
                          ("--rate", "-1mbit"), ("--latency", "5"), ("--latency", "5mbit"),
                          ("--switch-queue", "1t"), ("--mtu", "0"), ("--mtu", "20000"),
                          ("--mtu", "60"), ("--ppn", "0"), ("--name", "a/b")):  # fmt: skip
        check(2, f"argument {option}", f"{option} {value}",
              "up", "--topology", path, f"{option}={value}")  # fmt: skip
    check(2, "argument --timeout", "--timeout 0",
          "run", "--topology", path, "--timeout", "0", "--", "x")  # fmt: skip


def test_arguments(path):
    check(2, "--topology", "up without a topology", "up")
    check(2, "invalid choice", "a command that is none", "upp")
    check(EXIT_FAILED, "runs no program", "up with a program", "up", "--topology", path, "--", "ls")
    check(EXIT_FAILED, "up --topology FILE", "status without a testbed", "status")
    check(EXIT_FAILED, "no testbed 'x'", "status of a testbed that is not", "status", "--name", "x")
    check(EXIT_FAILED, "no testbed is up", "exec without a testbed", "exec", "n0", "--", "ls")


def test_unfit(path):
    """Options that do not go together."""
    check(EXIT_FAILED, "plays no script", "--script with --fabric kernel",
          "up", "--topology", path, "--fabric", "kernel", "--script", path)  # fmt: skip


def test_missing(path):
    environment = dict(os.environ, PIPEBCAST_FABRIC=os.path.join(SCRATCH, "none"))
    check(EXIT_FAILED, "PIPEBCAST_FABRIC", "a fabric that is not where it is said to be",
          "up", "--topology", path, env=environment)  # fmt: skip
    check(EXIT_FAILED, "no such program", "an mpirun that is not where it is said to be",
          "run", "--topology", path, "--mpirun", "./none", "--", "x")  # fmt: skip
    check(EXIT_UNABLE, "--mpirun PATH", "no mpirun",
          "run", "--topology", path, "--mpirun", "none-of-this-name", "--", "x")  # fmt: skip
    check(EXIT_FAILED, "after --", "nothing to run", "run", "--topology", path)


def test_no_ip(path):
    """Without iproute2: in a mount namespace of its own, something else lies over every ip."""
    places = os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/sbin"]
    found = {os.path.realpath(os.path.join(place, "ip")) for place in places}
    hide = "".join(f"mount --bind /dev/null '{ip}' && " for ip in found if os.path.exists(ip))
    command = f"{hide} exec '{sys.executable}' '{TOOL}' up --topology '{path}'"
    answer = subprocess.run(["unshare", "-r", "-m", "sh", "-c", command],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    tap.eq(answer.returncode, EXIT_UNABLE, "ip is missing")
    tap.match(answer.stderr, "'ip' is missing: install iproute2", "ip is missing: the message")


def test_no_namespaces(path):
    """An unshare that fails, as it does without the right to namespaces."""
    programs = os.path.join(SCRATCH, "programs")
    os.mkdir(programs)
    with open(os.path.join(programs, "unshare"), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o755)
        file.write("#!/bin/sh\necho not permitted >&2\nexit 1\n")
    check(EXIT_UNABLE, r"namespaces cannot be made \(not permitted\)", "no namespaces", "up", "--topology", path,
          env=dict(os.environ, PATH=programs + ":" + os.environ.get("PATH", "")))  # fmt: skip


def run():
    path = write("good.conf", "SwitchName=s0 Nodes=a,b\n")
    blank = write("blank.conf", 'SwitchName="Rack A" Nodes=a,b\n')
    check(EXIT_FAILED, "blank.conf: a name with a blank cannot be used here", "a name with a blank", "up", "--topology", blank)
    test_topology()
    test_quantities(path)
    test_arguments(path)
    test_unfit(path)
    test_missing(path)
    test_no_ip(path)
    test_no_namespaces(path)
    help_text = tool("--help").stdout
    for command in ("run", "up", "down", "mpirun", "exec", "shell", "status", "set", "load", "play",
                    "list"):
        tap.ok(f"    {command} " in help_text, f"--help knows {command}")
        tap.eq(tool(command, "--help").returncode, 0, f"{command} --help")
    tap.ok(not os.listdir(SCRATCH) or not os.path.exists(os.path.join(SCRATCH, "pipebcast-testbed")),
           "no mistake leaves a state behind")  # fmt: skip


take_turn(alone=False)
ANSWER = tool("up", "--topology", "/dev/null")
if ANSWER.returncode == EXIT_UNABLE:
    skip_all(ANSWER.stderr)
main(run)
