#!/usr/bin/env python3
"""TAP: every installed program has a man page, and neither groff nor mandoc warns of any page.

$srcdir is the directory of this file. What is not installed is left out.
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
