"""What a matrix is written as: a table, CSV, JSON."""

import csv
import json
import os
import platform
import shlex
import sys

from .programs import first_line
from .units import bytes_text


def cell(value, width, mark=""):
    """A figure to about three places, right-aligned."""
    text = "-" if value is None else f"{value:.{3 if value < 10 else 1}f}{mark}"
    return text.rjust(width)


def ratio_cell(value, width):
    return ("-" if value is None else f"{value:.2f}").rjust(width)


def table_text(matrix, title):
    width = max([len(m.name) for m in matrix.methods] + [len("T(M)")])
    reference = matrix.reference()
    lines = [title, ""]
    lines.append(" " * width + "".join(f" |{bytes_text(s):>11}{'':15}" for s in matrix.sizes))
    lines.append("method".ljust(width)
                 + f" |{'ms':>11} {'/ T(M)':>7} {'factor':>6}" * len(matrix.sizes))
    lines.append("-" * width + ("-+" + "-" * 26) * len(matrix.sizes))
    line = "T(M)".ljust(width)
    for size in matrix.sizes:
        pingpong = matrix.pingpong_us(size)
        line += " |" + cell(pingpong and pingpong / 1e3, 11, " ") \
            + ratio_cell(pingpong and 1.0, 8) + " " * 7
    lines.append(line)
    for method in matrix.methods:
        line = method.name.ljust(width)
        for size in matrix.sizes:
            ours = reference and matrix.median(reference, size, "sync_median_us")
            took = matrix.median(method, size, "sync_median_us")
            mark = "*" if matrix.limited(method, size) else " "
            line += " |" + cell(took and took / 1e3, 11, mark) \
                + ratio_cell(matrix.median(method, size, "sync_ratio"), 8) \
                + ratio_cell(took and ours and took / ours, 7)
        lines.append(line + ("   FAILED, see below" if matrix.failure(method) else ""))
    lines += ["", "ms: median over the runs of each run's median; / T(M): to the ping-pong / 2 of "
              "the same run;", "factor: to "
              + (reference.name if reference else "pipebcast, which was not run")
              + "; *: the time limit cut the iterations."]
    lines += matrix.doubts()
    lines += [f"FAILED: {method.name}: {matrix.failure(method)}" for method in matrix.methods
              if matrix.failure(method)]
    return "\n".join(lines) + "\n"


def ratios_of(matrix, size):
    """Returns (time over T(M), name) of the methods that have a time, the fastest first."""
    ratios = [(matrix.median(method, size, "sync_ratio"), method.name) for method in matrix.methods]
    return sorted((ratio, name) for ratio, name in ratios if ratio is not None)


def bars_text(matrix, columns=60):
    """Bars of the times at the greatest size, the shortest first; the longest has `columns`."""
    size = matrix.sizes[-1]
    bars = sorted([(1.0, "T(M)")] + ratios_of(matrix, size))
    width = max(len(name) for _, name in bars)
    lines = [f"{name:<{width}} {'#' * max(1, round(ratio / bars[-1][0] * columns))} {ratio:.2f}"
             for ratio, name in bars]
    return "\n".join([f"{bytes_text(size)}, in times T(M)", "", *lines]) + "\n"


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def describe_host():
    return {"system": platform.system(), "release": platform.release(),
            "architecture": platform.machine(), "cpu": cpu_model(), "cores": os.cpu_count(),
            "mpi": first_line(["mpirun", "--version"]), "load": os.getloadavg()}


def write_csv(path, matrix):
    write_rows(path, [{"method": method.name, "round": number, **row} for method in matrix.methods
                      for number, outcome in enumerate(matrix.outcomes[method.name], 1)
                      for row in outcome.rows], ["method", "round"])


def outcome_record(outcome):
    return {"command": shlex.join(outcome.command), "seconds": round(outcome.seconds, 3),
            "failure": outcome.failure, "rows": outcome.rows, "counters": outcome.counters}


def size_record(matrix, method, size):
    return {"bytes": size, "median_us": matrix.median(method, size, "sync_median_us"),
            "ratio": matrix.median(method, size, "sync_ratio"),
            "limited": matrix.limited(method, size)}


def matrix_record(matrix, place, begun):
    """A matrix with the host and the exact commands, for JSON."""
    return {
        "command": shlex.join(sys.argv), "begun": begun, "machine": describe_host(),
        "place": place.describe(),
        "pingpong_us": {str(size): matrix.pingpong_us(size) for size in matrix.sizes},
        "methods": [{"name": method.name, "mca": method.mca(place.topology_file),
                     "failure": matrix.failure(method),
                     "sizes": [size_record(matrix, method, size) for size in matrix.sizes],
                     "runs": [outcome_record(o) for o in matrix.outcomes[method.name]]}
                    for method in matrix.methods]}


def write_text(directory, name, text):
    """Writes a file of a directory. Yields its path."""
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def write_rows(path, rows, fields):
    """Rows, which are alike, as CSV; `fields` name the columns where there is no row."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else fields)
        writer.writeheader()
        writer.writerows(rows)


def write_json(path, record):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
