"""
Paper 2, Table 3, Figure 11 and, on the same topology, Figure 16: the segment sizes that our model predicts,
those that the paper's printed formulas (1) and (2) predict, and the best ones.
"""

from ..claims import Claim, judge
from ..conclusion import conclude
from ..experiment import PIPEBCAST_SETTINGS
from ..formulas import costs_at, printed_time, tree_of
from ..matrix import Matrix
from ..methods import Method
from ..search import Search
from ..tuning import read_costs
from ..units import bytes_text, parse_sizes

K = 1024
KINDS = ["chain", "binary"]  # the binary tree of Algorithm 2
SEGMENTS = [256 << i for i in range(8)]
SIZES = parse_sizes("8K:2M")
TOPOLOGY = "4"
BY_MODEL, BY_FORMULA = " by the model", " by the formula"


def method_of(kind, segment):
    return Method(f"pipebcast:{kind}:{segment}", PIPEBCAST_SETTINGS)


class Segments:
    """What both experiments are made of, measured once for all of a call."""

    def __init__(self):
        self.search = None
        self.interrupted = False
        self.sizes = SIZES
        self.options = None
        self.predicted = {}  # by our model; (kind, segment, size): us
        self.printed = {}  # by formulas (1) and (2); likewise

    def _predict(self, predictor):
        place = self.search.place
        rows = read_costs(self.search.tuned.path)["switch"]
        for kind in KINDS:
            children = tree_of(self.options, place, kind)
            for size in self.sizes:
                for segment in self.segments(size):
                    self.predicted[kind, segment, size] = predictor.time_us(kind, segment, size)
                    latency, gap = costs_at(rows, segment)
                    self.printed[kind, segment, size] = printed_time(
                        children, place.hosts[0], latency, gap, -(-size // segment)) / 1e3

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
        self.options = options
        self.search = Search(options, topology, directory)
        self.interrupted = self.search.run(
            matrix, self._worth_again(options.near), self._predict,
            ["--no-fallback", "--sizes", ",".join(map(str, SEGMENTS))])

    def _worth_again(self, near):
        def worth(method, size):
            best = self.best(method.algorithm, size)
            took = self.search.took_us(method, size)
            return took is None or best is None or method.segment in (
                self.model_of(method.algorithm, size),
                self.formula_of(method.algorithm, size)) or took <= near * self.took_us(method.algorithm, best, size)
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

    def formula_of(self, kind, size):
        """The one with the least time by formula (1) or (2)."""
        return min(self.segments(size), key=lambda segment: self.printed[kind, segment, size])

    def time_us(self, name, size):
        """name: KIND, with the best segment size, or KIND + BY_MODEL, or KIND + BY_FORMULA."""
        kind = name.removesuffix(BY_MODEL).removesuffix(BY_FORMULA)
        chosen = self.model_of if name.endswith(BY_MODEL) \
            else self.formula_of if name.endswith(BY_FORMULA) else self.best
        segment = chosen(kind, size)
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
        return conclude(self, directory, self.table(SHARED), verdicts, {"rows": list(rows_of(SHARED))},
                        SHARED.search.failures(), SHARED.interrupted, f", topology ({topology})")


def rows_of(segments):
    for (kind, segment, size), predicted in segments.predicted.items():
        yield {"kind": kind, "segment": segment, "bytes": size, "predicted_us": predicted,
               "formula_us": segments.printed[kind, segment, size],
               "median_us": segments.took_us(kind, segment, size)}


def table3(segments):
    out = [" " * 8 + "".join(f" |{kind:^32}" for kind in KINDS),
           f"{'message':<8}" + f" |{'formula':>10}{'model':>11}{'actual':>11}" * len(KINDS)]
    for size in segments.sizes:
        line = f"{bytes_text(size):<8}"
        for kind in KINDS:
            best = segments.best(kind, size)
            line += f" |{segments.formula_of(kind, size):>9}B{segments.model_of(kind, size):>10}B" \
                + (f"{best:>10}B" if best else f"{'-':>11}")
        out.append(line)
    return out + ["", "formula: the segment size with the least time by formulas (1) and (2); model: by "
                  "ours."]


def figure11(segments):
    out = [" " * 8 + "".join(f" |{kind:^61}" for kind in KINDS),
           f"{'message':<8}" + (f" |{'best, ms':>10}{'by formula':>11}{'ratio':>6}{'by model':>10}"
                                f"{'ratio':>6}{'formula':>9}{'model':>9}") * len(KINDS)]
    for size in segments.sizes:
        line = f"{bytes_text(size):<8}"
        for kind in KINDS:
            times = [segments.time_us(kind + by, size) for by in ("", BY_FORMULA, BY_MODEL)]
            formula = segments.printed[kind, segments.formula_of(kind, size), size]
            model = segments.predicted[kind, segments.model_of(kind, size), size]
            line += " |" + (f"{times[0] / 1e3:>10.2f}{times[1] / 1e3:>11.2f}{times[1] / times[0]:>6.2f}"
                            f"{times[2] / 1e3:>10.2f}{times[2] / times[0]:>6.2f}"
                            if None not in times else f"{'-':>43}") \
                + f"{formula / 1e3:>9.1f}{model / 1e3:>9.1f}"
        out.append(line)
    return out + ["", "ms: measured with the best segment size, with that of the formula and with that "
                  "of our model; the last two: the times that they predict for these."]


def figure16(segments):
    """Every segment size: measured, and what formula and model say of it."""
    out = []
    for kind in KINDS:
        out += [f"{kind}, ms: measured / formula / model", f"{'message':<8}"
                + "".join(f"{bytes_text(segment):>27}" for segment in SEGMENTS)]
        for size in segments.sizes:
            line = f"{bytes_text(size):<8}"
            for segment in segments.segments(size):
                took = segments.took_us(kind, segment, size)
                cell = " / ".join(f"{us / 1e3:.1f}" if us else "-" for us in (
                    took, segments.printed[kind, segment, size], segments.predicted[kind, segment, size]))
                line += f"{cell:>27}"
            out.append(line)
        out.append("")
    return out[:-1]


TABLE3 = OfSegments(
    name="p2-table3",
    figure="paper 2, Table 3",
    shows="Of the paper's eight segment sizes, those that formulas (1) and (2) and our model predict to "
          "be best, and the one that is.",
    table=table3, claims=[])

FIG11 = OfSegments(
    name="p2-fig11",
    figure="paper 2, Figure 11",
    shows="Broadcast with the segment size that the model predicts to be best, and with the best.",
    table=figure11,
    claims=[Claim(f"{kind}: the segment size{by} is close to the best (we say: within 10 %)",
                  kind + by, kind, high=1.1) for by in (BY_FORMULA, BY_MODEL) for kind in KINDS])

FIG16_MODEL = OfSegments(
    name="p2-fig16-model",
    figure="paper 2, Figure 16, with what is predicted",
    shows="Every segment size of the paper: measured, by formulas (1) and (2), and by our model.",
    table=figure16, claims=[])

TABLES = [TABLE3, FIG11, FIG16_MODEL]
