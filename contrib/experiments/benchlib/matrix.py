"""Methods times sizes: what was measured, and measuring it."""

import statistics

from .places import counted_doubts
from .progress import Progress
from .run import run_once


class Matrix:
    """All outcomes, by method, and the figures made of them."""

    def __init__(self, methods, sizes):
        self.methods = methods
        self.sizes = sizes
        self.outcomes = {m.name: [] for m in methods}

    def failure(self, method):
        for outcome in self.outcomes[method.name]:
            if outcome.failure:
                return outcome.failure
        return None

    def samples(self, method, size, field):
        return [float(row[field]) for outcome in self.outcomes[method.name]
                for row in outcome.rows if int(row["bytes"]) == size and row[field]]

    def median(self, method, size, field):
        samples = self.samples(method, size, field)
        return statistics.median(samples) if samples else None

    def limited(self, method, size):
        return any(self.samples(method, size, "limited"))

    def too_slow(self, method, size, time_limit):
        """One broadcast takes most of the time limit: a second round would not show more."""
        took = self.median(method, size, "sync_median_us")
        return took is not None and self.limited(method, size) and took / 1e6 > time_limit / 2

    def reference(self):
        """The method that all are compared with: pipebcast by itself, or its first variant."""
        ours = [m for m in self.methods if m.component == "pipebcast"]
        plain = [m for m in ours if m.name == "pipebcast"]
        return (plain or ours or [None])[0]

    def doubts(self, methods=None):
        """Lines on (some) methods whose figures the testbed itself puts in doubt."""
        return [line for method in methods or self.methods
                for line in counted_doubts(method.name, self.outcomes[method.name])]

    def pingpong_us(self, size):
        """T(M): the median over all runs of all methods."""
        samples = [value for m in self.methods for value in self.samples(m, size, "pingpong_us")]
        return statistics.median(samples) if samples else None


class Rounds:
    """Measures a matrix: rounds over all methods, so that drift of the host meets all alike."""

    def __init__(self, place, matrix, options):
        self.place = place
        self.matrix = matrix
        self.options = options

    def steps(self):
        """What a Progress must know of it."""
        return [m.name for m in self.matrix.methods] * self.options.runs

    def _sizes(self, method, first):
        """What took too long once is not waited for again."""
        return [size for size in self.matrix.sizes
                if first or not self.matrix.too_slow(method, size, self.options.time_limit)]

    def _step(self, method, where, progress, first):
        sizes = self._sizes(method, first)
        if self.matrix.failure(method):
            progress.skip("it failed")
        elif not sizes:
            progress.skip("it takes most of the time limit")
        else:
            progress.start(where)
            outcome = run_once(self.place, method, sizes, self.options, progress.row)
            self.matrix.outcomes[method.name].append(outcome)
            progress.end(outcome)

    def run(self, progress):
        for number in range(1, self.options.runs + 1):
            for method in self.matrix.methods:
                self._step(method, f"round {number} of {self.options.runs}", progress,
                           number == 1)


def run_matrix(place, matrix, options):
    rounds = Rounds(place, matrix, options)
    rounds.run(Progress(rounds.steps()))
