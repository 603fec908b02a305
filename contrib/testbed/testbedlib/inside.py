"""Running programs inside a testbed's namespaces."""

import json
import os
import signal
import sys
import time

from .addresses import PRIVATE
from .failure import EXIT_FAILED, EXIT_TIMEOUT, Failure, warn
from .kernel import CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, die_with_parent, setns


def join(facts):
    """This process's children will be in the testbed's process namespace; see land() for the rest."""
    try:
        fds = {
            kind: os.open(f"/proc/{facts['keeper']}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
            for kind in ("user", "pid", "net", "mnt")
        }
    except OSError as error:
        raise Failure(f"the testbed's namespaces cannot be opened: {error.strerror}") from None
    if not os.path.sameopenfile(fds["user"], os.open("/proc/self/ns/user", os.O_RDONLY | os.O_CLOEXEC)):
        setns(fds["user"], CLONE_NEWUSER, "user")
    setns(fds["pid"], CLONE_NEWPID, "process")
    return fds


def land(fds, cwd):
    """In the child: the other namespaces, and the caller's working directory in them."""
    here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    setns(fds["net"], CLONE_NEWNET, "network")
    setns(fds["mnt"], CLONE_NEWNS, "mount")
    try:
        os.chdir(cwd)
    except OSError:
        os.fchdir(here)


HANGUP = () if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else (signal.SIGHUP,)  # nohup
STOPPERS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, *HANGUP)


class Program:
    """A program on a host of a testbed, with this process's terminal and environment."""

    def __init__(self, facts, host, argv, env, prepare=None, own_group=False):
        signal.pthread_sigmask(signal.SIG_BLOCK, {*STOPPERS, signal.SIGCHLD})
        self.own_group = own_group and os.isatty(0)
        cwd = os.getcwd()
        fds = join(facts)
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.become(fds, cwd, host, argv, env, prepare)
            except (Failure, OSError) as error:
                warn(error)
            finally:
                os._exit(EXIT_FAILED)

    def become(self, fds, cwd, host, argv, env, prepare):
        die_with_parent(signal.SIGTERM)
        if self.own_group:
            os.setpgid(0, 0)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.tcsetpgrp(0, os.getpgrp())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        land(fds, cwd)
        if prepare:
            prepare()
        for number in STOPPERS + (signal.SIGPIPE,):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*STOPPERS, signal.SIGCHLD})
        os.execve(PRIVATE + "/on-host", ["on-host", host, *argv], env)

    def kill(self, number):
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def wait(self, timeout=None):
        """The program's exit code. After a signal or the timeout it has 10 s to end by itself."""
        end = None if timeout is None else time.monotonic() + timeout
        code, stopping = None, False
        while True:
            left = 3600 if end is None else max(0, end - time.monotonic())
            info = signal.sigtimedwait({*STOPPERS, signal.SIGCHLD}, left)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.take_terminal()
                return code if code is not None else self.exit_code(status)
            if info is None and end is None:
                continue
            if info is None and not stopping:
                warn(f"the program has run for {timeout:g} s: ending it (--timeout)")
                code = EXIT_TIMEOUT
                self.kill(signal.SIGTERM)
            elif info is None or (info.si_signo in STOPPERS and stopping):
                self.kill(signal.SIGKILL)
            elif info.si_signo in STOPPERS:
                code = 128 + info.si_signo
                # A signal from the terminal has reached the program as well.
                if info.si_code <= 0:
                    self.kill(info.si_signo)
            else:
                continue
            stopping, end = True, time.monotonic() + 10

    def take_terminal(self):
        if self.own_group:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            try:
                os.tcsetpgrp(0, os.getpgrp())
            except OSError:
                pass

    @staticmethod
    def exit_code(status):
        if os.WIFSIGNALED(status):
            return 128 + os.WTERMSIG(status)
        return os.WEXITSTATUS(status)


def program_environment(facts):
    env = dict(os.environ)
    env["PIPEBCAST_TESTBED"] = facts["name"]
    env["PIPEBCAST_TESTBED_STATES"] = os.path.dirname(facts["state"])
    env["PIPEBCAST_TESTBED_TOPOLOGY"] = facts["topology"]
    return env


def inside(facts, function):
    """What `function` returns when it is called in the testbed's namespaces."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            land(join(facts), "/")
            answer = {"result": function()}
        except (Failure, OSError, ValueError) as error:
            answer = {"error": str(error)}
        with os.fdopen(write, "w", encoding="utf-8") as file:
            json.dump(answer, file)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as file:
        said = file.read()
    os.waitpid(child, 0)
    answer = json.loads(said) if said else {"error": "the testbed went away"}
    if "error" in answer:
        raise Failure(answer["error"])
    return answer["result"]
