#!/usr/bin/env python3
"""TAP: every installed program has a man page, and neither groff nor mandoc warns of any page. Each page for users
has at most its size, and all of them together have 60 KB.

$srcdir is the directory of this file. What is not installed is ignored.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__))))
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap

# Its commands are in pipebcast(1).
COMMANDS_OF_PIPEBCAST = "topo/pipebcast-topo"
FORMATTERS = [
    ("groff", "-mandoc", "-ww", "-Tutf8", "-z"),
    ("mandoc", "-T", "lint", "-W", "warning"),
]
# KB of README.md and of pages in doc/.
SIZES = {"README": 5, "administration": 6, "background": 6, "how": 5, "json": 8, "limits": 5, "parameters": 8, "results": 8,
         "topologies": 10, "troubleshooting": 8, "tuning": 4, "versions": 3}
# KB of all pages that are installed for users. Evidence is for those who check the results.
ALL_KB = 60
OTHERS = ("NEWS", "SECURITY")


def check_sizes(tap):
    """A page without a size is an error: who adds one takes its room from the others."""
    pages = installed("doc_DATA", TOP) + installed("pages_DATA", TOP / "doc")
    evidence = installed("evidence_DATA", TOP / "doc")
    tap.eq(sorted(path.name for path in (TOP / "doc").glob("*.md")),
           sorted(path.name for path in pages + evidence if path.parent.name == "doc"), "all pages are installed")
    sizes = {page.stem: page.stat().st_size for page in pages}
    tap.eq(sorted(name for name in sizes if name not in OTHERS), sorted(SIZES), "pages for users")
    for name, size in sorted(sizes.items()):
        tap.ok(name in OTHERS or size <= SIZES.get(name, 0) << 10, f"{name}: {size} bytes")
    tap.ok(sum(sizes.values()) <= ALL_KB << 10, f"all pages: {sum(sizes.values())} bytes")


def installed(variable, directory):
    """The pages that a directory's Makefile.am installs."""
    return [directory / word for word in words_of(directory / "Makefile.am", f"dist_{variable}") if word.endswith(".md")]


def words_of(makefile, variable):
    """The words of a variable of a Makefile.am."""
    text = makefile.read_text().replace("\\\n", " ")
    return [word for line in re.findall(rf"^{variable} = (.*)$", text, re.MULTILINE)
            for word in line.split()]


def main():
    tap = Tap()
    makefiles = sorted(TOP.glob("*/Makefile.am")) + sorted(TOP.glob("*/*/Makefile.am"))
    pages = [makefile.parent / page for makefile in makefiles
             for page in words_of(makefile, "dist_man_MANS")]
    programs = [program for makefile in makefiles for name in ("bin_PROGRAMS", "pkglibexec_PROGRAMS", "pkglibexec_SCRIPTS")
                for program in words_of(makefile, name) if program != COMMANDS_OF_PIPEBCAST]
    tap.ok(len(programs) > 8, "there are programs")
    tap.ok("pipebcast.7" in [page.name for page in pages], "the component has a page")
    for program in programs:
        tap.ok(f"{os.path.basename(program)}.1" in [page.name for page in pages],
               f"{program} has a page")
    tap.eq([page.name for page in pages if re.search(r">>.*\.openmpi/", page.read_text())], [],
           "no page appends to a file in ~/.openmpi, which may not be there")
    check_sizes(tap)
    for command in FORMATTERS:
        if shutil.which(command[0]) is None:
            tap.skip(f"{command[0]}: no warnings", f"there is no {command[0]}")
            continue
        for page in pages:
            answer = subprocess.run([*command, str(page)], check=False, capture_output=True,
                                    text=True, timeout=120, stdin=subprocess.DEVNULL)
            tap.eq(answer.stdout + answer.stderr, "", f"{command[0]}: no warnings, {page.name}")
    return tap.done()


sys.exit(main())
