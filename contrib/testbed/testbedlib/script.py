"""Scripts: what is to happen to the network, and when."""

import re

from .changes import (
    Nodes,
    fabric_load,
    fabric_set,
    fabric_set_switch,
    names_switch,
    read_set,
    read_set_switch,
    take,
)
from .control import ask
from .failure import Failure
from .quantities import time_type


class Script:
    """
    What is to happen to the network, and when: a file with lines of the form
    [at TIME] set LINK KEY=VALUE... and [at TIME] load LINK RATE TIME ...
    All its errors are found before anything is done.
    """

    def __init__(self, path, nodes, kind, mtu):
        self.path = path
        self.nodes = Nodes(nodes)
        self.mtu = mtu
        self.steps = []  # (line number, the fabric's words)
        if kind == "kernel":
            raise Failure("the kernel's fabric plays no script: leave out --fabric kernel")
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise Failure(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from None
        errors = []
        for number, line in enumerate(lines, 1):
            try:
                self.read_line(number, line.partition("#")[0].split())
            except Failure as error:
                errors.append(f"{path}:{number}: {error}")
        if errors:
            raise Failure("the script cannot be played:\n  " + "\n  ".join(errors))

    def read_line(self, number, words):
        when = 0
        if words[:1] == ["at"]:
            if len(words) < 2:
                raise Failure("at when? Write a time, such as 2.5s")
            when, words = take(time_type, words[1]), words[2:]
            if not words:
                raise Failure("what is to happen then: set or load?")
        if not words:
            return
        self.steps += [(number, f"{when} {step}") for step in self.read_step(words)]

    def read_step(self, words):
        if words[0] == "load":
            return fabric_load(self.nodes, words[1:], self.mtu)
        if words[0] != "set":
            raise Failure(f"'{words[0]}' is no step: set and load are")
        if names_switch(self.nodes, words[1:]):
            return [fabric_set_switch(*read_set_switch(self.nodes, words[1:]))]
        return fabric_set(*read_set(self.nodes, words[1:]))

    def ask(self, state, *words):
        """Has the fabric check or do the steps."""
        if not self.steps:
            return
        try:
            ask(state, "\n".join([*words, *(step for _, step in self.steps)]))
        except Failure as error:
            match = re.fullmatch(r"the fabric: step (\d+): (.*)", str(error))
            if not match:
                raise
            line = self.steps[int(match.group(1)) - 1][0]
            raise Failure(f"{self.path}:{line}: the fabric: {match.group(2)}") from None

    def check(self, state):
        self.ask(state, "check")

    def play(self, state):
        self.ask(state)


def read_script(path, facts):
    return Script(path, facts["nodes"], facts["kind"], facts["mtu"])
