#!/usr/bin/env python3
"""TAP: doc/results.md is made of its samples, and a sample that cannot be traced is refused.

$srcdir is the directory of this file.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__)))).resolve()
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap

COLUMNS = "experiment,network,speed,dilation,method,segment,bytes,run,broadcast,nanoseconds,commit,machine,date\n"


MAKE_PAGE = TOP / "doc" / "results" / "make-page"


def make(output, *more):
    return subprocess.run([sys.executable, "-B", MAKE_PAGE, "--output", output, *more], check=False, capture_output=True,
                          text=True, timeout=60)


def made_of(lines):
    """The error of make-page for a file of samples, and the picture that it made of them, or ""."""
    with tempfile.TemporaryDirectory() as directory:
        samples = pathlib.Path(directory)
        (samples / "results.md.in").write_text("{{peers}}\n")
        (samples / "one.csv").write_text(COLUMNS + lines)
        answer = make(samples, "--samples", samples)
        picture = samples / "bars.svg"
        return answer.stderr if answer.returncode else "", picture.read_text() if picture.exists() else ""


def main():
    tap = Tap()
    if subprocess.run(["git", "-C", TOP, "rev-parse", "HEAD"], check=False, capture_output=True).returncode != 0:
        tap.skip("results", "commits are known in a clone only")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        tap.eq(make(directory).stderr, "", "make-page makes the page")
        for name in ("results.md", "bars.svg"):
            made, kept = pathlib.Path(directory, name), TOP / "doc" / name
            tap.ok(made.exists() == kept.exists() and (not kept.exists() or made.read_text() == kept.read_text()),
                   f"doc/{name} is up to date")
    head = subprocess.run(["git", "-C", TOP, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    good = "peers,(5),10gbit,1000,{},0,1024,1,1,5,{},m,2026-11-25\n"
    error, picture = made_of(good.format("T", head) + good.format("tuned", head) + good.format("pipebcast", head))
    tap.eq(error, "", "samples of this history are taken")
    tap.ok(all(text in picture for text in (">tuned, its choice<", ">pipebcast<", "1 KB")), "bars of each component")
    tap.ok("ancestor" in made_of(good.format("T", "0" * 40))[0], "a commit that is not in the history is refused")
    tap.ok("one.csv:2" in made_of(good.format("T", ""))[0], "a sample without a commit is refused, with its line")
    return tap.done()


sys.exit(main())
