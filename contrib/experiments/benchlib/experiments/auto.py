"""Ours: the choice by the model against all that could have been chosen."""

import json
import os

from ..claims import Claim, exit_status, judge
from ..experiment import PIPEBCAST_SETTINGS
from ..matrix import Matrix
from ..methods import BY_TREES, Method
from ..report import write_json
from ..search import Search
from ..units import UserError, bytes_text, parse_sizes

K = 1024
SIZES = parse_sizes("1K:2M")
TOPOLOGIES = ["1", "4", "5"]
# Kinds of tree, and the messages for which they can be the best at all: a chain has too many hops
# for small ones; each child more takes the root another message's time, which large ones show.
KINDS = {"chain": (4 * K, None), "binary": (1 * K, 1024 * K), "kary": (1 * K, 128 * K),
         "twotree": (1 * K, None), "binomial": (1 * K, 64 * K)}
# Parts of a frame, whole frames; the last is the whole message, up to so many bytes.
WHOLE = 64 * K
SEGMENTS = [256, 702, 1426, 2874, 5770, 11562, WHOLE]
# Parts of a frame cost bandwidth, which only short messages do not notice.
FRAME = 1426
MOST_PARTS = 128
MOST_SEGMENTS = 1500
# A method that is slower than this times the best in the first round is not measured again.
NEAR = 1.3

AUTO, TUNED, BEST, PREDICTED = "auto", "tuned", "best", "predicted"


def is_sensible(segment, smaller, size):
    """
    Whether a segment size is worth trying for a message: it cuts it, but not into too many; or it
    is the first that holds all of it and stands for all larger ones.
    """
    if segment >= size:
        return smaller < size
    if segment == WHOLE:
        return False
    if segment < FRAME:
        return size <= MOST_PARTS * segment
    return 2 * segment <= size <= MOST_SEGMENTS * segment


def candidates(topology):
    """Methods of the exhaustive search, and {name: sizes}."""
    methods, sizes = [], {}
    for kind, (low, high) in KINDS.items():
        for smaller, segment in zip([0, *SEGMENTS], SEGMENTS):
            method = Method(f"pipebcast:{kind}:{segment}", PIPEBCAST_SETTINGS)
            of_method = [s for s in SIZES if low <= s <= (high or s)
                         and is_sensible(segment, smaller, s)]
            if of_method:
                methods.append(method)
                sizes[method.name] = of_method
    return methods, sizes


def known_us(directory, topology):
    """{size: {method: time}} of an earlier run's results in `directory`."""
    path = os.path.join(directory, "auto", f"topology{os.path.basename(topology)}.json")
    try:
        with open(path, encoding="utf-8") as file:
            methods = json.load(file)["methods"]
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"--known: {path}: {error}; name the --output of an earlier run") from error
    known = {}
    for method in methods:
        for row in method["sizes"]:
            if method["name"] != "pipebcast" and row["median_us"]:
                known.setdefault(row["bytes"], {})[method["name"]] = row["median_us"]
    return known


def is_near(known, name, size, near):
    """Whether a method was near the best in the earlier run; all are where that had none."""
    times = known.get(size)
    return not times or times.get(name, float("inf")) <= near * min(times.values())


