"""Paper 2, Table 3, computed: the paper's own Table 2 put into formulas (1) and (2) with the trees of this source."""

import statistics

from ..claims import Claim
from ..experiment import View
from ..formulas import printed_time, tree_of
from ..samples import times_by_segment

K = 1024
TOPOLOGY, HOSTS = "4", [f"n{i}" for i in range(32)]
SEGMENTS = [256 << i for i in range(8)]
SIZES = [8 * K << i for i in range(9)]
# Table 2: g(m) and L(m) in us at SEGMENTS.
TABLE2 = {
    "100mbit": [(30, 110), (51, 156), (89, 250), (177, 318), (351, 317), (695, 324), (1389, 325), (2781, 323)],
    "1gbit": [(13, 46), (17, 54), (25, 68), (39, 83), (69, 82), (133, 78), (267, 62), (541, 30)]}
# Table 3, column "Model": the segment size at SIZES.
TABLE3 = {
    ("100mbit", "chain"): [256, 256, 256, 256, 512, 512, 1024, 1024, 1024],
    ("100mbit", "binary"): [256, 512, 1024, 1024, 1024, 1024, 1024, 2048, 4096],
    ("1gbit", "chain"): [256, 256, 512, 1024, 1024, 2048, 4096, 4096, 4096],
    ("1gbit", "binary"): [512, 1024, 2048, 4096, 4096, 4096, 8192, 8192, 8192]}


def measure(session):
    for kind in ("chain", "binary"):
        children = tree_of(session.topo, session.topology_file(TOPOLOGY), kind, HOSTS)
        for speed, costs in TABLE2.items():
            for size in SIZES:
                for segment, (gap, latency) in zip(SEGMENTS, costs):
                    if segment <= size:
                        session.writer.write(f"({TOPOLOGY})", kind, size, 1e3 * printed_time(
                            children, HOSTS[0], latency, gap, -(-size // segment)), segment=segment, speed=speed)


class _Cells(View):
    """Times of Table 3's segment sizes, and the least of all; and how many of its cells have the least."""

    is_computed = True

    def __init__(self, samples):
        self.times = times_by_segment(samples)

    def cell(self, speed, kind, size):
        """{segment: ns}"""
        return {segment: ns[0] for segment, ns in self.times[f"({TOPOLOGY})", speed, "1"].get((kind, size), {}).items()}

    def points(self):
        return [(f"{speed}, {kind}", size) for speed, kind in TABLE3 for size in SIZES if self.cell(speed, kind, size)]

    def values(self, place, name, size):
        speed, kind = place.split(", ")
        cell = self.cell(speed, kind, size)
        if name == "alike":
            return [float(self.of_paper(*key, each) == min(self.cell(*key, each).values())) for key in TABLE3 for each in SIZES]
        return [min(cell.values()) if name == "best" else self.of_paper(speed, kind, size)]

    def value(self, place, name, size):
        return statistics.mean(self.values(place, name, size))

    def of_paper(self, speed, kind, size):
        return self.cell(speed, kind, size)[TABLE3[speed, kind][SIZES.index(size)]]


class Table3:
    """Computed."""

    name = "p2-table3"
    figure = "paper 2, Table 3"
    claims = [Claim("formulas (1) and (2) with Table 2 give Table 3's segment sizes exactly in at least 31 of its 36 cells (a share "
                    "of all cells)", "alike", None, low=31 / 36),
              Claim("or a segment size that is as good (we say: within 2.3 %)", "Table 3's", "best", high=1.023)]

    @staticmethod
    def view(samples):
        return _Cells(samples["p2-table3"])


TABLE3_EXPERIMENT = Table3()
