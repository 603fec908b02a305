"""Lines on stderr: what runs, and how long all will still take."""

import statistics
import sys

from .units import bytes_text, duration_text


class Progress:
    """Follows a list of steps, each named by its method; a method may come several times."""

    def __init__(self, steps):
        self.steps = steps
        self.seconds = {}  # method: time of its last run
        self.dropped = set()  # methods that will not run again
        self.done = 0

    def left(self):
        """Seconds for this step and all after it, None as long as nothing is known."""
        if not self.seconds:
            return None
        usual = statistics.mean(self.seconds.values())
        return sum(self.seconds.get(name, usual) for name in self.steps[self.done:]
                   if name not in self.dropped)

    def start(self, where):
        left = self.left()
        when = f", {duration_text(left)} left" if left is not None else ""
        self.report(f"[{self.done + 1}/{len(self.steps)}] {where}: {self.steps[self.done]}{when}")

    def skip(self, reason):
        name = self.steps[self.done]
        self.dropped.add(name)
        self.done += 1
        self.report(f"[{self.done}/{len(self.steps)}] {name}: not again, {reason}")

    def row(self, row):
        time_us = row.get("sync_median_us")
        if time_us:
            mark = " *" if row.get("limited") == "1" else ""
            ratio = f", {float(row['sync_ratio']):.2f} T" if row.get("sync_ratio") else ""
            self.report(f"    {bytes_text(int(row['bytes'])):>6}: {float(time_us) / 1e3:.1f} ms"
                     f"{ratio}{mark}")

    def end(self, outcome):
        self.seconds[self.steps[self.done]] = outcome.seconds
        self.done += 1
        if outcome.failure:
            self.report(f"    FAILED: {outcome.failure}")

    @staticmethod
    def report(text):
        print(text, file=sys.stderr, flush=True)
