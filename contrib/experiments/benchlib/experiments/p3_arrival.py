"""
Paper 3, Figures 7 to 11: broadcasts at which ranks arrive at different times, over MAX_IF or over message sizes, beside
OPT, the lower bound that pipebcast-bench computes from the arrivals. The figures' own axes are lost; sizes and MAX_IF are
those that the text names for its 16 Ethernet hosts (256 KB for Figure 7, 512 KB for Figure 9, MAX_IF = n for Figures 8
and 10) and doublings around them. Figure 11, measured on 16 hosts of another network, names no size.
"""

import statistics

from ..claims import Claim
from ..command import measure_at
from ..experiment import View
from ..methods import BY_TREES, Method
from ..run import run_bench
from ..samples import times_by_segment
from ..units import bytes_text, parse_sizes

K = 1024
N = 16  # hosts of topology (1)
MAX_IFS = [1, 4, 16, 64]
SIZES = [32 * K, 64 * K, 128 * K, 256 * K, 512 * K]
PATTERNS, PINGPONGS = 20, 5
# Of links, fast enough for as many patterns as the paper has.
RATE = "10mbit"
# Seconds for a run, and for each of its patterns.
PATIENCE_S, PATTERN_S = 120, 20

# The papers measure below the size from which the plugin takes part by itself; and none of the algorithms that are
# compared may become aware of arrivals by itself.
PLAIN = {"coll_pipebcast_min_size": "1", "coll_pipebcast_arrival": "off", **BY_TREES}
# The paper's flat tree sends whole messages, one receiver after the other.
WHOLE = {**PLAIN, "coll_pipebcast_segment_size": str(1 << 30)}
# Data sent to a rank before it comes have to wait in its host's TCP buffer: else the sender keeps it, and sends it when the
# rank is there.
ROOMY = {**PLAIN, "btl_tcp_rcvbuf": str(1024 * K)}
LINES = {
    "flat": Method("pipebcast:flat", WHOLE), "linear_p": Method("pipebcast:rank_chain", PLAIN), "binomial": Method("tuned:binomial"),
    "native (tuned)": Method("tuned"), "arrival_b": Method("pipebcast:arrival_b", PLAIN),
    # Over the paper's own tree in a group: a chain of segments of 8 KB.
    "arrival_b over a chain": Method("pipebcast:chain:8192", {**PLAIN, "coll_pipebcast_arrival": "b"}),
    "flat_nb": Method("pipebcast:flat_nb", ROOMY), "arrival_nb": Method("pipebcast:arrival_nb", ROOMY),
    "arrival off": Method("pipebcast:auto", PLAIN),
    "arrival auto": Method("pipebcast", {**PLAIN, "coll_pipebcast_arrival": "auto"}),
    # tuned's algorithms at the segment sizes that suit topology (1).
    "tuned pipeline": Method("tuned:pipeline:2874"), "tuned binary": Method("tuned:binary:2874"),
    "tuned split binary": Method("tuned:split_binary:2874"), "tuned scatter+rec.": Method("tuned:scatter_allgather"),
    "tuned scatter+ring": Method("tuned:scatter_allgather_ring")}
RIVALS = ("flat", "linear_p", "binomial", "native (tuned)")
FORWARDING = RIVALS[1:]
BLOCKING = [*RIVALS, "arrival_b"]
FORCED = [name for name in LINES if name.startswith("tuned ")]
OF_TUNED = ("binomial", "native (tuned)", *FORCED)

# Behind a line's name: samples of OPT and of the waiting for the root in the very broadcasts of the line.
OPT, WAITING = " OPT", " waiting"
# Behind a line's name, in claims: its times over OPT, of which the mean or the greatest counts, its time less the waiting,
# and its time at the least MAX_IF.
MEAN, WORST, NET, LEFTMOST = ", mean of patterns", ", worst pattern", ", net", ", leftmost"


class Panel:
    """A diagram over sizes, or over MAX_IF if there is one size. learning: so many first patterns do not count."""

    def __init__(self, kind, sizes, max_ifs, learning=0):
        self.kind = kind
        self.sizes = sizes
        self.max_ifs = max_ifs
        self.learning = learning
        self.over_sizes = len(max_ifs) == 1


