"""Ours, computed: which trees share links well when six communicators broadcast at once."""

import random
import statistics

from ..claims import Claim
from ..experiment import COMPUTED, MethodView
from ..report import write_text
from ..sharing import Broadcast, begun_with, chosen_together, completion, forced_load
from ..topo import planned_streams
from ..units import parse_sizes

SIDE = 6  # of the grid of ranks, and hosts of each switch
HOSTS = SIDE * SIDE
SEGMENT, SEGMENT_NS = 1426, 1000
SEEDS = 10
BOUND = "bound"

SIZES = parse_sizes("64K,256K")
TOGETHER = "together"  # chains of one who knows all communicators
AUTO = "auto"  # what it begins with
KINDS = ["twotree", "chain", TOGETHER, AUTO, "binary", "kary"]
LINE, LEAVES, RANDOM = "line", "leaves", "random"
SHAPES = [LINE, LEAVES, RANDOM]
TOP = "top"


class Network:
    """Six switches, joined in a shape, and 36 hosts dealt out to them at random."""

    def __init__(self, shape, seed):
        chance = random.Random(seed)
        names = [f"s{i}" for i in range(SIDE)]
        self.above = {name: TOP if shape == LEAVES else None for name in names}
        for i in range(1, SIDE):
            if shape != LEAVES:
                self.above[names[i]] = names[i - 1 if shape == LINE else chance.randrange(i)]
        at = [names[i % SIDE] for i in range(HOSTS)]
        chance.shuffle(at)
        self.hosts = [f"n{i}" for i in range(HOSTS)]
        self.at = dict(zip(self.hosts, at))

    def links(self):
        """Directed, (from, to)."""
        pairs = [(name, above) for name, above in [*self.above.items(), *self.at.items()] if above]
        return [link for pair in pairs for link in (pair, pair[::-1])]

    def alike(self, group):
        """Communicators like a group, as the component counts them."""
        switches = {self.at[host] for host in group}
        return 1 if len(switches) == 1 else sum(at in switches for at in self.at.values()) // len(group)

    def text(self):
        """In the form of Slurm's topology.conf."""
        out = ""
        for switch in [*self.above, *([TOP] if TOP in self.above.values() else [])]:
            hosts = [host for host in self.hosts if self.at[host] == switch]
            below = [name for name, above in self.above.items() if above == switch]
            out += f"SwitchName={switch}" + (f" Nodes={','.join(hosts)}" if hosts else "") \
                + (f" Switches={','.join(below)}" if below else "") + "\n"
        return out


def groups_of(hosts):
    """The communicators of the rows of a grid of ranks, one on each of these hosts; roots first."""
    return [hosts[SIDE * i:SIDE * (i + 1)] for i in range(SIDE)]


def times_of(topo, directory, network, kind, size):
    """Of broadcasts in all rows at once, and of what the busiest link has to carry, in times of a segment on a link."""
    path = write_text(directory, "network.conf", network.text())
    groups, links = groups_of(network.hosts), network.links()

    def kind_for(group):
        return begun_with(topo, path, size, group, network.alike(group)) if kind == AUTO else kind

    broadcasts = chosen_together(links, groups) if kind == TOGETHER else [
        Broadcast(group[0], planned_streams(topo, path, kind_for(group), group)) for group in groups]
    n_segments = -(-size // SEGMENT)
    return completion(links, broadcasts, n_segments), n_segments * forced_load(links, groups)


def measure(session):
    for seed in range(1, SEEDS + 1):
        for shape in SHAPES:
            for size in SIZES:
                for kind in KINDS:
                    took, bound = times_of(session.topo, session.directory, Network(shape, seed), kind, size)
                    session.writer.write(shape, kind, size, took * SEGMENT_NS, segment=SEGMENT, speed=COMPUTED, run=seed)
                session.writer.write(shape, BOUND, size, bound * SEGMENT_NS, segment=SEGMENT, speed=COMPUTED, run=seed)


class _Shares(MethodView):
    """Times over what the busiest link must carry whatever the trees; the mean over networks counts."""

    is_computed = True

    def values(self, place, name, size):
        return [took / bound for took, bound in zip(super().values(place, name, size), super().values(place, BOUND, size))]

    def value(self, place, name, size):
        values = self.values(place, name, size)
        return statistics.mean(values) if values else None


class Sharing:
    """6 x 6 ranks on 36 hosts that are dealt out at random to six switches, in a line, below a spine and in random trees."""

    name = "sharing"
    figure = "six broadcasts at once, computed"
    claims = [Claim("chains share links better than two trees", "chain", "twotree", high=1.0, said="ours"),
              Claim("so does what auto begins with", AUTO, "twotree", high=1.0, said="ours")]

    @staticmethod
    def view(samples):
        return _Shares(samples["sharing"], COMPUTED)


SHARING = Sharing()
