"""The testbeds that are up: a directory for each, which its keeper holds a lock in."""

import fcntl
import json
import os
import shutil
import stat
import time

from .failure import TOOL, Failure

DEFAULT_NAME = "default"


def state_base():
    given = os.environ.get("PIPEBCAST_TESTBED_STATES")  # on a testbed's hosts
    if given:
        return given
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.path.isdir(runtime) and os.access(runtime, os.W_OK):
        return os.path.join(runtime, "pipebcast-testbed")
    return f"/tmp/pipebcast-testbed-{os.getuid()}"


def make_base():
    base = state_base()
    try:
        os.mkdir(base, 0o700)
    except FileExistsError:
        pass
    info = os.lstat(base)
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid():
        raise Failure(f"{base} belongs to someone else: remove it, or set XDG_RUNTIME_DIR")
    return base


class State:
    """The directory of one testbed."""

    def __init__(self, name):
        self.name = name
        self.path = os.path.join(state_base(), name)

    def file(self, name):
        return os.path.join(self.path, name)

    def alive(self):
        """Whether the keeper lives: it holds the lock as long as it does."""
        try:
            fd = os.open(self.file("lock"), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
        except BlockingIOError:
            return True
        finally:
            os.close(fd)

    def is_left(self):
        """Whether the directory is a dead testbed's, and not of one that is being made, or gone."""
        try:
            return time.time() - os.stat(self.path).st_mtime > 5
        except OSError:
            return False

    def load(self):
        try:
            with open(self.file("state.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def save(self, facts):
        with open(self.file("state.new"), "w", encoding="utf-8") as file:
            json.dump(facts, file)
        os.rename(self.file("state.new"), self.file("state.json"))

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)
        try:
            os.rmdir(os.path.dirname(self.path))
        except OSError:
            pass

    def create(self):
        """Makes the directory, taking the place of a dead testbed; returns the keeper's lock."""
        while not self.make():
            if self.alive():
                raise Failure(
                    f"a testbed '{self.name}' is up already: use it, choose another --name, or end "
                    f"it with '{TOOL} down --name {self.name}'"
                )
            if self.is_left():
                self.remove()
            else:
                time.sleep(0.1)  # another one may be making it, and has no lock yet
        lock = os.open(self.file("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)  # who looks whether it is alive holds it for a moment
        return lock

    def make(self):
        """Whether the directory was not there. The end of the last other testbed may take the base away."""
        for _ in range(100):
            make_base()
            try:
                os.mkdir(self.path, 0o700)
                return True
            except FileExistsError:
                return False
            except FileNotFoundError:
                pass
        raise Failure(f"{self.path}: cannot be made")


def all_states():
    """The living testbeds; the remains of dead ones are cleared away."""
    try:
        names = sorted(os.listdir(state_base()))
    except OSError:
        return []
    living = []
    for name in names:
        state = State(name)
        if state.alive():
            living.append(state)
        elif state.is_left():
            state.remove()
    return living


def find_state(name):
    """The testbed of this name; if none is given, that of this host, or the only one there is."""
    name = name or os.environ.get("PIPEBCAST_TESTBED")
    if name is None:
        living = all_states()
        names = [state.name for state in living]
        if len(living) != 1 and DEFAULT_NAME not in names:
            if not living:
                raise Failure(f"no testbed is up: '{TOOL} up --topology FILE' makes one")
            raise Failure("several testbeds are up, choose with --name: " + ", ".join(names))
        name = DEFAULT_NAME if DEFAULT_NAME in names else names[0]
    state = State(name)
    if not state.alive():
        if state.is_left():
            state.remove()
        raise Failure(f"no testbed '{name}' is up ('{TOOL} list' shows those that are)")
    facts = state.load()
    if facts is None:
        raise Failure(f"the testbed '{name}' is not ready yet")
    return state, facts
