"""Sizes as people write them, for all programs in Python; those in C have common_read_size()."""

import re

SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}
MOST = (1 << 63) - 1


def read_size(text, least):
    """Bytes of 1400, 64K, 1M or 2g, powers of 1024; None: it is no size, or not from `least` on."""
    match = re.fullmatch(r"([0-9]+)([kKmMgG]?)", text, re.ASCII)
    size = int(match[1]) << SHIFTS[match[2].lower()] if match else -1
    return size if least <= size <= MOST else None
