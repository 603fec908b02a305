"""
The greatest rate of emulated links at which this host keeps up: above it a comparison measures the processor.

At each rate a message between two hosts, and a chain of all hosts, are compared with the times that links allow.
"""

import argparse
import collections
import math

from .command import measure_at
from .links import least_us, payload_of_frame, segment_of_frames
from .methods import Method
from .places import Testbed
from .run import run_once
from .units import UserError, parse_rate

RATES = ("10mbit", "5mbit", "2mbit", "1mbit")
MTU = 1500
BYTES = 256 << 10
# The greatest ratios to the times that links allow. Acknowledgements take 3 to 6 % of a link.
MOST_MESSAGE = 1.1
MOST_CHAIN = 1.15
LONGEST_US = 3e5

Pace = collections.namedtuple("Pace", "message chain")


def message_us(rate, size=BYTES):
    """The least time of a message between two hosts."""
    return least_us(size, parse_rate(rate), MTU)


def chain_us(rate, n_hosts, size=BYTES):
    """The least time of a chain with one frame for each segment: a frame goes over two links to the next host."""
    frame = least_us(payload_of_frame(MTU), parse_rate(rate), MTU)
    return (math.ceil(size / segment_of_frames(MTU, 1)) - 1 + 2 * (n_hosts - 1)) * frame


def keeps_up(pace):
    return pace.message <= MOST_MESSAGE and pace.chain <= MOST_CHAIN


def measure_pace(options, rate):
    """Measures on a testbed of its own. Returns the ratios to the times that links allow."""
    options = argparse.Namespace(**{**vars(options), "rate": rate, "iterations": 4, "warmup": 1, "root": "0"})
    place = Testbed(options, options.topology)
    method = Method(f"pipebcast:chain:{segment_of_frames(MTU, 1)}")
    outcomes = []
    if measure_at(place, lambda: outcomes.append(run_once(place, method, [BYTES], options, lambda row: None))):
        raise SystemExit(130)
    outcome, n_hosts = outcomes[0], options.np or len(place.hosts)
    if outcome.failure or not outcome.rows:
        raise UserError(f"--rate auto: no chain at {rate}: {outcome.failure or 'no result'}")
    row = outcome.rows[0]
    return Pace(float(row["pingpong_us"]) / message_us(rate), float(row["sync_median_us"]) / chain_us(rate, n_hosts))


def sizes_in_time(sizes, rate):
    """Returns the smallest size, and those whose messages take at most LONGEST_US."""
    return [size for size in sizes if size == sizes[0] or message_us(rate, size) <= LONGEST_US]


def find_rate(options, measure=measure_pace, say=print):
    """Returns the first of RATES at which the host keeps up. Prints each trial."""
    for rate in RATES:
        pace = measure(options, rate)
        fits = keeps_up(pace)
        say(f"{rate}: a message takes {pace.message:.2f}, a chain of all hosts {pace.chain:.2f} times as long as links "
            f"allow{'' if fits else ': too fast for this computer'}")
        if fits:
            return rate
    raise UserError(f"--rate auto: this computer is too busy or too slow for links of {RATES[-1]}; "
                    "end other work, or name fewer ranks by --np")
