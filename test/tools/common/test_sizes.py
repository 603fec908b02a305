#!/usr/bin/env python3
"""TAP: programs in C and in Python read the same sizes from the same texts, and refuse the same ones.

TOPO and TESTBED name the programs; `make check` sets them.
"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path[:0] = [str(HERE.parents[1]), str(TOP / "contrib" / "experiments")]
sys.dont_write_bytecode = sys.pycache_prefix is None

# pylint: disable=wrong-import-position
from benchlib.units import UserError, parse_bytes
from tap import Tap

KEPT = {"1": 1, "1400": 1400, "007": 7, "1k": 1024, "64K": 65536, "3m": 3 << 20, "1M": 1 << 20, "1g": 1 << 30,
        "1G": 1 << 30}  # fmt: skip
REFUSED = ["", "0", "0K", "K", "64KB", "64kb", "1b", "1.5M", "-1", "+1", " 1", "1 ", "1 K", "1KK", "1T", "0x10", "1e3",
           "\u0661", "9223372036854775808", "9007199254740992K"]  # fmt: skip


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)


def by_tool(text):
    """As a program in C reads it; None: it refuses."""
    answer = run(os.environ["TOPO"], "explain", str(TOP / "contrib/testbed/topology1.conf"), f"--sizes={text}",
                 "--algorithm", "chain", "--speed", "1000")  # fmt: skip
    found = re.search(r"(\d+) bytes", answer.stdout)
    return int(found[1]) if answer.returncode == 0 and found else None


def by_library(text):
    try:
        return parse_bytes(text)
    except UserError:
        return None


def is_refused_by_testbed(text):
    """Before it looks for anything that it needs."""
    answer = run(os.environ["TESTBED"], "up", "--topology", "nowhere", f"--host-queue={text}")
    return "is no size" in answer.stderr


def main():
    tap = Tap()
    texts = [*KEPT, *REFUSED]
    wanted = {text: KEPT.get(text) for text in texts}
    tap.eq({text: by_tool(text) for text in texts}, wanted, "a program in C")
    tap.eq({text: by_library(text) for text in texts}, wanted, "experiments")
    tap.eq([text for text in texts if is_refused_by_testbed(text)], [text for text in REFUSED if text not in ("0", "0K")],
           "the testbed, for which nothing is a size, too")  # fmt: skip
    return tap.done()


sys.exit(main())
