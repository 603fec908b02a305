"""A figure of a paper as an experiment: what is measured for it, and what is made of that."""

import os

from .claims import T, judge
from .figure import draw, write_plot
from .methods import Method
from .report import cell, ratio_cell, write_json, write_rows, write_text
from .units import UserError, bytes_text, parse_sizes

# The papers measure below the size from which the plugin takes part by itself, and plain broadcasts.
PIPEBCAST_SETTINGS = {"coll_pipebcast_min_size": "1", "coll_pipebcast_arrival": "off"}


def kinds_of(options, usual):
    """The kinds of tree that --kinds names, or the experiment's usual ones."""
    kinds = options.kinds.split(",") if options.kinds else usual
    if "" in kinds:
        raise UserError(f"--kinds: '{options.kinds}' has an empty name")
    return kinds


class Line:
    """A line of a figure: a way to broadcast, at its best segment size if it has segments."""

    def __init__(self, name, family, segmented=False, settings=None):
        """family: COMPONENT[:ALGORITHM]; settings: more parameters of Open MPI."""
        self.name = name
        self.family = family
        self.segmented = segmented
        self.settings = settings or {}

    def methods(self, segments):
        settings = dict(self.settings)
        if self.family.startswith("pipebcast"):
            settings = {**PIPEBCAST_SETTINGS, **settings}
        if not self.segmented:
            return [Method(self.family, settings)]
        return [Method(f"{self.family}:{segment}", settings) for segment in segments]


class Panel:
    """One diagram of a figure."""

    def __init__(self, title, topology, sizes):
        self.title = title
        self.topology = topology
        self.sizes = parse_sizes(sizes)


class Experiment:
    """
    A figure of lines over message sizes. Declare it in experiments/ and list it there; what it
    needs measured is asked for by needs(), and report() gets the matrices, by topology.
    """

    def __init__(self, name, figure, shows, panels, lines, claims, notes=(), speed="2mbit"):
        """speed: of the links whose samples in doc/results tell which claims hold."""
        self.name = name
        self.figure = figure
        self.shows = shows
        self.panels = panels
        self.lines = lines
        self.claims = claims
        self.notes = notes
        self.speed = speed

    def topologies(self):
        return list(dict.fromkeys(panel.topology for panel in self.panels))

    def sizes_on(self, topology, only=None):
        """Its message sizes on a topology; `only` is what the user wants of them, or None."""
        sizes = {s for panel in self.panels if panel.topology == topology for s in panel.sizes}
        return sorted(sizes) if only is None else list(only)

    def needs(self, topology, segments, only_sizes=None):
        """What to measure on a topology: [(Method, sizes)]."""
        sizes = self.sizes_on(topology, only_sizes)
        return [(m, sizes) for line in self.lines for m in line.methods(segments)]

    def report(self, matrices, segments, only_sizes=None):
        return Report(self, matrices, segments, only_sizes)