class _ArrivalView(View):
    """Times are average per-node times. A point is (letter of the panel, size or MAX_IF)."""

    def __init__(self, figure, samples):
        self.figure = figure
        self.cells = {}
        for (network, *_), cells in times_by_segment(samples).items():
            for (method, size), by_segment in cells.items():
                self.cells[network, method, size] = by_segment[0]
        self.panels = dict(zip("abcdefgh", figure.panels))

    def _known(self, panel):
        """{x: (network, size)} of what was measured; over MAX_IF of the greatest size that was measured."""
        found = {(network, size) for network, _, size in self.cells if network.startswith(f"{self.figure.network}, {panel.kind}, ")}
        points = {}
        for network, size in sorted(found, key=lambda item: (item[1] in panel.sizes, item[1])):
            max_if = int(network.rpartition(" ")[2])
            if panel.over_sizes and max_if == panel.max_ifs[0]:
                points[size] = network, size
            elif not panel.over_sizes:
                points[max_if] = network, size
        return points

    def points(self):
        return [(letter, x) for letter, panel in self.panels.items() for x in sorted(self._known(panel))]

    def where(self, place, size):
        network, n = self._known(self.panels[place])[size]
        return f"at {bytes_text(n)}, {network.rpartition(', ')[2]}"

    def _times(self, place, name, x):
        at = self._known(self.panels[place]).get(x)
        return self.cells.get((at[0], name, at[1]), [])[self.panels[place].learning:] if at else []

    def values(self, place, name, size):
        line, comma, what = name.rpartition(", ")
        what = comma + what
        if what in (MEAN, WORST):
            return [took / opt for took, opt in zip(self._times(place, line, size), self._times(place, line + OPT, size))]
        if what == NET:
            return [took - w for took, w in zip(self._times(place, line, size), self._times(place, line + WAITING, size))]
        if what == LEFTMOST:
            return self._times(place, line, min(self._known(self.panels[place])))
        return self._times(place, name, size)

    def value(self, place, name, size):
        """As in the paper, the mean over patterns."""
        values = self.values(place, name, size)
        if not values:
            return None
        return max(values) if name.endswith(WORST) else statistics.mean(values)


def run_patterns(session, place, line, kind, size, max_ifs, *more, patterns=PATTERNS):
    """The rows of pipebcast-bench for a line of LINES. more: further options of it."""
    n = session.options.patterns or patterns
    outcome = run_bench(place, LINES[line], [
        "--csv", "--clock", "shared", "--label", line, "--sizes", str(size), "--arrival", kind, "--max-if", ",".join(map(str, max_ifs)),
        "--patterns", str(n), "--seed", "1", "--iterations", str(PINGPONGS), "--check", *more], len(max_ifs) * n, session.options,
        PATIENCE_S + PATTERN_S * n * len(max_ifs))
    if outcome.failure:
        session.fail(f"{session.options.experiment}, {line}, {kind}, {bytes_text(size)}: {outcome.failure}")
    return outcome.rows


class ArrivalFigure:
    """A claim's places are letters of panels."""

    def __init__(self, name, figure, panels, lines, claims, model="blocking", topology="1", rate=RATE, up=()):
        """
        lines: names of LINES; model: "blocking" or "nonblocking", whose OPT lines are held against; rate: of links; up: further
        options of the testbed's.
        """
        self.name = name
        self.figure = figure
        self.panels = panels
        self.lines = lines
        self.claims = claims
        self.model = model
        self.topology = topology
        self.network = f"({topology})"
        self.rate = rate
        self.up = up

    def view(self, samples):
        return _ArrivalView(self, samples[self.name])

    def measure(self, session):
        """Options choose sizes, MAX_IF, lines and the number of patterns."""
        options, place = session.options, session.place(self.topology, self.rate, *self.up)
        lines = options.methods.split(",") if options.methods else self.lines
        points = {}
        for panel in self.panels:
            for size in parse_sizes(options.sizes) if options.sizes else panel.sizes:
                points.setdefault((panel.kind, size), set()).update(options.max_ifs or panel.max_ifs)

        def all_of_it():
            for (kind, size), max_ifs in sorted(points.items()):
                for line in lines:
                    self._measure_line(session, place, line, kind, size, sorted(max_ifs))

        return measure_at(place, all_of_it)

    def _measure_line(self, session, place, line, kind, size, max_ifs):
        machine = session.writer.machine()
        for row in run_patterns(session, place, line, kind, size, max_ifs):
            for what, field in (("", "average_us"), (OPT, f"opt_{self.model}_us"), (WAITING, "waiting_us")):
                session.writer.write(f"{self.network}, {kind}, MAX_IF {row['max_if']}", line + what, size, 1e3 * float(row[field]),
                                     broadcast=row["pattern"], speed=self.rate, machine=machine)


