#!/usr/bin/env python3
"""TAP: the parameters and counters of the plugin are those of pipebcast(7) and of README.md.

What is registered is asked of ompi_info and pipebcast-counters. $srcdir is the directory of this file;
OMPI_INFO, PLUGIN and COUNTERS name the programs and the plugin; `make check` sets them.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap

PREFIX = "coll_pipebcast_"
# Broadcasts that are counted by how they were done, not by a tree of the parameter `algorithm`.
NO_TREES = {"adaptive", "arrival_b", "arrival_nb", "flat_nb"}
MANUAL = (TOP / "doc" / "pipebcast.7").read_text()
README = (TOP / "README.md").read_text()
OMPI_INFO = os.environ.get("OMPI_INFO", "ompi_info")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL).stdout


def use_plugin(directory):
    """Lets Open MPI find the plugin, and none of a person's own settings."""
    for name in [name for name in os.environ if re.match("(OMPI|PRTE|PMIX)_MCA_", name)]:
        del os.environ[name]
    os.symlink(os.environ["PLUGIN"], os.path.join(directory, "mca_coll_pipebcast.so"))
    system = re.search("^path:pkglibdir:(.*)$", output(OMPI_INFO, "--path", "pkglibdir",
                                                       "--parsable"), re.MULTILINE).group(1)
    os.environ.update(HOME=directory, OMPI_MCA_mca_base_component_path=f"{directory}:{system}",
                      OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def registered_parameters():
    """Name and default of each."""
    text = output(OMPI_INFO, "--param", "coll", "pipebcast", "--level", "9", "--parsable")
    found = re.findall(rf"^mca:coll:pipebcast:param:{PREFIX}(\w+):value:(.*)$", text, re.MULTILINE)
    return dict((name, value.strip('"') or "none") for name, value in found)


def levels_of_help():
    """The levels that the help of `verbose` and its item in the manual name."""
    text = output(OMPI_INFO, "--param", "coll", "pipebcast", "--level", "9", "--parsable")
    help_text = re.search(rf"^mca:coll:pipebcast:param:{PREFIX}verbose:help:(.*)$", text,
                          re.MULTILINE).group(1)
    item = re.search(r"^\.It Cm verbose .*?\n(.*?)^\.It ", MANUAL, re.MULTILINE | re.DOTALL).group(1)
    return [{int(level) for level in re.findall(r"(\d+):", part)} for part in (help_text, item)]


def levels_of_sources():
    """The levels at which the component logs something."""
    return {int(level) for path in sorted((TOP / "ompi_coll_pipebcast").rglob("*.c"))
            for level in re.findall(r"coll_pipebcast_log\(\s*(\d+)", path.read_text())}


def registered_counters():
    """The names, without what each algorithm has of its own."""
    text = output(os.environ["COUNTERS"])
    names = re.findall(rf"^{PREFIX}(\w+)$", text, re.MULTILINE)
    algorithms = {re.sub("^broadcasts_", "", name) for name in names
                  if name.startswith("broadcasts_")}
    return algorithms, {name for name in names if not name.startswith("broadcasts_") and
                        re.sub("^bytes_", "", name) not in algorithms}


def section(title):
    """The lines of a section of the manual."""
    return re.search(rf"^\.Sh {title}\n(.*?)^\.Sh ", MANUAL, re.MULTILINE | re.DOTALL).group(1)


def manual_parameters():
    return dict(re.findall(r"^\.It Cm (\w+) Pq \w+, default (\S+)$", section("PARAMETERS"),
                           re.MULTILINE))


def manual_items(text):
    """The words of all items that are names of a list."""
    return {name for item in re.findall(r"^\.It Li (.*)$", text, re.MULTILINE)
            for name in re.findall(r"\w+", item) if name not in ("Ns", "Ar", "Li")}


def readme_parameters():
    table = README[README.index("| parameter `coll_pipebcast_` |"):].split("\n\n")[0]
    return {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`",
                                                                         row.split("|")[1])}


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        use_plugin(directory)
        parameters = registered_parameters()
        algorithms, counters = registered_counters()
        helped, in_item = levels_of_help()
    shown = manual_parameters()
    tap.ok(len(parameters) > 10 and len(counters) > 10, "the plugin has parameters and counters")
    for name in sorted(set(parameters) | set(shown)):
        tap.eq(shown.get(name), parameters.get(name), f"parameter {name}: default in pipebcast(7)")
    levels = levels_of_sources()
    tap.eq(sorted(helped - {0}), sorted(levels), "the levels that the help of verbose names")
    tap.eq(sorted(in_item - {0}), sorted(levels), "the levels of verbose in pipebcast(7)")
    tap.eq(sorted(readme_parameters()), sorted(parameters), "the parameters of README.md")
    tap.eq(sorted(manual_items(section("PARAMETERS")) - {"auto"}), sorted(algorithms - NO_TREES),
           "the algorithms of pipebcast(7)")
    in_manual = manual_items(section("COUNTERS")) - {"broadcasts_", "bytes_", "ALGORITHM"}
    tap.eq(sorted(in_manual), sorted(counters), "the counters of pipebcast(7)")
    return tap.done()


sys.exit(main())
