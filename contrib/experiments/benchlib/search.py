"""A model of a testbed beside an exhaustive search over kinds of tree and segment sizes there."""

import os

from .command import measure_at, now_text
from .matrix import Rounds
from .places import PINGPONG_OF_TOPOLOGY, Testbed
from .progress import Progress
from .report import matrix_record, write_csv, write_json
from .tuning import Tuned

FIELD = "sync_median_us"


class Search:
    """One topology: measures a model there, then a matrix of methods, round by round."""

    def __init__(self, options, topology, directory):
        self.options = options
        self.topology = topology
        self.directory = directory
        self.place = Testbed(options, topology)
        self.tuned = Tuned(options, self.place, os.path.basename(topology), directory)
        self.matrix = None
        self.predictor = None

    def run(self, matrix, worth_again, more=lambda predictor: None, tune_arguments=()):
        """
        Measures. worth_again(method, size): as Rounds. `more` is called with the Predictor while
        nothing is measured. Yields whether it was interrupted; what there is is then kept.
        """
        self.matrix = matrix
        begun = now_text()
        os.makedirs(self.directory, exist_ok=True)
        interrupted = measure_at(self.place,
                                 lambda: self._measure(worth_again, more, tune_arguments))
        stem = os.path.join(self.directory, f"topology{os.path.basename(self.topology)}")
        write_json(stem + ".json", matrix_record(matrix, self.place, begun))
        write_csv(stem + ".csv", matrix)
        return interrupted

    def _measure(self, worth_again, more, tune_arguments):
        self.predictor = self.tuned.prepare(*tune_arguments)
        more(self.predictor)
        self.options.pingpong = PINGPONG_OF_TOPOLOGY.get(self.topology)
        rounds = Rounds(self.place, self.matrix, self.options, worth_again, pingpong_once=True)
        rounds.run(Progress(rounds.steps()), f"topology {os.path.basename(self.topology)}, ")

    def took_us(self, method, size):
        """The median over the runs, None if it was not measured."""
        return self.matrix.median(method, size, FIELD)

    def best(self, methods, size):
        """The fastest of some methods that take part at a size, or None."""
        timed = [m for m in methods if size in self.matrix.sizes_of(m)
                 and self.took_us(m, size) is not None]
        return min(timed, key=lambda m: self.took_us(m, size)) if timed else None

    def failures(self):
        return [f"FAILED on ({self.topology}): {m.name}: {self.matrix.failure(m)}"
                for m in self.matrix.methods if self.matrix.failure(m)] \
            + [f"on ({self.topology}): {line}" for line in self.matrix.doubts()]
