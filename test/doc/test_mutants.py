#!/usr/bin/env python3
"""TAP: the table of mutants fits the sources: what each breaks is there once, and so is its test.

$srcdir is the directory of this file. test/mutants/run tries them.
"""

import csv
import os
import pathlib
import re
import sys

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__)))).resolve()
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap


def wrong_with(row):
    """What does not fit, or None."""
    text = (TOP / row["file"]).read_text(encoding="utf-8")
    directory, name = os.path.split(row["test"])
    if text.count(row["old"]) != 1:
        return f"the text is {text.count(row['old'])} times in {row['file']}"
    if row["old"] == row["new"]:
        return "nothing is broken"
    if not re.search(rf"\b{re.escape(name)}\b", (TOP / directory / "Makefile.am").read_text(encoding="utf-8")):
        return f"{row['test']} is not in {directory}/Makefile.am"
    if not (TOP / row["where"]).exists():
        return f"{row['where']} is not there"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", row["seen"]):
        return "its test was not seen to fail"
    return None


def main():
    tap = Tap()
    with open(HERE.parent / "mutants" / "mutants.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tap.ok(len({row["name"] for row in rows}) == len(rows) > 30, f"{len(rows)} mutants, each with a name")
    for row in rows:
        tap.eq(wrong_with(row), None, f"{row['name']}: {row['test']}")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
