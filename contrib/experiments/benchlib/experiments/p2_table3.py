"""Paper 2, Table 3 and Figure 11: the segment sizes that the model predicts, and the best ones."""

import os

from ..claims import Claim, judge
from ..experiment import PIPEBCAST_SETTINGS
from ..matrix import Matrix
from ..methods import Method
from ..report import write_json
from ..search import Search
from ..units import bytes_text, parse_sizes

K = 1024
KINDS = ["chain", "binary"]
SEGMENTS = [256 << i for i in range(8)]
SIZES = parse_sizes("8K:2M")
TOPOLOGY = "4"


def method_of(kind, segment):
    return Method(f"pipebcast:{kind}:{segment}", PIPEBCAST_SETTINGS)


class Segments:
    """What both experiments are made of, measured once for all of a call."""

    def __init__(self):
        self.search = None
        self.interrupted = False
        self.sizes = SIZES
        self.predicted = {}  # (kind, segment, size): us

    def _predict(self, predictor):
        for kind in KINDS:
            for size in self.sizes:
                for segment in self.segments(size):
                    self.predicted[kind, segment, size] = predictor.time_us(kind, segment, size)

    @staticmethod
    def segments(size):
        return [segment for segment in SEGMENTS if segment <= size]

    def measure(self, options, directory):
        if self.search is not None:
            return
        topology = options.topologies[0] if options.topologies else TOPOLOGY
        self.sizes = options.only_sizes or SIZES
        methods = [method_of(kind, segment) for segment in SEGMENTS for kind in KINDS]
        sizes = {m.name: [s for s in self.sizes if m.segment <= s] for m in methods}
        matrix = Matrix([m for m in methods if sizes[m.name]], self.sizes, sizes)
        self.search = Search(options, topology, directory)
        self.interrupted = self.search.run(
            matrix, self._worth_again(options.near), self._predict, ["--no-fallback"])

    def _worth_again(self, near):
        def worth(method, size):
            best = self.best(method.algorithm, size)
            took = self.search.took_us(method, size)
            return took is None or best is None or method.segment == self.model_of(
                method.algorithm, size) or took <= near * self.took_us(method.algorithm, best, size)
        return worth

    def took_us(self, kind, segment, size):
        return self.search.took_us(method_of(kind, segment), size)

    def best(self, kind, size):
        """The segment size that is fastest in fact, or None."""
        methods = [method_of(kind, segment) for segment in self.segments(size)]
        best = self.search.best([m for m in methods if m.name in self.search.matrix.outcomes], size)
        return best.segment if best else None

    def model_of(self, kind, size):
        """The segment size with the least predicted time."""
        return min(self.segments(size), key=lambda segment: self.predicted[kind, segment, size])

    def time_us(self, name, size):
        """name: KIND, with the best segment size, or KIND + " by the model"."""
        kind, _, by_model = name.partition(" ")
        segment = self.model_of(kind, size) if by_model else self.best(kind, size)
        return self.took_us(kind, segment, size) if segment else None


SHARED = Segments()


class OfSegments:
    """An experiment over the shared measurements."""

    def __init__(self, name, figure, shows, table, claims):
        self.name = name
        self.figure = figure
        self.shows = shows
        self.table = table
        self.claims = claims

    def run(self, options, directory):
        """Yields the exit status."""
        SHARED.measure(options, directory)
        topology = SHARED.search.topology
        verdicts = [judge(claim, [(topology, size) for size in SHARED.sizes],
                          lambda _, name, size: SHARED.time_us(name, size))
                    for claim in self.claims]
        text = "\n".join([f"{self.name}: {self.figure}, topology ({topology})", self.shows, "",
                          *self.table(SHARED), "", *SHARED.search.failures(),
                          *(verdict.text() for verdict in verdicts)]) + "\n"
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "table.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        write_json(os.path.join(directory, "results.json"),
                   {"experiment": self.name, "rows": list(rows_of(SHARED)),
                    "claims": [verdict.record() for verdict in verdicts]})
        print(text + f"results: {directory}\n", flush=True)
        return 130 if SHARED.interrupted else 1 if SHARED.search.failures() else 0


def rows_of(segments):
    for (kind, segment, size), predicted in segments.predicted.items():
        yield {"kind": kind, "segment": segment, "bytes": size, "predicted_us": predicted,
               "median_us": segments.took_us(kind, segment, size)}


def table3(segments):
    out = [" " * 8 + "".join(f" |{kind:^21}" for kind in KINDS),
           f"{'message':<8}" + f" |{'model':>10}{'actual':>11}" * len(KINDS)]
    for size in segments.sizes:
        line = f"{bytes_text(size):<8}"
        for kind in KINDS:
            best = segments.best(kind, size)
            line += f" |{segments.model_of(kind, size):>9}B" \
                + (f"{best:>10}B" if best else f"{'-':>11}")
        out.append(line)
    return out


def figure11(segments):
    out = [" " * 8 + "".join(f" |{kind:^47}" for kind in KINDS),
           f"{'message':<8}" + (f" |{'best, ms':>12}{'by model, ms':>14}{'ratio':>7}"
                                f"{'predicted, ms':>14}") * len(KINDS)]
    for size in segments.sizes:
        line = f"{bytes_text(size):<8}"
        for kind in KINDS:
            best, ours = (segments.time_us(name, size) for name in (kind, kind + " by the model"))
            predicted = segments.predicted[kind, segments.model_of(kind, size), size]
            line += " |" + (f"{best / 1e3:>12.2f}{ours / 1e3:>14.2f}{ours / best:>7.2f}"
                            if best and ours else f"{'-':>33}") + f"{predicted / 1e3:>14.2f}"
        out.append(line)
    return out


TABLE3 = OfSegments(
    name="p2-table3",
    figure="paper 2, Table 3",
    shows="Of the paper's eight segment sizes, the one that the model predicts to be best, and the "
          "one that is.",
    table=table3, claims=[])

FIG11 = OfSegments(
    name="p2-fig11",
    figure="paper 2, Figure 11",
    shows="Broadcast with the segment size that the model predicts to be best, and with the best.",
    table=figure11,
    claims=[Claim(f"{kind}: the predicted segment size is close to the best (we say: within 10 %)",
                  f"{kind} by the model", kind, high=1.1) for kind in KINDS])

TABLES = [TABLE3, FIG11]
