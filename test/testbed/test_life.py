"""Comings and goings: what a testbed shows while it is up, and that it leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from cluster import EXIT_FAILED, EXIT_TIMEOUT, EXIT_UNABLE, SCRATCH, TOOL, main, need_testbed, on
from cluster import processes_with, tap, tool, wait_until, write

STATES = os.path.join(SCRATCH, "pipebcast-testbed")

# Stands for mpirun: what `run` starts gets its arguments and its environment.
FAKE_MPIRUN = """#!/bin/sh
case $1 in
show) hostname; pwd; echo "$PIPEBCAST_TESTBED_TOPOLOGY"; echo "$MARK" ;;
exit) exit "$2" ;;
wait) echo waiting; exec sleep 60 ;;
deaf) trap '' TERM INT; echo waiting; while :; do sleep 1; done ;;
esac
"""


class Host:
    """What of this host a testbed might leave changed."""

    def __init__(self):
        with open("/etc/hosts", encoding="utf-8") as file:
            self.hosts = file.read()
        self.netns = sorted(os.listdir("/run/netns")) if os.path.isdir("/run/netns") else None
        self.interfaces = sorted(os.listdir("/sys/class/net"))
        self.name = os.uname().nodename
        with open("/proc/mounts", encoding="utf-8") as file:
            self.mounts = file.read()


def mine():
    """Processes of this test's testbeds: all that have its directory in arguments or environment."""
    return processes_with(SCRATCH)


def check_nothing_left(before, what):
    gone = wait_until(lambda: not mine())
    if not tap.ok(gone, f"{what}: no process is left"):
        for pid in mine():
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                tap.note(f"{pid}: {file.read()!r}")
    tap.ok(wait_until(lambda: not os.path.exists(STATES)), f"{what}: no file is left")
    tap.eq(vars(Host()), vars(before), f"{what}: the host is as it was")


