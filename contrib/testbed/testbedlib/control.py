"""The fabric's control socket."""

import os
import re
import socket

from .failure import Failure


def connect(state):
    """A connection to a testbed's fabric."""
    fabric = socket.socket(socket.AF_UNIX)
    fabric.settimeout(10)
    directory = os.open(state.path, os.O_PATH | os.O_DIRECTORY)
    try:
        fabric.connect(f"/proc/self/fd/{directory}/fabric.sock")  # short, whatever the path
    except OSError:
        fabric.close()
        raise
    finally:
        os.close(directory)
    return fabric


def ask(state, request):
    """One request: its answer's lines, each as (first word, {key: value})."""
    answer = b""
    try:
        with connect(state) as fabric:
            fabric.sendall(request.encode())
            fabric.shutdown(socket.SHUT_WR)
            while part := fabric.recv(1 << 16):
                answer += part
    except OSError as error:
        raise Failure(f"the fabric does not answer: {error}") from None
    lines = answer.decode().splitlines()
    if not lines or not re.match(r"ok$|error: ", lines[-1]):
        raise Failure("the fabric hung up")
    if lines[-1] != "ok":
        raise Failure("the fabric: " + lines[-1][len("error: ") :])
    parsed = []
    for text in lines[:-1]:
        words = text.split(" ")
        parsed.append((words[0], dict(word.split("=", 1) for word in words[1:])))
    return parsed


def do_now(state, steps):
    """Has the fabric do steps."""
    ask(state, "\n".join(f"0 {step}" for step in steps))
