"""Where programs run: on a testbed."""

import json
import os
import shlex
import subprocess
import sys

from pipebcast_sizes import in_natural_order, show_rate

from .programs import LIBRARY
from .units import UserError

# Two ranks on one switch, where that is not ranks 0 and 1: topology 5 deals hosts out in turn.
PINGPONG_OF_TOPOLOGY = {"5": "0,4"}


class Testbed:
    """An emulated cluster of contrib/testbed, ours from up() to down() unless it stood before."""

    def __init__(self, options, topology):
        self.command = options.testbed
        self.standing = options.name is not None
        self.name = options.name or f"{os.path.basename(sys.argv[0])}{os.getpid()}"
        self.topology = topology
        self.rate = options.rate
        self.np = options.np
        self.up_arguments = options.up_arg
        self.started = False
        self.hosts = []  # in the order of ranks, known from up() on
        self.topology_file = self._topology_file(topology)

    def _topology_file(self, topology):
        if os.path.isfile(topology):
            return os.path.abspath(topology)
        directories = [os.path.dirname(os.path.realpath(self.command)),
                   os.path.join(LIBRARY, "..", "..", "testbed"), os.path.join(LIBRARY, "..")]
        for directory in directories:
            path = os.path.abspath(os.path.join(directory, f"topology{topology}.conf"))
            if os.path.isfile(path):
                return path
        raise UserError(f"--topology: '{topology}' is no file, and {directories[0]} has no topology of "
                        "that number")

    def _run(self, *arguments):
        done = subprocess.run([self.command, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False,
                              start_new_session=True)
        if done.returncode != 0:
            raise UserError(f"{shlex.join([self.command, *arguments])} failed: "
                            f"{done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def run_command(self, command, *arguments):
        """A command of the testbed's for this one. Yields what it printed."""
        return self._run(command, "--name", self.name, *arguments)

    def up(self):
        if not self.standing:
            self.started = True  # also while it comes up: an interrupt must take it down
            try:
                self._run("up", "--topology", self.topology_file, "--rate", self.rate,
                          "--name", self.name, *self.up_arguments)
            except UserError:  # it has cleared away what there was
                self.started = False
                raise
        facts = self.status()["testbed"]
        if self.standing:
            self.rate = show_rate(facts["rate"] * facts["dilation"])
        # The testbed's mpirun places ranks in the order of the hosts' names.
        self.hosts = in_natural_order(facts["hosts"])

    def status(self, *arguments):
        """What `testbed status` reports."""
        try:
            return json.loads(self._run("status", "--name", self.name, "--json", *arguments))
        except ValueError as error:
            raise UserError(f"{self.command} status --json printed no JSON: {error}") from None

    def down(self):
        if self.started:
            self.started = False
            try:
                self._run("down", "--name", self.name)
            except UserError as error:  # what it was taken down for matters more
                print(f"the testbed was not taken down: {error}", file=sys.stderr)

    def describe(self):
        return {"kind": "testbed", "name": self.name, "topology": self.topology,
                "topology_file": self.topology_file, "rate": self.rate}

    def mpirun(self, arguments, mpich=None, np=None):
        """The command line; mpich names MPICH's mpirun, where that is wanted. np: ranks, in place of the testbed's number."""
        # Without a number MPICH's starts one rank in all, Open MPI's one on each slot.
        np = np or self.np or (len(self.hosts) if mpich else None)
        return [self.command, "mpirun", "--name", self.name, *(["--mpirun", mpich] if mpich else []),
                "--", *(["-np", str(np)] if np else []), *arguments]

    def counters(self):
        """What the fabric and its links did since the last call; None if it does not report it."""
        try:
            status = self.status("--reset")
            return {**_link_counters(status["links"]), **_fabric_counters(status["fabric"])}
        except (UserError, KeyError, TypeError) as error:
            print(f"no counters from the testbed: {error}", file=sys.stderr)
            return None


def _link_counters(links):
    busiest = max(links, key=lambda link: link["bytes"])
    return {"drops": sum(link["drops"] for link in links),
            "bytes": sum(link["bytes"] for link in links),
            "busiest": f"{busiest['from']} -> {busiest['to']}",
            "busiest_bytes": busiest["bytes"]}


def _fabric_counters(fabric):
    """The kernel's bridges are no program that could be late, and report nothing of themselves."""
    if not fabric:
        return {}
    return {"overruns": fabric["overruns"],
            "late_mean_us": fabric["late_mean"] / 1e3,
            "late_max_us": fabric["late_max"] / 1e3,
            "cpu_share": fabric["cpu_seconds"] / max(fabric["seconds"], 1e-9)}


def counted_doubts(name, outcomes, slower="--rate"):
    """Lines on what the testbed's counters put in doubt of the runs of `name`."""
    known = [outcome.counters for outcome in outcomes if outcome.counters]
    drops = sum(counters["drops"] for counters in known)
    overruns = sum(counters.get("overruns", 0) for counters in known)
    lines = []
    if drops:
        lines.append(f"note: {name}: full switch queues dropped {drops} frames")
    if overruns:
        lines.append(f"DOUBT: {name}: the testbed had too little CPU and lost {overruns} frames; "
                     f"take a lower {slower}")
    return lines
