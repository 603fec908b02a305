#!/usr/bin/env python3
"""TAP: the pictures of doc/how.md are what doc/pictures/make-pictures draws of the trees as they are now.

$srcdir is the directory of this file; abs_top_builddir is set by `make check`.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from commands import tools
from documents import TOP
from tap import Tap

PICTURES = ["host.svg", "pipeline.svg"]


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, "-B", TOP / "doc" / "pictures" / "make-pictures",
                        tools()["pipebcast-topo"], directory], check=True, timeout=60)
        for name in PICTURES:
            made = (pathlib.Path(directory) / name).read_text()
            if not tap.ok(made == (TOP / "doc" / name).read_text(), f"doc/{name} is up to date"):
                tap.note("draw it again: make -C doc pictures")
    cells = re.findall(r'rx="3" fill="#\w+"/><text [^>]*>(\d+)</text>',
                       (TOP / "doc" / "pipeline.svg").read_text())
    tap.eq(sorted(map(int, cells)), sorted(7 * list(range(16))),
           "each of the seven other hosts receives each segment once")
    return tap.done()


sys.exit(main())
