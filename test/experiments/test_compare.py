#!/usr/bin/env python3
"""TAP: the bars that pipebcast-compare prints and draws, and the rate that it finds, of made-up times."""

import pathlib
import sys
import xml.etree.ElementTree
from types import SimpleNamespace

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "contrib" / "experiments"), str(TOP / "test")]
sys.dont_write_bytecode = sys.pycache_prefix is None

# pylint: disable=wrong-import-position
from benchlib.pictures import MOST, UNIT, Bar, Panel, bars_svg
from benchlib.pace import Pace, RATES, chain_us, find_rate, message_us, sizes_in_time
from benchlib.report import bars_text
from benchlib.units import UserError
from pipebcast_sizes import show_rate
from tap import Tap

RATIOS = {"tuned": 20.0, "pipebcast": 1.2, "failed": None}
EXPECTED = """\
256K, in times T(M)

T(M)      ### 1.00
pipebcast #### 1.20
tuned     ############################################################ 20.00
"""


def test_picture(tap):
    picture = bars_svg("a < b", [Panel("one", [Bar("pipebcast", 1.2, True), Bar("tuned", 20, False)])])
    root = xml.etree.ElementTree.fromstring(picture)
    bars = [float(each.get("width")) for each in root.iter("{http://www.w3.org/2000/svg}rect")
            if not each.get("width").endswith("%")]
    tap.eq(bars, [1.2 * UNIT, MOST * UNIT], "a bar is as long as its ratio; a long one is cut")
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    tap.ok({"a < b", "one", "pipebcast", "1.20", "tuned", "20"} <= set(texts), "names and numbers are there")


def test_rates(tap):
    tap.eq([show_rate(bits) for bits in (2000000, 10**10, 1500, 7)], ["2mbit", "10gbit", "1.5kbit", "7bit"], "rates as people write them")


def found(paces):
    """The rate that is found where each rate has its pace, or the error's text; and what was tried."""
    tried, said = [], []

    def measure(_, rate):
        tried.append(rate)
        return paces[rate]

    try:
        return find_rate(None, measure, said.append), tried, said
    except UserError as error:
        return str(error), tried, said


def test_rate(tap):
    good, late, lost = Pace(1.02, 1.1), Pace(1.02, 1.2), Pace(1.2, 1.1)
    rate, tried, said = found(dict(zip(RATES, (late, lost, good, good))))
    tap.eq((rate, tried), (RATES[2], list(RATES[:3])), "the first rate at which a message and a chain keep up")
    tap.ok("too fast for this computer" in said[0] and "too fast" not in said[2], "each trial says whether it fits")
    tap.ok("busy" in found(dict.fromkeys(RATES, late))[0], "no rate fits: an error that says what to do")
    tap.eq([sizes_in_time([65536, 262144], rate) for rate in ("10mbit", "5mbit", "100kbit")],
           [[65536, 262144], [65536], [65536]], "sizes that take too long go, but for the smallest")
    tap.eq(round(message_us("10mbit", 1448)), 1230, "a message of one full frame")
    tap.eq(round(chain_us("10mbit", 3, 2 * 1426) / 1230.4, 2), 5.0, "a chain: frames after the first, and hops")


def main():
    tap = Tap()
    test_picture(tap)
    test_rate(tap)
    test_rates(tap)
    matrix = SimpleNamespace(sizes=[65536, 262144],
                             methods=[SimpleNamespace(name=name) for name in RATIOS],
                             median=lambda method, size, _: RATIOS[method.name] if size > 65536 else 1)
    tap.eq(bars_text(matrix), EXPECTED, "bars of the greatest size, by length, without what failed")
    return tap.done()


sys.exit(main())
