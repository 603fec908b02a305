#!/usr/bin/env python3
"""TAP: the parameters and counters of the plugin are those of pipebcast(7), and doc/parameters.md is made of them.

What is registered is asked of ompi_info and pipebcast-counters. $srcdir is the directory of this
file; `make check` sets what names the programs and the plugin.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from commands import mca, tools
from documents import TOP
from plugin import OMPI_INFO, output, use_plugin
from tap import Tap

PREFIX = "coll_pipebcast_"
MANUAL = (TOP / "doc" / "pipebcast.7").read_text()


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
    text = output(tools()["pipebcast-counters"])
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


def manual_values(parameter):
    """The values of a parameter that the manual has a list of."""
    item = re.search(rf"^\.It Cm {parameter} .*?^\.El$", section("PARAMETERS"),
                     re.MULTILINE | re.DOTALL).group()
    return manual_items(item)


def manual_counters():
    """The counters of the manual, and what is counted beside the trees."""
    text = section("COUNTERS")
    ways = re.search(r"^\.Bl -tag -width arrival_nb$.*?^\.El$", text, re.MULTILINE | re.DOTALL).group()
    names = manual_items(text.replace(ways, "")) - {"broadcasts_", "bytes_", "ALGORITHM"}
    return names, manual_items(ways)


def check_values(tap, parameter):
    """A parameter with a list of values has those of the manual."""
    tap.eq(sorted(manual_values(parameter)), sorted(mca()[PREFIX + parameter]), f"the values of {parameter} in pipebcast(7)")


def check_list(tap):
    """doc/parameters.md is what ompi_info has now; each series words its table in its own way."""
    if " v4.1." not in output(OMPI_INFO, "--version"):
        tap.skip("doc/parameters.md", "it is made with Open MPI 4.1")
        return
    table = output(OMPI_INFO, "--param", "coll", "pipebcast", "--level", "9", "--parsable")
    made = subprocess.run([sys.executable, "-B", TOP / "doc" / "make-parameters"], check=True,
                          input=table, capture_output=True, text=True, timeout=60).stdout
    if not tap.ok(made == (TOP / "doc" / "parameters.md").read_text(),
                  "doc/parameters.md is made of what ompi_info prints"):
        tap.note("make it again: make -C doc parameters")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        use_plugin(directory)
        parameters = registered_parameters()
        algorithms, counters = registered_counters()
        helped, in_item = levels_of_help()
        check_list(tap)
        check_values(tap, "algorithm")
        check_values(tap, "arrival")
    shown = manual_parameters()
    tap.ok(len(parameters) > 10 and len(counters) > 10, "the plugin has parameters and counters")
    for name in sorted(set(parameters) | set(shown)):
        tap.eq(shown.get(name), parameters.get(name), f"parameter {name}: default in pipebcast(7)")
    levels = levels_of_sources()
    tap.eq(sorted(helped - {0}), sorted(levels), "the levels that the help of verbose names")
    tap.eq(sorted(in_item - {0}), sorted(levels), "the levels of verbose in pipebcast(7)")
    in_manual, ways = manual_counters()
    tap.eq(sorted((manual_values("algorithm") - {"auto"}) | ways), sorted(algorithms),
           "the algorithms of pipebcast(7)")
    tap.eq(sorted(in_manual), sorted(counters), "the counters of pipebcast(7)")
    return tap.done()


sys.exit(main())
