"""Counts of one rank of a job: instructions, copied bytes, system calls."""

import glob
import os
import re

from .units import UserError

# Objects and functions that are a component's own.
OWN_OBJECTS = {"pipebcast": ["mca_coll_pipebcast"], "adapt": ["mca_coll_adapt"],
               "tuned": ["mca_coll_tuned"], "han": ["mca_coll_han"]}
OWN_FUNCTIONS = {"tuned": ("ompi_coll_base_", "ompi_request_")}

DATA_CALLS = {"read", "readv", "preadv2", "recv", "recvfrom", "recvmsg", "write", "writev", "pwritev2", "send", "sendto", "sendmsg"}
WAITING_CALLS = {"poll", "ppoll", "epoll_wait", "epoll_pwait", "epoll_pwait2", "select",
                 "sched_yield"}


def _fresh(job, name):
    """A path that nothing begins with yet."""
    path = os.path.join(job.directory, name)
    for old in glob.glob(f"{path}*"):
        os.remove(old)
    return path


def _read(path, tool):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise UserError(f"{tool} has written nothing: {error}") from None


class _Names:
    """The names of callgrind's files: "(3) name" defines number 3, "(3)" is it."""

    def __init__(self):
        self.known = {}

    def of(self, text):
        number, _, name = text.partition(" ")
        if name:
            self.known[number] = name
        return self.known.get(number, text)


def self_costs(text):
    """Of callgrind's output, (object, function, instructions) of every line that is no call."""
    objects, functions = _Names(), _Names()
    current_object = function = ""
    is_call = False
    for line in text.splitlines():
        if line.startswith("ob="):
            current_object = objects.of(line[3:])
        elif line.startswith("fn="):
            function = functions.of(line[3:])
        elif line.startswith("cob="):
            objects.of(line[4:])
        elif line.startswith("cfn="):
            functions.of(line[4:])
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"[0-9+*-]", line):
            # The line after calls= has what the called function did, which is counted there.
            if not is_call:
                yield current_object, function, int(line.split()[1])
            is_call = False


def _tally(text, component):
    """Instructions of a component's own, and of the whole process."""
    counts = {"own": 0, "all": 0}
    objects, functions = OWN_OBJECTS[component], OWN_FUNCTIONS.get(component)
    for of_object, function, cost in self_costs(text):
        is_own = any(name in of_object for name in objects) or (
            functions is not None and function.startswith(functions))
        counts["own"] += cost if is_own else 0
        counts["all"] += cost
    return counts


def _run_callgrind(job, n_bytes, options):
    """Returns the path that its files begin with."""
    path = _fresh(job, "callgrind")
    job.run(n_bytes, ["valgrind", "-q", "--tool=callgrind", *options, f"--callgrind-out-file={path}"])
    return path


def count_instructions(job, n_bytes):
    return _tally(_read(_run_callgrind(job, n_bytes, []), "callgrind"), job.method.component)


# The function of pipebcast-bench that broadcasts once, and does nothing else.
ONE_BROADCAST = "bench_measuring_broadcast"


def count_each_broadcast(job, n_bytes):
    """Of each broadcast: callgrind writes a file after each, which it numbers from 1."""
    path = _run_callgrind(job, n_bytes, [f"--toggle-collect={ONE_BROADCAST}", f"--dump-after={ONE_BROADCAST}"])
    return [_tally(_read(f"{path}.{n + 1}", "callgrind"), job.method.component)
            for n in range(len(glob.glob(f"{path}.*")))]


def count_copies(job, n_bytes):
    path = _fresh(job, "dhat")
    job.run(n_bytes, ["valgrind", "--tool=dhat", "--mode=copy", f"--log-file={path}", f"--dhat-out-file={path}.json"])
    found = re.search(r"Total:\s+([0-9,]+) bytes", _read(path, "dhat"))
    if not found:
        raise UserError("valgrind's dhat reports no total of copied bytes; is it older than 3.17?")
    return {"bytes": int(found.group(1).replace(",", ""))}


def _tally_calls(text):
    counts = {"data": 0, "waiting": 0}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 5 or not words[3].isdigit():
            continue
        counts["data"] += int(words[3]) if words[-1] in DATA_CALLS else 0
        counts["waiting"] += int(words[3]) if words[-1] in WAITING_CALLS else 0
    return counts


def count_system_calls(job, n_bytes):
    path = _fresh(job, "strace")
    job.run(n_bytes, ["strace", "-f", "-c", "-o", path])
    return _tally_calls(_read(path, "strace"))


def difference(few, many, n):
    """What is in the larger counts and not in the smaller, for each of n."""
    return {name: (many.get(name, 0) - few.get(name, 0)) / n for name in many}
