"""What may be changed while a network is up, links, switches and loads, as words of the user and of the fabric."""

import argparse

from .failure import Failure
from .quantities import index_type, loss_type, rate_type, size_type, time_type


class Nodes:
    """The names of a network, and what a script may call a link or a path."""

    def __init__(self, nodes):
        self.parents = {name: parent for _, name, parent, _ in nodes}
        self.host_names = {name for kind, name, _, _ in nodes if kind == "host"}

    def check_switch(self, name):
        if name not in self.parents or name in self.host_names:
            raise Failure(f"'{name}' is no switch of this network: 'status' shows their names")

    def neighbours(self, one, other):
        return self.parents[one] == other or self.parents[other] == one

    def ends(self, words):
        """
        The [(from, to), ...] that the first words name, and the words after them: "A B" is the way
        from A to B alone, "A-B" both ways. Names may have a '-' too.
        """
        if not words:
            raise Failure("a link is wanted: A-B for both ways, A B for one")
        if words[0] in self.parents:
            if len(words) < 2 or words[1] not in self.parents:
                raise Failure(f"'{words[0]}' is one end: which host or switch is the other?")
            pairs, rest = [(words[0], words[1])], words[2:]
        else:
            parts = words[0].split("-")
            splits = [("-".join(parts[:i]), "-".join(parts[i:])) for i in range(1, len(parts))]
            found = [pair for pair in splits if all(end in self.parents for end in pair)]
            if len(found) != 1:
                how = "more than one link" if found else "no host, switch or link of this network"
                raise Failure(f"'{words[0]}' is {how}: 'status' shows their names")
            pairs, rest = [found[0], found[0][::-1]], words[1:]
        if pairs[0][0] == pairs[0][1]:
            raise Failure(f"both ends are '{pairs[0][0]}'")
        return pairs, rest


def take(kind, text):
    """A quantity by its type's reader, with the message of a Failure."""
    try:
        return kind(text)
    except argparse.ArgumentTypeError as error:
        raise Failure(str(error)) from None


def take_keys(words, kinds):
    """Words of the form key=value, as {key: number}."""
    values = {}
    for word in words:
        key, equals, text = word.partition("=")
        if not equals or key not in kinds:
            raise Failure(f"'{word}': what is wanted is " + ", ".join(f"{k}=..." for k in kinds))
        if key in values:
            raise Failure(f"{key}= is given twice")
        values[key] = take(kinds[key], text)
    return values


def read_set(nodes, words):
    """What follows 'set': ([(from, to), ...], {"rate": ..., "latency": ..., "queue": ..., "loss": ...,
    "member": ...})."""
    pairs, rest = nodes.ends(words)
    if not nodes.neighbours(*pairs[0]):
        raise Failure(f"no link joins {pairs[0][0]} and {pairs[0][1]}")
    kinds = {"rate": rate_type, "latency": time_type, "queue": size_type, "loss": loss_type}
    values = take_keys(rest, {**kinds, "member": index_type})
    if not set(values) & set(kinds):
        raise Failure("set what? Give " + ", ".join(f"{kind}=" for kind in kinds))
    return pairs, values


def switch_type(text):
    if text not in ("on", "off"):
        raise argparse.ArgumentTypeError(f"'{text}': on or off is wanted")
    return int(text == "on")


def names_switch(nodes, words):
    """Whether what follows 'set' is of a switch and not of a link."""
    return len(words) > 1 and words[0] in nodes.parents and words[1].startswith("multicast=")


def read_set_switch(nodes, words):
    """What follows 'set', for a switch: (name, {"multicast": ...})."""
    nodes.check_switch(words[0])
    return words[0], take_keys(words[1:], {"multicast": switch_type})


def fabric_set_switch(switch, values):
    return f"switch {switch} {values['multicast']}"


def fabric_set(pairs, values):
    numbers = [values.get(key, unchanged) for key, unchanged in
               (("member", -1), ("rate", 0), ("latency", -1), ("queue", -1), ("loss", -1))]  # fmt: skip
    return [" ".join(["link", *pair, *map(str, numbers)]) for pair in pairs]


def fabric_load(nodes, words, mtu):
    """The fabric's words for what follows 'load'."""
    pairs, rest = nodes.ends(words)
    if len(rest) < 2:
        raise Failure("a rate and a time are wanted, such as 5mbit 3s")
    rate, duration = take(rate_type, rest[0]), take(time_type, rest[1])
    length = take_keys(rest[2:], {"frame": size_type}).get("frame", mtu + 14)
    if not 60 <= length <= mtu + 14:
        raise Failure(f"frame={length}: from 60 to {mtu + 14} bytes are a frame here")
    if duration == 0:
        raise Failure("a time above 0 is wanted")
    return [f"load {sender} {receiver} {rate} {duration} {length}" for sender, receiver in pairs]
