"""Paper 2, Table 1: what broadcast algorithms take for very large messages, in T(M)."""

import math
import os

from ..claims import Claim, judge
from ..command import measure_at, now_text
from ..conclusion import conclude, failures_of
from ..experiment import PIPEBCAST_SETTINGS
from ..matrix import Matrix, Rounds
from ..methods import Method
from ..places import Testbed
from ..progress import Progress
from ..report import matrix_record, write_csv, write_json
from ..units import UserError, bytes_text

K = 1024
SIZES = [256 * K, 512 * K]
TOPOLOGY = "1"
SEGMENT = 2874
FACTOR = "the table's factor"


class Algorithm:
    """A row: `factor` of the number of ranks is what the table has for it."""

    def __init__(self, name, method, settings, formula, factor):
        ours = PIPEBCAST_SETTINGS if method.startswith("pipebcast") else {}
        self.name = name
        self.method = Method(method, {**ours, **settings})
        self.formula = formula
        self.factor = factor


WHOLE = {"coll_pipebcast_segment_size": str(1 << 30)}
ALGORITHMS = [
    Algorithm("flat", "pipebcast:flat", WHOLE, "P - 1", lambda n: n - 1),
    Algorithm("binomial", "tuned:binomial", {}, "log2 P", math.log2),
    Algorithm("scatter+ring", "tuned:scatter_allgather_ring", {}, "2", lambda n: 2),
    Algorithm("linear", f"pipebcast:chain:{SEGMENT}", {}, "1", lambda n: 1),
    Algorithm("binary", f"pipebcast:binary:{SEGMENT}", {}, "2", lambda n: 2),
    Algorithm("3-ary", f"pipebcast:kary:{SEGMENT}", {"coll_pipebcast_fanout": "3"}, "3",
              lambda n: 3),
]


def growth(times):
    """
    Of {bytes: us}, what the largest message takes beyond the smallest: without what does not depend on the
    message, such as filling a pipeline. None if either is missing.
    """
    first, last = times[min(times)], times[max(times)]
    return None if first is None or last is None else last - first


class Table1:
    """Measured on one topology, at two message sizes."""

    name = "p2-table1"
    figure = "paper 2, Table 1"
    shows = ("How much longer broadcasts of a longer message take, over how much longer the message itself "
             "takes: what the table has for very large messages.")
    claims = [Claim(f"{each.name}: {each.formula} (we say: within 20 %)", each.name, FACTOR,
                    low=1 / 1.2, high=1.2) for each in ALGORITHMS]

    @staticmethod
    def factor(matrix, algorithm):
        """In T(M), None if it was not measured."""
        took = growth({s: matrix.median(algorithm.method, s, "sync_median_us") for s in matrix.sizes})
        base = growth({s: matrix.pingpong_us(s) for s in matrix.sizes})
        return took / base if took is not None and base else None

    def judge(self, matrix, topology, n_ranks):
        """The verdicts; a ratio is a measured factor over the table's."""
        factors = {each.name: (self.factor(matrix, each), each.factor(n_ranks)) for each in ALGORITHMS}

        def value(claim):
            return lambda _, name, size: 1.0 if name == FACTOR else \
                factors[claim.of][0] and factors[claim.of][0] / factors[claim.of][1]
        return [judge(claim, [(topology, matrix.sizes[-1])], value(claim)) for claim in self.claims]

    def table(self, matrix, n_ranks):
        out = [f"{'algorithm':<14}{'Table 1':>9}{f'P = {n_ranks}':>9}{'measured':>10}   T(M)"]
        for each in ALGORITHMS:
            factor = self.factor(matrix, each)
            out.append(f"{each.name:<14}{each.formula:>9}{each.factor(n_ranks):>9.2f}"
                       + (f"{factor:>10.2f}" if factor else f"{'-':>10}"))
        return out + ["", f"from {bytes_text(matrix.sizes[0])} to {bytes_text(matrix.sizes[-1])}, segments of "
                      f"{SEGMENT} bytes"]

    def measure(self, options, directory):
        """Yields the matrix, the topology, its number of ranks, and whether it was interrupted."""
        topology = options.topologies[0] if options.topologies else TOPOLOGY
        sizes = options.only_sizes or SIZES
        if len(sizes) < 2:
            raise UserError(f"--sizes: {self.name} needs two message sizes")
        place, begun = Testbed(options, topology), now_text()
        matrix = Matrix([each.method for each in ALGORITHMS], sizes)
        rounds = Rounds(place, matrix, options)
        interrupted = measure_at(place, lambda: rounds.run(Progress(rounds.steps())))
        os.makedirs(directory, exist_ok=True)
        write_csv(os.path.join(directory, "results.csv"), matrix)
        write_json(os.path.join(directory, "measured.json"), matrix_record(matrix, place, begun))
        return matrix, topology, len(place.hosts), interrupted

    def run(self, options, directory):
        """Yields the exit status."""
        matrix, topology, n_ranks, interrupted = self.measure(options, directory)
        return conclude(self, directory, self.table(matrix, n_ranks) + matrix.doubts(),
                        self.judge(matrix, topology, n_ranks),
                        {"factors": {each.name: self.factor(matrix, each) for each in ALGORITHMS}},
                        failures_of(matrix), interrupted, f", topology ({topology})")


TABLE1 = Table1()
