"""
Papers 1 and 2, Figure 5: heights of Algorithm 2's trees on random clusters, which are drawn as the papers draw them, beside those of the complete
binary tree. Computed; a sample is a cluster, and heights stand in the place of nanoseconds.
"""

import random
import statistics

from ..claims import T, Claim
from ..experiment import COMPUTED, MethodView
from ..report import write_text
from ..topo import planned_streams
from .p2_irregular import breadth_first, topology_text

SIZES = [64, 128, 256, 512, 1024]
PER_SWITCH = [16, 8]
SEEDS = 20


def cluster(seed, n_hosts, n_switches):
    """Topology file: links between random switches, unless they make a cycle, and hosts at random switches."""
    draw = random.Random(f"{seed} {n_hosts} {n_switches}")
    part, links = list(range(n_switches)), [[] for _ in range(n_switches)]
    while len(set(part)) > 1:
        a, b = draw.sample(range(n_switches), 2)
        if part[a] != part[b]:
            links[a].append(b)
            links[b].append(a)
            part = [part[a] if of == part[b] else of for of in part]
    return topology_text(breadth_first(0, links.__getitem__), [draw.randrange(n_switches) for _ in range(n_hosts)])


def height(edges):
    parents = {child: parent for parent, child in edges}

    def depth(host):
        return 1 + depth(parents[host]) if host in parents else 0
    return max(map(depth, parents))


def measure(session):
    for per_switch in PER_SWITCH:
        for n in SIZES:
            network = f"{per_switch} a switch"
            hosts = [f"n{host}" for host in range(n)]
            for seed in range(1, SEEDS + 1):
                path = write_text(session.directory, "cluster.conf", cluster(seed, n, n // per_switch))
                edges, = planned_streams(session.topo, path, "binary", hosts)
                session.writer.write(network, "binary", n, height(edges), broadcast=seed, speed=COMPUTED)
            session.writer.write(network, "T", n, n.bit_length() - 1, speed=COMPUTED)


class _HeightView(MethodView):
    is_computed = True

    def value(self, place, name, size):
        values = self.values(place, name, size)
        return statistics.mean(values) if values else None

    def where(self, place, size):
        return f"of {size} hosts, {place}"


class Heights:
    name = "p2-fig5"
    figure = "papers 1 and 2, Figure 5"
    claims = [Claim("the mean height of Algorithm 2's trees is at most twice the complete binary tree's", "binary", T, high=2,
                    why="random links make deep trees of switches (inferred)")]

    @staticmethod
    def view(samples):
        return _HeightView(samples["p2-fig5"], COMPUTED)


FIG5 = Heights()