THEOREM_6 = Claim("arrival_b's average per-node time is at most 3 times OPT for every pattern (Theorem 6)",
                  "arrival_b" + WORST, None, high=3)
RATIOS = [
    THEOREM_6,
    Claim("and at most 1.8 times on average from MAX_IF 4", "arrival_b" + MEAN, None,
          high=1.8, sizes=(4, None), said="ours"),
]


LESS_THAN_OPT = "half of the time of tuned's binary tree would be less than OPT"
LITTLE_TO_SAVE = "at MAX_IF 1 ranks are late by one message: there is little waiting to save (inferred)"
LITTLE_MORE = "half of the time of tuned's binary tree would be little more than OPT"


def better_than_tuned(size, *whys):
    """whys: of the claims, where they do not hold; of one: the first claim alone."""
    return [Claim(f"at MAX_IF = n arrival_b's average per-node time is at most half of the best of tuned's algorithms{less}",
                  tuple(name + of for name in OF_TUNED), "arrival_b" + of, low=2, sizes=(size, size), said="ours", why=why)
            for of, less, why in zip(("", NET), ("", ", both less the waiting for the root"), whys or ("", ""))]


FIG7 = ArrivalFigure(
    name="p3-fig7",
    figure="paper 3, Figure 7",
    panels=[Panel("random", [256 * K], MAX_IFS)],
    lines=BLOCKING,
    claims=[
        Claim("where MAX_IF is small arrival_b is only slightly slower than the best (we say: at "
              "most 1.25 times, at MAX_IF 1)", "arrival_b", RIVALS, high=1.25, sizes=(1, 1)),
        Claim("where MAX_IF is large arrival_b is significantly faster than all others (we say: "
              "1.2 times, from 16)", RIVALS, "arrival_b", low=1.2, sizes=(16, None)),
        *RATIOS,
    ])

FIG8 = ArrivalFigure(
    name="p3-fig8",
    figure="paper 3, Figure 8",
    panels=[Panel("random", SIZES, [N])],
    lines=BLOCKING + FORCED,
    claims=[
        Claim("at 32 and 64 KB arrival_b is the fastest (paper: for a wide range of sizes)", RIVALS, "arrival_b", low=1, sizes=(32 * K, 64 * K)),
        *better_than_tuned(256 * K, LESS_THAN_OPT, LITTLE_MORE),
    ])

FIG9 = ArrivalFigure(
    name="p3-fig9",
    figure="paper 3, Figure 9",
    panels=[Panel("late", [512 * K], MAX_IFS)],
    lines=BLOCKING,
    claims=[
        Claim("where MAX_IF is large binomial, linear_p and native perform worse than arrival_b "
              "(we say: 1.2 times, from 16)", FORWARDING, "arrival_b", low=1.2,
              sizes=(16, None)),
        Claim("flat behaves as arrival_b, which is much faster (we say: 1.5 times)", "flat",
              "arrival_b", low=1.5),
        *RATIOS,
    ])

FIG10 = ArrivalFigure(
    name="p3-fig10",
    figure="paper 3, Figure 10",
    panels=[Panel("late", SIZES, [N])],
    lines=BLOCKING + FORCED,
    claims=[
        Claim("at 32 and 64 KB arrival_b is the fastest, too (paper: for a wide range of sizes)", RIVALS, "arrival_b", low=1, sizes=(32 * K, 64 * K)),
        *better_than_tuned(256 * K),
    ])

FIG11 = ArrivalFigure(
    name="p3-fig11",
    figure="paper 3, Figure 11 (the paper's: InfiniBand)",
    panels=[Panel("late", [256 * K], MAX_IFS),
            Panel("late", SIZES, [N])],
    lines=["flat", "flat_nb", "arrival_b", "arrival_nb"],
    claims=[
        Claim("the nonblocking flat tree is faster than the blocking one", "flat", "flat_nb", low=1, why=LITTLE_TO_SAVE),
        Claim("arrival_nb is faster than arrival_b", "arrival_b", "arrival_nb", low=1, why=LITTLE_TO_SAVE),
        Claim("arrival_nb's time hardly depends on MAX_IF (we say: within 20 %)", "arrival_nb",
              "arrival_nb" + LEFTMOST, low=1 / 1.2, high=1.2, places=("a",)),
        Claim("arrival_nb's average per-node time is at most 3 times OPT for every pattern "
              "(Theorem 5)", "arrival_nb" + WORST, None, high=3),
    ],
    model="nonblocking")

