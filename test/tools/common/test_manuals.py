#!/usr/bin/env python3
"""TAP: the options of each tool's --help are those of its man page, with the same arguments and defaults.

--help comes from the table by which a tool reads its options. ADVISOR, BENCH, COUNTERS, DOCTOR, FABRIC,
PROBE, TOPO and TUNE name the programs; `make check` sets them.
"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path.insert(0, str(HERE.parents[1]))

# pylint: disable=wrong-import-position
from tap import Tap

# The page of each program, and its commands that have options of their own.
TOOLS = {
    "ADVISOR": ("contrib/tools/advisor/pipebcast-advisor.1", [()]),
    "BENCH": ("contrib/tools/bench/pipebcast-bench.1", [()]),
    "COUNTERS": ("contrib/tools/counters/pipebcast-counters.1", [()]),
    "DOCTOR": ("contrib/tools/doctor/pipebcast-doctor.1", [()]),
    "FABRIC": ("contrib/testbed/pipebcast-fabric.1", [()]),
    "PROBE": ("contrib/tools/probe/pipebcast-probe.1", [()]),
    "TOPO": ("contrib/tools/topo/pipebcast-topo.1",
             [(name,) for name in "check show tree load simulate heights plan-times anneal explain import".split()]),
    "TUNE": ("contrib/tools/tune/pipebcast-tune.1", [()]),
}

# An option in --help: its name, its argument, and its text with what holds without it in brackets at
# the end. The text goes on in lines that are indented more.
HELP_OPTION = re.compile(r"^  --([a-z-]+)(?: (\S+))?(?:  +|\n)(.*(?:\n {8,}.*)*)", re.MULTILINE)
# Likewise in the section OPTIONS of a page.
PAGE_OPTION = re.compile(r"^\.It Fl -([a-z-]+)(.*?)(?: Pq default (.*))?$", re.MULTILINE)
MACROS = {"Ar", "Cm", "Ns"}


def of_help(command):
    """The options of --help: a set of (name, argument, default)."""
    answer = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True,
                            timeout=120, stdin=subprocess.DEVNULL).stdout
    found = set()
    for name, argument, text in HELP_OPTION.findall(answer.split("  --help, --version")[0]):
        default = re.search(r"\[([^]]*)\]$", " ".join(text.split()))
        found.add((name, argument, default.group(1) if default else ""))
    return found


def of_page(text):
    """The options of a man page, likewise; a page without options needs no section of them."""
    section = re.search(r"^\.Sh OPTIONS\n(.*?)^\.Sh ", text, re.MULTILINE | re.DOTALL)
    found = set()
    for name, argument, default in PAGE_OPTION.findall(section.group(1) if section else ""):
        words = [word for word in argument.split() if word not in MACROS]
        found.add((name, "".join(words), default.replace("\\-", "-").replace("\\&", "")))
    return found


def of_synopsis(text):
    """The names of the options that the synopsis has."""
    section = re.search(r"^\.Sh SYNOPSIS\n(.*?)^\.Sh ", text, re.MULTILINE | re.DOTALL).group(1)
    return set(re.findall(r"Fl -([a-z-]+)", section)) - {"help", "version"}


def main():
    tap = Tap()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                      PRTE_ALLOW_RUN_AS_ROOT="1", PRTE_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    n_options = 0
    for variable, (page, commands) in TOOLS.items():
        text = (TOP / page).read_text()
        program = os.environ[variable]
        helped = set().union(*[of_help([program, *command]) for command in commands])
        shown = of_page(text)
        name = os.path.basename(page)
        n_options += len(helped)
        for option in sorted(helped | shown):
            where = "both" if option in helped & shown else "help" if option in helped else "page"
            tap.eq(where, "both", f"{name}: --{' '.join(part for part in option if part)}")
        names = {option[0] for option in helped}
        tap.eq(sorted(of_synopsis(text) - names), [], f"{name}: the synopsis has no other options")
    tap.ok(n_options > 80, "there are options")
    return tap.done()


sys.exit(main())
