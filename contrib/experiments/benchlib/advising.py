"""Running pipebcast-probe and pipebcast-advisor beside a testbed's jobs."""

import os
import subprocess

from .programs import ADVISOR, PROBE, need_program
from .run import stop_group
from .units import UserError


class Advising:
    """The advisor's directory, and the links that were measured before anything is loaded."""

    def __init__(self, options, directory, topology_file):
        self.advisor = need_program(options.advisor, ADVISOR, "--advisor")
        self.probe = need_program(options.probe, PROBE, "--probe")
        self.topology_file = topology_file
        self.links = os.path.join(directory, "grid.links")
        self.directory = directory
        self.patience = 60 + options.patience
        self.service = None
        self.log = None

    def measure_links(self, place, mpirun_arg):
        command = place.mpirun(["--mca", "coll", "^pipebcast"] + mpirun_arg
                               + [self.probe, "--topology", self.topology_file, "--output",
                                  self.links])
        self._run(command)

    def dir_of(self, name):
        path = os.path.abspath(os.path.join(self.directory, "advice-" + name))
        os.makedirs(path, exist_ok=True)
        return path

    def command(self, name, tree, *more):
        return [self.advisor, "--dir", self.dir_of(name), "--topology", self.topology_file,
                "--links", self.links, "--links-age", "100000", "--tree", tree, *more]

    def advise_once(self, name, tree, *more):
        """Advice for all sizes, before a program runs."""
        self._run(self.command(name, tree, "--once", "--idle", *more))

    def start(self, name, tree, *more):
        """The service, beside a program whose processors it shares, but need not at once."""
        self.log = open(os.path.join(self.directory, f"advisor-{name}.log"), "w", encoding="utf-8")
        self.service = subprocess.Popen(
            ["nice", "-n", "5", *self.command(name, tree, *more)], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)

    def stop(self):
        """Yields what was wrong with the service, or None."""
        if self.service is None:
            return None
        died = self.service.poll()
        stop_group(self.service)
        self.service = None
        self.log.close()
        return f"the advisor ended with code {died}; see {self.log.name}" \
            if died is not None else None

    def _run(self, command):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace",
                                  check=False, timeout=self.patience, start_new_session=True)
        except subprocess.TimeoutExpired:
            raise UserError(f"{' '.join(command)} did not end in {self.patience:.0f} s") from None
        if done.returncode != 0:
            raise UserError(f"{' '.join(command)} failed: {done.stdout.strip()[-500:]}")
