#!/usr/bin/env python3
"""TAP: every block of commands in README.md and doc/*.md has a rule by which it is tested, and all
that blocks and spans of code name is there: programs, options, parameters, values, targets, files.

documents.py has the rules; test_run.sh runs what can run. $srcdir is the directory of this file;
OMPI_INFO, PLUGIN and abs_top_builddir are set by `make check`.
"""

import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(__file__))).resolve()
sys.path[:0] = [str(HERE), str(HERE.parent)]

# pylint: disable=wrong-import-position
from commands import Fault, check_names, check_span, check_text
from documents import TOP, blocks, command_pages, spans
from plugin import use_plugin
from tap import Tap

RULE = re.compile(r"run|hosts|run makes [\w.]+|output|file [\w./-]+|check, \w.*")


def fault_of(function, text):
    """What is wrong with a text, or None."""
    try:
        function(text)
    except (Fault, ValueError) as fault:
        return str(fault)
    return None


def is_script(block):
    """Whether the block holds commands, and not a file of another kind or what a command prints."""
    return not re.match(r"output$|file (?!\S+\.sh$)", block.rule)


def check_page(tap, page):
    name = page.relative_to(TOP)
    for block in blocks(page):
        place = f"{name}:{block.line}"
        if not block.rule or not RULE.fullmatch(block.rule):
            tap.ok(False, f"{place}: a rule by which the block is tested")
            tap.note(f"found {block.rule!r}; documents.py has the rules")
            continue
        tap.eq(fault_of(check_text if is_script(block) else check_names, block.text), None,
               f"{place}: {block.rule}")
    faults = [f"{name}:{line}: `{span}`: {fault}" for line, span in spans(page)
              for fault in [fault_of(check_span, span)] if fault]
    tap.eq(faults, [], f"{name}: what is named in the text is there")


def check_finding(tap, directory):
    """Blocks of both kinds are found, with and without a rule."""
    page = pathlib.Path(directory) / "page.md"
    page.write_text("text\n\n    indented\n\n<!-- test: run -->\n```sh\nfenced\n```\n"
                    "- item:\n\n  ```\n  inside\n  ```\n")
    tap.eq([(block.line, block.rule, block.text) for block in blocks(page)],
           [(3, None, "indented\n\n"), (6, "run", "fenced\n"), (11, None, "inside\n")],
           "blocks of commands are found")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        use_plugin(directory)
        check_finding(tap, directory)
        for page in command_pages():
            check_page(tap, page)
        # What would be found:
        for wrong in ("pipebcast-topo chekc cluster.conf", "pipebcast-topo show --colour f",
                      "pipebcast chekc cluster.conf", "pipebcast show --colour f",
                      "mpirun --mca coll_pipebcast_algorithm twotrees ./app",
                      "mpirun --mca coll_pipebcast_fan_out 3 ./app", "make chekc", "frobnicate",
                      "mpirun --hostfile h pipebcast-tune --modle f", "apt-get install gc",
                      "export OMPI_MCA_coll_pipebcast_toplogy=f", "./contrib/check.sh --quik",
                      "srun --mpj=pmix ./app"):
            tap.ok(fault_of(check_text, wrong) is not None, f"refused: {wrong}")
    return tap.done()


sys.exit(main())
