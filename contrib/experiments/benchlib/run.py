"""Running one method once."""

import csv
import os
import re
import signal
import subprocess
import tempfile
import threading
import time


class Outcome:
    """What one mpirun gave: the benchmark's rows, and why it ended early, if it did."""

    def __init__(self):
        self.rows = []
        self.failure = None
        self.seconds = 0.0
        self.command = []
        self.counters = None


def reason_of(stderr, code):
    """The message of stderr, for people: our own, or else the first paragraphs of others."""
    lines = [line.strip() for line in stderr.splitlines()]
    ours = [line for line in lines if line.startswith("pipebcast-bench:")]
    meaningful = [line for line in lines if line and not re.fullmatch(r"[-=*]+", line)]
    if any(line.startswith("Traceback") for line in meaningful):
        meaningful = meaningful[-1:]
    text = ours[0] if ours else re.sub(r"\s+", " ", " ".join(meaningful)) or "no message"
    return f"exit code {code}: {text[:500]}"


def stop_group(process):
    """Ends a process that we started as the leader of its group, gently first."""
    for what, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, what)
            process.wait(patience)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def read_rows(process, outcome, on_row):
    reader = csv.DictReader(process.stdout)
    for row in reader:
        if None in row or None in row.values():
            continue  # not a line of ours
        outcome.rows.append(row)
        on_row(row)


def bench_arguments(method, sizes, options):
    arguments = ["--csv", "--clock", "shared", "--mode", "sync",
                 "--label", method.name, "--sizes", ",".join(map(str, sizes)),
                 "--iterations", str(options.iterations), "--time-per-size", str(options.time_limit),
                 "--root", options.root]
    arguments += (["--check"] if options.check else []) + method.bench_arguments
    arguments += ["--warmup", str(options.warmup)] if options.warmup else []
    return arguments + (["--pingpong", options.pingpong] if options.pingpong else [])


def run_once(place, method, sizes, options, on_row):
    """
    Runs one method on some sizes, with T(M) measured or not. Whatever goes wrong in there is in the
    outcome's failure.
    """
    patience = options.patience + len(sizes) * (options.patience + options.time_limit)
    outcome = run_bench(place, method, bench_arguments(method, sizes, options),
                        len(sizes), options, patience, on_row)
    outcome.counters = place.counters()
    return outcome


# MPICH's programs do not always end after MPI_Finalize where hosts are reached by an agent.
MPICH_END_S = 10


def run_bench(place, method, bench_options, n_rows, options, patience, on_row=lambda row: None):
    """
    Runs pipebcast-bench under mpirun for a method, for so many seconds at most. The outcome's
    failure is why it did not give n_rows results.
    """
    outcome = Outcome()
    arguments = method.launch(place.topology_file)
    if method.is_mpich:
        outcome.command = place.mpirun(arguments + [options.mpich_bench] + bench_options,
                                       options.mpich_mpirun)
    else:
        outcome.command = place.mpirun(arguments + options.mpirun_arg + [options.bench]
                                       + bench_options)
    expired, ended = threading.Event(), []
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as stderr:
        process = subprocess.Popen(outcome.command, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=stderr, text=True,
                                   errors="replace", start_new_session=True)

        def expire():
            expired.set()
            stop_group(process)

        def take_row(row):
            on_row(row)
            if method.is_mpich and len(outcome.rows) == n_rows:
                ended.append(threading.Timer(MPICH_END_S, stop_group, (process,)))
                ended[-1].start()

        timer = threading.Timer(patience, expire)
        timer.start()
        try:
            read_rows(process, outcome, take_row)
            code = process.wait()
        finally:
            for each in (timer, *ended):
                each.cancel()
            if process.poll() is None:
                stop_group(process)
        outcome.seconds = time.monotonic() - begin
        stderr.seek(0)
        if expired.is_set():
            outcome.failure = f"stopped: no end after {patience:.0f} s"
        elif code != 0 and not ended:
            outcome.failure = reason_of(stderr.read(), code)
        elif len(outcome.rows) != n_rows:
            outcome.failure = f"{len(outcome.rows)} results for {n_rows} sizes"
    return outcome
