"""Measuring what several experiments need, each method on each topology once."""

import json
import os

from .command import measure_at
from .matrix import Matrix, Rounds
from .methods import Method
from .places import PINGPONG_OF_TOPOLOGY, Testbed
from .progress import Progress
from .report import matrix_record, write_csv, write_json
from .run import outcome_of
from .units import UserError


def topologies_of(experiments, only=None):
    """The experiments' topologies, or those of them that the user wants."""
    known = list(dict.fromkeys(t for e in experiments for t in e.topologies()))
    return known if only is None else [t for t in known if t in only]


def matrix_of(experiments, topology, segments, only_sizes=None):
    """An empty matrix of all that experiments need on a topology."""
    methods, sizes = {}, {}
    for experiment in experiments:
        for method, wanted in (experiment.needs(topology, segments, only_sizes)
                               if topology in experiment.topologies() else []):
            known = methods.setdefault(method.name, method)
            assert known.settings == method.settings, "one method name, two meanings"
            sizes[method.name] = sorted({*sizes.get(method.name, []), *wanted})
    every = sorted({size for of_method in sizes.values() for size in of_method})
    return Matrix(list(methods.values()), every, sizes)


def near_best(matrix, near):
    """
    Returns whether a method was so fast at a size that it may be its algorithm's best: only such
    segment sizes are worth another round.
    """
    def worth(method, size):
        took = matrix.median(method, size, "sync_median_us")
        family = [matrix.median(m, size, "sync_median_us") for m in matrix.methods
                  if m.family == method.family]
        return took is None or took <= near * min(t for t in family if t is not None)
    return worth


class Campaign:
    """Measures one topology after the other; results are on disk after each."""

    def __init__(self, experiments, options):
        self.options = options
        self.interrupted = False
        self.matrices = {t: matrix_of(experiments, t, options.segment_sizes, options.only_sizes)
                         for t in topologies_of(experiments, options.topologies)}

    def measure(self, directory, begun):
        rounds = {}
        for topology, matrix in self.matrices.items():
            place = Testbed(self.options, topology)
            rounds[topology] = Rounds(place, matrix, self.options,
                                      near_best(matrix, self.options.near))
        progress = Progress([step for each in rounds.values() for step in each.steps()])
        for topology, each in rounds.items():
            self.options.pingpong = PINGPONG_OF_TOPOLOGY.get(topology)
            self.interrupted = measure_at(
                each.place, lambda e=each, t=topology: e.run(progress, f"topology {t}, "))
            os.makedirs(directory, exist_ok=True)
            stem = os.path.join(directory, f"topology{topology}")
            write_json(stem + ".json", matrix_record(each.matrix, each.place, begun))
            write_csv(stem + ".csv", each.matrix)
            if self.interrupted:
                break

    def failed(self):
        return any(matrix.failure(m) for matrix in self.matrices.values() for m in matrix.methods)


def load_matrix(path):
    """What measure() wrote for a topology."""
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        methods = [Method(entry["name"]) for entry in record["methods"]]
        sizes = {entry["name"]: [size["bytes"] for size in entry["sizes"]]
                 for entry in record["methods"]}
        matrix = Matrix(methods, sorted({s for each in sizes.values() for s in each}), sizes)
        for entry in record["methods"]:
            matrix.outcomes[entry["name"]] = [outcome_of(run) for run in entry["runs"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} holds no measurements of this program: {error}") from None
    return matrix


def load_measured(directory, topologies):
    """{topology: Matrix} of those that were measured."""
    found = {t: os.path.join(directory, f"topology{t}.json") for t in topologies}
    matrices = {t: load_matrix(path) for t, path in found.items() if os.path.exists(path)}
    if not matrices:
        raise UserError(f"{directory} has no measurements of topology {', '.join(topologies)}")
    return matrices


def segments_of(matrices):
    """All segment sizes that were measured."""
    return sorted({m.segment for matrix in matrices.values() for m in matrix.methods if m.segment})
