"""Paper 2, section 5.4: from which segment and message sizes on pipelined broadcast is efficient."""

import os

from ..claims import Claim, judge
from ..command import measure_at
from ..conclusion import conclude, failures_of
from ..experiment import PIPEBCAST_SETTINGS
from ..formulas import first_segment, tree_of
from ..matrix import Matrix, Rounds
from ..methods import Method
from ..places import PINGPONG_OF_TOPOLOGY, Testbed
from ..progress import Progress
from ..report import write_csv
from ..tuning import Tuned, read_costs
from ..units import UserError, bytes_text
from .p2_table2 import MESSAGES, PAPER_SIZES

KINDS = [("chain", 1), ("binary", 2)]  # and the nodal degree D
TOPOLOGY = "4"
CLOSE = 1.1  # X T(M/X) is close to T(M) within this factor
DELAY_SHARE = 1 / 3
SHARE = "a third"
TIME_LIMIT = 150  # seconds of pipebcast-tune: on slow links the longest messages are left out


def one_way(rows, size):
    """T(m) in us, or None."""
    return rows[size].rtt / 2e3 if size in rows else None


def segment_threshold(rows):
    """The least segment from which on X T(M/X) is close to T(M) for all messages."""
    def is_close(segment):
        return all(one_way(rows, segment) * message / segment <= CLOSE * one_way(rows, message)
                   for message in MESSAGES if message in rows and segment in rows)
    for number, segment in enumerate(PAPER_SIZES):
        if all(map(is_close, PAPER_SIZES[number:])):
            return segment
    raise UserError(f"no segment size up to {bytes_text(PAPER_SIZES[-1])} is close to T(M)")


class Threshold:
    """
    For a kind of tree: from `message` on, 2 (H - 1) segments, the delay term is said to be a third of the
    time at most. H counts the hosts on the longest way, as the paper's H = P of the linear tree.
    """

    def __init__(self, kind, degree, height, segment):
        self.kind = kind
        self.degree = degree
        self.height = height
        self.segment = segment
        self.n_segments = 2 * (height - 1)
        self.message = self.n_segments * segment
        self.method = Method(f"pipebcast:{kind}:{segment}", PIPEBCAST_SETTINGS)
        self.took_us = None

    def delay_share(self, segment_us):
        """Of the measured time, what is not the pipeline term D X T(M/X); None if nothing was measured."""
        return self.took_us and 1 - self.degree * self.n_segments * segment_us / self.took_us


class Thresholds:
    """Measures the model, then each kind of tree at its threshold."""

    name = "p2-thresholds"
    figure = "paper 2, section 5.4"
    shows = ("The least segment for which X T(M/X) is within 10 % of T(M), the least message for which the "
             "delay term is then a third of the time by the paper's sum, and the share that was measured.")
    claims = [Claim(f"{kind}: the delay term is at most a third of the time there", kind, SHARE, high=1)
              for kind, _ in KINDS]

    def _measure_at(self, place, tuned, options):
        place.np = 2  # the costs of two hosts on a switch are enough
        tuned.prepare("--no-fallback", "--sizes", ",".join(map(str, sorted({*PAPER_SIZES, *MESSAGES}))),
                      "--time-limit", str(TIME_LIMIT))
        place.np = None
        rows = read_costs(tuned.path)["switch"]
        segment = segment_threshold(rows)
        options.pingpong = PINGPONG_OF_TOPOLOGY.get(place.topology)
        found = []
        for kind, degree in KINDS:
            # With L = 1 and g = 0 the time of the first segment is the number of hops.
            height = 1 + int(first_segment(tree_of(options, place, kind), place.hosts[0], 1, 0))
            found.append(Threshold(kind, degree, height, segment))
        matrix = Matrix([each.method for each in found], sorted({each.message for each in found}),
                        {each.method.name: [each.message] for each in found})
        rounds = Rounds(place, matrix, options, pingpong_once=True)
        rounds.run(Progress(rounds.steps()))
        for each in found:
            each.took_us = matrix.median(each.method, each.message, "sync_median_us")
        return rows, found, matrix

    def judge(self, rows, found, topology):
        shares = {each.kind: each.delay_share(one_way(rows, each.segment)) for each in found}
        return [judge(claim, [(topology, next(e for e in found if e.kind == claim.of).message)],
                      lambda _, name, size: DELAY_SHARE if name == SHARE else shares[name])
                for claim in self.claims]

    @staticmethod
    def table(rows, found):
        out = [f"segments: from {bytes_text(found[0].segment)} bytes on", "",
               f"{'tree':<14}{'H':>4}{'X':>6}{'message':>10}{'ms':>10}{'delay term':>12}"]
        for each in found:
            share = each.delay_share(one_way(rows, each.segment))
            out.append(f"{each.kind:<14}{each.height:>4}{each.n_segments:>6}{bytes_text(each.message):>10}"
                       + (f"{each.took_us / 1e3:>10.2f}{share:>12.2f}" if share is not None
                          else f"{'-':>22}"))
        return out

    def measure(self, options, directory):
        """Yields the costs, the thresholds, the matrix of broadcasts there, and the topology."""
        os.makedirs(directory, exist_ok=True)
        topology = options.topologies[0] if options.topologies else TOPOLOGY
        place = Testbed(options, topology)
        tuned = Tuned(options, place, os.path.basename(topology), directory)
        measured = []
        if measure_at(place, lambda: measured.append(self._measure_at(place, tuned, options))):
            raise KeyboardInterrupt  # without all of it there is nothing to conclude
        rows, found, matrix = measured[0]
        write_csv(os.path.join(directory, "results.csv"), matrix)
        return rows, found, matrix, topology

    def run(self, options, directory):
        """Yields the exit status."""
        rows, found, matrix, topology = self.measure(options, directory)
        record = [{"kind": each.kind, "height": each.height, "segment": each.segment, "bytes": each.message,
                   "median_us": each.took_us, "delay_share": each.delay_share(one_way(rows, each.segment))}
                  for each in found]
        return conclude(self, directory, self.table(rows, found) + matrix.doubts(),
                        self.judge(rows, found, topology), {"rows": record}, failures_of(matrix),
                        where=f", topology ({topology})")


THRESHOLDS = Thresholds()