# Not in the paper as a figure: in Figure 6 the root is late as any other, and of the time until it
# comes no algorithm can save anything. Section 3.1 takes the root to be first.
ROOT_FIRST = ArrivalFigure(
    name="p3-root-first",
    figure="no figure: paper 3, Figure 7 with the root first",
    panels=[Panel("root-first", [256 * K], MAX_IFS)],
    lines=BLOCKING + FORCED,
    claims=[*better_than_tuned(N, LITTLE_MORE), *RATIOS])

# Section 5: how the paper's arrival_b serves a group on its 16 Ethernet hosts.
CHAIN = ArrivalFigure(
    name="p3-chain",
    figure="paper 3, section 5: arrival_b over a chain",
    panels=[Panel("random", [256 * K], MAX_IFS)],
    lines=["arrival_b over a chain", "arrival_b"],
    claims=[
        Claim("with the paper's own tree, a chain of 8 KB, it is at most 3 times OPT for every pattern (Theorem 6)",
              "arrival_b over a chain" + WORST, None, high=3),
        Claim("over the trees that are chosen it is no slower (we say: by 5 %)", "arrival_b", "arrival_b over a chain", high=1.05, said="ours")])

# The paper's larger cluster, Draco: 16 hosts of 8 ranks. So many need slower links.
DRACO = ArrivalFigure(
    name="p3-draco",
    figure="paper 3, Figure 9 on 16 hosts of 8 ranks (the paper's: InfiniBand, 1 MB)",
    panels=[Panel("late", [64 * K], [1, N])],
    lines=[*FORWARDING, "arrival_b", "arrival off"],
    claims=[
        Claim("at MAX_IF 16 arrival_b is faster than linear_p (paper: on InfiniBand; we say: twice)", "linear_p", "arrival_b", low=2,
              sizes=(N, None)),
        Claim("binomial and native perform worse there, too (we say: 1.2 times)", FORWARDING[1:], "arrival_b", low=1.2, sizes=(N, None)),
        Claim("at MAX_IF 1 it is only slightly slower than linear_p (we say: 1.25 times)", "arrival_b", "linear_p", high=1.25, sizes=(1, 1)),
        Claim("and than the plain broadcast, in which hosts have leaders, too (we say: 1.25 times)", "arrival_b", "arrival off", high=1.25,
              sizes=(1, 1), said="ours"),
        THEOREM_6],
    rate="2mbit", up=("--ppn", "8"))

# Ours: whether the component may be left to notice by itself how ranks arrive. With MAX_IF 1 all
# ranks of "random" arrive together.
# It looks at the second and third broadcast of a communicator, and serves the sixth accordingly.
LEARNING = 5

NOTICED = ArrivalFigure(
    name="p3-auto",
    figure="no figure: ours",
    panels=[Panel("random", [64 * K, 256 * K, 1024 * K], [1]),
            Panel("late", [256 * K], [N], learning=LEARNING),
            Panel("random", [128 * K], [N], learning=LEARNING)],
    lines=["arrival off", "arrival auto", "arrival_b"],
    claims=[
        Claim("balanced, from 256 KB, arrival_b is within 5 % of the plain broadcast", "arrival_b",
              "arrival off", high=1.05, sizes=(256 * K, None), places=("a",), said="ours"),
        Claim("balanced, noticing costs nothing that can be measured (we say: 2 %)",
              "arrival auto", "arrival off", high=1.02, places=("a",), said="ours",
              why="each line is one job, and medians of jobs that are alike differ by more"),
        Claim("imbalanced, it comes within 10 % of arrival_b", "arrival auto", "arrival_b",
              high=1.1, places=("b", "c"), said="ours",
              why="25 broadcasts are few: at 128K the first probe took arrivals for even, and the next one came late"),
    ],
    topology="5")

FIGURES = [FIG7, FIG8, FIG9, FIG10, FIG11, ROOT_FIRST, CHAIN, DRACO, NOTICED]
