"""Ours: a job's first broadcasts beside its settled ones. Samples are those of `first`, which keeps all broadcasts of a job."""

import collections
import statistics

from ..claims import Claim
from ..experiment import NetworkView

K = 1024
# The last broadcast, from 0, before a choice is settled.
SETTLED = 64
# Of a job's broadcasts, over its settled ones.
FIGURES = {"first": lambda times: times[0], "second": lambda times: times[1], "mean of the first ten": lambda times: statistics.mean(times[:10]),
           "greatest of 2 to 65": lambda times: max(times[1:SETTLED + 1])}
# As in samples: the choice, where a site allows multicast, and where connections were opened before.
METHODS = {"auto": "pipebcast", "multicast allowed": "pipebcast:multicast_allowed", "connected": "pipebcast:connected"}


def jobs_of(samples):
    """{((network, speed, dilation), bytes, method): [times of a job's broadcasts over its settled ones]}"""
    jobs = collections.defaultdict(dict)
    for s in samples:
        if s["method"] != "T":
            jobs[(s["network"], s["speed"], s["dilation"]), s["bytes"], s["method"], s["run"]][s["broadcast"]] = s["nanoseconds"]
    shares = collections.defaultdict(list)
    for (*row, _), times in jobs.items():
        settled = statistics.median(time for n, time in times.items() if n > SETTLED)
        shares[tuple(row)].append([times[n] / settled for n in sorted(times)])
    return dict(sorted(shares.items()))


class _FirstView(NetworkView):
    """A line is a method and a figure, "auto, second"; a sample is of a job."""

    def __init__(self, samples):
        self.jobs = {(network, size, method): jobs for ((network, *_), size, method), jobs in jobs_of(samples).items()}

    def points(self):
        return sorted({(network, size) for network, size, _ in self.jobs})

    def values(self, place, name, size):
        method, _, figure = name.partition(", ")
        return [FIGURES[figure](times) for times in self.jobs.get((place, size, METHODS[method]), [])]


class Firsts:
    """Claims are of the size that all methods were measured with."""

    name = "first"
    figure = "hosts of today, the first broadcasts"
    claims = [Claim(text, line, None, high=high, sizes=(0, 64 * K), said="ours", why=why) for text, line, high, why in (
        ("where connections are open the first broadcast takes at most 1.3 times a settled one", "connected, first", 1.3, ""),
        ("the second takes at most 1.1 times a settled one", "auto, second", 1.1, ""),
        ("each of the second to the 65th takes at most 1.1 times a settled one", "auto, greatest of 2 to 65", 1.1,
         "a few of them try another tree or segment size"),
        ("the mean of the first ten is at most 1.3 times a settled one", "auto, mean of the first ten", 1.3, ""),
        ("so it is where multicast is allowed", "multicast allowed, mean of the first ten", 1.3, ""))]

    @staticmethod
    def view(samples):
        return _FirstView(samples["first"])


FIRSTS = Firsts()
