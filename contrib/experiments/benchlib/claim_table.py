"""The table of claims, doc/results/claims.csv: each claim of an experiment, and what the samples of doc/results show of it."""

import csv
import statistics

from .claims import T, judge, name_text
from .experiment import Experiment
from .units import UserError

COLUMNS = ["experiment", "source", "statement", "ratio", "least", "most", "measured", "spread", "n", "verdict", "why"]
HOLDS, DOES_NOT, NOT_MEASURED = "HOLDS", "DOES NOT", "NOT MEASURED"
VERDICTS = {None: NOT_MEASURED, True: HOLDS, False: DOES_NOT}


class Samples:
    """The samples of emulated networks, as the claims of figures name them: times(topology, line, size), in ns."""

    def __init__(self, best, speed):
        """best: {(network, speed, dilation): {(method, bytes): (times, segment)}}, of each method the best segment size."""
        self.networks = {network.strip("()"): cells for (network, at, _), cells in best.items() if at == speed}

    def times(self, families, topology, line, size):
        method = "T" if line == T else families.get(line)
        return self.networks[topology].get((method, size), (None,))[0]

    def points(self, panels):
        """The topologies and sizes of a figure's panels that were measured."""
        return sorted({(topology, size) for topology, cells in self.networks.items() for _, size in cells
                       if any(p.topology == topology and p.sizes[0] <= size <= p.sizes[-1] for p in panels)})


def claims_of(experiment):
    """The claims of an experiment; some experiments have each beside what it needs."""
    return [claim[0] if isinstance(claim, tuple) else claim for claim in getattr(experiment, "claims", [])]


def _measured(verdict, samples, families):
    """The columns of what was measured: extremes of the ratios, the quartiles of both, and the fewest samples."""
    if not verdict.ratios:
        return {"measured": "", "spread": "", "n": 0}
    spreads, fewest = [], None
    for topology, size, _ in (min(verdict.ratios, key=lambda e: e[2]), max(verdict.ratios, key=lambda e: e[2])):
        of, over = ([samples.times(families, topology, name, size) for name in (names if isinstance(names, tuple) else (names,))]
                    for names in (verdict.claim.of, verdict.claim.over))
        upper, lower = min(of, key=statistics.median), statistics.median(min(over, key=statistics.median))
        low, _, high = statistics.quantiles(upper, n=4, method="inclusive") if len(upper) > 1 else upper * 3
        spreads.append(f"{low / lower:.2f}-{high / lower:.2f}")
        fewest = min(len(values) for values in [*of, *over, [0] * fewest if fewest else upper])
    return {"measured": verdict.measured_text(), "spread": " to ".join(dict.fromkeys(spreads)), "n": fewest}


def _row(experiment, claim, best):
    families, panels, samples = {}, [], Samples({}, None)
    if isinstance(experiment, Experiment):
        families, panels = {line.name: line.family for line in experiment.lines}, experiment.panels
        samples = Samples(best, experiment.speed)

    def time_of(topology, line, size):
        times = samples.times(families, topology, line, size)
        return statistics.median(times) if times else None

    verdict = judge(claim, samples.points(panels), time_of)
    return {"experiment": experiment.name, "source": experiment.figure if claim.said == "paper" else f"{claim.said}: {experiment.figure}",
            "statement": claim.text, "ratio": f"{name_text(claim.of)} / {name_text(claim.over)}",
            "least": "" if claim.low is None else f"{claim.low:.4g}", "most": "" if claim.high is None else f"{claim.high:.4g}",
            "verdict": VERDICTS[verdict.holds], "why": claim.why, **_measured(verdict, samples, families)}


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
