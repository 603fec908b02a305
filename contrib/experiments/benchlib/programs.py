"""The programs that are run: where they are."""

import glob
import os
import shutil
import subprocess
import sys

from .units import UserError

LIBRARY = os.path.dirname(os.path.realpath(__file__))
BENCH = ["../tools/bench/pipebcast-bench", "pipebcast-bench"]
TESTBED = ["../testbed/testbed", "../testbed/pipebcast-testbed", "pipebcast-testbed"]
ADVISOR = ["../adaptive/advisor/pipebcast-advisor", "pipebcast-advisor"]
PROBE = ["../adaptive/probe/pipebcast-probe", "pipebcast-probe"]
PLUGIN = "mca_coll_pipebcast.so"
# Beside a built testbed, or where it is installed, seen from the installed library.
IDLE = [os.path.join(LIBRARY, "../../../lib*/pipebcast/pipebcast-idle.so"),
        os.path.join(LIBRARY, "../../../lib/*/pipebcast/pipebcast-idle.so")]


def first_line(command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=30)
        return done.stdout.splitlines()[0] if done.stdout else "unknown"
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"


def program_directories():
    """Where the driver is; for one in the source tree also its directory in the builds."""
    here = os.path.dirname(os.path.realpath(sys.argv[0]))
    build = os.environ.get("PIPEBCAST_BUILDDIR")
    builds = glob.glob(os.path.join(here, "../../build*"))
    builds = ([build] if build else []) + sorted(builds, key=os.path.getmtime, reverse=True)
    return [here] + [os.path.join(directory, "contrib/experiments") for directory in builds]


def find_program(names):
    """The first of some paths below program_directories(), or in PATH; None if there is none."""
    for directory in program_directories():
        for name in names:
            candidate = os.path.normpath(os.path.join(directory, name))
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return candidate
    for name in names:
        in_path = shutil.which(os.path.basename(name))
        if in_path:
            return in_path
    return None


def need_program(named, names, option):
    """The program that the user named, or else one that is found."""
    path = named or find_program(names)
    if not path:
        raise UserError(f"{os.path.basename(names[-1])} was not found beside this program nor in "
                        f"PATH; build it, or name it: {option} FILE")
    if not os.access(path, os.X_OK) and not shutil.which(path):
        raise UserError(f"{option}: {path} is no program")
    return os.path.abspath(path) if os.path.exists(path) else path


def find_mpich_mpirun(named, directory):
    """MPICH's mpirun: the one that the user named, or that of the directory MPICH is installed in, or Debian's."""
    if named or not directory:
        return named or "mpirun.mpich"
    path = os.path.join(os.path.abspath(directory), "bin", "mpirun")
    if not os.access(path, os.X_OK):
        raise UserError(f"--mpich-dir: there is no program {path}")
    return path


def find_idle():
    """The library with which ranks that wait sleep: named by the environment, built, or installed."""
    named = os.environ.get("PIPEBCAST_IDLE")
    built = [os.path.join(directory, "../testbed/pipebcast-idle.so")
             for directory in program_directories()]
    for pattern in [named] if named else built + IDLE:
        for path in glob.glob(pattern):
            return os.path.realpath(path)
    raise UserError("the library pipebcast-idle.so is not found: run make, or name it by the "
                    "variable PIPEBCAST_IDLE")


def component_path(directory):
    """Arguments by which mpirun finds the plugin in a directory, and Open MPI's own components still."""
    if not os.path.isfile(os.path.join(directory, PLUGIN)):
        raise UserError(f"--plugin-dir: there is no {PLUGIN} in {directory}")
    own = first_line(["ompi_info", "--path", "pkglibdir", "--parsable"]).rpartition(":")[2]
    if not os.path.isdir(own):
        raise UserError("--plugin-dir: ompi_info does not report where Open MPI's own components are; "
                        "is it in PATH?")
    return ["--mca", "mca_base_component_path", f"{os.path.abspath(directory)}:{own}"]
