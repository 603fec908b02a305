#!/usr/bin/env python3
"""TAP: doc/parameters.md is made of what the plugin registers, and its algorithms are those of pipebcast(7).

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


def levels_of_help():
    """The levels that the help of `verbose` names."""
    text = output(OMPI_INFO, "--param", "coll", "pipebcast", "--level", "9", "--parsable")
    help_text = re.search(rf"^mca:coll:pipebcast:param:{PREFIX}verbose:help:(.*)$", text,
                          re.MULTILINE).group(1)
    return {int(level) for level in re.findall(r"(\d+):", help_text)}


def levels_of_sources():
    """The levels at which the component logs something."""
    return {int(level) for path in sorted((TOP / "ompi_coll_pipebcast").rglob("*.c"))
            for level in re.findall(r"coll_pipebcast_log\(\s*(\d+)", path.read_text())}


def algorithms_of_counters():
    """The trees, and the other ways, that have a counter of their broadcasts."""
    return set(re.findall(rf"^{PREFIX}broadcasts_(\w+)$", output(tools()["pipebcast-counters"]), re.MULTILINE))


def algorithms_of_manual():
    text = re.search(r"^\.Bl -tag -width rank_binary\n(.*?)^\.El$", MANUAL, re.MULTILINE | re.DOTALL).group(1)
    return {name for item in re.findall(r"^\.It Li (.*)$", text, re.MULTILINE) for name in re.findall(r"\w+", item)}


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
        check_list(tap)
        helped, counted = levels_of_help(), algorithms_of_counters()
        first = re.findall(rf":param:{PREFIX}(\w+):value:", output(OMPI_INFO, "--param", "coll", "pipebcast", "--parsable"))
        values = set(mca()[PREFIX + "algorithm"])
    tap.eq(sorted(first), ["algorithm", "multicast", "segment_size", "topology_file", "verbose"],
           "ompi_info without a level prints what users set")
    named = algorithms_of_manual()
    tap.eq(sorted(helped - {0}), sorted(levels_of_sources()), "the levels that the help of verbose names")
    tap.eq(sorted(named), sorted(values), "the algorithms of pipebcast(7)")
    tap.eq(sorted(named - {"auto"} - counted), [], "each has a counter")
    return tap.done()


sys.exit(main())
