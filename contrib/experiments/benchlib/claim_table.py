"""The table of claims, doc/results/claims.csv: each claim of an experiment, and what the samples of doc/results show of it."""

import csv

from .claims import judge, names_of, ratio_text
from .samples import quartiles
from .units import UserError

COLUMNS = ["experiment", "source", "statement", "ratio", "least", "most", "measured", "spread", "n", "verdict", "why"]
# In the place of a number of samples.
EXACT = "exact"
HOLDS, DOES_NOT, NOT_MEASURED = "HOLDS", "DOES NOT", "NOT MEASURED"


def _side(view, side, point):
    """(value, samples) of the fastest line of a claim's side, and how many samples each line has."""
    place, size = point
    found = [(view.value(place, name, size), view.values(place, name, size)) for name in names_of(side)] or [(1.0, [])]
    return *min(found, key=lambda item: item[0]), [len(values) for _, values in found if values]


def _fewest(view, counts):
    """The samples of the line that has the fewest; where lines are computed, of those with chance."""
    if view.is_computed:
        counts = [n for n in counts if n > 1]
    return min(counts, default=EXACT)


def _spread(view, claim, point):
    """The quartiles of the claim's ratio at a point, and the number of samples."""
    _, values, n_of = _side(view, claim.of, point)
    over, _, n_over = _side(view, claim.over, point)
    low, _, high = quartiles(values)
    return f"{low / over:.2f}-{high / over:.2f}", _fewest(view, n_of + n_over)


def _measured(view, verdict):
    """The columns of a claim that was measured: the least and the greatest ratio, one if they are alike, and their spread."""
    extremes = verdict.extremes()
    if len({f"{ratio:.2f}" for *_, ratio in extremes}) == 1:
        extremes = extremes[:1]
    spreads = [_spread(view, verdict.claim, (place, size)) for place, size, _ in extremes]
    return {"measured": " to ".join(f"{ratio:.2f} {view.where(place, size)}" for place, size, ratio in extremes),
            "spread": " to ".join(dict.fromkeys(text for text, _ in spreads)), "n": min((n for _, n in spreads), key=lambda n: (n == EXACT, n))}


def _row(experiment, claim, view):
    row = {"experiment": experiment.name, "source": experiment.figure if claim.said == "paper" else f"{claim.said}: {experiment.figure}",
           "statement": claim.text, "ratio": ratio_text(claim),
           "least": "" if claim.low is None else f"{claim.low:.4g}", "most": "" if claim.high is None else f"{claim.high:.4g}",
           "measured": "", "spread": "", "n": 0, "verdict": NOT_MEASURED, "why": claim.why}
    verdict = judge(claim, view.points(), view.value)
    if verdict.ratios:
        row.update(verdict=HOLDS if verdict.holds else DOES_NOT, **_measured(view, verdict))
    return row


def judged(experiments, samples):
    """The rows of the table. samples: of all experiments, by their names; [] of one that was not measured."""
    rows = []
    for experiment in experiments:
        view = experiment.view(samples)
        rows += [_row(experiment, claim, view) for claim in experiment.claims]
    return rows


def rows_of(experiments, samples):
    """As judged(); a claim whose `why` does not fit its verdict is an error."""
    rows = judged(experiments, samples)
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


def bounds_text(row):
    """The bounds of a claim, of which one is there at least."""
    if row["least"] and row["most"]:
        return f"{row['least']} to {row['most']}"
    return f">= {row['least']}" if row["least"] else f"<= {row['most']}"


PAPERS = {"p2": "Papers 1 and 2", "p3": "Paper 3", "p4": "Paper 4"}


def _page_rows(rows):
    """An experiment's name stands in the first of its rows."""
    text, before = "", None
    for row in rows:
        name = "" if row["experiment"] == before else row["experiment"]
        ours = " (ours)" if row["source"].startswith("ours") else ""
        why = f": {row['why']}" if row["why"] else ""
        text += f"| {name} | {row['statement']}{ours} | {bounds_text(row)} | {row['measured']} ({row['n']}) | {row['verdict']}{why} |\n"
        before = row["experiment"]
    return text


OURS = "Ours"


def _paper_of(row):
    return PAPERS.get(row["experiment"].partition("-")[0], OURS)


def _claimant_of(row):
    """Ours may be of a paper's figure."""
    return OURS if row["source"].startswith("ours") else _paper_of(row)


def _by_heading(rows, heading_of):
    """{heading: its rows}, in the order of the papers."""
    found = {heading: [row for row in rows if heading_of(row) == heading] for heading in [*PAPERS.values(), OURS]}
    return {heading: rows for heading, rows in found.items() if rows}


def page_text(rows):
    """The claims that were measured, as a table of each paper."""
    measured = [row for row in rows if row["verdict"] != NOT_MEASURED]
    return "\n".join(f"## {heading}\n\n| experiment | claim | bound | measured (n) | verdict |\n|---|---|---|---|---|\n" + _page_rows(found)
                     for heading, found in _by_heading(measured, _paper_of).items()).rstrip("\n")


def summary(rows):
    """How many claims have each verdict, by who claims them."""
    text = "| claims of | hold | do not hold | not measured |\n|---|---|---|---|\n"
    for heading, found in {**_by_heading(rows, _claimant_of), "all": rows}.items():
        text += f"| {heading} | " + " | ".join(str(sum(row["verdict"] == verdict for row in found)) for verdict in (HOLDS, DOES_NOT, NOT_MEASURED)) + " |\n"
    return text.rstrip("\n")
