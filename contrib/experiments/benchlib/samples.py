"""Samples as doc/results/*.csv have them: reading, writing and grouping them."""

import collections
import csv
import datetime
import os
import statistics
import subprocess
import sys

from .report import cpu_model
from .units import UserError

COLUMNS = ["experiment", "network", "speed", "dilation", "method", "segment", "bytes", "run", "broadcast", "nanoseconds",
           "commit", "machine", "date"]
HERE = os.path.dirname(os.path.realpath(__file__))


def read(path):
    """The samples of a file, each a dictionary."""
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != COLUMNS:
            raise UserError(f"{os.path.basename(path)}:1: the columns are {', '.join(COLUMNS)}")
        for line, row in enumerate(reader, 2):
            if None in row.values() or not row["commit"]:
                raise UserError(f"{os.path.basename(path)}:{line}: a sample has a value in each column, its commit too")
            for name in ("segment", "bytes", "run", "broadcast", "nanoseconds"):
                row[name] = int(row[name])
            yield row


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3


def times_by_segment(samples):
    """{(network, speed, dilation): {(method, bytes): {segment: nanoseconds of all broadcasts}}}"""
    times = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    for s in samples:
        times[s["network"], s["speed"], s["dilation"]][s["method"], s["bytes"]][s["segment"]].append(s["nanoseconds"])
    return times


def each_cell(samples):
    """(network, speed, dilation, method, bytes, segment, nanoseconds of all broadcasts) of each."""
    for (network, speed, dilation), cells in times_by_segment(samples).items():
        for (method, size), by_segment in cells.items():
            for segment, times in by_segment.items():
                yield network, speed, dilation, method, size, segment, times


def fastest(by_segment):
    """(times, segment) of the segment size with the least median."""
    return min(((values, segment) for segment, values in by_segment.items()), key=lambda item: statistics.median(item[0]))


class Writer:
    """Prints the samples of one experiment; they have the commit of this source, the computer and the date."""

    def __init__(self, experiment, commit=None, run=1):
        self.experiment = experiment
        self.commit = commit or subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE,
                                               text=True).stdout.strip()
        self.run = run
        self.writer = csv.writer(sys.stdout, lineterminator="\n")

    def head(self):
        self.writer.writerow(COLUMNS)

    @staticmethod
    def machine():
        return f"{cpu_model()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}"

    def write(self, network, method, size, nanoseconds, *, segment=0, broadcast=0, speed="", dilation=1, run=None, machine=None):
        """speed: of the links, or "computed"."""
        self.writer.writerow([self.experiment, network, speed, dilation, method, segment, size, run or self.run, broadcast,
                              round(nanoseconds), self.commit, machine or self.machine(), datetime.date.today().isoformat()])
        sys.stdout.flush()
