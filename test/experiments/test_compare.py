#!/usr/bin/env python3
"""TAP: the bars that pipebcast-compare prints below its table, of made-up times."""

import pathlib
import sys
from types import SimpleNamespace

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "contrib" / "experiments"), str(TOP / "test")]
sys.dont_write_bytecode = sys.pycache_prefix is None

# pylint: disable=wrong-import-position
from benchlib.report import bars_text
from tap import Tap

RATIOS = {"tuned": 20.0, "pipebcast": 1.2, "failed": None}
EXPECTED = """\
256K, in times T(M)

T(M)      ### 1.00
pipebcast #### 1.20
tuned     ############################################################ 20.00
"""


def main():
    tap = Tap()
    matrix = SimpleNamespace(sizes=[65536, 262144],
                             methods=[SimpleNamespace(name=name) for name in RATIOS],
                             median=lambda method, size, _: RATIOS[method.name] if size > 65536 else 1)
    tap.eq(bars_text(matrix), EXPECTED, "bars of the greatest size, by length, without what failed")
    return tap.done()


sys.exit(main())
