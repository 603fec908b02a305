"""What messages cost this host's processor, as a host file of the dilated testbed."""

import os
import socket
import time

from .report import describe_host
from .units import UserError

ROUNDS, REPEATS = 50, 100
SMALL, LARGE = 1024, 65536
DATAGRAM = 1400

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


def costs_file(costs, date):
    """The text of a host file."""
    machine = describe_host()
    about = f"{machine['cpu']}, {machine['cores']} cores, {machine['system']} {machine['release']}"
    lines = [f"# Costs of a host, measured over the loopback by pipebcast-profile --host, {date}:",
             f"# {about}; load {os.getloadavg()[0]:.0f}.",
             "# MPI's own work is not in them. Nanoseconds."]
    return "\n".join(lines + [f"{name:<13} {value:<8g}# {MEANING[name]}" for name, value in costs.items()]) + "\n"
