#!/usr/bin/env python3
"""TAP: links of the documents lead somewhere, in the source and installed; README.md is short.

$srcdir is the directory of this file; abs_top_builddir and MAKE are set by `make check`.
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
from documents import TOP, all_pages, anchors, links
from tap import Tap

README_BYTES = 5120


def fault_of(page, target):
    """Why a link leads nowhere, or None. What is in the web is not looked at."""
    if re.match(r"[a-z]+:", target):
        return None
    name, _, anchor = target.partition("#")
    path = (page.parent / name) if name else page
    if not path.exists():
        return "there is no such file"
    if anchor and anchor not in anchors(path):
        return "there is no such heading"
    return None


def check_pages(tap, pages, top, where):
    for page in pages:
        faults = [f"{page.name}:{line}: {target}: {fault}" for line, target in links(page)
                  for fault in [fault_of(page, target)] if fault]
        tap.eq(faults, [], f"{where}: the links of {page.relative_to(top)}")


def install(destdir):
    """Installs the documents below a directory, and returns theirs."""
    build = os.environ["abs_top_builddir"]
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    for directory, target in ((build, "install-data-am"), (f"{build}/doc", "install-data")):
        subprocess.run([os.environ.get("MAKE", "make"), "-s", "-C", directory, target,
                        f"DESTDIR={destdir}"], check=True, env=environment, timeout=120,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return next(pathlib.Path(destdir).rglob("README.md")).parent


def main():
    tap = Tap()
    check_pages(tap, all_pages(), TOP, "source")
    tap.ok((TOP / "README.md").stat().st_size <= README_BYTES,
           f"README.md has at most {README_BYTES} bytes")
    tap.eq(fault_of(TOP / "README.md", "doc/nothing.md"), "there is no such file", "a wrong link")
    tap.eq(fault_of(TOP / "README.md", "#nothing"), "there is no such heading", "a wrong heading")
    if "abs_top_builddir" not in os.environ:
        tap.skip("installed documents", "not called by make check")
        return tap.done()
    with tempfile.TemporaryDirectory() as directory:
        docdir = install(directory)
        installed = sorted(docdir.rglob("*.md"))
        tap.ok(len(installed) > 5, "pages are installed")
        check_pages(tap, installed, docdir, "installed")
    return tap.done()


sys.exit(main())
