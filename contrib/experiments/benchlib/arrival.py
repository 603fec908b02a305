"""
Figures of paper 3: broadcasts at which ranks arrive at different times, over MAX_IF or over
message sizes, beside OPT, the lower bound that pipebcast-bench computes from the arrivals.
"""

import dataclasses
import os
import statistics
from collections import namedtuple

from .claims import judge
from .experiment import PIPEBCAST_SETTINGS
from .figure import Axis, draw, write_plot
from .methods import Method
from .report import cell, ratio_cell, write_json, write_rows, write_text
from .units import UserError, bytes_text

# What is measured at a time: how ranks arrive (as --arrival of pipebcast-bench has it), bytes, MAX_IF.
Point = namedtuple("Point", "kind size max_if")

OPT = "OPT"
WAITING = "waiting for root"
# Names that claims can use beside lines and OPT.
ITS_OPT = "its OPT"


def mean_of(line):
    """Of a line the competitive ratio, mean over patterns; as a claim's time over ITS_OPT."""
    return f"{line}, mean of patterns"


def greatest_of(line):
    """Likewise, the greatest of all patterns."""
    return f"{line}, worst pattern"


def net_of(line):
    """Its average per-node time less the waiting for the root."""
    return f"{line}, net"


def first_of(line):
    """A line's time at the least MAX_IF or message size."""
    return f"{line}, leftmost"


class ArrivalLine:
    """A way to broadcast."""

    def __init__(self, name, family, settings=None, only=None, brief=False):
        """
        family: as a method's; settings: more parameters; only: the only x where it is shown; brief:
        few patterns do also at the main point.
        """
        settings = settings or {}
        if family.startswith("pipebcast"):
            settings = {**PIPEBCAST_SETTINGS, **settings}
        self.name = name
        self.method = Method(family, settings)
        self.only = only
        self.brief = brief


class ArrivalPanel:
    """One diagram: either several sizes or several MAX_IF."""

    def __init__(self, title, kind, sizes, max_ifs, quick, main, learning=0):
        """
        quick: (sizes, max_ifs) for a first look; main: the size or MAX_IF that has as many patterns
        as in the paper, where others may have to do with fewer; learning: so many of a run's first
        patterns do not count, of any line.
        """
        self.title = title
        self.kind = kind
        self.sizes = sizes
        self.max_ifs = max_ifs
        self.quick = quick
        self.main = main
        self.learning = learning
        self.over_sizes = len(sizes) > 1

    def chosen(self, options):
        """The panel with what the user wants: MAX_IF where it varies, one size or the axis's."""
        sizes, max_ifs = self.quick if options.quick else (self.sizes, self.max_ifs)
        sizes = options.only_sizes or sizes
        if not self.over_sizes and len(sizes) != 1:
            raise UserError(f"--sizes: the diagram '{self.title}' over MAX_IF has one size; give "
                            "one")
        if not self.over_sizes:
            max_ifs = options.max_ifs or max_ifs
        panel = ArrivalPanel(self.title, self.kind, sizes, max_ifs, self.quick, self.main,
                             self.learning)
        panel.over_sizes = self.over_sizes
        return panel

    def points(self):
        """{x: Point}"""
        if self.over_sizes:
            return {s: Point(self.kind, s, self.max_ifs[0]) for s in self.sizes}
        return {m: Point(self.kind, self.sizes[0], m) for m in self.max_ifs}

    def heading(self):
        if self.over_sizes:
            return f"{self.title}, MAX_IF = {self.max_ifs[0]}"
        return f"{self.title}, {bytes_text(self.sizes[0])}B messages"

    def axis(self):
        return Axis("message, bytes" if self.over_sizes else "MAX_IF",
                    "average time that a rank spends in the broadcast, ms")


@dataclasses.dataclass(eq=False)
class ArrivalFigure:
    """Declare it in experiments/ and list it there. A claim's topologies are letters of panels."""

    name: str
    figure: str
    shows: str
    panels: list
    lines: list
    claims: list
    model: str  # "blocking" or "nonblocking", whose OPT lines are held against
    notes: tuple = ()
    topology: str = "1"

    def chosen(self, options):
        """The figure with what the user wants of it."""
        lines = self.lines
        if options.lines:
            lines = [line for line in lines if line.name in options.lines]
        return dataclasses.replace(self, panels=[panel.chosen(options) for panel in self.panels],
                                   lines=lines)

    def shown(self, line, panel):
        """{x: Point} of a line."""
        return {x: point for x, point in panel.points().items()
                if line.only is None or x in line.only}

    def needs(self):
        """What to measure: [(Method, Point, whether it is a main point)]"""
        return [(line.method, point, x == panel.main and not line.brief)
                for panel in self.panels for line in self.lines
                for x, point in self.shown(line, panel).items()]

    def report(self, measured):
        return ArrivalReport(self, measured)


