"""Paper 2, Tables 2 and 4: g(m), RTT(m), L(m), and what cutting a message into segments costs."""

import os

from ..claims import INTERRUPTED, T, Claim, judge
from ..command import measure_at
from ..conclusion import conclude
from ..places import Testbed
from ..tuning import Tuned, read_costs
from ..units import bytes_text

K = 1024
PAPER_SIZES = [256 << i for i in range(8)]
MESSAGES = [32 * K, 128 * K, 512 * K, 2048 * K]


class CostTable:
    """A table of what pipebcast-tune measures; declared with its topology, sizes and claims."""

    def __init__(self, name, figure, shows, topology, sizes, claims):
        self.name = name
        self.figure = figure
        self.shows = shows
        self.topology = topology
        self.sizes = sizes
        self.claims = claims

    def run(self, options, directory):
        """Yields the exit status."""
        os.makedirs(directory, exist_ok=True)
        topology = options.topologies[0] if options.topologies else self.topology
        place = Testbed(options, topology)
        tuned = Tuned(options, place, os.path.basename(topology), directory)
        sizes = sorted({*PAPER_SIZES, *self.sizes})
        if measure_at(place, lambda: tuned.prepare("--no-fallback", "--sizes",
                                                   ",".join(map(str, sizes)))):
            return INTERRUPTED
        costs = read_costs(tuned.path)
        verdicts = self.judge(costs["switch"], topology)
        return conclude(self, directory, self.table(costs), verdicts,
                        {"costs_ns": {name: [vars(row) for row in rows.values()]
                                      for name, rows in costs.items()}})

    def table(self, costs):
        raise NotImplementedError

    def time_us(self, rows, name, size):
        raise NotImplementedError

    def judge(self, rows, topology):
        points = [(topology, size) for size in self.sizes if size in rows]
        return [judge(claim, points, lambda _, name, size: self.time_us(rows, name, size))
                for claim in self.claims]


class Table2(CostTable):
    """g, RTT and L at each place."""

    def table(self, costs):
        out = []
        for name, rows in costs.items():
            out.append(f"{name:>8} {'g(m)':>12} {'RTT(m)':>12} {'L(m)':>12} {'g / wire':>9}")
            for size in PAPER_SIZES:
                if size in rows:
                    row = rows[size]
                    last = rows[max(rows)]
                    wire = last.gap * size / last.bytes
                    out.append(f"{size:>7}B " + "".join(f"{ns / 1e6:>10.3f}ms"
                                                        for ns in (row.gap, row.rtt, row.latency))
                               + f" {row.gap / wire:>9.2f}")
            out.append("")
        return out + [f"wire: the largest message's g, {bytes_text(max(costs['switch']))}, in "
                      "proportion to the bytes."]

    def time_us(self, rows, name, size):
        row = rows[size]
        # A model that was there before has more sizes than the paper's.
        below = [rows[s] for s in PAPER_SIZES if s < size and s in rows]
        return {"g": row.gap, "L": row.latency, "RTT": row.rtt,
                "g before": below[-1].gap if below else None,
                "L before": below[-1].latency if below else None}[name]


class Table4(CostTable):
    """X times T(M/X)."""

    def table(self, costs):
        rows = costs["switch"]
        out = ["segment " + "".join(f"{bytes_text(size):>20}" for size in self.sizes)]
        for segment in [*PAPER_SIZES, T]:
            line = f"{segment:<8}"
            for size in self.sizes:
                took = self.time_us(rows, segment, size)
                base = self.time_us(rows, T, size)
                line += f"{took / 1e3:>10.2f} ms {took / base:>6.2f}" \
                    if took and base else f"{'-':>20}"
            out.append(line)
        return out + ["", "X T(M/X) for messages of M bytes in X segments, and to T(M); T = RTT/2."]

    def time_us(self, rows, name, size):
        message = size if name == T else int(name)
        return rows[message].rtt / 2e3 * size / message if message in rows else None


TABLE2 = Table2(
    name="p2-table2",
    figure="paper 2, Table 2",
    shows="The parameters of the model: from one message to the next, g(m); there and back, "
          "RTT(m); and L(m) = RTT(m)/2 - g(m). The paper's hosts are on one switch.",
    topology="4",
    sizes=PAPER_SIZES,
    claims=[
        Claim("g grows with the message (100 Mbps: 1.5 to 2 times from one size to the next)",
              "g", "g before", low=1.5, high=2.05, sizes=(512, None)),
        Claim("from 2 KB on L hardly depends on the message (100 Mbps: within 3 %; we say: within "
              "10 %)", "L", "L before", low=0.9, high=1.1, sizes=(4 * K, None)),
        Claim("L does not shrink: no processor is the bottleneck, as on 100 Mbps (we say: by no "
              "more than 5 %)", "L", "L before", low=0.95, sizes=(512, None)),
    ])

TABLE4 = Table4(
    name="p2-table4",
    figure="paper 2, Table 4",
    shows="What cutting a message into segments costs by itself: X T(M/X) beside T(M).",
    topology="1",
    sizes=MESSAGES,
    claims=[
        *(Claim(f"segments of {bytes_text(segment)} cost within 10 % (100 Mbps, from 1 KB)",
                str(segment), T, high=1.1) for segment in PAPER_SIZES[2:]),
    ])

TABLES = [TABLE2, TABLE4]
