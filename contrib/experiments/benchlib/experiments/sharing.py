"""Ours, computed: which trees share links well when six communicators broadcast at once."""

import os
import random
import statistics

from ..claims import Claim, judge
from ..conclusion import conclude
from ..experiment import kinds_of
from ..links import segment_of_frames
from ..programs import TOPO, need_program
from ..report import write_rows, write_text
from ..sharing import Broadcast, begun_with, chosen_together, completion, forced_load, planned_streams
from ..units import bytes_text, parse_sizes
from .concurrent import HOSTS, MTU, ROWS, SIDE, groups_of

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


def ratio_of(topo, directory, network, kind, size):
    """The time of broadcasts in all rows at once, over what the busiest link has to carry."""
    path = write_text(directory, "network.conf", network.text())
    groups, links = groups_of(network.hosts, ROWS), network.links()
    def kind_for(group):
        return begun_with(topo, path, size, group, network.alike(group)) if kind == AUTO else kind

    broadcasts = chosen_together(links, groups) if kind == TOGETHER else [
        Broadcast(group[0], planned_streams(topo, path, kind_for(group), group)) for group in groups]
    n_segments = -(-size // segment_of_frames(MTU, 1))
    return completion(links, broadcasts, n_segments) / (n_segments * forced_load(links, groups))


class Sharing:
    """Computes all; it takes a minute."""

    name = "sharing"
    figure = "no figure: ours, computed"
    shows = ("6 x 6 ranks on 36 hosts that are dealt out at random to six switches, in a line, below "
             "a spine and in random trees: broadcasts in all rows at once by each kind of tree, and by "
             "chains that are chosen together, and by what auto begins with, over what the busiest link must carry whatever the trees.")
    claims = [Claim("chains share links better than two trees", "chain", "twotree", high=1.0, said="ours"),
              Claim("so does what auto begins with", AUTO, "twotree", high=1.0, said="ours")]

    def run(self, options, directory):
        """Yields the exit status."""
        os.makedirs(directory, exist_ok=True)
        topo = need_program(options.topo, TOPO, "--topo")
        kinds, sizes = kinds_of(options, KINDS), options.only_sizes or SIZES
        seeds = range(options.seed, options.seed + options.seeds)
        rows = [{"network": shape, "bytes": size, "method": kind, **self._row(
            [ratio_of(topo, directory, Network(shape, seed), kind, size) for seed in seeds])}
                for shape in SHAPES for size in sizes for kind in kinds]
        verdicts = self.verdicts(rows)
        write_rows(os.path.join(directory, "results.csv"), rows, ["network"])
        return conclude(self, directory, self.table(rows), verdicts, {"rows": rows})

    @staticmethod
    def _row(ratios):
        return {"mean": round(statistics.mean(ratios), 3), "least": round(min(ratios), 3),
                "greatest": round(max(ratios), 3), "networks": len(ratios)}

    def verdicts(self, rows):
        means = {(row["network"], row["method"], row["bytes"]): row["mean"] for row in rows}
        points = list(dict.fromkeys((row["network"], row["bytes"]) for row in rows))
        return [judge(claim, points, lambda *point: means.get(point)) for claim in self.claims]

    @staticmethod
    def table(rows):
        out = [f"{'network':<8} {'bytes':>6} {'trees':<10} {'mean':>6} {'least':>6} {'greatest':>8}"]
        out += [f"{row['network']:<8} {bytes_text(row['bytes']):>6} {row['method']:<10} "
                f"{row['mean']:>6.3f} {row['least']:>6.3f} {row['greatest']:>8.3f}" for row in rows]
        return out + ["", f"of {rows[0]['networks']} networks each; 1 is the time of what the busiest link "
                      "must carry"]


SHARING = Sharing()
