"""Running pipebcast-probe and pipebcast-advisor beside a testbed's jobs."""

import os
import shutil
import subprocess

from .methods import Method
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
        self.services = []  # (name, process, log) of what runs beside the program

    def measure_links(self, place, mpirun_arg):
        self._run(self._probe_command(place, mpirun_arg, self.links))

    def _probe_command(self, place, mpirun_arg, links, *more):
        return place.mpirun(["--mca", "coll", "^pipebcast"] + mpirun_arg
                            + [self.probe, "--topology", self.topology_file, "--output", links, *more])

    def dir_of(self, name):
        path = os.path.abspath(os.path.join(self.directory, "advice-" + name))
        os.makedirs(path, exist_ok=True)
        return path

    def method(self, name, label=None):
        """Broadcasts that follow this advice."""
        return Method(f"pipebcast:{label or name}", {"coll_pipebcast_advice_dir": self.dir_of(name),
                                                     "coll_pipebcast_arrival": "off"})

    def command(self, name, tree, *more):
        own = self._own_links(name)
        return [self.advisor, "--dir", self.dir_of(name), "--topology", self.topology_file,
                "--links", own if os.path.exists(own) else self.links, "--links-age", "100000", "--tree", tree,
                *more]

    def _own_links(self, name):
        """The file of a line whose links are measured again while its program runs."""
        return os.path.join(self.directory, f"grid-{name}.links")

    def advise_once(self, name, tree, *more):
        """Advice for all sizes, before a program runs."""
        self._run(self.command(name, tree, "--once", "--idle", *more))

    def start(self, name, tree, *more):
        """The service, beside a program whose processors it shares, but need not at once."""
        self._start("advisor", name, ["nice", "-n", "5", *self.command(name, tree, *more)])

    def start_probing(self, place, mpirun_arg, name, every_s, train):
        """
        The links are measured anew so often, for the advisor of this line alone, which is started after this; so
        that all lines begin with the same, its first ones are those of measure_links().
        """
        shutil.copyfile(self.links, self._own_links(name))
        command = self._probe_command(place, mpirun_arg, self._own_links(name), "--train", str(train))
        again = 'every=$1; shift; sleep "$every"; while sleep "$every" & do "$@" || exit; wait; done'
        self._start("probe", name, ["sh", "-c", again, "sh", str(every_s), *command])

    def _start(self, what, name, command):
        log = open(os.path.join(self.directory, f"{what}-{name}.log"), "w", encoding="utf-8")
        self.services.append((what, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True), log))

    def stop(self):
        """Yields what was wrong with a service, or None."""
        wrong = None
        while self.services:
            what, process, log = self.services.pop()
            died = process.poll()
            stop_group(process)
            log.close()
            if died is not None:
                wrong = f"the {what} ended with code {died}; see {log.name}"
        return wrong

    def _run(self, command):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace",
                                  check=False, timeout=self.patience, start_new_session=True)
        except subprocess.TimeoutExpired:
            raise UserError(f"{' '.join(command)} did not end in {self.patience:.0f} s") from None
        if done.returncode != 0:
            raise UserError(f"{' '.join(command)} failed: {done.stdout.strip()[-500:]}")
