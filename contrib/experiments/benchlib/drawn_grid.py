"""
Random grids of sites and clusters for paper 4, with random loads on random links.

They were drawn once, by `draw-grids`, and are kept in benchlib/grids/ as grid-01 to grid-10:

    site NAME speed S latency US        its link to where all sites meet, which is called wan
    cluster NAME site SITE speed S latency US hosts N
                                        its link to the site; hosts of 32, and twice as many of 64
    root CLUSTER N                      the cluster of the root, and which of its hosts that is
    load SITUATION FROM TO PERCENT      what others have of a directed link then

Speeds are in units of the slowest link between switches that a grid may have; links of hosts have
HOST_SPEED. Latencies are one way. Situation 0 has no loads.
"""

import os
import random
from collections import namedtuple

from .units import UserError

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grids")
N_GRIDS, N_SITUATIONS, HOSTS = 10, 3, (32, 64)
TOP, HOST_SPEED = "wan", 8
HOST_LATENCY_US = 5

# Of which values are drawn, uniformly. Loads are those of the paper, in percent.
N_SITES, N_CLUSTERS = (2, 5), (1, 3)
SITE_SPEEDS, CLUSTER_SPEEDS = (1, 2, 4), (1, 2, 4)
SITE_LATENCY_US, CLUSTER_LATENCY_US = (1000, 10000), (100, 500)
LOADS, LOAD_PERCENT = (1, 3), (50, 90)

Switch = namedtuple("Switch", "name above speed latency_us hosts")
Load = namedtuple("Load", "situation sender receiver percent")


class DrawnGrid:
    """One grid: its switches, its root, and its loads."""

    def __init__(self, sites, clusters, root, loads):
        self.sites = sites
        self.clusters = clusters
        self.root = root  # (cluster, host of it)
        self.loads = loads

    # ---- as a file ----

    def text(self):
        lines = [f"site {s.name} speed {s.speed} latency {s.latency_us}" for s in self.sites]
        lines += [f"cluster {c.name} site {c.above} speed {c.speed} latency {c.latency_us} "
                  f"hosts {c.hosts}" for c in self.clusters]
        lines.append(f"root {self.root[0]} {self.root[1]}")
        lines += [f"load {load.situation} {load.sender} {load.receiver} {load.percent}"
                  for load in self.loads]
        return "\n".join(lines) + "\n"

    # ---- as a network of 32 or 64 hosts ----

    def hosts_of(self, n_hosts):
        """{cluster: its hosts' numbers}, in order."""
        out, first = {}, 0
        for cluster in self.clusters:
            n = cluster.hosts * n_hosts // HOSTS[0]
            out[cluster.name] = range(first, first + n)
            first += n
        return out

    def root_rank(self, n_hosts):
        return self.hosts_of(n_hosts)[self.root[0]][self.root[1]]

    def topology(self, n_hosts):
        """In the form of Slurm's topology.conf."""
        hosts = self.hosts_of(n_hosts)
        lines = [f"SwitchName={c.name} Nodes=h[{hosts[c.name][0]:02d}-{hosts[c.name][-1]:02d}] "
                 f"LinkSpeed={HOST_SPEED}" for c in self.clusters]
        for site in self.sites:
            below = [c for c in self.clusters if c.above == site.name]
            lines += [f"SwitchName={site.name} Switches={c.name} LinkSpeed={c.speed}"
                      for c in below]
        lines += [f"SwitchName={TOP} Switches={s.name} LinkSpeed={s.speed}" for s in self.sites]
        return "\n".join(lines) + "\n"

    def settings(self, slower):
        """A script of the testbed with all latencies, so many times as long."""
        return "".join(f"set {s.name}-{s.above} latency={s.latency_us * slower / 1000:g}ms\n"
                       for s in self.sites + self.clusters)

    def speed_of(self, load):
        """Of the link that a load is on."""
        return next(s.speed for s in self.sites + self.clusters
                    if {s.name, s.above} == {load.sender, load.receiver})

    def loads_script(self, situation, rate, seconds):
        """For the testbed: the situation's loads from now on; rate: bits a second of speed 1."""
        return "".join(f"at 0s load {load.sender} {load.receiver} "
                       f"{load.percent * self.speed_of(load) * rate / 1e5:.0f}kbit {seconds:.0f}s\n"
                       for load in self.loads if load.situation == situation)


# ---- drawing ----

def _draw_hosts(draw, n_clusters):
    hosts = [2] * n_clusters
    for _ in range(HOSTS[0] - 2 * n_clusters):
        hosts[draw.randrange(n_clusters)] += 1
    return hosts


def _draw_loads(draw, switches):
    links = [ends for s in switches for ends in ((s.name, s.above), (s.above, s.name))]
    return [Load(situation, *ends, draw.randint(*LOAD_PERCENT))
            for situation in range(1, N_SITUATIONS + 1)
            for ends in draw.sample(links, draw.randint(*LOADS))]


def draw_grid(draw):
    """draw: a random.Random."""
    sites = [Switch(f"s{i}", TOP, draw.choice(SITE_SPEEDS), draw.randint(*SITE_LATENCY_US), 0)
             for i in range(draw.randint(*N_SITES))]
    above = [s.name for s in sites for _ in range(draw.randint(*N_CLUSTERS))]
    clusters = [Switch(f"c{i}", site, draw.choice(CLUSTER_SPEEDS), draw.randint(*CLUSTER_LATENCY_US),
                       hosts)
                for i, (site, hosts) in enumerate(zip(above, _draw_hosts(draw, len(above))))]
    root = draw.choice(clusters)
    return DrawnGrid(sites, clusters, (root.name, draw.randrange(root.hosts)),
                     _draw_loads(draw, sites + clusters))


def draw_grids(seed):
    """{name: grid} of all."""
    draw = random.Random(seed)
    return {f"grid-{i:02d}": draw_grid(draw) for i in range(1, N_GRIDS + 1)}


# ---- reading ----

def _parse(words):
    """A line of a file as (kind, values)."""
    if words[0] == "site" and len(words) == 6:
        return "site", Switch(words[1], TOP, int(words[3]), int(words[5]), 0)
    if words[0] == "cluster" and len(words) == 10:
        return "cluster", Switch(words[1], words[3], int(words[5]), int(words[7]), int(words[9]))
    if words[0] == "root" and len(words) == 3:
        return "root", (words[1], int(words[2]))
    if words[0] == "load" and len(words) == 5:
        return "load", Load(int(words[1]), words[2], words[3], int(words[4]))
    raise ValueError


def read_grid(path):
    found = {"site": [], "cluster": [], "root": [], "load": []}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                kind, value = _parse(line.split())
            except (ValueError, IndexError):
                raise UserError(f"{path}:{number}: not a line of a grid: {line.strip()}") from None
            found[kind].append(value)
    if len(found["root"]) != 1 or not found["cluster"]:
        raise UserError(f"{path}: a grid has clusters, and one root")
    return DrawnGrid(found["site"], found["cluster"], found["root"][0], found["load"])


def read_grids(directory=DIRECTORY):
    """{name: grid} of all files."""
    return {name: read_grid(os.path.join(directory, name)) for name in sorted(os.listdir(directory))
            if name.startswith("grid-")}
