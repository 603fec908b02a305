"""The fabric's control socket."""

import os
import re
import socket

from .failure import Failure


class Control:
    """A connection to a fabric."""

    def __init__(self, state):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        directory = os.open(state.path, os.O_PATH | os.O_DIRECTORY)
        try:
            self.socket.connect(f"/proc/self/fd/{directory}/fabric.sock")  # short, whatever the path
        except OSError as error:
            self.socket.close()
            raise Failure(f"the fabric does not answer: {error}") from None
        finally:
            os.close(directory)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def ask(self, line):
        """One command: its answer's lines, each as (first word, {key: value})."""
        answer = b""
        try:
            self.socket.sendall(line.encode() + b"\n")
            while not re.search(rb"(^|\n)(ok|error: [^\n]*)\n$", answer):
                part = self.socket.recv(1 << 16)
                if not part:
                    raise Failure("the fabric hung up")
                answer += part
        except OSError as error:
            raise Failure(f"the fabric does not answer: {error}") from None
        lines = answer.decode().splitlines()
        if lines[-1] != "ok":
            raise Failure("the fabric: " + lines[-1][len("error: ") :])
        parsed = []
        for text in lines[:-1]:
            words = text.split(" ")
            parsed.append((words[0], dict(word.split("=", 1) for word in words[1:])))
        return parsed


def ask(state, line):
    with Control(state) as control:
        return control.ask(line)
