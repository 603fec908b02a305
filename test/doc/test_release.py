#!/usr/bin/env python3
"""TAP: what a release states of itself agrees: versions, home pages, and versions of files.

$srcdir is the directory of this file; abs_top_builddir is set by `make check`.
"""

import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from commands import help_of, output, tools
from documents import TOP
from tap import Tap

# Where the newest version stands next to configure.ac.
VERSIONS = {
    "NEWS.md": r"^## (\S+)",
    "CITATION.cff": r"^version: (\S+)$",
    "contrib/package/debian/changelog": r"^pipebcast \((\S+)-[^-]+\)",
    "contrib/package/pipebcast.spec.in": r"^\* .* - (\S+)-\d+$",
    "contrib/package/spack/package.py": r"^    version\(\"(\S+?)\"",
    "contrib/package/easybuild/pipebcast.eb.in": r"^version = '(\S+)'$",
}
# Where the home page stands next to it; in a file for configure it is a word between '@'.
HOME_PAGES = {
    "CITATION.cff": r"^url: \"(\S+)\"$",
    "contrib/package/debian/control": r"^Homepage: (\S+)$",
    "contrib/package/debian/copyright": r"^Source: (\S+)$",
    "contrib/package/spack/package.py": r"^    homepage = \"(\S+)\"$",
}
WORDS = {"@PACKAGE_VERSION@": "version", "@PACKAGE_URL@": "url"}
# A file of another version than is read, and the command that reads it.
TOPOLOGY = "SwitchName=s0 Nodes=n[0-3]\n"
REFUSED = {
    "cluster.conf": (2, 1, "#pipebcast Version=2\n" + TOPOLOGY, ["check", "cluster.conf"]),
    "cluster.model": (1, 2, "pipebcast-model 1\n",
                      ["explain", "flat.conf", "--sizes", "1M", "--speed", "1000", "--model", "cluster.model"]),
}


def configured():
    """The version and the home page of configure.ac."""
    text = (TOP / "configure.ac").read_text()
    numbers = [re.search(rf"m4_define\(\[pb_{part}\], \[(\d+)\]\)", text).group(1)
               for part in ("major", "minor", "release")]
    return {"version": ".".join(numbers), "url": re.search(r"^PACKAGE_URL=(\S+)$", text, re.MULTILINE).group(1)}


def stated(name, expression):
    found = re.search(expression, (TOP / name).read_text(), re.MULTILINE)
    return found and found.group(1)


def check_stated(tap, files, key, wanted):
    for name, expression in files.items():
        found = stated(name, expression)
        tap.eq(wanted[key] if WORDS.get(found) == key else found, wanted[key], f"{name}: {key}")


def check_tools(tap, wanted):
    for name, path in sorted(tools().items()):
        tap.eq(output(path, "--version").split()[:2], [name, wanted["version"]], f"{name} --version")


def check_refused(tap):
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        pathlib.Path("flat.conf").write_text(TOPOLOGY)
        for name, (other, ours, text, command) in REFUSED.items():
            pathlib.Path(name).write_text(text)
            printed = output(tools()["pipebcast-topo"], *command)
            tap.ok(re.search(rf"{name}(:1)?: .*version '?{other}'?,? but this program reads version {ours}",
                             printed), f"{name}: another version is refused with both numbers")
        os.chdir("/")


def main():
    tap = Tap()
    wanted = configured()
    check_stated(tap, VERSIONS, "version", wanted)
    check_stated(tap, HOME_PAGES, "url", wanted)
    check_tools(tap, wanted)
    check_refused(tap)
    return tap.done()


sys.exit(main())
