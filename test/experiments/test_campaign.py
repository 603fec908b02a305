#!/usr/bin/env python3
"""TAP test of the campaign: its jobs have each cell of doc/results, and files change only when all of their jobs have ended well."""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "../../contrib/experiments"), str(HERE / "..")]
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from benchlib.experiment import COMPUTED
from benchlib.samples import COLUMNS, read
from tap import Tap

tap = Tap()
# Prints what is in the file of the same name as its experiment, and fails where there is none.
SAMPLES = '#!/bin/sh\necho "$@" >>"$(dirname "$0")/calls"\nexec cat "$(dirname "$0")/$1.new"\n'


def load():
    loader = importlib.machinery.SourceFileLoader("campaign", str(HERE / "../../contrib/experiments/campaign"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("campaign", loader))
    loader.exec_module(module)
    return module


def line(experiment, method, segment, broadcast, ns, network="(1)"):
    return f"{experiment},{network},2mbit,1,{method},{segment},65536,1,{broadcast},{ns},c0ffee,here,2026-01-01\n"


def test_all_cells(campaign):
    names = [path.stem for path in campaign.RESULTS.glob("*.csv") if path.stem not in campaign.NOT_MEASURED]
    for name in sorted(names):
        jobs = list(campaign.jobs_of(name, "build"))
        wanted = {campaign.cell(row) for row in read(campaign.RESULTS / f"{name}.csv")}
        tap.eq(set().union(*(job.cells for job in jobs)), wanted, f"{name}: each cell is in a job")
        tap.ok(len({tuple(job.command) for job in jobs}) == len(jobs), f"{name}: no two jobs are alike")
        runs = {row["run"] for row in read(campaign.RESULTS / f"{name}.csv") if row["speed"] != COMPUTED}
        tap.ok(name not in campaign.WHOLE or len(runs) in (0, len(jobs)), f"{name}: each run of a program that measures is a job")


def test_job(campaign, top):
    campaign.RESULTS, campaign.HERE = top, top
    old = line("trees", "T", 0, 0, 5) + line("trees", "tuned:binary", 1426, 0, 9) + line("trees", "tuned", 0, 0, 7)
    (top / "trees.csv").write_text(",".join(COLUMNS) + "\n" + old, encoding="utf-8")
    [job] = campaign.jobs_of("trees", "build")
    words = [str(word) for word in job.command[1:]]
    tap.eq(words, ["trees", "build", "--networks", "(1)", "--speeds", "2mbit", "--sizes", "65536", "--methods", "tuned:binary:1426,tuned",
                   "--run", "1", "--broadcasts", "6"], "a job measures the methods of a cell, at least five broadcasts of each")


def test_phases(campaign):
    row = {"experiment": "p4-fig8", "speed": "8mbit", "dilation": "1", "bytes": 1024, "method": "mateescu", "segment": 2874}
    tap.eq(len({campaign.cell({**row, "network": phase}) for phase in ("load 1", "after load 1")}), 1, "a broadcast that meets another load is the same cell")


def run(campaign, top):
    arguments, sys.argv = sys.argv, ["campaign", "build", str(top / "kept"), "trees"]
    errors, sys.stderr = sys.stderr, open(os.devnull, "w", encoding="utf-8")
    try:
        return campaign.main()
    finally:
        sys.argv, sys.stderr = arguments, errors


def test_flow(campaign, top):
    program, new = top / "samples", top / "trees.new"
    program.write_text(SAMPLES, encoding="utf-8")
    program.chmod(0o755)
    before = (top / "trees.csv").read_text(encoding="utf-8")
    tap.eq(run(campaign, top), 1, "a job that fails fails the campaign")
    new.write_text(",".join(COLUMNS) + "\n" + line("trees", "T", 0, 0, 4) + line("trees", "tuned", 0, 0, 6), encoding="utf-8")
    tap.eq(run(campaign, top), 1, "so does one that has no sample of a method")
    tap.eq((top / "trees.csv").read_text(encoding="utf-8"), before, "the file stays as it was")
    after = new.read_text(encoding="utf-8") + line("trees", "tuned:binary", 1426, 0, 8)
    new.write_text(after + line("trees", "tuned", 0, 0, 3, network="(4)"), encoding="utf-8")
    tap.eq(run(campaign, top), 0, "a job that failed is run again")
    tap.eq((top / "trees.csv").read_text(encoding="utf-8"), after, "the file has the new samples, no old one, and no cell more than it had")
    calls = (top / "calls").read_text(encoding="utf-8").count("\n")
    tap.eq((run(campaign, top), (top / "calls").read_text(encoding="utf-8").count("\n")), (0, calls), "a job that has ended well is not run again")


def main():
    test_all_cells(load())
    with tempfile.TemporaryDirectory() as directory:
        campaign = load()
        test_job(campaign, pathlib.Path(directory))
        test_phases(campaign)
        test_flow(campaign, pathlib.Path(directory))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
