"""
Paper 2, Tables 2 to 4, Figure 11 and section 5.4: what messages cost, and which segment sizes and thresholds follow
from that by formulas (1) and (2), and by our model. Figure 11 is of the network and the samples of Figure 16.
"""

import os
import statistics

from ..claims import T, Claim
from ..command import measure_at
from ..experiment import MethodView, View
from ..formulas import first_segment, printed_time, tree_of
from ..methods import Method
from ..samples import times_by_segment
from ..tuning import predicted_ns, read_costs
from ..units import UserError, bytes_text, parse_bytes, parse_sizes

K = 1024
TOPOLOGY, NETWORK, SPEED = "1", "(1)", "2mbit"
PAPER_SIZES = [256 << i for i in range(8)]
MESSAGES = [32 * K, 128 * K, 512 * K]
KINDS = {"chain": 1, "binary": 2}  # and the nodal degree D
BY_FORMULA, BY_MODEL = " by the formula", " by the model"
# What the paper calls X T(M/X) is close to T(M) within this factor.
CLOSE = 1.1
BROADCASTS, IGNORED = 13, 3


def cut_ns(segment, message, gap, one_way):
    """
    A message in X segments, of which each takes g and the last one T: X g + L. The values of Table 4, which the paper
    calls X T(M/X), are those of its Table 2 by this, and not X times RTT / 2.
    """
    return (message // segment - 1) * gap + one_way


def segment_threshold(costs):
    """The least segment from which on cutting is close to T(M) for all messages. costs: {size: (g, T)}"""
    def is_close(segment):
        return all(cut_ns(segment, message, *costs[segment]) <= CLOSE * costs[message][1] for message in MESSAGES if message in costs)
    for number, segment in enumerate(PAPER_SIZES):
        if all(map(is_close, PAPER_SIZES[number:])):
            return segment
    raise UserError(f"no segment size up to {bytes_text(PAPER_SIZES[-1])} is close to T(M)")


def measure(session):
    """The model by pipebcast-tune, what it predicts for Figure 11, and broadcasts at the thresholds of section 5.4."""
    place = session.place(TOPOLOGY, SPEED)

    def write(method, size, ns, **more):
        session.writer.write(NETWORK, method, size, ns, speed=SPEED, **more)

    def predict(model, costs):
        for kind in KINDS:
            children = tree_of(session.topo, place.topology_file, kind, place.hosts)
            for size in parse_sizes("64K,256K"):
                for segment in PAPER_SIZES:
                    write(kind + BY_FORMULA, size, printed_time(children, place.hosts[0], costs[segment].latency, costs[segment].gap,
                                                                -(-size // segment)), segment=segment)
                    write(kind + BY_MODEL, size, predicted_ns(session.topo, place.topology_file, place.hosts, model, kind, segment, size),
                          segment=segment)

    def broadcast(costs):
        segment = segment_threshold({size: (row.gap, row.rtt / 2) for size, row in costs.items()})
        for kind in KINDS:
            # With L = 1 and g = 0 the time of the first segment is the number of hops.
            hops = int(first_segment(tree_of(session.topo, place.topology_file, kind, place.hosts), place.hosts[0], 1, 0))
            method = Method(f"pipebcast:{kind}:{segment}")
            for size, number, ns in session.broadcasts(place, method, [2 * hops * segment], BROADCASTS):
                if number >= IGNORED:
                    write(method.family, size, ns, segment=segment, broadcast=number)

    def all_of_it():
        model = os.path.join(session.directory, "model.txt")
        session.tune(place, model, sorted({*PAPER_SIZES, *MESSAGES}))
        costs = read_costs(model)
        for size, row in costs.items():
            write("g", size, row.gap)
            write("RTT", size, row.rtt)
        predict(model, costs)
        broadcast(costs)

    return measure_at(place, all_of_it)


class _Costs(View):
    """The costs that pipebcast-tune measured, in ns, by run."""

    def __init__(self, samples):
        cells = times_by_segment(samples["costs"]).get((NETWORK, SPEED, "1"), {})
        self.cells = {key: by_segment[0] for key, by_segment in cells.items() if 0 in by_segment}

    def one_way(self, size):
        return [rtt / 2 for rtt in self.cells.get(("RTT", size), [])]

    def latency(self, size):
        return [t - gap for t, gap in zip(self.one_way(size), self.cells.get(("g", size), []))]


class _Table2(_Costs):
    def points(self):
        return [(TOPOLOGY, size) for size in PAPER_SIZES if ("g", size) in self.cells]

    def values(self, place, name, size):
        of, before, _ = name.partition(" before")
        size = size // 2 if before else size
        return self.latency(size) if of == "L" else self.cells.get(("g", size), [])


class _Table4(_Costs):
    """A place is a segment size."""

    def points(self):
        return [(bytes_text(segment), size) for segment in PAPER_SIZES[2:] for size in MESSAGES if self.one_way(size)]

    def values(self, place, name, size):
        segment = size if name == T else parse_bytes(place)
        return [cut_ns(segment, size, *of) for of in zip(self.cells.get(("g", segment), []), self.one_way(segment))]

    def where(self, place, size):
        return f"at {bytes_text(size)} in segments of {place}"


class _Thresholds(_Costs):
    """Of the measured time at the threshold, the share that is not the pipeline term D X T(M/X)."""

    def __init__(self, samples):
        super().__init__(samples)
        self.measured = MethodView(samples["costs"], SPEED).networks.get(TOPOLOGY, {})

    def points(self):
        return sorted({(TOPOLOGY, size) for method, size in self.measured if method.startswith("pipebcast:")})

    def values(self, place, name, size):
        by_segment = self.measured.get((f"pipebcast:{name}", size), {})
        return [1 - KINDS[name] * statistics.median(cut_ns(segment, size, *of) for of in zip(self.cells["g", segment], self.one_way(segment))) / took
                for segment, times in by_segment.items() for took in times]


class _Figure11(View):
    """Of each kind the best segment size, and those with the least predicted time; of what Figure 16 measured."""

    def __init__(self, samples):
        self.predicted = MethodView(samples["costs"], SPEED).networks.get(TOPOLOGY, {})
        self.measured = MethodView(samples["trees"], SPEED).networks.get(TOPOLOGY, {})

    def points(self):
        return sorted({(TOPOLOGY, size) for method, size in self.predicted if method.endswith(BY_MODEL)})

    def values(self, place, name, size):
        kind = name.removesuffix(BY_FORMULA).removesuffix(BY_MODEL)
        times = {segment: values for segment, values in self.measured.get((f"pipebcast:{kind}", size), {}).items() if segment in PAPER_SIZES}
        if len(times) < 3:
            return []
        predicted = {segment: ns[0] for segment, ns in self.predicted.get((name, size), {}).items()}
        best = min(times, key=lambda segment: predicted[segment] if predicted else statistics.median(times[segment]))
        return times[best]


class _Costed:
    """A table or figure of the samples of `costs`."""

    def __init__(self, name, figure, view, claims):
        self.name = name
        self.figure = figure
        self.view = view
        self.claims = claims


TABLE2 = _Costed("p2-table2", "paper 2, Table 2", _Table2, [
    Claim("g grows with the message (100 Mbps: 1.7 to 2 times from one size to the next)",
          "g", "g before", low=1.7, high=2.05, sizes=(512, None)),
    Claim("from 2 KB on L hardly depends on the message (100 Mbps: within 3 %; we say: within "
          "10 %)", "L", "L before", low=0.9, high=1.1, sizes=(4 * K, None)),
    Claim("L does not shrink: no processor is the bottleneck, as on 100 Mbps (we say: by no "
          "more than 5 %)", "L", "L before", low=0.95, sizes=(512, None))])
TABLE4 = _Costed("p2-table4", "paper 2, Table 4", _Table4, [
    Claim("segments from 1 KB to 32 KB cost within 10 % (100 Mbps)", "in segments", T, high=1.1)])
FIG11 = _Costed("p2-fig11", "paper 2, Figure 11", _Figure11, [
    Claim(f"{kind}: the segment size{by} is close to the best (we say: within 10 %)", kind + by, kind, high=1.1)
    for by in (BY_FORMULA, BY_MODEL) for kind in KINDS])
THRESHOLDS = _Costed("p2-thresholds", "paper 2, section 5.4", _Thresholds, [
    Claim(f"{kind}: the delay term is at most 33 % of the time there", kind, None, high=1 / 3, why=why)
    for kind, why in (("chain", "section 5.4 counts a hop as g; it takes L + g, twice g here and 3.8 g in the paper's Table 2"), ("binary", ""))])
COSTS = [TABLE2, TABLE4, FIG11, THRESHOLDS]
