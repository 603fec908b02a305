"""The network of a topology file, as the fabric reads it."""

import os
import re
import subprocess

from .failure import Failure, warn

MAX_HOSTS = 4000


class Topology:
    """What the fabric's reader reports of a topology file: one reader for all."""

    def __init__(self, path, fabric):
        self.path = os.path.abspath(path)
        self.base_speed = 1
        self.nodes = []  # (kind, name, parent name or None, speed of the link to it)
        # By name, where they are more than 1: parallel links to the parent; switches that a name
        # stands for.
        self.members, self.merged = {}, {}
        answer = subprocess.run(
            [fabric, "--topology", self.path, "--describe"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        lines = [line.split(": ", 1)[-1] for line in answer.stderr.splitlines()]
        if answer.returncode != 0:
            raise Failure("the topology cannot be used:\n  " + "\n  ".join(lines))
        for line in lines:
            warn(line)
        for line in answer.stdout.splitlines():
            kind, name, *rest = line.split(" ")
            if kind == "network":
                self.base_speed = int(rest[0])
            else:
                if len(rest) != 4:
                    raise Failure(f"{self.path}: a name with a blank cannot be used here: {line}")
                parent, speed, members, merged = rest
                self.nodes.append((kind, name, None if parent == "-" else parent, int(speed)))
                if int(members) > 1:
                    self.members[name] = int(members)
                if int(merged) > 1:
                    self.merged[name] = int(merged)
        self.hosts = [name for kind, name, _, _ in self.nodes if kind == "host"]
        self.check()

    def check(self):
        if len(self.hosts) > MAX_HOSTS:
            raise Failure(f"{self.path}: {len(self.hosts)} hosts; {MAX_HOSTS} at most can be made")
        for name in self.hosts:
            if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,62})", name):
                raise Failure(f"{self.path}: '{name}' cannot be the name of a host")


def has_parallel_links(facts):
    return bool(facts["members"] or facts["merged"])
