"""Quantities as people write them, and the error that people can correct."""

from pipebcast_sizes import RATES, read_quantity, read_size


class UserError(Exception):
    """Something that the user can correct; its text describes how."""


def parse_bytes(text):
    size = read_size(text, 1)
    if size is None:
        raise UserError(f"'{text}' is no size; write 1400, 64K or 1M")
    return size


def parse_sizes(text):
    """64K,256K or ranges of doublings, 1K:4M; ascending, each once."""
    sizes = set()
    for item in text.split(","):
        first, _, last = item.partition(":")
        size, end = parse_bytes(first), parse_bytes(last or first)
        if end < size:
            raise UserError(f"--sizes: '{item}' ends before it begins")
        while size <= end:
            sizes.add(size)
            size *= 2
    return sorted(sizes)


def parse_rate(text):
    """Bits a second of 10mbit, as the testbed takes them."""
    rate = read_quantity(text, RATES)
    if not rate:
        raise UserError(f"--rate: '{text}' is no rate; write for example 10mbit")
    return rate


def bytes_text(size):
    for shift, letter in ((30, "G"), (20, "M"), (10, "K")):
        if size % (1 << shift) == 0:
            return f"{size >> shift}{letter}"
    return str(size)


def duration_text(seconds):
    minutes, seconds = divmod(int(seconds + 0.5), 60)
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
