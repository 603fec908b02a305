"""What the fabric, or the kernel in its place, has counted."""

import json
import os

from .bridges import read_buckets
from .control import ask
from .inside import inside


# Values that are names of hosts and switches, which may be numbers.
NAMES = ("from", "to", "name")


def number(text):
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def measure_kernel(state, facts):
    """The kernel's counters, less what they were at the last reset."""
    links = inside(facts, lambda: read_buckets(facts))
    try:
        with open(state.file("reset.json"), encoding="utf-8") as file:
            before = json.load(file)
    except OSError:
        before = []
    for link, old in zip(links, before):
        for key in ("frames", "bytes", "drops"):
            link[key] -= old[key]
    return links


def reset_counters(state, facts):
    if facts["kind"] != "kernel":
        ask(state, "reset")
        return
    links = inside(facts, lambda: read_buckets(facts))
    with open(state.file("reset.new"), "w", encoding="utf-8") as file:
        json.dump(links, file)
    os.rename(state.file("reset.new"), state.file("reset.json"))


def measure(state, facts):
    """
    Everything that is counted, as numbers: ({...} of the fabric, [{...}, ...] of its links). The
    fabric has "switches", what these did with group frames, by name.
    """
    if facts["kind"] == "kernel":
        return {}, measure_kernel(state, facts)
    own, links, switches = {}, [], {}
    for kind, values in ask(state, "status"):
        values = {key: value if key in NAMES else number(value) for key, value in values.items()}
        if kind == "fabric":
            own = values
            own["late_classes"] = [int(n) for n in str(own["late_classes"]).split(",")]
        elif kind == "switch":
            switches[values.pop("name")] = values
        else:
            links.append(values)
    return {**own, "switches": switches}, links
