#!/usr/bin/env python3
"""TAP: the commands of README.md and doc/*.md that can run on one host do, block by block.

test_run.sh calls it, with an Open MPI that finds the plugin of the build tree. Each page has a
directory of its own under $WORK, in which its blocks run in turn. What a person has next to these
commands is made up: an MPI program, a file of hosts, Slurm, and what lies under /etc and /shared.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from commands import tools
from documents import TOP, blocks, command_pages
from tap import Tap

WORK = pathlib.Path(os.environ["WORK"])
BIN = WORK / "bin"
LONGEST = 120

# The application broadcasts 1 MB and prints which algorithm served it, where pipebcast may.
APP = """#!/bin/sh
case ${OMPI_MCA_coll:-} in
^*) exec pipebcast-bench --sizes 1M --iterations 1 ;;
*) exec pipebcast-counters -m 1M ;;
esac
"""
# Ranks of one host are measured as hosts, and only for a second; or what is measured would decide
# whether a command fails, and is ignored.
TRIALS = {
    "pipebcast-doctor": "#!/bin/sh\nexec '%s' \"$@\" --quick\n",
    "pipebcast-tune": "#!/bin/sh\nexec '%s' \"$@\" --pretend-hosts 'n[0,16]' --time-limit 1\n",
}
# In place of Slurm's programs: their options are checked by test_commands.py.
SRUN = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec mpirun "$@"
"""
SALLOC = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
exec "$@"
"""
SBATCH = "#!/bin/sh\nexec /bin/bash -e \"$1\"\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make_programs():
    for name, path in tools().items():
        if name in TRIALS:
            write(BIN / name, TRIALS[name] % path)
        else:
            (BIN / name).symlink_to(path)
    write(BIN / "srun", SRUN)
    write(BIN / "salloc", SALLOC)
    write(BIN / "sbatch", SBATCH)
    for name, variable in (("mpirun", "MPIEXEC"), ("ompi_info", "OMPI_INFO")):
        (BIN / name).symlink_to(shutil.which(os.environ[variable]))
    os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"


def make_home(page):
    """A page's directory, with what its commands take for granted."""
    home = WORK / page.stem
    write(home / "app", APP)
    (home / "all-hosts").write_text("localhost slots=2\n")
    (home / "shared").mkdir()
    (home / "plugins").symlink_to(WORK / "plugins")
    for path in TOP.glob("contrib/**/topology*.conf"):
        shutil.copy(path, home)
    given = [block for block in blocks(command_pages()[0]) if block.rule == "file cluster.conf"]
    for name in ("cluster.conf", "etc/pipebcast/cluster.conf", "etc/slurm/topology.conf"):
        write(home / name, given[0].text)
    return home


def placed(text, home):
    """The text with the directories of a cluster moved below the page's own."""
    return re.sub(r"(?<![\w/.])/(etc|shared)/", rf"{home}/\1/", text)


def run(text, home):
    """The status of the commands, the first of which that fails ends them, and what they print;
    whatever they leave behind in the background is ended."""
    environment = dict(os.environ, HOME=str(home))
    with open(home / ".out", "w+", encoding="utf-8") as out, \
            open(home / ".err", "w+", encoding="utf-8") as err:
        with subprocess.Popen(["/bin/bash", "-e", "-o", "pipefail", "-c", placed(text, home)],
                              cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                              stderr=err, start_new_session=True) as shell:
            try:
                status = shell.wait(LONGEST)
            except subprocess.TimeoutExpired:
                status = f"not within {LONGEST} s"
            try:
                os.killpg(shell.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def unserved(text, printed):
    """The application's runs that pipebcast did not serve, although they do not leave it out."""
    wanted = sum("./app" in line and "^pipebcast" not in line for line in text.splitlines())
    return wanted - len(re.findall(r"^coll_pipebcast_broadcasts_\w+ ", printed, re.MULTILINE))


def check_topology(tap, text, home, place):
    """A file, or the lines next to a picture. Hosts have a speed where links between switches have one; else theirs is 1."""
    lines = re.findall(r"(?:#pipebcast )?SwitchName=.*", text)
    if not lines or "..." in text:
        return
    (home / ".topology.conf").write_text("\n".join(lines) + "\n")
    status, printed, errors = run("pipebcast check .topology.conf", home)
    if not tap.ok(status == 0 and "no host's link has one" not in printed + errors, f"{place}: speeds of links and of hosts"):
        tap.note(f"status {status}\n{printed}{errors}")


def run_page(tap, page):
    home = make_home(page)
    printed = ""
    for block in blocks(page):
        rule, *words = (block.rule or "").split()
        place = f"{page.relative_to(TOP)}:{block.line}"
        if rule == "file":
            write(home / words[0], placed(block.text, home))
            check_topology(tap, block.text, home, place)
        elif rule == "output":
            tap.eq(printed, block.text, f"{place}: what was printed")
        elif rule == "run":
            status, printed, errors = run(block.text, home)
            if not tap.ok(status == 0, f"{place}: {block.text.splitlines()[0]}"):
                tap.note(f"status {status}\n{printed}{errors}")
            elif "./app" in block.text:
                tap.ok(unserved(block.text, printed) <= 0, f"{place}: pipebcast serves the program")
            for name in words[1:]:
                same = (home / name).read_bytes() == (TOP / "doc" / name).read_bytes()
                if not tap.ok(same, f"{place}: doc/{name} is what the commands make"):
                    tap.note(f"run them, look at it, and copy it to doc/{name}")


def main():
    tap = Tap()
    BIN.mkdir()
    make_programs()
    for page in command_pages():
        run_page(tap, page)
    return tap.done()


sys.exit(main())
