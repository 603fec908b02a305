"""Formulas (1) and (2) of paper 2, as printed: the time of a pipelined broadcast of L(m) and g(m)."""

from .topo import planned_streams


def tree_of(topo, topology_file, kind, hosts):
    """Children of each host in a plan from the first host, in the order in which it sends to them."""
    children = {}
    for sender, receiver in planned_streams(topo, topology_file, kind, hosts)[0]:
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
