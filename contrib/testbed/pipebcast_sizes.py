"""Sizes, rates and names as people write them, for all programs in Python; those in C have common_read_size()."""

import re

SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30}
MOST = (1 << 63) - 1
RATES = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}


def read_size(text, least):
    """Bytes of 1400, 64K, 1M or 2g, powers of 1024; None: it is no size, or not from `least` on."""
    match = re.fullmatch(r"([0-9]+)([kKmMgG]?)", text, re.ASCII)
    size = int(match[1]) << SHIFTS[match[2].lower()] if match else -1
    return size if least <= size <= MOST else None


def read_quantity(text, units):
    """A number with one of `units`, as a whole number of the smallest unit; None: it is none."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)", text.strip().lower())
    return round(float(match[1]) * units[match[2]]) if match and match[2] in units else None


def show_rate(bits):
    for unit in ("gbit", "mbit", "kbit"):
        if bits >= RATES[unit]:
            return f"{bits / RATES[unit]:g}{unit}"
    return f"{bits}bit"


def in_natural_order(names):
    """n2 before n10, as schedulers number the hosts of a job."""
    return sorted(names, key=lambda name: [
        int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)
    ])  # fmt: skip
