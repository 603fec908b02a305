"""What messages cost this host's processor, as a host file of the dilated testbed."""

import os
import socket
import subprocess
import tempfile
import time

from .report import describe_host
from .units import UserError

ROUNDS, REPEATS = 50, 100
SMALL, LARGE = 1024, 65536
DATAGRAM = 1400
# Messages that Open MPI sends with their header, and how often each, in so many jobs; the least counts.
MESSAGES, N_MESSAGES, JOBS = (1024, 2048, 4096, 8192, 16384, 32768), 500, 3
SAMPLER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "sampler.c")
OVER_LOOPBACK = ["--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "lo", "--mca", "coll", "^pipebcast",
                 "--oversubscribe", "--bind-to", "none"]

# What cannot be seen over the loopback, which has no interface that interrupts.
ASSUMED = {"wake": 1000, "interrupt": 10000}
MEANING = {
    "send_call": "a call that sends", "send_byte": "each byte of it",
    "receive_call": "a call that receives", "receive_byte": "each byte of it",
    "datagram": "each further datagram of a batch",
    "wake": "from data in the socket to a rank that waits; assumed",
    "interrupt": "between two interrupts of the interface, at least; assumed",
}


def _time(work):
    """Processor time of one of ROUNDS calls of `work`, in ns: the least of many repetitions, as what
    else runs here only adds to it."""
    found = []
    for _ in range(REPEATS):
        begin = time.thread_time_ns()
        for _ in range(ROUNDS):
            work()
        found.append((time.thread_time_ns() - begin) / ROUNDS)
    return min(found)


def _call_of_python():
    """What Python itself takes for a call that goes to the kernel and does nothing there."""
    with open(os.devnull, "wb", buffering=0) as nowhere:
        part = bytes(SMALL)
        return _time(lambda: os.write(nowhere.fileno(), part)) - _time(os.getppid)


def _connected():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        one = socket.create_connection(listening.getsockname())
        other, _ = listening.accept()
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return one, other


def _edge(size):
    """Sending and receiving `size` bytes by TCP, the kernel's work for both included."""
    one, other = _connected()
    part, room = bytes(size), bytearray(size)

    def work():
        one.sendall(part)
        if other.recv_into(room, size, socket.MSG_WAITALL) != size:
            raise UserError("the loopback ended")

    with one, other:
        return _time(work)


def _datagram():
    """Half of sending and receiving a datagram: a batch saves the call, not the kernel's work."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        one.connect(other.getsockname())
        part, room = bytes(DATAGRAM), bytearray(DATAGRAM)

        def work():
            one.send(part)
            other.recv_into(room)

        return _time(work) / 2


def _pingpong(sampler, which):
    """The least half round trip of each of MESSAGES, in ns."""
    done = subprocess.run(["mpirun", "-np", "2", *OVER_LOOPBACK, sampler, which, ",".join(map(str, MESSAGES)), str(N_MESSAGES)],
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise UserError(f"mpirun {sampler} {which}: {done.stderr.strip()[-300:]}")
    times = {size: [] for size in MESSAGES}
    for line in done.stdout.splitlines():
        size, _, ns = line.split(",")
        times[int(size)].append(int(ns))
    return [min(times[size]) for size in MESSAGES]


def line_through(points):
    """Where a line begins, and how it rises: by least squares of the relative errors."""
    weights = [1 / y ** 2 if y > 0 else 0 for _, y in points]
    total = sum(weights)
    if total == 0:
        return 0, 0
    x_mean, y_mean = (sum(w * point[i] for w, point in zip(weights, points)) / total for i in (0, 1))
    rise = (sum(w * (x - x_mean) * (y - y_mean) for w, (x, y) in zip(weights, points))
            / sum(w * (x - x_mean) ** 2 for w, (x, _) in zip(weights, points)))
    return y_mean - rise * x_mean, rise


def add_mpi(costs):
    """
    The costs with MPI's own work: a ping-pong by MPI takes so much more than one by sockets, over the
    loopback. Each end is charged half of what a message takes; the receiver copies its bytes.
    """
    with tempfile.TemporaryDirectory() as directory:
        sampler = os.path.join(directory, "sampler")
        subprocess.run(["mpicc", "-std=gnu11", "-O2", "-o", sampler, SAMPLER], check=True)
        by_mpi, by_sockets = (list(map(min, *(_pingpong(sampler, which) for _ in range(JOBS)))) for which in ("pingpong", "sockets"))
    message, byte = line_through([(size, one - other) for size, one, other in zip(MESSAGES, by_mpi, by_sockets)])
    half = round(max(0, message) / 2)
    return {**costs, "send_call": costs["send_call"] + half, "receive_call": costs["receive_call"] + half,
            "receive_byte": round(costs["receive_byte"] + max(0, byte), 3)}


def measure_costs():
    """
    The costs by name. The loopback has both ends do their work in one thread, and does not show whose
    it is: each end is charged half.
    """
    python = _call_of_python()
    small, large = _edge(SMALL), _edge(LARGE)
    byte = max(0, large - small) / (LARGE - SMALL) / 2
    call = max(0, small / 2 - python - byte * SMALL)
    datagram = max(0, _datagram() - python - byte * DATAGRAM)
    call, byte = round(call), round(byte, 3)
    return {"send_call": call, "send_byte": byte, "receive_call": call, "receive_byte": byte,
            "datagram": round(datagram), **ASSUMED}


def costs_file(costs, date, with_mpi=False):
    """The text of a host file."""
    machine = describe_host()
    about = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']} {machine['release']}"
    lines = [f"# Costs of a host, measured over the loopback by pipebcast-profile --host, {date}:",
             f"# {about}; load {os.getloadavg()[0]:.0f}.",
             "# MPI's own work is in them, as a ping-pong by MPI takes longer than one by sockets. Nanoseconds." if with_mpi
             else "# MPI's own work is not in them. Nanoseconds."]
    return "\n".join(lines + [f"{name:<13} {value:<8g}# {MEANING[name]}" for name, value in costs.items()]) + "\n"
