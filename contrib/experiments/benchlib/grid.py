"""A grid of sites and clusters for paper 4: its network, what loads it, and when it broadcasts."""

import random
from collections import namedtuple

from .units import bytes_text

SITES = {"sdsc": ("c1", "c2"), "anl": ("c3", "c4"), "ncsa": ("c5", "c6"), "psc": ("c7", "c8")}
ROOT_CLUSTER = "c2"
LOADED_CLUSTER = "c3"

# Milliseconds, one way, from each site to where all meet, and from a cluster to its site.
SITE_LATENCY = {"sdsc": 2, "anl": 4, "ncsa": 3, "psc": 5}
CLUSTER_LATENCY = 0.2

# Speeds in units of a cluster's link to its site. So wide are links near the root that the
# multilevel tree, whose root sends to all other sites and clusters of its own, fills none.
HOST_SPEED, ROOT_SITE_SPEED, SITE_SPEED = 8, 4, 4

# One way, from a host to its switch; and what a host takes to begin a message.
HOST_LATENCY_NS, STARTUP_NS = 5000, 20000
# Bits a second of speed 1.
LINK_RATE = 8e6

# Of a link, what a broadcast's payload can have; for the times of a schedule.
PAYLOAD_SHARE = 0.9

Load = namedtuple("Load", "begin end sender receiver share")
Broadcast = namedtuple("Broadcast", "at size")


def site_of(cluster):
    return next(site for site, clusters in SITES.items() if cluster in clusters)


class Grid:
    """The network: so many hosts in each cluster, h00, h01, ..., by clusters."""

    def __init__(self, per_cluster):
        self.per_cluster = per_cluster
        self.clusters = [cluster for clusters in SITES.values() for cluster in clusters]
        self.n_hosts = per_cluster * len(self.clusters)
        self.root = self.clusters.index(ROOT_CLUSTER) * per_cluster

    def host(self, rank):
        return f"h{rank:02d}"

    def topology(self):
        """In the form of Slurm's topology.conf."""
        out = []
        for number, cluster in enumerate(self.clusters):
            first = number * self.per_cluster
            out.append(f"SwitchName={cluster} Nodes=h[{first:02d}-{first + self.per_cluster - 1:02d}]"
                       f" LinkSpeed={HOST_SPEED}")
        for site, clusters in SITES.items():
            speed = ROOT_SITE_SPEED if ROOT_CLUSTER in clusters else 1
            out.append(f"SwitchName={site} Switches={','.join(clusters)} LinkSpeed={speed}")
        out.append(f"SwitchName=wan Switches={','.join(SITES)} LinkSpeed={SITE_SPEED}")
        return "\n".join(out) + "\n"

    def way(self, sender, receiver):
        """The directed links between two clusters."""
        if sender == receiver:
            return []
        a, b = site_of(sender), site_of(receiver)
        return [(sender, a), *([] if a == b else [(a, "wan"), ("wan", b)]), (b, receiver)]

    def links(self, loads=()):
        """
        {(from, to): (speed that is left, latency in ns)} of directed links. loads: (from, to, share), clusters between
        hosts of which a load takes this share of the slowest link on its way; the first host of each.
        """
        links = {}
        for number in range(self.n_hosts):
            for ends in self._both(self.host(number), self.clusters[number // self.per_cluster]):
                links[ends] = HOST_SPEED, HOST_LATENCY_NS
        for site, clusters in SITES.items():
            for ends in self._both(site, "wan"):
                links[ends] = SITE_SPEED, SITE_LATENCY[site] * 1e6
            for ends in (ends for cluster in clusters for ends in self._both(cluster, site)):
                links[ends] = ROOT_SITE_SPEED if ROOT_CLUSTER in clusters else 1, CLUSTER_LATENCY * 1e6
        for sender, receiver, share in loads:
            way = self.way(sender, receiver)
            taken = share * min(links[ends][0] for ends in way)
            for ends in [(self._first(sender), sender), *way, (receiver, self._first(receiver))]:
                links[ends] = links[ends][0] - taken, links[ends][1]
        return links

    @staticmethod
    def _both(one, other):
        return (one, other), (other, one)

    def _first(self, cluster):
        return self.host(self.clusters.index(cluster) * self.per_cluster)

    def links_text(self, links):
        """links() as pipebcast-probe would write them."""
        def measured(way):
            return (f"latency {sum(links[ends][1] for ends in way) + 2 * HOST_LATENCY_NS:.0f} "
                    f"bandwidth {min([HOST_SPEED, *(links[ends][0] for ends in way)]) * LINK_RATE / 8 * PAYLOAD_SHARE:.0f}")

        items = [f"site {site}" for site in SITES]
        items += [f"cluster {cluster} site {site_of(cluster)} {measured([])}" for cluster in self.clusters]
        items += [f"node {self.host(n)} cluster {self.clusters[n // self.per_cluster]} startup {STARTUP_NS}" for n in range(self.n_hosts)]
        items += [f"link {a} {b} {measured(self.way(a, b))}" for a in self.clusters for b in self.clusters if a != b]
        return "\n".join(["pipebcast-links 1", *items, f"end {len(items)}"]) + "\n"

    def settings(self):
        """A script of the testbed with all latencies."""
        out = [f"set {site}-wan latency={ms}ms" for site, ms in SITE_LATENCY.items()]
        out += [f"set {cluster}-{site_of(cluster)} latency={CLUSTER_LATENCY}ms"
                for cluster in self.clusters]
        return "\n".join(out) + "\n"


def make_schedule(n, largest, rate, first_gap, last_gap):
    """
    n broadcasts, from `largest` bytes down in equal steps; gaps that shrink exponentially come
    after what each takes on free links of `rate`.
    """
    out, at = [], 0.0
    shrinking = (last_gap / first_gap) ** (1 / max(n - 2, 1))
    for i in range(n):
        size = largest * (n - i) // n
        out.append(Broadcast(round(at, 3), size))
        at += size * 8 / (rate * PAYLOAD_SHARE) + first_gap * shrinking ** i
    return out


def schedule_text(schedule):
    return "".join(f"{b.at:.3f} {b.size}  # {bytes_text(b.size)}\n" for b in schedule)


def make_loads(seed, until, duration, pause, share=(0.5, 0.9)):
    """
    Loads of the links to and from one cluster: where, how much, how long and after which pause is
    random, uniformly, as in the paper; at least one each way, so that runs can be compared.
    """
    draw = random.Random(seed)
    site, out = site_of(LOADED_CLUSTER), []
    at = draw.uniform(*pause)
    while at < until:
        ends = (LOADED_CLUSTER, site)
        outward = draw.random() < 0.5 if len(out) != 1 else out[0].sender == site
        end = at + draw.uniform(*duration)
        out.append(Load(round(at, 2), round(end, 2), *(ends if outward else ends[::-1]),
                        round(draw.uniform(*share), 2)))
        at = end + draw.uniform(*pause)
    return out


def loads_script(loads, rate):
    """For the testbed; rate: bits a second of the links."""
    return "".join(f"at {load.begin:.2f}s load {load.sender} {load.receiver} "
                   f"{load.share * rate / 1e3:.0f}kbit {load.end - load.begin:.2f}s\n"
                   for load in loads)


def phase_at(loads, when):
    """The number of the phase: 2i is before load i, 2i + 1 is during it."""
    for i, load in enumerate(loads):
        if when < load.begin:
            return 2 * i
        if when < load.end:
            return 2 * i + 1
    return 2 * len(loads)
