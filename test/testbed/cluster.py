"""What the tests of the emulated cluster share: TAP, the tool, and small TCP and UDP programs."""

import fcntl
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

SRCDIR = os.environ.get("PIPEBCAST_SRCDIR") or os.path.join(os.path.dirname(__file__), "../..")
sys.path.insert(0, os.path.join(SRCDIR, "test"))

from tap import Tap  # pylint: disable=wrong-import-position

CONTRIB = os.path.abspath(os.path.join(SRCDIR, "contrib/testbed"))
TOOL = os.environ.get("PIPEBCAST_TESTBED") or os.path.join(CONTRIB, "testbed")
EXIT_TIMEOUT, EXIT_FAILED, EXIT_UNABLE = 124, 125, 126

# Every test has its own directory for states, so that it sees no other testbed of this user.
# Its path is short: sockets live below it.
SCRATCH = tempfile.mkdtemp(prefix="pbt")
os.environ["XDG_RUNTIME_DIR"] = SCRATCH

# Of the suites, whether the long one is wanted.
IS_LONG = os.environ.get("PIPEBCAST_TESTS") == "long"

# A job that fails is killed immediately: its ranks are not given seconds to end by themselves.
os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "0"
os.environ["PRTE_MCA_odls_base_sigkill_timeout"] = "0"
# Every rank looks at the host by hwloc, whose plugins take as long as the rest of MPI_Init (test/jobs.sh).
os.environ["HWLOC_PLUGINS_PATH"] = SCRATCH


tap = Tap()


with open(TOOL, encoding="utf-8") as source:
    TOOL_CODE = compile(source.read(), TOOL, "exec")


def run_tool(arguments, outputs, env, cwd):
    """The tool in a process that has been forked for it, up to its end: its exit status."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, output in enumerate(outputs, 1):
        os.dup2(output, number)
    os.closerange(3, 1024)
    sys.stdout, sys.stderr = open(1, "w", encoding="utf-8"), open(2, "w", encoding="utf-8")
    if cwd is not None:
        os.chdir(cwd)
    if env is not None:
        os.environ.clear()
        os.environ.update(env)
    sys.argv = [TOOL, *arguments]
    try:
        exec(TOOL_CODE, {"__name__": "__main__", "__file__": TOOL})  # pylint: disable=exec-used
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
        return 1
    return 0


def wait_for(pid, command, timeout):
    """The exit status of a child, as subprocess has it."""
    ended = select.poll()
    descriptor = os.pidfd_open(pid)
    ended.register(descriptor, select.POLLIN)
    late = not ended.poll(1000 * timeout)
    os.close(descriptor)
    if late:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if late:
        raise subprocess.TimeoutExpired(command, timeout)
    return status


def tool(*arguments, timeout=120, env=None, cwd=None):
    """
    Runs the tool to its end; output and errors as text. It runs in a copy of this process: tests call it
    hundreds of times, and Python takes longer to start than most calls.
    """
    outputs = [os.memfd_create(name) for name in ("stdout", "stderr")]
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = run_tool(arguments, outputs, env, cwd)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)  # pylint: disable=protected-access
    try:
        status = wait_for(pid, arguments, timeout)
    finally:
        texts = []
        for output in outputs:
            with open(output, encoding="utf-8") as file:
                file.seek(0)
                texts.append(file.read())
    return subprocess.CompletedProcess(arguments, status, *texts)


def write(name, text):
    path = os.path.join(SCRATCH, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def plugin_path():
    """A directory with nothing but the plugin of the build tree, before Open MPI's own."""
    plugin = os.path.join(os.environ.get("PIPEBCAST_BUILDDIR", ""), "ompi_coll_pipebcast/mca_coll_pipebcast.so")
    directory = os.path.join(SCRATCH, "plugin")
    if not os.path.isdir(directory):
        os.mkdir(directory)
        shutil.copy(plugin, directory)
    shown = os.popen("ompi_info --path pkglibdir --parsable").read()
    return f"{directory}:{shown.strip().split(':')[-1]}"


def status(name="t"):
    answer = tool("status", "--name", name, "--json")
    if answer.returncode != 0:
        raise RuntimeError(answer.stderr)
    found = json.loads(answer.stdout)
    found["links"] = {(link["from"], link["to"]): link for link in found["links"]}
    return found


def on(host, *program, name="t", timeout=60):
    return tool("exec", "--name", name, host, "--", *program, timeout=timeout)


