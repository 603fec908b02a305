"""TCP flows from one host to another."""

import json
import subprocess
import sys

from .addresses import address
from .failure import Failure

# Takes one connection for so many seconds, or until it ends, and prints when how much had come. A
# connection that has not ended then is reset, so that nothing more of it is sent.
TCP_RECEIVER = """
import json, socket, struct, sys, time
limit, got = float(sys.argv[1]), 0
with socket.create_server(("", 0)) as listening:
    print(listening.getsockname()[1], flush=True)
    listening.settimeout(30)
    peer, _ = listening.accept()
marks = [(time.monotonic(), 0)]
peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
part, end = True, marks[0][0] + limit
while part and marks[-1][0] < end:
    peer.settimeout(max(0.001, end - marks[-1][0]))
    try:
        part = peer.recv(65536)
    except TimeoutError:
        part = b""
    got += len(part)
    marks.append((time.monotonic(), got))
peer.close()
print(json.dumps(marks), flush=True)
"""

# Sends so many bytes, or without an end if they are 0, until the receiver has had enough.
TCP_SENDER = """
import socket, sys
left, part = int(sys.argv[3]) or 1 << 62, bytes(65536)
with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=30) as peer:
    try:
        while left > 0:
            left -= peer.send(part[:left])
    except (ConnectionResetError, BrokenPipeError):
        pass
"""


def start_python(installed, state, host, text, *arguments):
    """Starts a Python program on a host, as a process of its own."""
    return subprocess.Popen(
        [sys.executable, installed.program, "exec", "--name", state.name, host, "--",
         sys.executable, "-E", "-S", "-c", text, *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def end_python(process, host):
    """Waits for it; what it has printed."""
    out, errors = process.communicate()
    if process.returncode != 0:
        raise Failure(f"TCP on {host}: " + (errors.strip().split("\n")[-1] or "it ended"))
    return out


def tcp_flow(installed, state, facts, pair, seconds, size):
    """Sends by TCP from one host to another; when how many bytes had come: [[time, bytes], ...]."""
    sender, receiver = pair
    running = []
    try:
        running.append(start_python(installed, state, receiver, TCP_RECEIVER, str(seconds)))
        port = running[0].stdout.readline().strip()
        if not port:
            end_python(running[0], receiver)
        target = address(facts["hosts"].index(receiver))
        running.append(start_python(installed, state, sender, TCP_SENDER, target, port, str(size)))
        marks = json.loads(end_python(running[0], receiver))
        if running[1].poll():
            end_python(running[1], sender)
    finally:
        for process in running:
            if process.poll() is None:
                process.terminate()
                process.wait()
    return marks
