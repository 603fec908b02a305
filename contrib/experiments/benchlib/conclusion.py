"""How an experiment that makes a table ends: its text, its files, and the exit status."""

import os

from .claims import exit_status
from .report import write_json, write_text


def conclude(experiment, directory, table, verdicts, record, failures=(), interrupted=False, where=""):
    """
    Prints and writes the lines of a table, what failed, and the verdicts on claims; `record` is what
    results.json has beside the claims. The experiment has name, figure and shows. Yields the exit status.
    """
    text = "\n".join([f"{experiment.name}: {experiment.figure}{where}", experiment.shows, "", *table, "",
                      *failures, *(verdict.text() for verdict in verdicts)]) + "\n"
    os.makedirs(directory, exist_ok=True)
    write_text(directory, "table.txt", text)
    write_json(os.path.join(directory, "results.json"),
               {"experiment": experiment.name, "figure": experiment.figure, **record,
                "claims": [verdict.record() for verdict in verdicts]})
    print(text + f"results: {directory}\n", flush=True)
    return exit_status(verdicts, failures, interrupted)


def failures_of(matrix):
    """Lines on the methods that failed."""
    return [f"FAILED: {m.name}: {matrix.failure(m)}" for m in matrix.methods if matrix.failure(m)]
