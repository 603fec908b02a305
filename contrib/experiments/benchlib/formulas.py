"""Formulas (1) and (2) of paper 2, as printed: the time of a pipelined broadcast of L(m) and g(m)."""

import json
import subprocess

from .programs import TOPO, need_program
from .units import UserError


def tree_of(options, place, kind):
    """Children of each host in a plan from the first host, in the order in which it sends to them."""
    command = [need_program(options.topo, TOPO, "--topo"), "tree", place.topology_file, "--root",
               place.hosts[0], "--hosts", ",".join(place.hosts), "--algorithm", kind, "--format", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    try:
        edges = json.loads(done.stdout)["streams"][0]["edges"]
    except (ValueError, KeyError, IndexError):
        raise UserError(f"pipebcast-topo tree --algorithm {kind} failed: {done.stderr.strip()}") from None
    children = {}
    for sender, receiver in edges:
        children.setdefault(sender, []).append(receiver)
    return children


def first_segment(children, root, latency, gap):
    """
    When the last host has the first segment: a hop to the first child takes L + g, to the second one
    L + 2 g (section 4.2). Down a chain that is (P - 1) (L + g), down a binary tree A L + B g.
    """
    last, reached = 0, [(root, 0)]
    while reached:
        host, when = reached.pop()
        last = max(last, when)
        reached += [(child, when + latency + number * gap)
                    for number, child in enumerate(children.get(host, []), 1)]
    return last


def printed_time(children, root, latency, gap, n_segments):
    """Formula (1) if each host has one child, formula (2) if some have two; in the unit of L and g."""
    degree = max(map(len, children.values()), default=1)
    return first_segment(children, root, latency, gap) + degree * (n_segments - 1) * gap


def costs_at(rows, size):
    """
    (L, g) in ns at a message size, of the rows of a model file by size: measured ones, or on the line
    between the two next to it, or of the nearest.
    """
    if size in rows:
        return rows[size].latency, rows[size].gap
    below, above = [s for s in rows if s < size], [s for s in rows if s > size]
    if not below or not above:
        row = rows[max(below) if below else min(above)]
        return row.latency, row.gap
    first, last = rows[max(below)], rows[min(above)]
    share = (size - first.bytes) / (last.bytes - first.bytes)
    return (first.latency + share * (last.latency - first.latency),
            first.gap + share * (last.gap - first.gap))
