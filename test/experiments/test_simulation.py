#!/usr/bin/env python3
"""TAP: the simulation of hosts, beside times that are worked out by hand."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../contrib/experiments"), os.path.join(HERE, "..")]

# pylint: disable=wrong-import-position
from benchlib.simulation import FRAME, SEGMENT_HEADER, Broadcast, Network
from tap import Tap

SEND, READ, WAKE, LATENCY = 3000, 2000, 500, 1000
HOST = {"send_call": SEND, "send_byte": 0, "receive_call": READ, "receive_byte": 0, "wake": WAKE, "interrupt": 0}
NODES = [{"name": "s0", "parent": None}, *({"name": name, "parent": "s0", "speed": 1} for name in "abc"),
         {"name": "s1", "parent": "s0", "speed": 4}, {"name": "d", "parent": "s1", "speed": 1}]
SEGMENT = FRAME - SEGMENT_HEADER  # one frame


def network():
    return Network(NODES, 1e9, LATENCY)


def took(streams, size, segment, **costs):
    return Broadcast(network(), streams, "a", {**HOST, **costs}).time(size, segment)


def main():
    tap = Tap()
    wire = network().wire_time(("a", True), FRAME)
    tap.eq(round(wire), 12304, "a full frame at 1 Gbit/s, with what comes before and behind it")
    tap.eq(network().path("b", "d"), [("b", True), ("s1", False), ("d", False)], "a path by way of a trunk")
    across = 2 * (wire + LATENCY)
    hop = SEND + across + WAKE + READ
    tap.eq(took([[("a", "b")]], SEGMENT, SEGMENT), hop, "one frame between two hosts of a switch")
    tap.eq(took([[("a", "d")]], SEGMENT, SEGMENT), hop + wire / 4 + LATENCY, "a trunk passes it four times as fast")
    tap.eq(took([[("a", "b"), ("b", "c")]], SEGMENT, SEGMENT), 2 * hop, "a host sends on what it has read")
    tap.eq(took([[("a", "b"), ("a", "c")]], SEGMENT, SEGMENT), hop + wire, "a second child waits for the link, while the root works")
    tap.eq(took([[("a", "b")]], SEGMENT, SEGMENT, send_byte=10, receive_byte=1), hop + FRAME, "bytes leave while they are copied")
    tap.eq(took([[("a", "b")]], 2 * SEGMENT, SEGMENT), hop + wire, "a second segment is read when it has come")
    tap.eq(took([[("a", "b")]], 2 * SEGMENT, SEGMENT, interrupt=50000), hop + 50000, "a host takes it at the next interrupt")
    tap.eq(took([[("a", "b"), ("b", "c")], [("a", "c"), ("c", "b")]], 2 * SEGMENT, SEGMENT),
           2 * hop + wire, "two streams")
    try:
        reached = took([[("b", "c")], [("a", "b")]], SEGMENT, SEGMENT)
    except ValueError:
        reached = None
    tap.eq(reached, None, "streams that do not reach a rank")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
