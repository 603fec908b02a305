"""Rates, times, sizes and counts as people write them, and as they are shown."""

import argparse
import re

from pipebcast_sizes import RATES, read_quantity, read_size

TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def quantity(text, units, what, example):
    """A number with one of `units`, as a whole number of the smallest unit."""
    value = read_quantity(text, units)
    if value is None:
        names = ", ".join(u for u in units if u)
        raise argparse.ArgumentTypeError(
            f"'{text}' is no {what}: write a number and a unit ({names}), such as {example}"
        )
    return value


def rate_type(text):
    value = quantity(text, RATES, "rate", "10mbit")
    if not 1000 <= value <= 10**12:
        raise argparse.ArgumentTypeError(f"'{text}': a rate from 1kbit to 1000gbit is wanted")
    return value


def time_type(text):
    return quantity(text, TIMES, "time", "5us")


def bounded_time_type(text, least, most):
    value = time_type(text)
    if not TIMES["s"] * least <= value <= TIMES["s"] * most:
        raise argparse.ArgumentTypeError(f"'{text}': a time from {least:g}s to {most:g}s is wanted")
    return value


def flow_time_type(text):
    return bounded_time_type(text, 0.1, 3600)


def size_type(text):
    size = read_size(text, 0)
    if size is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no size: write for example 1400, 128K or 1M")
    return size


def loss_type(text):
    """Of a million frames."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)%", text)
    if not match or float(match.group(1)) > 100:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no share of the frames: write it from 0% to 100%, such as 1%"
        )
    return round(float(match.group(1)) * 10**4)


def count_type(text):
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
        raise argparse.ArgumentTypeError(f"'{text}': a whole number of at least 1 is wanted")
    return int(text)


def dilation_type(text):
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text):
        raise argparse.ArgumentTypeError(f"'{text}': a whole number from 1 to 99999 is wanted")
    return int(text)


def index_type(text):
    if not re.fullmatch(r"0|[1-9][0-9]{0,17}", text):
        raise argparse.ArgumentTypeError(f"'{text}': a whole number of at least 0 is wanted")
    return int(text)


def mtu_type(text):
    if not re.fullmatch(r"[0-9]{2,4}", text) or not 576 <= int(text) <= 9000:
        raise argparse.ArgumentTypeError(f"'{text}': a whole number from 576 to 9000 is wanted")
    return int(text)


def seconds_type(text):
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) or float(text) <= 0:
        raise argparse.ArgumentTypeError(f"'{text}': a number of seconds above 0 is wanted")
    return float(text)


def name_type(text):
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}", text):
        raise argparse.ArgumentTypeError(
            f"'{text}': a name has letters, digits, '.', '_' and '-', at most 41"
        )
    return text


def show_time(ns):
    for unit in ("s", "ms", "us"):
        if ns >= TIMES[unit]:
            return f"{ns / TIMES[unit]:.3g}{unit}"
    return f"{ns}ns"
