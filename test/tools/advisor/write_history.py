"""Writes files of a program, as the plugin does: write_history.py DIR HOSTS-OF-RATES [COMMUNICATORS], names separated by commas.

The program is on n0 to n5, and has just broadcast 1 MB from n0 twice. The rates of n4 are those of a loaded way. They are in a file
of the same name and group whatever their hosts are. With a number of communicators, two ranks of n0 have been root of each, and
there are no rates.
"""

import pathlib
import struct
import sys
import time

BROADCASTS, RATES, GROUP, MASK = 1, 2, 77, (1 << 64) - 1
SECOND = 10**9


def after(state, data):
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 & MASK
    return state


def ended(state):
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 1):
        state = (state ^ state >> 33) * factor & MASK
    return state


def number(n):
    return struct.pack("<Q", n)


def hash_of(*data):
    return number(ended(after(0xCBF29CE484222325, b"".join(data))))


def history(kind, hosts, records, group=GROUP):
    names = b"".join(name.encode() + b"\0" for name in hosts)
    head = b"pbhist 1" + struct.pack("<IIIIQ", kind, len(hosts), len(names), len(records), group)
    slots = [struct.pack("<QQIIQQQ", i + 1, *record) for i, record in enumerate(records)]
    return head + hash_of(head, names) + names + bytes(-len(names) % 8) + b"".join(slot + hash_of(slot) for slot in slots)


def main():
    directory, hosts, others = pathlib.Path(sys.argv[1]), [f"n{i}" for i in range(6)], sys.argv[2].split(",")
    begun = time.time_ns() - 4 * SECOND
    own = hash_of(number(len(hosts)), *(number(len(name)) + name.encode() for name in hosts))[::-1].hex()
    broadcasts = [(i, 0, 0, 1 << 20, begun + 2 * SECOND * i, SECOND) for i in (0, 1)]
    rates = [(i, 0, to, 1 << 20, begun + 2 * SECOND * i, SECOND * (20 if to == 4 else 1)) for i in (0, 1) for to in (2, 4)]
    if len(sys.argv) > 3:
        for i in range(2 * int(sys.argv[3])):
            (directory / f"history-{own}-{i}").write_bytes(history(BROADCASTS, hosts, [broadcasts[1 - i % 2]], i // 2))
        return
    for kind, prefix, names, records in ((BROADCASTS, "history", hosts, broadcasts), (RATES, "rates", others, rates)):
        (directory / f"{prefix}-{own}-x").write_bytes(history(kind, names, records))


if __name__ == "__main__":
    main()