def avoidable_ratio(row, model):
    """
    The competitive ratio without the waiting that nobody can avoid: of both sides is taken away
    that ranks wait for a root which comes later than they do and, in the blocking model, that the
    root waits for the last rank. What is left of OPT is (n - 1) T(M) / n.
    """
    least = float(row["opt_nonblocking_us"]) - float(row["waiting_us"])
    unavoidable = float(row[f"opt_{model}_us"]) - least
    return (float(row["average_us"]) - unavoidable) / least


class Summary:
    """A method at a point: figures over all its patterns, times in microseconds."""

    def __init__(self, rows, model):
        def column(name):
            return [float(row[name]) for row in rows]

        ratios = column(f"ratio_{model}")
        self.n = len(rows)
        self.average = statistics.mean(column("average_us"))
        self.worst = statistics.mean(column("worst_us"))
        self.waiting = statistics.mean(column("waiting_us"))
        self.opt = statistics.mean(column(f"opt_{model}_us"))
        self.ratio = statistics.mean(ratios)
        self.greatest = max(ratios)
        self.net_ratio = statistics.mean(column(f"ratio_net_{model}"))
        self.avoidable_ratio = statistics.mean(avoidable_ratio(row, model) for row in rows)
        self.average_imbalance = statistics.mean(column("average_imbalance_factor"))
        self.worst_imbalance = statistics.mean(column("worst_imbalance_factor"))
        self.unit = statistics.median(column("pingpong_us"))