class Auto:
    """On each topology: a model measured there, the exhaustive search, tuned, and auto."""

    name = "auto"
    figure = "no figure: ours"
    shows = ("For every message size: the best of all kinds of tree and segment sizes, found by "
             "measuring them; what the component chooses by a model that pipebcast-tune measured "
             "on that very testbed; tuned by itself; and the predicted time beside the measured.")
    claims = [
        Claim("auto is within 10 % of the best of all", AUTO, BEST, high=1.1, said="ours"),
        Claim("auto is never slower than tuned by more than 5 %", AUTO, TUNED, high=1.05,
              said="ours"),
        Claim("predicted times are within 20 % of the measured ones from 64 KB", PREDICTED, AUTO,
              low=0.8, high=1.2, sizes=(64 * K, None), said="ours"),
    ]

    def run(self, options, directory):
        """Yields the exit status."""
        runs, failed, interrupted = [], False, False
        for topology in options.topologies or TOPOLOGIES:
            run = AutoRun(options, topology, directory)
            interrupted = run.measure()
            runs.append(run)
            print(run.text(), flush=True)
            failed = failed or bool(run.search.failures())
            if interrupted:
                break
        return exit_status(self._write(runs, directory), failed, interrupted)

    def _write(self, runs, directory):
        """Yields the verdicts."""
        points = [(run.search.topology, size) for run in runs for size in run.sizes]
        of = {run.search.topology: run for run in runs}
        verdicts = [judge(claim, points, lambda t, name, size: of[t].time_us(name, size))
                    for claim in self.claims]
        said = "\n".join(verdict.text() for verdict in verdicts) + "\n"
        with open(os.path.join(directory, "table.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(run.text() for run in runs) + "\n" + said)
        write_json(os.path.join(directory, "results.json"),
                   {"experiment": self.name, "rows": [row for run in runs for row in run.rows()],
                    "claims": [verdict.record() for verdict in verdicts]})
        print(said + f"results: {directory}\n", flush=True)
        return verdicts


class AutoRun:
    """One topology."""

    def __init__(self, options, topology, directory):
        self.search = Search(options, topology, directory)
        self.sizes = [s for s in SIZES if options.only_sizes is None or s in options.only_sizes]
        self.auto = Method("pipebcast", {"coll_pipebcast_model_file": self.search.tuned.path, **BY_TREES})
        self.tuned = Method("tuned")
        self.others, sizes = candidates(os.path.basename(topology))
        sizes["tuned"] = SIZES
        known = known_us(options.known, topology) if options.known else {}
        sizes = {name: [s for s in of if s in self.sizes and is_near(known, name, s, options.near)]
                 for name, of in sizes.items()}
        self.others = [m for m in self.others if sizes[m.name]]
        self.matrix = Matrix([self.auto, self.tuned, *self.others], self.sizes, sizes)
        self.chosen = {}  # by size: the Candidate

    def measure(self):
        return self.search.run(self.matrix, self._worth_again, self._predict)

    def _predict(self, predictor):
        self.chosen = {size: predictor.chosen(size) for size in self.sizes}

    def _worth_again(self, method, size):
        took = self.search.took_us(method, size)
        return method is self.auto or took is None \
            or took <= NEAR * self.search.took_us(self.best(size), size)

    def best(self, size):
        """The fastest method but auto; what tuned does is a choice, too."""
        return self.search.best([self.tuned, *self.others], size)

    def time_us(self, name, size):
        if name == PREDICTED:
            return self.chosen[size].predicted_us if size in self.chosen else None
        method = {AUTO: self.auto, TUNED: self.tuned}.get(name) or self.best(size)
        return self.search.took_us(method, size) if method else None

    def rows(self):
        for size in self.sizes:
            best, chosen = self.best(size), self.chosen.get(size)
            yield {"topology": self.search.topology, "bytes": size,
                   "best": best.name if best else None, "best_us": self.time_us(BEST, size),
                   "chosen": chosen.name if chosen else None,
                   "auto_us": self.time_us(AUTO, size), "tuned_us": self.time_us(TUNED, size),
                   "predicted_us": self.time_us(PREDICTED, size)}

    def text(self):
        out = [f"topology ({self.search.topology}), {self.search.options.rate}, "
               f"{self.search.options.runs} runs", "",
               f"{'message':<8} {'best found':<24} {'ms':>10}  {'auto chose':<20} {'ms':>10} "
               f"{'/ best':>7} {'/ tuned':>8} {'predicted / measured':>21}"]
        for row in self.rows():
            ours = row["auto_us"]
            ratios = [f"{a / b:.2f}" if a and b else "-" for a, b in
                      ((ours, row["best_us"]), (ours, row["tuned_us"]),
                       (row["predicted_us"], ours))]
            times = [f"{us / 1e3:.2f}" if us else "-" for us in (row["best_us"], ours)]
            out.append(f"{bytes_text(row['bytes']):<8} {row['best'] or '-':<24} {times[0]:>10}  "
                       f"{row['chosen'] or '-':<20} {times[1]:>10} {ratios[0]:>7} {ratios[1]:>8} "
                       f"{ratios[2]:>21}")
        return "\n".join(out + ["", *self.search.failures()])


AUTO_EXPERIMENT = Auto()