class Report:
    """An experiment with what was measured for it."""

    def __init__(self, experiment, matrices, segments, only_sizes):
        self.experiment = experiment
        self.matrices = matrices  # by topology; some may be missing
        self.segments = segments
        self.only_sizes = only_sizes
        self.topologies = [t for t in experiment.topologies() if t in matrices]
        points = [(t, s) for t in self.topologies for s in experiment.sizes_on(t, only_sizes)]
        self.verdicts = [judge(claim, points, self.time_us) for claim in experiment.claims]

    def line(self, name):
        return next(line for line in self.experiment.lines if line.name == name)

    def best(self, topology, line, size):
        """The line's fastest method at a size and its time in us, or (None, None)."""
        matrix = self.matrices[topology]
        timed = [(matrix.median(m, size, "sync_median_us"), m)
                 for m in line.methods(self.segments) if m.name in matrix.outcomes]
        timed = [entry for entry in timed if entry[0] is not None]
        if not timed:
            return None, None
        took, method = min(timed, key=lambda entry: entry[0])
        return method, took

    def time_us(self, topology, name, size):
        if name == T:
            return self.matrices[topology].pingpong_us(size)
        return self.best(topology, self.line(name), size)[1]

    def panel_sizes(self, panel):
        """The panel's sizes; where the user asked for others, those."""
        wanted = self.only_sizes
        if wanted is None:
            return panel.sizes
        inside = [s for s in wanted if s in panel.sizes]
        return inside or list(wanted)

    # The table.

    def _row(self, panel, line, width):
        text = line.name.ljust(width)
        for size in self.panel_sizes(panel):
            method, took = self.best(panel.topology, line, size)
            base = self.time_us(panel.topology, T, size)
            mark = "*" if method and self.matrices[panel.topology].limited(method, size) else " "
            segment = str(method.segment) if method and method.segment else "-"
            text += " |" + cell(took and took / 1e3, 9, mark) \
                + ratio_cell(took and base and took / base, 7) + segment.rjust(7)
        return text

    def _panel_table(self, panel):
        sizes = self.panel_sizes(panel)
        width = max([len(line.name) for line in self.experiment.lines] + [len(T)])
        out = [panel.title, ""]
        out.append(" " * width + "".join(f" |{bytes_text(s):>9}{'':14}" for s in sizes))
        out.append("line".ljust(width) + f" |{'ms':>8} {'/ T(M)':>7}{'segment':>8}" * len(sizes))
        out.append("-" * width + ("-+" + "-" * 23) * len(sizes))
        base = T.ljust(width)
        for size in sizes:
            took = self.time_us(panel.topology, T, size)
            base += " |" + cell(took and took / 1e3, 9, " ") + ratio_cell(took and 1.0, 7) + " " * 7
        return out + [base] + [self._row(panel, line, width) for line in self.experiment.lines]

    def _failures(self):
        out = []
        for topology in self.topologies:
            matrix = self.matrices[topology]
            names = {m.name for line in self.experiment.lines for m in line.methods(self.segments)}
            methods = [m for m in matrix.methods if m.name in names]
            out += [f"FAILED on ({topology}): {m.name}: {matrix.failure(m)}"
                    for m in methods if matrix.failure(m)]
            out += [f"on ({topology}): {line}" for line in matrix.doubts(methods)]
        return out

    def text(self):
        experiment = self.experiment
        out = [f"{experiment.name}: {experiment.figure}", experiment.shows, ""]
        for panel in experiment.panels:
            if panel.topology in self.matrices:
                out += self._panel_table(panel) + [""]
        out += ["ms: median over the runs of each run's median; segment: the fastest of those "
                "measured, bytes; *: the", "time limit cut the iterations.", ""]
        out += self._failures()
        out += [f"note: {note}" for note in experiment.notes]
        out += [verdict.text() for verdict in self.verdicts]
        return "\n".join(out) + "\n"

    # Files.

    def rows(self):
        """A row for each topology, line, segment size and message size."""
        for topology in self.topologies:
            for line in self.experiment.lines:
                for size in self.experiment.sizes_on(topology, self.only_sizes):
                    yield from self._rows_at(topology, line, size)

    def _rows_at(self, topology, line, size):
        matrix = self.matrices[topology]
        best, _ = self.best(topology, line, size)
        base = self.time_us(topology, T, size)
        for method in line.methods(self.segments):
            took = matrix.median(method, size, "sync_median_us") \
                if method.name in matrix.outcomes else None
            if took is not None:
                yield {"topology": topology, "line": line.name, "method": method.name,
                       "segment": method.segment or "", "bytes": size, "median_us": took,
                       "pingpong_us": base or "", "ratio": took / base if base else "",
                       "runs": len(matrix.samples(method, size, "sync_median_us")),
                       "limited": int(matrix.limited(method, size)),
                       "best": int(method.name == best.name)}

    def _draw(self, directory, number, panel):
        sizes = self.panel_sizes(panel)
        blocks = [(T, [(s, self.time_us(panel.topology, T, s)) for s in sizes])]
        blocks += [(line.name, [(s, self.best(panel.topology, line, s)[1]) for s in sizes])
                   for line in self.experiment.lines]
        times = [us for _, points in blocks for _, us in points if us is not None]
        if not times:
            return f"no figure of {panel.title}: nothing was measured"
        stem = "panel-" + "abcdefghijklmnop"[number]
        # The papers' axes are linear; where the slow lines would press the fast ones flat, not.
        write_plot(directory, stem, f"{self.experiment.figure}: {panel.title}", sizes, blocks,
                   log_y=max(times) > 25 * min(times))
        return draw(directory, stem)

    def write(self, directory):
        """Writes table, CSV, JSON and figures. Yields messages about the figures."""
        os.makedirs(directory, exist_ok=True)
        write_text(directory, "table.txt", self.text())
        write_rows(os.path.join(directory, "results.csv"), list(self.rows()), ["topology"])
        write_json(os.path.join(directory, "results.json"),
                   {"experiment": self.experiment.name, "figure": self.experiment.figure,
                    "rows": list(self.rows()), "claims": [v.record() for v in self.verdicts]})
        return [self._draw(directory, number, panel)
                for number, panel in enumerate(self.experiment.panels)
                if panel.topology in self.matrices]