def start(host, *program, name="t"):
    """Starts a program on a host; its output is read with .communicate()."""
    return subprocess.Popen(
        [sys.executable, TOOL, "exec", "--name", name, host, "--", *program],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def address(host, name="t"):
    answer = on(host, "hostname", "-i", name=name)
    return answer.stdout.split()[0]


def forget(one, other):
    """Between two hosts nothing passes, without a word, as with a firewall that drops: a wrong neighbor is fixed."""
    for sender, receiver in ((one, other), (other, one)):
        device = on(sender, "ip", "-o", "-4", "addr", "show", "scope", "global").stdout.split()[1]
        on(sender, "ip", "neigh", "replace", address(receiver), "lladdr", "02:00:00:00:00:fe", "dev", device,
           "nud", "permanent")  # fmt: skip


SERVER = """
import json, socket, time
with socket.create_server(("", 5000)) as listening:
    print("ready", flush=True)
    peer, _ = listening.accept()
    got, marks = 0, []
    while True:
        part = peer.recv(65536)
        if not part:
            break
        got += len(part)
        marks.append((time.monotonic(), got))
    print(json.dumps(marks), flush=True)
"""

CLIENT = """
import socket, sys
with socket.create_connection((sys.argv[1], 5000)) as peer:
    peer.sendall(bytes(int(sys.argv[2])))
"""


class Flow:
    """A bulk transfer over TCP from one host to another."""

    def __init__(self, sender, receiver, size, name="t"):
        self.server = start(receiver, sys.executable, "-S", "-c", SERVER, name=name)
        assert self.server.stdout.readline() == "ready\n"
        self.size, self.name = size, name
        target = address(receiver, name)
        self.command = (sender, sys.executable, "-S", "-c", CLIENT, target, str(size))
        self.marks = []  # (time on this host's clock, bytes that had come by then)

    def begin(self):
        self.client = start(*self.command, name=self.name)

    def end(self):
        self.client.communicate()
        self.marks = json.loads(self.server.communicate()[0])
        assert self.marks[-1][1] == self.size

    def time_of(self, size):
        """The time at which this number of bytes is there."""
        return next(mark[0] for mark in self.marks if mark[1] >= size)

    def rate(self, begin, end):
        """Bytes per second between two times, from mark to mark."""
        inside = [mark for mark in self.marks if begin <= mark[0] <= end]
        return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def goodput(rate, mtu=1500):
    """Payload bytes per second of TCP with timestamps at `rate` bit/s."""
    return rate / 8 * (mtu - 52) / (mtu + 14 + 24)


def ping(sender, receiver, payload, count=12, name="t"):
    """The least round trip in ms: what disturbs a ping only adds to it."""
    answer = on(sender, "ping", "-n", "-q", "-c", str(count), "-i", "0.1", "-s", str(payload),
                receiver, name=name)  # fmt: skip
    found = re.search(r"= ([0-9.]+)/", answer.stdout)
    return float(found.group(1)) if found else float("inf")


def undisturbed(measure, good, possible, tries=4, pause=1):
    """
    Measures until the value is good, as a busy host may disturb some: the last value. A host that
    is busy makes things slower and never faster, so a value that is not `possible`, being too good,
    is no disturbance: it is the result immediately, whatever would come next.
    """
    for left in range(tries, 0, -1):
        value = measure()
        if good(value) or not possible(value) or left == 1:
            return value
        time.sleep(pause)
    return None


def processes_with(text):
    """Processes, but for this one, with `text` in their command line or environment."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        for kind in ("cmdline", "environ"):
            try:
                with open(f"/proc/{entry}/{kind}", "rb") as file:
                    if text.encode() in file.read():
                        found.append(int(entry))
                        break
            except OSError:
                pass
    return found


def wait_until(condition, seconds=15, pause=0.05):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def host_is_busy(seconds=2):
    """Whether other programs take half of the processors' time while this one sleeps."""
    def times():
        with open("/proc/stat", encoding="utf-8") as file:
            return [int(word) for word in file.readline().split()[1:9]]

    before = times()
    time.sleep(seconds)
    spent = [end - begin for begin, end in zip(before, times())]
    return 2 * (spent[3] + spent[4]) <= sum(spent)


def take_turn(alone):
    """
    Tests that `make -j2 check` starts run side by side, but for those of times, which have the
    host alone. The turn ends with the process, which therefore keeps the file open.
    """
    path = os.path.join(os.environ.get("PIPEBCAST_BUILDDIR", SCRATCH), "test/testbed")
    os.makedirs(path, exist_ok=True)
    take_turn.file = open(os.path.join(path, "turns.lock"), "w", encoding="utf-8")
    fcntl.flock(take_turn.file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)


def need_testbed(*options, alone=False):
    """Skips the whole test where this host cannot carry a testbed, or none is wanted."""
    if os.environ.get("PIPEBCAST_TESTS") == "units":
        skip_all("only tests that need no emulated cluster are wanted")
    take_turn(alone)
    path = write("probe.conf", "SwitchName=s0 Nodes=a,b\n")
    answer = tool("up", "--topology", path, "--name", "probe", *options)
    if answer.returncode == EXIT_UNABLE:
        skip_all(answer.stderr.strip())
    if answer.returncode != 0:
        print("Bail out! " + answer.stderr.strip().replace("\n", " "))
        finish_directory()
        sys.exit(1)
    tool("down", "--name", "probe")


def need_program(*names):
    for name in names:
        if shutil.which(name) is None:
            skip_all(f"{name} is missing")


def skip_all(reason):
    print("1..0 # SKIP " + " ".join(reason.split()))
    finish_directory()
    sys.exit(0)


def finish_directory():
    """Ends the test's testbeds and removes their directory, without which `down --all` would end the user's."""
    if os.path.isdir(SCRATCH):
        tool("down", "--all")
        shutil.rmtree(SCRATCH, ignore_errors=True)


def main(function):
    """Runs a test and ends its testbeds, whatever happens."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        function()
    except Exception as error:  # pylint: disable=broad-except
        tap.ok(False, f"the test ran to its end ({type(error).__name__})")
        tap.note(error)
    finally:
        finish_directory()
    sys.exit(tap.done())
