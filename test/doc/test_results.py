#!/usr/bin/env python3
"""TAP: doc/results.md is made of its samples, and a sample that cannot be traced is refused.

$srcdir is the directory of this file.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__)))).resolve()
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap

COLUMNS = "experiment,network,speed,dilation,method,segment,bytes,run,broadcast,nanoseconds,commit,machine,date\n"


def make(directory, page):
    """Runs make-page of a copy, whose commits are those of this repository."""
    return subprocess.run([sys.executable, "-B", page, "--check", directory], check=False, capture_output=True, text=True,
                          timeout=60)


def refusal(lines):
    """The message of make-page for a file of samples, made in doc/ so that commits are found."""
    with tempfile.TemporaryDirectory(dir=TOP / "doc") as directory:
        copy = pathlib.Path(directory)
        shutil.copy(TOP / "doc" / "results" / "make-page", copy)
        (copy / "results.md.in").write_text("{{peers}}\n")
        (copy / "one.csv").write_text(COLUMNS + lines)
        answer = make(directory, copy / "make-page")
        return answer.stderr if answer.returncode else ""


def main():
    tap = Tap()
    if subprocess.run(["git", "-C", TOP, "rev-parse", "HEAD"], check=False, capture_output=True).returncode != 0:
        tap.skip("results", "commits are known in a clone only")
        return tap.done()
    if not os.access(TOP / "doc", os.W_OK):
        tap.skip("results", "the source directory cannot be written")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        answer = make(directory, TOP / "doc" / "results" / "make-page")
        tap.eq(answer.stderr, "", "make-page makes the page")
        made = pathlib.Path(directory, "results.md")
        tap.ok(made.exists() and made.read_text() == (TOP / "doc" / "results.md").read_text(), "doc/results.md is up to date")
    head = subprocess.run(["git", "-C", TOP, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    good = "peers,(5),10gbit,1000,{},0,1024,1,1,5,{},m,2026-11-25\n"
    tap.eq(refusal(good.format("T", head) + good.format("x", head)), "", "samples of this history are taken")
    tap.ok("ancestor" in refusal(good.format("T", "0" * 40)), "a commit that is not in the history is refused")
    tap.ok("one.csv:2" in refusal(good.format("T", "")), "a sample without a commit is refused, with its line")
    return tap.done()


sys.exit(main())