class ArrivalReport:
    """A figure with what was measured for it."""

    def __init__(self, figure, measured):
        self.figure = figure
        self.measured = measured
        points = [(letter, x) for letter, panel in self.panels() for x in panel.points()]
        self.learning = {point: panel.learning for panel in figure.panels
                         for point in panel.points().values()}
        self.verdicts = [judge(claim, points, self.quantity) for claim in figure.claims]

    def panels(self):
        return list(zip("abcdefgh", self.figure.panels))

    def summary(self, line, point):
        """None if it was not measured."""
        rows = self.measured.rows(line.method, point, self.learning[point])
        return Summary(rows, self.figure.model) if rows else None

    def common(self, point, name):
        """A mean over all lines: arrivals and T(M) differ a little from run to run."""
        found = [self.summary(line, point) for line in self.figure.lines]
        values = [getattr(summary, name) for summary in found if summary]
        return statistics.mean(values) if values else None

    def quantity(self, letter, name, x):
        """What a claim names, at an x of a panel."""
        points = dict(self.panels())[letter].points()
        if name == ITS_OPT:
            return 1.0
        if name == OPT:
            return self.common(points[x], "opt")
        for line in self.figure.lines:
            found = self.summary(line, points[x])
            first = self.summary(line, points[min(points)])
            known = {line.name: found and found.average,
                     mean_of(line.name): found and found.ratio,
                     greatest_of(line.name): found and found.greatest,
                     net_of(line.name): found and found.average - found.waiting,
                     first_of(line.name): first and first.average}
            if name in known:
                return known[name]
        return None

    # The table.

    def _patterns_text(self):
        """How many patterns points have, as results.csv has them."""
        numbers = sorted({row["patterns"] for row in self.rows()}, reverse=True)
        return (" or ".join(map(str, numbers)) or "no") + " patterns"

    @staticmethod
    def _cells(average, worst=None, ratio=None, greatest=None, avoidable=None):
        """One point of a line; times in microseconds."""
        return " |" + cell(average and average / 1e3, 8) \
            + (cell(worst / 1e3, 9) if worst else " " * 9) \
            + "".join(ratio_cell(value, 6) if value else " " * 6
                      for value in (ratio, greatest, avoidable))

    def _line_cells(self, line, panel):
        shown = self.figure.shown(line, panel)
        for x in panel.points():
            found = self.summary(line, shown[x]) if x in shown else None
            yield self._cells(found.average, found.worst, found.ratio, found.greatest,
                              found.avoidable_ratio) if found else self._cells(None)

    def _panel_table(self, letter, panel):
        points = panel.points()
        lines = [line for line in self.figure.lines if self.figure.shown(line, panel)]
        width = max([len(line.name) for line in lines] + [len(WAITING)])
        out = [f"({letter}) {panel.heading()}", ""]
        out.append(" " * width + "".join(
            " | " + (bytes_text(x) if panel.over_sizes else f"MAX_IF {x}").ljust(34)
            for x in points))
        out.append("line".ljust(width)
                   + f" |{'ms':>8}{'worst':>9}{'/OPT':>6}{'most':>6}{'own':>6}" * len(points))
        out.append("-" * width + ("-+" + "-" * 35) * len(points))
        out += [name.ljust(width) + "".join(self._cells(self.common(point, field))
                                            for point in points.values())
                for name, field in ((WAITING, "waiting"), (OPT, "opt"))]
        return out + [line.name.ljust(width) + "".join(self._line_cells(line, panel))
                      for line in lines]

    def text(self):
        figure = self.figure
        out = [f"{figure.name}: {figure.figure}", figure.shows, ""]
        for letter, panel in self.panels():
            out += self._panel_table(letter, panel) + [""]
        out += ["ms, worst: average and worst-case per-node time, means over "
                f"{self._patterns_text()}; waiting: what of the",
                "average time passed before the root came; /OPT, most: average time over the lower "
                f"bound OPT ({figure.model}",
                "model) of the very arrivals, mean and greatest of all patterns; own: the mean of "
                "the same without the waiting", "that nobody can avoid: on both sides without that of "
                "ranks for a root that comes later and, in the blocking", "model, without that of the "
                "root for the last rank.", ""]
        out += self.measured.troubles(line.method for line in figure.lines)
        out += [f"note: {note}" for note in figure.notes]
        out += [verdict.text() for verdict in self.verdicts]
        return "\n".join(out) + "\n"

    # Files.

    def rows(self):
        """A row for each panel, line and x."""
        for letter, panel in self.panels():
            for line in self.figure.lines:
                for x, point in self.figure.shown(line, panel).items():
                    found = self.summary(line, point)
                    if found:
                        yield {"panel": letter, "line": line.name, "method": line.method.name,
                               "arrival": point.kind, "bytes": point.size,
                               "max_if": point.max_if, "patterns": found.n,
                               "pingpong_us": found.unit, "average_us": round(found.average, 3),
                               "worst_us": round(found.worst, 3),
                               "waiting_us": round(found.waiting, 3), "opt_us": round(found.opt, 3),
                               "ratio": round(found.ratio, 4),
                               "ratio_greatest": round(found.greatest, 4),
                               "ratio_net": round(found.net_ratio, 4),
                               "ratio_avoidable": round(found.avoidable_ratio, 4),
                               "average_imbalance_factor": round(found.average_imbalance, 4),
                               "worst_imbalance_factor": round(found.worst_imbalance, 4)}

    def _draw(self, directory, letter, panel):
        points = panel.points()
        blocks = [(OPT, [(x, self.common(point, "opt")) for x, point in points.items()])]
        for line in self.figure.lines:
            shown = self.figure.shown(line, panel)
            found = {x: self.summary(line, point) for x, point in shown.items()}
            blocks.append((line.name, [(x, s and s.average) for x, s in found.items()]))
        times = [us for _, line in blocks for _, us in line if us is not None]
        if not times:
            return f"no figure of {panel.title}: nothing was measured"
        write_plot(directory, f"panel-{letter}", f"{self.figure.figure}: {panel.heading()}",
                   list(points), blocks, log_y=max(times) > 25 * min(times), axis=panel.axis())
        return draw(directory, f"panel-{letter}")

    def write(self, directory):
        """Writes table, CSV, JSON and figures. Yields messages about the figures."""
        os.makedirs(directory, exist_ok=True)
        write_text(directory, "table.txt", self.text())
        rows = list(self.rows())
        write_rows(os.path.join(directory, "results.csv"), rows, ["panel"])
        write_json(os.path.join(directory, "results.json"),
                   {"experiment": self.figure.name, "figure": self.figure.figure,
                    "model": self.figure.model, "rows": rows,
                    "claims": [v.record() for v in self.verdicts]})
        return [self._draw(directory, letter, panel) for letter, panel in self.panels()]
