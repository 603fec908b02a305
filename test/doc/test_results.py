#!/usr/bin/env python3
"""TAP: doc/results.md is made of its CSV files, and what these lack is found; README.md has the same figures.

$srcdir is the directory of this file.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__)))).resolve()
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap

FACTS = "# commit: 1234567\n# machine: m\n# command: c\n# date: d\n"
GOOD = {"results.md.in": "# Title\n\n{{one}}\n\nText.\n", "one.csv": FACTS + "a,b\n1,\"2, 3\"\n"}
FAULTS = {
    "a fact that is missing": ({"one.csv": FACTS.replace("# date: d\n", "") + "a\n1\n"}, "one.csv:4: "),
    "a fact given twice": ({"one.csv": "# date: e\n" + FACTS + "a\n1\n"}, "one.csv:5: "),
    "a fact without a value": ({"one.csv": FACTS.replace("date: d", "date:") + "a\n1\n"}, "one.csv:4: "),
    "a fact that has another name": ({"one.csv": "# author: x\n" + FACTS + "a\n1\n"}, "one.csv:1: "),
    "a row that is too short": ({"one.csv": FACTS + "a,b\n1,2\n3\n"}, "one.csv:7: "),
    "a cell that would end early": ({"one.csv": FACTS + "a,b\n1,2|3\n"}, "one.csv:6: "),
    "a header alone": ({"one.csv": FACTS + "a,b\n"}, "one.csv:5: "),
    "a file that is not there": ({"results.md.in": "{{one}}\n{{two}}\n"}, "results.md.in:2: "),
    "a file that is used twice": ({"results.md.in": "{{one}}\n{{one}}\n"}, "results.md.in:2: "),
    "a file that is not used": ({"two.csv": FACTS + "a\n1\n"}, "two.csv is used nowhere"),
    "a table without a file": ({"results.md.in": "{{one}}\n| a |\n"}, "results.md.in:2: "),
}


def load():
    """doc/results/make-page as a module."""
    path = str(TOP / "doc" / "results" / "make-page")
    loader = importlib.machinery.SourceFileLoader("make_page", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_page", loader))
    loader.exec_module(module)
    return module


def page_of(module, files):
    """The page of these files, or the message of the fault in them."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            (pathlib.Path(directory) / name).write_text(text, encoding="utf-8")
        try:
            return module.make_page(pathlib.Path(directory))
        except module.Fault as fault:
            return str(fault)


def rows_of(text, heading):
    """The rows of the first table below a heading of Markdown, without its header: lists of cells."""
    lines = text.split(f"\n{heading}\n", 1)[1].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first + 2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def figures_of(row):
    """The figures of a row in the order of its columns; not what they are called, nor with which segments."""
    found = [re.match(r"\**([\d.]+ \([\d.]+\))", cell) for cell in row[1:]]
    return tuple(match.group(1) for match in found if match)


def missing_from(rows, others):
    """The rows whose figures, in this order, no row of another table ends with or has before what is missing."""
    known = [figures_of(row) for row in others]
    return [row for row in rows
            if not any(figures_of(row) in (all_of[start:start + len(figures_of(row))] for start in (0, 1))
                       for all_of in known)]


def main():
    sys.dont_write_bytecode = True
    tap = Tap()
    module = load()
    page = (TOP / "doc" / "results.md").read_text(encoding="utf-8")
    tap.ok(page == module.make_page(), "doc/results.md is what doc/results/make-page makes of the CSV files")
    tap.eq(page_of(module, GOOD), "# Title\n\n| a | b |\n|---|---|\n| 1 | 2, 3 |\n\n"
           "<sub>[one.csv](results/one.csv), commit 1234567, d</sub>\n\nText.\n", "a page")
    doubtful = {**GOOD, "one.csv": GOOD["one.csv"].replace("m\n", "unknown\n", 1)}
    tap.match(page_of(module, doubtful), "; not recorded: machine</sub>", "what is not known is marked")
    ours = rows_of((TOP / "README.md").read_text(encoding="utf-8"), "## Results")
    theirs = rows_of(page, "## Peers at their best")
    tap.eq((len(ours) >= 4, missing_from(ours, theirs)), (True, []), "the figures of README.md are those of the page")
    other = ["x", *reversed(ours[0][1:])]
    tap.eq(missing_from([ours[0], other], theirs), [other], "figures in another order are not")
    for name, (files, message) in FAULTS.items():
        tap.match(page_of(module, {**GOOD, **files}), message.replace(".", r"\."), f"{name} is a fault")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
