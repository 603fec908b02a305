"""Counts of one rank of a job: instructions, copied bytes, system calls; the processor time of all."""

import os
import re
import resource

from .units import UserError

# Objects and functions that are a component's own.
OWN_OBJECTS = {"pipebcast": ["mca_coll_pipebcast"], "adapt": ["mca_coll_adapt"],
               "tuned": ["mca_coll_tuned"], "han": ["mca_coll_han"], "sm": ["mca_coll_sm"]}
OWN_FUNCTIONS = {"tuned": ("ompi_coll_base_", "ompi_request_")}

DATA_CALLS = {"read", "readv", "recv", "recvfrom", "recvmsg", "write", "writev", "send", "sendto",
              "sendmsg", "process_vm_readv", "process_vm_writev"}
WAITING_CALLS = {"poll", "ppoll", "epoll_wait", "epoll_pwait", "epoll_pwait2", "select",
                 "sched_yield"}


def _fresh(job, name):
    path = os.path.join(job.directory, name)
    if os.path.exists(path):
        os.remove(path)
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


def count_instructions(job, n_bytes):
    path = _fresh(job, "callgrind")
    job.run(n_bytes, ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={path}"])
    counts = {"own": 0, "all": 0}
    objects = OWN_OBJECTS[job.method.component]
    functions = OWN_FUNCTIONS.get(job.method.component)
    for of_object, function, cost in self_costs(_read(path, "callgrind")):
        is_own = any(name in of_object for name in objects) or (
            functions is not None and function.startswith(functions))
        counts["own"] += cost if is_own else 0
        counts["all"] += cost
    return counts


def count_copies(job, n_bytes):
    path = _fresh(job, "dhat")
    job.run(n_bytes, ["valgrind", "--tool=dhat", "--mode=copy", f"--log-file={path}",
                         f"--dhat-out-file={_fresh(job, 'dhat.json')}"])
    found = re.search(r"Total:\s+([0-9,]+) bytes", _read(path, "dhat"))
    if not found:
        raise UserError("valgrind's dhat reports no total of copied bytes; is it older than 3.17?")
    return {"bytes": int(found.group(1).replace(",", ""))}


def count_system_calls(job, n_bytes):
    path = _fresh(job, "strace")
    job.run(n_bytes, ["strace", "-f", "-c", "-o", path])
    counts = {"data": 0, "waiting": 0}
    for line in _read(path, "strace").splitlines():
        words = line.split()
        if len(words) < 5 or not words[3].isdigit():
            continue
        counts["data"] += int(words[3]) if words[-1] in DATA_CALLS else 0
        counts["waiting"] += int(words[3]) if words[-1] in WAITING_CALLS else 0
    return counts


def count_time(job, n_bytes):
    """Nanoseconds of processors, in the program and in the kernel, of mpirun and all ranks."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    job.run(n_bytes, [])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"ns": 1e9 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)}


def keeps_up(ns_per_byte):
    """Gbit/s of a link, by how much of the time of an edge a byte that leaves a rank takes of it."""
    shares = {"forwards": 1, "binary": 1 / 2 + 1 / 4, "kary": 1 / 2 + 1 / 6, "root": 1 / 2}
    return {name: 8 / (ns_per_byte * share) for name, share in shares.items()}
