#!/usr/bin/env python3
"""TAP: every message of the sources is in doc/troubleshooting.md, and none that is not in them.

$srcdir is the directory of this file. A message in the page is the code at the start of a list's item.
"""

import os
import pathlib
import re
import sys

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
TOP = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from source_messages import messages, pattern
from tap import Tap

PAGE = TOP / "doc" / "troubleshooting.md"

# What speaks to people, but for the options of tools, which the usage explains.
SOURCES = [
    "contrib/tools/advisor/advisor.c",
    "contrib/tools/advisor/knowledge.c",
    "contrib/tools/advisor/status.c",
    "contrib/tools/bench/arrival_trace.c",
    "contrib/tools/common/file.c",
    "contrib/tools/common/hosts.c",
    "contrib/tools/common/topology.c",
    "contrib/tools/doctor/judge_*.c",
    "contrib/tools/doctor/pipebcast-doctor.c",
    "contrib/tools/probe/pipebcast-probe.c",
    "contrib/tools/topo/import/*.c",
    "contrib/tools/tune/cluster.c",
    "contrib/tools/tune/discovery.c",
    "contrib/tools/tune/flows.c",
    "contrib/tools/tune/install.c",
    "contrib/tools/tune/pipebcast-tune.c",
    "contrib/tools/tune/recorded.c",
    "contrib/tools/tune/table.c",
    "contrib/tools/tune/verification.c",
    "ompi_coll_pipebcast/**/*.c",
    "topo/**/*_file.c",
    "topo/advice/generation.c",
    "topo/advice/history.c",
    "topo/discover/record.c",
    "topo/model/kept_store.c",
    "topo/network/**/*.c",
    "topo/util/yaml_tree.c",
]


def in_sources():
    """All messages, each with a place where it stands."""
    found = {}
    for name in SOURCES:
        paths = sorted(TOP.glob(name))
        assert paths, name
        for path in paths:
            for line, message in messages(path):
                found.setdefault(message, f"{path.relative_to(TOP)}:{line}")
    return found


def in_page():
    """All messages of the page: (line, message)."""
    lines = PAGE.read_text().splitlines()
    section = next(i for i, line in enumerate(lines) if line == "## It prints a message")
    for i, line in enumerate(lines[section:], section + 1):
        match = re.match(r"- `(.*)`$", line)
        if match:
            yield i, match.group(1)


def main():
    tap = Tap()
    shown = list(in_page())
    said = {message: (pattern(message), place) for message, place in in_sources().items()}
    tap.ok(len(said) > 50 and len(shown) > 50, "there are messages on both sides")
    for message, (wanted, place) in said.items():
        if not tap.ok(any(wanted.fullmatch(text) for _, text in shown), f"{place}: {message}"):
            tap.note(f"add an item to {PAGE.name}, words in the place of values: - `{message}`")
    for line, text in shown:
        if not tap.ok(any(wanted.fullmatch(text) for wanted, _ in said.values()),
                      f"{PAGE.name}:{line}: {text}"):
            tap.note("no source says so (any more): correct it or take it out")
    return tap.done()


sys.exit(main())
