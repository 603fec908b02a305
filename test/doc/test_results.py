#!/usr/bin/env python3
"""TAP: doc/results.md and its tables are made of samples, and a sample that cannot be traced is refused.

$srcdir is the directory of this file.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__)))).resolve()
TOP = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from documents import all_pages
from tap import Tap

COLUMNS = "experiment,network,speed,dilation,method,segment,bytes,run,broadcast,nanoseconds,commit,machine,date\n"
# As git shortens them: a word of digits and some letters.
COMMIT = re.compile(r"\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])(?:[0-9a-f]{7,12}|[0-9a-f]{40})\b")
# Of the page that people read.
PAGE_BYTES = 8 * 1024

MAKE_PAGE = TOP / "doc" / "results" / "make-page"


def make(output, *more):
    return subprocess.run([sys.executable, "-B", MAKE_PAGE, "--output", output, *more], check=False, capture_output=True,
                          text=True, timeout=60)


def made_of(lines):
    """The error of make-page for a file of samples, and the picture and the claims that it made of them, or ""."""
    with tempfile.TemporaryDirectory() as directory:
        samples = pathlib.Path(directory)
        (samples / "results").mkdir()
        (samples / "results.md.in").write_text("{{peers}}\n" if "peers," in lines else "")
        for page in ("tables.md.in", "claims.md.in"):
            (samples / page).write_text("")
        (samples / "one.csv").write_text(COLUMNS + lines)
        answer = make(samples, "--samples", samples)
        picture, claims = samples / "bars.svg", samples / "results" / "claims.csv"
        return (answer.stderr if answer.returncode else "", picture.read_text() if picture.exists() else "",
                claims.read_text() if claims.exists() else "")


def main():
    tap = Tap()
    shallow = subprocess.run(["git", "-C", TOP, "rev-parse", "--is-shallow-repository"], check=False, capture_output=True, text=True).stdout
    if not (TOP / ".git").exists() or shallow != "false\n":
        tap.skip("results", "commits are known in a whole clone only")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory, "results").mkdir()
        tap.eq(make(directory).stderr, "", "make-page makes the page")
        for name in ("results.md", "tables.md", "claims.md", "bars.svg", "trees.svg", "first.svg", "segments.svg", "arrival.svg",
                     "results/claims.csv"):
            made, kept = pathlib.Path(directory, name), TOP / "doc" / name
            tap.ok(made.exists() == kept.exists() and (not kept.exists() or made.read_text() == kept.read_text()),
                   f"doc/{name} is up to date")
    page = (TOP / "doc" / "results.md").read_text()
    tap.ok(len(page.encode()) <= PAGE_BYTES, "the page is short")
    said = re.search(r"^At 10 Gbit/s, .*(?=\.$)", page, re.MULTILINE)
    tap.ok(said and said[0] in " ".join((TOP / "README.md").read_text().split()), "README.md has the page's numbers")
    named = {word for page in all_pages() for word in COMMIT.findall(page.read_text(encoding="utf-8"))}
    tap.eq([word for word in sorted(named) if subprocess.run(["git", "-C", TOP, "cat-file", "-e", f"{word}^{{commit}}"], check=False,
                                                             capture_output=True).returncode != 0], [], "pages name commits that are there")
    tap.ok(named, "there are some")
    head = subprocess.run(["git", "-C", TOP, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    good = "peers,(5),10gbit,1000,{},0,1024,1,1,5,{},m,2026-11-25\n"
    # The claim that no other component is faster is known not to hold.
    error, picture, _ = made_of(good.format("T", head) + good.replace(",5,", ",4,").format("tuned", head) + good.format("pipebcast", head))
    tap.eq(error, "", "samples of this history are taken")
    tap.ok(all(text in picture for text in (">tuned, its choice<", ">pipebcast<", "1 KB")), "bars of each component")
    tap.ok("ancestor" in made_of(good.format("T", "0" * 40))[0], "a commit that is not in the history is refused")
    tap.ok("one.csv:2" in made_of(good.format("T", ""))[0], "a sample without a commit is refused, with its line")
    tree = "trees,(1),2mbit,1,pipebcast:{},1426,65536,1,1,{},{},m,2026-11-26\n"
    error, _, claims = made_of(tree.format("binary", 10, head) + tree.format("kary", 15, head))
    row = "the 3-ary tree is always slower than the binary tree,\"3-ary / binary, Algorithm 2\",1,,1.50 at 64K on (1),1.50-1.50,1,HOLDS,"
    tap.ok(error == "" and row in claims, "a claim has what was measured, and its verdict")
    tap.ok("NOT MEASURED" in claims, "or that it was not measured")
    error = made_of(tree.format("binary", 10, head) + tree.format("kary", 9, head))[0]
    tap.ok("says why" in error and "3-ary" in error, "a claim that does not hold says why")
    return tap.done()


sys.exit(main())
