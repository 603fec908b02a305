"""The table of claims, doc/results/claims.csv: each claim of an experiment, and what the samples of doc/results show of it."""

import csv
import statistics

from .claims import T, judge, name_text
from .experiment import Experiment
from .units import UserError

COLUMNS = ["experiment", "source", "statement", "ratio", "least", "most", "measured", "spread", "n", "verdict", "why"]
HOLDS, DOES_NOT, NOT_MEASURED = "HOLDS", "DOES NOT", "NOT MEASURED"


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3


class Samples:
    """The samples of a figure's lines; a figure is an Experiment."""

    def __init__(self, figure, best):
        """best: {(network, speed, dilation): {(method, bytes): (times, segment)}}, of each method the best segment size."""
        self.methods = {T: "T", **{line.name: line.family for line in figure.lines}}
        self.panels = figure.panels
        self.networks = {network.strip("()"): cells for (network, speed, _), cells in best.items() if speed == figure.speed}

    def times(self, topology, line, size):
        """The nanoseconds of a line's broadcasts, or of messages for T; [] if none was measured."""
        return self.networks[topology].get((self.methods[line], size), ([],))[0]

    def median(self, topology, line, size):
        times = self.times(topology, line, size)
        return statistics.median(times) if times else None

    def times_of_all(self, topology, lines, size):
        """The times of each line that a side of a claim names: one, or a tuple of which the fastest counts."""
        return [self.times(topology, line, size) for line in (lines if isinstance(lines, tuple) else (lines,))]

    def points(self):
        """The topologies and sizes of the figure's panels that were measured."""
        return sorted({(topology, size) for topology, cells in self.networks.items() for _, size in cells
                       if any(p.topology == topology and p.sizes[0] <= size <= p.sizes[-1] for p in self.panels)})


def claims_of(experiment):
    """The claims of an experiment; some experiments have pairs of a claim and what it needs."""
    return [claim[0] if isinstance(claim, tuple) else claim for claim in getattr(experiment, "claims", [])]


def _spread(claim, samples, topology, size):
    """The quartiles of the claim's ratio at a point, and the number of samples of the line that has the fewest."""
    all_of, all_over = (samples.times_of_all(topology, lines, size) for lines in (claim.of, claim.over))
    of, over = min(all_of, key=statistics.median), statistics.median(min(all_over, key=statistics.median))
    low, _, high = quartiles(of)
    return f"{low / over:.2f}-{high / over:.2f}", min(map(len, all_of + all_over))


def _measured(verdict, samples):
    """The columns of a claim that was measured: the least and the greatest ratio, and their spread."""
    extremes = [pick(verdict.ratios, key=lambda entry: entry[2])[:2] for pick in (min, max)]
    spreads = [_spread(verdict.claim, samples, *extreme) for extreme in extremes]
    return {"measured": verdict.measured_text(), "spread": " to ".join(dict.fromkeys(text for text, _ in spreads)),
            "n": min(n for _, n in spreads)}


def _row(experiment, claim, best):
    row = {"experiment": experiment.name, "source": experiment.figure if claim.said == "paper" else f"{claim.said}: {experiment.figure}",
           "statement": claim.text, "ratio": f"{name_text(claim.of)} / {name_text(claim.over)}",
           "least": "" if claim.low is None else f"{claim.low:.4g}", "most": "" if claim.high is None else f"{claim.high:.4g}",
           "measured": "", "spread": "", "n": 0, "verdict": NOT_MEASURED, "why": claim.why}
    if isinstance(experiment, Experiment):
        samples = Samples(experiment, best)
        verdict = judge(claim, samples.points(), samples.median)
        if verdict.ratios:
            row.update(verdict=HOLDS if verdict.holds else DOES_NOT, **_measured(verdict, samples))
    return row


def rows_of(experiments, best):
    """The rows of the table, made of the samples of figures' networks; see Samples."""
    rows = [_row(experiment, claim, best) for experiment in experiments for claim in claims_of(experiment)]
    for row in rows:
        if row["verdict"] != NOT_MEASURED and (row["verdict"] == DOES_NOT) != bool(row["why"]):
            raise UserError(f"{row['experiment']}: '{row['statement']}': measured {row['measured']}, which {row['verdict']}: a claim "
                            "that does not hold, and no other, says why")
    return rows


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def page_text(rows):
    """The claims that were measured, as a table of a page, and how many were not."""
    measured = [row for row in rows if row["verdict"] != NOT_MEASURED]
    text = "| source | claim | bound | measured (quartiles; n) | verdict |\n|---|---|---|---|---|\n"
    for row in sorted(measured, key=lambda row: row["source"]):
        bound = " to ".join(filter(None, (row["least"], row["most"])))
        if not (row["least"] and row["most"]):
            bound = f"at {'least' if row['least'] else 'most'} {bound}"
        text += (f"| {row['source']} | {row['statement']} | {bound} | {row['measured']} ({row['spread']}; {row['n']}) | "
                 f"{row['verdict']}{': ' + row['why'] if row['why'] else ''} |\n")
    held = sum(row["verdict"] == HOLDS for row in measured)
    return text + (f"\n{held} hold, {len(measured) - held} do not, {len(rows) - len(measured)} of the {len(rows)} claims are not "
                   "measured.")