def start_run(*arguments, name="r", by=()):
    """A `run` in the background whose program says that it waits."""
    process = subprocess.Popen(
        [*by, sys.executable, TOOL, "run", "--topology", PATH, "--mpirun", MPIRUN, "--name", name,
         *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    line = process.stdout.readline()
    if line != "waiting\n":
        raise RuntimeError(process.communicate()[1])
    return process


def test_up_and_down(before):
    answer = tool("up", "--topology", PATH, "--name", "one")
    tap.eq(answer.returncode, 0, "up")
    tap.eq(vars(Host()), vars(before), "the host does not see a testbed that is up")
    tap.eq(on("b", "hostname", name="one").stdout, "b\n", "a host has its name")
    seen = on("b", "sh", "-c", "getent hosts c; ls /sys/class/net; cat /etc/hostname", name="one")
    tap.match(seen.stdout, r"10\.77\.0\.3 +c\n", "hosts know each other by name")
    tap.match(seen.stdout, r"\neth0\nlo\n", "a host has its own interfaces only")
    cc = on("a", "cat", "/proc/sys/net/ipv4/tcp_congestion_control", name="one").stdout
    tap.eq(cc, "reno\n", "the congestion control is reno")
    tap.eq(on("a", "sh", "-c", "exit 7", name="one").returncode, 7, "exec passes the exit code on")
    tap.match(on("x", "true", name="one").stderr, "no host 'x'", "exec names a host that is not there")
    answer = on("b", sys.executable, TOOL, "down", "--name", "one", name="one")
    tap.eq(answer.returncode, EXIT_FAILED, "one of its hosts cannot end a testbed")
    tap.match(answer.stderr, "leave it first", "and the message says what to do")
    tap.eq(tool("status", "--name", "one").returncode, 0, "it is still there")
    os.mkdir(os.path.join(STATES, "begun"))
    tap.match(tool("status", "--name", "begun").stderr, "no testbed 'begun'", "one that is being made is not up")
    tap.ok(os.path.isdir(os.path.join(STATES, "begun")), "nor is its directory removed")
    os.rmdir(os.path.join(STATES, "begun"))
    answer = tool("up", "--topology", PATH, "--name", "one")
    tap.eq(answer.returncode, EXIT_FAILED, "a name cannot be taken twice")
    tap.match(answer.stderr, "up already.*--name", "and the message says what to do")
    answer = tool("up", "--topology", PATH, "--name", "two", "--rate", "1mbit")
    tap.eq(answer.returncode, 0, "two testbeds stand side by side")
    speeds = [on("b", "cat", "/sys/class/net/eth0/speed", name=name).stdout for name in ("one", "two")]
    tap.eq(speeds, ["10\n", "1\n"], "interfaces report the speed of their links")
    names = [on("a", "hostname", name=name).stdout for name in ("one", "two")]
    tap.eq(names, ["a\n", "a\n"], "each with its own hosts")
    answer = tool("status")
    tap.match(answer.stderr, "several.*one, two", "without --name one of several is not guessed")
    tap.eq(len(tool("list").stdout.splitlines()), 2, "list shows both")
    with tempfile.NamedTemporaryFile("w", suffix=".conf", dir="/dev/shm") as file:
        file.write("SwitchName=s0 Nodes=a,b\n")
        file.flush()
        tap.eq(tool("up", "--topology", file.name, "--name", "three").returncode, 0, "a topology may be below /dev/shm")
    tap.eq(on("a", "ls", "/dev/shm", name="three").stdout, "", "which hosts have for themselves")
    tool("down", "--name", "three")
    tap.eq(tool("down", "--name", "one").returncode, 0, "one goes down")
    tap.eq(on("a", "hostname").returncode, EXIT_FAILED, "and is gone")
    tap.eq(tool("exec", "c", "--", "hostname").stdout, "c\n", "the other needs no --name now")
    tap.eq(tool("down").returncode, 0, "it goes down too")
    check_nothing_left(before, "up and down")


def test_run(before):
    directory = os.path.join(SCRATCH, "a directory")
    os.mkdir(directory)
    os.symlink(PATH, os.path.join(directory, "t.conf"))
    environment = dict(os.environ, MARK="a b  c")
    answer = tool("run", "--topology", "t.conf", "--mpirun", MPIRUN, "--", "show",
                  cwd=directory, env=environment)  # fmt: skip
    tap.eq(answer.stdout.splitlines(), ["a", directory, os.path.join(directory, "t.conf"), "a b  c"],
           "run starts on the first host, in the caller's directory, with its environment")  # fmt: skip
    answer = tool("run", "--topology", PATH, "--mpirun", MPIRUN, "--", "exit", "3")
    tap.eq(answer.returncode, 3, "run passes the exit code on")
    answer = tool("run", "--topology", PATH, "--mpirun", MPIRUN, "--timeout", "1", "--", "wait")
    tap.eq(answer.returncode, EXIT_TIMEOUT, "--timeout ends the program")
    tap.match(answer.stderr, "--timeout", "and says so")
    check_nothing_left(before, "run")


def test_signals(before):
    for number, how in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        process = start_run("--", "wait")
        tap.match(tool("list").stdout, "^r: 3 hosts", "a run can be seen by others")
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        process.communicate(timeout=30)
        tap.eq(process.returncode, 128 + number, f"{how} ends a run")
        check_nothing_left(before, how)
    process = start_run("--", "wait", by=["nohup"])
    os.killpg(process.pid, signal.SIGHUP)
    time.sleep(0.5)
    tap.match(tool("list").stdout, "^r: 3 hosts", "what nohup has started outlives a hangup")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    check_nothing_left(before, "nohup")
    process = start_run("--", "deaf")
    process.send_signal(signal.SIGTERM)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    tap.eq(process.returncode, 128 + signal.SIGTERM, "a program that does not listen is killed")
    check_nothing_left(before, "a deaf program")
    process = start_run("--", "wait")
    process.kill()
    process.communicate()
    check_nothing_left(before, "kill -9")


def keeper_and_fabric(name):
    """The processes that hold a testbed: those with its state's directory in their arguments."""
    found = {}
    for pid in processes_with(os.path.join(STATES, name)):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        found[os.path.basename(words[0]).decode()] = pid
    return found


def test_accidents(before):
    process = start_run("--", "wait")
    os.kill(keeper_and_fabric("r")["pipebcast-fabric"], signal.SIGKILL)
    _, said = process.communicate(timeout=30)
    tap.eq(process.returncode, EXIT_FAILED, "a run whose fabric dies fails")
    tap.match(said, "fabric ended", "and says why")
    check_nothing_left(before, "a dead fabric")
    tool("up", "--topology", PATH, "--name", "one")
    with open(os.path.join(STATES, "one", "state.json"), encoding="utf-8") as file:
        keeper = json.load(file)["keeper"]
    os.kill(keeper, signal.SIGKILL)
    wait_until(lambda: not os.path.exists(f"/proc/{keeper}"))
    tap.match(tool("status", "--name", "one").stderr, "no testbed 'one'", "a dead testbed is not up")
    tap.eq(tool("list").stdout, "", "nor listed")
    answer = tool("up", "--topology", PATH, "--name", "one")
    tap.eq(answer.returncode, 0, "and its name is free")
    tool("down")
    check_nothing_left(before, "a dead keeper")


def test_rootless(before):
    answer = tool("run", "--rootless", "--topology", PATH, "--mpirun", MPIRUN, "--", "show")
    if answer.returncode == EXIT_UNABLE:
        tap.skip("rootless", answer.stderr)
        return
    tap.eq(answer.stdout.splitlines()[:1], ["a"], "it works without root")
    check_nothing_left(before, "rootless")


def test_skipped():
    """A test that skips ends no testbed of the user."""
    users, name = dict(os.environ, XDG_RUNTIME_DIR=""), f"skipped{os.getpid()}"
    tap.eq(tool("up", "--topology", PATH, "--name", name, env=users).returncode, 0, "a testbed of the user")
    code = "import cluster; cluster.main(lambda: cluster.skip_all('as a test'))"
    skipped = subprocess.run([sys.executable, "-B", "-c", code], env=dict(os.environ, PYTHONPATH=os.path.dirname(__file__)),
                             capture_output=True, text=True, timeout=60, check=False)
    tap.eq(skipped.stdout, "1..0 # SKIP as a test\n", "a test skips")
    tap.eq(tool("down", "--name", name, env=users).returncode, 0, "the user's testbed was still there")


def run():
    before = Host()
    test_skipped()
    test_up_and_down(before)
    test_run(before)
    test_signals(before)
    test_accidents(before)
    test_rootless(before)


PATH = write("life.conf", "SwitchName=s0 Nodes=a,b,c\n")
MPIRUN = write("fake mpirun", FAKE_MPIRUN)
os.chmod(MPIRUN, 0o755)
need_testbed(alone=True)
main(run)
