#!/usr/bin/env python3
"""TAP: doc/constants.md names every constant of the rooms that decide something, and none that is not there.

$srcdir is the directory of this file.
"""

import os
import pathlib
import re
import sys

HERE = pathlib.Path(os.environ.get("srcdir", os.path.dirname(os.path.abspath(__file__)))).resolve()
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position
from tap import Tap

ROOMS = ["topo/model", "topo/trees", "topo/search", "topo/discover", "ompi_coll_pipebcast/engine",
         "ompi_coll_pipebcast/operation", "ompi_coll_pipebcast/communicator", "ompi_coll_pipebcast/pml",
         "contrib/tools/advisor", "contrib/tools/probe", "contrib/tools/tune"]

# Names of constants that decide nothing which could be fitted, by what they are.
OTHERS = {
    "a bound on memory, work or input": r"(\w+_)?(MAX|MOST|FEWEST)_\w+|\w*_MAX|MAX\w*|MANY|LONGEST|PB_ORDERS|N_USED|"
    r"PB_LEARNER_(KEPT|CLASSES|ENTRIES|OCTAVES|SPEEDS|LEAST_SPEED)|PB_GAUGE_READINGS|PB_PART_REPAIRS|PB_MULTICAST_RESULTS|"
    r"CALLS_PER_LOOK|MOVES_PER_LOOK|PB_KEPT_STORE_WAIT|LOCK_PAUSE|LEAVE_SECONDS|STAND_IN_SEGMENT|GRO_BYTES|PB_WATCH_BOUND|"
    r"PB_WATCH_LONG|PB_LINK_LONGEST|PB_TT_WEIGHTS|PB_SLOT_\w+|PB_PLAN_\w+|MIN_SEGMENT|SMALLEST_ROW|N_SLOTS|\w*_TAGS",
    "a format, a protocol or another's": r"\w*FORM|FLAG_\w+|\w*VERSION|PROTOCOL|\w*_HEADER\w*|\w*_BYTES|\w*_SIZE|HEAD|SLOT|"
    r"HASHED_\w+|FIXED|EDGE|START|\w+_BITS?|FIRST_GROUP|FIRST_PORT|N_PORTS|GROUP_TAG|SERIES_TAG|TAG_OF_PIECES|UDP_\w+|STREAM|\w*_STREAM|DEFAULT_\w+|"
    r"SHORTEST_FRAME|PB_MODEL_ASSUMED_OVERHEAD|PB_MODEL_MIDDLE_BYTES",
    "a unit, a sign or a count": r"N_SHARED_VALUES|UNIT|ONE|EQUAL|SECOND|MS|MEGA|MILLION|MEBIBYTE|NEVER|NONE|ROUNDED_TIME|\w+_NEVER|UNKNOWN|HOT|\w+_UNIT|PB_KIND_FALLBACK|"
    r"PB_CHOOSE_(ALL|OWN)|\w*N_(LINKS|ROUNDS|PATH_MEASURES|DUTY_MEASURES|POOL_PERCENTS)|\w+_ENTRY|\w+_OUTSIDE|SHORT_MESSAGE|PB_MESSAGE_BUSY|"
    r"PROBE_TRAIN_CARS|REPORT_EVERY|PB_FOLD_DIFFERENT",
}
# Of those that match a pattern above, the ones that decide something nevertheless.
DECIDING = {"MOST_TIMES_ASSUMED", "PACE_BYTES", "CROWD_BYTES", "MOST_PATIENCE", "MOST_FAILURES", "MAX_ATTEMPTS", "EVEN_BYTES",
            "FEWEST_HOSTS", "MOST_UNSTEADY", "MOST_REPEATS", "MOST_PAYLOAD", "MOST_LEAD", "PB_LEARNER_MOST_NOTES",
            "PB_WATCH_MAX_WEIGHT", "PB_WATCH_FEWEST", "PB_WATCH_FEWEST_LAG", "PB_ANNEAL_MAX_LEVELS", "LONGEST_SEGMENT",
            "PB_WORD_MAX_REPAIR"}


def defined(rooms=ROOMS):
    """The names of numbers that the rooms' files define, with the files of each."""
    found = {}
    for room in rooms:
        for path in sorted((TOP / room).rglob("*.[ch]")):
            text = path.read_text(encoding="utf-8").replace("\\\n", " ")
            for name, value in re.findall(r"^#define ([A-Z][A-Z0-9_]+) +(.+)$", text, re.MULTILINE):
                if re.search(r"[0-9]", value) and not re.match(r"(__attribute__|_Static|\(\(int\) \(sizeof)", value):
                    found.setdefault(name, []).append(str(path.relative_to(TOP)))
    return found


def has_value(path, name, value):
    """Whether a file defines a name as this number."""
    pattern = rf"^#define {name} +\(?(?:[A-Z0-9_]+\()?{re.escape(value)}\b"
    return re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def is_other(name):
    return name not in DECIDING and any(re.fullmatch(pattern, name) for pattern in OTHERS.values())


def main():
    tap = Tap()
    page = (TOP / "doc" / "constants.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", page))
    found = defined()
    tap.ok(len(found) > 200, f"{len(found)} constants are defined")
    missing = [f"{name} of {files[0]}" for name, files in found.items() if name not in named and not is_other(name)]
    tap.eq(missing, [], "each one that decides something is on the page")
    tap.eq(sorted(name for name in named if name not in found), [], "the page names none that is not there")
    tap.eq(sorted(name for name in named if name in found and is_other(name)), [],
           "none of the page is counted as one that decides nothing")
    values = re.findall(r"`([A-Z][A-Z0-9_]+)` ([0-9.]+)(?=[,| ](?! ?(?:KB|ms|s|Mbit|Gbit)))", page)
    wrong = [f"{name} {value}" for name, value in values if name in found
             and not any(has_value(TOP / file, name, value) for file in found[name])]
    tap.eq(wrong, [], "and their values are those of the code")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
