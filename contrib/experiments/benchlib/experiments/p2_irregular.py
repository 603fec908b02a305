"""
Paper 2, section 6: networks that are no tree. A spanning tree is found first, then the techniques for trees are
applied to it. Computed by the simulator of pipebcast-topo, in which each link passes a segment at a time.
"""

import random

from ..claims import T, Claim
from ..experiment import COMPUTED, MethodView
from ..report import write_text
from ..topo import ask

N_SWITCHES, N_HOSTS, N_MORE_LINKS = 8, 32, 8
SEGMENTS = [64, 512]
SEGMENT, SEGMENT_NS = 1024, 1000
KINDS = ["chain", "binary", "twotree"]
SEEDS = 10


class IrregularNetwork:
    """Switches with more links than a tree has, and hosts at them; the same seed gives the same everywhere."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.seed = seed
        self.links = {(draw.randrange(switch), switch) for switch in range(1, N_SWITCHES)}
        while len(self.links) < N_SWITCHES - 1 + N_MORE_LINKS:
            self.links.add(tuple(sorted(draw.sample(range(N_SWITCHES), 2))))
        self.at = [draw.randrange(N_SWITCHES) for _ in range(N_HOSTS)]

    def neighbours(self, switch):
        return sorted({a + b - switch for a, b in self.links if switch in (a, b)})

    def root(self):
        """The switch from which the farthest one is nearest."""
        return min(range(N_SWITCHES), key=lambda switch: max(self.distances(switch).values()))

    def distances(self, root):
        above = self.breadth_first(root)

        def hops(switch):
            return 0 if switch == root else 1 + hops(above[switch])
        return {switch: hops(switch) for switch in range(N_SWITCHES)}

    # Spanning trees: {switch: the one above it}.

    def breadth_first(self, root):
        """Shortest ways to the root, as the spanning tree protocol of Ethernet leaves them."""
        return breadth_first(root, self.neighbours)

    def depth_first(self, root):
        above = {root: None}

        def visit(switch):
            for other in self.neighbours(switch):
                if other not in above:
                    above[other] = switch
                    visit(other)
        visit(root)
        return above

    def at_random(self, root):
        """Links in random order, each that makes no cycle (as the paper draws its random clusters)."""
        above, part = {root: None}, set(self.links)
        draw = random.Random(self.seed)
        while len(above) < N_SWITCHES:
            a, b = draw.choice(sorted(link for link in part if (link[0] in above) != (link[1] in above)))
            inner, outer = (a, b) if a in above else (b, a)
            above[outer] = inner
        return above


SPANNING = {"breadth first": IrregularNetwork.breadth_first,
            "depth first": IrregularNetwork.depth_first, "at random": IrregularNetwork.at_random}


def breadth_first(root, neighbours):
    """{switch: the one above it}; neighbours: of a switch."""
    above, queue = {root: None}, [root]
    for switch in queue:
        for other in neighbours(switch):
            if other not in above:
                above[other] = switch
                queue.append(other)
    return above


def topology_text(above, at):
    """Slurm's topology.conf of {switch: the one above it} and the switch of each host, but for the switches below which there is none."""
    above, out = without_empty_leaves(above, at), []
    for switch in sorted(above):
        hosts = ",".join(f"n{host}" for host, of in enumerate(at) if of == switch)
        below = ",".join(f"s{other}" for other, up in above.items() if up == switch)
        out.append(f"SwitchName=s{switch}" + (f" Nodes={hosts}" if hosts else "")
                   + (f" Switches={below}" if below else ""))
    return "\n".join(out) + "\n"


def without_empty_leaves(above, at):
    """A switch below which there is no host is left out, as no broadcast goes there."""
    above = dict(above)
    while True:
        empty = [s for s, up in above.items() if up is not None and s not in at
                 and s not in above.values()]
        if not empty:
            return above
        for switch in empty:
            del above[switch]


def measure(session):
    """Times of the simulator: a link passes a segment, of SEGMENT bytes, in SEGMENT_NS."""
    for seed in range(1, SEEDS + 1):
        network = IrregularNetwork(seed)
        root = network.root()
        for how, span in SPANNING.items():
            path = write_text(session.directory, "network.conf", topology_text(span(network, root), network.at))
            for kind, segments, took in simulate(session.topo, path):
                session.writer.write(f"network {seed}", f"{how}, {kind}", segments * SEGMENT, took * SEGMENT_NS, segment=SEGMENT,
                                     speed=COMPUTED)
        for segments in SEGMENTS:
            # T(M) is that of two hosts on one switch: two links, one segment behind the other.
            session.writer.write(f"network {seed}", "T", segments * SEGMENT, (segments + 1) * SEGMENT_NS, speed=COMPUTED)


def simulate(topo, path):
    """(kind, segments, times of a segment on a link) of each."""
    runs = ask(topo, "simulate", path, "--json", "--algorithm", ",".join(KINDS), "--segment-counts", ",".join(map(str, SEGMENTS)))["runs"]
    return [(run["algorithm"], run["segments"], run["time"]) for run in runs]


class _SpanningView(MethodView):
    """A place is a network and how its spanning tree was found."""

    is_computed = True

    def points(self):
        return [(f"{network}, {how}", size) for network, size in super().points() for how in SPANNING]

    def values(self, place, name, size):
        network, how = place.split(", ")
        return super().values(network, name if name == T else f"{how}, {name}", size)


class Irregular:
    """Random networks, three spanning trees of each."""

    name = "p2-irregular"
    figure = "paper 2, section 6"
    claims = [
        Claim("broadcast is near-optimal with a linear tree on any spanning tree (we say: 512 segments within 1.2 T(M))", "chain", T, high=1.2,
              sizes=(512 * SEGMENT, None)),
        Claim("with two trees, too (we say: within 1.1 T(M))", "twotree", T, high=1.1, sizes=(512 * SEGMENT, None), said="ours")]

    @staticmethod
    def view(samples):
        return _SpanningView(samples["p2-irregular"], COMPUTED)


IRREGULAR = Irregular()
